//! Contact problems, their solution and their judge, on arrays.

use crate::argument::{self, list, numbers, wrong_shape, wrong_type};
use crate::pickled::{self, Reduced};
use crate::raise;
use crate::report::Certificate;
use crate::sparse;
use crate::threads;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use signorini_problem::io::ProblemFile;
use signorini_problem::{ContactProblem, Delassus, DenseDelassus, Law, Limits, Symmetry, Tolerance};
use signorini_solvers::{
    ContactSolver, Exact, ExactOptions, History, Method, Selection, SolverSession, Status, StoppingRule,
};
use std::path::PathBuf;

/// The law of one block of rows. Made by the static methods.
///
/// >>> from signorini import Block
/// >>> Block.contact(0.5), Block.joint(3), Block.interval(-1, 1)
/// (Block.contact(0.5), Block.joint(3), Block.interval(-1, 1))
#[pyclass(module = "signorini", frozen, eq, from_py_object)]
#[derive(Clone, Copy, PartialEq)]
pub struct Block(signorini_problem::Block);

#[pymethods]
impl Block {
    /// A frictional contact in space, rows (n, t1, t2): Signorini's condition and Coulomb's cone.
    #[staticmethod]
    fn contact(mu: f64) -> Self {
        Block(signorini_problem::Block::contact(mu))
    }
    /// A frictional contact in the plane, rows (n, t).
    #[staticmethod]
    fn planar_contact(mu: f64) -> Self {
        Block(signorini_problem::Block::planar_contact(mu))
    }
    /// A contact with torsional and rolling friction, rows (n, t1, t2, spin, roll1, roll2); `spin` and `roll` bound the
    /// moments over the normal impulse.
    #[staticmethod]
    fn rolling_contact(mu: f64, spin: f64, roll: f64) -> Self {
        Block(signorini_problem::Block::rolling_contact(mu, spin, roll))
    }
    /// A frictionless contact, one row: 0 ≤ r ⊥ u ≥ 0.
    #[staticmethod]
    fn normal() -> Self {
        Block(signorini_problem::Block::normal())
    }
    /// A joint that removes `rows` degrees of freedom: u = 0, r free.
    #[staticmethod]
    fn joint(rows: usize) -> Self {
        Block(signorini_problem::Block::joint(rows))
    }
    /// An impulse confined to [lo, hi] [N·s], one row: limits, motors, dry friction in a joint.
    #[staticmethod]
    fn interval(lo: f64, hi: f64) -> Self {
        Block(signorini_problem::Block::interval(lo, hi))
    }
    /// Number of rows.
    #[getter]
    fn rows(&self) -> usize {
        self.0.rows
    }
    /// "coulomb", "rolling", "non_negative", "equality" or "interval".
    #[getter]
    fn law(&self) -> &'static str {
        self.0.law.name()
    }
    /// Friction coefficient of a contact; None for other laws.
    #[getter]
    fn mu(&self) -> Option<f64> {
        match self.0.law {
            Law::Coulomb { mu } | Law::Rolling { mu, .. } => Some(mu),
            _ => None,
        }
    }
    #[staticmethod]
    fn _from_bytes(data: &[u8]) -> PyResult<Self> {
        let (law, rows) = pickled::restore(data)?;
        Ok(Block(signorini_problem::Block { law, rows }))
    }
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        pickled::reduce::<Self>(py, &(self.0.law, self.0.rows))
    }
    fn __repr__(&self) -> String {
        match (self.0.law, self.0.rows) {
            (Law::Coulomb { mu }, 2) => format!("Block.planar_contact({mu})"),
            (Law::Coulomb { mu }, _) => format!("Block.contact({mu})"),
            (Law::Rolling { mu, spin, roll }, _) => format!("Block.rolling_contact({mu}, {spin}, {roll})"),
            (Law::NonNegative, _) => "Block.normal()".to_owned(),
            (Law::Equality, rows) => format!("Block.joint({rows})"),
            (Law::Interval { lo, hi }, _) => format!("Block.interval({lo}, {hi})"),
        }
    }
}

