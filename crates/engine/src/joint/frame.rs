//! Frames of a joint, and its two ends.

use crate::BodyHandle;
use crate::body::MAX_POSITION;
use crate::error::WorldError;
use glamx::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// Greatest error of the length of a quaternion that is taken for a rotation \[1\].
const UNIT: f64 = 1e-6;
/// What the parts of the frames are called in errors.
const POINT: [[&str; 3]; 2] = [["anchor a x", "anchor a y", "anchor a z"], ["anchor b x", "anchor b y", "anchor b z"]];
const AXES: [&str; 2] = ["length of axes a", "length of axes b"];

/// A frame of a joint, on a body (in the frame of the body) or in the world.
///
/// ```
/// use signorini::{Frame, glamx::DVec3};
/// // A point alone is a frame with the axes of its body.
/// assert_eq!(Frame::from(DVec3::X).point, DVec3::X);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Origin \[m\].
    pub point: DVec3,
    /// Orientation, a unit quaternion: hinges turn about its z axis, sliders slide along it.
    pub axes: DQuat,
}

impl Frame {
    /// A frame at a point whose z axis points along `axis` (of any length). The x axis is any one across it, the same for the
    /// same `axis`. A zero vector leaves the axes as they are.
    ///
    /// ```
    /// # use signorini::{Frame, glamx::DVec3};
    /// let frame = Frame::along(DVec3::ZERO, DVec3::new(0.0, 2.0, 0.0));
    /// assert!((frame.axes * DVec3::Z - DVec3::Y).length() < 1e-15);
    /// ```
    pub fn along(point: DVec3, axis: DVec3) -> Frame {
        let axes = axis.try_normalize().map_or(DQuat::IDENTITY, |z| DQuat::from_rotation_arc(DVec3::Z, z));
        Frame { point, axes }
    }
}

impl From<DVec3> for Frame {
    fn from(point: DVec3) -> Self {
        Frame { point, axes: DQuat::IDENTITY }
    }
}

impl From<(DVec3, DQuat)> for Frame {
    fn from((point, axes): (DVec3, DQuat)) -> Self {
        Frame { point, axes }
    }
}

/// The other end of a joint: a body or the world.
///
/// ```
/// use signorini::{Anchor, Frame, glamx::DVec3};
/// // A point of the world and a frame both convert to the world end of a joint.
/// assert_eq!(Anchor::from(DVec3::Z).body(), None);
/// assert_eq!(Anchor::from(Frame::along(DVec3::Z, DVec3::X)).frame().point, DVec3::Z);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Anchor {
    /// On a body, in its frame.
    Body(BodyHandle, Frame),
    /// In the world.
    World(Frame),
}

impl Anchor {
    /// The frame.
    pub fn frame(&self) -> Frame {
        match self {
            Anchor::Body(_, frame) | Anchor::World(frame) => *frame,
        }
    }
    /// The body, unless it is the world.
    pub fn body(&self) -> Option<BodyHandle> {
        if let Anchor::Body(body, _) = self { Some(*body) } else { None }
    }
}

impl From<(BodyHandle, DVec3)> for Anchor {
    fn from((body, point): (BodyHandle, DVec3)) -> Self {
        Anchor::Body(body, point.into())
    }
}

impl From<(BodyHandle, Frame)> for Anchor {
    fn from((body, frame): (BodyHandle, Frame)) -> Self {
        Anchor::Body(body, frame)
    }
}

impl From<DVec3> for Anchor {
    fn from(point: DVec3) -> Self {
        Anchor::World(point.into())
    }
}

impl From<Frame> for Anchor {
    fn from(frame: Frame) -> Self {
        Anchor::World(frame)
    }
}

/// Refuses a frame whose numbers are out of range; `side` is 0 for A and 1 for B.
pub(super) fn check(frame: &Frame, side: usize) -> Result<(), WorldError> {
    for (field, value) in POINT[side].into_iter().zip(frame.point.to_array()) {
        // A NaN fails every comparison.
        if !(-MAX_POSITION..=MAX_POSITION).contains(&value) {
            return Err(WorldError::JointValue { field, value, range: "[-1e10, 1e10] m" });
        }
    }
    let length = frame.axes.length();
    if !(1.0 - UNIT..=1.0 + UNIT).contains(&length) {
        return Err(WorldError::JointValue { field: AXES[side], value: length, range: "1 ± 1e-6" });
    }
    Ok(())
}

/// Whether adding a joint that does not fit its bodies is an error.
///
/// ```
/// use signorini::{Body, Joint, Misfit, Settings, Shape, World, WorldError, glamx::DVec3};
/// let mut world = World::new(Settings::default())?;
/// let ball = world.add(Body::dynamic(Shape::sphere(0.1)?))?;
/// // The hook is 1 mm away from the ball's centre.
/// let joint = Joint::ball(ball, DVec3::ZERO, DVec3::new(1e-3, 0.0, 0.0));
/// assert!(matches!(world.add_joint(joint), Err(WorldError::Misfit { .. })));
/// assert!(world.add_joint(joint.misfit(Misfit::Corrected)).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Misfit {
    /// It is refused with [`WorldError::Misfit`]; see [`crate::MISFIT`].
    #[default]
    Refused,
    /// It is added with its error, a fraction of which is removed in each step ([`crate::Settings::joint_correction`]).
    /// Until it fits, the certificate shows the error.
    Corrected,
}
