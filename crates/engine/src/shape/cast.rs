//! Ray casts and shape casts against a single shape.

use super::core::Core;
use super::separation::Separator;
use super::{Aabb, Part, Primitive, Shape};
use glamx::{DPose3, DVec3, Vec3Swizzles};
use parry3d_f64::query::{Ray, RayCast};
use parry3d_f64::shape as parry;

/// Where a ray first meets a shape.
///
/// ```
/// use signorini::{Shape, glamx::{DPose3, DVec3}};
/// let hit = Shape::sphere(0.5)?.cast_ray(&DPose3::IDENTITY, 2.0 * DVec3::X, DVec3::NEG_X, 10.0);
/// assert!(hit.is_some_and(|hit| (hit.distance - 1.5).abs() < 1e-12 && hit.normal == DVec3::X));
/// # Ok::<(), signorini::ShapeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// Distance from the origin of the ray \[m\]; 0 when the origin is inside.
    pub distance: f64,
    /// Outward unit normal of the surface there; against the ray when the origin is inside.
    pub normal: DVec3,
}

/// A cast ends when the shapes are this close \[m\].
const CAST_TOLERANCE: f64 = 1e-10;
/// Advances of one cast; polytopes need a handful.
const CAST_STEPS: usize = 256;

impl Shape {
    /// First point of the shape at `pose` on the ray from `origin` along `direction`, within `max` metres.
    pub fn cast_ray(&self, pose: &DPose3, origin: DVec3, direction: DVec3, max: f64) -> Option<RayHit> {
        let direction = direction.try_normalize()?;
        if !origin.is_finite() || max.is_nan() {
            return None;
        }
        let mut best: Option<RayHit> = None;
        for (index, part) in self.parts().iter().enumerate() {
            if self.rule(index).sensor {
                continue;
            }
            let placed = *pose * part.pose;
            let (from, along) = (placed.inverse_transform_point(origin), placed.inverse_transform_vector(direction));
            let reach = best.map_or(max, |hit| hit.distance);
            if let Some((distance, normal)) = ray_primitive(&part.primitive, from, along, reach)
                && best.is_none_or(|hit| distance < hit.distance)
            {
                let normal = (placed.rotation * normal).try_normalize().unwrap_or(-direction);
                best = Some(RayHit { distance, normal });
            }
        }
        best
    }
}

/// Time at which two shapes first touch while moving with constant velocities [m/s], without turning, within
/// `max_time` \[s\]; 0 when they overlap already.
///
/// Conservative advancement (Mirtich 1996): the separation along the direction of largest separation is a lower bound
/// for all later times, so no step can pass a contact, and the answer is a distance that was looked at, not a status.
pub fn cast_shape(
    shape_a: &Shape,
    pose_a: &DPose3,
    vel_a: DVec3,
    shape_b: &Shape,
    pose_b: &DPose3,
    vel_b: DVec3,
    max_time: f64,
) -> Option<f64> {
    let mut cast = Cast { separator: Separator::default(), triangles: Vec::new(), earliest: max_time, hit: false };
    if !(vel_a.is_finite() && vel_b.is_finite() && max_time >= 0.0) {
        return None;
    }
    for (i, part_a) in shape_a.parts().iter().enumerate() {
        for (j, part_b) in shape_b.parts().iter().enumerate() {
            if !shape_a.pushes(i, shape_b, j) {
                continue;
            }
            let (placed_a, placed_b) = (*pose_a * part_a.pose, *pose_b * part_b.pose);
            cast.parts(part_a, &placed_a, part_b, &placed_b, vel_b - vel_a);
        }
    }
    cast.hit.then_some(cast.earliest)
}

struct Cast {
    separator: Separator,
    triangles: Vec<u32>,
    earliest: f64,
    hit: bool,
}

impl Cast {
    /// `velocity` is that of B relative to A, in world axes.
    fn parts(&mut self, a: &Part, pose_a: &DPose3, b: &Part, pose_b: &DPose3, velocity: DVec3) {
        match (&a.primitive, &b.primitive) {
            (Primitive::HalfSpace { normal }, other) => {
                self.half_space(*normal, pose_a, other, pose_b, velocity);
            }
            (Primitive::Mesh(mesh), other) => {
                let Some(convex) = other.convex() else { return };
                let relative = pose_a.inv_mul(pose_b);
                let velocity = pose_a.inverse_transform_vector(velocity);
                let start = other.aabb(&relative);
                let sweep = velocity * self.earliest;
                let swept = start.union(Aabb { min: start.min + sweep, max: start.max + sweep });
                let mut triangles = std::mem::take(&mut self.triangles);
                mesh.triangles_in(&swept.inflated(CAST_TOLERANCE), &mut triangles);
                for &triangle in &triangles {
                    let corners = mesh.corners(triangle);
                    let centroid = (corners[0] + corners[1] + corners[2]) / 3.0;
                    let normal = mesh.normals[triangle as usize];
                    let core = Core::Triangle { corners: corners.map(|c| c - centroid), normal };
                    let shifted = DPose3::from_parts(relative.translation - centroid, relative.rotation);
                    self.advance(&core, &convex.core, &shifted, velocity, convex.radius);
                }
                self.triangles = triangles;
            }
            (_, Primitive::HalfSpace { .. } | Primitive::Mesh(_)) => self.parts(b, pose_b, a, pose_a, -velocity),
            (one, two) => {
                let (Some(one), Some(two)) = (one.convex(), two.convex()) else { return };
                let velocity = pose_a.inverse_transform_vector(velocity);
                self.advance(&one.core, &two.core, &pose_a.inv_mul(pose_b), velocity, one.radius + two.radius);
            }
        }
    }

