//! Subproblems: some of the blocks of a problem, without the others.

use crate::{
    BlockSparseDelassus, ContactProblem, Delassus, DenseDelassus, FactoredDelassus, FurtherColumns, ProblemError,
    Symmetry,
};

impl ContactProblem {
    /// The problem of these blocks alone, in the order given, with W in the same form. Bodies that none of them touches
    /// are left out; the others keep their order. A block that does not exist or is named twice is an error.
    ///
    /// With the others held at impulses r, the part's own velocities without its own impulses are `u − W_gg r_g`: see
    /// [`ContactProblem::set_q`].
    pub fn part(&self, blocks: &[usize]) -> Result<ContactProblem, ProblemError> {
        let mut place = vec![None; self.blocks().len()];
        for (new, c) in blocks.iter().enumerate() {
            let Some(place) = place.get_mut(*c) else {
                return Err(ProblemError::Structure { block: *c, what: "the block does not exist" });
            };
            if place.replace(new).is_some() {
                return Err(ProblemError::Structure { block: *c, what: "the block is named twice" });
            }
        }
        let rows = || blocks.iter().flat_map(|c| self.range(*c));
        let delassus = match self.delassus() {
            Delassus::Dense(w) => {
                let values = rows().flat_map(|i| rows().map(move |j| w.row(i)[j])).collect();
                Delassus::Dense(DenseDelassus::new(rows().count(), values))
            }
            Delassus::BlockSparse(w) => Delassus::BlockSparse(self.sparse_part(w, blocks, &place)?),
            Delassus::Factored(w) => {
                let mut number = vec![None; w.inverse_mass().len()];
                let sides = || blocks.iter().map(|c| w.bodies()[*c]);
                let further = || blocks.iter().flat_map(|c| w.further_of(self.range(*c)));
                for body in sides().flatten().flatten().chain(further().map(|further| further.body)) {
                    number[body as usize] = Some(0);
                }
                let mut inverse_mass = Vec::new();
                for (number, mass) in number.iter_mut().zip(w.inverse_mass()).filter(|(number, _)| number.is_some()) {
                    *number = Some(inverse_mass.len() as u32);
                    inverse_mass.push(*mass);
                }
                let bodies = sides().map(|pair| pair.map(|side| side.and_then(|body| number[body as usize]))).collect();
                let jacobian = rows().map(|i| w.jacobian()[i]).collect();
                let compliance = match w.compliance() {
                    [] => Vec::new(),
                    compliance => rows().map(|i| compliance[i]).collect(),
                };
                // Rows follow their blocks; bodies keep their order.
                let mut first = 0;
                let mut beyond = Vec::new();
                for c in blocks {
                    let range = self.range(*c);
                    for FurtherColumns { row, body, columns } in w.further_of(range.clone()) {
                        let row = (first + *row as usize - range.start) as u32;
                        beyond.extend(number[*body as usize].map(|body| FurtherColumns {
                            row,
                            body,
                            columns: *columns,
                        }));
                    }
                    first += range.len();
                }
                let w = FactoredDelassus::new(inverse_mass, bodies, jacobian);
                Delassus::Factored(w.with_compliance(compliance).with_further(beyond))
            }
        };
        let laws = blocks.iter().map(|c| self.blocks()[*c]).collect();
        // Whatever was allowed of the whole is allowed of a part.
        ContactProblem::new(laws, delassus, rows().map(|i| self.q()[i]).collect(), Symmetry::General)
    }

    fn sparse_part(
        &self,
        w: &BlockSparseDelassus,
        blocks: &[usize],
        place: &[Option<usize>],
    ) -> Result<BlockSparseDelassus, ProblemError> {
        let mut offsets = vec![0];
        let (mut row_ptr, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for c in blocks {
            offsets.push(offsets[offsets.len() - 1] + self.blocks()[*c].rows);
            let mut row: Vec<(usize, &[f64])> = w.row(*c).filter_map(|(k, block)| Some((place[k]?, block))).collect();
            row.sort_unstable_by_key(|(k, _)| *k);
            for (k, block) in row {
                columns.push(k);
                values.extend_from_slice(block);
            }
            row_ptr.push(columns.len());
        }
        BlockSparseDelassus::new(&offsets, row_ptr, columns, values)
    }
}
