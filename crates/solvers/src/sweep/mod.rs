//! Gauss–Seidel sweeps over the blocks of a problem: the machinery that `pgs`, `nsgs`, `block_pgs` and
//! `accelerated_nsgs` share.
//!
//! A sweep visits every block once, computes its velocity `u_c = q_c + Σ_k W_ck r_k` from the newest impulses, and
//! replaces `r_c` by what the block's law asks for while all others stay. What is done with a frictional contact is the
//! [`ContactStep`]; the other laws are solved exactly.
//!
//! Three forms of the same arithmetic:
//!
//! * **matrix** (dense or block-sparse W): `u_c` is summed over the stored row;
//! * **kept** (any W of at most 48 rows): `W r` is kept up to date by columns of W;
//! * **bodies** (factored W): `Δv = M⁻¹Jᵀr` is kept up to date at every change of an impulse, so a visit costs two
//!   bodies whatever the number of contacts. The invariant `Δv ≡ M⁻¹Jᵀr` is asserted after every sweep in debug builds.
//!
//! Cost of a sweep in body form: 36 multiplications to gather and 36 to scatter per contact, plus the local solve.

mod accelerated;
mod contact_step;
mod coupling;
mod driver;
mod extrapolation;
mod guard;
mod levels;
mod local;

pub use accelerated::{AcceleratedPlan, AcceleratedSweeps, ColdStart};
pub use contact_step::{ContactStep, NormalStep, Planar, RowStep};
pub(crate) use driver::MAX_SWEEPS;
pub use driver::{Acceptance, SweepPlan, SweepReport, Sweeps};

pub(crate) use coupling::Columns;
use coupling::{BodyCoupling, Coupling, DenseCoupling, KeptCoupling, SparseCoupling};
use local::{Friction, PreparedBlock};
use signorini_problem::{ContactProblem, Delassus};

/// Most rows of a problem whose `W r` is kept by columns of W: beyond, sparsity and the bodies' two are cheaper.
pub(crate) const MOST_KEPT_ROWS: usize = 48;

/// In which order blocks are visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SweepOrder {
    /// First to last, every time.
    #[default]
    Forward,
    /// First to last and last to first in turn: impulses travel down a stack as fast as up.
    Symmetric,
}

/// Choices of a sweeping method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SweepOptions {
    /// In which order blocks are visited.
    pub order: SweepOrder,
}

/// One pass over the blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// First to last.
    Forward,
    /// Last to first.
    Backward,
}

impl SweepOrder {
    /// The direction of the sweep with this number, counted from zero.
    pub fn direction(self, sweep: usize) -> Direction {
        match self {
            SweepOrder::Symmetric if sweep % 2 == 1 => Direction::Backward,
            _ => Direction::Forward,
        }
    }
}

/// Everything a sweep needs that does not change from sweep to sweep, and Δv. Preparing again for a problem of the
/// same size allocates nothing.
///
/// ```text
/// prepare(problem) → begin(problem, r) → sweep(problem, r, direction)* → residual(problem, r)
/// ```
#[derive(Clone, Debug)]
pub struct Sweeper<S> {
    blocks: Vec<PreparedBlock<S>>,
    /// Generalised inverses of joint blocks, row-major, one after another.
    joint_inverses: Vec<f64>,
    kept: KeptCoupling,
    bodies: BodyCoupling,
}

impl<S> Default for Sweeper<S> {
    fn default() -> Self {
        Sweeper {
            blocks: Vec::new(),
            joint_inverses: Vec::new(),
            kept: KeptCoupling::default(),
            bodies: BodyCoupling::default(),
        }
    }
}

impl<S: ContactStep> Sweeper<S> {
    /// Diagonal blocks and their inverses, scales, and the rows of `J L` with `M⁻¹ = L Lᵀ`.
    pub fn prepare(&mut self, problem: &ContactProblem) {
        self.joint_inverses.clear();
        self.blocks.clear();
        self.kept.rows = 0;
        if problem.rows() <= MOST_KEPT_ROWS {
            self.kept.prepare(problem);
        } else if let Delassus::Factored(w) = problem.delassus() {
            self.bodies.prepare(w, problem.offsets());
        }
        let mut k = [0.0; 36];
        for (c, block) in problem.blocks().iter().enumerate() {
            match problem.delassus() {
                _ if self.is_kept() => self.kept.diagonal_block(problem.offsets()[c], block.rows, &mut k),
                Delassus::Factored(_) => self.bodies.diagonal_block(problem.offsets()[c], block.rows, &mut k),
                _ => problem.diagonal_block(c, &mut k),
            }
            self.blocks.push(PreparedBlock::new(problem, c, &mut k, &mut self.joint_inverses));
        }
    }

