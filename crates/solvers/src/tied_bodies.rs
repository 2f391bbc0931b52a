//! Solves the linear systems of Newton steps for bodies with joint rows, with six unknowns x per body and one impulse
//! λ per row:
//!
//! ```text
//! A x − Jᵀλ = f,   G x + C λ = −e
//! ```
//!
//! A has a block for every body and for every tie, that is, every pair of bodies with a common row. A need not be
//! symmetric, and J may differ from G: forces act with mean arms, errors are measured at the end. Rows are eliminated,
//! `λ = −R(G x + e)` with `R = (C + εw)⁻¹`, and `A + JᵀRG` is factored over the bodies, without fill where they form a
//! tree.
//!
//! Rows are often redundant (a hinge made of two ball joints, a closed loop) and then contradict each other in the last
//! digits. An exact solve would return enormous self-stress. The impulses of the first solve here contain such a part
//! too, but its motion x₁ does not. So a second solve asks for the rates that the first achieved, `e ← −(G x₁ + C λ₁)`,
//! which are not contradictory. This is Tikhonov's filter applied twice, as in `equality_rows.rs`, whose W is
//! symmetric. Cost: one factorization and two solves, more for ill-conditioned rows; no allocation while the ties are
//! the same.
//!
//! A row may span several ties, as a gear does: it has a part at each of them, and one impulse.

use crate::linalg::block_graph::BlockGraph;
use crate::linalg::frontal_lu::FrontalLu;
use signorini_problem::JacobianRow;

/// ε as a share of w \[1\]: that of `equality_rows.rs`.
const FILTER: f64 = 1e-10;
/// Limit on passes of the filter, and the share of the errors at which they end \[1\]. For rows about the axis of a
/// slender link w is a million times the actual response, and one pass leaves a twentieth of the error.
const PASSES: usize = 4;
const CONTRACTION: f64 = 1e-3;
/// A pair of bodies that are not tied has no block.
const NOWHERE: usize = usize::MAX;

/// One row of a tie. Columns: six of the first body, six of the second; those of no body are not used.
#[derive(Clone, Copy, Debug)]
pub struct TiedRow {
    /// Which tie it belongs to.
    pub tie: usize,
    /// Row of J: what its impulse does.
    pub force: JacobianRow,
    /// Row of G: what it measures.
    pub rate: JacobianRow,
    /// c \[1/kg\].
    pub compliance: f64,
    /// e [m/s].
    pub error: f64,
    /// w: approximate rate change of the row by a unit impulse \[1/kg\].
    pub scale: f64,
}

/// The part of a row at a tie other than its own.
#[derive(Clone, Copy, Debug)]
struct FurtherPart {
    /// Which row.
    row: usize,
    tie: usize,
    force: JacobianRow,
    rate: JacobianRow,
}

/// The system and its buffers.
#[derive(Clone, Debug, Default)]
pub struct TiedBodies {
    ties: Vec<[Option<u32>; 2]>,
    /// Pairs of ties that a row spans.
    spans: Vec<[u32; 2]>,
    graph: BlockGraph,
    lu: FrontalLu,
    /// Whether there is a factor of the values.
    factored: bool,
    values: Vec<f64>,
    /// Where the blocks (a, a), (a, b), (b, a), (b, b) of a tie begin.
    slots: Vec<[usize; 4]>,
    diagonal: Vec<usize>,
    rows: Vec<TiedRow>,
    /// Ascending by row; nearly always none.
    further: Vec<FurtherPart>,
    load: Vec<f64>,
    motion: Vec<f64>,
    left: Vec<f64>,
    step: Vec<f64>,
    impulses: Vec<f64>,
}

impl TiedBodies {
    /// Starts a system with this number of bodies, these ties, and these pairs of ties that rows span. All blocks are
    /// zero, and there are no rows.
    pub fn begin(&mut self, bodies: usize, ties: &[[Option<u32>; 2]], spans: &[[u32; 2]]) {
        if self.ties != ties || self.spans != spans || self.graph.nodes() != bodies {
            self.plan(bodies, ties, spans);
        }
        self.values.fill(0.0);
        self.load.fill(0.0);
        self.rows.clear();
        self.further.clear();
    }

