//! Options of a body besides shape, mass and motion. All are off by default.

use crate::body::{VectorField, check_vector};
use crate::filter::Filter;
use crate::shape::MassProperties;
use crate::{BodyId, WorldError};
use glamx::DVec3;

/// Greatest factor on gravity.
const MAX_SCALE: f64 = 1e6;
/// Greatest damping [1/s].
const MAX_DAMPING: f64 = 1e9;

const SURFACE_VELOCITY: VectorField =
    VectorField::new(["surface velocity x", "surface velocity y", "surface velocity z"], 1e8, "[-1e8, 1e8] m/s");
const SURFACE_ANGULAR_VELOCITY: VectorField = VectorField::new(
    ["surface angular velocity x", "surface angular velocity y", "surface angular velocity z"],
    1e8,
    "[-1e8, 1e8] rad/s",
);
const ONE_WAY: VectorField = VectorField::new(["one-way x", "one-way y", "one-way z"], 1e9, "[-1e9, 1e9]");

/// Motion of a body's surface relative to the body: a conveyor belt, a track, a turntable. Given in the frame of the
/// body; at a contact only the tangential part counts.
///
/// ```
/// use signorini::{Body, Settings, Shape, SurfaceMotion, World, glamx::DVec3};
/// let mut world = World::new(Settings::default())?;
/// let motion = SurfaceMotion { velocity: DVec3::X, angular_velocity: DVec3::ZERO };
/// let belt = world.add(Body::fixed(Shape::half_space(DVec3::Z)?).surface_motion(motion))?;
/// assert!(world.body(belt)?.surface_motion().runs());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SurfaceMotion {
    /// Velocity, the same everywhere [m/s].
    pub velocity: DVec3,
    /// Angular velocity about the origin of the body's frame [rad/s].
    pub angular_velocity: DVec3,
}

impl SurfaceMotion {
    /// Whether it is not zero.
    pub fn runs(&self) -> bool {
        self.velocity != DVec3::ZERO || self.angular_velocity != DVec3::ZERO
    }
}

/// The options as the world keeps them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Options {
    pub filter: Filter,
    /// Whether it is a sensor.
    pub sensor: bool,
    pub enabled: bool,
    pub gravity_scale: f64,
    /// v̇ = −c v [1/s].
    pub linear_damping: f64,
    /// ω̇ = −c ω [1/s].
    pub angular_damping: f64,
    /// Force in every step \[N\].
    pub force: DVec3,
    /// Torque in every step, about the centre of mass [N·m].
    pub torque: DVec3,
    pub user_data: u64,
    pub surface: SurfaceMotion,
    /// Unit vector in the frame of the body; bodies that move along it are let through.
    pub one_way: Option<DVec3>,
    /// Mass properties of a body that was dynamic and is not now.
    pub dormant: Option<MassProperties>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            filter: Filter::ALL,
            sensor: false,
            enabled: true,
            gravity_scale: 1.0,
            linear_damping: 0.0,
            angular_damping: 0.0,
            force: DVec3::ZERO,
            torque: DVec3::ZERO,
            user_data: 0,
            surface: SurfaceMotion::default(),
            one_way: None,
            dormant: None,
        }
    }
}

impl Options {
    /// Checks every number and normalises the direction.
    pub fn checked(mut self, id: &BodyId) -> Result<Self, WorldError> {
        let refuse = |field, value, range| Err(WorldError::BodyValue { body: id.clone(), field, value, range });
        if !(-MAX_SCALE..=MAX_SCALE).contains(&self.gravity_scale) {
            return refuse("gravity scale", self.gravity_scale, "[-1e6, 1e6]");
        }
        for (field, value) in [("linear damping", self.linear_damping), ("angular damping", self.angular_damping)] {
            if !(0.0..=MAX_DAMPING).contains(&value) {
                return refuse(field, value, "[0, 1e9] 1/s");
            }
        }
        check_vector(id, &crate::body::FORCE, self.force)?;
        check_vector(id, &crate::body::TORQUE, self.torque)?;
        check_vector(id, &SURFACE_VELOCITY, self.surface.velocity)?;
        check_vector(id, &SURFACE_ANGULAR_VELOCITY, self.surface.angular_velocity)?;
        if let Some(axis) = self.one_way {
            check_vector(id, &ONE_WAY, axis)?;
            match axis.try_normalize() {
                Some(unit) => self.one_way = Some(if (axis.length() - 1.0).abs() <= 1e-15 { axis } else { unit }),
                None => return refuse("length of one-way", axis.length(), "(0, 1e9]"),
            }
        }
        Ok(self)
    }

    pub fn is_damped(&self) -> bool {
        self.linear_damping > 0.0 || self.angular_damping > 0.0
    }
}
