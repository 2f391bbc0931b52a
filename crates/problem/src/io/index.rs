//! Integers of a file that become indices: checked one by one before anything is indexed with them.

use super::FileError;

/// Compressed rows: entries `row_ptr[i]..row_ptr[i + 1]` belong to row i, their columns strictly ascending.
pub(super) struct CompressedRows {
    pub row_ptr: Vec<usize>,
    pub columns: Vec<usize>,
}

impl CompressedRows {
    /// `pointers` and `columns` are the arrays with their names; columns must be below `width`.
    pub fn new(
        pointers: (&'static str, &[i32]),
        columns: (&'static str, &[i32]),
        width: usize,
    ) -> Result<Self, FileError> {
        let stored = columns.1.len();
        let mut row_ptr = Vec::with_capacity(pointers.1.len());
        let mut last = 0;
        for (index, value) in pointers.1.iter().enumerate() {
            let refuse = |why| Err(FileError::Index { array: pointers.0, index, value: i64::from(*value), why });
            match usize::try_from(*value) {
                Err(_) => return refuse("negative"),
                Ok(p) if index == 0 && p != 0 => return refuse("the first row must start at 0"),
                Ok(p) if p < last => return refuse("less than the one before"),
                Ok(p) if p > stored => return refuse("more than there are entries"),
                Ok(p) => last = p,
            }
            row_ptr.push(last);
        }
        if last != stored {
            let (index, value) = (pointers.1.len().saturating_sub(1), last as i64);
            return Err(FileError::Index { array: pointers.0, index, value, why: "not all entries belong to a row" });
        }
        let mut checked = Vec::with_capacity(stored);
        for range in row_ptr.windows(2) {
            for index in range[0]..range[1] {
                let value = columns.1[index];
                let refuse = |why| Err(FileError::Index { array: columns.0, index, value: i64::from(value), why });
                match usize::try_from(value) {
                    Err(_) => return refuse("negative"),
                    Ok(k) if k >= width => return refuse("no such column"),
                    Ok(k) if index > range[0] && k <= checked[index - 1] => {
                        return refuse("not greater than the column before it in the same row");
                    }
                    Ok(k) => checked.push(k),
                }
            }
        }
        Ok(CompressedRows { row_ptr, columns: checked })
    }

    /// Entries of row `i`.
    pub fn row(&self, i: usize) -> std::ops::Range<usize> {
        self.row_ptr[i]..self.row_ptr[i + 1]
    }
}

/// Body pairs, −1 for a fixed side, two integers per block.
pub(super) fn body_pairs(
    array: &'static str,
    integers: &[i32],
    bodies: usize,
) -> Result<Vec<[Option<u32>; 2]>, FileError> {
    let one = |index: usize, value: i32| match u32::try_from(value) {
        Ok(body) if (body as usize) < bodies => Ok(Some(body)),
        Err(_) if value == -1 => Ok(None),
        _ => Err(FileError::Index { array, index, value: i64::from(value), why: "no such body" }),
    };
    integers
        .as_chunks::<2>()
        .0
        .iter()
        .enumerate()
        .map(|(c, [a, b])| Ok([one(2 * c, *a)?, one(2 * c + 1, *b)?]))
        .collect()
}

/// All numbers must be finite.
pub(super) fn check_finite(array: &'static str, numbers: &[f64]) -> Result<(), FileError> {
    match numbers.iter().position(|x| !x.is_finite()) {
        Some(index) => Err(FileError::Number { array, index, value: numbers[index], why: "not a finite number" }),
        None => Ok(()),
    }
}
