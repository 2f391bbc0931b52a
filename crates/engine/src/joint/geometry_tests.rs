//! Rows against finite differences of what they measure, and geometric stiffness against those of the impulses.

use super::*;
use crate::joint::{Coordinate, Joint, JointKind};
use crate::{Body, Settings, Shape, World};

const SMALL: f64 = 1e-6;

fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

/// Joints of all kinds between two bodies with slanted frames.
fn records() -> Vec<JointRecord> {
    let mut world = World::new(Settings::default()).unwrap();
    let shape = || Shape::sphere(0.5).unwrap();
    let (a, b) = (world.add(Body::dynamic(shape())).unwrap(), world.add(Body::dynamic(shape())).unwrap());
    let turn = |x, y, z| DQuat::from_scaled_axis(v(x, y, z));
    let (on_a, on_b) = (
        Frame { point: v(0.3, 0.1, -0.2), axes: turn(0.4, -0.7, 0.2) },
        Frame { point: v(-0.2, 0.15, 0.1), axes: turn(-0.3, 0.5, 1.1) },
    );
    let mut records = Vec::new();
    for kind in JointKind::all(0.8) {
        let mut joint = Joint::of(kind, b, on_b, (a, on_a));
        if kind == JointKind::Generic {
            joint.coordinates[1] = Coordinate::locked();
            joint.coordinates[3] = Coordinate::locked();
        }
        for axis in joint.free_axes() {
            joint.coordinates[axis] = Coordinate::free().friction(1.0).limits(-9.0, 9.0);
        }
        // Fixed joints hold the frames as they are.
        let relative = on_b.axes * on_a.axes.inverse();
        records.push(JointRecord::new(joint, relative));
    }
    let mut tilted = Joint::of(JointKind::Generic, b, on_b, (a, on_a));
    tilted.coordinates = [Coordinate::free(); 6];
    tilted.coordinates[4] = Coordinate::locked();
    records.push(JointRecord::new(tilted, DQuat::IDENTITY));
    records
}

fn geometry(record: &JointRecord) -> JointGeometry<'_> {
    let place = |body| if body == record.joint.a.0 { 1 } else { 0 };
    JointGeometry::new(record, |anchor| match anchor {
        Anchor::Body(body, frame) => End::Body(place(body), frame),
        Anchor::World(frame) => End::World(frame),
    })
}

/// Poses at which the joint fits, with its free coordinates at some values.
fn fitting(joint: &JointGeometry, record: &JointRecord) -> [Pose; 2] {
    let free: Vec<usize> = record.joint.free_axes().collect();
    let at = |axis: usize, value: f64| if free.contains(&axis) { value } else { 0.0 };
    let (q, x) = (DQuat::from_scaled_axis(v(0.2, 0.1, -0.4)), v(0.4, -0.2, 3.0));
    let (End::Body(_, on_a), End::Body(_, on_b)) = (joint.a, joint.b) else { panic!("two bodies") };
    let shift = match record.joint.kind.length() {
        Some(length) => length * v(0.36, 0.48, 0.8),
        None => v(at(0, 0.3), at(1, -0.2), at(2, 0.5)),
    };
    let turn = DQuat::from_euler(EulerRot::XYZ, at(3, 0.4), at(4, -0.6), at(5, 0.9));
    let axes = q * on_a.axes;
    let orientation = (axes * turn * on_b.axes.inverse()).normalize();
    let point = x + q * on_a.point + axes * shift;
    [(x, q), (point - orientation * on_b.point, orientation)]
}

fn placed(joint: &JointGeometry, poses: &[Pose; 2]) -> Placed {
    joint.place(|end| if let End::Body(place, _) = end { poses[place] } else { (DVec3::ZERO, DQuat::IDENTITY) })
}

/// Poses moved and turned by six numbers a body.
fn moved(poses: &[Pose; 2], twists: &[f64; 12], share: f64) -> [Pose; 2] {
    std::array::from_fn(|body| {
        let six = &twists[6 * body..];
        let turn = DQuat::from_scaled_axis(share * DVec3::from_slice(&six[3..]));
        (poses[body].0 + share * DVec3::from_slice(six), (turn * poses[body].1).normalize())
    })
}

