//! Integrate. In: v⁺. Out: new states.
//! Eq.: x⁺ = x + h v⁺, q⁺ = exp(½ h ω⁺) ⊗ q with ω in world axes (left product), renormalised.
//!
//! A body that nothing touched moves by x⁺ = x + h(v⁻ + v⁺)/2, which is the exact parabola, and by the rotation of
//! `free_motion`; energy and momentum are conserved. A body that only bounced follows one parabola to the impact and
//! another one after it. A body that rests or hangs moves by v⁺, the velocity for which its constraints were posed; if
//! it also bounces, it moves by v⁻ until the impact. A body that slides straight moves by the mean velocity
//! (`find_slides`).

use crate::World;
use crate::body::{BodyRecord, BodyState, Kind};
use crate::step::assembly::Scene;
use crate::step::free_rotation::free_rotation;
use crate::step::island::Islands;
use crate::step::rest_snap::has_stayed;
use crate::step::solve::IslandSolution;
use crate::step::{Moving, Twist};
use glamx::{DQuat, DVec3};

/// A contact that changes velocities by less than this does not count as touching [m/s]: the solver's tolerance.
const TOUCH: f64 = 1e-9;

/// A body moves by its mean velocity only if its contacts then end within this of the gap they were solved for \[m\].
const SLIDE: f64 = 1e-9;

/// A body that turns by more than this in a step does not count as sliding straight [rad].
const STRAIGHT: f64 = 1e-4;

/// How a body is moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mode {
    Flight,
    /// Bounced at this time within the step \[s\].
    Bounce(f64),
    /// Bounced at this time while held by other contacts \[s\].
    HeldBounce(f64),
    Contact,
    /// Held by contacts that neither close nor open in the step: it slides or rolls.
    Slide,
    /// Moved by its island's own scheme (`midpoint`).
    Given,
}

impl Mode {
    fn join(self, other: Mode) -> Mode {
        match (self, other) {
            (Mode::Flight, m) | (m, Mode::Flight) => m,
            (Mode::Given, _) | (_, Mode::Given) => Mode::Given,
            (Mode::Contact | Mode::Slide, Mode::Contact | Mode::Slide) => Mode::Contact,
            (Mode::Bounce(s), Mode::Bounce(t)) => Mode::Bounce(s.min(t)),
            (Mode::Contact | Mode::Slide, Mode::Bounce(t) | Mode::HeldBounce(t))
            | (Mode::Bounce(t) | Mode::HeldBounce(t), Mode::Contact | Mode::Slide) => Mode::HeldBounce(t),
            (Mode::Bounce(s) | Mode::HeldBounce(s), Mode::Bounce(t) | Mode::HeldBounce(t)) => {
                Mode::HeldBounce(s.min(t))
            }
        }
    }
}

fn find_modes(world: &World, scene: &Scene, outcome: &Outcome, modes: &mut Vec<Mode>) {
    let Outcome { islands, solutions, after, .. } = *outcome;
    modes.clear();
    modes.resize(scene.bodies.len(), Mode::Flight);
    for (island, solution) in islands.as_slice().iter().zip(solutions) {
        if solution.motion.is_some() {
            island.bodies.iter().for_each(|rank| modes[*rank as usize] = Mode::Given);
            continue;
        }
        for (place, (c, push)) in island.contacts.iter().zip(&solution.contact_impulses).enumerate() {
            let contact = &scene.contacts[*c as usize];
            let mobility =
                scene.bodies[contact.a as usize].inverse_mass + scene.bodies[contact.b as usize].inverse_mass;
            if push.impulse.length() * mobility <= TOUCH {
                continue;
            }
            let passed_on = solution.passed_on.as_ref().and_then(|(time, took)| took[place].then_some(*time));
            let time = contact.impact.map(|impact| impact.time).or(passed_on);
            let mode = time.map_or(Mode::Contact, Mode::Bounce);
            for rank in [contact.a, contact.b] {
                modes[rank as usize] = modes[rank as usize].join(mode);
            }
        }
    }
    // A body whose impulses were posed at the time of a bounce is moved from there, unless no impulse acted on it.
    for (rank, body) in scene.bodies.iter().enumerate() {
        if let Some(time) = body.met_at
            && after[rank] != scene.free[rank].after
        {
            modes[rank] = modes[rank].join(Mode::Bounce(time));
        }
    }
    find_slides(world, scene, outcome, modes);
}

/// Whether a body goes straight on, or is a ball that rolls. A body that turns about a contact leaves its arc along the
/// tangent; with the mean of two tangents it would gain the energy that v⁺ loses.
fn slides(world: &World, scene: &Scene, rank: usize, after: &Twist) -> bool {
    let turn = scene.dt * after.angular.length().max(scene.free[rank].before.angular.length());
    let record = world.bodies.at(scene.bodies[rank].slot);
    turn <= STRAIGHT || record.is_some_and(|record| record.shape.is_ball_about(record.mass.centre))
}

