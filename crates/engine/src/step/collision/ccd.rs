//! Continuous collision detection (`Body::fast`). In: flights, then final motion. Out: when such bodies first touch,
//! and where they have to stop.
//!
//! Contacts are normally found at the start poses, which misses contacts of a body that turns far or moves by many of
//! its own sizes in a step. Bodies marked as fast get two additional checks.
//!
//! 1. Before the solve, the time of the first touch along the free motion is found, and contact points are computed at
//!    that time. They are impacts even if the coefficient of restitution is zero: the body moves to the touch, gets its
//!    impulse there, and moves on with the velocity after it. Only the first touch of a body counts, because it may
//!    never reach what lies behind.
//! 2. After the solve, the motion from the impact to the end of the step is checked against everything the body has no
//!    contact with. If it hits something, it stops there and loses the rest of the step; the next step finds it in
//!    contact. Bodies it has a contact with are checked as well while it turns, because a contact holds only one plane,
//!    below which a body that turns far may dip. So bodies never pass through each other, at the price of lost time,
//!    which the report counts (`curtailed`).
//!
//! Times are found by conservative advancement (Mirtich 1996) on the narrow phase: a pair of pieces with gap g along n
//! cannot touch before g / c has passed, c ≥ −n·u being the greatest closing speed that any of their points can have,
//! `−n·(v_B − v_A) + |ω_A| ρ_A + |ω_B| ρ_B` with ρ the distance of the farthest point from the centre of mass. A search
//! that does not finish within [`ADVANCES`] returns a time before the first touch: the body stops early, never late.

use crate::body::{BodyRecord, BodyState, Kind};
use crate::shape::Aabb;
use crate::step::assembly::Scene;
use crate::step::collision::detector::{Detector, PlacedShape};
use crate::step::collision::manifold::Manifold;
use crate::step::collision::{Near, is_excluded};
use crate::step::free_motion::FreeMotion;
use crate::step::integrate::{Mode, bounce_state};
use crate::step::{Moving, Twist};
use crate::{Shape, World};
use glamx::{DPose3, DQuat, DVec3};

/// Shapes with a smaller gap touch \[m\].
pub(crate) const TOUCH: f64 = 1e-10;
/// Shapes with a smaller gap at the start of a step rest on each other \[m\]; ordinary contacts are right for them.
const RESTING: f64 = 1e-4;
/// Limit on advances of one search. A sphere at a wall needs two, a spinning rod a few dozen.
const ADVANCES: usize = 1024;

/// Angle between two depth checks of bodies that touch and turn [rad].
const LOOK_ANGLE: f64 = 0.05;
/// Limit on such checks in a step.
const MAX_LOOKS: usize = 64;
/// Bisections of the time from which they overlap too much.
const BISECTIONS: usize = 20;

/// When two bodies, one of them fast, first touch in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TimeOfImpact {
    /// Neither is fast, or they touch at the start: contacts are found as for other bodies.
    Discrete,
    /// They do not touch, or one of them touches something else first.
    Never,
    /// They touch at this time \[s\].
    At(f64),
}

/// Motion of a body along a parabola, turning at a constant rate.
#[derive(Clone, Copy, Debug)]
struct Way<'a> {
    shape: &'a Shape,
    /// Centre of mass in the body's frame \[m\].
    centre: DVec3,
    /// Largest distance of a point from it \[m\].
    reach: f64,
    /// Time at which it is at `position` \[s\].
    start: f64,
    position: DVec3,
    orientation: DQuat,
    velocity: DVec3,
    acceleration: DVec3,
    angular_velocity: DVec3,
}

