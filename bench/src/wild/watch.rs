//! What is read off poses and velocities as a run goes on: overlap, joint gaps and energy.

use super::overlap::depth;
use super::shapes::{Part, parts};
use crate::BenchError;
use rapier3d_f64::parry::bounding_volume::{Aabb, BoundingVolume};
use rapier3d_f64::parry::math::Pose;
use signorini::glamx::{DMat3, DQuat, DVec3};
use signorini::scene::JointKindDescription;
use signorini::{BodyHandle, Kind, Scene, World};
use std::collections::{BTreeMap, BTreeSet};

/// What does not change in a run.
pub struct Facts {
    pub bodies: Vec<Fact>,
    pub links: Vec<Link>,
    pub gravity: DVec3,
    /// Whether something kinematic moves: it may put energy in.
    pub driven: bool,
    /// Pairs whose joint lets them overlap.
    excluded: BTreeSet<(usize, usize)>,
}

/// A body.
pub struct Fact {
    pub name: String,
    pub handle: BodyHandle,
    pub kind: Kind,
    pub parts: Vec<Part>,
    /// \[kg\]; zero unless dynamic.
    pub mass: f64,
    /// Centre of mass and inertia about it, in the axes of the body.
    pub centre: DVec3,
    pub inertia: DMat3,
}

/// A joint: bodies by number, none for the world, and anchors in their frames.
pub struct Link {
    pub kind: JointKindDescription,
    pub ends: [(Option<usize>, DVec3); 2],
    pub bodies_touch: bool,
    /// Orientation of the second end in the axes of the first, at the start.
    pub relative: DQuat,
}

/// Poses, velocities of the centres of mass and spins of all bodies.
#[derive(Clone, Default)]
pub struct Moment {
    pub poses: Vec<Pose>,
    pub velocities: Vec<(DVec3, DVec3)>,
}

impl Facts {
    pub fn of(scene: &Scene, world: &World) -> Result<Self, BenchError> {
        let mut bodies = Vec::new();
        let mut driven = false;
        for (handle, body) in world.bodies() {
            let mut list = Vec::new();
            parts(&body.shape().describe(), Pose::IDENTITY, &mut list)?;
            let axes = DMat3::from_quat(body.orientation());
            driven |= body.kind() == Kind::Kinematic
                && (body.velocity(), body.angular_velocity()) != (DVec3::ZERO, DVec3::ZERO);
            bodies.push(Fact {
                name: match body.id() {
                    signorini::BodyId::Name(name) => name.to_string(),
                    other => other.to_string(),
                },
                handle,
                kind: body.kind(),
                parts: list,
                mass: if body.kind() == Kind::Dynamic { body.mass() } else { 0.0 },
                centre: axes.transpose() * (body.centre_of_mass() - body.position()),
                inertia: axes.transpose() * body.inertia() * axes,
            });
        }
        let number = |name: &Option<String>| {
            let handle = world.find(name.as_deref()?)?;
            bodies.iter().position(|body| body.handle == handle)
        };
        let start = observe(world, &bodies)?;
        let turn = |body: Option<usize>| body.map_or(DQuat::IDENTITY, |body| start.poses[body].rotation);
        let link = |joint: &signorini::scene::JointDescription| {
            let ends = [&joint.a, &joint.b].map(|end| (number(&end.body), DVec3::from_array(end.point)));
            let relative = turn(ends[0].0).inverse() * turn(ends[1].0);
            Link { kind: joint.kind, ends, bodies_touch: joint.bodies_touch, relative }
        };
        let links: Vec<Link> = scene.joints.iter().map(link).collect();
        let mut excluded = BTreeSet::new();
        for link in links.iter().filter(|link| !link.bodies_touch) {
            if let (Some(a), Some(b)) = (link.ends[0].0, link.ends[1].0) {
                excluded.insert((a.min(b), a.max(b)));
            }
        }
        Ok(Facts { bodies, links, gravity: DVec3::from_array(scene.gravity), driven, excluded })
    }

    /// Where everything is in our engine.
    pub fn observe(&self, world: &World) -> Result<Moment, BenchError> {
        observe(world, &self.bodies)
    }

    /// Kinetic and potential energy \[J\] of what can be moved.
    pub fn energy(&self, moment: &Moment) -> (f64, f64) {
        let (mut kinetic, mut potential) = (0.0, 0.0);
        for ((body, pose), (v, w)) in self.bodies.iter().zip(&moment.poses).zip(&moment.velocities) {
            if body.kind == Kind::Dynamic {
                let local = pose.rotation.inverse() * *w;
                kinetic += 0.5 * (body.mass * v.length_squared() + local.dot(body.inertia * local));
                potential -= body.mass * self.gravity.dot(pose.translation + pose.rotation * body.centre);
            }
        }
        (kinetic, potential)
    }

    /// Mass of what can be moved \[kg\].
    pub fn mass(&self) -> f64 {
        self.bodies.iter().map(|body| body.mass).sum()
    }