/// Finds the bodies that move by the mean of their velocities before and after the step, which is exact under constant
/// forces, friction included. It is used only if every contact ends where it was solved for, at the gap `g + h u_N⁺`. A
/// contact that closes in the step does not; then both of its bodies move by v⁺, and their other contacts are examined
/// again.
fn find_slides(world: &World, scene: &Scene, outcome: &Outcome, modes: &mut [Mode]) {
    let Outcome { islands, solutions, after, .. } = *outcome;
    let dt = scene.dt;
    for (island, solution) in islands.as_slice().iter().zip(solutions) {
        if solution.motion.is_some() {
            continue;
        }
        for rank in &island.bodies {
            let mode = &mut modes[*rank as usize];
            if *mode == Mode::Contact && slides(world, scene, *rank as usize, &after[*rank as usize]) {
                *mode = Mode::Slide;
            }
        }
        let velocity = |modes: &[Mode], rank: u32| {
            let (before, after) = (&scene.free[rank as usize].before, &after[rank as usize]);
            let mean = 0.5 * (before.linear + after.linear);
            match modes[rank as usize] {
                Mode::Slide => Twist { linear: mean, angular: 0.5 * (before.angular + after.angular) },
                Mode::Flight => Twist { linear: mean, angular: after.angular },
                _ => *after,
            }
        };
        for _ in 0..=island.bodies.len() {
            let mut changed = false;
            for (c, push) in island.contacts.iter().zip(&solution.contact_impulses) {
                let contact = &scene.contacts[*c as usize];
                let slides = [contact.a, contact.b].map(|rank| modes[rank as usize] == Mode::Slide);
                if slides == [false, false] {
                    continue;
                }
                let n = contact.frame[0];
                let posed = dt * contact.velocity(&after[contact.a as usize], &after[contact.b as usize]);
                let way = dt * contact.velocity(&velocity(modes, contact.a), &velocity(modes, contact.b));
                // A body held by a squeeze moves with the kinematic body, also in the step in which that starts to
                // move.
                let held = (posed - n * n.dot(posed)).length() <= SLIDE
                    && solution.squeezed.binary_search(&(contact.a, contact.b)).is_ok();
                let wrong = if push.impulse == DVec3::ZERO {
                    contact.gap + n.dot(way) < f64::min(contact.gap + n.dot(posed), 0.0) - SLIDE
                } else if held {
                    (way - posed).length() > SLIDE
                } else {
                    n.dot(way - posed).abs() > SLIDE
                };
                if wrong {
                    for rank in [contact.a, contact.b] {
                        if modes[rank as usize] == Mode::Slide {
                            modes[rank as usize] = Mode::Contact;
                            changed = true;
                        }
                    }
                }
            }
            if !changed {
                break;
            }
        }
    }
}

/// Results of the earlier stages.
pub(crate) struct Outcome<'a> {
    pub islands: &'a Islands,
    pub solutions: &'a [IslandSolution],
    /// v⁺.
    pub after: &'a [Twist],
}

impl Outcome<'_> {
    /// End state of a body whose island was moved by its own scheme (`midpoint`).
    pub fn given(&self, body: &Moving) -> Option<&BodyState> {
        let motion = self.solutions.get(body.island? as usize)?.motion.as_ref()?;
        motion.end.get(body.place? as usize)
    }
}

/// Fills in the states at the end of the step.
pub(crate) fn integrate(
    world: &World,
    scene: &Scene,
    outcome: &Outcome,
    modes: &mut Vec<Mode>,
    end: &mut Vec<BodyState>,
) {
    find_modes(world, scene, outcome, modes);
    end.clear();
    for (rank, body) in scene.bodies.iter().enumerate() {
        let Some(record) = world.bodies.at(body.slot) else { continue };
        let twist = &outcome.after[rank];
        let state = match body.kind {
            Kind::Fixed => body.state,
            Kind::Kinematic => advance(&body.state, twist, scene.dt * twist.linear, scene.dt * twist.angular),
            Kind::Dynamic => move_body(scene, rank, record, twist, modes[rank]),
        };
        let state = given_state(outcome, body, record, rank).unwrap_or(state);
        end.push(state);
    }
}

fn advance(state: &BodyState, twist: &Twist, displacement: DVec3, turn: DVec3) -> BodyState {
    let orientation = if turn == DVec3::ZERO {
        state.orientation
    } else {
        (DQuat::from_scaled_axis(turn) * state.orientation).normalize()
    };
    BodyState {
        position: state.position + displacement,
        orientation,
        velocity: twist.linear,
        angular_velocity: twist.angular,
    }
}