    fn half_space(&mut self, normal: DVec3, pose: &DPose3, other: &Primitive, pose_b: &DPose3, velocity: DVec3) {
        let Some(convex) = other.convex() else { return };
        let normal = pose.rotation * normal;
        let lowest = pose_b.transform_point(convex.core.support(pose_b.inverse_transform_vector(-normal)));
        let height = (lowest - pose.translation).dot(normal) - convex.radius;
        self.record(if height <= 0.0 { 0.0 } else { height / -velocity.dot(normal) });
    }

    fn advance(&mut self, a: &Core, b: &Core, pose: &DPose3, velocity: DVec3, radius: f64) {
        let mut time = 0.0;
        for _ in 0..CAST_STEPS {
            let moved = DPose3::from_parts(pose.translation + velocity * time, pose.rotation);
            let Some(apart) = self.separator.separate(a, b, &moved, f64::MAX) else { return };
            let gap = apart.gap - radius;
            if gap <= CAST_TOLERANCE {
                return self.record(time);
            }
            let closing = -velocity.dot(apart.normal);
            time += gap / closing;
            // A negative or infinite time: moving apart.
            if !(closing > 0.0 && time <= self.earliest) {
                return;
            }
        }
        // Grazing motion converges slowly; the time reached is still before any contact.
        self.record(time);
    }

    fn record(&mut self, time: f64) {
        if time >= 0.0 && time <= self.earliest {
            self.earliest = time;
            self.hit = true;
        }
    }
}

/// Distance and outward normal in the primitive's axes; a zero normal when the origin is inside.
fn ray_primitive(primitive: &Primitive, origin: DVec3, direction: DVec3, max: f64) -> Option<(f64, DVec3)> {
    let ray = Ray::new(origin, direction);
    let answer = |hit: parry3d_f64::query::RayIntersection| {
        (hit.time_of_impact, if hit.time_of_impact > 0.0 { hit.normal } else { DVec3::ZERO })
    };
    match primitive {
        Primitive::Sphere { radius } => {
            parry::Ball::new(*radius).cast_local_ray_and_get_normal(&ray, max, true).map(answer)
        }
        Primitive::Cuboid { half } => {
            parry::Cuboid::new(*half).cast_local_ray_and_get_normal(&ray, max, true).map(answer)
        }
        Primitive::Capsule { half_height, radius } => {
            parry::Capsule::new_z(*half_height, *radius).cast_local_ray_and_get_normal(&ray, max, true).map(answer)
        }
        Primitive::Cylinder { half_height, radius } => {
            ray_round(Round { half_height: *half_height, middle: *radius, slope: 0.0 }, origin, direction, max)
        }
        Primitive::Cone { half_height, radius } => {
            let (middle, slope) = (0.5 * radius, -0.5 * radius / half_height);
            ray_round(Round { half_height: *half_height, middle, slope }, origin, direction, max)
        }
        Primitive::Ellipsoid { half } => super::ellipsoid::ray(*half, origin, direction, max),
        Primitive::RoundedCuboid { .. } | Primitive::RoundedHull { .. } => {
            primitive.convex().and_then(|convex| ray_grown(&convex, origin, direction, max))
        }
        Primitive::HalfSpace { normal } => {
            parry::HalfSpace::new(*normal).cast_local_ray_and_get_normal(&ray, max, true).map(answer)
        }
        Primitive::Hull(hull) => ray_hull(hull, origin, direction, max),
        Primitive::Mesh(mesh) => {
            let (triangle, distance) = mesh.tree.cast_ray(&ray, max, |triangle, best| {
                let [a, b, c] = mesh.corners(triangle);
                ray_triangle(a, b, c, origin, direction).filter(|distance| *distance <= best)
            })?;
            let normal = mesh.normals[triangle as usize];
            Some((distance, normal * -1f64.copysign(normal.dot(direction))))
        }
    }
}

