//! Mass, centre and inertia in closed form; hulls by signed tetrahedra (exact for polyhedra).

use super::{Hull, Part, Primitive, rounded};
use crate::error::ShapeError;
#[cfg(feature = "scene")]
use glamx::DPose3;
use glamx::{DMat3, DSymmetricEigen3, DVec3};
use signorini_problem::math;
use std::f64::consts::PI;

/// What a rigid body needs to know about its shape, in the axes of the shape.
///
/// ```
/// use signorini::{Shape, glamx::DVec3};
/// // A cube of 1 m³ of water: m a²/6 about every axis.
/// let water = Shape::cuboid(DVec3::splat(0.5))?.mass_properties(1000.0)?;
/// assert!((water.mass - 1000.0).abs() < 1e-9 && (water.inertia.x_axis.x - 1000.0 / 6.0).abs() < 1e-9);
/// # Ok::<(), signorini::ShapeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Mass \[kg\].
    pub mass: f64,
    /// Centre of mass \[m\].
    pub centre: DVec3,
    /// Inertia about the centre of mass [kg·m²].
    pub inertia: DMat3,
}

/// Mass properties in the axes in which their own axes stand at `pose`.
#[cfg(feature = "scene")]
pub(crate) fn moved_mass(pose: &DPose3, properties: MassProperties) -> MassProperties {
    let turn = DMat3::from_quat(pose.rotation);
    let inertia = turn * properties.inertia * turn.transpose();
    MassProperties {
        mass: properties.mass,
        centre: pose.transform_point(properties.centre),
        inertia: (inertia + inertia.transpose()) * 0.5,
    }
}

/// Mass properties of several bodies as one: `c = Σ mᵢcᵢ / Σ mᵢ` and, by Steiner's theorem,
/// `I = Σ Iᵢ + mᵢ(|dᵢ|²·1 − dᵢdᵢᵀ)` with `dᵢ = cᵢ − c`. One alone stays as it is, bit for bit.
#[cfg(feature = "scene")]
pub(crate) fn joined_mass(parts: &[MassProperties]) -> Option<MassProperties> {
    if let [] | [_] = parts {
        return parts.first().copied();
    }
    let mass: f64 = parts.iter().map(|part| part.mass).sum();
    let centre = parts.iter().map(|part| part.centre * part.mass).sum::<DVec3>() / mass;
    let inertia = parts
        .iter()
        .fold(DMat3::ZERO, |sum, part| sum + part.inertia + point_inertia(part.centre - centre) * part.mass);
    Some(MassProperties { mass, centre, inertia })
}

/// Principal moments and axes, as columns, of an inertia. It is scaled to the order of one first, by a power of two: the
/// eigenvalue problem is solved with bounds that are absolute, and off by a tenth where moments are 1e-5 kg·m².
pub(crate) fn principal(inertia: DMat3) -> (DVec3, DMat3) {
    let size = inertia.to_cols_array().iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let exponent = if size > 0.0 && size.is_finite() { math::exponent(size).clamp(-1000, 1000) } else { 0 };
    let found = DSymmetricEigen3::new(inertia * math::powi(2.0, -exponent));
    (found.eigenvalues * math::powi(2.0, exponent), found.eigenvectors)
}

/// Volume \[m³\] of a solid primitive.
pub(crate) fn volume(primitive: &Primitive) -> Result<f64, ShapeError> {
    match primitive {
        Primitive::Sphere { radius } => Ok(4.0 / 3.0 * PI * math::powi(*radius, 3)),
        Primitive::Cuboid { half } => Ok(8.0 * half.x * half.y * half.z),
        Primitive::Ellipsoid { half } => Ok(4.0 / 3.0 * PI * half.x * half.y * half.z),
        Primitive::Capsule { half_height, radius } => {
            Ok(PI * radius * radius * (2.0 * half_height + 4.0 / 3.0 * radius))
        }
        Primitive::Cylinder { half_height, radius } => Ok(2.0 * PI * radius * radius * half_height),
        Primitive::Cone { half_height, radius } => Ok(2.0 / 3.0 * PI * radius * radius * half_height),
        Primitive::Hull(hull) => Ok(hull_volume(hull)),
        Primitive::RoundedCuboid { half, radius } => Ok(rounded::cuboid(*half, *radius).mass),
        Primitive::RoundedHull { hull, radius } => Ok(rounded::hull(hull, *radius).mass),
        Primitive::HalfSpace { .. } | Primitive::Mesh(_) => Err(ShapeError::NoMass { shape: primitive.name() }),
    }
}