fn move_body(scene: &Scene, rank: usize, record: &BodyRecord, after: &Twist, mode: Mode) -> BodyState {
    let (body, free, dt) = (&scene.bodies[rank], &scene.free[rank], scene.dt);
    let state = &body.state;
    match mode {
        Mode::Contact | Mode::Given => {
            let end = advance(state, after, dt * after.linear, dt * after.angular);
            BodyState { angular_velocity: spin_after_turn(scene, rank, record, after, end.orientation), ..end }
        }
        Mode::Flight => {
            let position = state.position + dt * (0.5 * (free.before.linear + after.linear));
            let orientation = (state.orientation * free.rotation).normalize();
            // Impulses below the solver's tolerance still count; they are added in the body's axes like the rest.
            let change = after.angular - free.after.angular;
            let angular_velocity = free.flight_spin + orientation * (body.orientation().inverse() * change);
            BodyState { position, orientation, velocity: after.linear, angular_velocity }
        }
        Mode::Slide => {
            let turn = 0.5 * dt * (free.before.angular + after.angular);
            let end = advance(state, after, 0.5 * dt * (free.before.linear + after.linear), turn);
            BodyState { angular_velocity: spin_after_turn(scene, rank, record, after, end.orientation), ..end }
        }
        Mode::Bounce(time) | Mode::HeldBounce(time) => {
            let rest = dt - time;
            let bend = match mode {
                Mode::Bounce(_) => 0.5 * (free.after.linear - free.before.linear) / dt,
                _ => DVec3::ZERO,
            };
            let displacement = time * (free.before.linear + time * bend) + rest * (after.linear - rest * bend);
            let there = at_bounce(scene, rank, time);
            // Impulses acted with the inertia at the time of impact. The body turns freely from there, held or not, and
            // keeps the energy and momentum it had after the impact.
            if record.mass.isotropic {
                return advance(&there, after, displacement, rest * after.angular);
            }
            let (angular_velocity, rotation) =
                free_rotation(&record.mass, there.orientation.inverse() * after.angular, rest);
            let orientation = (there.orientation * rotation).normalize();
            let position = state.position + displacement;
            BodyState {
                position,
                orientation,
                velocity: after.linear,
                angular_velocity: orientation * angular_velocity,
            }
        }
    }
}

/// Angular velocity of a held body whose axes of inertia have turned to `orientation`. It follows from the angular
/// momentum of the body plus that of forces and impulses. Keeping the angular velocity instead would change angular
/// momentum at order h².
fn spin_after_turn(scene: &Scene, rank: usize, record: &BodyRecord, after: &Twist, orientation: DQuat) -> DVec3 {
    let body = &scene.bodies[rank];
    // Without this, round-off would leave a standing body with denormal angular velocities of alternating sign.
    let stands = after.angular == DVec3::ZERO && body.state.angular_velocity.abs().max_element() < f64::MIN_POSITIVE;
    if record.mass.isotropic || stands {
        return after.angular;
    }
    let momentum = |q: DQuat, angular_velocity: DVec3| q * (record.mass.inertia * (q.inverse() * angular_velocity));
    let kicked = momentum(body.orientation(), after.angular - scene.free[rank].before.angular);
    let total = momentum(body.state.orientation, body.state.angular_velocity) + kicked;
    orientation * (record.mass.inverse_inertia * (orientation.inverse() * total))
}

/// Where a body is when it bounces.
pub(crate) fn bounce_state(scene: &Scene, rank: usize, mode: Mode, time: f64) -> BodyState {
    let free = &scene.free[rank];
    let acceleration = (free.after.linear - free.before.linear) / scene.dt;
    let bend = if matches!(mode, Mode::HeldBounce(_)) { DVec3::ZERO } else { 0.5 * time * acceleration };
    let there = at_bounce(scene, rank, time);
    BodyState { position: there.position + time * (free.before.linear + bend), ..there }
}

/// The state at the start, turned to where the body is when it bounces.
fn at_bounce(scene: &Scene, rank: usize, time: f64) -> BodyState {
    let (body, free) = (&scene.bodies[rank], &scene.free[rank]);
    let orientation = match body.met_orientation {
        Some(orientation) => orientation,
        None => DQuat::from_scaled_axis(time * free.before.angular) * body.state.orientation,
    };
    BodyState { orientation, ..body.state }
}

/// The state that the island's own scheme gave a body. A body that was snapped to rest stays at its start pose.
fn given_state(outcome: &Outcome, body: &Moving, record: &BodyRecord, rank: usize) -> Option<BodyState> {
    let given = outcome.given(body)?;
    if outcome.after[rank] == Twist::default() && has_stayed(record, &body.state, given) {
        return Some(BodyState { velocity: DVec3::ZERO, angular_velocity: DVec3::ZERO, ..body.state });
    }
    Some(*given)
}