    /// Whether the problem prepared for is small.
    fn is_kept(&self) -> bool {
        self.kept.rows > 0
    }

    /// W by columns, of a problem of at most [`MOST_KEPT_ROWS`] rows.
    pub(crate) fn kept_columns(&self) -> Columns<'_> {
        self.kept.columns()
    }

    /// Takes `r` as the current impulses: Δv is computed from scratch. Call after changing `r` from outside.
    pub fn begin(&mut self, problem: &ContactProblem, r: &[f64]) {
        if self.is_kept() {
            self.kept.reset(r);
        } else if let Delassus::Factored(w) = problem.delassus() {
            self.bodies.reset(problem.offsets(), r);
            debug_assert!(self.bodies.drift(w, problem.offsets(), r) <= 1e-12);
        }
    }

    /// Visits every block once. Returns the largest `w_c‖δr_c‖` [m/s], the change of a block's own velocity.
    pub fn sweep(&mut self, problem: &ContactProblem, r: &mut [f64], direction: Direction) -> f64 {
        self.sweep_with(problem, r, direction, Friction::Coulomb, None)
    }

    /// As [`Sweeper::sweep`], with another friction and along `order` if there is one.
    fn sweep_with(
        &mut self,
        problem: &ContactProblem,
        r: &mut [f64],
        direction: Direction,
        friction: Friction,
        order: Option<&[u32]>,
    ) -> f64 {
        let Sweeper { blocks, joint_inverses, kept, bodies } = self;
        let pass = Pass { blocks, joint_inverses, q: problem.q(), direction, friction, order };
        if kept.rows > 0 {
            return pass.run(kept, r);
        }
        let change = match problem.delassus() {
            Delassus::Dense(w) => pass.run(&mut DenseCoupling(w), r),
            Delassus::BlockSparse(w) => pass.run(&mut SparseCoupling(w, problem.offsets()), r),
            Delassus::Factored(_) => pass.run(bodies, r),
        };
        if let Delassus::Factored(w) = problem.delassus() {
            debug_assert!(
                bodies.drift(w, problem.offsets(), r) <= 1e-12,
                "the body velocities no longer belong to the impulses"
            );
        }
        change
    }

    /// Largest natural map of any block [m/s], from velocities computed from scratch. Costs about one sweep.
    pub fn residual(&mut self, problem: &ContactProblem, r: &[f64]) -> f64 {
        self.begin(problem, r);
        self.residual_here(problem, r, Friction::Coulomb)
    }

    /// The same at the velocities kept, which must be those of `r`.
    fn residual_here(&self, problem: &ContactProblem, r: &[f64], friction: Friction) -> f64 {
        let (blocks, q) = (&self.blocks, problem.q());
        match problem.delassus() {
            _ if self.is_kept() => worst_natural_map(blocks, &self.kept, q, r, friction),
            Delassus::Dense(w) => worst_natural_map(blocks, &DenseCoupling(w), q, r, friction),
            Delassus::BlockSparse(w) => {
                worst_natural_map(blocks, &SparseCoupling(w, problem.offsets()), q, r, friction)
            }
            Delassus::Factored(_) => worst_natural_map(blocks, &self.bodies, q, r, friction),
        }
    }

    /// The residual of `r = 0`, where `u = q`: no operator is needed.
    pub fn residual_at_zero(&self, problem: &ContactProblem) -> f64 {
        let mut worst: f64 = 0.0;
        let zero = [0.0; 6];
        for block in &self.blocks {
            let rows = block.range();
            worst = worst.max(block.natural_map(&problem.q()[rows.clone()], &zero[..rows.len()], Friction::Coulomb));
        }
        worst
    }

    /// Largest velocity that enters a sum, `max(|q|, w_c|r_c|)` [m/s].
    pub fn magnitude(&self, problem: &ContactProblem, r: &[f64]) -> f64 {
        let own = self.blocks.iter().map(|b| b.scale() * r[b.range()].iter().fold(0.0, |m: f64, x| m.max(x.abs())));
        own.fold(problem.speed(), f64::max)
    }

    /// Velocity change of the bodies `Δv = M⁻¹Jᵀr` [m/s, rad/s], six numbers per body, into `out`. Empty unless W is
    /// factored and the problem has more than 48 rows.
    pub fn body_velocities(&self, out: &mut Vec<f64>) {
        if self.is_kept() {
            out.clear();
        } else {
            self.bodies.velocities(out);
        }
    }
}