#[test]
fn rows_are_the_derivatives_of_what_they_measure() {
    for record in &records() {
        let joint = geometry(record);
        let poses = fitting(&joint, record);
        let here = placed(&joint, &poses);
        assert!(joint.locked_error(&here) < 1e-12, "{:?}", record.joint.kind);
        for spec in &record.rows {
            let row = joint.jacobian(spec, &here, &here);
            for column in 0..12 {
                let mut twist = [0.0; 12];
                twist[column] = 1.0;
                let at = |share: f64| joint.value(spec.measure, &placed(&joint, &moved(&poses, &twist, share)));
                let rate = spec.sign() * (at(SMALL) - at(-SMALL)) / (2.0 * SMALL);
                let kind = record.joint.kind.name();
                assert!(
                    (rate - row[column]).abs() < 1e-8,
                    "{kind} {spec:?}, column {column}: {rate} and {}",
                    row[column]
                );
            }
        }
    }
}

#[test]
fn impulses_do_the_work_that_rows_say() {
    // J̄ᵀλ as wrenches is J̄ᵀλ as rows, between two poses.
    for record in &records() {
        let joint = geometry(record);
        let poses = fitting(&joint, record);
        let twist = [0.1, -0.2, 0.05, 0.3, 0.2, -0.1, 0.02, 0.3, -0.1, -0.2, 0.4, 0.1];
        let (before, after) = (placed(&joint, &poses), placed(&joint, &moved(&poses, &twist, 1.0)));
        let impulses: Vec<f64> = (0..record.rows.len()).map(|row| 0.3 + 0.2 * row as f64).collect();
        let mut sum = [0.0; 12];
        for (spec, impulse) in record.rows.iter().zip(&impulses) {
            let row = joint.jacobian(spec, &before, &after);
            sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += impulse * x);
        }
        for (side, (linear, angular)) in joint.wrenches(&before, &after, &impulses).into_iter().enumerate() {
            let close = |x: DVec3, from: usize| (x - DVec3::from_slice(&sum[from..])).length() < 1e-12;
            assert!(close(linear, 6 * side) && close(angular, 6 * side + 3), "{:?}", record.joint.kind);
        }
    }
}

/// ∂(angular impulse on a body)/∂(its turn at the end), symmetric part.
fn stiffness(joint: &JointGeometry, poses: &[Pose; 2], impulses: &[f64], body: usize) -> DMat3 {
    let before = placed(joint, poses);
    let column = |axis: usize| {
        let mut twist = [0.0; 12];
        twist[6 * body + 3 + axis] = 1.0;
        let at = |share: f64| {
            let after = placed(joint, &moved(poses, &twist, share));
            joint.wrenches(&before, &after, impulses)[body].1
        };
        (at(SMALL) - at(-SMALL)) / (2.0 * SMALL)
    };
    let k = DMat3::from_cols(column(0), column(1), column(2));
    (k + k.transpose()) * 0.5
}

#[test]
fn geometric_stiffness_is_the_derivative_of_the_impulses() {
    let outer = |a: DVec3, b: DVec3| DMat3::from_cols(a * b.x, a * b.y, a * b.z);
    let symmetric = |m: DMat3| (m + m.transpose()) * 0.5;
    for record in &records() {
        if record.joint.kind.length().is_some() {
            // The direction of a rod turns with both ends: that is left out of K.
            continue;
        }
        let joint = geometry(record);
        let poses = fitting(&joint, record);
        let here = placed(&joint, &poses);
        // Locked rows alone: those of several angles turn with B too.
        let locked = |spec: &RowSpec| spec.is_locked() && !matches!(spec.measure, Measure::Cross(_));
        let impulses: Vec<f64> = record
            .rows
            .iter()
            .enumerate()
            .map(|(row, spec)| if locked(spec) { 0.4 - 0.3 * row as f64 } else { 0.0 })
            .collect();
        let Pull { at_anchors, at_b, .. } = joint.pull(&here, &here, &impulses);
        let [arm_a, arm_b, arm_of_b] = joint.arms(&here, &here);
        // At points of the body: ½ sym(rλᵀ) − ½(λ·r)I. Turning with the base over an arm that stays: ½(c·P)I − ½ sym(Pcᵀ).
        let fixed = |arm: DVec3, p: DVec3| {
            symmetric(outer(arm, p)) * 0.5 - DMat3::from_diagonal(DVec3::splat(0.5 * arm.dot(p)))
        };
        let follows = |arm: DVec3, p: DVec3| {
            DMat3::from_diagonal(DVec3::splat(0.5 * arm.dot(p))) - symmetric(outer(p, arm)) * 0.5
        };
        let expected = [fixed(arm_a, -at_anchors) + follows(arm_of_b, -at_b), fixed(arm_b, at_anchors + at_b)];
        for (body, expected) in expected.into_iter().enumerate() {
            let found = stiffness(&joint, &poses, &impulses, body);
            let off = (found - expected).to_cols_array().iter().fold(0.0, |worst: f64, x| worst.max(x.abs()));
            assert!(off < 1e-8, "{:?}, body {body}: {found} and {expected}", record.joint.kind);
        }
    }
}

