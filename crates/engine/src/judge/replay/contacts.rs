//! The contacts of a recorded step: their effect on momentum, and whether they obey Signorini's and Coulomb's laws.

use super::{
    Check, Finding, NO_CONTACTS, NO_FORCES, NO_IMPACT_TIMES, NO_JOINT_IMPULSES, NO_PIECES, ReplayContact, ReplayStep,
    is_free,
};
use crate::body::{BodyRecord, BodyState, Kind};
use crate::judge::sums::Impulse;
use crate::judge::{PRESSURE, Part, Place, overlap_bound};
use crate::{ImpactLaw, Material, Stabilisation, World};
use glamx::{DMat3, DVec3};

/// Least bound on errors of velocity over their scale \[1\]: what rest to the last bit and round-off may leave.
const LEAST_BOUND: f64 = 2e-8;
/// Gaps that close at less than this speed count as shut, with those of their patch [m/s].
const SHUT_SPEED: f64 = 6e-5;

/// Input of the checks.
pub(super) struct JudgedStep<'a> {
    pub world: &'a World,
    pub step: &'a ReplayStep<'a>,
    pub end: &'a [BodyState],
    pub jointed: &'a [bool],
}

/// Sum of contact impulses on a body.
#[derive(Clone, Copy, Default)]
struct Total {
    linear: DVec3,
    angular: DVec3,
    /// Torque that depends on what is not recorded [N·m·s]: of a body that is met later, and of one that resists turning.
    open: f64,
    turned: f64,
    later: bool,
}

/// A contact, with data that the world adds to the recording.
struct Told<'a> {
    contact: &'a ReplayContact,
    records: [&'a BodyRecord; 2],
    material: Material,
    /// Where the impulse acts: in the plane of the nearest point of its patch \[m\].
    acting: DVec3,
    /// Overlap of the deepest point of its patch \[m\].
    sunk: f64,
    /// How far the points of its patch are apart along the normal \[m\].
    thickness: f64,
    /// Most that forces and turning may add to its normal velocity in the step [m/s].
    kick: f64,
    /// Whether it may have been met within the step rather than at its beginning.
    later: bool,
    /// Points of its two bodies.
    points: usize,
}

