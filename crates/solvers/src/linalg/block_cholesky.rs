//! Cholesky's factor `A = L Lᵀ` of a symmetric positive definite matrix of 6 × 6 blocks, one per body and per pair of bodies
//! that are tied.
//!
//! Block column after block column, with all loops of known length. A tree of bodies has no fill. The column of a right-hand side
//! that is not zero for a body or two reaches only the bodies between these and the root, `L⁻¹b` costs no more than they do, and
//! `bᵀA⁻¹c = (L⁻¹b)·(L⁻¹c)` needs nothing else. (George and Liu 1981.) The multifrontal LU beside it is for matrices that are
//! not symmetric, and for graphs whose fronts are large. No allocation while the graph is the same.

use super::block_graph::BlockGraph;
use super::elimination::Columns;
use super::frontal_lu::SingularPivot;
use super::kernels::widest;

/// A block by columns.
pub(crate) type Square = [[f64; 6]; 6];

/// A right-hand side of one body.
pub(crate) type Six = [f64; 6];

/// The factor and its plan.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockCholesky {
    /// When every node is eliminated.
    position: Vec<usize>,
    /// Where the blocks of every position begin: the diagonal one, then those below it, ascending.
    starts: Vec<usize>,
    /// Position of every block's row.
    rows: Vec<u32>,
    /// Column by column and pair by pair of blocks below the diagonal: which block their product is taken from.
    targets: Vec<u32>,
    blocks: Vec<Square>,
    /// One over the diagonal of L.
    inverse: Vec<Six>,
}

impl BlockCholesky {
    /// Plans for a graph of bodies; all blocks are zero.
    pub fn new(graph: &BlockGraph) -> Self {
        let Columns { order, position, structure } = Columns::new(graph);
        let (mut starts, mut rows) = (vec![0], Vec::new());
        for (p, below) in structure.iter().enumerate() {
            rows.push(p as u32);
            rows.extend(below.iter().map(|row| *row as u32));
            starts.push(rows.len());
        }
        let blocks = vec![[[0.0; 6]; 6]; rows.len()];
        let inverse = vec![[0.0; 6]; order.len()];
        let mut plan = BlockCholesky { position, starts, rows, targets: Vec::new(), blocks, inverse };
        let mut targets = Vec::new();
        for p in 0..order.len() {
            let below = &plan.rows[plan.starts[p] + 1..plan.starts[p + 1]];
            for (at, column) in below.iter().enumerate() {
                // The rows of a column that are below another of them are in the column of that, too.
                targets.extend(below[at..].iter().map(|row| plan.find(*row, *column)));
            }
        }
        plan.targets = targets;
        plan
    }

    /// The block of two positions, the first not before the second; its rows are those of the first.
    fn find(&self, row: u32, column: u32) -> u32 {
        let own = self.starts[column as usize]..self.starts[column as usize + 1];
        let at = self.rows[own.clone()].partition_point(|other| *other < row);
        (own.start + at) as u32
    }

    /// When a node is eliminated.
    pub fn position(&self, node: u32) -> u32 {
        self.position[node as usize] as u32
    }

    /// Number of bodies.
    pub fn nodes(&self) -> usize {
        self.position.len()
    }

    /// Where the block of two bodies is that are tied, or of one; its rows are those of the one that is eliminated later.
    pub fn place(&self, a: u32, b: u32) -> u32 {
        let (a, b) = (self.position(a), self.position(b));
        self.find(a.max(b), a.min(b))
    }

    /// Begins a matrix: the identity.
    pub fn begin(&mut self) {
        self.blocks.fill([[0.0; 6]; 6]);
        for start in &self.starts[..self.position.len()] {
            for i in 0..6 {
                self.blocks[*start][i][i] = 1.0;
            }
        }
    }

    /// The block at a place, to add to.
    #[inline(always)]
    pub fn block_mut(&mut self, place: u32) -> &mut Square {
        &mut self.blocks[place as usize]
    }

    /// Factors the matrix.
    pub fn factor(&mut self) -> Result<(), SingularPivot> {
        widest(
            #[inline(always)]
            || self.factor_here(),
        )
    }

    #[inline(always)]
    fn factor_here(&mut self) -> Result<(), SingularPivot> {
        let mut targets = self.targets.iter();
        for p in 0..self.position.len() {
            let (start, end) = (self.starts[p], self.starts[p + 1]);
            let (before, after) = self.blocks.split_at_mut(end);
            let (diagonal, below) = before[start..].split_at_mut(1);
            factor_block(&mut diagonal[0], &mut self.inverse[p])?;
            for block in below.iter_mut() {
                solve_rows(&diagonal[0], &self.inverse[p], block);
            }
            for (at, column) in below.iter().enumerate() {
                for row in &below[at..] {
                    let Some(target) = targets.next() else { return Err(SingularPivot) };
                    subtract_product(row, column, &mut after[*target as usize - end]);
                }
            }
        }
        Ok(())
    }

