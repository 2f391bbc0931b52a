//! Reduces very many points to those that can be corners of their hull.
//!
//! A scanned or finely meshed part has a hundred thousand points and a hull of a few hundred: nearly all of them lie inside the
//! hull of the points that are outermost in some directions. Leaving those out changes no hull. Where a hull would have too many
//! corners, the points that are outermost in some thousand directions make one that is nearly as large.

use super::{Hull, MAX_HULL_POINTS};
use glamx::DVec3;

/// Directions are those from the centre of a cube of this many cells to the corners on its surface: 296 of them.
const CELLS: i32 = 7;
/// Of those that a hull is made of which would have too many corners: 3752 directions, 0.08 rad apart or less.
const FINE_CELLS: i32 = 25;
/// A point is inside if it is this fraction of the hull's size below every face.
const INSIDE: f64 = 1e-9;

/// The points without those that are inside the hull of a few, where there are more than a hull is asked for.
pub(crate) fn outer_points(points: Vec<DVec3>) -> Vec<DVec3> {
    if points.len() <= MAX_HULL_POINTS {
        return points;
    }
    let few = outermost_of(&points, CELLS);
    // Flat ones are refused with the message that they deserve.
    let Ok(hull) = Hull::new(&few) else { return points };
    let outside = |point: &DVec3| hull.faces.iter().any(|f| point.dot(f.normal) - f.offset > -INSIDE * hull.size);
    points.into_iter().filter(outside).collect()
}

/// The points that are outermost in some thousand directions, and how far others are outside of their hull [m].
pub(crate) fn fewer_points(points: &[DVec3]) -> Result<(Vec<DVec3>, f64), super::ShapeError> {
    let fine = outermost_of(points, FINE_CELLS);
    let (few, hull) = match Hull::new(&fine) {
        Ok(hull) => (fine, hull),
        Err(_) => {
            let coarse = outermost_of(points, CELLS);
            let hull = Hull::new(&coarse)?;
            (coarse, hull)
        }
    };
    let beyond = |f: &super::Face| points.iter().map(|p| p.dot(f.normal) - f.offset).fold(0.0, f64::max);
    let lost = hull.faces.iter().map(beyond).fold(0.0, f64::max);
    Ok((few, lost))
}

fn outermost_of(points: &[DVec3], cells: i32) -> Vec<DVec3> {
    let mut few: Vec<usize> = directions(cells).filter_map(|direction| outermost(points, direction)).collect();
    few.sort_unstable();
    few.dedup();
    few.into_iter().map(|index| points[index]).collect()
}

fn directions(cells: i32) -> impl Iterator<Item = DVec3> {
    let corner = move |at: i32| f64::from(2 * at - cells);
    let surface = move |i: &[i32; 3]| i.iter().any(|x| *x == 0 || *x == cells);
    let all = (0..=cells).flat_map(move |x| (0..=cells).flat_map(move |y| (0..=cells).map(move |z| [x, y, z])));
    all.filter(surface).map(move |[x, y, z]| DVec3::new(corner(x), corner(y), corner(z)))
}

/// The first of the points that are farthest in a direction.
fn outermost(points: &[DVec3], direction: DVec3) -> Option<usize> {
    let reach = points.iter().enumerate().map(|(index, point)| (point.dot(direction), index));
    reach.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, index)| index)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_box_full_of_points_keeps_what_is_on_its_surface() {
        // 43 cells along each edge: 85 184 points, of which 44³ − 42³ = 11 096 are on the surface.
        let side = |i: usize| i as f64 / 43.0 - 0.5;
        let all = (0..44usize.pow(3)).map(|n| DVec3::new(side(n % 44), 2.0 * side(n / 44 % 44), 3.0 * side(n / 1936)));
        let points: Vec<DVec3> = all.collect();
        assert!(Hull::new(&points).is_err());
        let outer = outer_points(points);
        assert_eq!(outer.len(), 11_096);
        assert_eq!(Hull::new(&outer).unwrap().vertices.len(), 8);
    }

    #[test]
    fn a_ball_of_too_many_corners_loses_little() {
        // Fibonacci's lattice on the unit sphere: every point is a corner. Directions are 0.08 rad apart,
        // faces at most 0.15 rad wide: 1 − cos(0.075) = 2.8e-3.
        let turn = std::f64::consts::PI * (3.0 - 5f64.sqrt());
        let point = |k: i32| {
            let z = 1.0 - (2.0 * f64::from(k) + 1.0) / 6000.0;
            let (sine, cosine) = signorini_problem::math::sin_cos(turn * f64::from(k));
            let radius = (1.0 - z * z).sqrt();
            DVec3::new(radius * cosine, radius * sine, z)
        };
        let points: Vec<DVec3> = (0..6000).map(point).collect();
        assert!(Hull::new(&points).is_err());
        let (few, lost) = fewer_points(&points).unwrap();
        assert!(few.len() > 1000 && few.len() <= 3752, "{}", few.len());
        assert!(lost > 0.0 && lost < 2.8e-3, "{lost}");
    }
}