impl JudgedStep<'_> {
    fn record(&self, rank: u32) -> Option<&BodyRecord> {
        self.world.bodies.at(*self.world.order.get(rank as usize)?)
    }

    /// Contacts of bodies that move, with their patches: points of the same two bodies with the same normal.
    fn told(&self) -> Vec<Told<'_>> {
        let list = self.step.contacts.unwrap_or_default();
        let same = |a: &ReplayContact, b: &ReplayContact| a.bodies == b.bodies && a.normal == b.normal;
        let mut told = Vec::with_capacity(list.len());
        for (index, contact) in list.iter().enumerate() {
            let [a, b] = contact.bodies;
            let (Some(first), Some(second)) = (self.record(a), self.record(b)) else { continue };
            if !contact.bodies.iter().any(|rank| is_free(self.world, self.step, *rank as usize)) {
                continue;
            }
            // Points of a patch follow each other.
            let from = list[..index].iter().rposition(|other| !same(other, contact)).map_or(0, |at| at + 1);
            let patch = list[from..].iter().take_while(|other| same(other, contact));
            let nearest = patch.clone().min_by(|x, y| x.gap.total_cmp(&y.gap)).unwrap_or(contact);
            let acting = contact.point + contact.normal * contact.normal.dot(nearest.point - contact.point);
            let material = self.world.pair_material(first, second);
            let heights = patch.map(|other| contact.normal.dot(other.point));
            let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
            let (sunk, records) = (f64::max(0.0, -nearest.gap), [first, second]);
            let turning =
                records.iter().map(|record| record.reach * record.state.angular_velocity.length_squared()).sum::<f64>();
            let kick = self.step.dt * (self.world.settings.gravity.length() + turning);
            let points = list.iter().filter(|other| other.bodies == contact.bodies).count();
            let thickness = high - low;
            let mut told_one = Told { contact, records, material, acting, sunk, thickness, kick, later: false, points };
            told_one.later = records.iter().any(|record| record.fast)
                || kick - contact.normal.dot(told_one.before()) >= self.world.settings.rest_speed;
            told.push(told_one);
        }
        told
    }

    /// Whether all impulses on a body are in the recording, by rank.
    pub fn momentum_is_told(&self) -> Vec<bool> {
        let known = self.step.complete && self.step.contacts.is_some();
        (0..self.end.len()).map(|rank| known && is_free(self.world, self.step, rank) && !self.jointed[rank]).collect()
    }

    /// Whether the check of momentum is complete, partial or impossible.
    pub fn momentum_finding(&self, part: Part) -> Finding {
        match (self.step.complete, self.step.contacts, self.jointed.iter().any(|jointed| *jointed)) {
            (false, ..) => Finding::Missing(NO_FORCES),
            (true, None, _) => Finding::Missing(NO_CONTACTS),
            _ if self.step.divided => Finding::Missing(NO_PIECES),
            (true, Some(_), true) => Finding::Partly(part, NO_JOINT_IMPULSES),
            (true, Some(_), false) => Finding::Measured(part),
        }
    }

    /// Impulses on bodies. The time of an impact within the step is not recorded, so the time that explains the body's
    /// angular velocity best is used. Nor is it recorded which point of a patch was nearest at that time; torque that
    /// another choice would explain is not counted as an error.
    pub fn impulses(&self, tell: &mut dyn FnMut(Impulse)) {
        let mut total = vec![Total::default(); self.end.len()];
        let hurried = self.is_hurried();
        for told in self.told() {
            let sides = told.contact.bodies.into_iter().zip([-1.0, 1.0]);
            for (rank, sign) in sides {
                let Some(record) = self.record(rank) else { continue };
                let linear = sign * told.contact.impulse;
                let arm = told.acting - record.state.position;
                let angular = arm.cross(linear);
                // Where it acts within the step is not recorded: its arm may be as long as the body.
                tell(Impulse { rank, linear, angular, arm: arm.length().max(record.reach), joint: false });
                let sum = &mut total[rank as usize];
                sum.linear += linear;
                sum.angular += angular;
                sum.open += told.thickness * told.contact.normal.cross(linear).length();
                // Moments are not recorded: what they could do is not held against it.
                let turns = told.material.torsional_friction + told.material.rolling_friction;
                sum.turned += turns * told.contact.normal.dot(told.contact.impulse).abs();
                // Whoever is hit in the same step is met together with the one that bounces.
                sum.later |= told.later || (hurried && told.material.restitution > 0.0);
            }
        }
        for (rank, Total { linear, angular, open, turned, later }) in total.into_iter().enumerate() {
            let (Some(record), end) = (self.record(rank as u32), &self.end[rank]) else { continue };
            if !(later || turned > 0.0) || record.kind != Kind::Dynamic {
                continue;
            }
            let change = spin_momentum(record, end) - spin_momentum(record, &record.state) - angular;
            let moved = |t: f64| t * record.state.velocity + 0.5 * t * t * self.world.settings.gravity;
            let left = |t: f64| (change + moved(t).cross(linear)).length();
            let time = if later { least(left, self.step.dt) } else { 0.0 };
            let unexplained = change + moved(time).cross(linear);
            let excused = unexplained.clamp_length_max(turned + if later { open } else { 0.0 });
            let angular = excused - moved(time).cross(linear);
            tell(Impulse { rank: rank as u32, linear: DVec3::ZERO, angular, arm: 0.0, joint: false });
        }
    }

    /// The laws of contact.
    pub fn laws(&self, found: &mut Vec<(Check, Finding)>) {
        const LAWS: [Check; 5] = [Check::Push, Check::Cone, Check::Signorini, Check::Coulomb, Check::ContactVelocity];
        if self.step.contacts.is_none() {
            found.extend(LAWS.map(|law| (law, Finding::Missing(NO_CONTACTS))));
            return;
        }
        let settings = &self.world.settings;
        // What a solver leaves open shows in the two conditions; the rest is arithmetic on what is in the file.
        let bound = settings.stop.tolerance.value.max(LEAST_BOUND);
        let bounds = LAWS.map(|law| match law {
            Check::Signorini | Check::Coulomb => settings.accepted().value.max(LEAST_BOUND),
            _ => bound,
        });
        let mut parts = bounds.map(|bound| Part { bound, ..Part::default() });
        let mut untimed = false;
        let (list, hurried) = (self.told(), self.is_hurried());
        let mut timed = self.jointed.iter().map(|jointed| !jointed).collect::<Vec<bool>>();
        for rank in list.iter().filter(|told| told.later).flat_map(|told| told.contact.bodies) {
            timed[rank as usize] = self.record(rank).is_none_or(|record| record.kind != Kind::Dynamic);
        }
        for told in list {
            let place = Place { bodies: told.contact.bodies.map(Some), joint: None };
            let timed = told.contact.bodies.iter().all(|rank| timed[*rank as usize]);
            let errors = self.errors(&told, (bound, hurried, timed));
            for ((part, error), bound) in parts.iter_mut().zip(errors).zip(bounds) {
                if let Some(error) = error {
                    part.worst(error, bound, place);
                }
                untimed |= error.is_none();
            }
        }
        let sequential = self.world.settings.impact != ImpactLaw::Newton;
        for (law, part) in LAWS.into_iter().zip(parts) {
            let finding = match law {
                Check::Signorini | Check::Coulomb if sequential => Finding::Missing(NO_IMPACT_TIMES),
                Check::Signorini | Check::Coulomb if self.step.divided => Finding::Missing(NO_PIECES),
                Check::ContactVelocity if !self.step.complete => Finding::Missing(NO_FORCES),
                Check::ContactVelocity if untimed => Finding::Partly(part, NO_IMPACT_TIMES),
                _ => Finding::Measured(part),
            };
            found.push((law, finding));
        }
    }

    /// Whether anything is fast enough to bounce.
    fn is_hurried(&self) -> bool {
        let fast = |rank: usize| {
            is_free(self.world, self.step, rank) && self.speed(rank as u32).0 >= self.world.settings.rest_speed
        };
        (0..self.end.len()).any(fast)
    }

    /// Largest speed and spin of a body in the step [m/s, rad/s].
    fn speed(&self, rank: u32) -> (f64, f64) {
        let Some(record) = self.record(rank) else { return (0.0, 0.0) };
        let (dt, state, end) = (self.step.dt, &record.state, &self.end[rank as usize]);
        let angular_velocity = state.angular_velocity.length().max(end.angular_velocity.length());
        let kick = dt * (self.world.settings.gravity.length() + record.reach * angular_velocity * angular_velocity);
        (state.velocity.length() + record.reach * angular_velocity + kick, angular_velocity)
    }

    /// Most that the velocity of a point of a body depends on when the body is met [m/s].
    fn arm_of_time(&self, rank: u32) -> f64 {
        if self.record(rank).is_none_or(|record| record.kind != Kind::Dynamic) {
            return 0.0;
        }
        let (speed, angular_velocity) = self.speed(rank);
        self.step.dt * angular_velocity * speed
    }

    /// Errors of the five laws over the scale of the contact, in the order of [`JudgedStep::laws`].
    fn errors(&self, told: &Told, (bound, hurried, timed): (f64, bool, bool)) -> [Option<f64>; 5] {
        let Told { contact, records, material, kick, .. } = told;
        let ends = contact.bodies.map(|rank| &self.end[rank as usize]);
        let dt = self.step.dt;
        let speeds = |state: &BodyState, record: &BodyRecord| {
            state.velocity.length() + record.reach * state.angular_velocity.length()
        };
        let scale = records.iter().zip(ends).fold(1.0 + *kick, |sum, (record, end)| {
            let still = record.kind == Kind::Fixed;
            sum + if still { 0.0 } else { speeds(&record.state, record) + speeds(end, record) }
        });
        let arms = records.map(|record| told.acting - record.state.position);
        let at = |state: &BodyState, arm: DVec3| state.velocity + state.angular_velocity.cross(arm);
        let velocity = |states: [&BodyState; 2]| at(states[1], arms[1]) - at(states[0], arms[0]);
        let struck = [0, 1].map(|side| struck(records[side], ends[side], dt));
        let weight = (mobility(records[0], arms[0]) + mobility(records[1], arms[1])).max(f64::MIN_POSITIVE);

        let normal = contact.normal.dot(contact.impulse);
        let friction = weight * (contact.impulse - normal * contact.normal);
        let normal = weight * normal;
        let away = contact.normal.dot(contact.velocity);
        let slip = contact.velocity - away * contact.normal;
        let (most, friction, slip) = told.along_grain(friction, slip);

        // A gap may close, measured from what its patch has sunk to; a bounce ends in free flight.
        let fall = if told.later { 2.0 * kick } else { 0.0 };
        let approach = f64::max(0.0, -contact.normal.dot(told.before())) + kick;
        let bounce = if told.later { material.restitution * approach + fall } else { 0.0 };
        let bias = match self.world.settings.stabilisation {
            Stabilisation::VelocityBias { .. } => told.sunk / dt,
            _ => 0.0,
        };
        let closing = f64::max(0.0, contact.gap + told.sunk) / dt;
        let least = -closing - SHUT_SPEED * f64::from(u8::from(told.sunk > 0.0)) - fall;
        let sinks = f64::max(0.0, least - away);
        let pushes_apart = f64::min(normal, f64::max(0.0, away - bounce - bias)).max(0.0);

        let reach = most * f64::max(0.0, normal);
        let wanted = friction - slip;
        let inside = if wanted.length() <= reach { wanted } else { wanted * (reach / wanted.length()) };
        let off = timed.then(|| (velocity([&struck[0], &struck[1]]) + told.running() - contact.velocity).length());
        // A bounce whose points are no longer in the list leaves no other trace than another time.
        let open = if hurried { contact.bodies.iter().map(|rank| self.arm_of_time(*rank)).sum() } else { 0.0 };
        [
            Some(f64::max(0.0, -normal) / scale),
            Some(f64::max(0.0, friction.length() - reach) / scale),
            Some(told.soft_error(dt).unwrap_or(f64::max(sinks, pushes_apart).min(told.pad_error(dt))) / scale),
            Some((friction - inside).length() / scale),
            off.filter(|off| *off <= bound * scale || *off > open).map(|off| off / scale),
        ]
    }
}