/// A ray against a core grown by a radius: a point that moves along the ray until it is within the radius (conservative advancement: the
/// separation along its direction bounds the way that is free).
fn ray_grown(convex: &super::core::Convex, origin: DVec3, direction: DVec3, max: f64) -> Option<(f64, DVec3)> {
    let mut separator = Separator::default();
    let (mut time, mut normal) = (0.0, DVec3::ZERO);
    for _ in 0..CAST_STEPS {
        let at = DPose3::from_translation(origin + direction * time);
        let apart = separator.separate(&convex.core, &Core::Point, &at, f64::MAX)?;
        let gap = apart.gap - convex.radius;
        if gap <= CAST_TOLERANCE {
            break;
        }
        normal = apart.normal;
        let closing = -direction.dot(normal);
        time += gap / closing;
        if !(closing > 0.0 && time <= max) {
            return None;
        }
    }
    Some((time, normal))
}

/// Solid about the z axis between `±half_height` whose radius is `middle + slope·z` ≥ 0 \[m\].
struct Round {
    half_height: f64,
    middle: f64,
    slope: f64,
}

/// Clips the ray by the two caps and by the quadric `x² + y² = r(z)²`, in closed form: an answer does not depend on how
/// far the ray may go, as that of an iteration would.
fn ray_round(solid: Round, origin: DVec3, direction: DVec3, max: f64) -> Option<(f64, DVec3)> {
    let Round { half_height, middle, slope } = solid;
    let caps = [-1.0, 1.0].map(|side| (DVec3::Z * side, side * origin.z - half_height, side * direction.z));
    let (mut enter, mut leave, mut normal) = clip(caps.into_iter(), max)?;
    // f(t) = a t² + 2 b t + c ≤ 0 inside. From the point of the ray nearest the axis, so that far rays keep their digits.
    let flat = direction.xy().length_squared();
    let near = if flat > 0.0 { -origin.xy().dot(direction.xy()) / flat } else { 0.0 };
    let from = origin + direction * near;
    let (radius, growth) = (middle + slope * from.z, slope * direction.z);
    let a = flat - growth * growth;
    let b = from.xy().dot(direction.xy()) - radius * growth;
    let c = from.xy().length_squared() - radius * radius;
    let square = b * b - a * c;
    let mut enter_side = |time: f64| {
        if time > enter {
            let p = origin + direction * time;
            (enter, normal) = (time, DVec3::new(p.x, p.y, -slope * (middle + slope * p.z)));
        }
    };
    if a == 0.0 {
        // Parallel to the axis of a cylinder, or to a line of the cone.
        if b == 0.0 {
            if c > 0.0 {
                return None;
            }
        } else if b < 0.0 {
            enter_side(near - 0.5 * c / b);
        } else {
            leave = leave.min(near - 0.5 * c / b);
        }
    } else {
        if square < 0.0 {
            // Outside a cylinder or shallow cone for ever; a steep line is inside the double cone for ever.
            return if a > 0.0 { None } else { (enter <= leave).then_some((enter, normal)) };
        }
        // Both roots without cancellation.
        let q = -(b + square.sqrt().copysign(b));
        let (one, two) = if q == 0.0 { (0.0, 0.0) } else { (q / a, c / q) };
        let (first, last) = (near + one.min(two), near + one.max(two));
        if a > 0.0 {
            enter_side(first);
            leave = leave.min(last);
        } else if growth > 0.0 {
            // Steeper than the cone: inside its lower half on one side of the tip only.
            enter_side(last);
        } else {
            leave = leave.min(first);
        }
    }
    (enter <= leave).then_some((enter, normal))
}

/// Clips a ray by the insides of planes, each given by its normal, the height of the origin above it and how fast the ray rises
/// from it (Cyrus and Beck 1978): when it enters, when it leaves, and the normal of the plane through which it enters.
fn clip(planes: impl Iterator<Item = (DVec3, f64, f64)>, max: f64) -> Option<(f64, f64, DVec3)> {
    let (mut enter, mut leave, mut normal) = (0.0, max, DVec3::ZERO);
    for (plane, height, rate) in planes {
        if rate == 0.0 {
            if height > 0.0 {
                return None;
            }
        } else if rate < 0.0 {
            if -height / rate > enter {
                (enter, normal) = (-height / rate, plane);
            }
        } else {
            leave = f64::min(leave, -height / rate);
        }
    }
    Some((enter, leave, normal))
}

/// Clips the ray by the face planes.
fn ray_hull(hull: &super::Hull, origin: DVec3, direction: DVec3, max: f64) -> Option<(f64, DVec3)> {
    let planes =
        hull.faces.iter().map(|face| (face.normal, origin.dot(face.normal) - face.offset, direction.dot(face.normal)));
    let (enter, leave, normal) = clip(planes, max)?;
    (enter <= leave).then_some((enter, normal))
}

/// Distance to a triangle from either side (Möller and Trumbore 1997).
fn ray_triangle(a: DVec3, b: DVec3, c: DVec3, origin: DVec3, direction: DVec3) -> Option<f64> {
    let (ab, ac) = (b - a, c - a);
    let p = direction.cross(ac);
    let det = ab.dot(p);
    if det == 0.0 {
        return None;
    }
    let s = origin - a;
    let u = s.dot(p) / det;
    let q = s.cross(ab);
    let v = direction.dot(q) / det;
    let t = ac.dot(q) / det;
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t >= 0.0).then_some(t)
}
