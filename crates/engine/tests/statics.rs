//! Statics with answers from paper. Derivations stand beside the numbers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use signorini::glamx::{DMat3, DPose3, DQuat, DVec3};
use signorini::statics::{
    self, Load, Per, Proof, StaticsError, StaticsOptions, force_bounds, is_stable, load_limit, safety_factor,
};
use signorini::{
    Anchor, Body, BodyHandle, Frame, Gear, Joint, MassProperties, Material, Motor, PairContact, Settings, Shape, World,
};

const G: f64 = 9.81;
/// What answers may differ from paper by, of their size: the tolerance of the programs is 1e-7.
const NEAR: f64 = 1e-6;

fn near(found: f64, paper: f64) {
    assert!((found - paper).abs() <= NEAR * paper.abs().max(1.0), "{found} is not {paper}");
}

fn proved(proof: &Proof) {
    assert!(proof.primal <= 1e-7 && proof.dual <= 1e-7 && proof.gap <= 1e-7, "{proof:?}");
}

fn options() -> StaticsOptions {
    StaticsOptions::default()
}

fn rough(friction: f64) -> Material {
    Material::new(friction, 0.0)
}

fn floor(world: &mut World, friction: f64) -> BodyHandle {
    world.add(Body::fixed(Shape::half_space(DVec3::Z).unwrap()).material(rough(friction)).named("floor")).unwrap()
}

fn world() -> World {
    World::new(Settings::default()).unwrap()
}

fn cuboid(x: f64, y: f64, z: f64) -> Shape {
    Shape::cuboid(DVec3::new(x, y, z)).unwrap()
}

/// A block rests on a slope while tan α ≤ μ, however its four corners share the load; it leaves along the slope.
#[test]
fn block_on_an_incline_rests_up_to_the_angle_of_friction() {
    let mu = 0.6_f64;
    for (slope, rests) in [(0.9999 * mu, true), (1.0001 * mu, false)] {
        let turn = DQuat::from_rotation_y(slope.atan());
        let mut world = world();
        world.add(Body::fixed(Shape::half_space(turn * DVec3::Z).unwrap()).material(rough(mu))).unwrap();
        let block = Body::dynamic(cuboid(0.1, 0.1, 0.05)).mass(3.0).material(rough(mu)).orientation(turn);
        world.add(block.position(turn * DVec3::new(0.0, 0.0, 0.05))).unwrap();
        let found = is_stable(&world, &options()).unwrap();
        assert_eq!(found.stable, rests);
        proved(&found.proof);
        let safety = safety_factor(&world, &options()).unwrap();
        near(safety.factor, mu / slope);
        assert!(safety.falls_from >= safety.factor && safety.falls_from <= safety.factor * (1.0 + 1e-6));
        if rests {
            let sum: DVec3 = found.forces.iter().map(|contact| contact.force).sum();
            near(sum.z, 3.0 * G);
            assert!(found.motion.is_empty());
        } else {
            // What is missing along the slope: W (sin α − μ cos α), and a motion that lifts by μ as it slides (the dual cone).
            let angle = f64::atan(slope);
            assert!(
                found.missing_at_least > 0.0 && found.missing <= 3.0 * G * (angle.sin() - mu * angle.cos()) * 1.001
            );
            let down = turn * DVec3::X;
            assert!(found.motion[0].velocity.dot(down) > 0.0);
        }
    }
}

