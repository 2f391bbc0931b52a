//! Boxes along the axes of the world.

use glamx::DVec3;

/// Axis-aligned box; `min` and `max` may be infinite for a half-space.
///
/// ```
/// use signorini::{Shape, glamx::{DPose3, DVec3}};
/// let bounds = Shape::sphere(0.5)?.aabb(&DPose3::from_translation(DVec3::X));
/// assert_eq!((bounds.min.x, bounds.max.x), (0.5, 1.5));
/// # Ok::<(), signorini::ShapeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Least corner \[m\].
    pub min: DVec3,
    /// Greatest corner \[m\].
    pub max: DVec3,
}

impl Aabb {
    /// Holds everything.
    pub const UNBOUNDED: Aabb = Aabb { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY };

    /// Holds nothing; the neutral element of [`Aabb::union`].
    pub const EMPTY: Aabb = Aabb { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    /// Smallest box around both.
    pub fn union(self, other: Aabb) -> Aabb {
        Aabb { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The box grown by `margin` \[m\] on every side.
    pub fn inflated(self, margin: f64) -> Aabb {
        Aabb { min: self.min - DVec3::splat(margin), max: self.max + DVec3::splat(margin) }
    }

    /// Whether no point of `other` is outside; never with a NaN.
    pub fn contains(&self, other: &Aabb) -> bool {
        self.min.cmple(other.min).all() && other.max.cmple(self.max).all()
    }

    /// Whether the closed boxes share a point.
    pub fn overlaps(&self, other: &Aabb) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// Whether all six bounds are finite.
    pub fn is_bounded(&self) -> bool {
        self.min.is_finite() && self.max.is_finite()
    }
}
