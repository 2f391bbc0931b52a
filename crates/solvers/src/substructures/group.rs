//! One group: its own problem, posed by what the others do, and solved.

use super::grouping::Stars;
use crate::linalg::dense::dot;
use crate::{Attempt, ContactSolver, Effort, Exact, ExactOptions, Folds, History, SolveError, StoppingRule};
use signorini_problem::{ContactProblem, Delassus, FactoredDelassus, ProblemError};

/// Most iterations of a group's solver in a visit: what takes more is left for the next sweep, or for larger groups.
const MOST_ITERATIONS: usize = 60;

/// Attempts left out: where a group has many exact answers the central path from the last one stays nearest to it, and
/// sweeps settle. With the conic path `wall8x8_sides_hit`, with pyramids `sph3x3x2` does not settle in groups of
/// sixteen bodies.
const SKIPPED: &[Attempt] = &[Attempt::ConicWarm, Attempt::ConicCold, Attempt::Pyramids];

/// A group and what it needs to be visited again and again.
#[derive(Clone, Debug)]
pub(super) struct Group {
    blocks: Vec<usize>,
    /// The problem of the group's blocks; its q is written at every visit.
    part: ContactProblem,
    /// What touches the group's bodies from outside.
    outside: Vec<Touch>,
    solver: Exact,
    impulses: Vec<f64>,
    q: Vec<f64>,
    /// Of each body of the part, six numbers: momentum from outside, then velocity.
    motion: Vec<f64>,
}

/// A side of a block that belongs to no block of the group, and the body there as the part numbers it.
#[derive(Clone, Copy, Debug)]
struct Touch {
    block: usize,
    side: usize,
    body: usize,
}

impl Group {
    pub(super) fn new(problem: &ContactProblem, stars: &Stars, blocks: Vec<usize>) -> Result<Self, ProblemError> {
        let (mut bodies, mut outside) = (Vec::new(), Vec::new());
        if let Delassus::Factored(w) = problem.delassus() {
            bodies.extend(blocks.iter().flat_map(|c| w.bodies()[*c]).flatten());
            bodies.sort_unstable();
            bodies.dedup();
            outside = touches(w, stars, &blocks, &bodies);
        }
        let part = problem.part(&blocks)?;
        let options = ExactOptions { folds: Folds::Leave, skip: SKIPPED, ..ExactOptions::default() };
        Ok(Group {
            impulses: vec![0.0; part.rows()],
            q: vec![0.0; part.rows()],
            motion: vec![0.0; 6 * bodies.len()],
            solver: Exact::with_options(options),
            blocks,
            part,
            outside,
        })
    }

    /// Solves the group to `accuracy` [m/s] while the others stay, in `r`.
    pub(super) fn visit(
        &mut self,
        problem: &ContactProblem,
        r: &mut [f64],
        accuracy: f64,
    ) -> Result<Effort, SolveError> {
        // What is left in r meanwhile is the others'.
        for (own, i) in self.impulses.iter_mut().zip(self.blocks.iter().flat_map(|c| problem.range(*c))) {
            *own = std::mem::take(&mut r[i]);
        }
        self.feel(problem, r);
        let mut effort = Effort::default();
        // Impulses so large that velocities overflow pose nothing that could be solved: the group stays as it is.
        if self.part.set_q(&self.q).is_ok() {
            let mut stop = StoppingRule::velocity(accuracy / self.part.speed().max(1.0));
            stop.max_iterations = Some(MOST_ITERATIONS);
            effort = self.solver.iterate(&self.part, &mut self.impulses, &stop, &mut History::off())?;
        }
        for (own, i) in self.impulses.iter().zip(self.blocks.iter().flat_map(|c| problem.range(*c))) {
            r[i] = *own;
        }
        Ok(effort)
    }

    /// The velocities that the others leave to the group, `q_G + Σ_{k∉G} W_Gk r_k`, into `q`; `r` is zero in the group.
    fn feel(&mut self, problem: &ContactProblem, r: &[f64]) {
        let rows = self.blocks.iter().flat_map(|c| problem.range(*c));
        match (problem.delassus(), self.part.delassus()) {
            (Delassus::Factored(whole), Delassus::Factored(part)) => {
                self.motion.fill(0.0);
                let (motion, _) = self.motion.as_chunks_mut::<6>();
                for Touch { block, side, body } in &self.outside {
                    for i in problem.range(*block) {
                        let row = &whole.jacobian()[i][6 * side..6 * side + 6];
                        motion[*body].iter_mut().zip(row).for_each(|(momentum, j)| *momentum += j * r[i]);
                    }
                }
                for (motion, mass) in motion.iter_mut().zip(part.inverse_mass()) {
                    *motion = mass.map(|row| dot(&row, &*motion));
                }
                for (c, pair) in part.bodies().iter().enumerate() {
                    for i in self.part.range(c) {
                        self.q[i] = 0.0;
                        for (side, body) in pair.iter().enumerate() {
                            let Some(body) = body else { continue };
                            self.q[i] += dot(&part.jacobian()[i][6 * side..6 * side + 6], &motion[*body as usize]);
                        }
                    }
                }
            }
            (Delassus::Dense(whole), _) => {
                for (q, i) in self.q.iter_mut().zip(rows.clone()) {
                    *q = dot(whole.row(i), r);
                }
            }
            (Delassus::BlockSparse(whole), _) => {
                self.q.fill(0.0);
                for (new, c) in self.blocks.iter().enumerate() {
                    let q = &mut self.q[self.part.range(new)];
                    for (k, block) in whole.row(*c) {
                        let r = &r[problem.range(k)];
                        for (q, row) in q.iter_mut().zip(block.chunks_exact(r.len())) {
                            *q += dot(row, r);
                        }
                    }
                }
            }
            // A part has the form of the whole.
            (Delassus::Factored(_), _) => {}
        }
        for (q, i) in self.q.iter_mut().zip(rows) {
            *q += problem.q()[i];
        }
    }
}

/// What touches the bodies and is not of the group.
fn touches(w: &FactoredDelassus, stars: &Stars, blocks: &[usize], bodies: &[u32]) -> Vec<Touch> {
    let mut outside = Vec::new();
    for (body, number) in bodies.iter().enumerate() {
        for block in stars[*number as usize].iter().copied().filter(|c| blocks.binary_search(c).is_err()) {
            let sides = w.bodies()[block].into_iter().enumerate().filter(|(_, side)| *side == Some(*number));
            outside.extend(sides.map(|(side, _)| Touch { block, side, body }));
        }
    }
    outside
}