    /// How far a joint is from what it holds: \[m\] and \[rad\].
    fn gap(&self, link: &Link, moment: &Moment) -> (f64, f64) {
        let pose = |end: &(Option<usize>, DVec3)| end.0.map_or(Pose::IDENTITY, |body| moment.poses[body]);
        let place = |end: &(Option<usize>, DVec3)| {
            let pose = pose(end);
            pose.translation + pose.rotation * end.1
        };
        let [a, b] = &link.ends;
        let apart = place(a).distance(place(b));
        match link.kind {
            JointKindDescription::Distance { length } => ((apart - length).abs(), 0.0),
            JointKindDescription::Ball => (apart, 0.0),
            JointKindDescription::Fixed => {
                let off = (pose(a).rotation * link.relative).inverse() * pose(b).rotation;
                (apart, 2.0 * off.xyz().length().atan2(off.w.abs()))
            }
            // The scenes here have no others.
            _ => (f64::NAN, f64::NAN),
        }
    }

    /// Depth of every pair that overlaps and may not.
    pub fn overlaps(&self, moment: &Moment) -> Vec<((usize, usize), f64)> {
        let mut placed: Vec<(usize, &Part, Pose, Aabb)> = Vec::new();
        for (index, (body, pose)) in self.bodies.iter().zip(&moment.poses).enumerate() {
            for part in &body.parts {
                let at = *pose * part.place;
                placed.push((index, part, at, part.whole.compute_aabb(&at)));
            }
        }
        let mut deep: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        for (i, (a, first, pose, bounds)) in placed.iter().enumerate() {
            for (b, second, other, others) in &placed[i + 1..] {
                let still = self.bodies[*a].kind != Kind::Dynamic && self.bodies[*b].kind != Kind::Dynamic;
                if a == b || still || !bounds.intersects(others) || self.excluded.contains(&(*a, *b)) {
                    continue;
                }
                let depth = depth(first, pose, second, other);
                if depth > 0.0 {
                    let entry = deep.entry((*a, *b)).or_default();
                    *entry = entry.max(depth);
                }
            }
        }
        deep.into_iter().collect()
    }
}

fn observe(world: &World, bodies: &[Fact]) -> Result<Moment, BenchError> {
    let mut moment = Moment::default();
    for body in bodies {
        let view = world.body(body.handle).map_err(BenchError::engine)?;
        moment.poses.push(view.pose());
        moment.velocities.push((view.velocity(), view.angular_velocity()));
    }
    Ok(moment)
}

/// The worst of a kind so far, and where.
#[derive(Clone, Default)]
pub struct Worst {
    pub value: f64,
    pub at_start: f64,
    pub place: String,
    pub step: usize,
}

/// The worst so far.
#[derive(Default)]
pub struct Watch {
    start_depths: BTreeMap<(usize, usize), f64>,
    /// The overlap that grew most over what it was at the start \[m\].
    pub overlap: Worst,
    /// The widest joint \[m\].
    pub gap: Worst,
    /// The most turned fixed joint \[rad\].
    pub angle: f64,
    /// Total energy at the start, its largest rise above that, and the last change \[J\].
    pub start_energy: f64,
    pub rise: Worst,
    pub change: f64,
    /// Kinetic energy \[J\]: the largest and the last.
    pub largest_kinetic: f64,
    pub kinetic: f64,
    /// First step at which something was no longer a number.
    pub broken: Option<usize>,
}

impl Watch {
    /// Looks at the state after `step` steps; the first look is the start.
    pub fn look(&mut self, facts: &Facts, moment: &Moment, step: usize) {
        let finite = moment.poses.iter().zip(&moment.velocities).all(|(pose, (v, w))| {
            pose.translation.is_finite() && pose.rotation.is_finite() && v.is_finite() && w.is_finite()
        });
        if !finite {
            self.broken.get_or_insert(step);
            return;
        }
        for (pair, depth) in facts.overlaps(moment) {
            if step == 0 {
                self.start_depths.insert(pair, depth);
            }
            let at_start = self.start_depths.get(&pair).copied().unwrap_or(0.0);
            if depth - at_start > self.overlap.value - self.overlap.at_start {
                let place = format!("{} / {}", facts.bodies[pair.0].name, facts.bodies[pair.1].name);
                self.overlap = Worst { value: depth, at_start, place, step };
            }
        }
        for (index, link) in facts.links.iter().enumerate() {
            let (gap, angle) = facts.gap(link, moment);
            self.angle = self.angle.max(angle);
            if gap > self.gap.value {
                let at_start = if step == 0 { gap } else { self.gap.at_start };
                self.gap = Worst { value: gap, at_start, place: format!("joint {index}"), step };
            }
        }
        let (kinetic, potential) = facts.energy(moment);
        if step == 0 {
            self.start_energy = kinetic + potential;
        }
        self.kinetic = kinetic;
        self.largest_kinetic = self.largest_kinetic.max(kinetic);
        self.change = kinetic + potential - self.start_energy;
        if self.change > self.rise.value {
            self.rise = Worst { value: self.change, step, ..Worst::default() };
        }
    }
}