/// Two blocks: the upper one is pulled. It slides alone at μ₁W₁, or with the lower one at μ₂(W₁ + W₂).
#[test]
fn two_blocks_slide_where_friction_is_least() {
    for (upper, lower) in [(0.3, 0.5), (0.9, 0.25)] {
        let mut world = world();
        floor(&mut world, lower * lower / 0.1);
        let (mass_1, mass_2) = (2.0, 5.0);
        // The geometric mean of the surfaces: √(μ_f 0.1) is the lower one; the blocks share the upper one.
        let below = Body::dynamic(cuboid(0.5, 0.5, 0.05)).mass(mass_2).material(rough(0.1)).named("a below");
        world.add(below.position(DVec3::new(0.0, 0.0, 0.05))).unwrap();
        let above = Body::dynamic(cuboid(0.3, 0.3, 0.05)).mass(mass_1).material(rough(upper * upper / 0.1));
        let above = world.add(above.position(DVec3::new(0.0, 0.0, 0.15)).named("b above")).unwrap();
        // At the height of the contact, so that nothing tips.
        let pull = [Load::force_at(above, DVec3::X, DVec3::new(0.0, 0.0, 0.1))];
        let limit = load_limit(&world, &pull, &options()).unwrap();
        proved(&limit.proof);
        near(limit.greatest, f64::min(upper * mass_1 * G, lower * (mass_1 + mass_2) * G));
        near(limit.least, -limit.greatest);
    }
}

/// A ladder of length L between the centres of its round ends of radius r, at θ from the floor, against a wall. With N, F at the floor
/// and R, S at the wall: N + S = W + P, F = R, and about the foot R(L sin θ + r) + S(L cos θ + r) = L cos θ (W/2 + P) with a man of weight
/// P at the top. It slips with F = μ_f N and S = μ_w R, so R = μ_f(W + P)/(1 + μ_f μ_w).
#[test]
fn ladder_slips_as_on_paper() {
    let (length, r, angle) = (4.0, 0.05, 1.0_f64);
    let (mu_f, mu_w, mass) = (0.5, 0.3, 12.0);
    let (sine, cosine) = angle.sin_cos();
    let mut world = world();
    world.add(Body::fixed(Shape::half_space(DVec3::Z).unwrap()).material(rough(mu_f * mu_f))).unwrap();
    world.add(Body::fixed(Shape::half_space(-DVec3::X).unwrap()).material(rough(mu_w * mu_w))).unwrap();
    // Upper end at x = −r, lower end at z = r.
    let middle = DVec3::new(-r - 0.5 * length * cosine, 0.0, r + 0.5 * length * sine);
    let turn = DQuat::from_rotation_arc(DVec3::Z, DVec3::new(cosine, 0.0, sine));
    let ladder = Body::dynamic(Shape::capsule(0.5 * length, r).unwrap()).mass(mass).material(rough(1.0));
    let ladder = world.add(ladder.position(middle).orientation(turn)).unwrap();
    let reach = |s: f64| {
        let (f, w) = (s * mu_f, s * mu_w);
        f / (1.0 + f * w) * ((length * sine + r) + w * (length * cosine + r))
    };
    // W: reach = L cos θ / 2, for the divisor 1/s of friction.
    let (mut lo, mut hi) = (0.0, 10.0);
    for _ in 0..200 {
        let s = 0.5 * (lo + hi);
        if reach(s) < 0.5 * length * cosine { lo = s } else { hi = s }
    }
    let safety = safety_factor(&world, &options()).unwrap();
    near(safety.factor, 1.0 / hi);
    proved(&safety.proof);
    // P = W (reach − L cos θ / 2) / (L cos θ − reach).
    let top = middle + 0.5 * length * DVec3::new(cosine, 0.0, sine);
    let man = [Load::force_at(ladder, -DVec3::Z, top)];
    let limit = load_limit(&world, &man, &options()).unwrap();
    let k = reach(1.0);
    assert!(k < length * cosine, "the man can slip the ladder");
    near(limit.greatest / (mass * G), (k - 0.5 * length * cosine) / (length * cosine - k));
}

