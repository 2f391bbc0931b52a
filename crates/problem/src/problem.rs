//! The contact problem: blocks with laws, the Delassus operator, and q. Validated once, then trusted.

use crate::delassus::Coupling;
use crate::{Delassus, DenseDelassus, FactoredDelassus, FurtherColumns, InverseMass, JacobianRow, Law, ProblemError};

/// One block: a law over `rows` consecutive rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// The law.
    pub law: Law,
    /// Number of rows.
    pub rows: usize,
}

impl Block {
    /// A frictional contact in space, rows `(n, t1, t2)`.
    pub fn contact(mu: f64) -> Self {
        Block { law: Law::Coulomb { mu }, rows: 3 }
    }
    /// A frictional contact in the plane, rows `(n, t)`.
    pub fn planar_contact(mu: f64) -> Self {
        Block { law: Law::Coulomb { mu }, rows: 2 }
    }
    /// A contact with torsional and rolling friction, rows `(n, t1, t2, spin, roll1, roll2)`.
    pub fn rolling_contact(mu: f64, spin: f64, roll: f64) -> Self {
        Block { law: Law::Rolling { mu, spin, roll }, rows: 6 }
    }
    /// A frictionless contact.
    pub fn normal() -> Self {
        Block { law: Law::NonNegative, rows: 1 }
    }
    /// A joint that removes `rows` degrees of freedom.
    pub fn joint(rows: usize) -> Self {
        Block { law: Law::Equality, rows }
    }
    /// An impulse confined to `[lo, hi]` [N·s].
    pub fn interval(lo: f64, hi: f64) -> Self {
        Block { law: Law::Interval { lo, hi }, rows: 1 }
    }
}

/// How symmetric W has to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Symmetry {
    /// Bit for bit: our own assemblies.
    Exact,
    /// Relative asymmetry `max|W_ij − W_ji| / max|W|` up to this value. Imported files use
    /// [`Symmetry::IMPORTED`]; the asymmetry is recorded and W is used as given.
    UpTo(f64),
    /// Any square matrix: linear complementarity problems that are not contact problems. The diagonal may be negative.
    General,
}

/// Largest relative asymmetry of a W that is an inverse mass with round-off, and not a general matrix \[1\].
const INVERSE_MASS_ASYMMETRY: f64 = 1e-2;

impl Symmetry {
    /// For files of other programs: some published problems are asymmetric by 1e-3.
    pub const IMPORTED: Symmetry = Symmetry::UpTo(INVERSE_MASS_ASYMMETRY);
}

/// Caps, checked before memory is taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Most blocks.
    pub blocks: usize,
    /// Most bodies.
    pub bodies: usize,
    /// Most rows of a dense W (memory is its square).
    pub dense_rows: usize,
    /// Most stored numbers of a block-sparse W.
    pub stored: usize,
    /// Most bytes of a problem file.
    pub file_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { blocks: 2_000_000, bodies: 1_000_000, dense_rows: 20_000, stored: 400_000_000, file_bytes: 4 << 30 }
    }
}

/// `u = W r + q` with a law per block.
#[derive(Clone, Debug)]
pub struct ContactProblem {
    blocks: Vec<Block>,
    /// First row of each block, and the number of rows at the end.
    offsets: Vec<usize>,
    delassus: Delassus,
    q: Vec<f64>,
    /// w_c = tr(W_cc)/rows [1/kg].
    scales: Vec<f64>,
    asymmetry: f64,
    /// Largest |q| [m/s].
    speed: f64,
}

/// The vectors of a problem over bodies. A simulation fills them, makes a problem of them, and takes them back in each
/// step, so that only the first step allocates.
#[derive(Clone, Debug, Default)]
pub struct FactoredParts {
    /// The blocks.
    pub blocks: Vec<Block>,
    /// Inverse mass of every body.
    pub inverse_mass: Vec<InverseMass>,
    /// Bodies (A, B) of every block, `None` for a fixed side.
    pub bodies: Vec<[Option<u32>; 2]>,
    /// Every row of J.
    pub jacobian: Vec<JacobianRow>,
    /// Compliance c ≥ 0 of every row [1/kg, or 1/(kg·m²) of a rotation], `W = J M⁻¹ Jᵀ + diag(c)`; empty if no row is
    /// compliant.
    pub compliance: Vec<f64>,
    /// Columns of rows for bodies beyond the pair of their block, ascending by row and then by body.
    pub further: Vec<FurtherColumns>,
    /// Velocity without any impulse [m/s].
    pub q: Vec<f64>,
    derived: Derived,
}

