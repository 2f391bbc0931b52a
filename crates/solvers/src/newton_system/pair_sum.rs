//! The contacts of one pair of bodies in `A = I + Σ J̃ᵀ K J̃`, added up where they stay near.

/// A row of J̃, side A and side B, in parts that registers of any width hold.
pub(super) type Twelve = [[f64; 4]; 3];

#[inline(always)]
pub(super) fn twelve(row: &[[f64; 6]; 2]) -> Twelve {
    let (parts, _) = row.as_flattened().as_chunks::<4>();
    [parts[0], parts[1], parts[2]]
}

/// `x += f y`.
#[inline(always)]
pub(super) fn add_scaled(x: &mut Twelve, f: f64, y: &Twelve) {
    for (x, y) in x.iter_mut().zip(y) {
        for i in 0..4 {
            x[i] += f * y[i];
        }
    }
}

/// `Σ J̃ᵀ K J̃` over blocks of one pair of bodies, by columns; rows and columns of side A, then of side B.
pub(super) struct PairSum {
    /// Where it belongs, as in [`super::VelocityForm::slots`].
    pub(super) slots: [usize; 4],
    columns: [Twelve; 12],
}

impl Default for PairSum {
    fn default() -> Self {
        PairSum { slots: [usize::MAX; 4], columns: [[[0.0; 4]; 3]; 12] }
    }
}

impl PairSum {
    #[inline(always)]
    pub(super) fn add(&mut self, rows: &[[[f64; 6]; 2]], k: &[f64]) {
        // Contacts are many, and their loops of known length stay in registers.
        match rows {
            [a, b, c] => self.add_rows([twelve(a), twelve(b), twelve(c)], k),
            _ => {
                for (i, row) in rows.iter().enumerate() {
                    let mut kj = [[0.0; 4]; 3];
                    for (row, k) in rows.iter().zip(&k[i * rows.len()..]) {
                        add_scaled(&mut kj, *k, &twelve(row));
                    }
                    self.add_product([twelve(row)], [kj]);
                }
            }
        }
    }

    #[inline(always)]
    fn add_rows<const N: usize>(&mut self, rows: [Twelve; N], k: &[f64]) {
        let mut kj = [[[0.0; 4]; 3]; N];
        for (kj, k) in kj.iter_mut().zip(k.chunks_exact(N)) {
            for (row, k) in rows.iter().zip(k) {
                add_scaled(kj, *k, row);
            }
        }
        self.add_product(rows, kj);
    }

    /// `J̃ᵀ (K J̃)`.
    #[inline(always)]
    fn add_product<const N: usize>(&mut self, rows: [Twelve; N], kj: [Twelve; N]) {
        for (b, column) in self.columns.iter_mut().enumerate() {
            let mut sum = *column;
            for (row, kj) in rows.iter().zip(&kj) {
                add_scaled(&mut sum, kj[b / 4][b % 4], row);
            }
            *column = sum;
        }
    }

    /// Adds it to the blocks of the matrix and begins anew.
    #[inline(always)]
    pub(super) fn add_to(&mut self, values: &mut [f64]) {
        for (place, start) in self.slots.iter().enumerate() {
            if *start == usize::MAX {
                continue;
            }
            let (row_side, column_side) = (place / 2, place % 2);
            let (blocks, _) = values[*start..*start + 36].as_chunks_mut::<6>();
            for (target, column) in blocks.iter_mut().zip(&self.columns[6 * column_side..]) {
                let column = column.as_flattened();
                for a in 0..6 {
                    target[a] += column[6 * row_side + a];
                }
            }
        }
        self.columns = [[[0.0; 4]; 3]; 12];
    }
}
