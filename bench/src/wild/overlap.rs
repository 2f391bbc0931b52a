//! How deep two parts are in each other, from shapes and poses alone: parry's distances, and support functions.
//!
//! The depth of two convex solids is the least of `h_A(n) + h_B(−n)` over all directions n, so that every direction gives
//! an upper bound. For boxes the fifteen axes are all there are to try; elsewhere parry proposes one, and those of both
//! parts are tried as well.

use super::shapes::{Core, Part};
use crate::measure::boxes_overlap;
use rapier3d_f64::parry::math::Pose;
use rapier3d_f64::parry::query;
use signorini::glamx::{DMat3, DVec3};

/// Overlap of two parts \[m\], zero if there is none; `a` and `b` are the poses of the parts.
pub fn depth(first: &Part, a: &Pose, second: &Part, b: &Pose) -> f64 {
    let radii = first.radius + second.radius;
    let depth = match (&first.core, &second.core) {
        (Core::HalfSpace(_), Core::HalfSpace(_)) | (Core::Surface, Core::Surface) => 0.0,
        (Core::HalfSpace(normal), _) => behind(a, *normal, second, b),
        (_, Core::HalfSpace(normal)) => behind(b, *normal, first, a),
        (Core::Surface, _) | (_, Core::Surface) => -signed(first, a, second, b).map_or(0.0, |(dist, _)| dist),
        (Core::Point, Core::Point) => radii - a.translation.distance(b.translation),
        (Core::Point, Core::Convex(core)) => match core.distance_to_point(b, a.translation, true) {
            gap if gap > 0.0 => radii - gap,
            _ => along(first, a, second, b),
        },
        (Core::Convex(core), Core::Point) => match core.distance_to_point(a, b.translation, true) {
            gap if gap > 0.0 => radii - gap,
            _ => along(first, a, second, b),
        },
        (Core::Convex(p), Core::Convex(q)) => {
            if let (Some(half), Some(other)) = (first.half, second.half) {
                let axes = |pose: &Pose| DMat3::from_quat(pose.rotation);
                boxes_overlap((a.translation, axes(a), half), (b.translation, axes(b), other))
            } else {
                match query::distance(a, &**p, b, &**q) {
                    Ok(gap) if gap.distance > 0.0 => radii - gap.distance,
                    _ => along(first, a, second, b),
                }
            }
        }
    };
    if depth.is_finite() { depth.max(0.0) } else { 0.0 }
}

/// How far a part reaches behind a plane.
fn behind(plane: &Pose, normal: DVec3, part: &Part, pose: &Pose) -> f64 {
    let normal = plane.rotation * normal;
    extent(part, pose, -normal).map_or(0.0, |reach| reach + plane.translation.dot(normal))
}

/// Support function `h(n)` of the whole part, world axes.
fn extent(part: &Part, pose: &Pose, n: DVec3) -> Option<f64> {
    part.whole.as_support_map().map(|map| map.support_point(pose, n).dot(n))
}

/// Parry's signed distance and its normal on the first part, world axes.
fn signed(first: &Part, a: &Pose, second: &Part, b: &Pose) -> Option<(f64, DVec3)> {
    let found = query::contact(a, &*first.whole, b, &*second.whole, 0.0).ok().flatten()?;
    Some((found.dist, found.normal1))
}

/// Least overlap over parry's normal, the axes of both parts and the line of centres, and what is downhill of it.
fn along(first: &Part, a: &Pose, second: &Part, b: &Pose) -> f64 {
    let proposed = signed(first, a, second, b);
    let axes = |pose: &Pose| [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| pose.rotation * axis);
    let lines = axes(a).into_iter().chain(axes(b)).chain([(b.translation - a.translation).normalize_or(DVec3::Z)]);
    let tried = lines.flat_map(|n| [n, -n]).chain(proposed.map(|(_, normal)| normal));
    let bound = |n: DVec3| Some(extent(first, a, n)? + extent(second, b, -n)?);
    // Parry's normal of cylinders and cones may be off by degrees, and the least depth may be next to another start.
    let mut starts: Vec<(f64, DVec3)> = tried.filter_map(|n| Some((bound(n)?, n))).collect();
    starts.sort_by(|x, y| x.0.total_cmp(&y.0));
    let mut least = f64::INFINITY;
    for start in starts {
        if least <= GOOD {
            break;
        }
        least = least.min(downhill(start, &bound));
    }
    least
}

