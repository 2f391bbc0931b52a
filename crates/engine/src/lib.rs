//! Rigid bodies with contact, friction, impacts and joints. Every step is solved and certified.
//!
//! A [`World`] holds bodies; [`World::step`] advances it and returns a [`StepReport`] whose certificate says, in metres
//! per second, how far the contact impulses are from obeying Signorini's and Coulomb's laws. A step either completes or
//! leaves the world as it was, bit for bit. Results do not depend on the order in which bodies were added nor on the
//! number of threads.
//!
//! Conventions (signs, frames, units) are those of [`signorini_problem`]. World axes, SI units, `f64`.

#![forbid(unsafe_code)]

mod body;
mod energy;
pub mod error;
mod ids;
mod joint;
mod material;
mod report;
mod settings;
pub mod shape;
mod snapshot;
pub mod step;
mod world;

pub use body::{
    Body, BodyState, ConstraintForces, Kind, MAX_MASS, MAX_POSITION, MAX_SPEED, MAX_SPIN, MIN_MASS,
    QUATERNION_TOLERANCE,
};
pub use energy::{Energy, EnergyLedger};
pub use error::{ShapeError, SnapshotError, StepError, WorldError};
pub use glamx;
pub use ids::{BodyHandle, BodyId, JointHandle};
pub use joint::{Anchor, Joint, JointKind, PairContact};
pub use material::Material;
pub use report::{ContactPoint, StageTimes, StepCounts, StepReport, StepStatus};
pub use settings::{ImpactLaw, Settings, Sleeping, Stabilisation};
pub use shape::{MassProperties, Shape};
pub use signorini_problem::{Certificate, ContactProblem, Tolerance};
pub use signorini_solvers::{Method, StoppingRule};
pub use snapshot::Snapshot;
pub use step::MAX_TIME_STEP;
pub use world::{BodyView, World};