    /// `x ← A⁻¹x`; x is by node, `scratch` anything.
    #[inline(always)]
    pub fn solve(&self, x: &mut [Six], scratch: &mut Vec<Six>) {
        scratch.clear();
        scratch.resize(x.len(), [0.0; 6]);
        for (x, p) in x.iter().zip(&self.position) {
            scratch[*p] = *x;
        }
        let y = &mut scratch[..];
        for p in 0..y.len() {
            self.forward(p, y);
        }
        for p in (0..y.len()).rev() {
            let (start, end) = (self.starts[p], self.starts[p + 1]);
            let mut own = y[p];
            for (row, block) in self.rows[start + 1..end].iter().zip(&self.blocks[start + 1..end]) {
                let other = &y[*row as usize];
                for j in 0..6 {
                    own[j] -= dot(&block[j], other);
                }
            }
            let (l, inverse) = (&self.blocks[start], &self.inverse[p]);
            for j in (0..6).rev() {
                let mut sum = own[j];
                for i in j + 1..6 {
                    sum -= l[j][i] * own[i];
                }
                own[j] = sum * inverse[j];
            }
            y[p] = own;
        }
        for (x, p) in x.iter_mut().zip(&self.position) {
            *x = y[*p];
        }
    }

    /// `y ← L⁻¹y` of a right-hand side by position, at and after those that are marked, which are what y is not zero at. Marks what
    /// it reaches.
    #[inline(always)]
    pub fn half_solve(&self, y: &mut [Six], marked: &mut [bool]) {
        for p in 0..y.len() {
            if marked[p] {
                self.forward(p, y);
                self.rows[self.starts[p]..self.starts[p + 1]].iter().for_each(|row| marked[*row as usize] = true);
            }
        }
    }

    #[inline(always)]
    fn forward(&self, p: usize, y: &mut [Six]) {
        let (start, end) = (self.starts[p], self.starts[p + 1]);
        let (l, inverse) = (&self.blocks[start], &self.inverse[p]);
        let mut own = y[p];
        for j in 0..6 {
            own[j] *= inverse[j];
            let x = own[j];
            for i in j + 1..6 {
                own[i] -= l[j][i] * x;
            }
        }
        y[p] = own;
        for (row, block) in self.rows[start + 1..end].iter().zip(&self.blocks[start + 1..end]) {
            let mut other = y[*row as usize];
            for j in 0..6 {
                for i in 0..6 {
                    other[i] -= block[j][i] * own[j];
                }
            }
            y[*row as usize] = other;
        }
    }
}

#[inline(always)]
pub(crate) fn dot(a: &Six, b: &Six) -> f64 {
    let mut products = [0.0; 6];
    for i in 0..6 {
        products[i] = a[i] * b[i];
    }
    (products[0] + products[2]) + (products[1] + products[3]) + (products[4] + products[5])
}

/// L of a diagonal block, in its lower triangle.
#[inline(always)]
fn factor_block(a: &mut Square, inverse: &mut Six) -> Result<(), SingularPivot> {
    for j in 0..6 {
        let pivot = a[j][j];
        // Not a number is not positive either.
        if !(pivot > 0.0 && pivot.is_finite()) {
            return Err(SingularPivot);
        }
        let root = pivot.sqrt();
        inverse[j] = 1.0 / root;
        let mut column = a[j];
        for x in &mut column {
            *x *= inverse[j];
        }
        column[j] = root;
        a[j] = column;
        for k in j + 1..6 {
            let factor = column[k];
            for i in 0..6 {
                a[k][i] -= factor * column[i];
            }
        }
    }
    Ok(())
}

/// `B ← B L⁻ᵀ`.
#[inline(always)]
fn solve_rows(l: &Square, inverse: &Six, b: &mut Square) {
    for j in 0..6 {
        let mut column = b[j];
        for k in 0..j {
            for i in 0..6 {
                column[i] -= b[k][i] * l[k][j];
            }
        }
        for x in &mut column {
            *x *= inverse[j];
        }
        b[j] = column;
    }
}

/// `C ← C − A Bᵀ`.
#[inline(always)]
fn subtract_product(a: &Square, b: &Square, c: &mut Square) {
    for j in 0..6 {
        let mut column = c[j];
        for k in 0..6 {
            for i in 0..6 {
                column[i] -= a[k][i] * b[k][j];
            }
        }
        c[j] = column;
    }
}
