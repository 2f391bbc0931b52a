//! Complementarity conditions of moments (torsional and rolling friction), and which rows each condition reads and
//! writes.
//!
//! A contact with torsional or rolling friction is one block of six rows. Its first three rows are the condition of the
//! contact. Each moment is a condition of its own, listed after those of all blocks, with the pair `(μ_m r_N, m) ∘
//! (λ_m, ω) = t e`. Its point repeats the normal row of the contact, so that it is linearised like friction; K of the
//! block contains its rows and the column of r_N.

use super::complementarity::Complementarity;
use super::path::Path;
use crate::merit::triple;
use crate::newton_system::NewtonSystem;
use signorini_problem::ContactProblem;
use std::ops::Range;

/// A moment: its block, and its rows in it.
#[derive(Clone, Debug)]
pub(super) struct Moment {
    /// The contact.
    pub block: usize,
    /// Rows within the block.
    pub rows: Range<usize>,
}

impl Path {
    /// Conditions of the moments, after those of the blocks.
    pub(super) fn list_moments(&mut self, problem: &ContactProblem) {
        self.moments.clear();
        for (block, of) in problem.blocks().iter().enumerate() {
            // A moment with zero bound stays zero by itself.
            for (rows, mu) in of.law.moments().into_iter().filter(|(_, mu)| *mu > 0.0) {
                self.moments.push(Moment { block, rows });
                self.conditions.push(Complementarity::Moment { mu });
            }
        }
    }

    /// Up to three rows of a condition: of a moment the normal row of its contact, then its own.
    #[inline(always)]
    pub(super) fn rows_of(&self, problem: &ContactProblem, c: usize, all: &[f64]) -> [f64; 3] {
        if c < problem.blocks().len() {
            return three_rows(&all[problem.range(c)]);
        }
        let Moment { block, rows } = &self.moments[c - problem.blocks().len()];
        let of_block = &all[problem.range(*block)];
        let own = &of_block[rows.clone()];
        [of_block[0], own[0], own.get(1).copied().unwrap_or(0.0)]
    }

    /// The rows that are a condition's own, and which of its three components comes first: the normal row of a moment is its contact's.
    #[inline(always)]
    pub(super) fn own_rows(&self, problem: &ContactProblem, c: usize) -> (Range<usize>, usize) {
        match c.checked_sub(problem.blocks().len()) {
            None => (problem.range(c), 0),
            Some(place) => {
                let Moment { block, rows } = &self.moments[place];
                let start = problem.offsets()[*block];
                (start + rows.start..start + rows.end, 1)
            }
        }
    }

    /// Their rows of K, after those of the contacts.
    pub(super) fn linearise_moments(&mut self, system: &mut NewtonSystem, problem: &ContactProblem) {
        for (place, moment) in self.moments.iter().enumerate() {
            let c = problem.blocks().len() + place;
            self.models[c] = self.point(problem, c).linearise(&self.conditions[c]);
            let (found, n) = (&self.models[c].k, problem.blocks()[moment.block].rows);
            let k = system.k_mut(moment.block);
            for (i, row) in moment.rows.clone().enumerate() {
                k[row * n] = found[1 + i][0];
                k[row * n + moment.rows.start..row * n + moment.rows.end]
                    .copy_from_slice(&found[1 + i][1..=moment.rows.len()]);
            }
        }
    }
}

/// Writes the rows of a condition; of a moment all but the normal row.
#[inline(always)]
pub(super) fn write_rows(problem: &ContactProblem, moments: &[Moment], c: usize, all: &mut [f64], values: [f64; 3]) {
    if c < problem.blocks().len() {
        write_triple(&mut all[problem.range(c)], values);
        return;
    }
    let Moment { block, rows } = &moments[c - problem.blocks().len()];
    let own = &mut all[problem.range(*block)][rows.clone()];
    own.copy_from_slice(&values[1..=own.len()]);
}

/// As many rows as a block has, of three.
#[inline]
fn write_triple(rows: &mut [f64], values: [f64; 3]) {
    match rows {
        [n, t, s] => [*n, *t, *s] = values,
        [n] => *n = values[0],
        [n, t] => [*n, *t] = [values[0], values[1]],
        // Moments have conditions of their own.
        _ => rows[..3].copy_from_slice(&values),
    }
}

/// The first three rows, or fewer and zeros.
#[inline(always)]
fn three_rows(rows: &[f64]) -> [f64; 3] {
    match rows {
        [n, t, s] => [*n, *t, *s],
        [n] => [*n, 0.0, 0.0],
        _ => triple(rows),
    }
}