impl FactoredParts {
    /// Empties every vector and keeps its memory.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.inverse_mass.clear();
        self.bodies.clear();
        self.jacobian.clear();
        self.compliance.clear();
        self.further.clear();
        self.q.clear();
    }
}

/// Data that a problem derives from its parts.
#[derive(Clone, Debug, Default)]
struct Derived {
    offsets: Vec<usize>,
    scales: Vec<f64>,
    couplings: Vec<Coupling>,
}

impl ContactProblem {
    /// Checks everything once: sizes, finite numbers, parameters of the laws, diagonal, symmetry.
    pub fn new(blocks: Vec<Block>, delassus: Delassus, q: Vec<f64>, symmetry: Symmetry) -> Result<Self, ProblemError> {
        ContactProblem::build(blocks, delassus, q, symmetry, Derived::default())
    }

    /// As [`ContactProblem::new`], over bodies, bit for bit symmetric.
    pub fn from_parts(parts: FactoredParts) -> Result<Self, ProblemError> {
        let FactoredParts { blocks, inverse_mass, bodies, jacobian, compliance, further, q, mut derived } = parts;
        let couplings = std::mem::take(&mut derived.couplings);
        let w = FactoredDelassus::with_memory(inverse_mass, bodies, jacobian, couplings);
        let w = w.with_compliance(compliance).with_further(further);
        ContactProblem::build(blocks, Delassus::Factored(w), q, Symmetry::Exact, derived)
    }

    /// The vectors of a problem that is no longer needed. Only those common to all forms if it is not over bodies.
    pub fn into_parts(self) -> FactoredParts {
        let ContactProblem { blocks, offsets, delassus, q, scales, .. } = self;
        let mut derived = Derived { offsets, scales, couplings: Vec::new() };
        match delassus {
            Delassus::Factored(w) => {
                let FactoredDelassus { inverse_mass, couplings, bodies, jacobian, compliance, further } = w;
                derived.couplings = couplings;
                FactoredParts { blocks, inverse_mass, bodies, jacobian, compliance, further, q, derived }
            }
            Delassus::Dense(_) | Delassus::BlockSparse(_) => {
                FactoredParts { blocks, q, derived, ..FactoredParts::default() }
            }
        }
    }

    /// A dense problem, bit for bit symmetric, in the memory of this one. `w` is row-major.
    pub fn refilled(
        self,
        blocks: impl IntoIterator<Item = Block>,
        w: &[f64],
        q: impl IntoIterator<Item = f64>,
    ) -> Result<Self, ProblemError> {
        let ContactProblem { blocks: mut old_blocks, offsets, delassus, q: mut old_q, scales, .. } = self;
        old_blocks.clear();
        old_blocks.extend(blocks);
        old_q.clear();
        old_q.extend(q);
        let mut values = if let Delassus::Dense(dense) = delassus { dense.into_values() } else { Vec::new() };
        values.clear();
        values.extend_from_slice(w);
        let w = Delassus::Dense(DenseDelassus::new(old_q.len(), values));
        let derived = Derived { offsets, scales, couplings: Vec::new() };
        ContactProblem::build(old_blocks, w, old_q, Symmetry::Exact, derived)
    }