/// `u = W r + q` with a law per block. `W` [1/kg] is a dense array or a scipy sparse matrix, `q` [m/s] the velocities
/// without any impulse. Give `mu` for contacts in rows (n, t1, t2) (one number for all, or one per contact; with two rows
/// per entry of `mu` the contacts are planar), or `blocks` for any layout. `symmetry` is the relative asymmetry of W that
/// is allowed; None means any square matrix.
///
/// >>> import numpy as np
/// >>> from signorini import Problem
/// >>> problem = Problem(np.eye(3) / 2, [-0.1, 0.16, 0.12], mu=0.5)  # 2 kg meet the floor while sliding
/// >>> solution = problem.solve(tolerance=1e-10)
/// >>> solution.solved, solution.impulses.round(9)
/// (True, array([ 0.2 , -0.08, -0.06]))
#[pyclass(module = "signorini", frozen)]
pub struct Problem(ContactProblem);

impl Problem {
    pub fn of(problem: ContactProblem) -> Self {
        Problem(problem)
    }
}

fn blocks_of(
    rows: usize,
    mu: Option<&Bound<'_, PyAny>>,
    blocks: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<signorini_problem::Block>> {
    match (mu, blocks) {
        (None, Some(blocks)) => {
            let refuse = |_| wrong_type("blocks", "a list of Block", blocks);
            let list: Vec<Block> = blocks.extract().map_err(refuse)?;
            Ok(list.into_iter().map(|block| block.0).collect())
        }
        (Some(mu), None) => {
            let coefficients = numbers("mu", mu)?;
            let values: Vec<f64> = coefficients.as_array().iter().copied().collect();
            match (coefficients.shape(), values.len()) {
                ([], _) if rows.is_multiple_of(3) => Ok(vec![signorini_problem::Block::contact(values[0]); rows / 3]),
                ([], _) => {
                    let why = format!("q: {rows} rows are not a number of contacts (n, t1, t2); give blocks");
                    Err(PyValueError::new_err(why))
                }
                ([_], contacts) if contacts * 3 == rows => {
                    Ok(values.into_iter().map(signorini_problem::Block::contact).collect())
                }
                ([_], contacts) if contacts * 2 == rows => {
                    Ok(values.into_iter().map(signorini_problem::Block::planar_contact).collect())
                }
                ([_], contacts) => {
                    let why = format!("mu: {contacts} contacts do not fit {rows} rows of q, three or two each");
                    Err(PyValueError::new_err(why))
                }
                (found, _) => Err(wrong_shape("mu", "[] or [contacts]", found)),
            }
        }
        (Some(_), Some(_)) => Err(PyValueError::new_err("blocks: give mu or blocks, not both")),
        (None, None) => Err(PyValueError::new_err("mu: give mu (frictional contacts) or blocks (any laws)")),
    }
}

fn delassus_of(w: &Bound<'_, PyAny>, rows: usize, blocks: &[signorini_problem::Block]) -> PyResult<Delassus> {
    if w.hasattr("tocsr")? {
        return sparse::delassus(w, rows, blocks).map(Delassus::BlockSparse);
    }
    let matrix = numbers("W", w)?;
    if matrix.shape() != [rows, rows] {
        return Err(wrong_shape("W", &format!("[{rows}, {rows}]"), matrix.shape()));
    }
    Ok(Delassus::Dense(DenseDelassus::new(rows, matrix.as_array().iter().copied().collect())))
}

#[pymethods]
impl Problem {
    #[new]
    #[pyo3(signature = (W, q, mu=None, *, blocks=None, symmetry=1e-6))]
    #[expect(non_snake_case, reason = "the symbol of the literature, and of this book")]
    fn new(
        W: &Bound<'_, PyAny>,
        q: &Bound<'_, PyAny>,
        mu: Option<&Bound<'_, PyAny>>,
        blocks: Option<&Bound<'_, PyAny>>,
        symmetry: Option<f64>,
    ) -> PyResult<Self> {
        let q = list("q", q)?;
        let blocks = blocks_of(q.len(), mu, blocks)?;
        let rows: usize = blocks.iter().map(|block| block.rows).sum();
        if rows != q.len() {
            return Err(PyValueError::new_err(format!("blocks: {rows} rows in all, q has {}", q.len())));
        }
        let delassus = delassus_of(W, q.len(), &blocks)?;
        let symmetry = symmetry.map_or(Symmetry::General, Symmetry::UpTo);
        ContactProblem::new(blocks, delassus, q, symmetry).map(Problem).map_err(raise::problem)
    }

    /// Reads a problem file (.fcp).
    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<Problem> {
        let file = ProblemFile::read(&path).map_err(raise::problem_text)?;
        file.to_problem().map(Problem).map_err(raise::problem_text)
    }

    /// A generated problem of the catalogue, such as "stack8_shake"; `signorini.problems()` lists them.
    #[staticmethod]
    fn named(name: &str) -> PyResult<Problem> {
        let entry = signorini_scenes::problems::find(name)
            .ok_or_else(|| PyValueError::new_err(format!("no problem is called '{name}'; see signorini.problems()")))?;
        entry.generate().map(|generated| Problem(generated.problem)).map_err(raise::problem_text)
    }

    /// Writes a problem file that holds the problem bit for bit.
    #[pyo3(signature = (path, *, name=""))]
    fn save(&self, path: PathBuf, name: &str) -> PyResult<()> {
        ProblemFile::from_problem(&self.0, name).write(&path).map_err(raise::problem_text)
    }

    /// Number of scalar unknowns.
    #[getter]
    fn rows(&self) -> usize {
        self.0.rows()
    }
    /// The blocks, in the order of the rows.
    #[getter]
    fn blocks(&self) -> Vec<Block> {
        self.0.blocks().iter().copied().map(Block).collect()
    }
    /// Velocity without any impulse [m/s].
    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.0.q().to_vec().into_pyarray(py)
    }
    /// W [1/kg] as a dense array, shape (rows, rows).
    #[getter]
    #[expect(non_snake_case, reason = "the symbol of the literature, and of this book")]
    fn W<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rows = self.0.rows();
        let limit = signorini_problem::Limits::default().dense_rows;
        if rows > limit {
            return Err(PyValueError::new_err(format!("{rows} rows exceed {limit}: too large to write out")));
        }
        self.0.delassus().to_dense(self.0.offsets()).into_pyarray(py).reshape([rows, rows])
    }
    /// Relative asymmetry of W as given.
    #[getter]
    fn asymmetry(&self) -> f64 {
        self.0.asymmetry()
    }

    /// u = W r + q [m/s].
    fn velocity<'py>(&self, r: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let impulses = self.impulses("r", r)?;
        Ok(self.0.velocity(&impulses).into_pyarray(r.py()))
    }

    /// Grades impulses `r` [N·s] from any source.
    fn certify(&self, r: &Bound<'_, PyAny>) -> PyResult<Certificate> {
        let impulses = self.impulses("r", r)?;
        let graded = threads::detached(r.py(), || signorini_problem::certify(&self.0, &impulses))?;
        graded.map(Certificate).map_err(raise::problem)
    }

    /// Solves by a method of `signorini.methods()` and grades the answer.
    ///
    /// `tolerance` bounds the certificate's natural residual [m/s] relative to max(1 m/s, |q|), or with `relative=True`
    /// the dimensionless residuals. `guess` [N·s] is where to start, `max_iterations` in the method's own unit, and
    /// `history=True` keeps the solver's residual at every iteration. `selection` is which of several exact answers method
    /// "exact" returns: "any", the first one found, or "canonical", the same motion for every order of the blocks. The
    /// interpreter's lock is released.
    #[pyo3(signature = (
        method="exact", *, tolerance=1e-9, relative=false, max_iterations=None, guess=None, history=false,
        selection="any"
    ))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn solve(
        &self,
        py: Python<'_>,
        method: &str,
        tolerance: f64,
        relative: bool,
        max_iterations: Option<usize>,
        guess: Option<&Bound<'_, PyAny>>,
        history: bool,
        selection: &str,
    ) -> PyResult<Solution> {
        if tolerance.is_nan() || tolerance < 0.0 {
            return Err(PyValueError::new_err(format!("tolerance: {tolerance} is not in [0, ∞]")));
        }
        let method: Method = method.parse().map_err(|error| PyValueError::new_err(format!("method: {error}")))?;
        let tolerance = if relative { Tolerance::relative(tolerance) } else { Tolerance::velocity(tolerance) };
        let stop = StoppingRule { tolerance, max_iterations };
        let canonical = is_canonical(selection, method)?;
        let guess = guess.map(|guess| self.impulses("guess", guess)).transpose()?;
        let mut kept = if history { History::on() } else { History::off() };
        let solved = threads::detached(py, || {
            let mut session = SolverSession::default();
            let started = std::time::Instant::now();
            let mut solver = if canonical { canonical_solver() } else { method.solver() };
            session.solve(&self.0, &mut *solver, guess.as_deref(), &stop, &mut kept)?;
            Ok((session.into_solution(), started.elapsed().as_secs_f64()))
        })?;
        let (solution, seconds) = solved.map_err(raise::solve)?;
        let Some(solution) = solution else { return Err(raise::problem_text("the solver returned nothing")) };
        let velocity = self.0.velocity(&solution.impulses);
        let history = history.then(|| kept.points().iter().map(|p| (p.iteration, p.seconds, p.residual)).collect());
        Ok(Solution { method, solution, velocity, seconds, history, tolerance })
    }

    #[staticmethod]
    fn _from_bytes(data: &[u8]) -> PyResult<Self> {
        let file = ProblemFile::parse(data, &Limits::default()).map_err(raise::problem_text)?;
        file.to_problem().map(Problem).map_err(raise::problem_text)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        pickled::rebuild::<Self>(py, &ProblemFile::from_problem(&self.0, "").to_bytes())
    }

    fn __repr__(&self) -> String {
        format!("<Problem of {} blocks, {} rows>", self.0.blocks().len(), self.0.rows())
    }
}

