//! The linear systems of the second-order methods: `(I + K W) dr = g` with K block-diagonal.
//!
//! Interior-point and Newton steps differ only in K and g (algebra in their own files). Two forms:
//!
//! * **velocity** (factored W = J M⁻¹ Jᵀ): with `J̃ = J S`, `S Sᵀ = M⁻¹`, factor `A = I + J̃ᵀ K J̃` over the *bodies*,
//!   then `dv = A⁻¹ J̃ᵀ g`, `dr = g − K J̃ dv`. A stays regular for redundant contacts. Compliance, `W = J M⁻¹ Jᵀ + C`,
//!   is eliminated first, block by block: `B⁻¹K` and `B⁻¹g` with `B = I + K C` replace K and g (`compliance.rs`).
//! * **impulse** (W given): factor `I + K W` over the *contacts*, with W exactly as given, asymmetric or not.
//!
//! The pattern, its ordering and symbolic factorization are kept while the contact graph is unchanged.

mod clique;
mod compliance;
mod pair_sum;
mod velocity_form;

use crate::linalg::block_graph::BlockGraph;
use crate::linalg::frontal_lu::{FrontalLu, SingularPivot};
use crate::linalg::kernels::widest;
use clique::Clique;
use signorini_problem::{ContactProblem, Delassus, FactoredDelassus};
pub(crate) use velocity_form::root_of_inverse_mass;
use velocity_form::{VelocityForm, assemble_velocity};

/// Refinement ends if the defect of every row is below this share of its terms \[1\].
const REFINED: f64 = 1e-13;

/// A prepared system.
#[derive(Clone, Debug, Default)]
pub struct NewtonSystem {
    graph: BlockGraph,
    lu: FrontalLu,
    values: Vec<f64>,
    /// The matrix that was factored last; empty if that failed.
    factored: Vec<f64>,
    form: Form,
    /// K of every block, row-major, one after another.
    k: Vec<f64>,
    k_starts: Vec<usize>,
    /// Number of factorizations requested since the last preparation.
    factorizations: usize,
    /// Whether the last direction whose defect was computed had to be refined.
    refined: bool,
    scratch_nodes: Vec<f64>,
    scratch_rows: Vec<f64>,
    scratch_w: Vec<f64>,
    scratch_step: Vec<f64>,
}

/// How accurately a system has to be solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refinement {
    /// Most steps of iterative refinement.
    pub most_steps: usize,
    /// A defect that changes velocities by less than this [m/s] is good enough; round-off always is.
    pub good_speed: f64,
}

impl Refinement {
    /// The factor alone.
    pub const NONE: Refinement = Refinement { most_steps: 0, good_speed: 0.0 };
}

#[derive(Clone, Debug, Default)]
enum Form {
    #[default]
    Impulse,
    Velocity(Box<VelocityForm>),
}

impl NewtonSystem {
    /// Reads the problem; redoes the symbolic work only if the graph differs from the last one.
    pub fn prepare(&mut self, problem: &ContactProblem) {
        self.factorizations = 0;
        self.refined = true;
        let n = problem.rows();
        self.scratch_rows.resize(n, 0.0);
        self.scratch_w.resize(n, 0.0);
        self.scratch_step.resize(n, 0.0);
        self.k_starts.clear();
        self.k_starts.push(0);
        for block in problem.blocks() {
            self.k_starts.push(self.k_starts[self.k_starts.len() - 1] + block.rows * block.rows);
        }
        let stored = self.k_starts[problem.blocks().len()];
        self.k.clear();
        self.k.resize(stored, 0.0);
        match problem.delassus() {
            Delassus::Factored(w) => self.prepare_velocity(problem, w),
            Delassus::Dense(_) | Delassus::BlockSparse(_) => self.prepare_impulse(problem),
        }
        self.scratch_nodes.resize(self.graph.rows(), 0.0);
    }