/// What a pass over the blocks does not change.
struct Pass<'a, S> {
    blocks: &'a [PreparedBlock<S>],
    joint_inverses: &'a [f64],
    q: &'a [f64],
    direction: Direction,
    friction: Friction,
    /// First to last, if not as given.
    order: Option<&'a [u32]>,
}

impl<S: ContactStep> Pass<'_, S> {
    fn run<C: Coupling>(&self, coupling: &mut C, r: &mut [f64]) -> f64 {
        let mut worst: f64 = 0.0;
        let mut visit = |c: usize| {
            let squared = self.blocks[c].visit(c, self.joint_inverses, coupling, self.q, r, self.friction);
            // NaN must not read as "nothing changed".
            worst = if squared <= worst { worst } else { squared };
        };
        match (self.order, self.direction) {
            (None, Direction::Forward) => (0..self.blocks.len()).for_each(&mut visit),
            (None, Direction::Backward) => (0..self.blocks.len()).rev().for_each(&mut visit),
            (Some(order), Direction::Forward) => order.iter().for_each(|c| visit(*c as usize)),
            (Some(order), Direction::Backward) => order.iter().rev().for_each(|c| visit(*c as usize)),
        }
        worst.sqrt()
    }
}

fn worst_natural_map<S: ContactStep, C: Coupling>(
    blocks: &[PreparedBlock<S>],
    coupling: &C,
    q: &[f64],
    r: &[f64],
    friction: Friction,
) -> f64 {
    let mut worst: f64 = 0.0;
    for (c, block) in blocks.iter().enumerate() {
        let map = block.natural_map_at(c, coupling, q, r, friction);
        worst = if map <= worst { worst } else { map };
    }
    worst
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::one_contact::OneContact;
    use signorini_problem::{Block, FactoredDelassus, InverseMass, Symmetry};

    fn chain(bodies: usize, offset: f64) -> ContactProblem {
        let mass: InverseMass = std::array::from_fn(|i| std::array::from_fn(|j| if i == j { 1.0 } else { 0.0 }));
        let mut jacobian = Vec::new();
        let mut blocks = Vec::new();
        for c in 0..bodies {
            let block = if c % 3 == 2 { Block::joint(3) } else { Block::contact(0.5) };
            for i in 0..3 {
                let mut row = [0.0; 12];
                (row[i], row[6 + i], row[9 + (i + 1) % 3]) = (-1.0, 1.0, offset);
                jacobian.push(row);
            }
            blocks.push(block);
        }
        let pairs = (0..bodies as u32).map(|b| [b.checked_sub(1), Some(b)]).collect();
        let w = FactoredDelassus::new(vec![mass; bodies], pairs, jacobian);
        ContactProblem::new(blocks, Delassus::Factored(w), vec![-1.0; 3 * bodies], Symmetry::Exact).unwrap()
    }

    /// Every buffer stays where it is: nothing was allocated.
    #[test]
    fn preparing_again_for_the_same_size_keeps_every_buffer() {
        let mut sweeper = Sweeper::<OneContact>::default();
        let mut places = Vec::new();
        for offset in [0.3, 0.7] {
            let problem = chain(30, offset);
            let mut r = vec![0.0; problem.rows()];
            sweeper.prepare(&problem);
            sweeper.begin(&problem, &r);
            sweeper.sweep(&problem, &mut r, Direction::Forward);
            sweeper.residual(&problem, &r);
            let buffers = sweeper.bodies.places();
            places.push((sweeper.blocks.as_ptr().addr(), sweeper.joint_inverses.as_ptr().addr(), buffers));
        }
        assert_eq!(places[0], places[1]);
    }
}
