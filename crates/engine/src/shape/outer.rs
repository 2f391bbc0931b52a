//! Of very many points, those that can be corners of their hull.
//!
//! A scanned or finely meshed part has a hundred thousand points and a hull of a few hundred: nearly all of them lie inside the
//! hull of the points that are outermost in some directions. Leaving those out changes no hull.

use super::{Hull, MAX_HULL_POINTS};
use glamx::DVec3;

/// Directions are those from the centre of a cube of this many cells to the corners on its surface: 296 of them.
const CELLS: i32 = 7;
/// A point is inside if it is this fraction of the hull's size below every face.
const INSIDE: f64 = 1e-9;

/// The points without those that are inside the hull of a few, where there are more than a hull is asked for.
pub(crate) fn outer_points(points: Vec<DVec3>) -> Vec<DVec3> {
    if points.len() <= MAX_HULL_POINTS {
        return points;
    }
    let mut few: Vec<usize> = directions().filter_map(|direction| outermost(&points, direction)).collect();
    few.sort_unstable();
    few.dedup();
    let few: Vec<DVec3> = few.into_iter().map(|index| points[index]).collect();
    // Flat ones are refused with the message that they deserve.
    let Ok(hull) = Hull::new(&few) else { return points };
    let outside = |point: &DVec3| hull.faces.iter().any(|f| point.dot(f.normal) - f.offset > -INSIDE * hull.size);
    points.into_iter().filter(outside).collect()
}

fn directions() -> impl Iterator<Item = DVec3> {
    let corner = |at: i32| f64::from(2 * at - CELLS);
    let surface = |i: &[i32; 3]| i.iter().any(|x| *x == 0 || *x == CELLS);
    let all = (0..=CELLS).flat_map(|x| (0..=CELLS).flat_map(move |y| (0..=CELLS).map(move |z| [x, y, z])));
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
}
