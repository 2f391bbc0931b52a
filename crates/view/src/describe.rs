//! The `run` message: a scene as it was built.

use crate::protocol::{Answer, BodyText, EndText, JointText, LaneText, RunText, SceneText, text};
use signorini::World;
use signorini::glamx::DVec3;
use signorini::scene::{EndDescription, Scene, ShapeDescription};
use std::collections::BTreeMap;

/// A scene further from the origin than this gets an origin of its own \[m\]: single precision resolves a tenth of a
/// millimetre there.
const FAR: f64 = 1e3;

/// The origin of the positions that pages receive.
pub fn origin_of(world: &World) -> DVec3 {
    let (mut sum, mut count) = (DVec3::ZERO, 0.0);
    for (_, body) in world.bodies() {
        sum += body.position();
        count += 1.0;
    }
    let middle = if count > 0.0 { sum / count } else { DVec3::ZERO };
    if middle.abs().max_element() > FAR { middle.round() } else { DVec3::ZERO }
}

/// The `run` message of a scene that was built into `world`.
pub fn describe(epoch: u32, scene: &Scene, world: &World, lanes: Vec<LaneText>) -> String {
    // Bodies of a grid share one shape, which is sent once.
    let mut shapes: Vec<ShapeDescription> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let mut bodies = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for (place, (_, body)) in world.bodies().enumerate() {
        let shape = body.shape().describe();
        let key = serde_json::to_string(&shape).unwrap_or_default();
        let index = *known.entry(key).or_insert_with(|| {
            shapes.push(shape);
            shapes.len() - 1
        });
        let name = body.id().label();
        let mass = body.mass();
        places.insert(name.clone(), place);
        bodies.push(BodyText {
            name,
            kind: body.kind(),
            shape: index,
            mass: mass.is_finite().then_some(mass),
            friction: body.material().friction,
            restitution: body.material().restitution,
            sensor: body.is_sensor(),
        });
    }
    let end = |end: &EndDescription| EndText {
        body: end.body.as_ref().and_then(|name| places.get(name)).copied(),
        point: end.point,
        axes: end.axes.unwrap_or([1.0, 0.0, 0.0, 0.0]),
    };
    let joints = scene.joints.iter().map(|joint| JointText {
        kind: joint.kind.name(),
        driven: joint.coordinates.iter().any(|coordinate| coordinate.motor.is_some()),
        a: end(&joint.a),
        b: end(&joint.b),
    });
    let run = RunText {
        epoch,
        scene: SceneText {
            name: &scene.name,
            description: &scene.description,
            gravity: scene.gravity,
            step: scene.step,
            duration: scene.duration,
            origin: origin_of(world).to_array(),
            shapes,
            bodies,
            joints: joints.collect(),
        },
        lanes,
    };
    text(&Answer::Run(run))
}
