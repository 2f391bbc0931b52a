//! A robot as bodies of a scene.

use super::description::LinkShape;
use super::model::RobotModel;
use crate::scene::{BodyDescription, InertialDescription, PartDescription, Scene, ShapeDescription};
use crate::{Kind, MassProperties, Material};
use glamx::{DPose3, DQuat};

/// (w, x, y, z), unless it is no turn at all.
fn turned(q: DQuat) -> Option<[f64; 4]> {
    (q != DQuat::IDENTITY).then_some([q.w, q.x, q.y, q.z])
}

pub(super) fn part(shape: &LinkShape) -> PartDescription {
    PartDescription::new(shape.shape.clone(), shape.pose.translation.to_array(), turned(shape.pose.rotation))
}

fn inertial(mass: &MassProperties) -> InertialDescription {
    let inertia = mass.inertia.to_cols_array_2d();
    InertialDescription {
        mass: mass.mass,
        centre: mass.centre.to_array(),
        moments: [inertia[0][0], inertia[1][1], inertia[2][2]],
        products: [inertia[0][1], inertia[0][2], inertia[1][2]],
    }
}

/// The surface of a body: that of its shape with the most friction, because pairs often use the larger coefficient.
fn surface(shapes: &[LinkShape], body: BodyDescription) -> BodyDescription {
    let most = shapes.iter().map(|shape| shape.material).reduce(|a, b| if b.friction > a.friction { b } else { a });
    let Some(material) = most.filter(|material| *material != Material::default()) else { return body };
    let usual = Material::default();
    BodyDescription {
        friction: Some(material.friction),
        restitution: (material.restitution != usual.restitution).then_some(material.restitution),
        friction_rule: (material.friction_rule != usual.friction_rule).then_some(material.friction_rule),
        ..body
    }
}

impl RobotModel {
    /// The bodies: fixtures, then links where these coordinates place them. `prefix` goes before every name.
    pub fn bodies(&self, base: &DPose3, q: &[f64], prefix: &str) -> Vec<BodyDescription> {
        let posture = self.posture(base, q);
        let body = |name: &str, shapes: &[LinkShape], pose: &DPose3| {
            let shape = if shapes.is_empty() { ShapeDescription::None } else { super::pairs::joined(shapes) };
            let body = BodyDescription {
                position: pose.translation.to_array(),
                orientation: turned(pose.rotation),
                ..BodyDescription::new(format!("{prefix}{name}"), shape)
            };
            surface(shapes, body)
        };
        let moving = self.links.iter().zip(&posture.links).map(|(link, pose)| BodyDescription {
            inertial: Some(inertial(&link.mass)),
            ..body(&link.name, &link.shapes, pose)
        });
        let standing = self.fixtures.iter().map(|fixture| BodyDescription {
            kind: Kind::Fixed,
            ..body(&fixture.name, &fixture.shapes, &(*base * fixture.pose))
        });
        standing.chain(moving).collect()
    }
}

impl RobotModel {
    /// The robot alone as a scene, where these coordinates place it. `prefix` goes before every name.
    pub fn scene(&self, base: &DPose3, q: &[f64], prefix: &str) -> Scene {
        let usual = Scene::default();
        let bodies = self.bodies(base, q, prefix);
        let links = self.links.len();
        let name = |body: usize| match body.checked_sub(links) {
            None => format!("{prefix}{}", self.links[body].name),
            Some(fixture) => format!("{prefix}{}", self.fixtures[fixture].name),
        };
        Scene {
            name: self.name.clone(),
            gravity: self.gravity.map_or(usual.gravity, |gravity| gravity.to_array()),
            step: self.step.unwrap_or(usual.step),
            bodies,
            joints: self.joints_of(base, prefix),
            gears: self.gears(),
            apart: self.apart.iter().map(|[a, b]| [name(*a), name(*b)]).collect(),
            ..usual
        }
    }
}
