//! Combines several joints of one link into one joint of the engine.
//!
//! A joint of the engine has six coordinates: the position of a frame of the link along x, y and z of a frame of the
//! parent, then the rotations `R_x(α) R_y(β) R_z(γ)`, each about an axis that the earlier rotations turned.
//! Consecutive hinges at right angles are such rotations, about x, y and z in this order. Slides before them, each
//! along one of these axes, are such translations. So a hip of three hinges, or a walker that slides twice and turns
//! in its plane, is one joint without bodies in between.

use super::description::{Motion, RobotJoint};
use glamx::{DMat3, DPose3, DQuat, DVec3};

/// Largest cosine between two axes that count as perpendicular \[1\]. Files give axes with six digits or more.
const RIGHT: f64 = 1e-5;

/// Joints of a link as coordinates of one frame.
#[derive(Clone, Debug)]
pub(crate) struct Arrangement {
    /// The frame of the engine's joint in the frame of the link.
    pub frame: DPose3,
    /// For every joint, the index of its coordinate among the six, and its sign.
    pub places: Vec<(usize, f64)>,
    /// Largest distance by which axes were moved so that they intersect \[m\].
    pub moved: f64,
}

/// Finds the frame. All joints must be hinges or slides. Their axes are made exactly perpendicular and moved to
/// intersect.
pub(crate) fn arrange(joints: &mut [RobotJoint]) -> Result<Arrangement, &'static str> {
    let mut hinges: Vec<(DVec3, DVec3)> = Vec::new();
    let mut slides: Vec<DVec3> = Vec::new();
    for joint in joints.iter() {
        match joint.motion {
            Motion::Hinge { point, axis } => hinges.push((point, axis)),
            Motion::Slide { axis } if hinges.is_empty() => slides.push(axis),
            Motion::Slide { .. } => return Err("a slide comes after a hinge of the same link"),
            Motion::Ball { .. } | Motion::Free => return Err("a ball or free joint is not the only one of its link"),
        }
    }
    if hinges.len() > 3 || slides.len() > 3 {
        return Err("more than three hinges or three slides follow each other without mass in between");
    }
    let axes = basis(&hinges, &slides)?;
    let columns = [axes.x_axis, axes.y_axis, axes.z_axis];
    let point = meeting_point(&hinges);
    let off = |(at, axis): &(DVec3, DVec3)| (point - *at).reject_from(*axis).length();
    let moved = hinges.iter().map(off).fold(0.0, f64::max);
    let mut places = Vec::with_capacity(joints.len());
    let single = hinges.len() == 1;
    let mut turns = 0;
    for joint in joints.iter_mut() {
        let place = |axis: DVec3| {
            let aligned = columns.iter().position(|column| column.dot(axis).abs() > 1.0 - RIGHT);
            aligned.map(|k| (k, columns[k].dot(axis).signum()))
        };
        match &mut joint.motion {
            Motion::Hinge { point: at, axis } => {
                let (k, sign) = place(*axis).ok_or(ANGLES)?;
                if !single && k != turns {
                    return Err(ANGLES);
                }
                turns += 1;
                (*at, *axis) = (point, columns[k] * sign);
                places.push((3 + k, sign));
            }
            Motion::Slide { axis } => {
                let (k, sign) = place(*axis).ok_or(ANGLES)?;
                if places.iter().any(|(taken, _)| *taken == k) {
                    return Err(ANGLES);
                }
                *axis = columns[k] * sign;
                places.push((k, sign));
            }
            Motion::Ball { .. } | Motion::Free => return Err(ANGLES),
        }
    }
    let frame = DPose3::from_parts(point, DQuat::from_mat3(&axes).normalize());
    Ok(Arrangement { frame, places, moved })
}

/// Splits the joints of a link, in order, into runs that can each be arranged, as few as possible.
pub(crate) fn runs(joints: Vec<RobotJoint>) -> Result<Vec<Vec<RobotJoint>>, &'static str> {
    let alone = |run: &[RobotJoint]| matches!(run, [RobotJoint { motion: Motion::Ball { .. } | Motion::Free, .. }]);
    let fits = |run: &[RobotJoint]| alone(run) || arrange(&mut run.to_vec()).is_ok();
    if fits(&joints) {
        return Ok(vec![joints]);
    }
    if joints.iter().any(|joint| joint.motion == Motion::Free) {
        return Err("a free joint is not the only one of its link");
    }
    let mut runs: Vec<Vec<RobotJoint>> = Vec::new();
    for joint in joints {
        if let Some(run) = runs.last_mut() {
            run.push(joint.clone());
            if fits(run) {
                continue;
            }
            run.pop();
        }
        runs.push(vec![joint]);
    }
    Ok(runs)
}

const ANGLES: &str = "the axes of its joints are neither along each other nor at right angles";