impl Problem {
    fn impulses(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
        let impulses = argument::list(name, value)?;
        if impulses.len() != self.0.rows() {
            return Err(wrong_shape(name, &format!("[{}]", self.0.rows()), &[impulses.len()]));
        }
        Ok(impulses)
    }
}

/// A graded answer.
#[pyclass(module = "signorini", frozen)]
pub struct Solution {
    method: Method,
    solution: signorini_solvers::Solution,
    velocity: Vec<f64>,
    seconds: f64,
    /// Iteration, seconds and residual.
    history: Option<Vec<(usize, f64, f64)>>,
    tolerance: Tolerance,
}

/// Whether the selection of this name is the canonical one, which only one method knows.
fn is_canonical(selection: &str, method: Method) -> PyResult<bool> {
    match (selection, method) {
        ("any", _) => Ok(false),
        ("canonical", Method::Exact) => Ok(true),
        ("canonical", other) => {
            let why = format!("selection: 'canonical' is of method exact, not of {}", other.name());
            Err(PyValueError::new_err(why))
        }
        (other, _) => Err(PyValueError::new_err(format!("selection: '{other}' is none of any, canonical"))),
    }
}

fn canonical_solver() -> Box<dyn ContactSolver> {
    Box::new(Exact::with_options(ExactOptions { selection: Selection::Canonical, ..ExactOptions::default() }))
}

