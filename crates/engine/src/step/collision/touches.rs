//! Touches. In: pairs, flights. Out: contact points of each pair, computed at the start poses, at the time at which the
//! pair bounces, or where continuous detection found the first touch. Eq.: none.

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
    /// Time of the first bounce among the points, if any bounces \[s\]; the points are those at that time.
    pub bounce: Option<f64>,
    /// Whether that time was found by continuous detection: every point closed then is an impact.
    pub caught: bool,
    pub manifold: Manifold,
}

/// Memory of the stage, kept between steps.
#[derive(Default)]
pub(crate) struct TouchSpace {
    found: Vec<Manifold>,
    at_impact: Vec<Manifold>,
}

/// Finds the contact points of every pair. `times` are those of `ccd`, one per pair, or empty if no body is fast.
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
                // Include other points that may close in the rest of the step.
                let rest = margin + (near - margin) * (1.0 - time / dt);
                let (one, two) = placed_at(*time);
                detector.collide(one, two, rest, at_impact);
                let caught = |manifold| Touch { a: i, b: j, bounce: Some(*time), caught: true, manifold };
                out.extend(at_impact.drain(..).map(caught));
                continue;
            }
        }
        let (one, two) = (PlacedShape::at_start(a), PlacedShape::at_start(b));
        // No point is fast enough to bounce.
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
