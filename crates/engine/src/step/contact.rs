//! Stages 2–4/9, from bodies to contacts. In: poses, v*. Out: contacts with frame, arms, coefficients, impact, guess.
//! Eq.: n from A to B; t₁ = eᵢ×n/‖eᵢ×n‖ with eᵢ the axis of least |nᵢ|; t₂ = n×t₁; μ = √(μ_A μ_B), e = √(e_A e_B).
//!
//! # Contacts that are still open
//!
//! A contact with gap g > 0 is looked at when its bodies could close it within the step. Without bounce it enters as
//! `u_N⁺ ≥ −g/h`: the bodies may come together but not pass through each other, and no work is done.
//!
//! # Impacts inside a step
//!
//! A contact bounces if its gap closes within the step, `g + u⁻t + ½at² = 0` for some t ≤ h with a the free relative
//! acceleration, at a speed `u_i = u⁻ + a t` of at least the rest speed. Newton's law then asks for
//!
//! ```text
//! u_N⁺ ≥ c,   c = max(0, −e u_i + (h − t) a)
//! ```
//!
//! that is, −e u_i just after the impact and free motion for the rest of the step. With t = 0 or a = 0 this is
//! `u_N⁺ = −e u_N⁻`; with it a ball that falls and bounces has the energy of the closed form in every step, wherever in
//! a step it hits. A contact has either the gap term or the bounce, never both.
//!
//! Two dynamic bodies that close a gap bounce at the start of the step (t = 0, `u_i = u⁻`). The normal is that of the
//! start, so moving both to the impact along their tangential velocities would change their angular momentum; bouncing
//! early by at most one step does not.

use crate::shape::Aabb;
use crate::step::free_motion::FreeMotion;
use crate::step::manifold::{FeatureKey, Manifold, NarrowPhase};
use crate::step::{Moving, Twist};
use crate::{BodyHandle, StepError, World};
use glamx::DVec3;

/// Speed [m/s] that the margin for slow bodies may stand for: with a very short step a fixed distance would be an
/// enormous speed, and tolerances are relative to the largest speed of a problem.
const MARGIN_SPEED: f64 = 1.0;

/// A bounce.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Impact {
    /// When within the step \[s\].
    pub time: f64,
    /// Normal velocity just before, negative [m/s].
    pub speed: f64,
    /// Free normal acceleration [m/s²].
    pub acceleration: f64,
}

impl Impact {
    /// Least normal velocity at the end of the step [m/s].
    pub fn target(&self, restitution: f64, dt: f64) -> f64 {
        f64::max(0.0, -restitution * self.speed + (dt - self.time) * self.acceleration)
    }
}

/// Which parts and which of their faces, edges or vertices meet: the same from step to step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Feature {
    pub sub_a: u32,
    pub sub_b: u32,
    pub key: FeatureKey,
}

/// One point of contact. `a` and `b` are ranks, `a < b`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contact {
    pub a: u32,
    pub b: u32,
    pub feature: Feature,
    /// Middle between the surfaces \[m\].
    pub point: DVec3,
    /// n, t₁, t₂.
    pub frame: [DVec3; 3],
    /// From A's centre of mass \[m\].
    pub arm_a: DVec3,
    /// From B's centre of mass \[m\].
    pub arm_b: DVec3,
    /// \[m\].
    pub gap: f64,
    pub friction: f64,
    pub restitution: f64,
    pub impact: Option<Impact>,
    /// Impulse to start from, world axes \[N·s\].
    pub guess: DVec3,
}

