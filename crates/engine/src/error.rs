//! Errors of the engine: invalid shapes, invalid input to a world, and steps that cannot be taken. After an error the
//! world is unchanged.

use crate::BodyId;
use signorini_problem::ProblemError;
use signorini_solvers::SolveError;
use thiserror::Error;

/// Why a world refused something. The world has not changed.
///
/// ```
/// use signorini::{Body, Settings, Shape, World, WorldError};
/// let mut world = World::new(Settings::default())?;
/// let heavy = Body::dynamic(Shape::sphere(0.5)?).mass(f64::INFINITY);
/// assert!(matches!(world.add(heavy), Err(WorldError::BodyValue { field: "mass", .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
        /// The given value.
        value: f64,
        /// The allowed range.
        range: &'static str,
    },
    /// A number of the settings is NaN, infinite or outside its range.
    #[error("settings: {field} {value} is not in {range}")]
    Setting {
        /// Which number.
        field: &'static str,
        /// The given value.
        value: f64,
        /// The allowed range.
        range: &'static str,
    },
    /// A number of a joint is NaN, infinite or outside its range.
    #[error("joint: {field} {value:?} is not in {range}")]
    JointValue {
        /// Which number.
        field: &'static str,
        /// The given value.
        value: f64,
        /// The allowed range.
        range: &'static str,
    },
    /// The bodies of a joint are not where it would hold them; see [`crate::Misfit`] and [`crate::World::assemble`].
    #[error(
        "{kind} joint does not fit its bodies: off by {gap:?} m and {turn:?} rad, more than {limit:?}; move the anchors or bodies, or let it be put together (`Misfit::Corrected`)"
    )]
    Misfit {
        /// The kind of joint.
        kind: &'static str,
        /// Distance by which locked coordinates are off \[m\].
        gap: f64,
        /// Angle by which locked coordinates are off [rad].
        turn: f64,
        /// The largest error allowed [m, rad].
        limit: f64,
    },
    /// A factor of a gear that is zero, NaN, infinite or out of range.
    #[error("gear: factor {index} is {value:?}, not within 1e-6 and 1e6 or -1e6 and -1e-6")]
    GearFactor {
        /// Which coordinate of the gear.
        index: usize,
        /// The factor.
        value: f64,
    },
    /// A coordinate that cannot be in a gear.
    #[error("gear: coordinate {index}: {why}")]
    GearTerm {
        /// Which coordinate of the gear.
        index: usize,
        /// Why not.
        why: &'static str,
    },
    /// The coordinates of a gear are not where it would hold them; see [`crate::Misfit`] and
    /// [`crate::World::assemble`].
    #[error("the coordinates do not fit the gear: off by {off:e}, more than {limit:e}")]
    GearMisfit {
        /// Error of the coordinate with the largest factor [m, rad].
        off: f64,
        /// The largest error allowed [m, rad].
        limit: f64,
    },
    /// Joints that cannot all fit: see [`crate::World::assemble`].
    #[error("the joints cannot all fit: {left:e} m or rad are left")]
    Unassembled {
        /// Largest error that is left [m, rad].
        left: f64,
    },
    /// A joint whose two ends are on the same body, or neither on a dynamic one, or with an option that its kind cannot have.
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
    /// The handle's body or joint was removed, or made in another copy of the world or in a future that was taken back.
    #[error("stale handle: slot {slot}, generation {generation} was removed or never made here")]
    StaleHandle {
        /// Slot.
        slot: u32,
        /// Generation.
        generation: u32,
    },
    /// The handle belongs to another world.
    #[error("the handle belongs to another world")]
    ForeignHandle,
    /// A pair of a body and itself.
    #[error("a body does not touch itself")]
    Pair,
    /// A list of a robot with too few or too many numbers.
    #[error("{found} {what}; the robot has {wanted}")]
    Length {
        /// What the numbers are.
        what: &'static str,
        /// How many there were.
        found: usize,
        /// How many there should be.
        wanted: usize,
    },
    /// A number in a list of a robot that is NaN or infinite.
    #[error("{what}: number {index} is {value}")]
    Entry {
        /// What the numbers are.
        what: &'static str,
        /// Its place, from zero.
        index: usize,
        /// The given value.
        value: f64,
    },
}

/// Why a step was not taken. The world is as before, bit for bit.
///
/// ```
/// use signorini::{Settings, StepError, World};
/// let mut world = World::new(Settings::default())?;
/// assert!(matches!(world.step(-0.01), Err(StepError::TimeStep { .. })));
/// # Ok::<(), signorini::WorldError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum StepError {
    /// Negative, NaN, infinite or too long.
    #[error("time step {value} s is not in [0, {limit}]")]
    TimeStep {
        /// The given value.
        value: f64,
        /// The longest allowed.
        limit: f64,
    },
    /// A body would leave the range in which the arithmetic can be trusted. [`crate::World::step`] quarantines it instead.
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

