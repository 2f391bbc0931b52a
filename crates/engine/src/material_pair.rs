//! Coefficients for given pairs of materials, such as rubber on ice, instead of the combination rules.

use crate::body::BodyRecord;
use crate::step::Soft;
use crate::{Grain, Material, World, WorldError};
use glamx::DVec3;
use std::collections::BTreeMap;

/// Coefficients of a pair of materials. Values that are not given follow from the combination rules.
///
/// ```
/// use signorini::{PairCoefficients, Settings, World};
/// let mut world = World::new(Settings::default())?;
/// let (rubber, ice) = (1, 2);
/// world.set_material_pair([rubber, ice], Some(PairCoefficients { friction: Some(0.1), restitution: None }))?;
/// assert_eq!(world.material_pairs().count(), 1);
/// # Ok::<(), signorini::WorldError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairCoefficients {
    /// Friction coefficient \[1\], in all directions.
    pub friction: Option<f64>,
    /// Coefficient of restitution \[1\].
    pub restitution: Option<f64>,
}

/// Coefficients by the tags of two materials, the smaller first.
pub(crate) type MaterialPairs = BTreeMap<(u32, u32), PairCoefficients>;

impl World {
    /// Sets the coefficients for two materials with these tags ([`Material::tagged`]); `None` removes them.
    pub fn set_material_pair(
        &mut self,
        tags: [u32; 2],
        coefficients: Option<PairCoefficients>,
    ) -> Result<(), WorldError> {
        let pair = (tags[0].min(tags[1]), tags[0].max(tags[1]));
        if pair.0 == 0 {
            return Err(WorldError::Setting { field: "tag", value: 0.0, range: "[1, 4294967295]" });
        }
        match coefficients {
            None => {
                self.material_pairs.remove(&pair);
            }
            Some(given) => {
                let made = Material::new(given.friction.unwrap_or(0.0), given.restitution.unwrap_or(0.0));
                if let Some((field, value, range)) = made.invalid() {
                    return Err(WorldError::Setting { field, value, range });
                }
                self.material_pairs.insert(pair, given);
            }
        }
        self.contact_rules_changed();
        Ok(())
    }

    /// The coefficients of pairs, by their tags.
    pub fn material_pairs(&self) -> impl Iterator<Item = ([u32; 2], PairCoefficients)> {
        self.material_pairs.iter().map(|((a, b), given)| ([*a, *b], *given))
    }

    /// Combined material of two bodies, and the relative motion of their driven surfaces.
    pub(crate) fn pair_surface<'a>(&self, a: &'a BodyRecord, b: &'a BodyRecord) -> PairSurface<'a> {
        let material = self.pair_material(a, b);
        let rule = material.friction_rule;
        let grain = |record: &BodyRecord, other: &BodyRecord| {
            let grain = record.material.grain?;
            let axis = record.state.orientation * DVec3::from_array(grain.axis);
            Some((axis, rule.of(grain.across, other.material.friction)))
        };
        // If both have a grain, that of the first body in the order of ids counts. Pair coefficients are isotropic.
        let given = material.grain.is_some();
        let grain = if given { None } else { grain(a, b).or_else(|| grain(b, a)) };
        let grain = grain.filter(|(_, across)| *across > 0.0 && material.friction > 0.0);
        PairSurface { material: Material { grain: None, ..material }, grain, bodies: [a, b] }
    }

    /// Combined material of two bodies.
    pub(crate) fn pair_material(&self, a: &BodyRecord, b: &BodyRecord) -> Material {
        let mut pair = a.material.combine(b.material);
        if self.material_pairs.is_empty() {
            return pair;
        }
        let tags = (a.material.tag.min(b.material.tag), a.material.tag.max(b.material.tag));
        if let Some(given) = self.material_pairs.get(&tags) {
            if let Some(friction) = given.friction {
                pair.friction = friction;
                // A grain with a zero axis stands for isotropic friction.
                pair.grain = Some(Grain { axis: [0.0; 3], across: friction });
            }
            if pair.stiffness.is_none() {
                pair.restitution = given.restitution.unwrap_or(pair.restitution);
            }
        }
        pair
    }
}

/// Two touching surfaces.
#[derive(Clone, Copy)]
pub(crate) struct PairSurface<'a> {
    pub material: Material,
    /// Axis of the grain, world axes, and the friction across it.
    pub grain: Option<(DVec3, f64)>,
    /// The first and the second body.
    pub bodies: [&'a BodyRecord; 2],
}

impl PairSurface<'_> {
    /// Relative velocity of the driven surface of the second body at a point of the world [m/s].
    pub fn running(&self, point: DVec3) -> DVec3 {
        let runs = |record: &BodyRecord| {
            let surface = &record.options.surface;
            if !surface.runs() {
                return DVec3::ZERO;
            }
            let q = record.state.orientation;
            q * (surface.velocity + surface.angular_velocity.cross(q.inverse() * (point - record.origin())))
        };
        runs(self.bodies[1]) - runs(self.bodies[0])
    }

    /// Relative angular velocity of the driven surface of the second body, in addition to the bodies' own [rad/s].
    pub fn running_angular_velocity(&self) -> DVec3 {
        let turns = |record: &BodyRecord| record.state.orientation * record.options.surface.angular_velocity;
        turns(self.bodies[1]) - turns(self.bodies[0])
    }

    /// Spring and damper of the pair, if a surface is soft.
    pub fn soft(&self) -> Option<Soft> {
        self.material.stiffness.map(|stiffness| Soft { stiffness, damping: self.material.damping })
    }
}
