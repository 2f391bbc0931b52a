//! Shapes (first form: sphere, cuboid and half-space).
use glamx::{DMat3, DPose3, DVec3};
use thiserror::Error;
/// Why a shape was refused.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{field} {value}")]
pub struct ShapeError { /// f
 pub field: &'static str, /// v
 pub value: f64 }
/// Mass properties.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties { /// kg
 pub mass: f64, /// m
 pub centre: DVec3, /// kg m2
 pub inertia: DMat3 }
/// Box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb { /// m
 pub min: DVec3, /// m
 pub max: DVec3 }
impl Aabb { /// Grown.
 pub fn inflated(self, m: f64) -> Aabb { Aabb { min: self.min - DVec3::splat(m), max: self.max + DVec3::splat(m) } } }
/// A shape.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Shape { Sphere(f64), Cuboid(DVec3), HalfSpace(DVec3) }
#[allow(missing_docs)]
impl Shape {
    pub fn sphere(r: f64) -> Result<Shape, ShapeError> { if r > 0.0 { Ok(Shape::Sphere(r)) } else { Err(ShapeError { field: "radius", value: r }) } }
    pub fn cuboid(h: DVec3) -> Result<Shape, ShapeError> { if h.min_element() > 0.0 { Ok(Shape::Cuboid(h)) } else { Err(ShapeError { field: "half extent", value: h.x }) } }
    pub fn half_space(n: DVec3) -> Result<Shape, ShapeError> { Ok(Shape::HalfSpace(n.normalize())) }
    pub fn is_bounded(&self) -> bool { !matches!(self, Shape::HalfSpace(_)) }
    pub fn mass_properties(&self, density: f64) -> Result<MassProperties, ShapeError> {
        match self {
            Shape::Sphere(r) => { let m = density * 4.0 / 3.0 * std::f64::consts::PI * r * r * r; Ok(MassProperties { mass: m, centre: DVec3::ZERO, inertia: DMat3::from_diagonal(DVec3::splat(0.4 * m * r * r)) }) }
            Shape::Cuboid(h) => { let m = density * 8.0 * h.x * h.y * h.z; let s = *h * *h; Ok(MassProperties { mass: m, centre: DVec3::ZERO, inertia: DMat3::from_diagonal(DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y) * (m / 3.0)) }) }
            Shape::HalfSpace(_) => Err(ShapeError { field: "mass", value: 0.0 }),
        }
    }
    pub fn aabb(&self, pose: &DPose3) -> Aabb {
        let h = match self { Shape::Sphere(r) => DVec3::splat(*r), Shape::Cuboid(h) => { let m = DMat3::from_quat(pose.rotation); m.x_axis.abs() * h.x + m.y_axis.abs() * h.y + m.z_axis.abs() * h.z } Shape::HalfSpace(_) => DVec3::splat(f64::INFINITY) };
        Aabb { min: pose.translation - h, max: pose.translation + h }
    }
}
