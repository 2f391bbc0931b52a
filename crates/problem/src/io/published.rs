//! The published kinds that need no elimination: `local`, `bodies`, `lcp`.

use super::index::{CompressedRows, body_pairs, check_finite};
use super::{FileError, ProblemFile};
use crate::{
    Block, BlockSparseDelassus, ContactProblem, Delassus, DenseDelassus, FactoredDelassus, InverseMass, JacobianRow,
    Symmetry,
};

/// W by its blocks. Files of other programs are asymmetric by up to 2e-3: W is used as given.
pub(super) fn local(file: &ProblemFile) -> Result<ContactProblem, FileError> {
    let mu = file.numbers("mu")?;
    let rows = file.header().count("dim", 3)?;
    let index =
        CompressedRows::new(("row_ptr", file.integers("row_ptr")?), ("col_idx", file.integers("col_idx")?), mu.len())?;
    check_finite("blocks", file.numbers("blocks")?)?;
    let offsets: Vec<usize> = (0..=mu.len()).map(|c| rows * c).collect();
    let w = BlockSparseDelassus::new(&offsets, index.row_ptr, index.columns, file.numbers("blocks")?.to_vec())?;
    let contact = if rows == 2 { Block::planar_contact } else { Block::contact };
    problem(mu.iter().map(|mu| contact(*mu)).collect(), Delassus::BlockSparse(w), file.numbers("q")?.to_vec())
}

/// Rigid bodies: `W = J M⁻¹ Jᵀ`, `q = J v_free + b`.
pub(super) fn bodies(file: &ProblemFile) -> Result<ContactProblem, FileError> {
    let minv = file.numbers("minv")?;
    let (inverse_mass, v_free) = (inverse_masses(minv), file.numbers("v_free")?);
    let pairs = body_pairs("contact_body", file.integers("contact_body")?, inverse_mass.len())?;
    for array in ["minv", "v_free", "J"] {
        check_finite(array, file.numbers(array)?)?;
    }
    let stored = file.numbers("J")?;
    let mut jacobian: Vec<JacobianRow> = Vec::with_capacity(3 * pairs.len());
    let mut q = Vec::with_capacity(3 * pairs.len());
    for (c, pair) in pairs.iter().enumerate() {
        for a in 0..3 {
            let mut row = [0.0; 12];
            let mut speed = file.numbers("b")?[3 * c + a];
            for side in 0..2 {
                let start = 36 * c + 18 * side + 6 * a;
                let columns = &stored[start..start + 6];
                match pair[side] {
                    Some(body) => {
                        let v = &v_free[6 * body as usize..6 * body as usize + 6];
                        speed += columns.iter().zip(v).map(|(j, v)| j * v).sum::<f64>();
                        row[6 * side..6 * side + 6].copy_from_slice(columns);
                    }
                    None => {
                        if let Some(i) = columns.iter().position(|x| *x != 0.0) {
                            let why = "the Jacobian of a fixed body must be zero";
                            return Err(FileError::Number { array: "J", index: start + i, value: columns[i], why });
                        }
                    }
                }
            }
            jacobian.push(row);
            q.push(speed);
        }
    }
    let w = Delassus::Factored(FactoredDelassus::new(inverse_mass, pairs, jacobian));
    problem(file.numbers("mu")?.iter().map(|mu| Block::contact(*mu)).collect(), w, q)
}

/// A linear complementarity problem: frictionless blocks over a dense matrix, which need not be an inverse mass.
pub(super) fn lcp(file: &ProblemFile) -> Result<ContactProblem, FileError> {
    let (m, q) = (file.numbers("M")?, file.numbers("q")?);
    let n = q.len();
    let is_inverse_mass = (0..n).all(|i| m[i * n + i] >= 0.0 && (0..i).all(|j| m[i * n + j] == m[j * n + i]));
    let symmetry = if is_inverse_mass { Symmetry::Exact } else { Symmetry::General };
    let w = Delassus::Dense(DenseDelassus::new(n, m.to_vec()));
    Ok(ContactProblem::new(vec![Block::normal(); n], w, q.to_vec(), symmetry)?)
}

fn problem(blocks: Vec<Block>, w: Delassus, q: Vec<f64>) -> Result<ContactProblem, FileError> {
    Ok(ContactProblem::new(blocks, w, q, Symmetry::IMPORTED)?)
}

/// 6×6 matrices from their entries in C order.
pub(super) fn inverse_masses(entries: &[f64]) -> Vec<InverseMass> {
    entries.as_chunks::<36>().0.iter().map(|m| std::array::from_fn(|i| std::array::from_fn(|j| m[6 * i + j]))).collect()
}