impl Way<'_> {
    fn new<'a>(record: &'a BodyRecord, start: f64, position: DVec3, orientation: DQuat) -> Way<'a> {
        Way {
            shape: &record.shape,
            centre: record.mass.centre,
            reach: if record.shape.is_ball_about(record.mass.centre) { 0.0 } else { record.reach },
            start,
            position,
            orientation,
            velocity: DVec3::ZERO,
            acceleration: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
        }
    }

    fn free<'a>(record: &'a BodyRecord, body: &Moving, free: &FreeMotion, dt: f64) -> Way<'a> {
        Way {
            velocity: free.before.linear,
            acceleration: (free.after.linear - free.before.linear) / dt,
            angular_velocity: free.before.angular,
            ..Way::new(record, 0.0, body.state.position, body.state.orientation)
        }
    }

    fn at(&self, time: f64) -> (DVec3, DQuat) {
        let t = time - self.start;
        let orientation = if self.angular_velocity == DVec3::ZERO {
            self.orientation
        } else {
            (DQuat::from_scaled_axis(t * self.angular_velocity) * self.orientation).normalize()
        };
        (self.position + t * (self.velocity + 0.5 * t * self.acceleration), orientation)
    }

    fn placed(&self, time: f64) -> PlacedShape<'_> {
        let (position, orientation) = self.at(time);
        let pose = DPose3::from_parts(position - orientation * self.centre, orientation);
        PlacedShape { shape: self.shape, pose }
    }

    fn velocity_at(&self, time: f64) -> DVec3 {
        self.velocity + (time - self.start) * self.acceleration
    }

    fn turning(&self) -> f64 {
        self.angular_velocity.length() * self.reach
    }
}

/// Result of a search for the first touch.
enum Advancement {
    Never,
    At(f64),
    /// No touch before this time; the search did not finish.
    NotBefore(f64),
}

/// Whether a point of a manifold would close by more than `resting` in the remaining time.
fn ways_close([a, b]: [&Way; 2], manifold: &Manifold, time: f64, (left, resting): (f64, f64)) -> bool {
    let velocity = |way: &Way, point: DVec3| way.velocity_at(time) + way.angular_velocity.cross(point - way.at(time).0);
    manifold.points.iter().any(|point| {
        let middle = 0.5 * (point.on_a + point.on_b);
        manifold.normal.dot(velocity(b, middle) - velocity(a, middle)) * left < -resting
    })
}

/// Finds the first touch of two bodies between two times. Parts that rest on each other at the start (within `resting`,
/// and not closing by more than that) do not count; the second result says whether there were any.
fn first_touch(detector: &mut Detector, ways: [&Way; 2], (from, to): (f64, f64), resting: f64) -> (Advancement, bool) {
    let [a, b] = ways;
    let turning = a.turning() + b.turning();
    let apart = |time: f64| b.velocity_at(time) - a.velocity_at(time);
    let fastest = apart(from).length().max(apart(to).length()) + turning;
    let mut time = from;
    let mut ignored: Vec<(u32, u32)> = Vec::new();
    for _ in 0..ADVANCES {
        let near = TOUCH + (to - time) * fastest;
        let mut next = f64::INFINITY;
        for manifold in detector.manifolds(a.placed(time), b.placed(time), near) {
            let (gap, subs) = (manifold.least_gap(), (manifold.sub_a, manifold.sub_b));
            if time == from && gap <= resting && !ways_close(ways, manifold, from, (to - from, resting)) {
                ignored.push(subs);
            }
            if ignored.contains(&subs) {
                continue;
            }
            let closing = -f64::min(manifold.normal.dot(apart(time)), manifold.normal.dot(apart(to))) + turning;
            if closing <= 0.0 {
                continue;
            }
            if gap <= TOUCH {
                return (Advancement::At(time), !ignored.is_empty());
            }
            // Stop at half the tolerance, so that the end is a touch and not an overlap.
            next = next.min(time + (gap - 0.5 * TOUCH) / closing);
        }
        if next > to {
            return (Advancement::Never, !ignored.is_empty());
        }
        time = next;
    }
    (Advancement::NotBefore(time), !ignored.is_empty())
}

