//! Stage 9/9, integrate. In: v⁺, corrections. Out: new states, and the energy account; then the world is changed.
//! Eq.: x⁺ = x + h v⁺, q⁺ = exp(½ h ω⁺) ⊗ q with ω in world axes (left product), renormalised.
//!
//! Bodies that nothing touched fly: x⁺ = x + h(v⁻ + v⁺)/2, which is the parabola itself, and the rotation of `free_motion`;
//! energy and momentum are conserved. Bodies that only bounced fly to the impact with the free velocity and away
//! from it with the velocity after it, both parabolas. Bodies that rest, slide or hang move by v⁺, on which the
//! constraints were posed; those that bounce meanwhile, by v⁻ until then.

use crate::body::{BodyRecord, BodyState, ConstraintForces, Kind};
use crate::energy::{Energy, EnergyLedger};
use crate::events::SleepEvent;
use crate::report::ContactPoint;
use crate::step::assembly::Scene;
use crate::step::cache::CachedPoint;
use crate::step::free_rotation::free_rotation;
use crate::step::island::Islands;
use crate::step::solve::IslandSolution;
use crate::step::still::has_stayed;
use crate::step::{Moving, Twist, Workspace};
use crate::{BodyHandle, JointEvent, World};
use glamx::{DQuat, DVec3};

/// Velocity change of a contact below which it does not count as touching [m/s]: the solver's tolerance.
const TOUCH: f64 = 1e-9;

/// Farthest that a contact may end from where it was solved for while its bodies move by their mean velocities \[m\].
const SLIDE: f64 = 1e-9;