/// Four legs at (±a, ±a) under a load W at (x, y): with ξ = x/a, η = y/a, N = W/4 (1 + σξ + τη + στ t), where (σ, τ) are the signs of the
/// leg and t is open; N ≥ 0 at all four bounds it. Friction forces lie in the floor and balance among themselves: no moment.
#[test]
fn every_leg_of_a_table_has_the_range_on_paper() {
    let (a, mass, mu) = (0.4, 10.0, 0.5);
    let weight = mass * G;
    for (xi, eta) in [(0.0, 0.0), (0.5, 0.2), (-0.3, 0.6)] {
        let world = table(a, mass, mu, DVec3::new(xi * a, eta * a, 0.7));
        let bounds = force_bounds(&world, Per::Patch, &options()).unwrap();
        proved(&bounds.proof);
        assert_eq!(bounds.contacts.len(), 4);
        let low = f64::max(-(1.0 + xi + eta), -(1.0 - xi - eta));
        let high = f64::min(1.0 + xi - eta, 1.0 - xi + eta);
        for leg in &bounds.contacts {
            let (s, t) = (leg.point.x.signum(), leg.point.y.signum());
            let at = |open: f64| 0.25 * weight * (1.0 + s * xi + t * eta + s * t * open);
            let (one, two) = (at(low), at(high));
            assert!((leg.normal_force.least - one.min(two)).abs() < NEAR * weight, "{leg:?}");
            assert!((leg.normal_force.greatest - one.max(two)).abs() < NEAR * weight, "{leg:?}");
            assert!(leg.tangential_force.least < NEAR * weight);
            if xi == 0.0 && eta == 0.0 {
                // With two opposite legs at W/2 each, they may pull at each other along their diagonal up to μ W/2.
                assert!((leg.tangential_force.greatest - 0.5 * mu * weight).abs() < 1e-4 * weight, "{leg:?}");
                assert!(leg.tangential_at_most >= leg.tangential_force.greatest);
                assert!(leg.tangential_at_most <= 0.5 * mu * weight * 1.001);
            }
        }
    }
}

/// Four spherical feet, the centre of mass as given.
fn table(a: f64, mass: f64, mu: f64, centre: DVec3) -> World {
    let mut world = world();
    floor(&mut world, mu);
    let foot = |x: f64, y: f64| (DPose3::from_translation(DVec3::new(x, y, 0.05)), Shape::sphere(0.05).unwrap());
    let shape = Shape::compound(vec![foot(a, a), foot(-a, a), foot(-a, -a), foot(a, -a)]).unwrap();
    let inertia = DMat3::from_diagonal(DVec3::splat(0.1 * mass));
    let table = Body::dynamic(shape).mass_properties(MassProperties { mass, centre, inertia }).material(rough(mu));
    world.add(table).unwrap();
    world
}

/// n books of length ℓ, the k-th from the top pushed ℓ/(2k) beyond the one below: the sum is the harmonic overhang, and the centre of
/// the k upper ones is over the edge. A thousandth more falls.
#[test]
fn books_reach_out_by_the_harmonic_series() {
    for (factor, rests) in [(0.999, true), (1.001, false)] {
        let (n, half, thin) = (6, 0.15, 0.01);
        let mut world = world();
        floor(&mut world, 0.3);
        let mut x = 0.0;
        for level in 0..n {
            let z = thin * (2 * level + 1) as f64;
            let book = Body::dynamic(cuboid(half, 0.1, thin)).mass(0.7).position(DVec3::new(x, 0.0, z));
            world.add(book.numbered(level)).unwrap();
            // Books above this one: n − 1 − level.
            x += factor * 2.0 * half / (2.0 * (n - 1 - level) as f64);
        }
        let found = is_stable(&world, &options()).unwrap();
        assert_eq!(found.stable, rests, "{found:?}");
        proved(&found.proof);
    }
}

/// A bar of mass m and length L on a motor at its end holds while m g L/2 ≤ τ, and carries (τ − m g L/2)/L at its tip.
#[test]
fn motor_carries_its_torque() {
    let (mass, half, torque) = (2.0, 0.5, 15.0);
    let mut world = world();
    let bar = world.add(Body::dynamic(cuboid(half, 0.05, 0.05)).mass(mass)).unwrap();
    let end = Frame::along(DVec3::new(-half, 0.0, 0.0), DVec3::Y);
    let place = Frame::along(DVec3::new(-half, 0.0, 0.0), DVec3::Y);
    world.add_joint(Joint::revolute(bar, end, Anchor::World(place)).motor(Motor::velocity(0.0, torque))).unwrap();
    assert!(is_stable(&world, &options()).unwrap().stable);
    let tip = [Load::force_at(bar, -DVec3::Z, DVec3::new(half, 0.0, 0.0))];
    let limit = load_limit(&world, &tip, &options()).unwrap();
    near(limit.greatest, (torque - mass * G * half) / (2.0 * half));
    near(limit.least, -(torque + mass * G * half) / (2.0 * half));
}