    fn plan(&mut self, bodies: usize, ties: &[[Option<u32>; 2]], spans: &[[u32; 2]]) {
        let mut neighbours = vec![Vec::new(); bodies];
        for [s, t] in spans.iter().flat_map(|[s, t]| [[*s, *t], [*t, *s]]) {
            for body in ties[s as usize].into_iter().flatten() {
                neighbours[body as usize].extend(ties[t as usize].into_iter().flatten().map(|other| other as usize));
            }
        }
        for tie in ties {
            if let [Some(a), Some(b)] = *tie {
                neighbours[a as usize].push(b as usize);
                neighbours[b as usize].push(a as usize);
            }
        }
        self.graph = BlockGraph::new(vec![6; bodies], &mut neighbours);
        self.lu = FrontalLu::new(&self.graph);
        let start = |i: Option<u32>, j: Option<u32>| match (i, j) {
            (Some(i), Some(j)) => self.graph.find(i as usize, j as usize).map_or(NOWHERE, |e| self.graph.starts[e]),
            _ => NOWHERE,
        };
        self.slots = ties.iter().map(|&[a, b]| [start(a, a), start(a, b), start(b, a), start(b, b)]).collect();
        self.diagonal = (0..bodies as u32).map(|i| start(Some(i), Some(i))).collect();
        self.values = vec![0.0; self.graph.stored()];
        self.load = vec![0.0; 6 * bodies];
        self.motion = vec![0.0; 6 * bodies];
        self.ties.clear();
        self.ties.extend_from_slice(ties);
        self.spans.clear();
        self.spans.extend_from_slice(spans);
    }

    /// Adds to the block of a body, row-major, and to its part of f.
    pub fn add_body(&mut self, body: usize, block: &[[f64; 6]; 6], load: &[f64; 6]) {
        let start = self.diagonal[body];
        for (i, row) in block.iter().enumerate() {
            for (j, value) in row.iter().enumerate() {
                self.values[start + 6 * j + i] += value;
            }
            self.load[6 * body + i] += load[i];
        }
    }

    /// Adds to the blocks of a tie, row-major.
    pub fn add_tie(&mut self, tie: usize, block: &[[f64; 12]; 12]) {
        for (quarter, start) in self.slots[tie].into_iter().enumerate().filter(|(_, start)| *start != NOWHERE) {
            let (first_row, first_column) = (6 * (quarter / 2), 6 * (quarter % 2));
            for j in 0..6 {
                for i in 0..6 {
                    self.values[start + 6 * j + i] += block[first_row + i][first_column + j];
                }
            }
        }
    }

    /// Adds a row; impulses are returned in the order of the rows.
    pub fn add_row(&mut self, row: TiedRow) {
        self.rows.push(row);
    }

    /// Adds to the last row its part at another tie, which must be among its spans.
    pub fn add_part(&mut self, tie: usize, force: JacobianRow, rate: JacobianRow) {
        self.further.push(FurtherPart { row: self.rows.len().saturating_sub(1), tie, force, rate });
    }