impl Contact {
    /// Mean of the velocity just before and just after the impulse, with which its work is counted [m/s]. For a bounce
    /// inside the step that is not the mean over the step: forces act before and after it.
    pub fn mean_velocity(&self, a: &FreeMotion, b: &FreeMotion, after_a: &Twist, after_b: &Twist, dt: f64) -> DVec3 {
        let before = self.velocity(&a.before, &b.before);
        let mean = 0.5 * (before + self.velocity(after_a, after_b));
        match &self.impact {
            None => mean,
            Some(impact) => mean + (impact.time / dt - 0.5) * (self.velocity(&a.after, &b.after) - before),
        }
    }
    /// Velocity of B against A at the contact, world axes [m/s].
    pub fn velocity(&self, a: &Twist, b: &Twist) -> DVec3 {
        b.at(self.arm_b) - a.at(self.arm_a)
    }
}

/// n, t₁, t₂: orthonormal and right-handed, a function of n alone.
pub(crate) fn contact_frame(n: DVec3) -> [DVec3; 3] {
    let size = n.abs();
    let axis = if size.x <= size.y && size.x <= size.z {
        DVec3::X
    } else if size.y <= size.z {
        DVec3::Y
    } else {
        DVec3::Z
    };
    let t1 = axis.cross(n).normalize();
    [n, t1, n.cross(t1)]
}

/// Farthest any point of a body may come in the step \[m\].
fn travel(reach: f64, free: &FreeMotion, dt: f64) -> f64 {
    let speed = free.before.linear.length().max(free.after.linear.length());
    let spin = free.before.angular.length().max(free.after.angular.length());
    dt * (speed + spin * reach)
}

fn margin(world: &World, dt: f64) -> f64 {
    world.settings.margin.min(MARGIN_SPEED * dt)
}

/// Boxes around everything a body may touch in the step, by rank.
pub(crate) fn swept_boxes(world: &World, free: &[FreeMotion], dt: f64, boxes: &mut Vec<Aabb>) {
    let margin = margin(world, dt);
    boxes.clear();
    for (slot, free) in world.order.iter().zip(free) {
        let Some(body) = world.bodies.at(*slot) else { continue };
        boxes.push(body.shape.aabb(&body.pose()).inflated(0.5 * margin + travel(body.reach, free, dt)));
    }
}

/// Points of contact of every pair that has a dynamic body and is not jointed.
pub(crate) fn manifolds(
    world: &World,
    free: &[FreeMotion],
    pairs: &[(u32, u32)],
    dt: f64,
    narrow_phase: &mut NarrowPhase,
    out: &mut Vec<(u32, u32, Manifold)>,
) {
    let jointed = jointed_pairs(world);
    let mut found = Vec::new();
    out.clear();
    for &(i, j) in pairs {
        let (slot_a, slot_b) = (world.order[i as usize], world.order[j as usize]);
        let (Some(a), Some(b)) = (world.bodies.at(slot_a), world.bodies.at(slot_b)) else { continue };
        if a.mass.inverse_mass == 0.0 && b.mass.inverse_mass == 0.0 {
            continue;
        }
        if jointed.binary_search(&(slot_a.min(slot_b), slot_a.max(slot_b))).is_ok() {
            continue;
        }
        let near = margin(world, dt) + travel(a.reach, &free[i as usize], dt) + travel(b.reach, &free[j as usize], dt);
        found.clear();
        narrow_phase.collide(&a.shape, &a.pose(), &b.shape, &b.pose(), near, &mut found);
        out.extend(found.drain(..).map(|manifold| (i, j, manifold)));
    }
}

/// Slots of bodies whose joint says that they do not touch, sorted.
fn jointed_pairs(world: &World) -> Vec<(u32, u32)> {
    use crate::joint::{Anchor, PairContact};
    let mut pairs: Vec<_> = world
        .joint_order
        .iter()
        .filter_map(|slot| world.joints.at(*slot))
        .filter(|record| record.joint.contact == PairContact::Ignored)
        .filter_map(|record| match record.joint.b {
            Anchor::Body(b, _) => Some((record.joint.a.0.0.slot.min(b.0.slot), record.joint.a.0.0.slot.max(b.0.slot))),
            Anchor::World(_) => None,
        })
        .collect();
    pairs.sort_unstable();
    pairs
}