/// A block wedged between two walls that do not give way: what presses on it has no upper end, and the answer says so.
#[test]
fn forces_of_a_jam_have_no_upper_end() {
    let mut world = world();
    for side in [-1.0, 1.0] {
        let wall = Body::fixed(Shape::half_space(DVec3::X * -side).unwrap()).material(rough(0.5));
        world.add(wall.position(DVec3::X * 0.1 * side)).unwrap();
    }
    world.add(Body::dynamic(cuboid(0.1, 0.1, 0.1)).mass(1.0).material(rough(0.5))).unwrap();
    let bounds = force_bounds(&world, Per::Patch, &options()).unwrap();
    assert_eq!(bounds.contacts.len(), 2);
    for wall in &bounds.contacts {
        // Each wall must press with at least W/(2μ): friction of both carries the weight, and normals balance.
        near(wall.normal_force.least, G / (2.0 * 0.5));
        assert_eq!(wall.normal_force.greatest, f64::INFINITY);
        assert_eq!(wall.tangential_force.greatest, f64::INFINITY);
    }
    let lift = [Load::force(world.bodies().last().unwrap().0, DVec3::Z)];
    let limit = load_limit(&world, &lift, &options()).unwrap();
    assert_eq!((limit.least, limit.greatest), (f64::NEG_INFINITY, f64::INFINITY));
}

/// A body that touches nothing lacks exactly its weight; what it lacks is on the dual side too.
#[test]
fn what_floats_lacks_its_weight() {
    let mut world = world();
    world.add(Body::dynamic(Shape::sphere(0.1).unwrap()).mass(4.0)).unwrap();
    let found = is_stable(&world, &options()).unwrap();
    assert!(!found.stable);
    near(found.missing, 4.0 * G);
    near(found.missing_at_least, 4.0 * G);
    assert!(found.motion[0].velocity.z < 0.0);
    for error in
        [force_bounds(&world, Per::Patch, &options()).unwrap_err(), safety_factor(&world, &options()).unwrap_err()]
    {
        assert!(matches!(error, StaticsError::Falls { missing } if (missing - 4.0 * G).abs() < 1e-5), "{error}");
    }
}

/// Only the named bodies must be in balance: the lower of two floating blocks is ground for the upper one.
#[test]
fn bodies_that_are_not_asked_about_hold_still() {
    let mut world = world();
    world.add(Body::dynamic(cuboid(0.1, 0.1, 0.1)).named("lower")).unwrap();
    let upper = world.add(Body::dynamic(cuboid(0.1, 0.1, 0.1)).position(DVec3::Z * 0.2).named("upper")).unwrap();
    assert!(!is_stable(&world, &options()).unwrap().stable);
    let only = StaticsOptions { bodies: Some(vec![upper]), ..options() };
    assert!(is_stable(&world, &only).unwrap().stable);
}

/// Pairs that do not touch do not carry.
#[test]
fn ignored_pairs_carry_nothing() {
    let mut world = world();
    let ground = floor(&mut world, 0.5);
    let block = world.add(Body::dynamic(cuboid(0.1, 0.1, 0.1)).position(DVec3::Z * 0.1)).unwrap();
    assert!(is_stable(&world, &options()).unwrap().stable);
    world.set_pair_contact(ground, block, PairContact::Ignored).unwrap();
    assert!(!is_stable(&world, &options()).unwrap().stable);
}

/// Same bits whatever the order of adding.
#[test]
fn order_of_adding_changes_no_bit() {
    let build = |reverse: bool| {
        let mut world = world();
        let mut bodies = vec![Body::fixed(Shape::half_space(DVec3::Z).unwrap()).named("floor")];
        for level in 0..4_u32 {
            let at = DVec3::new(0.02 * f64::from(level), 0.01, 0.1 + 0.2 * f64::from(level));
            bodies.push(Body::dynamic(cuboid(0.1, 0.1, 0.1)).position(at).named(&format!("block {level}")));
        }
        if reverse {
            bodies.reverse();
        }
        for body in bodies {
            world.add(body).unwrap();
        }
        let found = force_bounds(&world, Per::Point, &options()).unwrap();
        let ranges = |c: &statics::Bounded| {
            [c.normal_force, c.tangential_force].map(|r| [r.least.to_bits(), r.greatest.to_bits()])
        };
        found.contacts.iter().map(ranges).collect::<Vec<_>>()
    };
    assert_eq!(build(false), build(true));
}