    /// Adds `JᵀRG` of rows that span several ties, where it is not of one tie alone.
    fn couple(&mut self) {
        let TiedBodies { ties, graph, values, rows, further, .. } = self;
        for (index, row) in rows.iter().enumerate() {
            let parts = parts_of(further, index);
            if parts.is_empty() {
                continue;
            }
            let own = (row.tie, &row.force, &row.rate);
            let all = || std::iter::once(own).chain(parts.iter().map(|part| (part.tie, &part.force, &part.rate)));
            let resistance = resistance(row);
            for (p, (tie, force, _)) in all().enumerate() {
                for (q, (other, _, rate)) in all().enumerate() {
                    for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                        let [Some(a), Some(b)] = [ties[tie][i], ties[other][j]] else { continue };
                        let place = graph.find(a as usize, b as usize);
                        // What its own tie has is in already.
                        let Some(place) = place.filter(|_| p > 0 || q > 0) else { continue };
                        let start = graph.starts[place];
                        for column in 0..6 {
                            let rate = resistance * rate[6 * j + column];
                            for line in 0..6 {
                                values[start + 6 * column + line] += force[6 * i + line] * rate;
                            }
                        }
                    }
                }
            }
        }
    }

    /// Finds the impulses and the motion. Returns false, and zeros, if the system could not be factored.
    pub fn solve(&mut self, impulses: &mut Vec<f64>) -> bool {
        for row in &self.rows {
            let resistance = resistance(row);
            for (quarter, start) in self.slots[row.tie].into_iter().enumerate() {
                if start == NOWHERE {
                    continue;
                }
                let (first_row, first_column) = (6 * (quarter / 2), 6 * (quarter % 2));
                for j in 0..6 {
                    let rate = resistance * row.rate[first_column + j];
                    for i in 0..6 {
                        self.values[start + 6 * j + i] += row.force[first_row + i] * rate;
                    }
                }
            }
        }
        if !self.further.is_empty() {
            self.couple();
        }
        self.factored = self.lu.factor(&self.values).is_ok();
        self.solve_again(impulses)
    }

    /// Replaces f of a body in the system that was solved last.
    pub fn set_load(&mut self, body: usize, load: &[f64; 6]) {
        self.load[6 * body..6 * body + 6].copy_from_slice(load);
    }

    /// Replaces the error of a row in the system that was solved last.
    pub fn set_error(&mut self, row: usize, error: f64) {
        self.rows[row].error = error;
    }

    /// As [`TiedBodies::solve`], with the matrix of the system that was solved last.
    pub fn solve_again(&mut self, impulses: &mut Vec<f64>) -> bool {
        impulses.clear();
        impulses.resize(self.rows.len(), 0.0);
        self.motion.clear();
        self.motion.resize(self.load.len(), 0.0);
        if !self.factored {
            return false;
        }
        let mut first = 0.0;
        for pass in 0..PASSES {
            // What is left of the errors; of the loads nothing is.
            self.left.clear();
            for (row, impulse) in self.rows.iter().zip(impulses.iter()) {
                let moved = moved(&row.rate, &self.ties[row.tie], &self.motion);
                self.left.push(row.error + moved + row.compliance * impulse);
            }
            for part in &self.further {
                self.left[part.row] += moved(&part.rate, &self.ties[part.tie], &self.motion);
            }
            let largest = self.left.iter().fold(0.0, |most: f64, left| most.max(left.abs()));
            if pass == 0 {
                first = largest;
            } else if largest <= CONTRACTION * first {
                break;
            }
            let loaded = if pass == 0 { 1.0 } else { 0.0 };
            self.filtered(loaded);
            for (total, step) in impulses.iter_mut().zip(&self.impulses) {
                *total += step;
            }
            for (total, step) in self.motion.iter_mut().zip(&self.step) {
                *total += step;
            }
        }
        let finite = impulses.iter().chain(&self.motion).all(|x| x.is_finite());
        if !finite {
            impulses.fill(0.0);
            self.motion.fill(0.0);
        }
        finite
    }

    /// Impulses and motion for the remaining errors, by the filter applied twice.
    fn filtered(&mut self, loaded: f64) {
        for pass in 0..2 {
            self.step.clear();
            self.step.extend(self.load.iter().map(|load| loaded * load));
            for (row, error) in self.rows.iter().zip(&self.left) {
                push(-resistance(row) * error, &row.force, &self.ties[row.tie], &mut self.step);
            }
            for part in &self.further {
                let size = -resistance(&self.rows[part.row]) * self.left[part.row];
                push(size, &part.force, &self.ties[part.tie], &mut self.step);
            }
            self.lu.solve(&mut self.step);
            self.impulses.clear();
            for (index, (row, error)) in self.rows.iter().zip(&mut self.left).enumerate() {
                let mut moved = moved(&row.rate, &self.ties[row.tie], &self.step);
                for part in parts_of(&self.further, index) {
                    moved += self::moved(&part.rate, &self.ties[part.tie], &self.step);
                }
                let impulse = -resistance(row) * (moved + *error);
                self.impulses.push(impulse);
                if pass == 0 {
                    *error = -(moved + row.compliance * impulse);
                }
            }
        }
    }

    /// x of a body, by the last solve.
    pub fn motion(&self, body: usize) -> [f64; 6] {
        std::array::from_fn(|i| self.motion[6 * body + i])
    }
}

/// What a row has at other ties than its own.
fn parts_of(further: &[FurtherPart], row: usize) -> &[FurtherPart] {
    let first = further.partition_point(|part| part.row < row);
    let count = further[first..].partition_point(|part| part.row == row);
    &further[first..first + count]
}

/// Adds `size` times `Jᵀ` of a row at a tie.
fn push(size: f64, force: &JacobianRow, tie: &[Option<u32>; 2], load: &mut [f64]) {
    for (side, body) in tie.iter().enumerate() {
        let Some(body) = body else { continue };
        for i in 0..6 {
            load[6 * *body as usize + i] += size * force[6 * side + i];
        }
    }
}

/// G x of a row at a tie.
fn moved(rate: &JacobianRow, tie: &[Option<u32>; 2], motion: &[f64]) -> f64 {
    let mut moved = 0.0;
    for (side, body) in tie.iter().enumerate() {
        let Some(body) = body else { continue };
        for i in 0..6 {
            moved += rate[6 * side + i] * motion[6 * *body as usize + i];
        }
    }
    moved
}

