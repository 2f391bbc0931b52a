//! Time of impact: one time per body at which all impulses of the step act on it. In: touches with their times. Out:
//! one time per body. Eq.: none.
//!
//! A body has one velocity before the impulses of a step and one after them. So all impulses of the step act on it at
//! one time, at the pose it has then. For a body that bounces that is the time of its first bounce, and bodies that
//! bounce off each other share it. A later bounce in the same step, and all other contacts of such a body, are treated
//! at that time too, with the gap that is left. Joint rows are taken at the start poses; therefore bodies with a joint,
//! and bodies that bounce off them, have their impact at the start of the step.
//!
//! Arms go from the centres of mass at that time to one point shared by both bodies. Linear and angular momentum of an
//! isolated system are then conserved to round-off, however many of its bodies bounce.

use crate::World;
use crate::joint::Anchor;
use crate::step::collision::detector::{Detector, PlacedShape};
use crate::step::collision::manifold::Manifold;
use crate::step::collision::sweep::{approach, look_ahead, margin};
use crate::step::collision::{Near, Touch};
use crate::step::island::root;

/// Memory of the stage, kept between steps.
#[derive(Default)]
pub(crate) struct ImpactTimes {
    /// Union–find parents of bodies that share a time of impact; in the end the first body of each group.
    with: Vec<u32>,
    /// Earliest bounce of each group, indexed by its first body \[s\].
    times: Vec<f64>,
    touches: Vec<Touch>,
    found: Vec<Manifold>,
}

/// Fills in the times of impact by rank, and computes touches that would have bounced later again at those times.
pub(crate) fn agree(
    world: &World,
    near: &Near,
    ranks: &[Option<u32>],
    (space, detector): (&mut ImpactTimes, &mut Detector),
    touches: &mut Vec<Touch>,
    met_at: &mut Vec<Option<f64>>,
) {
    met_at.clear();
    if touches.iter().all(|touch| touch.bounce.is_none()) {
        return;
    }
    let Near { flights, dt, .. } = *near;
    let bodies = flights.bodies;
    met_at.resize(bodies.len(), None);
    let ImpactTimes { with, times, touches: looked_at, found } = space;
    with.clear();
    with.extend(0..bodies.len() as u32);
    times.clear();
    times.resize(bodies.len(), f64::INFINITY);
    let dynamic = |rank: u32| bodies[rank as usize].is_dynamic();
    let bounces = |touch: &Touch| touch.bounce.map(|time| (touch.a, touch.b, time));
    for (a, b, time) in touches.iter().filter_map(bounces) {
        let (first, second) = (root(with, a), root(with, b));
        // Fixed and kinematic bodies do not connect others.
        let (met, other) = match (dynamic(a), dynamic(b)) {
            (true, true) => (first.min(second), first.max(second)),
            (true, false) => (first, first),
            (false, _) => (second, second),
        };
        with[other as usize] = met;
        times[met as usize] = times[met as usize].min(times[other as usize]).min(time);
    }
    // Roots have the lowest rank, so one pass in ascending order leaves every entry pointing at its root.
    for rank in 0..with.len() {
        with[rank] = with[with[rank] as usize];
    }
    let group = |rank: u32| with[rank as usize] as usize;
    for record in world.joint_order.iter().filter_map(|slot| world.joints.at(*slot)).filter(|record| record.enabled) {
        let partner = if let Anchor::Body(b, _) = record.joint.b { Some(b.0.slot) } else { None };
        for slot in [Some(record.joint.a.0.0.slot), partner].into_iter().flatten() {
            if let Some(rank) = ranks.get(slot as usize).copied().flatten() {
                times[group(rank)] = 0.0;
            }
        }
    }
    for (a, b, _) in touches.iter().filter_map(bounces) {
        for rank in [a, b] {
            if dynamic(rank) {
                met_at[rank as usize] = Some(times[group(rank)]);
            }
        }
    }
    let time_of = |touch: &Touch| {
        let mover = if dynamic(touch.a) { touch.a } else { touch.b };
        times[group(mover)]
    };
    let later = |touch: &Touch| !touch.caught && touch.bounce.is_some_and(|time| time > time_of(touch));
    if !touches.iter().any(later) {
        return;
    }
    looked_at.clear();
    let mut pending = touches.drain(..).peekable();
    while let Some(mut touch) = pending.next() {
        let (a, b) = (touch.a, touch.b);
        let records = (world.bodies.at(bodies[a as usize].slot), world.bodies.at(bodies[b as usize].slot));
        let (true, (Some(record_a), Some(record_b))) = (later(&touch), records) else {
            looked_at.push(touch);
            continue;
        };
        let time = time_of(&touch);
        let margin = margin(world, dt);
        let within = look_ahead(margin, approach([record_a, record_b], [flights.of(a), flights.of(b)], dt));
        let placed = |rank: u32, record| {
            let start = &bodies[rank as usize].state;
            PlacedShape::new(record, flights.of(rank).pose_at(start, record, time, dt))
        };
        detector.collide(placed(a, record_a), placed(b, record_b), within, found);
        if found.is_empty() {
            // The parts are too far apart at that time: use the points at their own time of touch.
            looked_at.push(touch);
            continue;
        }
        detector.take_back(&mut touch.manifold);
        while let Some(mut same) = pending.next_if(|next| (next.a, next.b) == (a, b)) {
            detector.take_back(&mut same.manifold);
        }
        looked_at.extend(found.drain(..).map(|manifold| Touch { a, b, bounce: Some(time), caught: false, manifold }));
    }
    drop(pending);
    std::mem::swap(touches, looked_at);
}
