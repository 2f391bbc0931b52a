//! Gears: one equation between coordinates of joints, `Σ f_i x_i = b`.
//!
//! A pair of wheels, a finger that follows another, a rack on its pinion, a screw and a differential are all of this form. The
//! equation is one row of the problem, with one impulse s: along coordinate i it is `f_i s`. So a gear does no work, whatever it
//! carries, since `Σ f_i s ẋ_i = 0`.
//!
//! Every joint has a row for each gear that it is part of (`rows`), whose impulse is bound to those of the others. So
//! the geometry of joints alone determines the effect of impulses on bodies. When a problem is assembled, the bound
//! rows become one row (`step/gears.rs`).

use crate::joint::Misfit;
use crate::joint::rows::{Measure, Purpose, RowLaw, RowSpec};
use crate::{JointHandle, WorldError};

/// Most coordinates that a gear ties.
pub const GEAR_LIMIT: usize = 8;
/// Greatest factor, least factor and greatest offset [1, m, rad]: those of anything that is built are far inside.
const MOST: f64 = 1e6;
const LEAST: f64 = 1e-6;
const FARTHEST: f64 = 1e10;

/// A coordinate in a gear.
///
/// ```
/// use signorini::{Body, Frame, Gear, Joint, Settings, Shape, World, glamx::DVec3};
/// let mut world = World::new(Settings::default())?;
/// let wheel = world.add(Body::dynamic(Shape::sphere(0.5)?))?;
/// let frame = Frame::along(DVec3::ZERO, DVec3::Z);
/// let screw = world.add_joint(Joint::cylindrical(wheel, frame, frame))?;
/// let thread = Gear::between((screw, 0), (screw, 1), 1e-3);
/// assert_eq!((thread.terms[1].coordinate, thread.terms[1].factor), (1, -1e-3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GearTerm {
    /// The joint.
    pub joint: JointHandle,
    /// Which of its free coordinates.
    pub coordinate: usize,
    /// Factor of the coordinate \[1, or a ratio of two units\].
    pub factor: f64,
}

/// A gear to be added to a world: coordinates x of joints [m, rad] keep `Σ factor·x = offset`.
///
/// ```
/// use signorini::{Body, Frame, Gear, Joint, Motor, Settings, Shape, World, glamx::DVec3};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut world = World::new(Settings { gravity: DVec3::ZERO, ..Settings::default() })?;
/// let mut wheel = |x: f64| -> Result<_, Box<dyn std::error::Error>> {
///     let body = world.add(Body::dynamic(Shape::sphere(0.2)?).mass(1.0).position(DVec3::new(x, 0.0, 0.0)))?;
///     let hinge = Joint::revolute(body, Frame::along(DVec3::ZERO, DVec3::Y), Frame::along(DVec3::new(x, 0.0, 0.0), DVec3::Y));
///     Ok(world.add_joint(hinge)?)
/// };
/// let (small, large) = (wheel(0.0)?, wheel(1.0)?);
/// // Wheels that mesh turn against each other: the small one three times as fast.
/// world.add_gear(Gear::between((small, 0), (large, 0), -3.0))?;
/// world.set_joint_coordinate(large, 0, signorini::Coordinate::free().motor(Motor::velocity(1.0, 5.0)))?;
/// for _ in 0..10 {
///     world.step(0.01)?;
/// }
/// assert!((world.joint_velocity(small)?[0] + 3.0).abs() < 1e-9);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Gear {
    /// The coordinates: at most [`GEAR_LIMIT`], none of them twice.
    pub terms: Vec<GearTerm>,
    /// Prescribed value of the sum [m, rad].
    pub offset: f64,
    /// What to do if the coordinates do not fit it when it is added.
    pub misfit: Misfit,
}

impl Gear {
    /// Coordinates with their factors, whose sum is zero.
    pub fn sum(terms: impl IntoIterator<Item = (JointHandle, usize, f64)>) -> Gear {
        let term = |(joint, coordinate, factor)| GearTerm { joint, coordinate, factor };
        Gear { terms: terms.into_iter().map(term).collect(), offset: 0.0, misfit: Misfit::default() }
    }
    /// The first coordinate is `ratio` times the second.
    pub fn between(first: (JointHandle, usize), second: (JointHandle, usize), ratio: f64) -> Gear {
        Gear::sum([(first.0, first.1, 1.0), (second.0, second.1, -ratio)])
    }
    /// Sets the prescribed sum [m, rad]; for two coordinates, the first minus `ratio` times the second.
    pub fn offset(self, offset: f64) -> Gear {
        Gear { offset, ..self }
    }
    /// What to do if the coordinates do not fit the gear when it is added.
    pub fn misfit(self, misfit: Misfit) -> Gear {
        Gear { misfit, ..self }
    }

    /// Refuses numbers that are out of range.
    pub(crate) fn check(&self) -> Result<(), WorldError> {
        if !(1..=GEAR_LIMIT).contains(&self.terms.len()) {
            return Err(WorldError::Length {
                what: "coordinates in a gear",
                found: self.terms.len(),
                wanted: GEAR_LIMIT,
            });
        }
        for (index, GearTerm { joint, coordinate, factor }) in self.terms.iter().enumerate() {
            if !(LEAST..=MOST).contains(&factor.abs()) {
                return Err(WorldError::GearFactor { index, value: *factor });
            }
            let same = |other: &GearTerm| (other.joint, other.coordinate) == (*joint, *coordinate);
            if self.terms[..index].iter().any(same) {
                return Err(WorldError::GearTerm { index, why: "this coordinate is in the gear already" });
            }
        }
        if !(-FARTHEST..=FARTHEST).contains(&self.offset) {
            let range = "[-1e10, 1e10]";
            return Err(WorldError::JointValue { field: "gear offset", value: self.offset, range });
        }
        Ok(())
    }
}

/// A coordinate in a gear, as the world keeps it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Geared {
    /// Slot of the joint.
    pub slot: u32,
    /// Which of the six coordinates.
    pub axis: usize,
    pub measure: Measure,
    /// The factor over the largest factor of the gear \[1\], so that the error of a gear is in the unit of that
    /// coordinate.
    pub factor: f64,
}

/// A gear of a world.
#[derive(Clone, Debug)]
pub(crate) struct GearRecord {
    pub gear: Gear,
    /// In the order of the joints, whatever the order in the gear.
    pub terms: Vec<Geared>,
    /// The offset over the largest factor [m, rad].
    pub offset: f64,
}

impl GearRecord {
    /// The coordinate with the largest factor.
    pub fn leading(&self) -> Option<&Geared> {
        self.terms.iter().find(|term| term.factor.abs() == 1.0)
    }
}

impl Geared {
    /// The row that the joint has for it.
    pub fn row(&self, gear: u32) -> RowSpec {
        let law = RowLaw::Geared { gear, factor: self.factor };
        RowSpec { measure: self.measure, law, purpose: Purpose::Gear, axis: self.axis, block: 0 }
    }
}