/// Finds when pairs with a fast body first touch along their flights; empty if no body is fast.
pub(crate) fn first_touches(world: &World, near: &Near, detector: &mut Detector, out: &mut Vec<TimeOfImpact>) {
    let Near { flights, pairs, dt } = *near;
    let bodies = flights.bodies;
    out.clear();
    if !bodies.iter().any(|body| body.fast) {
        return;
    }
    let mut first = vec![f64::INFINITY; bodies.len()];
    for &(i, j) in pairs {
        let (one, two) = (&bodies[i as usize], &bodies[j as usize]);
        let records = world.bodies.at(one.slot).zip(world.bodies.at(two.slot));
        let Some((a, b)) = records.filter(|_| one.fast || two.fast) else {
            out.push(TimeOfImpact::Discrete);
            continue;
        };
        let ways = [&Way::free(a, one, flights.of(i), dt), &Way::free(b, two, flights.of(j), dt)];
        let (touch, rest) = first_touch(detector, ways, (0.0, dt), RESTING);
        out.push(match touch {
            Advancement::At(time) => TimeOfImpact::At(time),
            _ if rest => TimeOfImpact::Discrete,
            // `curtail` decides where a body with an unfinished search stops.
            Advancement::Never | Advancement::NotBefore(_) => TimeOfImpact::Never,
        });
        if let Some(TimeOfImpact::At(time)) = out.last() {
            first[i as usize] = first[i as usize].min(*time);
            first[j as usize] = first[j as usize].min(*time);
        }
    }
    for (impact, &(i, j)) in out.iter_mut().zip(pairs) {
        let later = |rank: u32, time: f64| bodies[rank as usize].fast && time > first[rank as usize] + 1e-9 * dt;
        if matches!(impact, TimeOfImpact::At(time) if later(i, *time) || later(j, *time)) {
            *impact = TimeOfImpact::Never;
        }
    }
}

/// The motion of a body in a step, in one or two pieces.
fn pieces<'a>(
    world: &'a World,
    scene: &Scene,
    rank: usize,
    mode: Mode,
    after: &Twist,
    end: &BodyState,
) -> Option<Vec<Way<'a>>> {
    let body = &scene.bodies[rank];
    let record = world.bodies.at(body.slot)?;
    // As `integrate` moves it: along the parabola that ends with v⁺, or straight where contacts hold it.
    let acceleration = (scene.free[rank].after.linear - scene.free[rank].before.linear) / scene.dt;
    let parabola = |start: f64, from: &BodyState| Way {
        velocity: after.linear - (scene.dt - start) * acceleration,
        acceleration,
        angular_velocity: after.angular,
        ..Way::new(record, start, from.position, from.orientation)
    };
    let straight = |start: f64, from: &BodyState| {
        let rest = scene.dt - start;
        let velocity = if rest > 0.0 { (end.position - from.position) / rest } else { DVec3::ZERO };
        Way { velocity, angular_velocity: after.angular, ..Way::new(record, start, from.position, from.orientation) }
    };
    Some(match mode {
        _ if body.kind == Kind::Fixed => vec![Way::new(record, 0.0, end.position, end.orientation)],
        Mode::Bounce(time) | Mode::HeldBounce(time) => {
            let there = bounce_state(scene, rank, mode, time);
            let away = if matches!(mode, Mode::Bounce(_)) { parabola(time, &there) } else { straight(time, &there) };
            vec![Way::free(record, body, &scene.free[rank], scene.dt), away]
        }
        Mode::Flight => vec![parabola(0.0, &body.state)],
        Mode::Contact | Mode::Slide | Mode::Given => vec![straight(0.0, &body.state)],
    })
}

/// A box around the whole motion.
fn bounds(ways: &[Way], end: &BodyState) -> Aabb {
    let mut all = Aabb { min: end.position, max: end.position };
    let mut reach: f64 = 0.0;
    for way in ways {
        if !way.shape.is_bounded() {
            return Aabb::UNBOUNDED;
        }
        all = all.union(Aabb { min: way.position, max: way.position });
        let bounds = way.shape.aabb(&DPose3::IDENTITY);
        reach = reach.max((bounds.min - way.centre).abs().max((bounds.max - way.centre).abs()).length());
    }
    all.inflated(reach)
}

/// The piece of the motion at some time.
fn piece_at<'a, 'b>(ways: &'a [Way<'b>], time: f64) -> &'a Way<'b> {
    ways.iter().rfind(|way| way.start <= time).unwrap_or(&ways[0])
}

/// Time at which two bodies that have a contact, and turn, first overlap by [`RESTING`] more than when they touched.
fn first_dip(detector: &mut Detector, ways: [&[Way]; 2], (from, to): (f64, f64)) -> Option<f64> {
    let angle = ways.iter().map(|way| piece_at(way, from)).map(|way| way.angular_velocity.length() * (to - from));
    let angle = angle.fold(0.0, f64::max);
    if angle == 0.0 || from >= to {
        return None;
    }
    let mut depth = |time: f64| {
        let [a, b] = ways.map(|way| piece_at(way, time));
        detector.depth(a.placed(time), b.placed(time))
    };
    let allowed = depth(from) + RESTING;
    let looks = ((angle / LOOK_ANGLE).ceil() as usize).clamp(1, MAX_LOOKS);
    let mut good = from;
    for look in 1..=looks {
        let time = if look == looks { to } else { from + (to - from) * look as f64 / looks as f64 };
        if depth(time) <= allowed {
            good = time;
            continue;
        }
        let mut bad = time;
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (good + bad);
            if depth(middle) <= allowed {
                good = middle;
            } else {
                bad = middle;
            }
        }
        return Some(good);
    }
    None
}