    fn prepare_velocity(&mut self, problem: &ContactProblem, w: &FactoredDelassus) {
        let bodies = w.inverse_mass().len();
        let mut form = match std::mem::take(&mut self.form) {
            Form::Velocity(form) => form,
            Form::Impulse => {
                // The plan at hand is over contacts.
                self.graph = BlockGraph::default();
                Box::default()
            }
        };
        let offsets = problem.offsets();
        if !form.is_of(offsets, w) || self.graph.nodes() != bodies {
            // Contacts with fixed bodies, limits and so on appear and vanish without changing the graph of bodies.
            let spans = !form.cliques.is_empty() || Clique::places(offsets, w).next().is_some();
            if form.tie(w.bodies()) || spans || self.graph.nodes() != bodies {
                let mut neighbours = form.neighbours(bodies);
                form.cliques = Clique::find(offsets, w, &mut neighbours);
                self.replace_graph(BlockGraph::new(vec![6; bodies], &mut neighbours));
                form.cliques.iter_mut().for_each(|clique| clique.settle(&self.graph));
            }
            form.find_slots(w.bodies(), &self.graph);
            form.further.clear();
            form.further.extend(Clique::places(offsets, w));
        }
        form.read(offsets, w);
        self.form = Form::Velocity(form);
    }

    fn prepare_impulse(&mut self, problem: &ContactProblem) {
        let blocks = problem.blocks().len();
        let as_before = problem.blocks().iter().map(|b| b.rows).eq(self.graph.sizes.iter().copied())
            && matches!(self.form, Form::Impulse);
        // Of a dense W every block has its place.
        if as_before && matches!(problem.delassus(), Delassus::Dense(_)) && self.graph.columns.len() == blocks * blocks
        {
            return;
        }
        let Delassus::BlockSparse(w) = problem.delassus() else {
            self.graph.fill(problem.blocks().iter().map(|block| block.rows));
            self.lu.fill(&self.graph);
            self.values.clear();
            self.values.resize(self.graph.stored(), 0.0);
            self.factored.clear();
            self.form = Form::Impulse;
            return;
        };
        let mut neighbours = vec![Vec::new(); blocks];
        for c in 0..blocks {
            for (k, _) in w.row(c) {
                neighbours[c].push(k);
                neighbours[k].push(c);
            }
        }
        let graph = BlockGraph::new(problem.blocks().iter().map(|b| b.rows).collect(), &mut neighbours);
        if !matches!(self.form, Form::Impulse) || graph != self.graph {
            self.replace_graph(graph);
        }
        self.form = Form::Impulse;
    }

    fn replace_graph(&mut self, graph: BlockGraph) {
        self.lu = FrontalLu::new(&graph);
        self.values = vec![0.0; graph.stored()];
        self.factored.clear();
        self.graph = graph;
    }

    /// Factorizations since the last preparation.
    pub fn factorizations(&self) -> usize {
        self.factorizations
    }

    /// Pairs of bodies that touch; zero where W does not tell.
    pub fn pairs(&self) -> usize {
        match &self.form {
            Form::Velocity(form) => form.pairs,
            Form::Impulse => 0,
        }
    }

    /// Multiplications of one factorization.
    pub fn flops(&self) -> f64 {
        self.lu.flops()
    }

    /// Whether the last direction whose defect was computed had to be refined.
    pub fn needs_refinement(&self) -> bool {
        self.refined
    }

    /// K of block `c`, row-major, to be filled before [`NewtonSystem::factor`].
    pub fn k_mut(&mut self, c: usize) -> &mut [f64] {
        &mut self.k[self.k_starts[c]..self.k_starts[c + 1]]
    }

    /// Factors with the given K. If all contacts stick, K does not depend on the impulses, so the last factor may be of
    /// the same numbers and is reused.
    pub fn factor(&mut self, problem: &ContactProblem) -> Result<(), SingularPivot> {
        self.assemble(problem)?;
        if same_bits(&self.factored, &self.values) {
            return Ok(());
        }
        self.factored.clear();
        self.lu.factor(&self.values)?;
        self.factored.extend_from_slice(&self.values);
        Ok(())
    }

    /// Like [`NewtonSystem::factor`], for a K that does not occur again.
    pub fn factor_once(&mut self, problem: &ContactProblem) -> Result<(), SingularPivot> {
        self.assemble(problem)?;
        self.factored.clear();
        self.lu.factor(&self.values)
    }

