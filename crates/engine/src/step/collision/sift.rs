//! Collision filters, after the broad phase. In: pairs. Out: pairs that may push each other, and pairs of a sensor and
//! another body. Eq.: none.

use crate::body::{BodyRecord, Kind};
use crate::ids::Arena;
use crate::step::Moving;
use crate::step::collision::manifold::{Manifold, NarrowPhase};
use crate::step::collision::{Collision, Touch};
use crate::{BodyHandle, World};

/// Pairs of a sensor and another body, by rank, and what the sensors found.
#[derive(Default)]
pub(crate) struct SensorSpace {
    pairs: Vec<(u32, u32)>,
    found: Vec<(BodyHandle, u32, BodyHandle)>,
    manifolds: Vec<Manifold>,
}

impl World {
    /// Whether any body or part has a filter, or is a sensor.
    fn has_rules(&self) -> bool {
        let ruled = |record: &BodyRecord| {
            let options = &record.options;
            options.sensor || !options.enabled || options.filter != crate::Filter::ALL || record.shape.has_rules()
        };
        self.pair_filter.is_some() || self.order.iter().filter_map(|slot| self.bodies.at(*slot)).any(ruled)
    }
}

/// Removes the pairs that do not push each other, and stores those with a sensor. Two fixed bodies are no pair.
pub(crate) fn sift(world: &World, pairs: &mut Vec<(u32, u32)>, space: &mut SensorSpace) {
    space.pairs.clear();
    if !world.has_rules() {
        return;
    }
    let record = |rank: u32| world.bodies.at(world.order[rank as usize]);
    let sensing = |record: &BodyRecord| record.options.sensor || record.shape.rules().any(|rule| rule.sensor);
    pairs.retain(|(i, j)| {
        let (Some(a), Some(b)) = (record(*i), record(*j)) else { return false };
        let moves = a.kind != Kind::Fixed || b.kind != Kind::Fixed;
        if moves && (sensing(a) || sensing(b)) && world.may_meet(a, b) {
            space.pairs.push((*i, *j));
        }
        world.may_push(a, b)
    });
}

/// Finds which bodies are in which sensor at the end of a step, and creates the events.
pub(crate) fn sense(world: &mut World, collision: &mut Collision) {
    let Collision { sensors: space, detector, .. } = collision;
    let finder: &mut NarrowPhase = detector.narrow_phase();
    space.found.clear();
    for (i, j) in space.pairs.iter().copied() {
        let slots = [i, j].map(|rank| world.order[rank as usize]);
        let [Some(a), Some(b)] = slots.map(|slot| world.bodies.at(slot)) else { continue };
        for (sensor, other, of, with) in [(0, 1, a, b), (1, 0, b, a)] {
            let handles = [slots[sensor], slots[other]].map(|slot| BodyHandle(world.bodies.key(slot)));
            finder.recycle(&mut space.manifolds);
            let agrees = |p: usize, q: usize| of.shape.rule(p).filter.meets(with.shape.rule(q).filter);
            let placed = (&of.shape, of.pose(), &with.shape, with.pose());
            if of.options.sensor {
                finder.touch_parts(placed, agrees, &mut space.manifolds);
                space.found.extend((!space.manifolds.is_empty()).then_some((handles[0], 0, handles[1])));
                continue;
            }
            for part in (0..of.shape.parts().len()).filter(|part| of.shape.rule(*part).sensor) {
                finder.recycle(&mut space.manifolds);
                finder.touch_parts(placed, |p, q| p == part && agrees(p, q), &mut space.manifolds);
                space.found.extend((!space.manifolds.is_empty()).then_some((handles[0], part as u32, handles[1])));
            }
        }
    }
    // Sort by sensor, in the order of ids.
    let (bodies, found) = (&world.bodies, &mut space.found);
    found.sort_by(|x, y| (id(bodies, x.0), x.1, id(bodies, x.2)).cmp(&(id(bodies, y.0), y.1, id(bodies, y.2))));
    world.events.sense(&space.found, world.time);
}

fn id(bodies: &Arena<BodyRecord>, body: BodyHandle) -> Option<&crate::BodyId> {
    bodies.get(body.0).ok().map(|record| &record.id)
}

/// A one-way body lets a point through that lies deeper than this behind its surface \[m\]: ten times the overlap that
/// a certified step may make.
const BEHIND: f64 = 10.0 * crate::MAX_OVERLAP;

/// Removes the touches that one-way bodies let through.
pub(crate) fn let_through(world: &World, bodies: &[Moving], touches: &mut Vec<Touch>) {
    let record = |rank: u32| world.bodies.at(bodies[rank as usize].slot);
    touches.retain(|touch| match record(touch.a).zip(record(touch.b)) {
        Some((a, b)) if a.options.one_way.is_some() || b.options.one_way.is_some() => {
            !lets_through(a, b, &touch.manifold)
        }
        _ => true,
    });
}

/// Whether a one-way body lets a manifold through: the other body is not in front of its surface, or the manifold
/// belongs to a side face. `normal` points from A to B.
fn lets_through(a: &BodyRecord, b: &BodyRecord, manifold: &Manifold) -> bool {
    let through = |record: &BodyRecord, outward: glamx::DVec3| {
        record.options.one_way.is_some_and(|axis| {
            // Faces tilted by more than 45° against the axis, such as the sides of a platform, let through.
            (record.state.orientation * axis).dot(outward) < std::f64::consts::FRAC_1_SQRT_2
                || manifold.least_gap() < -BEHIND
        })
    };
    through(a, manifold.normal) || through(b, -manifold.normal)
}
