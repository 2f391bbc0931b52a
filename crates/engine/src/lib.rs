//! Rigid bodies with contact, friction, impacts and joints. Every step is solved and certified.
//!
//! A [`World`] holds bodies; [`World::step`] advances it and returns a [`StepReport`] whose certificate says, in metres
//! per second, how far the contact impulses are from obeying Signorini's and Coulomb's laws. A step either completes or
//! leaves the world as it was, bit for bit. Results do not depend on the order in which bodies were added nor on the
//! number of threads.
//!
//! Conventions (signs, frames, units) are those of [`signorini_problem`]. World axes, SI units, `f64`.
//!
//! # Worked example
//!
//! A crate of 5 kg is pushed onto a rough floor at 2 m/s. On paper friction takes `μg` off its speed, so it stops
//! after `v²/2μg`; in steps of h it takes `μgh` off per step and the way is the sum of its mean velocities, `hv/2 + Σ
//! h (v − kμgh)`. The floor carries the weight, and what friction took is the kinetic energy the crate had.
//!
//! ```
//! use signorini::glamx::DVec3;
//! use signorini::{Body, Material, Settings, Shape, StepStatus, World};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let (friction, speed, h) = (0.5, 2.0, 0.016);
//! let wood = Material::new(friction, 0.0);
//!
//! let mut world = World::new(Settings::default())?;
//! let floor = world.add(Body::fixed(Shape::half_space(DVec3::Z)?).material(wood).named("floor"))?;
//! let body = Body::dynamic(Shape::cuboid(DVec3::splat(0.5))?).mass(5.0).position(DVec3::new(0.0, 0.0, 0.5));
//! let body = world.add(body.velocity(DVec3::new(speed, 0.0, 0.0)).material(wood).named("crate"))?;
//!
//! let (mut friction_work, mut worst) = (0.0, 0.0_f64);
//! while world.body(body)?.velocity().length() > 1e-6 {
//!     let report = world.step(h)?;
//!     // Solved, and proven solved: no contact breaks its law by more than 1e-9 m/s.
//!     assert_eq!(report.status, StepStatus::Certified);
//!     worst = worst.max(report.velocity.map_or(0.0, |c| c.natural));
//!     friction_work += report.energy.friction;
//! }
//! assert!(worst < 1e-8);
//!
//! let steps = (speed / (friction * 9.81 * h)).floor();
//! let way = h * speed / 2.0 + h * steps * (speed - friction * 9.81 * h * (steps + 1.0) / 2.0);
//! assert!((world.body(body)?.position().x - way).abs() < 1e-7);
//! assert!((world.body(floor)?.constraint_forces().force.z + 5.0 * 9.81).abs() < 1e-5);
//! assert!((friction_work + 0.5 * 5.0 * speed * speed).abs() < 1e-7);
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

/// Programs of the book, compiled and run as documentation tests.
#[cfg(doctest)]
mod book {
    #[doc = include_str!("../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/guide/first-ten-minutes.md")]
    struct FirstTenMinutes;
    #[doc = include_str!("../../../docs/guide/reading-a-certificate.md")]
    struct ReadingACertificate;
    #[doc = include_str!("../../../docs/guide/cookbook.md")]
    struct Cookbook;
    #[doc = include_str!("../../../docs/joints.md")]
    struct Joints;
    #[doc = include_str!("../../../docs/world.md")]
    struct World;
}

mod body;
mod body_edit;
mod body_view;
mod energy;
pub mod error;
mod events;
mod filter;
mod fixed_step;
mod ids;
mod joint;
mod judge;
mod kinematic;
mod material;
mod material_pair;
mod options;
mod pair_contact;
mod query;
mod read_out;
mod report;
#[cfg(feature = "scene")]
pub mod robot;
#[cfg(feature = "scene")]
pub mod scene;
mod settings;
pub mod shape;
mod snapshot;
#[cfg(feature = "socp")]
pub mod statics;
#[doc(hidden)]
pub mod step;
mod world;

pub use body::{
    Body, BodyState, ConstraintForces, Kind, MAX_ANGULAR_VELOCITY, MAX_MASS, MAX_POSITION, MAX_SPEED, MIN_MASS,
    QUATERNION_TOLERANCE,
};
pub use body_edit::AxisLocks;
pub use body_view::{BodyView, HASHED_NUMBERS};
pub use energy::{Energy, EnergyLedger};
pub use error::{ShapeError, SnapshotError, StepError, WorldError};
pub use events::{ContactEvent, Phase, SensorEvent, SleepEvent};
pub use filter::Filter;
pub use fixed_step::FixedStep;
pub use glamx;
pub use ids::{BodyHandle, BodyId, GearHandle, JointHandle};
pub use joint::{
    Anchor, Coordinate, CoordinateForces, Frame, GEAR_LIMIT, Gear, GearTerm, Joint, JointEvent, JointForces, JointKind,
    MISFIT, Misfit, Motor, PairContact, Spring,
};
pub use judge::{
    CLOSURE_BOUND, Check, Finding, JOINT_BOUND, JOINTED_RISE_BOUND, MAX_OVERLAP, MIN_OVERLAP, MOMENTUM_BOUND,
    OVERLAP_SHARE, PRESSURE, Part, PartName, Place, RISE_BOUND, Recertifier, ReplayBody, ReplayContact, ReplayStep,
    StepCertificate,
};
pub use material::{Combine, Grain, MAX_FRICTION, MAX_STIFFNESS, Material};
pub use material_pair::PairCoefficients;
pub use options::SurfaceMotion;
pub use query::{BodyContact, Closest, QueryFilter, Ray, ShapeHit};
pub use report::{ContactPoint, ContactState, SLIP_SPEED, StageTimes, StepCounts, StepReport, StepStatus};
#[cfg(feature = "scene")]
pub use robot::{Robot, RobotModel, RobotPlacement};
#[cfg(feature = "scene")]
pub use scene::{Scene, SceneError};
pub use settings::{ImpactLaw, Settings, Sleeping, Stabilisation, budget};
pub use shape::{MassProperties, RayHit, Shape};
pub use signorini_problem::{Certificate, ContactProblem, Tolerance};
pub use signorini_solvers::{Method, StoppingRule};
pub use snapshot::Snapshot;
pub use step::{BlockOwner, MAX_TIME_STEP};
pub use world::World;