/// Why a snapshot cannot be read or restored. The world, if there is one, has not changed.
///
/// ```
/// use signorini::{Snapshot, SnapshotError};
/// assert!(matches!(Snapshot::from_bytes(b"not a snapshot"), Err(SnapshotError::NotASnapshot)));
/// ```
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The bytes do not begin like a snapshot.
    #[error("not a snapshot")]
    NotASnapshot,
    /// Written by another version.
    #[error("snapshot of version {found}, this library reads version {supported}")]
    Version {
        /// Version of the bytes.
        found: u32,
        /// The version that can be read.
        supported: u32,
    },
    /// The bytes end too early, or a count promises more than there is.
    #[error("section {section}: {needed} bytes needed at offset {offset}, {left} left")]
    Truncated {
        /// Section.
        section: &'static str,
        /// Where in the section.
        offset: usize,
        /// What was to be read.
        needed: u64,
        /// What is there.
        left: usize,
    },
    /// Bytes were changed.
    #[error("section {section}: checksum does not match")]
    Checksum {
        /// Section.
        section: &'static str,
    },
    /// A section ends before its bytes do, or bytes follow the last one.
    #[error("section {section}: {count} bytes too many")]
    Excess {
        /// Section.
        section: &'static str,
        /// How many.
        count: usize,
    },
    /// Something that no world contains.
    #[error("section {section}, offset {offset}: {what}")]
    Invalid {
        /// Section.
        section: &'static str,
        /// Where in the section.
        offset: usize,
        /// What is wrong.
        what: &'static str,
    },
    /// A shape that cannot be.
    #[error("shape {index}: {source}")]
    Shape {
        /// Index in the list of shapes.
        index: usize,
        /// What is wrong with it.
        source: ShapeError,
    },
    /// A body, joint or setting that cannot be.
    #[error(transparent)]
    World(#[from] WorldError),
    /// Taken of a world that is neither this one nor a copy of it: make a new world of it instead.
    #[error("the snapshot is of another world")]
    OtherWorld,
}

/// Why a shape was refused. Nothing is built from a refused description.
///
/// ```
/// use signorini::{Shape, ShapeError};
/// assert!(matches!(Shape::sphere(-1.0), Err(ShapeError::NotPositive { .. })));
/// ```
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// A length must be positive and finite.
    #[error("{field} {value} is not a positive length")]
    NotPositive {
        /// Name of the length.
        field: &'static str,
        /// Its value \[m\].
        value: f64,
    },
    /// A number is NaN, infinite or too large to compute with.
    #[error("{field} {index}: {value} is not a finite number of usable size")]
    NotFinite {
        /// Name of the list or vector.
        field: &'static str,
        /// Index into it.
        index: usize,
        /// The offending component.
        value: f64,
    },
    /// A direction cannot be normalised.
    #[error("{field} has length {length}, not a direction")]
    NoDirection {
        /// Name of the vector.
        field: &'static str,
        /// Its length.
        length: f64,
    },
    /// A rotation is not a unit quaternion.
    #[error("part {index}: quaternion of norm {norm} is not a rotation")]
    NotARotation {
        /// Index of the part.
        index: usize,
        /// Norm of its quaternion.
        norm: f64,
    },
    /// Too few entries to make the shape.
    #[error("{field} has {found} entries, at least {needed} are needed")]
    TooFew {
        /// Name of the list.
        field: &'static str,
        /// Entries found.
        found: usize,
        /// Entries needed.
        needed: usize,
    },
    /// A limit on size was passed.
    #[error("{field} is {found}, the limit is {limit}")]
    Limit {
        /// What is limited.
        field: &'static str,
        /// What was asked for.
        found: usize,
        /// The limit.
        limit: usize,
    },
    /// All points lie in one point, line or plane: the hull has no volume.
    #[error("{points} points span no volume (thickness {thickness:e} m over a size of {size:e} m)")]
    NoVolume {
        /// Number of points given.
        points: usize,
        /// Extent across the flattest direction found \[m\].
        thickness: f64,
        /// Extent of the points \[m\].
        size: f64,
    },
    /// The hull was built, but an input point sticks out of it.
    #[error("point {index} lies {distance:e} m outside the hull built from it")]
    PointOutsideHull {
        /// Index of the point.
        index: usize,
        /// Distance outside \[m\].
        distance: f64,
    },
    /// The hull is not a closed convex surface.
    #[error("the hull of {points} points is not a closed convex surface: {reason}")]
    BadHull {
        /// Number of points given.
        points: usize,
        /// What is wrong.
        reason: &'static str,
    },
    /// A triangle names a vertex that does not exist.
    #[error("triangle {triangle}: vertex {index} does not exist, there are {vertices}")]
    IndexOutOfRange {
        /// Triangle index.
        triangle: usize,
        /// The vertex it names.
        index: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// No triangle of positive area is left.
    #[error("all {found} triangles of the mesh are degenerate")]
    OnlyDegenerateTriangles {
        /// Triangles given.
        found: usize,
    },
    /// Two sizes disagree.
    #[error("{field} has {found} entries, expected {expected}")]
    Size {
        /// Name of the list.
        field: &'static str,
        /// Entries found.
        found: usize,
        /// Entries expected.
        expected: usize,
    },
    /// The shape bounds no finite volume, so it has no mass.
    #[error("a {shape} has no volume and can only belong to a fixed body")]
    NoMass {
        /// Name of the shape.
        shape: &'static str,
    },
    /// The surface of a solid has a hole, or triangles that disagree on which side is outside.
    #[error("the surface is not closed: the edge between vertices {} and {} of triangle {triangle} is not walked once each way", .vertices[0], .vertices[1])]
    NotClosed {
        /// A triangle at that edge.
        triangle: usize,
        /// Ends of the edge.
        vertices: [usize; 2],
    },
    /// The surface of a solid encloses nothing, or its triangles go round the wrong way.
    #[error("the surface encloses a volume of {volume} m³: triangles go counter-clockwise seen from outside")]
    InsideOut {
        /// The signed volume \[m³\].
        volume: f64,
    },
    /// The mass of the shape is not a usable number.
    #[error("density {density} and volume {volume} give the mass {mass}")]
    Mass {
        /// Density [kg/m³].
        density: f64,
        /// Volume \[m³\].
        volume: f64,
        /// Product \[kg\].
        mass: f64,
    },
}
