//! Queries: ray casts, shape casts, overlap tests and closest points. They do not change the world.
//!
//! Queries use the current poses of bodies. A tie goes to the body that comes first in the order of ids, so the order
//! of insertion does not matter. Candidates come from a tree of boxes, which is built at the first query after a
//! change; then the exact test decides.

mod index;
mod look;

pub(crate) use index::QueryCache;
pub use look::BodyContact;

use crate::body::Kind;
use crate::filter::Filter;
use crate::shape::{Aabb, RayHit, cast_shape};
use crate::step::collision::manifold::{Manifold, NarrowPhase};
use crate::{BodyHandle, Shape, World, WorldError};
use glamx::{DPose3, DVec3};
use index::{QueryIndex, View, distance_to, ray_enters};
#[cfg(feature = "parallel")]
use rayon::prelude::*;
use std::cell::Cell;

/// A ray.
///
/// ```
/// use signorini::{Body, QueryFilter, Ray, Settings, Shape, World, glamx::DVec3};
/// let mut world = World::new(Settings::default())?;
/// world.add(Body::fixed(Shape::half_space(DVec3::Z)?))?;
/// let down = |x: f64| Ray { origin: DVec3::new(x, 0.0, 2.0), direction: DVec3::NEG_Z, max: 10.0 };
/// let hits = world.cast_rays(&[down(0.0), down(1.0)], &QueryFilter::default());
/// assert!(hits.iter().all(|hit| hit.is_some_and(|(_, hit)| hit.distance == 2.0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Origin \[m\].
    pub origin: DVec3,
    /// Direction, of any nonzero length.
    pub direction: DVec3,
    /// Length \[m\].
    pub max: f64,
}

/// Which bodies a query can find. By default all but sensors. Disabled bodies and parts that are sensors are never
/// found.
///
/// ```
/// use signorini::{Body, QueryFilter, Ray, Settings, Shape, World, glamx::DVec3};
/// let mut world = World::new(Settings::default())?;
/// let own = world.add(Body::dynamic(Shape::sphere(0.5)?))?;
/// let ray = Ray { origin: DVec3::ZERO, direction: DVec3::X, max: 10.0 };
/// assert!(world.cast_ray_where(&ray, &QueryFilter::excluding(own)).is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryFilter {
    /// Collision filter that the query itself has.
    pub filter: Filter,
    /// Bodies that are not found.
    pub exclude: Vec<BodyHandle>,
    /// Only bodies of this kind.
    pub kind: Option<Kind>,
    /// Whether bodies that are sensors are found.
    pub sensors: bool,
}

impl QueryFilter {
    /// All but one body.
    pub fn excluding(body: BodyHandle) -> Self {
        QueryFilter { exclude: vec![body], ..QueryFilter::default() }
    }
}

/// Result of a shape cast: where a moving shape first touches a body.
///
/// ```
/// use signorini::{Body, Settings, Shape, World, glamx::{DPose3, DVec3}};
/// let mut world = World::new(Settings::default())?;
/// world.add(Body::fixed(Shape::half_space(DVec3::Z)?))?;
/// let (ball, from) = (Shape::sphere(0.5)?, DPose3::from_translation(DVec3::new(0.0, 0.0, 2.5)));
/// let (_, hit) = world.cast_shape(&ball, &from, DVec3::NEG_Z, 10.0).ok_or("nothing below")?;
/// assert!((hit.time - 2.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShapeHit {
    /// Time \[s\]; 0 if they overlap at the start.
    pub time: f64,
    /// Point of contact on the body \[m\]; for contact with a face, one of its corners.
    pub point: DVec3,
    /// Outward unit normal of the body there.
    pub normal: DVec3,
}

/// Closest points of two objects.
///
/// ```
/// use signorini::{Body, QueryFilter, Settings, Shape, World, glamx::DVec3};
/// let mut world = World::new(Settings::default())?;
/// world.add(Body::fixed(Shape::sphere(0.5)?))?;
/// let (_, closest) = world.closest_point(DVec3::X, 10.0, &QueryFilter::default()).ok_or("nothing near")?;
/// assert!((closest.distance - 0.5).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// Distance \[m\]; less than zero by the depth where they overlap.
    pub distance: f64,
    /// Point on the first object, or the given point \[m\].
    pub on_a: DVec3,
    /// Point on the second object \[m\].
    pub on_b: DVec3,
    /// Unit vector from the first to the second.
    pub normal: DVec3,
}

/// Distance within which a shape that was stopped is asked for its points of contact \[m\]: far above the tolerance of
/// the cast (1e-10), far below any size.
const TOUCHING: f64 = 1e-6;

/// Rays from which on several threads are worth it.
#[cfg(feature = "parallel")]
const WORTH_SHARING: usize = 512;

