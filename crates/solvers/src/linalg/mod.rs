//! Linear algebra of the second-order methods: a multifrontal LU over a graph of small blocks.

pub mod block_graph;
pub mod elimination;
pub mod frontal_lu;