#[pymethods]
impl Solution {
    /// Whether the certificate meets the tolerance.
    #[getter]
    fn solved(&self) -> bool {
        self.solution.status == Status::Solved
    }
    /// "solved" or "unsolved".
    #[getter]
    fn status(&self) -> &'static str {
        if self.solved() { "solved" } else { "unsolved" }
    }
    /// Name of the method.
    #[getter]
    fn method(&self) -> &'static str {
        self.method.name()
    }
    /// r [N·s], always inside the cones and intervals.
    #[getter]
    fn impulses<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.solution.impulses.clone().into_pyarray(py)
    }
    /// u = W r + q [m/s].
    #[getter]
    fn velocity<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.velocity.clone().into_pyarray(py)
    }
    /// How far off the impulses are.
    #[getter]
    fn certificate(&self) -> Certificate {
        Certificate(self.solution.certificate)
    }
    /// Largest error at any block [m/s]: `certificate.natural`.
    #[getter]
    fn residual(&self) -> f64 {
        self.solution.certificate.natural
    }
    /// Tolerance that was asked for.
    #[getter]
    fn tolerance(&self) -> f64 {
        self.tolerance.value
    }
    /// Wall time of the solve with its certificate [s].
    #[getter]
    fn seconds(&self) -> f64 {
        self.seconds
    }
    /// Iterations, factorizations, set changes, active blocks, indeterminacy.
    #[getter]
    fn effort<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let effort = self.solution.effort;
        let dictionary = PyDict::new(py);
        dictionary.set_item("iterations", effort.iterations)?;
        dictionary.set_item("factorizations", effort.factorizations)?;
        dictionary.set_item("set_changes", effort.set_changes)?;
        dictionary.set_item("active", effort.active)?;
        dictionary.set_item("indeterminacy", effort.indeterminacy)?;
        Ok(dictionary)
    }
    /// Arrays `iteration`, `seconds` and `residual` [m/s], if asked for; else None. The residual is the solver's own.
    #[getter]
    fn history<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(history) = &self.history else { return Ok(None) };
        let dictionary = PyDict::new(py);
        let iterations: Vec<i64> = history.iter().map(|point| point.0 as i64).collect();
        dictionary.set_item("iteration", iterations.into_pyarray(py))?;
        dictionary.set_item("seconds", history.iter().map(|p| p.1).collect::<Vec<f64>>().into_pyarray(py))?;
        dictionary.set_item("residual", history.iter().map(|p| p.2).collect::<Vec<f64>>().into_pyarray(py))?;
        Ok(Some(dictionary))
    }
    #[staticmethod]
    fn _from_bytes(data: &[u8]) -> PyResult<Self> {
        let (method, solved, answer, rest) = pickled::restore::<(String, bool, PickledAnswer, PickledRest)>(data)?;
        let (impulses, certificate, effort) = answer;
        let (velocity, seconds, history, tolerance) = rest;
        let method = method.parse().map_err(|error| PyValueError::new_err(format!("method: {error}")))?;
        let status = if solved { Status::Solved } else { Status::Unsolved };
        let solution = signorini_solvers::Solution { status, impulses, certificate, effort };
        Ok(Solution { method, solution, velocity, seconds, history, tolerance })
    }
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        let answer = (&self.solution.impulses, self.solution.certificate, self.solution.effort);
        let rest = (&self.velocity, self.seconds, &self.history, self.tolerance);
        pickled::reduce::<Self>(py, &(self.method.name(), self.solved(), answer, rest))
    }
    /// A table, for notebooks.
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("signorini._html")?.call_method1("solution", (slf,))
    }
    fn __repr__(&self) -> String {
        format!("Solution({} by {}, residual={:.1e} m/s)", self.status(), self.method.name(), self.residual())
    }
}

type PickledAnswer = (Vec<f64>, signorini_problem::Certificate, signorini_solvers::Effort);
type PickledRest = (Vec<f64>, f64, Option<Vec<(usize, f64, f64)>>, Tolerance);

/// Names of all methods.
#[pyfunction]
pub fn methods() -> Vec<&'static str> {
    Method::ALL.iter().map(|method| method.name()).collect()
}

/// Names of the generated problems, of one size ("small", "medium", "large") or all.
#[pyfunction]
#[pyo3(signature = (size=None))]
pub fn problems(size: Option<&str>) -> PyResult<Vec<&'static str>> {
    use signorini_scenes::problems::{Size, entries};
    let size = match size {
        None => None,
        Some(name) => Some(
            Size::ALL
                .into_iter()
                .find(|size| size.name() == name)
                .ok_or_else(|| PyValueError::new_err(format!("size: '{name}' is none of small, medium, large")))?,
        ),
    };
    Ok(entries().iter().filter(|entry| size.is_none_or(|size| entry.size == size)).map(|entry| entry.name).collect())
}