/// Bad questions are errors that name what is wrong.
#[test]
fn bad_questions_are_typed_errors() {
    let mut world = world();
    let ground = floor(&mut world, 0.5);
    let block = world.add(Body::dynamic(cuboid(0.1, 0.1, 0.1)).position(DVec3::Z * 0.1)).unwrap();
    let limit = |load: Load| load_limit(&world, &[load], &options()).unwrap_err();
    assert!(matches!(limit(Load::force(ground, DVec3::X)), StaticsError::NotDynamic { .. }));
    let bad = limit(Load::force(block, DVec3::X * f64::NAN));
    assert!(matches!(bad, StaticsError::Value { field: "force of load", index: 0, .. }), "{bad}");
    assert!(matches!(limit(Load::force(block, DVec3::ZERO)), StaticsError::Value { .. }));
    assert!(load_limit(&world, &[], &options()).is_err());
    for bad in [
        StaticsOptions { touching: -1.0, ..options() },
        StaticsOptions { touching: f64::NAN, ..options() },
        StaticsOptions { tolerance: 0.0, ..options() },
    ] {
        assert!(matches!(is_stable(&world, &bad), Err(StaticsError::Value { .. })));
    }
    let fixed = StaticsOptions { bodies: Some(vec![ground]), ..options() };
    assert!(matches!(is_stable(&world, &fixed), Err(StaticsError::NotDynamic { .. })));
    world.remove(block).unwrap();
    let gone = StaticsOptions { bodies: Some(vec![block]), ..options() };
    assert!(matches!(is_stable(&world, &gone), Err(StaticsError::World(_))));
    let empty = is_stable(&world, &options()).unwrap();
    assert!(empty.stable && empty.forces.is_empty());
    assert!(force_bounds(&world, Per::Point, &options()).unwrap().contacts.is_empty());
}

/// Two arms with weights on hinges, which only a gear of the right ratio holds: 2 g l against 3 g l, x₂ = −⅔ x₁. The gear is over two bodies
/// here, and over three where both arms hang on a frame that is bolted down.
#[test]
fn a_gear_holds_arms_whose_torques_are_as_its_ratio() {
    for on_frame in [false, true] {
        for (ratio, holds) in [(Some(-2.0 / 3.0), true), (Some(-0.7), false), (None, false)] {
            let mut world = world();
            let frame = world.add(Body::dynamic(cuboid(0.1, 0.1, 0.1)).mass(1.0).named("frame")).unwrap();
            world.add_joint(Joint::fixed(frame, DVec3::ZERO, DVec3::ZERO)).unwrap();
            let mut arm = |x: f64, mass: f64| {
                let body =
                    Body::dynamic(Shape::sphere(0.1).unwrap()).mass(mass).position(DVec3::new(x + 1.0, 0.0, 0.0));
                let body = world.add(body).unwrap();
                let hinge = Frame::along(DVec3::new(x, 0.0, 0.0), DVec3::Y);
                let other = if on_frame { Anchor::Body(frame, hinge) } else { Anchor::World(hinge) };
                world.add_joint(Joint::revolute(body, Frame::along(-DVec3::X, DVec3::Y), other)).unwrap()
            };
            let (first, second) = (arm(0.0, 2.0), arm(5.0, 3.0));
            if let Some(ratio) = ratio {
                world.add_gear(Gear::between((second, 0), (first, 0), ratio)).unwrap();
            }
            let found = is_stable(&world, &options()).unwrap();
            assert_eq!(found.stable, holds, "{ratio:?} on a frame {on_frame}: {found:?}");
        }
    }
}