/// Stops fast bodies where they would enter something they have no contact with. Returns how many.
pub(crate) fn curtail(
    world: &World,
    scene: &Scene,
    modes: &[Mode],
    after: &[Twist],
    (excluded, detector): (&[(u32, u32)], &mut Detector),
    end: &mut [BodyState],
) -> usize {
    let dt = scene.dt;
    let ranks: Vec<usize> = (0..scene.bodies.len()).filter(|rank| scene.bodies[*rank].fast).collect();
    if ranks.is_empty() {
        return 0;
    }
    let all = (0..scene.bodies.len()).map(|rank| pieces(world, scene, rank, modes[rank], &after[rank], &end[rank]));
    let Some(mut ways) = all.collect::<Option<Vec<Vec<Way>>>>() else { return 0 };
    let boxes: Vec<Aabb> = ways.iter().zip(end.iter()).map(|(ways, end)| bounds(ways, end)).collect();
    let mut stopped = 0;
    for &rank in &ranks {
        let own = ways[rank].clone();
        let mut stop: Option<f64> = None;
        for other in (0..scene.bodies.len()).filter(|other| *other != rank && boxes[*other].overlaps(&boxes[rank])) {
            let ids = (rank.min(other) as u32, rank.max(other) as u32);
            let records = world.bodies.at(scene.bodies[rank].slot).zip(world.bodies.at(scene.bodies[other].slot));
            let pushes = records.is_some_and(|(a, b)| world.may_push(a, b));
            if !pushes || is_excluded(excluded, &scene.bodies[rank], &scene.bodies[other]) {
                continue;
            }
            let others = &ways[other];
            // Contacts are sorted by pair.
            let at = scene.contacts.partition_point(|c| (c.a, c.b) < ids);
            if let Some(contact) = scene.contacts.get(at).filter(|c| (c.a, c.b) == ids) {
                let since = contact.impact.map_or(0.0, |impact| impact.time);
                let dip = first_dip(detector, [&own, others], (since, dt));
                stop = [stop, dip].into_iter().flatten().reduce(f64::min);
                continue;
            }
            let mut breaks: Vec<f64> = own.iter().chain(others).map(|way| way.start).chain([dt]).collect();
            breaks.sort_by(f64::total_cmp);
            for span in breaks.windows(2).filter(|span| span[0] < span[1]) {
                let pair = [piece_at(&own, span[0]), piece_at(others, span[0])];
                let touch = first_touch(detector, pair, (span[0], span[1]), RESTING).0;
                if let Advancement::At(time) | Advancement::NotBefore(time) = touch {
                    stop = Some(stop.map_or(time, |earlier| earlier.min(time)));
                    break;
                }
            }
        }
        if let Some(time) = stop {
            let way = piece_at(&own, time);
            let (position, orientation) = way.at(time);
            // Forces act only while it moves. A body that is held stays held, and an impulse is not reduced.
            let held = matches!(modes[rank], Mode::Contact | Mode::Slide | Mode::Given | Mode::HeldBounce(_))
                || own.last().is_some_and(|last| time < last.start);
            let velocity = if held { end[rank].velocity } else { way.velocity_at(time) };
            // The angular velocity stays constant in the body's axes, so the energy does too.
            let angular_velocity = orientation * (end[rank].orientation.inverse() * end[rank].angular_velocity);
            end[rank] = BodyState { position, orientation, velocity, angular_velocity };
            // Other bodies see it where it stopped.
            let still = Way { velocity: DVec3::ZERO, acceleration: DVec3::ZERO, angular_velocity: DVec3::ZERO, ..*way };
            ways[rank].retain(|piece| piece.start < time);
            ways[rank].push(Way { start: time, position, orientation, ..still });
            stopped += 1;
        }
    }
    stopped
}