impl Told<'_> {
    /// Error of the law of a squeeze, `0 ≤ r ⊥ u + g/h + r/(h² k) ≥ 0`, by which a contact with a kinematic body may go as
    /// well [m/s].
    fn pad_error(&self, dt: f64) -> f64 {
        let [a, b] = self.records;
        let (kinematic, other) = if a.kind == Kind::Kinematic { (a, b) } else { (b, a) };
        if kinematic.kind != Kind::Kinematic || other.kind != Kind::Dynamic {
            return f64::INFINITY;
        }
        let stiffness = PRESSURE * other.mass.mass / (overlap_bound(a, b) * self.points as f64);
        let normal = self.contact.normal;
        let left = normal.dot(self.contact.velocity) + self.contact.gap / dt;
        let pressed = normal.dot(self.contact.impulse) / (dt * dt * stiffness);
        if pressed > 0.0 { (left + pressed).abs() } else { f64::max(0.0, -left) }
    }

    /// Error of the law of surfaces that give way, `0 ≤ r ⊥ u + b + r/(h² k + h d) ≥ 0` with b = k g/(h k + d) where they
    /// overlap and g/h where they do not [m/s]; none of rigid ones.
    fn soft_error(&self, dt: f64) -> Option<f64> {
        let Material { stiffness, damping, .. } = self.material;
        let (k, gap, normal) = (stiffness?, self.contact.gap, self.contact.normal);
        let bias = if gap < 0.0 { k * gap / (dt * k + damping) } else { gap / dt };
        let left = normal.dot(self.contact.velocity) + bias;
        let pressed = normal.dot(self.contact.impulse) / (dt * (dt * k + damping));
        Some(if pressed > 0.0 { (left + pressed).abs() } else { f64::max(0.0, -left) })
    }

    /// Friction and slip scaled so that the ellipse of a grain is a circle, and its greatest coefficient; as they are without.
    fn along_grain(&self, friction: DVec3, slip: DVec3) -> (f64, DVec3, DVec3) {
        let plain = (self.material.friction, friction, slip);
        let [a, b] = self.records;
        let found = [(a, b), (b, a)].into_iter().find_map(|(body, other)| Some((body, other, body.material.grain?)));
        let Some((body, other, grain)) = found.filter(|_| self.material.grain.is_none()) else { return plain };
        let across = self.material.friction_rule.of(grain.across, other.material.friction);
        let axis = body.state.orientation * DVec3::from_array(grain.axis);
        let along = axis - axis.dot(self.contact.normal) * self.contact.normal;
        let Some(along) = along.try_normalize().filter(|_| across > 0.0 && self.material.friction > 0.0) else {
            return plain;
        };
        let side = self.contact.normal.cross(along);
        let most = across.max(self.material.friction);
        let (s, t) = (self.material.friction / most, across / most);
        let scaled = |v: DVec3, s: f64, t: f64| s * along.dot(v) * along + t * side.dot(v) * side;
        (most, scaled(friction, 1.0 / s, 1.0 / t), scaled(slip, s, t))
    }

    /// How the surface of the second body runs against that of the first, along them [m/s].
    fn running(&self) -> DVec3 {
        let at = |record: &BodyRecord| {
            let turn = DMat3::from_quat(record.state.orientation);
            let place = turn.transpose() * (self.contact.point - record.state.position) + record.mass.centre;
            turn * (record.options.surface.velocity + record.options.surface.angular_velocity.cross(place))
        };
        let runs = at(self.records[1]) - at(self.records[0]);
        runs - runs.dot(self.contact.normal) * self.contact.normal
    }

    /// Velocity of the second body against the first before the step [m/s].
    fn before(&self) -> DVec3 {
        let at = |record: &BodyRecord| {
            record.state.velocity + record.state.angular_velocity.cross(self.acting - record.state.position)
        };
        at(self.records[1]) - at(self.records[0])
    }
}

