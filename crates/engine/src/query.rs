//! Questions to a world that change nothing: what a ray meets, what a moving shape meets, what a shape overlaps.
//!
//! Every question looks at the bodies where they are now, in the order of their ids, and a tie goes to the first: the
//! order in which bodies were added cannot show in an answer. Cost: a box test per body, and the exact test for those
//! whose box is met.

use crate::body::BodyRecord;
use crate::shape::{Aabb, RayHit, cast_shape};
use crate::step::manifold::{Manifold, NarrowPhase};
use crate::{BodyHandle, Joint, JointHandle, Place, Shape, World};
use glamx::{DPose3, DVec3};

/// Where a moving shape first meets a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShapeHit {
    /// When \[s\]; 0 when they overlap from the start.
    pub time: f64,
    /// Where the surfaces meet, on the body \[m\]. With a face there it is one of its corners.
    pub point: DVec3,
    /// Outward unit normal of the body there.
    pub normal: DVec3,
}

/// Distance within which a shape that was stopped is asked for its points of contact \[m\]: far above the tolerance of
/// the cast (1e-10), far below any size.
const TOUCHING: f64 = 1e-6;

impl World {
    /// All joints, in the order of their bodies' ids.
    pub fn joints(&self) -> impl Iterator<Item = (JointHandle, Joint)> {
        let look = |slot: &u32| Some((JointHandle(self.joints.key(*slot)), self.joints.at(*slot)?.joint));
        self.joint_order.iter().filter_map(look)
    }

    /// Labels of the bodies at a place of the last step's certificate; the second end of a joint may be the world.
    pub fn names_at(&self, place: &Place) -> Vec<String> {
        let label = |rank: u32| Some(self.bodies.at(*self.order.get(rank as usize)?)?.id.label());
        place.names(label)
    }

    /// The first body on the ray from `origin` along `direction` (of any length) within `max` metres, and where. None
    /// for a direction of length zero or numbers that are not finite.
    ///
    /// ```
    /// # use signorini::{Body, Settings, Shape, World};
    /// # use glamx::DVec3;
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut world = World::new(Settings::default())?;
    /// let ball = world.add(Body::dynamic(Shape::sphere(0.5)?).position(DVec3::new(5.0, 0.0, 0.0)))?;
    /// let (body, hit) = world.cast_ray(DVec3::ZERO, DVec3::X, 100.0).ok_or("nothing there")?;
    /// assert_eq!((body, hit.distance), (ball, 4.5));
    /// # Ok(())
    /// # }
    /// ```
    pub fn cast_ray(&self, origin: DVec3, direction: DVec3, max: f64) -> Option<(BodyHandle, RayHit)> {
        let along = direction.try_normalize().filter(|_| origin.is_finite())?;
        let mut best: Option<(BodyHandle, RayHit)> = None;
        for (handle, body) in self.records() {
            let reach = best.map_or(max, |(_, hit)| hit.distance);
            let pose = body.pose();
            if !ray_meets(&body.shape.aabb(&pose), origin, along, reach) {
                continue;
            }
            // Asked for the whole way: what lies elsewhere must not show in the digits.
            if let Some(hit) = body.shape.cast_ray(&pose, origin, direction, max)
                && best.is_none_or(|(_, nearest)| hit.distance < nearest.distance)
            {
                best = Some((handle, hit));
            }
        }
        best
    }

