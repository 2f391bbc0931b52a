//! Clusters of a large hull's vertices, so that few are examined to find the one farthest along a direction.
//!
//! A vertex of a cluster with middle c and radius ρ reaches no further along d than `c·d + ρ‖d‖`. Clusters that cannot
//! contain a farther vertex than the best so far are skipped. The answer is the same as by examining all vertices: the
//! first of several.

use glamx::DVec3;
use std::ops::Range;

/// Most vertices of a cluster, and of a hull that needs none: one look at a cluster costs as much as one at a vertex.
const MOST: usize = 32;
/// Round-off of a bound, as a fraction of it.
const ROUND_OFF: f64 = 1e-12;

/// Vertices near each other.
#[derive(Debug)]
struct Cluster {
    middle: DVec3,
    radius: f64,
    /// In [`Clusters::order`].
    range: Range<usize>,
}

/// All vertices of a hull, by what is near what.
#[derive(Debug, Default)]
pub(super) struct Clusters {
    clusters: Vec<Cluster>,
    order: Vec<u32>,
}

impl Clusters {
    /// None of a small hull.
    pub(super) fn of(vertices: &[DVec3]) -> Clusters {
        let mut found = Clusters::default();
        if vertices.len() <= 4 * MOST {
            return found;
        }
        found.order = (0..vertices.len() as u32).collect();
        let mut waiting = Vec::new();
        let mut next = Some(0..vertices.len());
        while let Some(range) = next.take().or_else(|| waiting.pop()) {
            let part = &mut found.order[range.clone()];
            let place = |index: u32| vertices[index as usize];
            let (low, high) = part
                .iter()
                .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), i| (l.min(place(*i)), h.max(place(*i))));
            if part.len() <= MOST {
                let middle = 0.5 * (low + high);
                let radius = part.iter().map(|i| place(*i).distance(middle)).fold(0.0, f64::max);
                found.clusters.push(Cluster { middle, radius, range });
                continue;
            }
            // Halves along the longest extent.
            let extent = high - low;
            let axis = (0..3).fold(0, |best, k| if extent[k] > extent[best] { k } else { best });
            part.sort_unstable_by(|a, b| place(*a)[axis].total_cmp(&place(*b)[axis]).then(a.cmp(b)));
            let half = range.start + range.len() / 2;
            waiting.extend([range.start..half, half..range.end]);
        }
        found
    }

    /// The vertex farthest along a direction, the first of several; none if there are no clusters.
    pub(super) fn farthest(&self, vertices: &[DVec3], dir: DVec3) -> Option<DVec3> {
        let length = dir.length();
        let reach = |cluster: &Cluster| {
            let most = cluster.middle.dot(dir) + cluster.radius * length;
            most + ROUND_OFF * (cluster.middle.length() + cluster.radius) * length
        };
        let promising = |best: (f64, usize), (at, cluster): (usize, &Cluster)| {
            let along = cluster.middle.dot(dir);
            if along > best.0 { (along, at) } else { best }
        };
        let (_, first) = self.clusters.iter().enumerate().fold((f64::NEG_INFINITY, 0), promising);
        let mut best = (f64::NEG_INFINITY, u32::MAX);
        let look = |cluster: &Cluster, best: &mut (f64, u32)| {
            for &index in &self.order[cluster.range.clone()] {
                let along = vertices[index as usize].dot(dir);
                if along > best.0 || along == best.0 && index < best.1 {
                    *best = (along, index);
                }
            }
        };
        look(self.clusters.get(first)?, &mut best);
        for (_, cluster) in self.clusters.iter().enumerate().filter(|(at, _)| *at != first) {
            if reach(cluster) >= best.0 {
                look(cluster, &mut best);
            }
        }
        vertices.get(best.1 as usize).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::core::farthest;
    use signorini_problem::random::SplitMix64;

    #[test]
    fn clusters_find_what_a_look_at_all_finds() {
        let mut random = SplitMix64::new(7);
        let mut vector = || DVec3::from_array([0; 3].map(|_| random.uniform(-1.0, 1.0)));
        // On a ball, on an edge of a box where many are equally far, and the same far from the origin.
        let ball: Vec<DVec3> = (0..1000).map(|_| vector().normalize()).collect();
        let grid: Vec<DVec3> =
            (0..1000).map(|i| DVec3::new(f64::from(i % 10), f64::from(i / 10 % 10), f64::from(i / 100))).collect();
        let away: Vec<DVec3> = ball.iter().map(|p| *p + DVec3::splat(1e3)).collect();
        for points in [ball, grid, away] {
            let clusters = Clusters::of(&points);
            let axes = [DVec3::X, DVec3::NEG_Y, DVec3::Z, DVec3::new(1.0, 1.0, 0.0), DVec3::ZERO];
            let directions = axes.into_iter().chain((0..200).map(|_| 3.0 * vector()));
            for dir in directions {
                assert_eq!(clusters.farthest(&points, dir), Some(farthest(&points, dir)), "{dir}");
            }
        }
        assert!(Clusters::of(&[DVec3::ZERO; 8]).farthest(&[DVec3::ZERO; 8], DVec3::X).is_none());
    }
}
