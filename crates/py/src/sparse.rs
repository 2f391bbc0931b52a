//! scipy's compressed sparse rows as a block-sparse W.

use crate::argument::{list, wrong_shape};
use crate::raise;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use signorini_problem::{Block, BlockSparseDelassus};

/// `matrix.tocsr()` in blocks. Entries that are stored twice add up, as they do in scipy.
pub fn delassus(matrix: &Bound<'_, PyAny>, rows: usize, blocks: &[Block]) -> PyResult<BlockSparseDelassus> {
    let shape: Vec<usize> = matrix.getattr("shape")?.extract()?;
    if shape != [rows, rows] {
        return Err(wrong_shape("W", &format!("[{rows}, {rows}]"), &shape));
    }
    let csr = matrix.call_method0("tocsr")?;
    let pointers = integers(&csr.getattr("indptr")?)?;
    let columns = integers(&csr.getattr("indices")?)?;
    let values = list("W", &csr.getattr("data")?)?;
    let consistent = pointers.len() == rows + 1
        && pointers.first() == Some(&0)
        && pointers.windows(2).all(|pair| pair[0] <= pair[1])
        && pointers[rows] <= columns.len()
        && columns.len() == values.len()
        && columns.iter().all(|column| *column < rows);
    if !consistent {
        return Err(PyValueError::new_err("W: the index arrays of the sparse matrix are not consistent"));
    }
    let mut offsets = vec![0];
    let mut block_of = Vec::with_capacity(rows);
    for (index, block) in blocks.iter().enumerate() {
        offsets.push(offsets[index] + block.rows);
        block_of.resize(offsets[index + 1], index);
    }
    let (mut row_pointers, mut block_columns, mut stored) = (vec![0], Vec::new(), Vec::new());
    for (index, block) in blocks.iter().enumerate() {
        let entries = |row: usize| (pointers[row]..pointers[row + 1]).map(|e| (columns[e], values[e]));
        let range = offsets[index]..offsets[index + 1];
        let mut touched: Vec<usize> = range.clone().flat_map(entries).map(|(column, _)| block_of[column]).collect();
        touched.sort_unstable();
        touched.dedup();
        // Where each touched block begins in the values.
        let mut starts = Vec::with_capacity(touched.len());
        for column in &touched {
            starts.push(stored.len());
            stored.resize(stored.len() + block.rows * blocks[*column].rows, 0.0);
        }
        for row in range {
            for (column, value) in entries(row) {
                let other = block_of[column];
                if let Ok(at) = touched.binary_search(&other) {
                    let width = blocks[other].rows;
                    stored[starts[at] + (row - offsets[index]) * width + (column - offsets[other])] += value;
                }
            }
        }
        block_columns.extend(touched);
        row_pointers.push(block_columns.len());
    }
    BlockSparseDelassus::new(&offsets, row_pointers, block_columns, stored).map_err(raise::problem)
}

fn integers(array: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
    array.call_method0("tolist")?.extract().map_err(|_| PyValueError::new_err("W: an index is negative"))
}