    fn assemble(&mut self, problem: &ContactProblem) -> Result<(), SingularPivot> {
        self.factorizations += 1;
        match &mut self.form {
            Form::Velocity(form) => {
                form.compliance.eliminate(problem.offsets(), &self.k, &self.k_starts)?;
                let k = form.compliance.reduced_or(&self.k);
                widest(
                    #[inline(always)]
                    || assemble_velocity(form, problem.offsets(), k, &self.k_starts, &mut self.values),
                );
            }
            Form::Impulse => {
                assemble_impulse(&self.graph, problem, &self.k, &self.k_starts, &mut self.values);
            }
        }
        Ok(())
    }

    /// Whether the determinant of the last `I + K W` is positive; that of the velocity form is the same (Sylvester), but for
    /// the determinants of the blocks eliminated before.
    pub fn determinant_is_positive(&self) -> bool {
        let eliminated = match &self.form {
            Form::Velocity(form) => form.compliance.determinant_is_positive(),
            Form::Impulse => true,
        };
        self.lu.determinant_is_positive() == eliminated
    }

    /// Solves `(I + K W) dr = g` with the last factor and the given refinement; also computes `w_dr = W dr`.
    pub fn solve(
        &mut self,
        problem: &ContactProblem,
        g: &[f64],
        dr: &mut [f64],
        w_dr: &mut [f64],
        refinement: Refinement,
    ) {
        self.solve_once(problem, g, dr, w_dr);
        for round in 0..refinement.most_steps {
            let mut defect = std::mem::take(&mut self.scratch_rows);
            let mut step = std::mem::take(&mut self.scratch_step);
            let mut w_step = std::mem::take(&mut self.scratch_w);
            self.apply_w(problem, dr, &mut w_step);
            let (mut precise, mut speed): (bool, f64) = (true, 0.0);
            for (c, k) in self.k_starts.windows(2).enumerate() {
                let range = problem.range(c);
                let (g, dr, defect) = (&g[range.clone()], &dr[range.clone()], &mut defect[range.clone()]);
                for ((defect, g), dr) in defect.iter_mut().zip(g).zip(dr) {
                    *defect = g - dr;
                }
                subtract_block_product(defect, &self.k[k[0]..k[1]], &w_step[range]);
                for ((defect, g), dr) in defect.iter().zip(g).zip(dr) {
                    // Relative to the row's own terms: impulses differ by the mass ratio.
                    precise &= defect.abs() <= REFINED * (g.abs() + dr.abs());
                    speed = speed.max(defect.abs() * problem.scales()[c]);
                }
            }
            w_dr.copy_from_slice(&w_step);
            let good = precise || speed <= refinement.good_speed;
            if round == 0 {
                self.refined = !good;
            }
            if good {
                self.scratch_rows = defect;
                self.scratch_step = step;
                self.scratch_w = w_step;
                break;
            }
            self.solve_once(problem, &defect, &mut step, &mut w_step);
            for i in 0..dr.len() {
                dr[i] += step[i];
                w_dr[i] += w_step[i];
            }
            self.scratch_rows = defect;
            self.scratch_step = step;
            self.scratch_w = w_step;
        }
    }

    fn solve_once(&mut self, problem: &ContactProblem, g: &[f64], dr: &mut [f64], w_dr: &mut [f64]) {
        match &self.form {
            Form::Impulse => {
                dr.copy_from_slice(g);
                self.lu.solve(dr);
                problem.delassus().apply(problem.offsets(), dr, w_dr, &mut Vec::new());
            }
            Form::Velocity(form) => {
                // J̃ dv + C dr is W dr: no further product is needed.
                let nodes = &mut self.scratch_nodes;
                let k_reduced = form.compliance.reduced_or(&self.k);
                dr.copy_from_slice(g);
                form.compliance.reduce(problem.offsets(), &self.k_starts, dr);
                widest(
                    #[inline(always)]
                    || form.scatter(problem.offsets(), dr, nodes),
                );
                self.lu.solve(nodes);
                widest(
                    #[inline(always)]
                    || form.gather(problem.offsets(), nodes, w_dr),
                );
                for (c, k) in self.k_starts.windows(2).enumerate() {
                    let range = problem.range(c);
                    subtract_block_product(&mut dr[range.clone()], &k_reduced[k[0]..k[1]], &w_dr[range]);
                }
                form.compliance.add_product(dr, w_dr);
            }
        }
    }

