//! What a step keeps from the last one for its memory never shows: a fresh workspace in every step, or problems asked for
//! between steps, give the same bits.

use crate::fixture::*;
use signorini::{ImpactLaw, Sleeping};

/// Everything that has memory at once: tumbling boxes that bounce, a chain that swings into them, a row of balls that pass
/// impacts on, plates that squeeze a cube, and one fast ball.
fn yard(impact: ImpactLaw, sleeping: Sleeping) -> World {
    let mut w = World::new(Settings { impact, sleeping, ..Settings::default() }).unwrap();
    add_floor(&mut w, 0.5, 0.4);
    for i in 0..4 {
        let turn = DQuat::from_scaled_axis(v(0.3, 0.2 * f64::from(i), 0.5));
        let place = v(0.3 * f64::from(i % 2), 0.1 * f64::from(i), 0.6 + 0.7 * f64::from(i));
        let half = v(0.4, 0.2, 0.1 + 0.05 * f64::from(i));
        let body =
            Body::dynamic(Shape::cuboid(half).unwrap()).mass(1.0).orientation(turn).angular_velocity(v(3.0, 1.0, 2.0));
        w.add(body.position(place).material(surface(0.5, 0.4)).named(&format!("box {i}"))).unwrap();
    }
    let mut last: Option<BodyHandle> = None;
    for i in 0..4 {
        let link = Body::dynamic(Shape::cuboid(v(0.2, 0.05, 0.05)).unwrap()).mass(1.0);
        let link = w.add(link.position(v(1.2 + 0.4 * f64::from(i), 0.0, 1.6)).named(&format!("link {i}"))).unwrap();
        let at = v(-0.2, 0.0, 0.0);
        match last {
            None => w.add_joint(Joint::ball(link, at, v(1.0, 0.0, 1.6))).unwrap(),
            Some(before) => w.add_joint(Joint::ball(link, at, (before, v(0.2, 0.0, 0.0)))).unwrap(),
        };
        last = Some(link);
    }
    for i in 0..4 {
        let speed = if i == 0 { 2.0 } else { 0.0 };
        let row = ball(&format!("row {i}"), v(f64::from(i) - if i == 0 { 0.02 } else { 0.0 }, 5.0, 0.5));
        w.add(row.velocity(v(speed, 0.0, 0.0)).material(surface(0.0, 1.0))).unwrap();
    }
    w.add(cube("squeezed", v(-5.0, 0.0, 0.5)).material(surface(0.5, 0.0))).unwrap();
    for (name, side) in [("left", -1.0), ("right", 1.0)] {
        let plate =
            Body::kinematic(Shape::cuboid(v(0.1, 1.0, 1.0)).unwrap()).position(v(-5.0 + 0.602 * side, 0.0, 1.2));
        w.add(plate.velocity(v(-0.005 * side, 0.0, 0.0)).named(name)).unwrap();
    }
    w.add(ball("fast", v(0.0, -8.0, 3.0)).velocity(v(0.0, 60.0, -20.0)).fast()).unwrap();
    w
}

fn worlds() -> Vec<World> {
    let sleeping = Sleeping::Islands { speed: 0.05, angular_speed: 0.05, time: 0.1 };
    vec![
        yard(ImpactLaw::Newton, Sleeping::Off),
        yard(ImpactLaw::sequential(), Sleeping::Off),
        yard(ImpactLaw::sequential(), sleeping),
    ]
}

/// One step, everything that it says but the times, and the state after it.
fn told(w: &mut World) -> (StepReport, Vec<u8>) {
    let mut report = w.step(H).unwrap();
    report.times = Default::default();
    report.counts.replayed = 0;
    (report, w.snapshot().to_bytes())
}

#[test]
fn a_fresh_workspace_in_every_step_gives_the_same_bits() {
    for (index, mut w) in worlds().into_iter().enumerate() {
        let mut fresh = w.fork();
        for step in 0..70 {
            // A fork has the state of a world and none of its memory.
            fresh = fresh.fork();
            assert_eq!(told(&mut w), told(&mut fresh), "world {index}, step {step}");
        }
    }
}

#[test]
fn problems_asked_for_between_steps_change_nothing() {
    for (index, mut w) in worlds().into_iter().enumerate() {
        let mut asked = w.fork();
        for step in 0..40 {
            let problems = asked.problems(H).unwrap().len();
            let (one, two) = (told(&mut w), told(&mut asked));
            assert_eq!(one, two, "world {index}, step {step}");
            assert_eq!(problems, two.0.counts.islands, "world {index}, step {step}");
            // Nor what is told of the step before: other islands may come next.
            let owners = |w: &World| -> Vec<_> { (0..40).map(|block| w.block_owner(0, block)).collect() };
            asked.problems(0.5 * H).unwrap();
            assert_eq!(owners(&w), owners(&asked), "world {index}, step {step}");
        }
    }
}
