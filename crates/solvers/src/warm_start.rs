//! Start of an iteration: a guess made feasible, or zero.
//!
//! A guess comes from the previous step of a simulation, from another method, or from a file, and may lie outside
//! cones and intervals or carry numbers that are not finite. Every method starts from, and returns through,
//! [`make_feasible`].

use crate::cone;
use signorini_problem::{ContactProblem, Law};

/// Friction whose square is below this share of the square of its bound is inside, whatever the round-off.
const WELL_INSIDE: f64 = 1.0 - 1e-12;

/// Friction and moments below this are set to zero \[N·s\]: their squares would vanish in the norms that are compared
/// with bounds.
const LEAST_FRICTION: f64 = 1e-140;

/// Moves every block of `r` [N·s] to the nearest impulse its law allows. Blocks that are not finite become the allowed
/// impulse nearest to zero. Feasible blocks are not touched.
pub fn make_feasible(problem: &ContactProblem, r: &mut [f64]) {
    for (c, block) in problem.blocks().iter().enumerate() {
        let r = &mut r[problem.range(c)];
        if let Law::Coulomb { mu } = block.law {
            // Zero and impulses well inside the cone stay as they are; these are most guesses. NaN fails both comparisons.
            let friction: f64 = r[1..].iter().map(|x| x * x).sum();
            let most = (mu * r[0]) * (mu * r[0]);
            let tells = (f64::MIN_POSITIVE..f64::INFINITY).contains(&most);
            if tells && r[0] > 0.0 && friction <= WELL_INSIDE * most || r.iter().all(|x| *x == 0.0) {
                continue;
            }
        }
        if r.iter().any(|x| !x.is_finite()) {
            r.fill(0.0);
        }
        if let Law::Coulomb { .. } | Law::Rolling { .. } = block.law {
            r[1..].iter_mut().filter(|x| x.abs() < LEAST_FRICTION).for_each(|x| *x = 0.0);
        }
        match block.law {
            Law::Equality => {}
            Law::NonNegative => r[0] = r[0].max(0.0),
            Law::Interval { lo, hi } => r[0] = r[0].max(lo).min(hi),
            Law::Rolling { mu, .. } => {
                let contact = cone::make_feasible(mu, &[r[0], r[1], r[2]]);
                let usable = contact.iter().all(|x| x.is_finite());
                for (r, x) in r.iter_mut().zip(contact) {
                    *r = if usable { x } else { 0.0 };
                }
                let normal = r[0];
                for (rows, bound) in block.law.moments() {
                    shorten(&mut r[rows], bound * normal);
                }
            }
            Law::Coulomb { mu } => {
                let second = if r.len() > 2 { r[2] } else { 0.0 };
                let feasible = cone::make_feasible(mu, &[r[0], r[1], second]);
                // A guess so large that its squares overflow says nothing.
                let usable = feasible.iter().all(|x| x.is_finite());
                for (r, x) in r.iter_mut().zip(feasible) {
                    *r = if usable { x } else { 0.0 };
                }
            }
        }
    }
}

/// Shortens a moment to at most `most`, exactly; one that is short enough stays as it is.
fn shorten(moment: &mut [f64], most: f64) {
    let size = |moment: &[f64]| moment.iter().map(|x| x * x).sum::<f64>().sqrt();
    // By two units in the last place more each round, which outruns the rounding of the products.
    let mut shorter = 1.0;
    while size(moment) > most {
        let scale = shorter * most / size(moment);
        moment.iter_mut().for_each(|x| *x = if scale.is_finite() { *x * scale } else { 0.0 });
        shorter -= 2.0 * f64::EPSILON;
    }
}

/// Number of blocks that carry an impulse.
pub(crate) fn active_blocks(problem: &ContactProblem, r: &[f64]) -> usize {
    (0..problem.blocks().len()).filter(|c| r[problem.range(*c)].iter().any(|x| *x != 0.0)).count()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use signorini_problem::{Block, Delassus, DenseDelassus, Symmetry};

    /// The squares of 1e-168 are zero, so that no norm tells that friction is too large.
    #[test]
    fn impulses_whose_squares_vanish_are_made_feasible() {
        let w = DenseDelassus::new(3, vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        let blocks = vec![Block::contact(0.5)];
        let problem = ContactProblem::new(blocks, Delassus::Dense(w), vec![0.0; 3], Symmetry::Exact).unwrap();
        let mut r = [1e-168, 1e-168, 0.0];
        make_feasible(&problem, &mut r);
        assert!(r[0] >= 0.0 && r[1].abs() <= 0.5 * r[0] && r[2] == 0.0, "{r:?}");
    }
}
