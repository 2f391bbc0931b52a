//! From a world to the scene that would build it.

use super::{
    BodyDescription, EndDescription, GearDescription, GearTermDescription, InertialDescription, JointDescription,
    OptionsDescription, Scene, SolverDescription,
};
use crate::joint::MAX_VALUE;
use crate::{BodyHandle, Combine, Coordinate, Frame, Gear, GearTerm, JointKind, Kind, PairContact, World};
use glamx::DQuat;

impl Scene {
    /// The world as it is now, to be shown, stored or built again, run in steps of `step` \[s\]. Bodies without a name get
    /// one from their number. A body built from it may differ in the last bit of its position where the centre of mass
    /// is not the origin of the frame, and ground from a height field is a mesh.
    pub fn describe(world: &World, step: f64) -> Scene {
        let settings = world.settings();
        let (method, stop) = (settings.method, settings.stop);
        let solver = SolverDescription {
            method: method.name().to_owned(),
            tolerance: stop.tolerance.value,
            accept: settings.accept,
            budget: settings.budget.into(),
            max_iterations: stop.max_iterations,
        };
        let mut scene = Scene {
            gravity: settings.gravity.to_array(),
            step,
            solver,
            treatment: settings.into(),
            bodies: world.bodies().filter_map(|(handle, _)| describe_body(world, handle)).collect(),
            joints: world.joint_order.iter().filter_map(|slot| describe_joint(world, *slot)).collect(),
            gears: world.gears().map(|(_, gear)| describe_gear(world, gear)).collect(),
            apart: world.pairs_apart().into_iter().filter_map(|pair| names(world, pair)).collect(),
            ..Scene::default()
        };
        scene.describe_materials(world);
        scene
    }
}

fn names(world: &World, pair: [BodyHandle; 2]) -> Option<[String; 2]> {
    let name = |body: BodyHandle| Some(world.bodies.get(body.0).ok()?.id.label());
    Some([name(pair[0])?, name(pair[1])?])
}

fn describe_body(world: &World, handle: BodyHandle) -> Option<BodyDescription> {
    let record = world.bodies.get(handle.0).ok()?;
    let q = record.state.orientation;
    let rule = |rule: Combine| (rule != Combine::default()).then_some(rule);
    let inertia = record.mass.inertia.to_cols_array_2d();
    Some(BodyDescription {
        kind: record.kind,
        inertial: (record.kind == Kind::Dynamic).then(|| InertialDescription {
            mass: record.mass.mass,
            centre: record.mass.centre.to_array(),
            moments: [inertia[0][0], inertia[1][1], inertia[2][2]],
            products: [inertia[0][1], inertia[0][2], inertia[1][2]],
        }),
        position: record.origin().to_array(),
        orientation: (q != DQuat::IDENTITY).then_some([q.w, q.x, q.y, q.z]),
        velocity: record.state.velocity.to_array(),
        angular_velocity: record.state.angular_velocity.to_array(),
        friction: Some(record.material.friction),
        restitution: Some(record.material.restitution),
        friction_rule: rule(record.material.friction_rule),
        restitution_rule: rule(record.material.restitution_rule),
        fast: record.fast,
        options: OptionsDescription::of(&record.options),
        ..BodyDescription::new(record.id.label(), record.shape.describe())
    })
}

fn describe_gear(world: &World, gear: &Gear) -> GearDescription {
    let place = |slot: u32| world.joint_order.iter().position(|other| *other == slot);
    let term = |term: &GearTerm| {
        let joint = place(term.joint.0.slot)?;
        Some(GearTermDescription { joint, coordinate: term.coordinate, factor: term.factor })
    };
    GearDescription { terms: gear.terms.iter().filter_map(term).collect(), offset: gear.offset }
}

fn describe_joint(world: &World, slot: u32) -> Option<JointDescription> {
    let joint = world.joints.at(slot)?.joint;
    let end = |body: Option<BodyHandle>, frame: Frame| {
        let body = match body {
            Some(handle) => Some(world.bodies.get(handle.0).ok()?.id.label()),
            None => None,
        };
        let q = frame.axes;
        let axes = (q != DQuat::IDENTITY).then_some([q.w, q.x, q.y, q.z]);
        Some(EndDescription { body, point: frame.point.to_array(), axes })
    };
    let listed = match joint.kind {
        JointKind::Generic => joint.coordinates.to_vec(),
        _ => joint.free_coordinates().collect(),
    };
    // JSON knows no infinity: an open side is as far as a coordinate may be asked for.
    let listed: Vec<Coordinate> = listed
        .into_iter()
        .map(|c| Coordinate { limits: c.limits.map(|limits| limits.map(|x| x.clamp(-MAX_VALUE, MAX_VALUE))), ..c })
        .collect();
    let plain = listed.iter().all(|coordinate| *coordinate == Coordinate::default());
    Some(JointDescription {
        kind: joint.kind,
        a: end(Some(joint.a.0), joint.a.1)?,
        b: end(joint.b.body(), joint.b.frame())?,
        bodies_touch: joint.contact == PairContact::Kept,
        coordinates: if plain { Vec::new() } else { listed },
        break_force: joint.break_force.is_finite().then_some(joint.break_force),
        break_torque: joint.break_torque.is_finite().then_some(joint.break_torque),
    })
}