impl World {
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
        self.cast_ray_where(&Ray { origin, direction, max }, &QueryFilter::default())
    }

    /// The first body on a ray that the filter lets be found.
    pub fn cast_ray_where(&self, ray: &Ray, filter: &QueryFilter) -> Option<(BodyHandle, RayHit)> {
        cast_in(self.view(), &self.index(), ray, filter)
    }

    /// Casts many rays on several threads; results are in the order of the rays.
    pub fn cast_rays(&self, rays: &[Ray], filter: &QueryFilter) -> Vec<Option<(BodyHandle, RayHit)>> {
        let (view, index) = (self.view(), self.index());
        let cast = |ray: &Ray| cast_in(view, &index, ray, filter);
        #[cfg(feature = "parallel")]
        if rays.len() >= WORTH_SHARING && rayon::current_num_threads() > 1 {
            return rays.par_iter().map(cast).collect();
        }
        rays.iter().map(cast).collect()
    }

    /// Every body on a ray, each with its first point, the nearest first.
    pub fn cast_ray_all(&self, ray: &Ray, filter: &QueryFilter) -> Vec<(BodyHandle, RayHit)> {
        let Ray { origin, direction, max } = *ray;
        let mut found: Vec<(u32, RayHit)> = Vec::new();
        let Some(along) = direction.try_normalize().filter(|_| origin.is_finite() && !max.is_nan()) else {
            return Vec::new();
        };
        let inverse = along.recip();
        self.index().visit(
            |bounds| ray_enters(bounds, origin, inverse, max),
            |rank| {
                let Some(body) = self.view().asked(rank, filter) else { return };
                found.extend(body.shape.cast_ray(&body.pose(), origin, direction, max).map(|hit| (rank, hit)));
            },
        );
        found.sort_by(|(i, one), (j, two)| one.distance.total_cmp(&two.distance).then(i.cmp(j)));
        found.into_iter().map(|(rank, hit)| (self.view().handle_of(rank), hit)).collect()
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
        self.cast_shape_where(shape, pose, velocity, max_time, &QueryFilter::default())
    }

    /// The first body that a moving shape, of one part or many, meets and that the filter lets be found.
    pub fn cast_shape_where(
        &self,
        shape: &Shape,
        pose: &DPose3,
        velocity: DVec3,
        max_time: f64,
        filter: &QueryFilter,
    ) -> Option<(BodyHandle, ShapeHit)> {
        if !(pose_is_usable(pose) && velocity.is_finite() && max_time >= 0.0) {
            return None;
        }
        let start = shape.aabb(pose);
        let best: Cell<Option<(f64, u32)>> = Cell::new(None);
        let near = |bounds: &Aabb| {
            let within = best.get().map_or(max_time, |(time, _)| time);
            let far = (velocity * within).clamp(DVec3::splat(f64::MIN), DVec3::splat(f64::MAX));
            // 0 · ∞ along an axis without motion is zero.
            let way = DVec3::select(velocity.cmpeq(DVec3::ZERO), DVec3::ZERO, far);
            let swept = start.union(Aabb { min: start.min + way, max: start.max + way });
            swept.inflated(TOUCHING).overlaps(bounds).then_some(0.0)
        };
        self.index().visit(near, |rank| {
            let Some(body) = self.view().asked(rank, filter) else { return };
            if let Some(time) = cast_shape(shape, pose, velocity, &body.shape, &body.pose(), DVec3::ZERO, max_time)
                && best.get().is_none_or(|earliest| (time, rank) < earliest)
            {
                best.set(Some((time, rank)));
            }
        });
        let (time, rank) = best.get()?;
        let body = self.view().asked(rank, filter)?;
        let there = DPose3::from_parts(pose.translation + velocity * time, pose.rotation);
        let mut manifolds = Vec::new();
        NarrowPhase::default().collide(shape, &there, &body.shape, &body.pose(), TOUCHING, &mut manifolds);
        let (point, normal) = match deepest(&manifolds) {
            Some(closest) => (closest.on_b, -closest.normal),
            None => (there.translation, -velocity.normalize_or(DVec3::Z)),
        };
        Some((self.view().handle_of(rank), ShapeHit { time, point, normal }))
    }

    /// The bodies that `shape` at `pose` overlaps or touches, in the order of their ids. Two surfaces (half-spaces,
    /// meshes) do not overlap. None for a pose that is not finite.
    pub fn overlaps(&self, shape: &Shape, pose: &DPose3) -> Vec<BodyHandle> {
        self.overlaps_where(shape, pose, &QueryFilter::default())
    }

    /// Like [`World::overlaps`], for bodies that the filter allows.
    pub fn overlaps_where(&self, shape: &Shape, pose: &DPose3, filter: &QueryFilter) -> Vec<BodyHandle> {
        let mut found = Vec::new();
        if !pose_is_usable(pose) {
            return Vec::new();
        }
        let bounds = shape.aabb(pose);
        let (mut narrow_phase, mut manifolds) = (NarrowPhase::default(), Vec::new());
        self.index().visit(
            |other| bounds.overlaps(other).then_some(0.0),
            |rank| {
                let Some(body) = self.view().asked(rank, filter) else { return };
                narrow_phase.collide(shape, pose, &body.shape, &body.pose(), 0.0, &mut manifolds);
                if !manifolds.is_empty() {
                    found.push(rank);
                }
                narrow_phase.recycle(&mut manifolds);
            },
        );
        found.sort_unstable();
        found.into_iter().map(|rank| self.view().handle_of(rank)).collect()
    }

    /// The body nearest to a point, within `max` \[m\], and where; a point inside a body has a distance below zero. None for
    /// numbers that are not finite.
    pub fn closest_point(&self, point: DVec3, max: f64, filter: &QueryFilter) -> Option<(BodyHandle, Closest)> {
        if !(point.is_finite() && (0.0..=crate::MAX_POSITION).contains(&max)) {
            return None;
        }
        // The smallest ball that there is stands for the point.
        let radius = crate::shape::MIN_LENGTH;
        let ball = Shape::sphere(radius).ok()?;
        let pose = DPose3::from_translation(point);
        let best: Cell<Option<(u32, Closest)>> = Cell::new(None);
        let reach = || best.get().map_or(max, |(_, closest)| closest.distance.max(0.0));
        let near = |bounds: &Aabb| Some(distance_to(bounds, point)).filter(|distance| *distance <= reach());
        let (mut narrow_phase, mut manifolds) = (NarrowPhase::default(), Vec::new());
        self.index().visit(near, |rank| {
            let Some(body) = self.view().asked(rank, filter) else { return };
            narrow_phase.collide(&ball, &pose, &body.shape, &body.pose(), max, &mut manifolds);
            if let Some(found) = deepest(&manifolds) {
                let found = Closest { distance: found.distance + radius, on_a: point, ..found };
                let nearer = |(other, closest): (u32, Closest)| (found.distance, rank) < (closest.distance, other);
                if found.distance <= max && best.get().is_none_or(nearer) {
                    best.set(Some((rank, found)));
                }
            }
            narrow_phase.recycle(&mut manifolds);
        });
        best.get().map(|(rank, closest)| (self.view().handle_of(rank), closest))
    }

    /// Distance of two bodies and where they are closest, if that is within `max` \[m\]. Two surfaces have none.
    pub fn distance(&self, a: BodyHandle, b: BodyHandle, max: f64) -> Result<Option<Closest>, WorldError> {
        let (one, two) = (self.body(a)?, self.body(b)?);
        if !(0.0..=crate::MAX_POSITION).contains(&max) {
            return Ok(None);
        }
        let mut manifolds = Vec::new();
        NarrowPhase::default().collide(one.shape(), &one.pose(), two.shape(), &two.pose(), max, &mut manifolds);
        Ok(deepest(&manifolds).filter(|closest| closest.distance <= max))
    }
}