/// Most that a body that slides turns in a step [rad].
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
    /// Held by contacts that neither close nor open in the step: slides or rolls.
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
        for (place, (c, impulse)) in island.contacts.iter().zip(&solution.contact_impulses).enumerate() {
            let contact = &scene.contacts[*c as usize];
            let mobility =
                scene.bodies[contact.a as usize].inverse_mass + scene.bodies[contact.b as usize].inverse_mass;
            if impulse.length() * mobility <= TOUCH {
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
    // A body met where it was to bounce is moved from there, unless nothing at all happened to it.
    for (rank, body) in scene.bodies.iter().enumerate() {
        if let Some(time) = body.met_at
            && after[rank] != scene.free[rank].after
        {
            modes[rank] = modes[rank].join(Mode::Bounce(time));
        }
    }
    find_slides(world, scene, outcome, modes);
}

/// Whether a body goes straight on: what turns about a contact leaves its arc by the tangent, and the mean of two tangents
/// would gain the energy that v⁺ loses. Balls may roll.
fn slides(world: &World, scene: &Scene, rank: usize, after: &Twist) -> bool {
    let turn = scene.dt * after.angular.length().max(scene.free[rank].before.angular.length());
    let record = world.bodies.at(scene.bodies[rank].slot);
    turn <= STRAIGHT || record.is_some_and(|record| record.shape.is_ball_about(record.mass.centre))
}

/// Lets bodies move by the mean of their velocities before and after the step, which is exact under constant forces,
/// friction included, unless a contact would end elsewhere than it was solved for: the problem is posed on `g + h u_N⁺`. A
/// contact that closes in the step does; then both of its bodies move by v⁺, and the contacts of those are looked at again.
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
            for (c, impulse) in island.contacts.iter().zip(&solution.contact_impulses) {
                let contact = &scene.contacts[*c as usize];
                let slides = [contact.a, contact.b].map(|rank| modes[rank as usize] == Mode::Slide);
                if slides == [false, false] {
                    continue;
                }
                let n = contact.frame[0];
                let posed = dt * contact.velocity(&after[contact.a as usize], &after[contact.b as usize]);
                let way = dt * contact.velocity(&velocity(modes, contact.a), &velocity(modes, contact.b));
                // What a squeeze holds goes the way of the kinematic body, not half of it where that sets off.
                let held = (posed - n * n.dot(posed)).length() <= SLIDE
                    && solution.squeezed.binary_search(&(contact.a, contact.b)).is_ok();
                let wrong = if *impulse == DVec3::ZERO {
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

/// What the stages before decided.
pub(crate) struct Outcome<'a> {
    pub islands: &'a Islands,
    pub solutions: &'a [IslandSolution],
    /// v⁺.
    pub after: &'a [Twist],
}

impl Outcome<'_> {
    /// Where an island's own scheme left a body.
    fn given(&self, body: &Moving) -> Option<&BodyState> {
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
    BodyState { position: state.position + displacement, orientation, velocity: twist.linear, spin: twist.angular }
}

fn move_body(scene: &Scene, rank: usize, record: &BodyRecord, after: &Twist, mode: Mode) -> BodyState {
    let (body, free, dt) = (&scene.bodies[rank], &scene.free[rank], scene.dt);
    let state = &body.state;
    match mode {
        Mode::Contact | Mode::Given => {
            let end = advance(state, after, dt * after.linear, dt * after.angular);
            BodyState { spin: spin_after_turn(scene, rank, record, after, end.orientation), ..end }
        }
        Mode::Flight => {
            let position = state.position + dt * (0.5 * (free.before.linear + after.linear));
            let orientation = (state.orientation * free.rotation).normalize();
            // Impulses below the solver's tolerance still count, in the body's axes like the rest.
            let change = after.angular - free.after.angular;
            let spin = free.flight_spin + orientation * (body.orientation().inverse() * change);
            BodyState { position, orientation, velocity: after.linear, spin }
        }
        Mode::Slide => {
            let turn = 0.5 * dt * (free.before.angular + after.angular);
            let end = advance(state, after, 0.5 * dt * (free.before.linear + after.linear), turn);
            BodyState { spin: spin_after_turn(scene, rank, record, after, end.orientation), ..end }
        }
        Mode::HeldBounce(time) => {
            let displacement = time * free.before.linear + (dt - time) * after.linear;
            let end = advance(&at_bounce(scene, rank, time), after, displacement, (dt - time) * after.angular);
            BodyState { spin: spin_after_turn(scene, rank, record, after, end.orientation), ..end }
        }
        Mode::Bounce(time) => {
            let rest = dt - time;
            let acceleration = (free.after.linear - free.before.linear) / dt;
            let displacement = time * (free.before.linear + 0.5 * time * acceleration)
                + rest * (after.linear - 0.5 * rest * acceleration);
            let there = at_bounce(scene, rank, time);
            if record.mass.isotropic {
                return advance(&there, after, displacement, rest * after.angular);
            }
            let (spin, rotation) = free_rotation(&record.mass, there.orientation.inverse() * after.angular, rest);
            let orientation = (there.orientation * rotation).normalize();
            let position = state.position + displacement;
            BodyState { position, orientation, velocity: after.linear, spin: orientation * spin }
        }
    }
}

/// Angular velocity of a held body whose axes of inertia have turned to `orientation`: that of the angular momentum it
/// had, and of what forces and impulses added to it. Keeping the angular velocity instead would lose or make angular
/// momentum at the order h².
fn spin_after_turn(scene: &Scene, rank: usize, record: &BodyRecord, after: &Twist, orientation: DQuat) -> DVec3 {
    let body = &scene.bodies[rank];
    // Round-off would leave what stands still with the least spin there is, to and fro.
    let stands = after.angular == DVec3::ZERO && body.state.spin.abs().max_element() < f64::MIN_POSITIVE;
    if record.mass.isotropic || stands {
        return after.angular;
    }
    let momentum = |q: DQuat, spin: DVec3| q * (record.mass.inertia * (q.inverse() * spin));
    let kicked = momentum(body.orientation(), after.angular - scene.free[rank].before.angular);
    let total = momentum(body.state.orientation, body.state.spin) + kicked;
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

/// The state that an island's own scheme gave a body. One that came to rest is where it was.
fn given_state(outcome: &Outcome, body: &Moving, record: &BodyRecord, rank: usize) -> Option<BodyState> {
    let given = outcome.given(body)?;
    if outcome.after[rank] == Twist::default() && has_stayed(record, &body.state, given) {
        return Some(BodyState { velocity: DVec3::ZERO, spin: DVec3::ZERO, ..body.state });
    }
    Some(*given)
}

/// Every entry of the account from its own formula. `moved` are the states before the correction of poses.
pub(crate) fn keep_books(
    world: &World,
    scene: &Scene,
    outcome: &Outcome,
    (modes, moved, end): (&[Mode], &[BodyState], &[BodyState]),
    ledger: &mut EnergyLedger,
) {
    let Outcome { islands, solutions, after: velocities } = *outcome;
    let (dt, gravity) = (scene.dt, world.settings.gravity);
    ledger.before = world.energy();
    for (rank, body) in scene.bodies.iter().enumerate() {
        let Some(record) = world.bodies.at(body.slot) else { continue };
        if body.nest.is_some() || body.quarantined || !record.options.enabled && record.kind == Kind::Dynamic {
            let (before, mut still) = (Energy::of(record, gravity), record.clone());
            still.state = end[rank];
            let after = Energy::of(&still, gravity);
            ledger.after = ledger.after.add(after);
            ledger.stopped += after.kinetic() - before.kinetic();
        }
        if !body.is_dynamic() {
            continue;
        }
        let (final_energy, moved_energy) =
            (Energy::at(record, &end[rank], gravity), Energy::at(record, &moved[rank], gravity));
        ledger.after = ledger.after.add(final_energy);
        ledger.stabilisation += final_energy.total() - moved_energy.total();
        if modes[rank] == Mode::Given {
            // The island's own account ends where its scheme left the body: at rest it stays where it was, and a fast body
            // may have had to stop early.
            if let Some(given) = outcome.given(body) {
                ledger.stopped += moved_energy.total() - Energy::at(record, given, gravity).total();
            }
            continue;
        }
        let (before, after) = (&scene.free[rank].before, &velocities[rank]);
        let mean =
            Twist { linear: 0.5 * (before.linear + after.linear), angular: 0.5 * (before.angular + after.angular) };
        let (force, torque) = record.applied(dt);
        ledger.external += dt * (force.dot(mean.linear) + torque.dot(mean.angular));
        let weight = record.mass.mass * record.gravity(gravity);
        ledger.integration += weight.dot(dt * mean.linear - (moved[rank].position - body.state.position));
        // A body that had to stop early has not had all of its forces.
        let lost = 0.5 * record.mass.mass * (moved[rank].velocity.length_squared() - after.linear.length_squared());
        ledger.integration += if moved[rank].velocity == after.linear { 0.0 } else { lost };
        let rotational = |orientation: DQuat, spin: DVec3| {
            let local = orientation.inverse() * spin;
            0.5 * local.dot(record.mass.inertia * local)
        };
        // What the turning axes of inertia do to the energy of held bodies.
        let turned = rotational(moved[rank].orientation, moved[rank].spin);
        ledger.integration += turned - rotational(body.orientation(), after.angular);
    }
    for (island, solution) in islands.as_slice().iter().zip(solutions) {
        if let Some(motion) = &solution.motion {
            ledger.add_works(&motion.ledger);
            continue;
        }
        for (c, impulse) in island.contacts.iter().zip(&solution.contact_impulses) {
            let contact = &scene.contacts[*c as usize];
            let (a, b) = (contact.a as usize, contact.b as usize);
            let after = contact.velocity(&velocities[a], &velocities[b]);
            let before = contact.velocity(&scene.free[a].before, &scene.free[b].before);
            let mut mean = 0.5 * (before + after);
            if contact.impact.is_some() {
                let over_step = mean;
                mean = contact.mean_velocity(&scene.free[a], &scene.free[b], &velocities[a], &velocities[b], dt);
                ledger.integration += impulse.dot(over_step - mean);
            }
            let free = contact.velocity(&scene.free[a].after, &scene.free[b].after);
            ledger.against_free_motion += 0.5 * impulse.dot(free + after);
            let normal = contact.frame[0].dot(*impulse) * contact.frame[0].dot(mean);
            // A surface that gives way stores energy and gives it back.
            *(if contact.soft.is_some() { &mut ledger.spring } else { &mut ledger.normal }) += normal;
            ledger.friction += impulse.dot(mean) - normal;
            if contact.running != DVec3::ZERO {
                // Friction takes what slides; the drive of the surface pays for what it moves.
                ledger.friction += impulse.dot(contact.running);
                ledger.driven -= impulse.dot(contact.running);
            }
            if [a, b].iter().any(|rank| scene.bodies[*rank].kind == Kind::Kinematic) {
                ledger.driven -= impulse.dot(contact.velocity(&driven(scene, a), &driven(scene, b)));
            }
        }
    }
}

/// The given velocity of a kinematic body; zero for the others.
fn driven(scene: &Scene, rank: usize) -> Twist {
    if scene.bodies[rank].kind == Kind::Kinematic { scene.free[rank].after } else { Twist::default() }
}

/// Memory of [`commit`], kept from step to step.
#[derive(Default)]
pub(crate) struct CommitSpace {
    handles: Vec<BodyHandle>,
    forces: Vec<ConstraintForces>,
    /// Impulses of contacts \[N·s\]; none of those in no island.
    impulses: Vec<Option<DVec3>>,
}

/// Nothing can fail any more: the step becomes the state of the world. Whether anything that a step depends on is other
/// than before.
pub(crate) fn commit(world: &mut World, ws: &mut Workspace, dt: f64, events: &mut Vec<JointEvent>) -> bool {
    let mut changed = false;
    let CommitSpace { handles, forces, impulses } = &mut ws.commit;
    handles.clear();
    handles.extend(ws.bodies.iter().map(|b| BodyHandle(world.bodies.key(b.slot))));
    forces.clear();
    forces.resize(ws.bodies.len(), ConstraintForces::default());
    world.read_out.set_aside(&world.contacts);
    // What sleeps is held by the contacts of its last step.
    let (bodies, ranks) = (&ws.bodies, &ws.ranks);
    let asleep = |handle: &BodyHandle| {
        ranks.get(handle.0.slot as usize).copied().flatten().is_some_and(|rank| bodies[rank as usize].nest.is_some())
    };
    if bodies.iter().any(|body| body.nest.is_some()) {
        world.contacts.retain(|contact| asleep(&contact.a) || asleep(&contact.b));
    } else {
        world.contacts.clear();
    }
    let held = world.contacts.len();
    impulses.clear();
    impulses.resize(ws.contacts.len(), None);
    for (island, solution) in ws.islands.as_slice().iter().zip(&ws.solutions) {
        for (c, impulse) in island.contacts.iter().zip(&solution.contact_impulses) {
            let contact = &ws.contacts[*c as usize];
            let (a, b) = (contact.a as usize, contact.b as usize);
            push(&mut forces[b], *impulse / dt, contact.arm_b);
            push(&mut forces[a], -*impulse / dt, contact.arm_a);
            impulses[*c as usize] = Some(*impulse);
        }
        let mut left = solution.joint_impulses.as_slice();
        for j in &island.joints {
            let joint = &ws.joints[*j as usize];
            let (impulse, rest) = left.split_at(joint.row_count());
            left = rest;
            if let Some(record) = world.joints.at_mut(joint.slot) {
                let place = world.joint_order.iter().position(|slot| *slot == joint.slot).unwrap_or(0);
                changed |= record.take_impulse(place as u32, impulse, dt, events);
            }
        }
    }
    let moved = ws.islands.as_slice().iter().zip(&ws.solutions).filter_map(|(i, s)| Some((i, s.motion.as_ref()?)));
    for (island, motion) in moved {
        for (rank, (impulse, angular)) in island.bodies.iter().zip(&motion.joint_wrench) {
            forces[*rank as usize].force += *impulse / dt;
            forces[*rank as usize].torque += *angular / dt;
        }
        for (rank, impulse, angular) in &motion.given_wrench {
            forces[*rank as usize].force += *impulse / dt;
            forces[*rank as usize].torque += *angular / dt;
        }
    }
    let solved = || ws.contacts.iter().zip(&*impulses).filter_map(|(contact, impulse)| Some((contact, (*impulse)?)));
    for (contact, impulse) in solved() {
        let (a, b) = (contact.a as usize, contact.b as usize);
        world.contacts.push(ContactPoint {
            a: handles[a],
            b: handles[b],
            part_a: contact.feature.sub_a,
            part_b: contact.feature.sub_b,
            point: contact.point,
            normal: contact.frame[0],
            gap: contact.gap,
            impulse,
            velocity: contact.surface_velocity(&ws.after[a], &ws.after[b]),
            approach: contact.closing(&ws.free[a], &ws.free[b]),
        });
    }
    if held > 0 {
        let rank = |handle: BodyHandle| ranks[handle.0.slot as usize];
        world.contacts.sort_by_key(|contact| (rank(contact.a), rank(contact.b)));
    }
    let remembered = solved().filter_map(|(contact, impulse)| {
        let point = CachedPoint { feature: contact.feature, point: contact.point, normal: contact.frame[0], impulse };
        contact.impact.is_none().then_some((handles[contact.a as usize], handles[contact.b as usize], point))
    });
    changed |= world.cache.store(dt, remembered, |(a, b)| asleep(a) || asleep(b));
    world.events.begin();
    world.events.touch(&world.contacts, &world.bodies);
    for (((body, state), constraint), rest) in ws.bodies.iter().zip(&ws.end).zip(&*forces).zip(&ws.rest) {
        let key = world.bodies.key(body.slot);
        let Some(record) = world.bodies.at_mut(body.slot) else { continue };
        changed |= record.rest != *rest;
        if record.rest.nest.is_some() != rest.nest.is_some() {
            world.events.sleep.push(SleepEvent { body: BodyHandle(key), asleep: rest.nest.is_some() });
        }
        record.rest = *rest;
        world.next_nest = world.next_nest.max(rest.nest.map_or(0, |nest| nest + 1));
        if body.nest.is_some() {
            continue;
        }
        changed |= record.quarantined != body.quarantined || bits(&record.state) != bits(state);
        changed |= (record.force, record.torque) != (record.options.force, record.options.torque);
        record.quarantined = body.quarantined;
        record.state = *state;
        record.constraint = *constraint;
        record.force = record.options.force;
        record.torque = record.options.torque;
    }
    events.sort_by_key(JointEvent::joint);
    world.count_turns(dt);
    changed
}

/// A state to the last bit: of two zeros the sign too.
fn bits(state: &BodyState) -> [u64; 13] {
    let BodyState { position, orientation, velocity, spin } = state;
    let (x, q, v, w) = (position.to_array(), orientation.to_array(), velocity.to_array(), spin.to_array());
    let mut numbers = x.into_iter().chain(q).chain(v).chain(w);
    std::array::from_fn(|_| numbers.next().map_or(0, f64::to_bits))
}

fn push(forces: &mut ConstraintForces, force: DVec3, arm: DVec3) {
    forces.force += force;
    forces.torque += arm.cross(force);
}
