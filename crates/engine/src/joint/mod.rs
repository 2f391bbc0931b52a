//! Joints between two bodies, or between a body and the world.
//!
//! This file, `kind`, `frame` and `coordinate` (limits, motors, springs) are what a user describes. Two files turn a
//! joint into rows of the contact problem: `rows` lists its rows and their laws, and `geometry` computes what they
//! measure at given poses. The stages of a step iterate over rows and do not know kinds.
//!
//! | row | law | compliance c | bias b on the velocity |
//! |---|---|---|---|
//! | locked coordinate | `u = 0` | 0 | 0 |
//! | limit, restitution e | `0 ≤ r ⊥ u ≥ 0` | 0 | gap/h while it is open, e times the rate before when it is hit |
//! | velocity motor, target w, force F | `\|r\| ≤ hF` | 0 | −w |
//! | dry friction F | `\|r\| ≤ hF` | 0 | 0 |
//! | spring k, damper d, rest x₀ | `u = 0` | 1/(h²k + hd) | k(x − x₀)/(hk + d) |
//! | servo k, d, target x₀, ẋ₀, force F | `\|r\| ≤ hF` | 1/(h²k + hd) | (k(x − x₀) − dẋ₀)/(hk + d) |
//! | rotor I | `u = 0` | 1/I | −ẋ before the step |
//! | gear over several joints | `Σ f_i u_i = 0` | 0 | 0 |
//!
//! with `u = ẋ⁺ + c r + b`. Springs and servos are backward Euler in their coordinate: no stiffness is too large.

mod assemble;
mod coordinate;
mod frame;
pub(crate) mod gear;
mod gear_world;
pub(crate) mod geometry;
mod kind;
mod read_out;
mod record;
pub(crate) mod rows;
mod world;

#[cfg(feature = "scene")]
pub(crate) use coordinate::MAX_VALUE;
pub use coordinate::{Coordinate, Motor, Spring};
pub use frame::{Anchor, Frame, Misfit};
pub(crate) use gear::GearRecord;
pub use gear::{GEAR_LIMIT, Gear, GearTerm};
pub use kind::JointKind;
pub use read_out::{CoordinateForces, JointEvent, JointForces};
pub(crate) use record::JointRecord;

use crate::{BodyHandle, WorldError};

/// Greatest length of a joint \[m\]: larger than the distance of any two positions.
const MAX_LENGTH: f64 = 1e11;
/// Greatest error that a joint may have when it is added [m, rad]. Errors up to this are removed within one step,
/// larger ones by a fraction per step.
pub const MISFIT: f64 = 1e-6;
/// A larger error existed before the step, because rounds leave less [m, rad]. The step then holds the joint with its
/// error, and the error is removed from the poses, not by velocities.
pub(crate) const OLD_ERROR: f64 = 1e-8;

/// Whether jointed bodies may touch.
///
/// ```
/// use signorini::{Body, Joint, PairContact, Settings, Shape, World, glamx::DVec3};
/// let mut world = World::new(Settings::default())?;
/// let ball = world.add(Body::dynamic(Shape::sphere(0.1)?))?;
/// let joint = Joint::ball(ball, DVec3::ZERO, DVec3::ZERO).contact(PairContact::Kept);
/// assert_eq!(joint.contact, PairContact::Kept);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PairContact {
    /// The two bodies do not collide: their shapes usually overlap at the joint.
    #[default]
    Ignored,
    /// They collide like any two bodies.
    Kept,
}