/// The first body on a ray.
fn cast_in(view: View, index: &QueryIndex, ray: &Ray, filter: &QueryFilter) -> Option<(BodyHandle, RayHit)> {
    let Ray { origin, direction, max } = *ray;
    let along = direction.try_normalize().filter(|_| origin.is_finite() && !max.is_nan())?;
    let inverse = along.recip();
    let best: Cell<Option<(u32, RayHit)>> = Cell::new(None);
    let near = |bounds: &Aabb| {
        let reach = best.get().map_or(max, |(_, hit)| hit.distance);
        ray_enters(bounds, origin, inverse, reach)
    };
    index.visit(near, |rank| {
        let Some(body) = view.asked(rank, filter) else { return };
        // Cast over the whole length, so that the digits of the answer do not depend on other bodies.
        if let Some(hit) = body.shape.cast_ray(&body.pose(), origin, direction, max) {
            let nearer = |(other, other_hit): (u32, RayHit)| (hit.distance, rank) < (other_hit.distance, other);
            if best.get().is_none_or(nearer) {
                best.set(Some((rank, hit)));
            }
        }
    });
    best.get().map(|(rank, hit)| (view.handle_of(rank), hit))
}

fn pose_is_usable(pose: &DPose3) -> bool {
    pose.translation.is_finite() && (pose.rotation.length() - 1.0).abs() <= crate::QUATERNION_TOLERANCE
}

/// The points of least gap.
fn deepest(manifolds: &[Manifold]) -> Option<Closest> {
    let mut best: Option<Closest> = None;
    for manifold in manifolds {
        for point in &manifold.points {
            if best.is_none_or(|closest| point.gap < closest.distance) {
                let (on_a, on_b, normal) = (point.on_a, point.on_b, manifold.normal);
                best = Some(Closest { distance: point.gap, on_a, on_b, normal });
            }
        }
    }
    best
}