    /// `out = W r`.
    pub fn apply_w(&mut self, problem: &ContactProblem, r: &[f64], out: &mut [f64]) {
        match &self.form {
            Form::Impulse => {
                problem.delassus().apply(problem.offsets(), r, out, &mut Vec::new());
            }
            Form::Velocity(form) => {
                let nodes = &mut self.scratch_nodes;
                widest(
                    #[inline(always)]
                    || {
                        form.scatter(problem.offsets(), r, nodes);
                        form.gather(problem.offsets(), nodes, out);
                    },
                );
                form.compliance.add_product(r, out);
            }
        }
    }
}

/// `x −= K u` of one block.
#[inline(always)]
fn subtract_block_product(x: &mut [f64], k: &[f64], u: &[f64]) {
    if let (Some(x), Some(k), Some(u)) = (x.as_mut_array::<3>(), k.as_array::<9>(), u.as_array::<3>()) {
        // Contacts in space.
        for i in 0..3 {
            x[i] -= k[3 * i] * u[0] + k[3 * i + 1] * u[1] + k[3 * i + 2] * u[2];
        }
        return;
    }
    for (x, k) in x.iter_mut().zip(k.chunks_exact(u.len().max(1))) {
        *x -= k.iter().zip(u).map(|(k, u)| k * u).sum::<f64>();
    }
}

fn same_bits(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

/// `I + K W`, block by block.
fn assemble_impulse(graph: &BlockGraph, problem: &ContactProblem, k: &[f64], k_starts: &[usize], values: &mut [f64]) {
    let mut scratch = [0.0; 36];
    for c in 0..graph.nodes() {
        let k = &k[k_starts[c]..k_starts[c + 1]];
        let places = (graph.row_ptr[c]..graph.row_ptr[c + 1]).map(|e| (graph.columns[e], graph.starts[e]));
        if let Delassus::BlockSparse(w) = problem.delassus() {
            // Both are ascending, and what is stored has a place.
            let mut stored = w.row(c).peekable();
            for (other, start) in places {
                let size = graph.sizes[c] * graph.sizes[other];
                match stored.next_if(|(column, _)| *column == other) {
                    Some((_, w)) => product_block(k, w, &mut values[start..start + size]),
                    None => values[start..start + size].fill(0.0),
                }
                if c == other {
                    add_identity(graph.sizes[c], &mut values[start..start + size]);
                }
            }
            continue;
        }
        for (other, start) in places {
            let size = graph.sizes[c] * graph.sizes[other];
            problem.delassus().block(problem.offsets(), c, other, &mut scratch);
            product_block(k, &scratch[..size], &mut values[start..start + size]);
            if c == other {
                add_identity(graph.sizes[c], &mut values[start..start + size]);
            }
        }
    }
}

fn add_identity(n: usize, block: &mut [f64]) {
    for i in 0..n {
        block[i * n + i] += 1.0;
    }
}

/// `K W` of one block into `out`, column-major; K is square and, as W, row-major.
fn product_block(k: &[f64], w: &[f64], out: &mut [f64]) {
    if let (Some(k), Some(w), Some(out)) = (k.as_array::<9>(), w.as_array::<9>(), out.as_mut_array::<9>()) {
        // Contacts in space.
        *out = std::array::from_fn(|e| {
            let (i, j) = (e % 3, e / 3);
            k[3 * i] * w[j] + k[3 * i + 1] * w[3 + j] + k[3 * i + 2] * w[6 + j]
        });
        return;
    }
    let n = k.len().isqrt();
    let m = w.len() / n.max(1);
    for j in 0..m {
        for i in 0..n {
            out[j * n + i] = (0..n).map(|a| k[i * n + a] * w[a * m + j]).sum();
        }
    }
}