/// R of a row.
fn resistance(row: &TiedRow) -> f64 {
    1.0 / (row.compliance + FILTER * row.scale).max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(mass: f64) -> [[f64; 6]; 6] {
        std::array::from_fn(|i| std::array::from_fn(|j| if i == j { mass } else { 0.0 }))
    }

    fn along(axis: usize, sides: [f64; 2]) -> JacobianRow {
        std::array::from_fn(|i| if i % 6 == axis { sides[i / 6] } else { 0.0 })
    }

    fn row(tie: usize, columns: JacobianRow, error: f64) -> TiedRow {
        TiedRow { tie, force: columns, rate: columns, compliance: 0.0, error, scale: 1.0 }
    }

    /// Masses of 1 and 3, tied along x and pushed apart by 4: both move by a = 4/(1 + 3) = 1 with the push on the first alone, and
    /// the tie carries m₂ a = 3.
    #[test]
    fn two_bodies_that_are_tied_move_as_one() {
        let mut system = TiedBodies::default();
        system.begin(2, &[[Some(0), Some(1)]], &[]);
        system.add_body(0, &unit(1.0), &[4.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        system.add_body(1, &unit(3.0), &[0.0; 6]);
        system.add_row(row(0, along(0, [-1.0, 1.0]), 0.0));
        let mut impulses = Vec::new();
        assert!(system.solve(&mut impulses));
        assert!((system.motion(0)[0] - 1.0).abs() < 1e-9 && (system.motion(1)[0] - 1.0).abs() < 1e-9);
        assert!((impulses[0] - 3.0).abs() < 1e-6, "{impulses:?}");
    }

    /// The force of the row turns with what the body does: `A = [[1, −k], [0, 1]]` in x and y, G = y. From `e = −1`: y = 1, the
    /// impulse is 1, and x = k although nothing pushes along x.
    #[test]
    fn a_matrix_that_is_not_symmetric_is_taken_as_it_is() {
        let mut system = TiedBodies::default();
        system.begin(1, &[[None, Some(0)]], &[]);
        let mut block = unit(1.0);
        block[0][1] = -0.7;
        system.add_body(0, &block, &[0.0; 6]);
        system.add_row(row(0, along(1, [0.0, 1.0]), -1.0));
        let mut impulses = Vec::new();
        assert!(system.solve(&mut impulses));
        let x = system.motion(0);
        assert!((x[1] - 1.0).abs() < 1e-9 && (x[0] - 0.7).abs() < 1e-9, "{x:?}");
        assert!((impulses[0] - 1.0).abs() < 1e-6, "{impulses:?}");
    }

    /// Masses of 2 and 3 on two axles, geared `x₁ = 4 x₂`, pushed by 7 on the first: with the constraint's impulse λ on the first and
    /// −4λ on the second, `2·4a = 7 + λ` and `3a = −4λ` give a = 28/(3 + 32) = 0.8 and λ = −0.6.
    #[test]
    fn a_row_that_spans_two_ties_gears_them() {
        for ties in [[[None, Some(0)], [None, Some(1)]], [[Some(2), Some(0)], [Some(1), Some(2)]]] {
            let mut system = TiedBodies::default();
            system.begin(3, &ties, &[[0, 1]]);
            system.add_body(0, &unit(2.0), &[7.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
            system.add_body(1, &unit(3.0), &[0.0; 6]);
            // What both hang on is too heavy to move.
            system.add_body(2, &unit(1e12), &[0.0; 6]);
            let turned = if ties[1][0].is_none() { -4.0 } else { 4.0 };
            // What an impulse of one changes: 1/2 + 4²/3.
            system.add_row(TiedRow { scale: 35.0 / 6.0, ..row(0, along(0, [-1.0, 1.0]), 0.0) });
            let second = along(0, [-turned, turned]);
            system.add_part(1, second, second);
            let mut impulses = Vec::new();
            assert!(system.solve(&mut impulses));
            let x = [system.motion(0)[0], system.motion(1)[0]];
            assert!((x[0] - 3.2).abs() < 1e-8 && (x[1] - 0.8).abs() < 1e-8, "{x:?}");
            // To the round-off of the filter, 2⁻⁵³/ε.
            assert!((impulses[0] + 0.6).abs() < 2e-6, "{impulses:?}");
        }
    }

    /// A unit mass held twice along x, once asked for 1 and once for 1 + 1e-6: the mean is taken to the round-off of the
    /// filter, 2⁻⁵³/ε, and shared evenly.
    #[test]
    fn rows_that_contradict_each_other_are_met_halfway_without_self_stress() {
        let mut system = TiedBodies::default();
        system.begin(1, &[[None, Some(0)]], &[]);
        system.add_body(0, &unit(1.0), &[0.0; 6]);
        for asked in [1.0, 1.0 + 1e-6] {
            system.add_row(row(0, along(0, [0.0, 1.0]), -asked));
        }
        let mut r = Vec::new();
        assert!(system.solve(&mut r));
        assert!((r[0] + r[1] - 1.0 - 5e-7).abs() < 2e-6, "{r:?}");
        assert!((r[0] - r[1]).abs() < 1e-5, "{r:?}");
    }
}