#[test]
fn stiffness_of_both_bodies_is_the_derivative_of_the_impulses() {
    let twist = [0.03, -0.02, 0.05, 0.03, 0.02, -0.04, 0.02, 0.03, -0.01, -0.02, 0.04, 0.01];
    for record in &records() {
        let joint = geometry(record);
        let poses = fitting(&joint, record);
        let before = placed(&joint, &poses);
        let poses = moved(&poses, &twist, 0.1);
        // Directions across axes of both bodies turn with each in their own way: half of the turn of each is meant, which is not
        // exact.
        let simple = |spec: &RowSpec| match spec.measure {
            Measure::Cross(_) => false,
            Measure::Angle(i) => joint.hinge == Some(i),
            _ => true,
        };
        let sizes = record.rows.iter().enumerate();
        let impulses: Vec<f64> =
            sizes.map(|(row, spec)| if simple(spec) { 0.4 - 0.1 * row as f64 } else { 0.0 }).collect();
        let k = joint.stiffness(&before, &placed(&joint, &poses), &impulses);
        for column in 0..12 {
            let mut twist = [0.0; 12];
            twist[column] = 1.0;
            let at = |share: f64| {
                let [a, b] = joint.wrenches(&before, &placed(&joint, &moved(&poses, &twist, share)), &impulses);
                [a.0, a.1, b.0, b.1]
            };
            let (ahead, behind) = (at(SMALL), at(-SMALL));
            for row in 0..12 {
                let slope = (ahead[row / 3][row % 3] - behind[row / 3][row % 3]) / (2.0 * SMALL);
                // Half way to the end is half of its turn, but for a quarter of the turn of the piece: 0.25 · 0.005 · 1 N·m·s.
                let off = (slope - k[row][column]).abs();
                assert!(off < 1.5e-3, "{:?} ({row}, {column}): {slope} and {}", record.joint.kind, k[row][column]);
            }
        }
    }
}

#[test]
fn a_joint_that_is_made_to_fit_fits_and_keeps_its_free_coordinates() {
    for record in &records() {
        if !record.rows.iter().any(RowSpec::is_locked) {
            continue;
        }
        let mut joint = geometry(record);
        let poses = fitting(&joint, record);
        let twist = [0.01, -0.02, 0.05, 0.03, 0.02, -0.01, 0.02, 0.03, -0.01, -0.02, 0.04, 0.01];
        let poses = moved(&poses, &twist, 1.0);
        let here = placed(&joint, &poses);
        let turned: Vec<f64> = record
            .joint
            .free_axes()
            .filter(|axis| *axis >= 3)
            .map(|axis| joint.value(Measure::Angle(axis - 3), &here))
            .collect();
        assert!(joint.locked_error(&here) > 1e-3, "{:?}", record.joint.kind);
        joint.fit(&here, poses[0].1);
        let here = placed(&joint, &poses);
        assert!(joint.locked_error(&here) < 1e-12, "{:?} {:e}", record.joint.kind, joint.locked_error(&here));
        let after: Vec<f64> = record
            .joint
            .free_axes()
            .filter(|axis| *axis >= 3)
            .map(|axis| joint.value(Measure::Angle(axis - 3), &here))
            .collect();
        assert!(turned.iter().zip(&after).all(|(x, y)| (x - y).abs() < 0.1), "{turned:?} {after:?}");
    }
}
