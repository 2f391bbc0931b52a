//! Calls that change bodies and joints, and questions, which change nothing.

use super::values::Values;
use signorini::glamx::DVec3;
use signorini::{
    AxisLocks, BodyHandle, Coordinate, Joint, JointHandle, Kind, Misfit, Motor, QueryFilter, Ray, SurfaceMotion, World,
    WorldError,
};

/// What a body is told.
pub fn change_body(world: &mut World, body: BodyHandle, values: &mut Values<'_>) -> Result<(), WorldError> {
    match values.choice(22) {
        0 => world.set_position(body, values.vector()),
        1 => world.set_orientation(body, values.turn()),
        2 => world.set_velocity(body, 10.0 * values.vector()),
        3 => world.set_angular_velocity(body, 10.0 * values.vector()),
        4 => world.set_material(body, values.material()),
        5 => world.set_fast(body, values.bit()),
        6 => world.add_force(body, 100.0 * values.vector()),
        7 => world.add_force_at(body, 100.0 * values.vector(), values.vector()),
        8 => world.add_torque(body, 100.0 * values.vector()),
        9 => world.add_impulse(body, values.vector()),
        10 => world.add_impulse_at(body, values.vector(), values.vector()),
        11 => world.add_angular_impulse(body, values.vector()),
        12 => world.set_gravity_scale(body, values.number()),
        13 => world.set_damping(body, values.number(), values.number()),
        14 => world.set_constant_force(body, values.vector(), values.vector()),
        15 => world.set_sensor(body, values.bit()),
        16 => {
            let axis = values.bit().then(|| values.vector());
            world.set_one_way(body, axis)
        }
        17 => world
            .set_surface_motion(body, SurfaceMotion { velocity: values.vector(), angular_velocity: values.vector() }),
        18 => world.set_enabled(body, values.bit()),
        19 => world.set_kind(body, [Kind::Fixed, Kind::Kinematic, Kind::Dynamic][usize::from(values.choice(3))]),
        20 => values.shape().map_or(Ok(()), |shape| world.set_shape(body, shape)),
        _ => world.set_mass(body, values.number()),
    }
}

/// A joint of a body to another one or to the world, or axes of it that are held.
pub fn tie(
    world: &mut World,
    body: BodyHandle,
    other: Option<BodyHandle>,
    values: &mut Values<'_>,
) -> Result<JointHandle, WorldError> {
    let at = values.vector();
    let joint = match (values.choice(8), other) {
        (0, _) | (_, None) => Joint::ball(body, at, values.vector()),
        (1, Some(other)) => Joint::fixed(body, at, (other, values.vector())),
        (2, Some(other)) => Joint::distance(body, at, (other, values.vector()), values.number()),
        (3, Some(other)) => Joint::revolute(body, at, (other, values.vector()))
            .motor(Motor::velocity(values.number(), values.positive())),
        (4, Some(other)) => {
            Joint::prismatic(body, at, (other, values.vector())).limits(-values.positive(), values.positive())
        }
        (5, Some(other)) => {
            Joint::rope(body, at, (other, values.vector()), values.number()).break_force(values.number())
        }
        (6, Some(_)) => {
            let locks = AxisLocks {
                translation: [values.bit(), values.bit(), true],
                rotation: [values.bit(), false, values.bit()],
            };
            return world.lock_axes(body, locks);
        }
        (_, Some(other)) => Joint::ball(body, at, (other, values.vector())),
    };
    world.add_joint(joint.misfit(Misfit::Corrected))
}

/// What a joint is told.
pub fn change_joint(world: &mut World, joint: JointHandle, values: &mut Values<'_>) -> Result<(), WorldError> {
    let coordinate = usize::from(values.choice(7));
    match values.choice(6) {
        0 => world.remove_joint(joint),
        1 => world.enable_joint(joint, values.bit()),
        2 => world.set_motor_target(joint, coordinate, values.number()),
        3 => world.set_joint_force(joint, coordinate, values.number()),
        4 => {
            let free = Coordinate::free().limits(-values.positive(), values.positive()).damping(values.number());
            world.set_joint_coordinate(joint, coordinate, free)
        }
        _ => world.joint_position(joint).and(world.joint_velocity(joint)).and(world.joint_error(joint)).map(|_| ()),
    }
}

/// Questions with any numbers: what is found is finite.
pub fn ask(world: &World, bodies: [Option<BodyHandle>; 2], values: &mut Values<'_>) {
    let finite = |what: &str, numbers: &[f64], points: &[DVec3]| {
        let all = numbers.iter().all(|number| number.is_finite()) && points.iter().all(|point| point.is_finite());
        assert!(all, "{what}: {numbers:?} {points:?}");
    };
    match values.choice(5) {
        0 => {
            let ray = Ray { origin: values.vector(), direction: values.vector(), max: values.number() };
            for (_, hit) in world.cast_ray_all(&ray, &QueryFilter::default()) {
                finite("a ray", &[hit.distance], &[hit.normal]);
            }
        }
        1 => {
            let Some(shape) = values.shape() else { return };
            if let Some((_, hit)) = world.cast_shape(&shape, &values.pose(), values.vector(), values.number()) {
                finite("a shape", &[hit.time], &[hit.point, hit.normal]);
            }
        }
        2 => {
            if let Some(shape) = values.shape() {
                world.overlaps(&shape, &values.pose());
            }
        }
        3 => {
            if let Some((_, near)) = world.closest_point(values.vector(), values.number(), &QueryFilter::default()) {
                finite("a point", &[near.distance], &[near.on_a, near.on_b, near.normal]);
            }
        }
        _ => {
            if let [Some(a), Some(b)] = bodies
                && let Ok(Some(near)) = world.distance(a, b, values.number())
            {
                finite("a distance", &[near.distance], &[near.on_a, near.on_b, near.normal]);
            }
        }
    }
}