/// Volume \[m³\] of a polyhedron.
pub(crate) fn hull_volume(hull: &Hull) -> f64 {
    tetrahedra(hull).map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum()
}

/// Sum over the parts at uniform density [kg/m³].
pub(crate) fn of_parts(parts: &[Part], density: f64) -> Result<MassProperties, ShapeError> {
    let mut solids = Vec::with_capacity(parts.len());
    let mut total = 0.0;
    for part in parts {
        let unit = part.mass.map_or_else(|| unit_density(&part.primitive), Ok)?;
        total += unit.mass;
        solids.push((part, unit));
    }
    let mass = density * total;
    if !(density > 0.0 && mass.is_finite() && mass >= f64::MIN_POSITIVE) {
        return Err(ShapeError::Mass { density, volume: total, mass });
    }
    let placed = |part: &Part, unit: &MassProperties| part.pose.transform_point(unit.centre);
    let centre = solids.iter().map(|(part, unit)| placed(part, unit) * (unit.mass / total)).sum::<DVec3>();
    let mut inertia = DMat3::ZERO;
    for (part, unit) in &solids {
        let turn = DMat3::from_quat(part.pose.rotation);
        inertia += turn * unit.inertia * turn.transpose() + point_inertia(placed(part, unit) - centre) * unit.mass;
    }
    // Exactly symmetric: the products above are so only to round-off.
    let inertia = (inertia + inertia.transpose()) * (0.5 * density);
    if !(0..3).all(|i| inertia.col(i).is_finite()) {
        return Err(ShapeError::Mass { density, volume: total, mass });
    }
    Ok(MassProperties { mass, centre, inertia })
}

/// Steiner's term: inertia of a unit mass at `r`.
fn point_inertia(r: DVec3) -> DMat3 {
    DMat3::from_diagonal(DVec3::splat(r.length_squared())) - outer(r, r)
}

pub(super) fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// Mass properties at 1 kg/m³ in the primitive's own axes.
fn unit_density(primitive: &Primitive) -> Result<MassProperties, ShapeError> {
    match primitive {
        Primitive::RoundedCuboid { half, radius } => return Ok(rounded::cuboid(*half, *radius)),
        Primitive::RoundedHull { hull, radius } => return Ok(rounded::hull(hull, *radius)),
        _ => {}
    }
    let mass = volume(primitive)?;
    let about_z = |transverse: f64, axial: f64| DMat3::from_diagonal(DVec3::new(transverse, transverse, axial));
    let (centre, inertia) = match primitive {
        Primitive::Sphere { radius } => (DVec3::ZERO, about_z(0.4 * radius * radius, 0.4 * radius * radius) * mass),
        Primitive::Cuboid { half } => {
            let s = *half * *half;
            (DVec3::ZERO, DMat3::from_diagonal(DVec3::new(s.y + s.z, s.z + s.x, s.x + s.y)) * (mass / 3.0))
        }
        Primitive::Ellipsoid { half } => {
            let s = *half * *half;
            (DVec3::ZERO, DMat3::from_diagonal(DVec3::new(s.y + s.z, s.z + s.x, s.x + s.y)) * (mass / 5.0))
        }
        Primitive::Capsule { half_height: h, radius: r } => {
            // Cylinder of height 2h plus two half balls whose centres of mass sit 3r/8 beyond the rims.
            let (shaft, balls) = (2.0 * PI * r * r * h, 4.0 / 3.0 * PI * math::powi(*r, 3));
            let axial = shaft * 0.5 * r * r + balls * 0.4 * r * r;
            let transverse = shaft * (r * r / 4.0 + h * h / 3.0) + balls * (0.4 * r * r + h * h + 0.75 * h * r);
            (DVec3::ZERO, about_z(transverse, axial))
        }
        Primitive::Cylinder { half_height: h, radius: r } => {
            (DVec3::ZERO, about_z(r * r / 4.0 + h * h / 3.0, r * r / 2.0) * mass)
        }
        Primitive::Cone { half_height: h, radius: r } => {
            // Height H = 2h, centre of mass H/4 above the base; about it 3/20 r² + 3/80 H² and 3/10 r².
            (DVec3::new(0.0, 0.0, -0.5 * h), about_z(0.15 * (r * r + h * h), 0.3 * r * r) * mass)
        }
        Primitive::Hull(hull) => {
            let whole = Moments::of_tetrahedra(hull.vertices[0], tetrahedra(hull)).properties();
            (whole.centre, whole.inertia)
        }
        Primitive::RoundedCuboid { .. }
        | Primitive::RoundedHull { .. }
        | Primitive::HalfSpace { .. }
        | Primitive::Mesh(_) => {
            return Err(ShapeError::NoMass { shape: primitive.name() });
        }
    };
    Ok(MassProperties { mass, centre, inertia })
}

