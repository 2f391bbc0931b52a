//! Joints that follow others: `mimic` of URDF, equalities between joints and fixed tendons of MJCF. They are `q = ratio · q_other + offset`
//! or `Σ cᵢ qᵢ = sum`, which are gears between the engine's coordinates.

use super::description::{EqualityDescription, EqualityKind, Mimic};
use super::model::RobotModel;
use crate::joint::GEAR_LIMIT;
use crate::scene::{GearDescription, GearTermDescription, SceneError, TextPlace};

/// Least and greatest magnitude of a ratio other than zero \[1\].
const RATIOS: std::ops::RangeInclusive<f64> = 1e-6..=1e6;
/// Greatest offset [m, rad].
const FARTHEST: f64 = 1e10;

/// A joint that follows another, or that is held.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Follower {
    /// Places in the list of joints.
    joint: usize,
    other: Option<usize>,
    ratio: f64,
    offset: f64,
}

impl RobotModel {
    /// All followers, those with `mimic` first.
    fn followers(&self) -> Vec<Follower> {
        let place = |name: &str| self.joints.iter().position(|joint| joint.joint.name == name);
        let follower = |joint: usize, other: Option<&str>, ratio: f64, offset: f64| {
            let other = if ratio == 0.0 { None } else { other };
            let found = other.map(place);
            if found == Some(Some(joint)) {
                return None;
            }
            (found != Some(None)).then_some(Follower { joint, other: found.flatten(), ratio, offset })
        };
        let mimics = self.joints.iter().enumerate().filter_map(|(at, joint)| {
            let Mimic { joint: other, ratio, offset } = joint.joint.mimic.as_ref()?;
            follower(at, Some(other), *ratio, *offset)
        });
        let equalities = self.equalities.iter().filter_map(|tie| match &tie.kind {
            EqualityKind::Joint { joint, other, ratio, offset } => {
                follower(place(joint)?, other.as_deref(), *ratio, *offset)
            }
            _ => None,
        });
        mimics.chain(equalities).collect()
    }

    /// Refuses numbers that are out of range for gears.
    pub(super) fn check_followers(&self) -> Result<(), SceneError> {
        let check = |at: &TextPlace, joint: &str, ratio: f64, offset: f64| {
            let refuse = |what: String| Err(SceneError::placed(at.clone(), what));
            if ratio != 0.0 && !RATIOS.contains(&ratio.abs()) {
                return refuse(format!(
                    "joint '{joint}' follows by the ratio {ratio:?}, which is not zero or within 1e-6 and 1e6"
                ));
            }
            if !(-FARTHEST..=FARTHEST).contains(&offset) {
                return refuse(format!("joint '{joint}' follows with the offset {offset:?}, beyond 1e10"));
            }
            Ok(())
        };
        for joint in self.joints.iter().map(|joint| &joint.joint) {
            if let Some(Mimic { ratio, offset, .. }) = &joint.mimic {
                check(&joint.at, &joint.name, *ratio, *offset)?;
            }
        }
        for tie in &self.equalities {
            match &tie.kind {
                EqualityKind::Joint { joint, ratio, offset, .. } => check(&tie.at, joint, *ratio, *offset)?,
                EqualityKind::Tendon { joints, sum } => {
                    joints.iter().try_for_each(|(joint, factor)| check(&tie.at, joint, *factor, *sum))?;
                    if joints.len() > GEAR_LIMIT {
                        let what =
                            format!("{} joints are tied to each other, at most {GEAR_LIMIT} can be", joints.len());
                        return Err(SceneError::placed(tie.at.clone(), what));
                    }
                }
                EqualityKind::Connect { .. } | EqualityKind::Weld { .. } => {}
            }
        }
        Ok(())
    }

    /// Names of the joints in an equality.
    pub(super) fn tied_joints<'t>(&self, tie: &'t EqualityDescription) -> impl Iterator<Item = &'t str> + use<'t> {
        let (one, other, several) = match &tie.kind {
            EqualityKind::Joint { joint, other, .. } => (Some(joint), other.as_ref(), &[][..]),
            EqualityKind::Tendon { joints, .. } => (None, None, &joints[..]),
            EqualityKind::Connect { .. } | EqualityKind::Weld { .. } => (None, None, &[][..]),
        };
        one.into_iter().chain(other).chain(several.iter().map(|(name, _)| name)).map(String::as_str)
    }

    /// Sets the start coordinates of followers from the joints that they follow, in order along chains.
    pub(super) fn start_where_followed(&mut self) {
        let followers = self.followers();
        for _ in 0..followers.len() {
            let mut moved = false;
            for Follower { joint, other, ratio, offset } in &followers {
                let (joint, other) = (&self.joints[*joint], other.map(|other| &self.joints[other]));
                let single = |joint: &super::model::ModelJoint| joint.joint.motion.coordinates() == 1;
                if !single(joint) || other.is_some_and(|other| !single(other)) {
                    continue;
                }
                let value = other.map_or(0.0, |other| ratio * self.home[other.q]) + offset;
                moved |= self.home[joint.q] != value;
                self.home[joint.q] = value;
            }
            if !moved {
                break;
            }
        }
    }

    /// The gears of its scene. Joints are numbered as in [`RobotModel::joints_of`].
    pub(super) fn gears(&self) -> Vec<GearDescription> {
        let places = self.engine_places();
        // Links that move freely have no joint.
        let number = |link: usize| {
            let jointed = |link: &super::model::ModelLink| {
                let joint = &self.joints[link.joints.start].joint;
                !matches!(joint.motion, super::description::Motion::Free)
            };
            self.links[..link].iter().filter(|link| jointed(link)).count()
        };
        let gear = |follower: Follower| {
            // x = sign (q − reference) on both sides.
            let own = places[follower.joint]?;
            let mut offset = follower.offset - own.reference;
            let term = |joint: usize, coordinate: usize, factor: f64| GearTermDescription {
                joint: number(self.joints[joint].link),
                coordinate,
                factor,
            };
            let mut terms = vec![term(follower.joint, own.coordinate, own.sign)];
            if let Some(other) = follower.other {
                let place = places[other]?;
                offset += follower.ratio * place.reference;
                terms.push(term(other, place.coordinate, -follower.ratio * place.sign));
            }
            Some(GearDescription { terms, offset })
        };
        let held = self.equalities.iter().filter_map(|tie| {
            let EqualityKind::Tendon { joints, sum } = &tie.kind else { return None };
            let mut held = GearDescription { terms: Vec::new(), offset: *sum };
            for (name, factor) in joints.iter().filter(|(_, factor)| *factor != 0.0) {
                let joint = self.joints.iter().position(|joint| joint.joint.name == *name)?;
                let place = places[joint]?;
                held.offset -= factor * place.reference;
                held.terms.push(GearTermDescription {
                    joint: number(self.joints[joint].link),
                    coordinate: place.coordinate,
                    factor: factor * place.sign,
                });
            }
            (!held.terms.is_empty()).then_some(held)
        });
        self.followers().into_iter().filter_map(gear).chain(held).collect()
    }
}