    fn build(
        blocks: Vec<Block>,
        mut delassus: Delassus,
        q: Vec<f64>,
        symmetry: Symmetry,
        derived: Derived,
    ) -> Result<Self, ProblemError> {
        let Derived { mut offsets, mut scales, .. } = derived;
        let limits = Limits::default();
        if blocks.len() > limits.blocks {
            return Err(ProblemError::Limit { what: "blocks", found: blocks.len(), limit: limits.blocks });
        }
        offsets.clear();
        offsets.reserve(blocks.len() + 1);
        let mut rows = 0;
        offsets.push(0);
        for (c, block) in blocks.iter().enumerate() {
            let law = block.law.name();
            if !block.law.allows_rows(block.rows) {
                return Err(ProblemError::Rows { block: c, law, rows: block.rows });
            }
            if let Some((parameter, value)) = block.law.invalid_parameter() {
                return Err(ProblemError::Parameter { block: c, law, parameter, value });
            }
            rows += block.rows;
            offsets.push(rows);
        }
        check_q(&q, rows)?;
        let asymmetry = delassus.validate(&offsets, symmetry)?;
        delassus.forget_zero_compliance();
        scales.clear();
        scales.reserve(blocks.len());
        let mut diagonal = [0.0; 6];
        for c in 0..blocks.len() {
            let n = blocks[c].rows;
            delassus.diagonal(&offsets, c, &mut diagonal[..n]);
            let mut trace = 0.0;
            for i in 0..n {
                let value = diagonal[i];
                // Of finite J and M⁻¹ the product may still overflow.
                if !value.is_finite() {
                    return Err(ProblemError::NotFinite { what: "diagonal of W", index: offsets[c] + i, value });
                }
                if value < 0.0 && symmetry != Symmetry::General {
                    return Err(ProblemError::NegativeDiagonal { block: c, row: offsets[c] + i, value });
                }
                // A general matrix may have a zero or negative diagonal; its magnitude still carries the unit.
                trace += value.abs();
            }
            scales.push(trace / n as f64);
        }
        let speed = largest(&q);
        Ok(ContactProblem { blocks, offsets, delassus, q, scales, asymmetry, speed })
    }

    /// The same blocks and W with other velocities [m/s]. A wrong length or a number that is not finite is an error, and
    /// then nothing changes.
    pub fn set_q(&mut self, q: &[f64]) -> Result<(), ProblemError> {
        check_q(q, self.rows())?;
        self.q.copy_from_slice(q);
        self.speed = largest(q);
        Ok(())
    }

    /// The blocks.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }
    /// First row of each block, followed by the number of rows.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }
    /// Rows of block `c`.
    pub fn range(&self, c: usize) -> std::ops::Range<usize> {
        self.offsets[c]..self.offsets[c + 1]
    }
    /// The operator W.
    pub fn delassus(&self) -> &Delassus {
        &self.delassus
    }
    /// Velocity without any impulse of this problem [m/s].
    pub fn q(&self) -> &[f64] {
        &self.q
    }
    /// `w_c = tr(W_cc)/rows` of every block [1/kg]: turns an impulse into a velocity of the same size.
    pub fn scales(&self) -> &[f64] {
        &self.scales
    }
    /// Relative asymmetry of W as given: `max|W_ij − W_ji| / max|W|`.
    pub fn asymmetry(&self) -> f64 {
        self.asymmetry
    }
    /// Whether W is nearly symmetric, as an inverse mass is. Otherwise its diagonal is no scale for residuals.
    pub fn is_nearly_symmetric(&self) -> bool {
        self.asymmetry <= INVERSE_MASS_ASYMMETRY
    }
    /// Number of scalar unknowns.
    pub fn rows(&self) -> usize {
        self.q.len()
    }
    /// Largest |q| [m/s].
    pub fn speed(&self) -> f64 {
        self.speed
    }
    /// `u = W r + q` [m/s].
    pub fn velocity(&self, r: &[f64]) -> Vec<f64> {
        let mut u = Vec::new();
        self.velocity_into(r, &mut u, &mut Vec::new());
        u
    }
    /// The same into a vector, with memory for what is worked out along the way.
    pub fn velocity_into(&self, r: &[f64], u: &mut Vec<f64>, scratch: &mut Vec<f64>) {
        u.clear();
        u.resize(self.rows(), 0.0);
        self.delassus.apply(&self.offsets, r, u, scratch);
        for (u, q) in u.iter_mut().zip(&self.q) {
            *u += q;
        }
    }
    /// The block-diagonal block of W of block `c`, row-major, into `out[..rows²]`.
    pub fn diagonal_block(&self, c: usize, out: &mut [f64]) {
        self.delassus.diagonal_block(&self.offsets, c, out);
    }
}

fn check_q(q: &[f64], rows: usize) -> Result<(), ProblemError> {
    if q.len() != rows {
        return Err(ProblemError::Size { what: "q", found: q.len(), expected: rows });
    }
    match q.iter().position(|x| !x.is_finite()) {
        Some(index) => Err(ProblemError::NotFinite { what: "q", index, value: q[index] }),
        None => Ok(()),
    }
}

fn largest(q: &[f64]) -> f64 {
    q.iter().fold(0.0, |m, x| f64::max(m, x.abs()))
}