/// Right-handed axes: the first two hinges along x and y, a single one along z; without hinges the slides in their order.
fn basis(hinges: &[(DVec3, DVec3)], slides: &[DVec3]) -> Result<DMat3, &'static str> {
    let across = |x: DVec3, y: DVec3| -> Result<DVec3, &'static str> {
        if x.dot(y).abs() > RIGHT { Err(ANGLES) } else { Ok((y - x * x.dot(y)).normalize()) }
    };
    let full = |x: DVec3, y: DVec3| DMat3::from_cols(x, y, x.cross(y));
    match (hinges, slides) {
        ([(_, x), (_, y), ..], _) => Ok(full(*x, across(*x, *y)?)),
        ([(_, z)], _) => {
            let beside = slides.iter().find(|slide| slide.dot(*z).abs() < RIGHT);
            let x = beside.map_or_else(|| Ok(z.any_orthonormal_vector()), |slide| across(*z, *slide))?;
            Ok(DMat3::from_cols(x, z.cross(x), *z))
        }
        ([], [x, y, ..]) => Ok(full(*x, across(*x, *y)?)),
        ([], [x]) => Ok(full(*x, x.any_orthonormal_vector())),
        ([], []) => Ok(DMat3::IDENTITY),
    }
}

/// The point nearest to all axes: `Σ (1 − aaᵀ)(p − pᵢ) = 0`. A single axis leaves its own direction undetermined,
/// perpendicular axes leave none.
fn meeting_point(hinges: &[(DVec3, DVec3)]) -> DVec3 {
    let [(first, _), _, ..] = hinges else { return hinges.first().map_or(DVec3::ZERO, |(point, _)| *point) };
    let (mut matrix, mut sum) = (DMat3::ZERO, DVec3::ZERO);
    for (point, axis) in hinges {
        let across = DMat3::IDENTITY - DMat3::from_cols(*axis * axis.x, *axis * axis.y, *axis * axis.z);
        matrix += across;
        // Relative to the first point, so that axes through one point intersect there exactly.
        sum += across * (*point - *first);
    }
    *first + matrix.inverse() * sum
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::scene::TextPlace;

    fn hinge(point: [f64; 3], axis: [f64; 3]) -> RobotJoint {
        let motion = Motion::Hinge { point: DVec3::from_array(point), axis: DVec3::from_array(axis).normalize() };
        RobotJoint::new("hinge", TextPlace::default(), motion)
    }

    fn slide(axis: [f64; 3]) -> RobotJoint {
        RobotJoint::new("slide", TextPlace::default(), Motion::Slide { axis: DVec3::from_array(axis) })
    }

    #[test]
    fn a_hip_has_its_axes_in_the_order_of_its_hinges() {
        let mut hip =
            [hinge([0.0; 3], [1.0, 0.0, 0.0]), hinge([0.0; 3], [0.0, 0.0, 1.0]), hinge([0.0; 3], [0.0, 1.0, 0.0])];
        let found = arrange(&mut hip).unwrap();
        // x, z, then y: right-handed axes have −y third.
        assert_eq!(found.places, [(3, 1.0), (4, 1.0), (5, -1.0)]);
        assert!((found.frame.rotation * DVec3::Z + DVec3::Y).length() < 1e-15);
        assert_eq!(found.moved, 0.0);
    }

    #[test]
    fn a_planar_root_slides_along_the_axes_that_it_turns_across() {
        let mut root = [slide([1.0, 0.0, 0.0]), slide([0.0, 0.0, 1.0]), hinge([0.0, 0.0, 0.5], [0.0, 1.0, 0.0])];
        let found = arrange(&mut root).unwrap();
        assert_eq!(found.places[2], (5, 1.0));
        let axes = DMat3::from_quat(found.frame.rotation);
        for (place, axis) in found.places.iter().zip([DVec3::X, DVec3::Z]) {
            assert!((axes.col(place.0) * place.1 - axis).length() < 1e-15);
        }
        assert_eq!(found.frame.translation, DVec3::new(0.0, 0.0, 0.5));
    }

    #[test]
    fn axes_that_do_not_meet_are_moved_half_way_and_skew_ones_are_refused() {
        let mut ankle = [hinge([0.0, 0.0, 0.08], [0.0, 1.0, 0.0]), hinge([0.0, 0.0, 0.04], [1.0, 0.0, 0.0])];
        let found = arrange(&mut ankle).unwrap();
        assert!((found.moved - 0.02).abs() < 1e-15 && (found.frame.translation.z - 0.06).abs() < 1e-15);
        // A point further along an axis is the same axis.
        let mut fin = [hinge([0.0; 3], [0.0, 1.0, 0.0]), hinge([0.0, 0.005, 0.0], [1.0, 0.0, 0.0])];
        let found = arrange(&mut fin).unwrap();
        assert!(found.moved < 1e-17 && (found.frame.translation.y - 0.005).abs() < 1e-17);
        let mut skew = [hinge([0.0; 3], [0.0, 1.0, 0.0]), hinge([0.0; 3], [1.0, 1.0, 0.0])];
        assert_eq!(arrange(&mut skew).unwrap_err(), ANGLES);
        let mut late = [hinge([0.0; 3], [0.0, 1.0, 0.0]), slide([1.0, 0.0, 0.0])];
        assert!(arrange(&mut late).is_err());
    }
}
