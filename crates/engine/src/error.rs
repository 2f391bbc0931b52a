//! What can go wrong: bad input at the door, and a step that cannot be taken. In both cases the world is as before.

use crate::BodyId;
use crate::shape::ShapeError;
use signorini_problem::ProblemError;
use signorini_solvers::SolveError;
use thiserror::Error;

/// Why a world refused something. The world has not changed.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum WorldError {
    /// A number of a body is NaN, infinite or outside its range.
    #[error("{body}: {field} {value} is not in {range}")]
    BodyValue {
        /// The body.
        body: BodyId,
        /// Which number.
        field: &'static str,
        /// What it was.
        value: f64,
        /// What it may be.
        range: &'static str,
    },
    /// A number of the settings is NaN, infinite or outside its range.
    #[error("settings: {field} {value} is not in {range}")]
    Setting {
        /// Which number.
        field: &'static str,
        /// What it was.
        value: f64,
        /// What it may be.
        range: &'static str,
    },
    /// A number of a joint is NaN, infinite or outside its range.
    #[error("joint: {field} {value} is not in {range}")]
    JointValue {
        /// Which number.
        field: &'static str,
        /// What it was.
        value: f64,
        /// What it may be.
        range: &'static str,
    },
    /// A joint whose two ends are on the same body, or neither on a dynamic one, or that is already violated.
    #[error("joint: {why}")]
    Joint {
        /// What is wrong.
        why: &'static str,
    },
    /// The inertia is not that of any mass distribution.
    #[error("{body}: inertia {why} (principal moments {moments:?} kg·m²)")]
    Inertia {
        /// The body.
        body: BodyId,
        /// What is wrong.
        why: &'static str,
        /// Principal moments [kg·m²].
        moments: [f64; 3],
    },
    /// A dynamic body needs a shape with a mass: not a half-space, not an open surface.
    #[error("{body}: {source}")]
    Shape {
        /// The body.
        body: BodyId,
        /// What is wrong with the shape.
        source: ShapeError,
    },
    /// Two bodies with one identity.
    #[error("{body} exists already")]
    DuplicateId {
        /// The identity.
        body: BodyId,
    },
    /// The operation makes no sense for this kind of body, such as a force on a fixed one.
    #[error("{body}: cannot {operation} a {kind} body")]
    Kind {
        /// The body.
        body: BodyId,
        /// What was asked.
        operation: &'static str,
        /// What it is.
        kind: &'static str,
    },
    /// The handle's body or joint was removed.
    #[error("stale handle: slot {slot}, generation {generation} was removed")]
    StaleHandle {
        /// Slot.
        slot: u32,
        /// Generation.
        generation: u32,
    },
    /// The handle belongs to another world.
    #[error("the handle belongs to another world")]
    ForeignHandle,
}

/// Why a step was not taken. The world is as before, bit for bit.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum StepError {
    /// Negative, NaN, infinite or too long.
    #[error("time step {value} s is not in [0, {limit}]")]
    TimeStep {
        /// What it was.
        value: f64,
        /// The longest allowed.
        limit: f64,
    },
    /// A body would leave the range in which the arithmetic can be trusted.
    #[error("{body}: {quantity} {value} leaves its range (limit {limit}) in stage {stage}")]
    OutOfRange {
        /// The body.
        body: BodyId,
        /// What of it.
        quantity: &'static str,
        /// Its size.
        value: f64,
        /// Its limit.
        limit: f64,
        /// The stage that found it.
        stage: &'static str,
    },
    /// More contacts than [`crate::Settings::max_contacts`]. None is dropped.
    #[error("{found} contacts exceed the limit of {limit}")]
    TooManyContacts {
        /// Contacts found.
        found: usize,
        /// The limit.
        limit: usize,
    },
    /// The narrow phase could not treat a pair.
    #[error("{a} and {b}: {why}")]
    Collision {
        /// First body.
        a: BodyId,
        /// Second body.
        b: BodyId,
        /// What went wrong.
        why: String,
    },
    /// An island is not a valid contact problem.
    #[error("island {island}: {source}")]
    Problem {
        /// Island index.
        island: usize,
        /// What is wrong.
        source: ProblemError,
    },
    /// The chosen method does not treat an island.
    #[error("island {island}: {source}")]
    Solve {
        /// Island index.
        island: usize,
        /// What the method said.
        source: SolveError,
    },
}
