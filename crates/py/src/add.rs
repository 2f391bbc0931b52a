//! Converts the arguments of `World.add` and `World.add_joint` to a body and a joint.

use crate::argument::{quaternion, vector_or, wrong_type};
use crate::body::{body_kind, id_of, joint_kind};
use crate::shape::{Material, Shape};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use signorini::glamx::{DMat3, DVec3};
use signorini::{Anchor, BodyHandle, BodyId, Frame, Kind, MassProperties, Misfit, Motor, PairContact};

type Given<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// Keywords of `World.add`.
pub struct BodyArguments<'a, 'py> {
    pub shape: &'a Bound<'py, PyAny>,
    pub kind: &'a str,
    pub name: Given<'a, 'py>,
    pub mass: Option<f64>,
    pub density: Option<f64>,
    pub inertia: Given<'a, 'py>,
    pub centre: Given<'a, 'py>,
    pub position: Given<'a, 'py>,
    pub orientation: Given<'a, 'py>,
    pub velocity: Given<'a, 'py>,
    pub angular_velocity: Given<'a, 'py>,
    pub material: Option<Material>,
    pub friction: Option<f64>,
    pub restitution: Option<f64>,
    pub fast: bool,
}

impl BodyArguments<'_, '_> {
    pub fn body(self) -> PyResult<signorini::Body> {
        let BodyArguments { shape, kind, name, mass, density, inertia, centre, .. } = self;
        let shape = shape.cast::<Shape>().map_err(|_| wrong_type("shape", "a Shape", shape))?.get().0.clone();
        let mut body = match body_kind(kind)? {
            Kind::Dynamic => signorini::Body::dynamic(shape),
            Kind::Kinematic => signorini::Body::kinematic(shape),
            Kind::Fixed => signorini::Body::fixed(shape),
        };
        if let Some(name) = name {
            body = match id_of(name)? {
                BodyId::Number(number) => body.numbered(number),
                BodyId::Name(name) => body.named(&name),
                BodyId::Automatic(_) => body,
            };
        }
        body = match (mass, density, inertia) {
            (Some(_), Some(_), _) => {
                return Err(PyValueError::new_err("density: give the mass or the density, not both"));
            }
            (Some(mass), None, Some(inertia)) => {
                let rows = crate::argument::rows::<3>("inertia", inertia)?;
                let [x, y, z] = rows[..] else {
                    return Err(crate::argument::wrong_shape("inertia", "[3, 3]", &[rows.len(), 3]));
                };
                // Rows into columns: a valid inertia is symmetric, and one that is not is refused either way.
                let inertia = DMat3::from_cols_array_2d(&[x, y, z]);
                body.mass_properties(MassProperties {
                    mass,
                    centre: vector_or("centre", centre, DVec3::ZERO)?,
                    inertia,
                })
            }
            (None, _, Some(_)) => return Err(PyValueError::new_err("inertia: needs the mass as well")),
            (_, _, None) if centre.is_some() => return Err(PyValueError::new_err("centre: needs the inertia as well")),
            (Some(mass), None, None) => body.mass(mass),
            (None, Some(density), None) => body.density(density),
            (None, None, None) => body,
        };
        if let Some(orientation) = self.orientation {
            body = body.orientation(quaternion("orientation", orientation)?);
        }
        if self.fast {
            body = body.fast();
        }
        let mut surface = self.material.map_or_else(signorini::Material::default, |material| material.0);
        surface.friction = self.friction.unwrap_or(surface.friction);
        surface.restitution = self.restitution.unwrap_or(surface.restitution);
        Ok(body
            .material(surface)
            .position(vector_or("position", self.position, DVec3::ZERO)?)
            .velocity(vector_or("velocity", self.velocity, DVec3::ZERO)?)
            .angular_velocity(vector_or("angular_velocity", self.angular_velocity, DVec3::ZERO)?))
    }
}

/// Keywords of `World.add_joint`.
pub struct JointArguments<'a, 'py> {
    pub kind: &'a str,
    pub anchors: [Given<'a, 'py>; 2],
    pub axes: [Given<'a, 'py>; 2],
    pub length: Option<f64>,
    pub bodies_touch: bool,
    pub limits: Option<(f64, f64)>,
    pub swing: Option<f64>,
    pub turn: Option<f64>,
    pub twist: Option<(f64, f64)>,
    pub restitution: Option<f64>,
    pub friction: Option<f64>,
    pub motor: Option<(f64, f64)>,
    pub servo: Option<(f64, f64, f64, f64)>,
    pub spring: Option<(f64, f64, f64)>,
    pub damping: Option<f64>,
    pub armature: Option<f64>,
    pub break_force: Option<f64>,
    pub break_torque: Option<f64>,
    pub corrected: bool,
}

impl JointArguments<'_, '_> {
    /// A joint of `first` with `other`, or with the world.
    pub fn joint(self, first: BodyHandle, other: Option<BodyHandle>) -> PyResult<signorini::Joint> {
        let frame = |names: (&str, &str), point: Option<&Bound<'_, PyAny>>, axis: Option<&Bound<'_, PyAny>>| {
            let (point, axis) = (vector_or(names.0, point, DVec3::ZERO)?, vector_or(names.1, axis, DVec3::Z)?);
            PyResult::Ok(Frame::along(point, axis))
        };
        let (at_a, at_b) = (
            frame(("anchor_a", "axis_a"), self.anchors[0], self.axes[0])?,
            frame(("anchor_b", "axis_b"), self.anchors[1], self.axes[1])?,
        );
        let other = match other {
            None => Anchor::World(at_b),
            Some(other) => Anchor::Body(other, at_b),
        };
        let kind = joint_kind(self.kind, self.length)?;
        let mut joint = signorini::Joint::of(kind, first, at_a, other);
        if let Some((lo, hi)) = self.limits {
            joint = joint.limits(lo, hi);
        }
        if let Some(most) = self.swing {
            joint = joint.swing(most);
        }
        if let Some(most) = self.turn {
            joint = joint.turn(most);
        }
        if let Some((lo, hi)) = self.twist {
            joint = joint.twist(lo, hi);
        }
        if let Some(share) = self.restitution {
            joint = joint.restitution(share);
        }
        if let Some(force) = self.friction {
            joint = joint.friction(force);
        }
        joint = match (self.motor, self.servo) {
            (None, None) => joint,
            (Some((target, force)), None) => joint.motor(Motor::velocity(target, force)),
            (None, Some((stiffness, damping, target, force))) => joint.servo(stiffness, damping, target, force),
            (Some(_), Some(_)) => return Err(PyValueError::new_err("motor, servo: a coordinate has one of them")),
        };
        if let Some((stiffness, damping, rest)) = self.spring {
            joint = joint.spring(stiffness, damping, rest);
        }
        if let Some(damping) = self.damping {
            joint = joint.damping(damping);
        }
        if let Some(inertia) = self.armature {
            joint = joint.armature(inertia);
        }
        joint.break_force = self.break_force.unwrap_or(f64::INFINITY);
        joint.break_torque = self.break_torque.unwrap_or(f64::INFINITY);
        joint.misfit = if self.corrected { Misfit::Corrected } else { Misfit::Refused };
        Ok(joint.contact(if self.bodies_touch { PairContact::Kept } else { PairContact::Ignored }))
    }
}
