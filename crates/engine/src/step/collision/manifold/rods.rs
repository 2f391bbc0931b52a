//! Ends of the stretch over which two nearly parallel rods, capsules or cylinders on their sides, lie beside each other.
//!
//! Two round rods that are not exactly parallel touch in one point. With that point as the only contact, the ends are
//! free to come down within a step, by the turning rate times half of the length: a log in the groove of two others
//! touched at one end in one step and at the other in the next, and sank by a tenth of its radius. So the ends are
//! contacts too, each with its own normal.
//!
//! A rod is the union of balls along its axis. At the place s of one axis the gap is that of the ball to the other rod:
//!
//! ```text
//! g(s) = |q − p(s)| − R_A − R_B,   n = (q − p)/|q − p|,   q = point of the other axis nearest to p
//! ```

use super::Workspace;
use super::contact_patch::{FeatureKey, Manifold, ManifoldPoint};
use super::polygon::faces_with_cap;
use crate::shape::core::{Convex, Core, Placed};
use glamx::DVec3;

/// Sine of the largest angle between two axes \[1\]. Not studied: at this angle the ends of crossed rods of 1.6 m and a radius of
/// 0.15 m are 1 cm apart, the margin of slow bodies.
const PARALLEL: f64 = 0.1;
/// Ends nearer to another contact point than this share of the smaller radius are left out \[1\]. Not studied: two points at one
/// place keep solvers from converging, and a lever as short as this carries no tilt.
const BESIDE: f64 = 0.1;

/// The balls of a rod: half of the length of their axis, their radius, and whether the rod ends with a ball.
#[derive(Clone, Copy)]
struct Rod {
    half: f64,
    radius: f64,
    round: bool,
}

impl Rod {
    /// A capsule, or a cylinder that touches along `dir` (in its own axes) with its side.
    fn of(convex: &Convex, dir: DVec3) -> Option<Rod> {
        match convex.core {
            Core::Segment { half } => Some(Rod { half, radius: convex.radius, round: true }),
            Core::Cylinder { half, radius } if !faces_with_cap(dir) => {
                Some(Rod { half, radius: radius + convex.radius, round: false })
            }
            _ => None,
        }
    }

    /// Half of the length within which balls touch with their waists inside the rod, if normals lean by `sine`.
    fn waist(&self, sine: f64) -> f64 {
        if self.round { self.half } else { (self.half - self.radius * sine).max(0.0) }
    }
}

/// Appends the ends as manifolds of one point each. The manifolds of the pair from `first` on are those found already.
pub(super) fn add_ends(
    work: &mut Workspace,
    (a, b): (&Convex, &Convex),
    placed: &Placed,
    margin: f64,
    first: usize,
    out: &mut Vec<Manifold>,
) {
    let Some(normal) = out[first..].first().map(|manifold| manifold.normal) else { return };
    let (Some(one), Some(two)) = (Rod::of(a, normal), Rod::of(b, placed.to_local(-normal))) else { return };
    let axis = placed.rotation.z_axis;
    let sine = DVec3::Z.cross(axis).length();
    if sine > PARALLEL {
        return;
    }
    let (half_a, half_b) = (one.waist(sine), two.waist(sine));
    // Where the second rod lies along the first, and the ends of what they share.
    let (middle, reach) = (placed.translation.z, half_b * axis.z.abs());
    let ends = [(-half_a).max(middle - reach), half_a.min(middle + reach)];
    let beside = BESIDE * one.radius.min(two.radius);
    for (end, s) in ends.into_iter().enumerate().filter(|_| ends[0] < ends[1]) {
        let p = DVec3::new(0.0, 0.0, s);
        let t = (p - placed.translation).dot(axis).clamp(-half_b, half_b);
        let across = placed.translation + axis * t - p;
        let Some(normal) = across.try_normalize() else { continue };
        let gap = across.dot(normal) - one.radius - two.radius;
        let on_a = p + normal * one.radius;
        let known = |manifold: &Manifold| manifold.points.iter().any(|point| (point.on_a - on_a).length() <= beside);
        if gap > margin || out[first..].iter().any(known) {
            continue;
        }
        let feature = FeatureKey::vertex(end as u32);
        let mut points = work.fresh(1);
        points.push(ManifoldPoint { on_a, on_b: on_a + normal * gap, gap, key: FeatureKey { a: feature, b: feature } });
        out.push(Manifold { normal, points, sub_a: 0, sub_b: 0 });
    }
}
