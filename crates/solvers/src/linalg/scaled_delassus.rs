//! W as a dense symmetric matrix with unit diagonal, from any of its three forms.
//!
//! ```text
//! d_i = √W_ii,   Â_ij = W_ij / (d_i d_j),   x_i = d_i r_i,   û_i = u_i / d_i,   û = Â x + q̂
//! ```
//!
//! Every x_i has the unit √J and every û_i its inverse scale, whatever the masses: tolerances on Schur complements and
//! the norm of x then mean the same for a pebble and a planet, and are independent of units. A row without inertia
//! (W_ii = 0: both sides fixed) is replaced by a unit row with d_i = 0; its impulse moves nothing and is never free.
//!
//! Cost: the factored form visits only pairs of blocks that share a body.

use signorini_problem::{ContactProblem, Delassus, FactoredDelassus};

/// Relative asymmetry up to which W counts as symmetric: round-off of an assembly in another order.
pub(crate) const ASYMMETRY: f64 = 1e-10;
/// How far |Â_ij| may exceed 1 before W is called indefinite: the round-off of its assembly, with a margin.
const MINOR: f64 = 1e-9;

/// The matrix and its scales.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScaledDelassus {
    /// Rows.
    pub n: usize,
    /// Â, row-major.
    pub values: Vec<f64>,
    /// d_i = √W_ii; zero for a row without inertia.
    pub scale: Vec<f64>,
    inverse_scale: Vec<f64>,
    /// Blocks at each body: `(block, side)` in `touching[first[b]..first[b + 1]]`. From 2 on sides are further columns.
    first: Vec<usize>,
    touching: Vec<(usize, usize)>,
}

impl ScaledDelassus {
    /// Builds Â; an error says why W is not symmetric positive semidefinite, as far as its 2×2 minors tell.
    pub fn assemble(&mut self, problem: &ContactProblem) -> Result<(), String> {
        if problem.asymmetry() > ASYMMETRY {
            return Err(format!("relative asymmetry {:e} exceeds {ASYMMETRY:e}", problem.asymmetry()));
        }
        let n = problem.rows();
        self.n = n;
        self.values.clear();
        self.values.resize(n * n, 0.0);
        match problem.delassus() {
            Delassus::Dense(w) if problem.asymmetry() == 0.0 => self.values.copy_from_slice(w.values()),
            Delassus::Dense(w) => {
                for i in 0..n {
                    for j in 0..=i {
                        let value = 0.5 * (w.row(i)[j] + w.row(j)[i]);
                        self.values[i * n + j] = value;
                        self.values[j * n + i] = value;
                    }
                }
            }
            Delassus::BlockSparse(w) => {
                let offsets = problem.offsets();
                for c in 0..problem.blocks().len() {
                    for (k, block) in w.row(c) {
                        let columns = offsets[k + 1] - offsets[k];
                        for (a, i) in problem.range(c).enumerate() {
                            for (b, j) in problem.range(k).enumerate() {
                                let half = 0.5 * block[a * columns + b];
                                self.values[i * n + j] += half;
                                self.values[j * n + i] += half;
                            }
                        }
                    }
                }
            }
            Delassus::Factored(w) => self.assemble_factored(problem, w),
        }
        self.normalise()
    }

    fn assemble_factored(&mut self, problem: &ContactProblem, w: &FactoredDelassus) {
        let n = self.n;
        for (i, c) in w.compliance().iter().enumerate() {
            self.values[i * n + i] = *c;
        }
        self.index_bodies(problem, w);
        for c in 0..w.bodies().len() {
            for (side, body) in sides_of(problem, w, c) {
                let inverse_mass = &w.inverse_mass()[body as usize];
                let touching = &self.touching[self.first[body as usize]..self.first[body as usize + 1]];
                for i in problem.range(c) {
                    let Some(j) = columns_of(w, i, side) else { continue };
                    let mut jm = [0.0; 6];
                    for (a, row) in inverse_mass.iter().enumerate() {
                        for b in 0..6 {
                            jm[b] += j[a] * row[b];
                        }
                    }
                    // Lower triangle only; blocks at a body are listed in ascending order.
                    for &(k, other) in touching.iter().take_while(|(k, _)| *k <= c) {
                        for column in problem.range(k).take_while(|column| *column <= i) {
                            let Some(j) = columns_of(w, column, other) else { continue };
                            let mut sum = 0.0;
                            for b in 0..6 {
                                sum += jm[b] * j[b];
                            }
                            self.values[i * n + column] += sum;
                            if column < i {
                                self.values[column * n + i] += sum;
                            }
                        }
                    }
                }
            }
        }
    }