/// Volume and first and second moments at 1 kg/m³ about a point near the solid (against cancellation far from the origin).
#[derive(Clone, Copy, Debug)]
pub(super) struct Moments {
    pub(super) about: DVec3,
    /// ∫ dV.
    pub(super) volume: f64,
    /// ∫ x dV.
    pub(super) first: DVec3,
    /// ∫ x xᵀ dV.
    pub(super) second: DMat3,
}

impl Moments {
    pub(super) fn zero(about: DVec3) -> Moments {
        Moments { about, volume: 0.0, first: DVec3::ZERO, second: DMat3::ZERO }
    }

    /// Of signed tetrahedra with one corner at `about` and the others from there:
    /// ∫x xᵀ over (0,a,b,c) is V/20 (Σ vᵢvᵢᵀ + s sᵀ), s = a+b+c. Exact for polyhedra.
    pub(super) fn of_tetrahedra(about: DVec3, tetrahedra: impl Iterator<Item = [DVec3; 3]>) -> Moments {
        let mut sum = Moments::zero(about);
        for [a, b, c] in tetrahedra {
            let v = a.dot(b.cross(c)) / 6.0;
            let s = a + b + c;
            sum.volume += v;
            sum.first += s * (v / 4.0);
            sum.second += (outer(a, a) + outer(b, b) + outer(c, c) + outer(s, s)) * (v / 20.0);
        }
        sum
    }

    pub(super) fn properties(&self) -> MassProperties {
        let centre = self.first / self.volume;
        let second = self.second - outer(centre, centre) * self.volume;
        let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
        let inertia = DMat3::from_diagonal(DVec3::splat(trace)) - second;
        MassProperties { mass: self.volume, centre: self.about + centre, inertia }
    }
}

/// Tetrahedra from the first vertex (against cancellation far from the origin) over a fan of each face.
pub(super) fn tetrahedra(hull: &Hull) -> impl Iterator<Item = [DVec3; 3]> + '_ {
    let origin = hull.vertices[0];
    hull.faces.iter().flat_map(move |face| {
        let polygon = hull.face_loop(face);
        let point = move |i: usize| hull.vertices[polygon[i] as usize] - origin;
        (1..polygon.len() - 1).map(move |i| [point(0), point(i), point(i + 1)])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Regression: the principal axes of a flat stone of 0.1 kg were those of the world. Checked for stones of all
    /// sizes.
    #[test]
    fn axes_of_small_and_large_bodies_are_those_of_their_inertia() {
        let inertia = DMat3::from_cols_array(&[
            3.613e-5, 2.595e-7, 1.57e-6, 2.595e-7, 3.375e-5, -2.664e-6, 1.57e-6, -2.664e-6, 5.987e-5,
        ]);
        for power in -30..30 {
            let scaled = inertia * math::powi(10.0, power);
            let (moments, axes) = principal(scaled);
            let back = axes * DMat3::from_diagonal(moments) * axes.transpose() - scaled;
            let off = back.to_cols_array().iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            assert!(off <= 1e-14 * moments.max_element(), "1e{power}: off by {off:e} of {moments}");
        }
    }
}
