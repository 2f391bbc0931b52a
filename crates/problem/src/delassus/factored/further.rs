//! Rows over more than two bodies: columns beyond those of the pair of a block, kept apart from them. There are none of most
//! rows, and where there are none nothing is read or added.

use super::{FactoredDelassus, half};
use crate::ProblemError;
use std::ops::Range;

/// Six columns of a row for a body beyond the pair of its block: a gear ties the bodies of several joints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FurtherColumns {
    /// Which row of J.
    pub row: u32,
    /// Which body.
    pub body: u32,
    /// What the row has there.
    pub columns: [f64; 6],
}

fn product(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

impl FactoredDelassus {
    /// The same with columns for bodies beyond the pairs of the blocks, ascending by row and then by body.
    pub fn with_further(self, further: Vec<FurtherColumns>) -> Self {
        FactoredDelassus { further, ..self }
    }
    /// Columns for bodies beyond the pairs of the blocks, ascending by row and then by body.
    pub fn further(&self) -> &[FurtherColumns] {
        &self.further
    }
    /// Those of some rows.
    pub fn further_of(&self, rows: Range<usize>) -> &[FurtherColumns] {
        let first = self.further.partition_point(|further| (further.row as usize) < rows.start);
        let count = self.further[first..].partition_point(|further| (further.row as usize) < rows.end);
        &self.further[first..first + count]
    }

    /// What they add to the diagonal of these rows.
    pub(super) fn add_further_diagonal(&self, rows: Range<usize>, out: &mut [f64]) {
        for further in self.further_of(rows.clone()) {
            let jm = self.times_inverse_mass(&further.columns, further.body);
            out[further.row as usize - rows.start] += product(&jm, &further.columns);
        }
    }

    /// What bodies beyond the pairs of the blocks add to block `(c, k)` of `J M⁻¹ Jᵀ`.
    pub(super) fn add_further_block(&self, offsets: &[usize], c: usize, k: usize, out: &mut [f64]) {
        if self.further.is_empty() {
            return;
        }
        let columns = offsets[k + 1] - offsets[k];
        let [beyond_c, beyond_k] = [c, k].map(|c| self.further_of(offsets[c]..offsets[c + 1]));
        for own in beyond_c {
            let (jm, a) = (self.times_inverse_mass(&own.columns, own.body), own.row as usize - offsets[c]);
            for side in (0..2).filter(|side| self.bodies[k][*side] == Some(own.body)) {
                for b in 0..columns {
                    out[a * columns + b] += product(&jm, half(&self.jacobian[offsets[k] + b], side));
                }
            }
            for other in beyond_k.iter().filter(|other| other.body == own.body) {
                out[a * columns + other.row as usize - offsets[k]] += product(&jm, &other.columns);
            }
        }
        for other in beyond_k {
            let b = other.row as usize - offsets[k];
            for side in (0..2).filter(|side| self.bodies[c][*side] == Some(other.body)) {
                for a in 0..offsets[c + 1] - offsets[c] {
                    let jm = self.times_inverse_mass(half(&self.jacobian[offsets[c] + a], side), other.body);
                    out[a * columns + b] += product(&jm, &other.columns);
                }
            }
        }
    }

    /// The bodies of every block, block by block; those beyond its pair last, and once for every row that has them.
    pub(super) fn bodies_of_blocks<'a>(&'a self, offsets: &'a [usize]) -> impl Iterator<Item = (usize, u32)> + 'a {
        self.bodies.iter().enumerate().flat_map(|(c, pair)| {
            let beyond = self.further_of(offsets[c]..offsets[c + 1]).iter().map(|further| further.body);
            pair.iter().flatten().copied().chain(beyond).map(move |body| (c, body))
        })
    }

    pub(super) fn validate_further(&self, offsets: &[usize]) -> Result<(), ProblemError> {
        let (rows, bodies) = (offsets[offsets.len() - 1], self.inverse_mass.len());
        for (index, FurtherColumns { row, body, columns }) in self.further.iter().enumerate() {
            if *row as usize >= rows {
                return Err(ProblemError::UnknownRow { index, row: *row as usize, rows });
            }
            let block = offsets.partition_point(|offset| *offset <= *row as usize) - 1;
            if *body as usize >= bodies {
                return Err(ProblemError::UnknownBody { block, body: *body as usize, bodies });
            }
            let before = index.checked_sub(1).map(|before| &self.further[before]);
            if before.is_some_and(|before| (before.row, before.body) > (*row, *body)) {
                return Err(ProblemError::FurtherOrder { index });
            }
            let twice = before.is_some_and(|before| (before.row, before.body) == (*row, *body));
            if twice || self.bodies[block].contains(&Some(*body)) {
                return Err(ProblemError::SameBody { block, body: *body as usize });
            }
            if let Some(k) = columns.iter().position(|x| !x.is_finite()) {
                return Err(ProblemError::NotFinite { what: "further J", index: 6 * index + k, value: columns[k] });
            }
        }
        Ok(())
    }
}
