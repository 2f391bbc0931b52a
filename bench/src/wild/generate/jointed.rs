//! Chains that swing and bridges of planks, both of ball joints.

use super::{Draw, about_y, cuboid};
use signorini::scene::{
    BodyDescription, EndDescription, JointDescription, JointKindDescription, Scene, ShapeDescription,
};

fn ball(a: (&str, [f64; 3]), b: (Option<&str>, [f64; 3])) -> JointDescription {
    let (a, b) = (EndDescription::new(Some(a.0), a.1), EndDescription::new(b.0, b.1));
    JointDescription::new(JointKindDescription::Ball, a, b)
}

/// Links in a straight line, let go from an angle, with a weight at the end of up to `most` links.
pub fn chain(draw: &mut Draw, scene: &mut Scene, most: f64) {
    let random = &mut draw.random;
    let links = random.count(5, 40);
    let length = random.one(&[0.1, 0.2, 0.5, 1.0]);
    let angle = random.between(20.0, 90.0).to_radians();
    let radius = length * random.between(0.08, 0.2);
    let mass = random.between(0.1, 2.0);
    let ratio = if most > 1.0 { most.powf(random.between(0.3, 1.0)) } else { random.between(0.5, 1.0) };
    let up = [angle.sin(), 0.0, angle.cos()];
    let half = 0.5 * length;
    let name = |index: usize| format!("link {index:03}");
    for index in 0..links {
        let shape = ShapeDescription::Capsule { half_height: half - radius, radius };
        scene.bodies.push(BodyDescription {
            position: up.map(|x| -x * length * (index as f64 + 0.5)),
            orientation: about_y(angle),
            mass: Some(mass),
            ..BodyDescription::new(name(index), shape)
        });
        let above = name(index.saturating_sub(1));
        let end = if index == 0 { (None, [0.0; 3]) } else { (Some(above.as_str()), [0.0, 0.0, -half]) };
        scene.joints.push(ball((&name(index), [0.0, 0.0, half]), end));
    }
    scene.bodies.push(BodyDescription {
        position: up.map(|x| -x * length * links as f64),
        orientation: about_y(angle),
        mass: Some(mass * ratio),
        ..BodyDescription::new("weight", ShapeDescription::Sphere { radius: 0.6 * length })
    });
    scene.joints.push(ball(("weight", [0.0; 3]), (Some(&name(links - 1)), [0.0, 0.0, -half])));
}

/// Planks on an arc of `sag` radians at most, each held at both sides, with boxes dropped on the middle.
pub fn bridge(draw: &mut Draw, scene: &mut Scene, sag: f64) {
    let random = &mut draw.random;
    let planks = random.count(12, 50);
    let length = random.between(0.15, 0.5);
    let width = random.between(0.3, 1.0);
    let mass = random.between(0.5, 5.0);
    let bend = sag * random.between(0.3, 1.0) / planks as f64;
    let (mut at, height) = ([0.0, 0.0], 6.0);
    let (mut middle, mut before): ([f64; 2], Option<String>) = ([0.0; 2], None);
    for index in 0..planks {
        // Downhill at first, level in the middle, uphill at the end; a turn about y by a points x downhill for a > 0.
        let angle = bend * (0.5 * (planks - 1) as f64 - index as f64);
        let along = [angle.cos(), -angle.sin()];
        let centre = [0, 1].map(|i| at[i] + 0.5 * length * along[i]);
        let name = format!("plank {index:03}");
        scene.bodies.push(BodyDescription {
            position: [centre[0], 0.0, height + centre[1]],
            orientation: about_y(angle),
            mass: Some(mass),
            ..BodyDescription::new(&name, cuboid([0.45 * length, width, 0.03]))
        });
        for side in [-width, width] {
            let held = match &before {
                None => (None, [at[0], side, height + at[1]]),
                Some(before) => (Some(before.as_str()), [0.5 * length, side, 0.0]),
            };
            scene.joints.push(ball((&name, [-0.5 * length, side, 0.0]), held));
        }
        at = [0, 1].map(|i| at[i] + length * along[i]);
        if index == planks / 2 {
            middle = centre;
        }
        before = Some(name);
    }
    for side in [-width, width] {
        if let Some(last) = &before {
            scene.joints.push(ball((last, [0.5 * length, side, 0.0]), (None, [at[0], side, height + at[1]])));
        }
    }
    for index in 0..random.count(1, 4) {
        let half = random.between(0.1, 0.25);
        scene.bodies.push(BodyDescription {
            position: [middle[0] + random.between(-0.3, 0.3), 0.0, height + 0.5 + 0.6 * index as f64],
            mass: Some(mass * random.between(1.0, 50.0)),
            ..BodyDescription::new(format!("load {index}"), cuboid([half; 3]))
        });
    }
}