/// Mean inverse mass that an impulse at an arm meets [1/kg].
fn mobility(record: &BodyRecord, arm: DVec3) -> f64 {
    if record.kind != Kind::Dynamic {
        return 0.0;
    }
    let turn = DMat3::from_quat(record.state.orientation);
    let turned = |axis: DVec3| {
        let couple = arm.cross(axis);
        couple.dot(turn * (record.mass.inverse_inertia * (turn.transpose() * couple)))
    };
    record.mass.inverse_mass + (turned(DVec3::X) + turned(DVec3::Y) + turned(DVec3::Z)) / 3.0
}

/// A body at the end of the step with the spin that contacts were solved for: that of free rotation over the step in the
/// axes of its start, and what the impulses changed there. The end state has turned axes and the same angular momentum.
fn struck(record: &BodyRecord, end: &BodyState, dt: f64) -> BodyState {
    if record.kind != Kind::Dynamic {
        return *end;
    }
    let turn = DMat3::from_quat(record.state.orientation);
    let kick = spin_momentum(record, end) - spin_momentum(record, &record.state);
    let kicked = record.mass.inverse_inertia * (turn.transpose() * kick);
    let free = free_spin(record, turn.transpose() * record.state.angular_velocity, dt);
    BodyState { angular_velocity: turn * (free + kicked), ..*end }
}