    /// The first body that `shape` meets when it moves from `pose` with `velocity` [m/s] without turning, within
    /// `max_time` \[s\], while all bodies stand still. Surfaces do not meet surfaces: a half-space or mesh hits only
    /// solids. None for numbers that are not finite.
    pub fn cast_shape(
        &self,
        shape: &Shape,
        pose: &DPose3,
        velocity: DVec3,
        max_time: f64,
    ) -> Option<(BodyHandle, ShapeHit)> {
        if !(pose_is_usable(pose) && velocity.is_finite() && max_time >= 0.0) {
            return None;
        }
        let start = shape.aabb(pose);
        let mut best: Option<(BodyHandle, &BodyRecord, f64)> = None;
        for (handle, body) in self.records() {
            let within = best.map_or(max_time, |(_, _, time)| time);
            let placed = body.pose();
            let way = (velocity * within).clamp(DVec3::splat(f64::MIN), DVec3::splat(f64::MAX));
            let swept = start.union(Aabb { min: start.min + way, max: start.max + way });
            if !swept.inflated(TOUCHING).overlaps(&body.shape.aabb(&placed)) {
                continue;
            }
            let time = cast_shape(shape, pose, velocity, &body.shape, &placed, DVec3::ZERO, max_time);
            if let Some(time) = time
                && best.is_none_or(|(_, _, earliest)| time < earliest)
            {
                best = Some((handle, body, time));
            }
        }
        let (handle, body, time) = best?;
        let there = DPose3::from_parts(pose.translation + velocity * time, pose.rotation);
        let mut manifolds = Vec::new();
        NarrowPhase::default().collide(shape, &there, &body.shape, &body.pose(), TOUCHING, &mut manifolds);
        let (point, normal) = deepest(&manifolds).unwrap_or((there.translation, -velocity.normalize_or(DVec3::Z)));
        Some((handle, ShapeHit { time, point, normal }))
    }

    /// The bodies that `shape` at `pose` overlaps or touches, in the order of their ids. Two surfaces (half-spaces,
    /// meshes) do not overlap. None for a pose that is not finite.
    pub fn overlaps(&self, shape: &Shape, pose: &DPose3) -> Vec<BodyHandle> {
        let mut found = Vec::new();
        if !pose_is_usable(pose) {
            return found;
        }
        let bounds = shape.aabb(pose);
        let (mut narrow_phase, mut manifolds) = (NarrowPhase::default(), Vec::new());
        for (handle, body) in self.records() {
            let placed = body.pose();
            if bounds.overlaps(&body.shape.aabb(&placed)) {
                narrow_phase.collide(shape, pose, &body.shape, &placed, 0.0, &mut manifolds);
                if !manifolds.is_empty() {
                    found.push(handle);
                }
                narrow_phase.recycle(&mut manifolds);
            }
        }
        found
    }

    /// All bodies in the order of their ids.
    pub(crate) fn records(&self) -> impl Iterator<Item = (BodyHandle, &BodyRecord)> {
        self.order.iter().filter_map(|slot| Some((BodyHandle(self.bodies.key(*slot)), self.bodies.at(*slot)?)))
    }
}

fn pose_is_usable(pose: &DPose3) -> bool {
    pose.translation.is_finite() && (pose.rotation.length() - 1.0).abs() <= crate::QUATERNION_TOLERANCE
}

/// Whether a ray may meet a box within `max`: slabs (Kay and Kajiya 1986). Errs on the side of yes.
fn ray_meets(bounds: &Aabb, origin: DVec3, direction: DVec3, max: f64) -> bool {
    let (mut enter, mut leave) = (0.0_f64, max);
    for axis in 0..3 {
        let (low, high) = (bounds.min[axis] - origin[axis], bounds.max[axis] - origin[axis]);
        if direction[axis] == 0.0 {
            if low > 0.0 || high < 0.0 {
                return false;
            }
            continue;
        }
        let (one, two) = (low / direction[axis], high / direction[axis]);
        // NaN (an infinite side over a subnormal direction) leaves the interval as it is.
        enter = enter.max(one.min(two));
        leave = leave.min(one.max(two));
    }
    enter <= leave * (1.0 + 1e-12) + f64::MIN_POSITIVE
}

/// The point of least gap on the second shape, and that shape's outward normal.
fn deepest(manifolds: &[Manifold]) -> Option<(DVec3, DVec3)> {
    let mut best: Option<(f64, DVec3, DVec3)> = None;
    for manifold in manifolds {
        for point in &manifold.points {
            if best.is_none_or(|(gap, ..)| point.gap < gap) {
                best = Some((point.gap, point.on_b, -manifold.normal));
            }
        }
    }
    best.map(|(_, point, normal)| (point, normal))
}
