//! Mass, centre of mass and inertia of a body: their sources, validation, and inverses.

use super::{CENTRE, MAX_MASS, MIN_MASS, MassSource, check_vector};
use crate::shape::{MassProperties, Shape, principal};
use crate::{BodyId, WorldError};
use glamx::{DMat3, DVec3};

/// Relative round-off allowed in a given inertia.
const INERTIA_TOLERANCE: f64 = 1e-9;

/// Least ratio of two principal moments \[1\]: that of a rod a million times as long as thick. An inverse inertia turned to
/// the axes of the world has round-off of 1e-16 of its largest entry; below 1e-15 that exceeds its smallest, and the
/// inverse mass at a contact may come out negative.
const MIN_MOMENT_RATIO: f64 = 1e-12;

/// Density of bodies that are given neither mass nor density [kg/m³]: water.
pub(super) const DEFAULT_DENSITY: f64 = 1000.0;

/// Mass properties with their inverses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Inertial {
    /// \[kg\]; infinite for bodies that no impulse moves.
    pub mass: f64,
    /// [1/kg].
    pub inverse_mass: f64,
    /// Centre of mass in the body's frame \[m\].
    pub centre: DVec3,
    /// About the centre, in the body's axes [kg·m²].
    pub inertia: DMat3,
    /// [1/(kg·m²)].
    pub inverse_inertia: DMat3,
    /// Principal axes as columns, right-handed, in the body's axes.
    pub axes: DMat3,
    /// Principal moments [kg·m²].
    pub moments: DVec3,
    /// Whether the inertia is the same about every axis: no gyroscopic effects.
    pub isotropic: bool,
}

impl Inertial {
    pub(crate) const IMMOVABLE: Inertial = Inertial {
        mass: f64::INFINITY,
        inverse_mass: 0.0,
        centre: DVec3::ZERO,
        inertia: DMat3::ZERO,
        inverse_inertia: DMat3::ZERO,
        axes: DMat3::IDENTITY,
        moments: DVec3::ZERO,
        isotropic: true,
    };

    pub(crate) fn new(id: &BodyId, properties: MassProperties) -> Result<Self, WorldError> {
        let MassProperties { mass, centre, inertia } = properties;
        check_mass(id, mass)?;
        check_vector(id, &CENTRE, centre)?;
        let refuse = |why, moments: DVec3| WorldError::Inertia { body: id.clone(), why, moments: moments.to_array() };
        let diagonal = DVec3::new(inertia.x_axis.x, inertia.y_axis.y, inertia.z_axis.z);
        if !inertia.is_finite() {
            return Err(refuse("is not finite", diagonal));
        }
        let size = inertia.to_cols_array().iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let skew = (inertia - inertia.transpose()).to_cols_array().iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        if skew > INERTIA_TOLERANCE * size {
            return Err(refuse("is not symmetric", diagonal));
        }
        let inertia = (inertia + inertia.transpose()) * 0.5;
        let (moments, axes) = principal(inertia);
        let (least, greatest) = (moments.min_element(), moments.max_element());
        if least.is_nan() || least <= 0.0 {
            return Err(refuse("is not positive definite", moments));
        }
        if least < MIN_MOMENT_RATIO * greatest {
            return Err(refuse("has moments of a ratio below 1e-12", moments));
        }
        // No mass distribution has a principal moment greater than the sum of the other two.
        if 2.0 * greatest > moments.element_sum() * (1.0 + INERTIA_TOLERANCE) {
            return Err(refuse("breaks the triangle inequality", moments));
        }
        let inverse = inertia.inverse();
        if !inverse.is_finite() {
            return Err(refuse("has no inverse", moments));
        }
        Ok(Inertial {
            mass,
            inverse_mass: 1.0 / mass,
            centre,
            inertia,
            inverse_inertia: (inverse + inverse.transpose()) * 0.5,
            axes: right_handed(axes),
            moments,
            isotropic: greatest - least <= 1e-14 * greatest,
        })
    }
}

/// Eigenvectors come with either sign.
fn right_handed(axes: DMat3) -> DMat3 {
    if axes.determinant() < 0.0 { DMat3::from_cols(axes.x_axis, axes.y_axis, -axes.z_axis) } else { axes }
}

pub(super) fn dynamic_mass(id: &BodyId, shape: &Shape, source: MassSource) -> Result<MassProperties, WorldError> {
    let of_density =
        |density| shape.mass_properties(density).map_err(|source| WorldError::Shape { body: id.clone(), source });
    match source {
        MassSource::Given(properties) => Ok(properties),
        MassSource::Density(density) => {
            if !(density.is_finite() && density > 0.0) {
                let range = "(0, ∞)";
                return Err(WorldError::BodyValue { body: id.clone(), field: "density", value: density, range });
            }
            of_density(density)
        }
        MassSource::Mass(mass) => evenly(id, shape, mass),
    }
}

/// A mass \[kg\] spread evenly over a shape.
pub(crate) fn evenly(id: &BodyId, shape: &Shape, mass: f64) -> Result<MassProperties, WorldError> {
    check_mass(id, mass)?;
    let unit = shape.mass_properties(1.0).map_err(|source| WorldError::Shape { body: id.clone(), source })?;
    Ok(MassProperties { mass, centre: unit.centre, inertia: unit.inertia * (mass / unit.mass) })
}

/// The default mass of a shape.
pub(crate) fn mass_of_water(id: &BodyId, shape: &Shape) -> Result<MassProperties, WorldError> {
    dynamic_mass(id, shape, MassSource::Density(DEFAULT_DENSITY))
}

fn check_mass(id: &BodyId, mass: f64) -> Result<(), WorldError> {
    if (MIN_MASS..=MAX_MASS).contains(&mass) {
        return Ok(());
    }
    Err(WorldError::BodyValue { body: id.clone(), field: "mass", value: mass, range: "[1e-12, 1e12] kg" })
}