pub(crate) fn contacts(
    world: &World,
    bodies: &[Moving],
    free: &[FreeMotion],
    manifolds: &[(u32, u32, Manifold)],
    dt: f64,
    out: &mut Vec<Contact>,
) -> Result<(), StepError> {
    out.clear();
    let (found, limit) = (manifolds.iter().map(|m| m.2.points.len()).sum(), world.settings.max_contacts);
    if found > limit {
        return Err(StepError::TooManyContacts { found, limit });
    }
    for (a, b, manifold) in manifolds {
        let (body_a, body_b) = (&bodies[*a as usize], &bodies[*b as usize]);
        let (Some(record_a), Some(record_b)) = (world.bodies.at(body_a.slot), world.bodies.at(body_b.slot)) else {
            continue;
        };
        let material = record_a.material.combine(record_b.material);
        let frame = contact_frame(manifold.normal);
        for point in &manifold.points {
            let middle = (point.on_a + point.on_b) * 0.5;
            let mut contact = Contact {
                a: *a,
                b: *b,
                feature: Feature { sub_a: manifold.sub_a, sub_b: manifold.sub_b, key: point.key },
                point: middle,
                frame,
                arm_a: point.on_a - body_a.state.position,
                arm_b: point.on_b - body_b.state.position,
                gap: point.gap,
                friction: material.friction,
                restitution: material.restitution,
                impact: None,
                guess: DVec3::ZERO,
            };
            let (free_a, free_b) = (&free[*a as usize], &free[*b as usize]);
            let before = frame[0].dot(contact.velocity(&free_a.before, &free_b.before));
            let after = frame[0].dot(contact.velocity(&free_a.after, &free_b.after));
            let timing = if body_a.is_dynamic() && body_b.is_dynamic() { Timing::Start } else { Timing::Inside };
            let approach = Approach { velocity: before, acceleration: (after - before) / dt, timing };
            contact.impact = impact(&contact, &approach, dt, world.settings.rest_speed);
            if contact.impact.is_none() || timing == Timing::Start {
                // The impulse acts where the bodies are now, on both at the same point: otherwise friction across a
                // gap would make angular momentum.
                contact.arm_a = middle - body_a.state.position;
                contact.arm_b = middle - body_b.state.position;
            }
            out.push(contact);
        }
    }
    let handle = |rank: u32| BodyHandle(world.bodies.key(bodies[rank as usize].slot));
    world.cache.guess(dt, handle, out);
    Ok(())
}

/// When a bounce is taken to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Timing {
    Start,
    Inside,
}

/// Free normal motion of a contact.
#[derive(Clone, Copy, Debug)]
struct Approach {
    /// Before forces, negative when approaching [m/s].
    velocity: f64,
    /// [m/s²].
    acceleration: f64,
    timing: Timing,
}

/// Whether, when and how fast the contact closes within the step.
fn impact(contact: &Contact, approach: &Approach, dt: f64, rest_speed: f64) -> Option<Impact> {
    let Approach { velocity, acceleration, timing } = *approach;
    let gap = contact.gap.max(0.0);
    let square = velocity * velocity - 2.0 * acceleration * gap;
    if square < 0.0 {
        return None;
    }
    let speed = if gap == 0.0 { velocity } else { -square.sqrt() };
    let time = if gap == 0.0 { 0.0 } else { 2.0 * gap / (-velocity - speed) };
    // A NaN or negative time (the gap opens) fails the comparison.
    if !(0.0..=dt).contains(&time) {
        return None;
    }
    let (time, speed) = match timing {
        Timing::Start => (0.0, velocity),
        Timing::Inside => (time, speed),
    };
    if -speed < rest_speed {
        return None;
    }
    let impact = Impact { time, speed, acceleration };
    (impact.target(contact.restitution, dt) > 0.0).then_some(impact)
}

#[cfg(test)]
#[path = "contact_tests.rs"]
mod tests;
