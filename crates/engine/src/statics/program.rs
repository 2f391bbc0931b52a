//! The free bodies as a cone program. Forces in units of the largest load, torques in units of that times the length of the model.
//!
//! Columns: contacts first, `(f_N, f_T/μ)` in a second-order cone (f_N alone without friction); then rows of joints; then what a question
//! adds. Rows: six for every body, `Gᵀf + Jᵀg = −w`; then one for every bounded row of a joint, `p + q = 2 g_max` with
//! `g = p − g_max`, `p, q ≥ 0`.

use super::model::{Carries, Model, Wrench};
use signorini_problem::JacobianRow;
use signorini_solvers::cone_program::{Cone, ConeProgram};

/// `A x = b`, `x ∈ K`.
#[derive(Clone, Debug, Default)]
pub(super) struct Posed {
    pub entries: Vec<(usize, usize, f64)>,
    pub b: Vec<f64>,
    pub cones: Vec<Cone>,
    pub columns: usize,
    /// Coefficients of friction as they are in the program.
    frictions: Vec<f64>,
    /// First columns of the contacts.
    starts: Vec<usize>,
}

impl Posed {
    /// Balance of all bodies under their loads, with all coefficients of friction multiplied by a factor.
    pub fn new(model: &Model, friction_factor: f64) -> Posed {
        let mut posed = Posed { b: vec![0.0; 6 * model.bodies.len()], ..Posed::default() };
        for (place, load) in model.loads.iter().enumerate() {
            for (i, w) in posed.scaled(model, load).into_iter().enumerate() {
                posed.b[6 * place + i] = -w;
            }
        }
        for touch in &model.touches {
            let friction = friction_factor * touch.friction;
            posed.frictions.push(friction);
            posed.starts.push(posed.columns);
            let first = posed.add(if friction > 0.0 { Cone::SecondOrder(3) } else { Cone::NonNegative(1) });
            posed.couple(model, first, touch.places, &touch.rows[0], 1.0);
            if friction > 0.0 {
                posed.couple(model, first + 1, touch.places, &touch.rows[1], friction);
                posed.couple(model, first + 2, touch.places, &touch.rows[2], friction);
            }
        }
        let mut last = 0;
        for tie in &model.ties {
            let unit = if tie.turns { model.length } else { 1.0 };
            let limit = |most: f64| most / (model.force * unit);
            let first = match tie.carries {
                _ if tie.joined => last,
                Carries::Anything => posed.add(Cone::Free(1)),
                Carries::Push => posed.add(Cone::NonNegative(1)),
                Carries::Within(_) => posed.add(Cone::NonNegative(2)),
            };
            last = first;
            posed.couple(model, first, tie.places, &tie.row, unit);
            if let Carries::Within(most) = tie.carries {
                let row = posed.b.len();
                posed.b.push(2.0 * limit(most));
                posed.entries.extend([(row, first, 1.0), (row, first + 1, 1.0)]);
                for (place, half) in tie.places.into_iter().zip(tie.row.chunks_exact(6)) {
                    let Some(place) = place else { continue };
                    for (i, j) in half.iter().enumerate() {
                        let length = if i < 3 { 1.0 } else { model.length };
                        posed.b[6 * place + i] += limit(most) * unit * j / length;
                    }
                }
            }
        }
        posed
    }

    /// Adds variables and returns the first.
    pub fn add(&mut self, cone: Cone) -> usize {
        let first = self.columns;
        self.columns += cone.size();
        self.cones.push(cone);
        first
    }

    /// Adds a variable that is the factor of a pattern of loads.
    pub fn add_pattern(&mut self, model: &Model, pattern: &[Wrench]) -> usize {
        let column = self.add(Cone::Free(1));
        for (place, load) in pattern.iter().enumerate() {
            for (i, w) in self.scaled(model, load).into_iter().enumerate() {
                self.entries.push((6 * place + i, column, w));
            }
        }
        column
    }

    /// Columns of a contact and by what to multiply them for (f_N, f_T1, f_T2); less than three without friction.
    pub fn parts(&self, touch: usize) -> impl Iterator<Item = (usize, f64)> + use<> {
        let (start, friction) = (self.starts[touch], self.frictions[touch]);
        let count = if friction > 0.0 { 3 } else { 1 };
        (0..count).map(move |i| (start + i, if i == 0 { 1.0 } else { friction }))
    }

    /// The program, or nothing if the solver refuses it.
    pub fn program(&self) -> Option<ConeProgram> {
        ConeProgram::new(&self.entries, &self.b, &self.cones)
    }

    /// Largest entry of `A x − share·b`.
    pub fn unbalanced(&self, x: &[f64], share: f64) -> f64 {
        self.left(x, share)
            .into_iter()
            .fold(0.0, |worst: f64, r| if r.is_nan() { f64::INFINITY } else { worst.max(r.abs()) })
    }

    /// `A x − share·b`.
    pub fn left(&self, x: &[f64], share: f64) -> Vec<f64> {
        let mut left: Vec<f64> = self.b.iter().map(|b| -share * b).collect();
        for (row, column, value) in &self.entries {
            left[*row] += value * x[*column];
        }
        left
    }

    /// `c − Aᵀy`.
    pub fn reduced(&self, cost: &[f64], y: &[f64]) -> Vec<f64> {
        let mut reduced = cost.to_vec();
        for (row, column, value) in &self.entries {
            reduced[*column] -= value * y[*row];
        }
        reduced
    }

    fn couple(&mut self, model: &Model, column: usize, places: [Option<usize>; 2], row: &JacobianRow, factor: f64) {
        for (place, half) in places.into_iter().zip(row.chunks_exact(6)) {
            let Some(place) = place else { continue };
            for (i, j) in half.iter().enumerate() {
                let length = if i < 3 { 1.0 } else { model.length };
                self.entries.push((6 * place + i, column, factor * j / length));
            }
        }
    }

    fn scaled(&self, model: &Model, load: &Wrench) -> Wrench {
        std::array::from_fn(|i| load[i] / if i < 3 { model.force } else { model.force * model.length })
    }
}
