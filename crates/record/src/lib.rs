//! Recordings of simulations.

#![forbid(unsafe_code)]