/// A joint to be added to a world.
///
/// Coordinates are the pose of the body's frame in the frame of the other end: first x, y, z, then rotations about
/// them, as many as `kind` leaves free. Each is zero if the two frames coincide, and grows as the body moves along, or
/// turns about, the axis of the other end. `docs/joints.md` lists them.
///
/// ```
/// use signorini::{Body, Frame, Joint, Motor, Settings, Shape, World, glamx::DVec3};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut world = World::new(Settings { gravity: DVec3::ZERO, ..Settings::default() })?;
/// let wheel = world.add(Body::dynamic(Shape::sphere(0.5)?).mass(1.0))?;
/// // A hinge about the y axis of the world.
/// let hinge = Frame::along(DVec3::ZERO, DVec3::Y);
/// let joint = world.add_joint(Joint::revolute(wheel, hinge, hinge).motor(Motor::velocity(2.0, 5.0)))?;
/// for _ in 0..100 {
///     world.step(0.01)?;
/// }
/// assert!((world.joint_velocity(joint)?[0] - 2.0).abs() < 1e-9);
/// assert!((world.body(wheel)?.angular_velocity().y - 2.0).abs() < 1e-9);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Joint {
    /// Kind: which coordinates are free.
    pub kind: JointKind,
    /// The body, and the frame on it.
    pub a: (BodyHandle, Frame),
    /// The other end: a body or the world.
    pub b: Anchor,
    /// Limits, motors and so on of each of the six coordinates; a rope uses the first. Locked ones have none.
    pub coordinates: [Coordinate; 6],
    /// Whether the two bodies may touch.
    pub contact: PairContact,
    /// What to do if it does not fit its bodies when it is added.
    pub misfit: Misfit,
    /// Constraint force at which it breaks \[N\].
    pub break_force: f64,
    /// Constraint torque at which it breaks [N·m].
    pub break_torque: f64,
    /// An option that a joint of its kind cannot have.
    misused: Option<&'static str>,
}

