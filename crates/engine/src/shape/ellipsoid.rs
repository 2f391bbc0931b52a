//! Ellipsoids: support and its derivative, rays, and the separation of smooth cores to the last digit.
//!
//! With H = diag(half), the point farthest along n is `p = H²n/h`, `h = ‖H n‖`, and it moves with n by `S = (H² − p pᵀ)/h`: the radii
//! of curvature. The separation `gap(n)` of two cores has the gradient `q − p` (their two support points) and the second derivative
//! `−(S_A + S_B + gap·1)` on the sphere of directions, so Newton's method needs nothing else.

use super::core::{Core, Placed};
use super::separation::{Separation, gap_along};
use glamx::{DMat3, DVec3};

/// Newton steps; from what GJK and EPA find, four are usual.
const MAX_STEPS: usize = 20;
/// Halvings of one step.
const MAX_HALVINGS: usize = 12;

/// The point farthest along `dir`.
pub(super) fn support(half: DVec3, dir: DVec3) -> DVec3 {
    let scaled = half * dir;
    let height = scaled.length();
    if height > 0.0 { half * (scaled / height) } else { DVec3::new(0.0, 0.0, half.z) }
}

/// How the support moves with a unit direction: the radii of curvature, zero for cores with corners.
fn curvature(core: &Core, dir: DVec3) -> DMat3 {
    let Core::Ellipsoid { half } = *core else { return DMat3::ZERO };
    let height = (half * dir).length();
    let p = support(half, dir);
    (DMat3::from_diagonal(half * half) - DMat3::from_cols(p * p.x, p * p.y, p * p.z)) * (1.0 / height)
}

/// The direction of largest separation next to one that is known roughly. Where the other core has an edge or corner there, the
/// separation is not smooth, and what is known is kept if no step improves it.
pub(super) fn polish(a: &Core, b: &Placed, start: Separation) -> Separation {
    let mut n = start.normal;
    let mut gap = gap_along(a, b, n);
    for _ in 0..MAX_STEPS {
        let apart = b.support(-n) - a.support(n);
        let slope = apart - n * apart.dot(n);
        let turn = b.rotation * curvature(&b.core, b.to_local(-n)) * b.rotation.transpose();
        // Across n it has no meaning; the projector keeps the matrix regular.
        let across = DMat3::from_cols(n * n.x, n * n.y, n * n.z);
        let size = a.size() + b.core.size();
        let matrix = curvature(a, n) + turn + DMat3::IDENTITY * gap + across * size;
        let step = matrix.inverse() * slope;
        let step = step - n * step.dot(n);
        if !step.is_finite() {
            break;
        }
        let mut share = 1.0;
        let mut better = None;
        for _ in 0..MAX_HALVINGS {
            let tried = (n + step * share).normalize_or(n);
            let found = gap_along(a, b, tried);
            if found > gap {
                better = Some((tried, found));
                break;
            }
            share *= 0.5;
        }
        let Some((tried, found)) = better else { break };
        (n, gap) = (tried, found);
    }
    // The support point of an ellipsoid is the nearest point. That of a flat face is any of its corners.
    let middle = match (a, b.core) {
        (Core::Ellipsoid { .. }, _) => a.support(n) + n * (0.5 * gap),
        _ => b.support(-n) - n * (0.5 * gap),
    };
    Separation { normal: n, gap, middle }
}

/// Distance and outward normal along a ray of unit direction; a zero normal from inside.
pub(super) fn ray(half: DVec3, origin: DVec3, direction: DVec3, max: f64) -> Option<(f64, DVec3)> {
    // In axes in which it is a unit ball, from the point of the ray nearest its middle.
    let (from, along) = (origin / half, direction / half);
    let speed = along.length_squared();
    let near = -from.dot(along) / speed;
    let closest = from + along * near;
    let square = 1.0 - closest.length_squared();
    if square < 0.0 {
        return None;
    }
    let reach = (square / speed).sqrt();
    let (enter, leave) = (near - reach, near + reach);
    if leave < 0.0 || enter > max {
        return None;
    }
    if enter <= 0.0 {
        return Some((0.0, DVec3::ZERO));
    }
    let normal = ((from + along * enter) / half).normalize_or_zero();
    Some((enter, normal))
}