/// A depth that is not worth another start \[m\].
const GOOD: f64 = 1e-6;
/// Directions tried around one. They turn from round to round: along a kink of the bound, where a rim is about to touch
/// elsewhere, only few of them lead down.
const AROUND: usize = 12;
const TURN: f64 = 2.399_963;

/// The least bound downhill of a direction.
fn downhill((mut least, mut normal): (f64, DVec3), bound: &impl Fn(DVec3) -> Option<f64>) -> f64 {
    let (mut step, mut round) = (0.1, 0.0);
    while step > 1e-7 && least > 0.0 {
        let (t, s) = normal.any_orthonormal_pair();
        let around = (0..AROUND).map(|k| {
            let (sine, cosine) = (std::f64::consts::TAU * k as f64 / AROUND as f64 + TURN * round).sin_cos();
            (normal + step * (t * cosine + s * sine)).normalize()
        });
        let best = around.filter_map(|n| Some((bound(n)?, n))).min_by(|x, y| x.0.total_cmp(&y.0));
        match best.filter(|(value, _)| *value < least) {
            Some(better) => (least, normal) = better,
            None => step *= 0.7,
        }
        round += 1.0;
    }
    least
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use super::super::shapes::parts;
    use super::*;
    use signorini::glamx::DQuat;
    use signorini::scene::ShapeDescription;

    fn part(shape: ShapeDescription) -> Part {
        let mut out = Vec::new();
        parts(&shape, Pose::IDENTITY, &mut out).expect("a shape");
        out.remove(0)
    }

    #[test]
    fn shapes_a_millimetre_into_each_other_are_a_millimetre_deep() {
        let at = |x: f64| Pose::from_parts(DVec3::new(x, 0.0, 0.0), Default::default());
        let shapes = [
            part(ShapeDescription::Sphere { radius: 0.2 }),
            part(ShapeDescription::Cuboid { half_extents: [0.2, 0.3, 0.3] }),
            part(ShapeDescription::Capsule { half_height: 0.3, radius: 0.2 }),
            part(ShapeDescription::Cylinder { half_height: 0.3, radius: 0.2 }),
        ];
        for first in &shapes {
            for second in &shapes {
                let found = depth(first, &at(0.0), second, &at(0.399));
                assert!((found - 1e-3).abs() < 1e-6, "{found}");
                assert_eq!(depth(first, &at(0.0), second, &at(0.401)), 0.0);
            }
            let floor = part(ShapeDescription::HalfSpace { normal: [1.0, 0.0, 0.0] });
            let found = depth(&floor, &at(0.0), first, &at(0.199));
            assert!((found - 1e-3).abs() < 1e-9, "{found}");
        }
    }

    #[test]
    fn a_tilted_solid_on_a_wide_slab_is_as_deep_as_its_lowest_point() {
        // The slab ends at z = 0. Lowest point of a capsule with axis at angle a to the vertical: h cos a + r below its
        // centre; of a cylinder: h cos a + r sin a.
        let slab = part(ShapeDescription::Cuboid { half_extents: [100.0, 100.0, 1.0] });
        let below = Pose::from_parts(DVec3::new(0.0, 0.0, -1.0), Default::default());
        let (h, r) = (0.3, 0.05);
        let capsule = part(ShapeDescription::Capsule { half_height: h, radius: r });
        let cylinder = part(ShapeDescription::Cylinder { half_height: h, radius: r });
        for degrees in [0.0, 0.01, 17.0, 60.0, 89.99, 90.0] {
            let angle = f64::to_radians(degrees);
            let turn = signorini::glamx::DQuat::from_rotation_y(angle);
            for (solid, low) in [(&capsule, h * angle.cos() + r), (&cylinder, h * angle.cos() + r * angle.sin())] {
                for wanted in [1e-5, 1e-3, 0.02] {
                    let mut pose = Pose::from_parts(DVec3::new(3.0, 4.0, low - wanted), turn);
                    // Parts carry the turn of parry's axis.
                    pose.rotation *= solid.place.rotation;
                    let found = depth(solid, &pose, &slab, &below);
                    assert!((found - wanted).abs() < 1e-8, "{degrees} {wanted} {found}");
                }
            }
        }
    }

    #[test]
    fn capsules_in_line_or_nearly_parallel_are_as_deep_as_their_nearest_ends_say() {
        // One above the other, tilted a little: the nearest points of the axes are the two ends that face each other.
        let (h, r) = (0.2, 0.15);
        let capsule = part(ShapeDescription::Capsule { half_height: h, radius: r });
        let lower = Pose::from_parts(DVec3::new(1.0, 0.4, 2.0), Default::default());
        for tilt in [0.0, 1e-12, 1e-9, 1e-7, 1e-5, 1e-3, 0.1] {
            for side in [0.0, 0.03, 0.1, 0.25] {
                let turn = signorini::glamx::DQuat::from_rotation_y(tilt);
                let centre = lower.translation + DVec3::new(side, 0.0, 2.0 * h + 0.12);
                let upper = Pose::from_parts(centre, turn);
                let end = centre - turn * (h * DVec3::Z);
                let gap = end.distance(lower.translation + h * DVec3::Z);
                let wanted = f64::max(2.0 * r - gap, 0.0);
                for found in [depth(&capsule, &lower, &capsule, &upper), depth(&capsule, &upper, &capsule, &lower)] {
                    assert!((found - wanted).abs() < 1e-9, "{tilt} {side} {wanted} {found}");
                }
            }
        }
    }

    /// Every direction gives an upper bound, so that no direction of many may give less.
    #[test]
    fn no_direction_shows_less_depth_of_two_cylinders() {
        let cylinder = |half_height, radius| part(ShapeDescription::Cylinder { half_height, radius });
        let (first, second) = (cylinder(0.0373, 0.0612), cylinder(0.0482, 0.0355));
        let spread = |k: u32| {
            let z = 1.0 - (2.0 * f64::from(k) + 1.0) / 20_000.0;
            let (sine, cosine) = (2.399_963_229_728_653 * f64::from(k)).sin_cos();
            DVec3::new(cosine, sine, 0.0) * (1.0 - z * z).sqrt() + DVec3::Z * z
        };
        let directions: Vec<DVec3> = (0..20_000).map(spread).collect();
        for k in 0..40 {
            let turn = |k: u32| DQuat::from_axis_angle(directions[(k * 977) as usize % 20_000], 0.37 * f64::from(k));
            let (a, away) = (Pose::from_parts(DVec3::ZERO, turn(k)), directions[(k * 461) as usize]);
            // Apart along this line until some direction separates them but for a millimetre.
            let deep = |b: &Pose| {
                let each = directions.iter().filter_map(|n| Some(extent(&first, &a, *n)? + extent(&second, b, -*n)?));
                each.fold(f64::INFINITY, f64::min)
            };
            let at = |distance: f64| Pose::from_parts(away * distance, turn(k + 7));
            let (mut near, mut far) = (0.0, 0.2);
            for _ in 0..30 {
                let middle = 0.5 * (near + far);
                if deep(&at(middle)) > 1e-3 { near = middle } else { far = middle }
            }
            let found = depth(&first, &a, &second, &at(near));
            assert!(found > 0.0 && found <= deep(&at(near)) + 1e-9, "{k}: {found}");
        }
    }
}