impl Joint {
    fn new(kind: JointKind, body: BodyHandle, frame: impl Into<Frame>, other: impl Into<Anchor>) -> Self {
        Joint {
            kind,
            a: (body, frame.into()),
            b: other.into(),
            coordinates: [Coordinate::default(); 6],
            contact: PairContact::default(),
            misfit: Misfit::default(),
            break_force: f64::INFINITY,
            break_torque: f64::INFINITY,
            misused: None,
        }
    }
    /// A joint of any kind.
    pub fn of(kind: JointKind, body: BodyHandle, frame: impl Into<Frame>, other: impl Into<Anchor>) -> Self {
        Joint::new(kind, body, frame, other)
    }
    /// Keeps the anchors `length` \[m\] apart.
    pub fn distance(body: BodyHandle, frame: impl Into<Frame>, other: impl Into<Anchor>, length: f64) -> Self {
        Joint::new(JointKind::Distance { length }, body, frame, other)
    }
    /// Keeps the anchors at most `length` \[m\] apart. Its coordinate is their distance.
    pub fn rope(body: BodyHandle, frame: impl Into<Frame>, other: impl Into<Anchor>, length: f64) -> Self {
        Joint::new(JointKind::Rope { length }, body, frame, other)
    }
    /// Keeps the anchors together.
    pub fn ball(body: BodyHandle, frame: impl Into<Frame>, other: impl Into<Anchor>) -> Self {
        Joint::new(JointKind::Ball, body, frame, other)
    }
    /// Keeps the anchors together, and the relative orientation as it is when the joint is added; the axes of the
    /// frames are not used.
    pub fn fixed(body: BodyHandle, frame: impl Into<Frame>, other: impl Into<Anchor>) -> Self {
        Joint::new(JointKind::Fixed, body, frame, other)
    }
    /// A hinge about the z axis of the frames.
    pub fn revolute(body: BodyHandle, frame: impl Into<Frame>, other: impl Into<Anchor>) -> Self {
        Joint::new(JointKind::Revolute, body, frame, other)
    }
    /// A slider along the z axis of the frames.
    pub fn prismatic(body: BodyHandle, frame: impl Into<Frame>, other: impl Into<Anchor>) -> Self {
        Joint::new(JointKind::Prismatic, body, frame, other)
    }
    /// Slides along and turns about the z axis of the frames.
    pub fn cylindrical(body: BodyHandle, frame: impl Into<Frame>, other: impl Into<Anchor>) -> Self {
        Joint::new(JointKind::Cylindrical, body, frame, other)
    }
    /// A cross, whose arms are the x axis of the other frame and the y axis of that on the body.
    pub fn universal(body: BodyHandle, frame: impl Into<Frame>, other: impl Into<Anchor>) -> Self {
        Joint::new(JointKind::Universal, body, frame, other)
    }
    /// Keeps the anchors together, and tells the rotation by swing, turn and twist.
    ///
    /// ```
    /// use signorini::{Body, Frame, Joint, Settings, Shape, World, glamx::DVec3};
    /// let mut world = World::new(Settings::default())?;
    /// let arm = world.add(Body::dynamic(Shape::sphere(0.1)?).position(DVec3::NEG_Z))?;
    /// let down = |point| Frame::along(point, DVec3::NEG_Z);
    /// // An arm that hangs from a shoulder: within 60° of the plumb line, and a quarter of a turn about itself.
    /// let shoulder = Joint::swing_twist(arm, down(DVec3::Z), down(DVec3::ZERO)).swing(1.05).twist(-0.8, 0.8);
    /// let shoulder = world.add_joint(shoulder)?;
    /// assert!(world.joint_position(shoulder)?.iter().all(|angle| angle.abs() < 1e-12));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn swing_twist(body: BodyHandle, frame: impl Into<Frame>, other: impl Into<Anchor>) -> Self {
        Joint::new(JointKind::SwingTwist, body, frame, other)
    }
    /// Keeps the body's point in the x-y plane of the other frame; it turns about the z axis.
    pub fn planar(body: BodyHandle, frame: impl Into<Frame>, other: impl Into<Anchor>) -> Self {
        Joint::new(JointKind::Planar, body, frame, other)
    }
    /// A joint whose six coordinates are given one by one.
    pub fn generic(
        body: BodyHandle,
        frame: impl Into<Frame>,
        other: impl Into<Anchor>,
        coordinates: [Coordinate; 6],
    ) -> Self {
        Joint { coordinates, ..Joint::new(JointKind::Generic, body, frame, other) }
    }

    /// Whether the two bodies may collide.
    pub fn contact(self, contact: PairContact) -> Self {
        Joint { contact, ..self }
    }
    /// What to do if the joint does not fit its bodies when it is added.
    pub fn misfit(self, misfit: Misfit) -> Self {
        Joint { misfit, ..self }
    }
    /// Breaks when the locked coordinates take more than this force \[N\].
    pub fn break_force(self, force: f64) -> Self {
        Joint { break_force: force, ..self }
    }
    /// Breaks when the locked coordinates take more than this torque [N·m].
    pub fn break_torque(self, torque: f64) -> Self {
        Joint { break_torque: torque, ..self }
    }

    /// Sets the free coordinate with this index, counted among the free ones of the kind.
    pub fn with(mut self, place: usize, coordinate: Coordinate) -> Self {
        let axis = self.free_axes().nth(place);
        match axis {
            Some(axis) => self.coordinates[axis] = coordinate,
            None => self.misused = Some("there is no such coordinate"),
        }
        self
    }
    /// Keeps the z axis of a swing-twist joint on the body within a cone about that on the other end \[rad\].
    pub fn swing(self, most: f64) -> Self {
        self.bounded(0, 0.0, most)
    }
    /// Keeps the angle of the whole rotation of a swing-twist joint below this \[rad\].
    pub fn turn(self, most: f64) -> Self {
        self.bounded(1, 0.0, most)
    }
    /// Keeps the angle of a swing-twist joint about the z axis within [rad].
    pub fn twist(self, lo: f64, hi: f64) -> Self {
        self.bounded(2, lo, hi)
    }
    fn bounded(mut self, place: usize, lo: f64, hi: f64) -> Self {
        if self.kind.swings() {
            self.coordinates[3 + place] = self.coordinates[3 + place].limits(lo, hi);
        } else {
            self.misused = Some("swing, turn and twist are coordinates of swing-twist joints");
        }
        self
    }
    /// Changes the only free coordinate.
    fn only(mut self, change: impl FnOnce(Coordinate) -> Coordinate) -> Self {
        let mut free = self.free_axes();
        match (free.next(), free.next()) {
            (Some(axis), None) => self.coordinates[axis] = change(self.coordinates[axis]),
            _ => self.misused = Some("options of a coordinate need a kind with exactly one; use `with` for others"),
        }
        self
    }
    /// Keeps the coordinate within [m, rad].
    pub fn limits(self, lo: f64, hi: f64) -> Self {
        self.only(|c| c.limits(lo, hi))
    }
    /// Lets the coordinate bounce off its limits with a share of the speed \[1\].
    pub fn restitution(self, share: f64) -> Self {
        self.only(|c| c.restitution(share))
    }
    /// Dry friction along the coordinate [N, N·m].
    pub fn friction(self, force: f64) -> Self {
        self.only(|c| c.friction(force))
    }
    /// Drives the coordinate.
    pub fn motor(self, motor: Motor) -> Self {
        self.only(|c| c.motor(motor))
    }
    /// Pulls the coordinate to `target` [m, rad] like a spring with a damper, with at most a force [N, N·m].
    pub fn servo(self, stiffness: f64, damping: f64, target: f64, max_force: f64) -> Self {
        self.motor(Motor::servo(stiffness, damping, target, max_force))
    }
    /// A spring with a damper along the coordinate, slack at `rest` [m, rad].
    pub fn spring(self, stiffness: f64, damping: f64, rest: f64) -> Self {
        self.only(|c| c.spring(stiffness, damping, rest))
    }
    /// Viscous damping of the coordinate [N·s/m, N·m·s/rad].
    pub fn damping(self, damping: f64) -> Self {
        self.only(|c| c.damping(damping))
    }
    /// Inertia of a rotor that turns with the coordinate [kg, kg·m²].
    pub fn armature(self, inertia: f64) -> Self {
        self.only(|c| c.armature(inertia))
    }

    /// Free coordinates, by their places among the six.
    pub(crate) fn free_axes(&self) -> impl Iterator<Item = usize> + use<> {
        self.kind.free(&self.coordinates)
    }

    /// The coordinates that are free, in their order.
    pub fn free_coordinates(&self) -> impl Iterator<Item = Coordinate> {
        self.free_axes().map(|axis| self.coordinates[axis])
    }

    pub(crate) fn check(&self) -> Result<(), WorldError> {
        if let Some(why) = self.misused {
            return Err(WorldError::Joint { why });
        }
        if let Some(length) = self.kind.length()
            && !(f64::MIN_POSITIVE..=MAX_LENGTH).contains(&length)
        {
            return Err(WorldError::JointValue { field: "length", value: length, range: "(0, 1e11] m" });
        }
        frame::check(&self.a.1, 0)?;
        frame::check(&self.b.frame(), 1)?;
        for (field, value) in [("break force", self.break_force), ("break torque", self.break_torque)] {
            if !(0.0..=f64::INFINITY).contains(&value) || value == 0.0 {
                return Err(WorldError::JointValue { field, value, range: "(0, ∞]" });
            }
        }
        let free: Vec<usize> = self.free_axes().collect();
        for (axis, coordinate) in self.coordinates.iter().enumerate() {
            coordinate.check()?;
            if !free.contains(&axis) && !coordinate.is_plain() {
                return Err(WorldError::Joint { why: "a locked coordinate cannot have limits, friction or drives" });
            }
            if self.kind.is_size(axis) && !coordinate.is_bound() {
                return Err(WorldError::Joint { why: "swing and turn have a limit above zero and nothing else" });
            }
        }
        Ok(())
    }
}
