//! Methods kept for comparison: models of friction that are not Coulomb's law, and older methods for the same laws.
//!
//! | file | what it is compared for |
//! |---|---|
//! | `box_lcp` | friction bounded per axis, as in many game engines |
//! | `polyhedral` | friction pyramids of 4, 8 or 16 sides |
//! | `socp` | the convex relaxation (MuJoCo, Drake SAP), and de Saxcé's loop around it |
//! | `fischer_burmeister` | Newton on a smoothed complementarity function |
//!
//! [`crate::Exact`] uses none of them. `flow_rule` and `box_qp` are what they share.

pub mod box_lcp;
pub mod box_qp;
pub mod fischer_burmeister;
mod flow_rule;
pub mod polyhedral;
#[cfg(feature = "socp")]
pub mod socp;

pub use flow_rule::FlowRule;
