//! Runs the narrow phase on the pairs of a step: at the start poses, at the time at which the pair bounces, or where
//! continuous detection caught a body.

use crate::World;
use crate::step::collision::Near;
use crate::step::collision::ccd::TimeOfImpact;
use crate::step::collision::detector::{Detector, PlacedShape};
use crate::step::collision::manifold::Manifold;
use crate::step::collision::sweep::{approach, look_ahead, margin};
use crate::step::contact::Pair;

/// Contact points of two bodies at some time within the step.
#[derive(Clone, Debug)]
pub(crate) struct Touch {
    pub a: u32,
    pub b: u32,
    /// When the first of the points bounces, if any does \[s\]: the points are seen then.
    pub bounce: Option<f64>,
    /// A body with continuous detection was caught at that time: whatever is closed then is an impact.
    pub caught: bool,
    pub manifold: Manifold,
}

/// Memory of the stage, kept from step to step.
#[derive(Default)]
pub(crate) struct TouchSpace {
    found: Vec<Manifold>,
    at_impact: Vec<Manifold>,
}

/// Points of contact of every pair. `times` are those of `ccd`: of every pair, or none at all if no body asks for it.
pub(crate) fn find(
    world: &World,
    near: &Near,
    times: &[TimeOfImpact],
    detector: &mut Detector,
    space: &mut TouchSpace,
    out: &mut Vec<Touch>,
) {
    let TouchSpace { found, at_impact } = space;
    let Near { flights, pairs, dt } = *near;
    out.iter_mut().for_each(|touch| detector.take_back(&mut touch.manifold));
    out.clear();
    let margin = margin(world, dt);
    for (index, &(i, j)) in pairs.iter().enumerate() {
        let bodies = [i, j].map(|rank| &flights.bodies[rank as usize]);
        let (Some(a), Some(b)) = (world.bodies.at(bodies[0].slot), world.bodies.at(bodies[1].slot)) else { continue };
        let free = [i, j].map(|rank| flights.of(rank));
        let approach = approach([a, b], free, dt);
        let near = look_ahead(margin, approach);
        let placed_at = |time: f64| {
            let [one, two] = [(0, a), (1, b)].map(|(side, record)| {
                PlacedShape::new(record, free[side].pose_at(&bodies[side].state, record, time, dt))
            });
            (one, two)
        };
        match times.get(index) {
            None | Some(TimeOfImpact::Discrete) => {}
            Some(TimeOfImpact::Never) => continue,
            Some(TimeOfImpact::At(time)) => {
                // Other points that may close in the rest of the step are looked at as well.
                let rest = margin + (near - margin) * (1.0 - time / dt);
                let (one, two) = placed_at(*time);
                detector.collide(one, two, rest, at_impact);
                let caught = |manifold| Touch { a: i, b: j, bounce: Some(*time), caught: true, manifold };
                out.extend(at_impact.drain(..).map(caught));
                continue;
            }
        }
        let (one, two) = (PlacedShape::at_start(a), PlacedShape::at_start(b));
        // No point is faster than its bodies: nothing bounces.
        if approach < world.settings.rest_speed * dt {
            let wrap = |manifold| Touch { a: i, b: j, bounce: None, caught: false, manifold };
            detector.remembered((i, j), one, two, near, out, wrap);
            continue;
        }
        detector.remembered((i, j), one, two, near, found, |manifold| manifold);
        let pair = Pair { a: i, b: j, bodies, free, dt };
        let mut bounce = pair.first_bounce(found, &world.pair_surface(a, b), world.settings.rest_speed);
        if let Some(time) = bounce.filter(|time| *time > 0.0) {
            let (one, two) = placed_at(time);
            detector.collide(one, two, near, at_impact);
            if at_impact.is_empty() {
                bounce = Some(0.0);
            } else {
                std::mem::swap(found, at_impact);
            }
        }
        out.extend(found.drain(..).map(|manifold| Touch { a: i, b: j, bounce, caught: false, manifold }));
    }
}
