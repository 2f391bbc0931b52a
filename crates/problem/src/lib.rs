//! What a contact problem is, and whether an impulse solves it.
//!
//! # The problem
//!
//! Unknown impulses `r` [N·s] come in blocks, one block per contact, joint, limit or motor. The relative
//! velocity of every block [m/s] is affine in the impulses,
//!
//! ```text
//! u = W r + q,        W = J M⁻¹ Jᵀ + diag(c)   [1/kg],   q = J v* + (restitution)
//! ```
//!
//! and each block obeys one [`Law`]:
//!
//! | law | meaning |
//! |---|---|
//! | [`Law::Equality`] | `u = 0`, `r` free (joint) |
//! | [`Law::NonNegative`] | `0 ≤ r ⊥ u ≥ 0` (frictionless contact) |
//! | [`Law::Interval`] | `lo ≤ r ≤ hi`; `u = 0` strictly inside, `u ≥ 0` at `lo`, `u ≤ 0` at `hi` (limit, motor) |
//! | [`Law::Coulomb`] | Signorini's condition and Coulomb's cone, below |
//! | [`Law::Rolling`] | the same, and moments m that resist spinning and rolling, below |
//!
//! Coulomb, with `K = {r_N ≥ 0, ‖r_T‖ ≤ μ r_N}`, its dual cone `K*`, and the shift of de Saxcé
//! `û = u + μ‖u_T‖ n`:
//!
//! ```text
//! K ∋ r ⊥ û ∈ K*
//! ⇔  0 ≤ u_N ⊥ r_N ≥ 0   and   u_T = 0 with ‖r_T‖ ≤ μ r_N,   or   r_T = −μ r_N u_T/‖u_T‖
//! ```
//!
//! Rolling, with moments about the contact point, a spin `m_s` about the normal and a roll `m_r` about the tangents, and the
//! relative angular velocities `ω_s`, `ω_r`: for each of the two
//!
//! ```text
//! ‖m‖ ≤ μ_m r_N   and   ω = 0,   or   m = −μ_m r_N ω/‖ω‖
//! ```
//!
//! Each moment is bounded separately, by a disc whose radius is proportional to the normal impulse, so rolling friction
//! does not reduce the friction that prevents slip. The set of impulses is the cone `{r_N ≥ 0, ‖r_T‖ ≤ μ r_N, |m_s| ≤
//! μ_s r_N, ‖m_r‖ ≤ μ_r r_N}` of Acary and Bourrier (2021), and each part dissipates the most that it can.
//!
//! # Compliance
//!
//! A row with compliance c ≥ 0 yields by c r: its law relates r to `J v⁺ + b + c r`, which is the u above. Only the
//! diagonal of W differs, so laws, certificate and solvers need not know about springs. Over a step h, stiffness k and
//! damping d give `c = 1/(h²k + hd)`; with [`Law::Equality`] and the bias `k(x − x₀)/(hk + d)` the row is a spring and
//! a damper in backward Euler, exactly. A rigid row has c = 0. A stored W (dense, block-sparse) has c on its diagonal
//! already; over bodies it is [`FactoredParts::compliance`].
//!
//! # Conventions, written here only
//!
//! * Units are SI. `r` is always an impulse [N·s], never a force; `W` and `c` are [1/kg]; `u` and `q` are [m/s]. Of rows
//!   that rotate they are [N·m·s], [1/(kg·m²)] and [rad/s].
//! * A contact block is `(n, t1, t2)`, normal first; a planar contact is `(n, t)`; one that resists rolling is
//!   `(n, t1, t2, spin, roll1, roll2)`, the last three about n, t1, t2. Their unit may be a length times rad/s: with rows
//!   `ℓ ω` the moments are `m/ℓ` and the parameters `μ_m/ℓ`.
//! * The unit normal `n` points from body A to body B. With `R = [n t1 t2]`, `u = Rᵀ(v_B − v_A)` at the contact
//!   point, so `u_N < 0` approaches and `u_N > 0` separates. The impulse is `+R r` on B and `−R r` on A.
//! * The gap is negative when the shapes overlap.
//! * `v*` is the velocity after all forces and before any contact impulse: gravity is inside the solve.
//! * A body is six columns: linear velocity, then angular velocity, both in world axes. Fixed bodies have no columns.
//!
//! # Who decides
//!
//! [`certify`] grades any `(problem, r)`, recomputing `u` from scratch. It knows no solver and shares no code with
//! one; no solver grades itself.

#![forbid(unsafe_code)]

mod certificate;
mod delassus;
mod error;
pub mod io;
mod law;
pub mod math;
mod part;
mod problem;
pub mod random;

pub use certificate::{Certificate, Certifier, Counts, Measure, Tolerance, certify};
pub use delassus::{
    BlockSparseDelassus, Delassus, DenseDelassus, FactoredDelassus, FurtherColumns, InverseMass, JacobianRow,
};
pub use error::ProblemError;
pub use law::Law;
pub use problem::{Block, ContactProblem, FactoredParts, Limits, Symmetry};
