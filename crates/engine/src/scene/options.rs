//! Options of bodies and materials as they are written in scenes.

use super::shape_description::is_all;
use super::{BodyDescription, Scene, SceneError, Triple, is_default};
use crate::filter::Filter;
use crate::options::Options;
use crate::{AxisLocks, Body, BodyHandle, Combine, Material, PairCoefficients, SurfaceMotion, World};
use glamx::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Coefficients of a pair of materials.
///
/// ```
/// let ice = signorini::scene::MaterialPairDescription {
///     materials: ["ice".into(), "rubber".into()],
///     friction: Some(0.1),
///     restitution: None,
/// };
/// assert_eq!(ice.friction, Some(0.1));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table such as { materials = [\"ice\", \"rubber\"], friction = 0.1 }")]
pub struct MaterialPairDescription {
    /// Names of the two; a name may be given twice.
    pub materials: [String; 2],
    /// Friction coefficient \[1\]; by default from the combination rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Coefficient of restitution \[1\]; by default from the combination rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
}

/// Options of a body besides shape, mass and motion.
///
/// ```
/// let sensor = signorini::scene::OptionsDescription { sensor: true, ..Default::default() };
/// assert_eq!(sensor.gravity_scale, 1.0);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, expecting = "a table such as { gravity_scale = 0 }")]
pub struct OptionsDescription {
    /// Bit mask of the collision layers that it is in.
    #[serde(skip_serializing_if = "is_all")]
    pub layers: u32,
    /// Bit mask of the layers that it collides with.
    #[serde(skip_serializing_if = "is_all")]
    pub mask: u32,
    /// Whether it is a sensor, which detects others instead of pushing them.
    #[serde(skip_serializing_if = "is_default")]
    pub sensor: bool,
    /// Whether it is disabled.
    #[serde(skip_serializing_if = "is_default")]
    pub disabled: bool,
    /// Factor on gravity.
    #[serde(skip_serializing_if = "is_one")]
    pub gravity_scale: f64,
    /// Damping of the velocity [1/s].
    #[serde(skip_serializing_if = "is_default")]
    pub linear_damping: f64,
    /// Damping of the angular velocity [1/s].
    #[serde(skip_serializing_if = "is_default")]
    pub angular_damping: f64,
    /// Force at the centre of mass in every step \[N\].
    #[serde(skip_serializing_if = "is_default")]
    pub force: Triple,
    /// Torque in every step, world axes [N·m].
    #[serde(skip_serializing_if = "is_default")]
    pub torque: Triple,
    /// A number of the user.
    #[serde(skip_serializing_if = "is_default")]
    pub user_data: u64,
    /// Velocity of its surface relative to the body, in its own frame [m/s].
    #[serde(skip_serializing_if = "is_default")]
    pub surface_velocity: Triple,
    /// Angular velocity of its surface about the origin of its frame [rad/s].
    #[serde(skip_serializing_if = "is_default", alias = "surface_spin")]
    pub surface_angular_velocity: Triple,
    /// One-way direction in its own frame: only bodies that move against it are pushed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub one_way: Option<Triple>,
    /// World axes x, y, z along which it is locked.
    #[serde(skip_serializing_if = "is_default")]
    pub lock_translation: [bool; 3],
    /// World axes x, y, z about which its rotation is locked.
    #[serde(skip_serializing_if = "is_default")]
    pub lock_rotation: [bool; 3],
}

impl Default for OptionsDescription {
    fn default() -> Self {
        OptionsDescription {
            layers: u32::MAX,
            mask: u32::MAX,
            sensor: false,
            disabled: false,
            gravity_scale: 1.0,
            linear_damping: 0.0,
            angular_damping: 0.0,
            force: [0.0; 3],
            torque: [0.0; 3],
            user_data: 0,
            surface_velocity: [0.0; 3],
            surface_angular_velocity: [0.0; 3],
            one_way: None,
            lock_translation: [false; 3],
            lock_rotation: [false; 3],
        }
    }
}

fn is_one(factor: &f64) -> bool {
    *factor == 1.0
}

impl OptionsDescription {
    /// The same body, told all of it but the axes that are locked.
    pub(super) fn apply(&self, body: Body) -> Body {
        let vector = DVec3::from_array;
        let surface = SurfaceMotion {
            velocity: vector(self.surface_velocity),
            angular_velocity: vector(self.surface_angular_velocity),
        };
        let mut body = body
            .filter(Filter::new(self.layers, self.mask))
            .gravity_scale(self.gravity_scale)
            .damping(self.linear_damping, self.angular_damping)
            .constant_force(vector(self.force), vector(self.torque))
            .user_data(self.user_data)
            .surface_motion(surface);
        if self.sensor {
            body = body.sensor();
        }
        if self.disabled {
            body = body.disabled();
        }
        match self.one_way {
            Some(axis) => body.one_way(vector(axis)),
            None => body,
        }
    }