/// Spin after free rotation, the body's axes, by Runge and Kutta on Euler's equations.
fn free_spin(record: &BodyRecord, angular_velocity: DVec3, dt: f64) -> DVec3 {
    let rate = |w: DVec3| record.mass.inverse_inertia * (record.mass.inertia * w).cross(w);
    // Fourth order in pieces of at most 1/64 rad leaves less than 1e-9 of the spin.
    let pieces = (64.0 * dt * angular_velocity.length()).ceil().clamp(1.0, 4096.0);
    let h = dt / pieces;
    (0..pieces as usize).fold(angular_velocity, |w, _| {
        let a = rate(w);
        let b = rate(w + 0.5 * h * a);
        let c = rate(w + 0.5 * h * b);
        let d = rate(w + h * c);
        w + h / 6.0 * (a + 2.0 * b + 2.0 * c + d)
    })
}

fn spin_momentum(record: &BodyRecord, state: &BodyState) -> DVec3 {
    crate::judge::angular_momentum(record, state)
}

/// Where a smooth function with one valley in 0..end is least: samples, then thirds.
fn least(f: impl Fn(f64) -> f64, end: f64) -> f64 {
    const SAMPLES: u32 = 64;
    let step = end / f64::from(SAMPLES);
    let best = (0..=SAMPLES).map(|k| f64::from(k) * step).min_by(|x, y| f(*x).total_cmp(&f(*y))).unwrap_or(0.0);
    let (mut low, mut high) = (f64::max(0.0, best - step), f64::min(end, best + step));
    for _ in 0..100 {
        let third = (high - low) / 3.0;
        if f(low + third) < f(high - third) {
            high -= third;
        } else {
            low += third;
        }
    }
    0.5 * (low + high)
}
