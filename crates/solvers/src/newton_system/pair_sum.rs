//! Sums the contacts of one pair of bodies in `A = I + Σ J̃ᵀ K J̃` in a buffer of 12 × 12 numbers, which stays in
//! cache, before they are added to the matrix.

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
        if let ([a, b, c], Some(k)) = (rows, k.as_array::<9>()) {
            let rows = [twelve(a), twelve(b), twelve(c)];
            let mut kj = [[[0.0; 4]; 3]; 3];
            for i in 0..3 {
                for j in 0..3 {
                    add_scaled(&mut kj[i], k[3 * i + j], &rows[j]);
                }
            }
            self.add_product(&rows, &kj);
            return;
        }
        for (i, row) in rows.iter().enumerate() {
            let mut kj = [[0.0; 4]; 3];
            for (row, k) in rows.iter().zip(&k[i * rows.len()..]) {
                add_scaled(&mut kj, *k, &twelve(row));
            }
            self.add_product(&[twelve(row)], &[kj]);
        }
    }

    /// `J̃ᵀ (K J̃)`.
    #[inline(always)]
    fn add_product<const N: usize>(&mut self, rows: &[Twelve; N], kj: &[Twelve; N]) {
        // Spelled out: of a loop over columns the compiler takes four at a time, and gathers them entry by entry.
        macro_rules! add_to_columns {
            ($($column:literal)*) => {
                $(
                    let mut sum = self.columns[$column];
                    for (row, kj) in rows.iter().zip(kj) {
                        add_scaled(&mut sum, kj[$column / 4][$column % 4], row);
                    }
                    self.columns[$column] = sum;
                )*
            };
        }
        add_to_columns!(0 1 2 3 4 5 6 7 8 9 10 11);
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
                // All are read before one is written: the compiler then takes them together.
                let (sums, _) = column.as_flattened().as_chunks::<6>();
                let mut sum = sums[row_side];
                for a in 0..6 {
                    sum[a] += target[a];
                }
                *target = sum;
            }
        }
        self.columns = [[[0.0; 4]; 3]; 12];
    }
}