    /// Lists the blocks at each body by counting, in ascending order.
    fn index_bodies(&mut self, problem: &ContactProblem, w: &FactoredDelassus) {
        let bodies = w.inverse_mass().len();
        self.first.clear();
        self.first.resize(bodies + 1, 0);
        let bodies_beyond = w.further().iter().map(|further| &further.body);
        for body in w.bodies().iter().flatten().flatten().chain(bodies_beyond) {
            self.first[*body as usize + 1] += 1;
        }
        for b in 0..bodies {
            self.first[b + 1] += self.first[b];
        }
        self.touching.clear();
        self.touching.resize(self.first[bodies], (0, 0));
        for c in 0..w.bodies().len() {
            for (side, body) in sides_of(problem, w, c) {
                // `first[b]` runs through the places of body b and is moved back afterwards.
                let place = &mut self.first[body as usize];
                self.touching[*place] = (c, side);
                *place += 1;
            }
        }
        for b in (1..=bodies).rev() {
            self.first[b] = self.first[b - 1];
        }
        self.first[0] = 0;
    }

    fn normalise(&mut self) -> Result<(), String> {
        let n = self.n;
        self.scale.clear();
        self.inverse_scale.clear();
        for i in 0..n {
            let diagonal = self.values[i * n + i];
            if diagonal < 0.0 {
                return Err(format!("W[{i}][{i}] = {diagonal} is negative"));
            }
            let root = diagonal.sqrt();
            self.scale.push(root);
            self.inverse_scale.push(if root > 0.0 { 1.0 / root } else { 0.0 });
        }
        for i in 0..n {
            let row = &mut self.values[i * n..(i + 1) * n];
            let di = self.inverse_scale[i];
            for (j, value) in row.iter_mut().enumerate() {
                if *value == 0.0 {
                    continue;
                }
                let scale = di * self.inverse_scale[j];
                if scale > 0.0 {
                    *value *= scale;
                    if value.abs() > 1.0 + MINOR {
                        return Err(format!(
                            "W[{i}][{j}]² exceeds W[{i}][{i}]·W[{j}][{j}] by the factor {}",
                            *value * *value
                        ));
                    }
                } else {
                    return Err(format!("W[{i}][{j}] = {value} beside a zero diagonal"));
                }
            }
            row[i] = 1.0;
        }
        Ok(())
    }
}

/// Sides of a block that move, and their bodies: two, then its further columns by their places among all.
fn sides_of<'a>(
    problem: &ContactProblem,
    w: &'a FactoredDelassus,
    c: usize,
) -> impl Iterator<Item = (usize, u32)> + use<'a> {
    let rows = problem.range(c);
    let first = if w.further().is_empty() { 0 } else { w.further().partition_point(|f| (f.row as usize) < rows.start) };
    let beyond = w.further_of(rows).iter().enumerate().map(move |(at, further)| (2 + first + at, further.body));
    w.bodies()[c].iter().enumerate().filter_map(|(side, body)| Some((side, (*body)?))).chain(beyond)
}

/// Columns of a row at one of these sides.
fn columns_of(w: &FactoredDelassus, row: usize, side: usize) -> Option<&[f64]> {
    if side < 2 {
        return Some(&w.jacobian()[row][6 * side..6 * side + 6]);
    }
    let further = &w.further()[side - 2];
    (further.row as usize == row).then_some(&further.columns[..])
}