    /// Locks the axes of a body that is in the world.
    pub(super) fn lock(&self, world: &mut World, body: BodyHandle) -> Result<(), crate::WorldError> {
        let locks = AxisLocks { translation: self.lock_translation, rotation: self.lock_rotation };
        if locks != AxisLocks::default() {
            world.lock_axes(body, locks)?;
        }
        Ok(())
    }

    /// Options of a body in a world. Locked axes are joints.
    pub(super) fn of(options: &Options) -> Self {
        OptionsDescription {
            layers: options.filter.layers,
            mask: options.filter.mask,
            sensor: options.sensor,
            disabled: !options.enabled,
            gravity_scale: options.gravity_scale,
            linear_damping: options.linear_damping,
            angular_damping: options.angular_damping,
            force: options.force.to_array(),
            torque: options.torque.to_array(),
            user_data: options.user_data,
            surface_velocity: options.surface.velocity.to_array(),
            surface_angular_velocity: options.surface.angular_velocity.to_array(),
            one_way: options.one_way.map(|axis| axis.to_array()),
            ..OptionsDescription::default()
        }
    }
}

impl Scene {
    /// Tags of the materials by name: as given, and else the least that is free in the order of names.
    pub(super) fn tags(&self) -> BTreeMap<&str, u32> {
        let mut taken: Vec<u32> = self.materials.values().map(|material| material.tag).collect();
        let mut tags = BTreeMap::new();
        let mut next = 1;
        for (name, material) in &self.materials {
            while taken.contains(&next) {
                next += 1;
            }
            let tag = if material.tag == 0 { next } else { material.tag };
            taken.push(tag);
            tags.insert(name.as_str(), tag);
        }
        tags
    }

    /// Sets the coefficients of pairs.
    pub(super) fn add_material_pairs(&self, world: &mut World) -> Result<(), SceneError> {
        let tags = self.tags();
        for (index, pair) in self.material_pairs.iter().enumerate() {
            let path = format!("material_pairs[{index}]");
            let tag = |name: &String| {
                let missing = || {
                    let what = format!("no material is called '{name}'");
                    SceneError::new(format!("{path}.materials"), what)
                };
                tags.get(name.as_str()).copied().ok_or_else(missing)
            };
            let both = [tag(&pair.materials[0])?, tag(&pair.materials[1])?];
            let given = PairCoefficients { friction: pair.friction, restitution: pair.restitution };
            world.set_material_pair(both, Some(given)).map_err(|error| SceneError::new(path, error))?;
        }
        Ok(())
    }

    /// Materials and pairs of a world: one material for every tag and every surface that a body cannot say by itself.
    pub(super) fn describe_materials(&mut self, world: &World) {
        let mut materials: Vec<Material> = Vec::new();
        for ((_, body), description) in world.bodies().zip(&mut self.bodies) {
            let surface = body.material();
            let plain = Material::new(surface.friction, surface.restitution)
                .friction_rule(surface.friction_rule)
                .restitution_rule(surface.restitution_rule);
            if surface == plain {
                continue;
            }
            let known = materials.iter().position(|material| *material == surface);
            let index = known.unwrap_or(materials.len());
            if known.is_none() {
                materials.push(surface);
            }
            description.material = Some(format!("surface {index}"));
            drop_overrides(description);
        }
        for (index, material) in materials.iter().enumerate() {
            self.materials.insert(format!("surface {index}"), *material);
        }
        for ([a, b], given) in world.material_pairs() {
            let named = |tag: u32| {
                let found = self.materials.iter().find(|(_, material)| material.tag == tag && tag != 0);
                found.map(|(name, _)| name.clone())
            };
            // A pair of which no body has a surface has nothing to say.
            let (Some(one), Some(two)) = (named(a), named(b)) else { continue };
            let (friction, restitution) = (given.friction, given.restitution);
            self.material_pairs.push(MaterialPairDescription { materials: [one, two], friction, restitution });
        }
    }
}

/// The material says it all.
fn drop_overrides(body: &mut BodyDescription) {
    (body.friction, body.restitution) = (None, None);
    (body.friction_rule, body.restitution_rule) = (None::<Combine>, None::<Combine>);
}
