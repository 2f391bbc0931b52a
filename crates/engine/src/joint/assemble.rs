//! Putting jointed bodies together.
