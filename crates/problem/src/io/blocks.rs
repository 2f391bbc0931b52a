//! The kind `blocks`, versions 1 to 4: any contact problem, bit for bit. `docs/problem-files.md` is the reference.

use super::container::Array;
use super::header::{Header, wrong};
use super::index::{CompressedRows, body_pairs};
use super::published::inverse_masses;
use super::schema::{Extent, Kind, Schema};
use super::{ArrayData, FileError, ProblemFile};
use crate::{
    Block, BlockSparseDelassus, ContactProblem, Delassus, DenseDelassus, FactoredDelassus, FurtherColumns, JacobianRow,
    Law, Limits, Symmetry,
};
use Extent::{Exactly, Free};
use serde_json::Value;

/// The newest version of the kind that is read. What needs no more is written as version 1.
pub const BLOCKS_VERSION: u64 = 4;
/// The version from which on W over bodies has a compliance of every row.
const WITH_COMPLIANCE: u64 = 2;
/// The version from which on contacts may resist rolling, and laws have three parameters.
const WITH_ROLLING: u64 = 3;
/// The version from which on rows may have columns of more bodies than the two of their block.
const WITH_FURTHER: u64 = 4;

/// Names are cut here, so that a header stays small.
const NAME_LIMIT: usize = 200;
/// Most rows of a block.
const MOST_ROWS: usize = 6;

const EQUALITY: i32 = 0;
const NON_NEGATIVE: i32 = 1;
const INTERVAL: i32 = 2;
const COULOMB: i32 = 3;
const ROLLING: i32 = 4;

#[derive(Clone, Copy)]
enum Operator {
    Dense,
    BlockSparse,
    Factored,
}

impl Operator {
    fn of(header: &Header) -> Result<Self, FileError> {
        match header.text("operator")? {
            "dense" => Ok(Operator::Dense),
            "block_sparse" => Ok(Operator::BlockSparse),
            "factored" => Ok(Operator::Factored),
            other => Err(wrong("operator", &other.into(), "dense, block_sparse or factored")),
        }
    }
}

fn symmetry(header: &Header) -> Result<Symmetry, FileError> {
    let key = "symmetry";
    let value = header.value(key).ok_or(FileError::MissingKey { key })?;
    match (value.as_str(), value.as_f64()) {
        (Some("exact"), _) => Ok(Symmetry::Exact),
        (Some("general"), _) => Ok(Symmetry::General),
        (None, Some(allowed)) if allowed >= 0.0 => Ok(Symmetry::UpTo(allowed)),
        _ => Err(wrong(key, value, "\"exact\", \"general\" or a number that is not negative")),
    }
}

/// Checks the arrays of the kind; returns their names.
pub(super) fn expect_arrays(
    header: &Header,
    schema: &mut Schema,
    limits: &Limits,
) -> Result<&'static [&'static str], FileError> {
    symmetry(header)?;
    let blocks = header.count("blocks", limits.blocks)?;
    let rows = header.count("rows", limits.blocks.saturating_mul(MOST_ROWS))?;
    schema.expect("law", "i32", &[Exactly(blocks)])?;
    schema.expect("block_rows", "i32", &[Exactly(blocks)])?;
    schema.expect("parameters", "f64", &[Exactly(blocks), Exactly(parameters_of(header)?)])?;
    schema.expect("q", "f64", &[Exactly(rows)])?;
    Ok(match Operator::of(header)? {
        Operator::Dense => {
            schema.expect("W", "f64", &[Exactly(rows), Exactly(rows)])?;
            &["law", "block_rows", "parameters", "q", "W"]
        }
        Operator::BlockSparse => {
            schema.expect("row_ptr", "i32", &[Exactly(blocks + 1)])?;
            schema.expect("col_idx", "i32", &[Free])?;
            schema.expect("values", "f64", &[Free])?;
            &["law", "block_rows", "parameters", "q", "row_ptr", "col_idx", "values"]
        }
        Operator::Factored => {
            let bodies = header.count("bodies", limits.bodies)?;
            schema.expect("minv", "f64", &[Exactly(bodies), Exactly(6), Exactly(6)])?;
            schema.expect("block_body", "i32", &[Exactly(blocks), Exactly(2)])?;
            schema.expect("J", "f64", &[Exactly(rows), Exactly(12)])?;
            let version = version(header)?;
            if version >= WITH_COMPLIANCE {
                schema.expect("compliance", "f64", &[Exactly(rows)])?;
            }
            if version >= WITH_FURTHER {
                let stored = schema.expect("further_row", "i32", &[Free])?;
                schema.expect("further_body", "i32", &[Exactly(stored)])?;
                schema.expect("further_J", "f64", &[Exactly(stored), Exactly(6)])?;
                return Ok(&[
                    "law",
                    "block_rows",
                    "parameters",
                    "q",
                    "minv",
                    "block_body",
                    "J",
                    "compliance",
                    "further_row",
                    "further_body",
                    "further_J",
                ]);
            }
            if version >= WITH_COMPLIANCE {
                return Ok(&["law", "block_rows", "parameters", "q", "minv", "block_body", "J", "compliance"]);
            }
            &["law", "block_rows", "parameters", "q", "minv", "block_body", "J"]
        }
    })
}

fn version(header: &Header) -> Result<u64, FileError> {
    Ok(header.count("version", usize::MAX)? as u64)
}

/// Parameters that are kept of every law.
fn parameters_of(header: &Header) -> Result<usize, FileError> {
    Ok(if version(header)? >= WITH_ROLLING { 3 } else { 2 })
}

/// The problem of a file of this kind.
pub(super) fn problem(file: &ProblemFile) -> Result<ContactProblem, FileError> {
    let header = file.header();
    let (laws, sizes) = (file.integers("law")?, file.integers("block_rows")?);
    let parameters = file.numbers("parameters")?.chunks_exact(parameters_of(header)?);
    let mut blocks = Vec::with_capacity(laws.len());
    let mut offsets = Vec::with_capacity(laws.len() + 1);
    let mut rows = 0;
    offsets.push(0);
    for (c, ((law, size), parameters)) in laws.iter().zip(sizes).zip(parameters).enumerate() {
        let size = match usize::try_from(*size) {
            Ok(size @ 1..=MOST_ROWS) => size,
            _ => {
                let why = "a block has one to six rows";
                return Err(FileError::Index { array: "block_rows", index: c, value: i64::from(*size), why });
            }
        };
        blocks.push(Block { law: read_law(c, *law, parameters)?, rows: size });
        rows += size;
        offsets.push(rows);
    }
    let q = file.numbers("q")?.to_vec();
    if q.len() != rows {
        return Err(wrong("rows", &q.len().into(), format!("{rows}, the sum of block_rows")));
    }
    let delassus = match Operator::of(header)? {
        Operator::Dense => Delassus::Dense(DenseDelassus::new(rows, file.numbers("W")?.to_vec())),
        Operator::BlockSparse => {
            let index = CompressedRows::new(
                ("row_ptr", file.integers("row_ptr")?),
                ("col_idx", file.integers("col_idx")?),
                blocks.len(),
            )?;
            let values = file.numbers("values")?.to_vec();
            Delassus::BlockSparse(BlockSparseDelassus::new(&offsets, index.row_ptr, index.columns, values)?)
        }
        Operator::Factored => {
            let inverse_mass = inverse_masses(file.numbers("minv")?);
            let pairs = body_pairs("block_body", file.integers("block_body")?, inverse_mass.len())?;
            let jacobian: Vec<JacobianRow> = file.numbers("J")?.as_chunks::<12>().0.to_vec();
            let version = version(header)?;
            let mut w = FactoredDelassus::new(inverse_mass, pairs, jacobian);
            if version >= WITH_COMPLIANCE {
                w = w.with_compliance(file.numbers("compliance")?.to_vec());
            }
            if version >= WITH_FURTHER {
                w = w.with_further(further(file)?);
            }
            Delassus::Factored(w)
        }
    };
    Ok(ContactProblem::new(blocks, delassus, q, symmetry(header)?)?)
}

/// Columns beyond the pairs of the blocks; what they name is checked with the problem.
fn further(file: &ProblemFile) -> Result<Vec<FurtherColumns>, FileError> {
    let index = |array: &'static str| {
        let known = |(index, value): (usize, &i32)| match u32::try_from(*value) {
            Ok(known) => Ok(known),
            Err(_) => Err(FileError::Index { array, index, value: i64::from(*value), why: "negative" }),
        };
        file.integers(array)?.iter().enumerate().map(known).collect::<Result<Vec<u32>, FileError>>()
    };
    let (rows, bodies) = (index("further_row")?, index("further_body")?);
    let columns = file.numbers("further_J")?.as_chunks::<6>().0;
    let all = rows.into_iter().zip(bodies).zip(columns);
    Ok(all.map(|((row, body), columns)| FurtherColumns { row, body, columns: *columns }).collect())
}

fn read_law(c: usize, law: i32, parameters: &[f64]) -> Result<Law, FileError> {
    let (law, used) = match law {
        EQUALITY => (Law::Equality, 0),
        NON_NEGATIVE => (Law::NonNegative, 0),
        INTERVAL => (Law::Interval { lo: parameters[0], hi: parameters[1] }, 2),
        COULOMB => (Law::Coulomb { mu: parameters[0] }, 1),
        ROLLING if parameters.len() == 3 => {
            (Law::Rolling { mu: parameters[0], spin: parameters[1], roll: parameters[2] }, 3)
        }
        other => {
            let why = "not a law: 0 equality, 1 non-negative, 2 interval, 3 Coulomb, 4 rolling (from version 3 on)";
            return Err(FileError::Index { array: "law", index: c, value: i64::from(other), why });
        }
    };
    // Anything else than +0 would be lost when the problem is written again.
    match (used..parameters.len()).find(|k| parameters[*k].to_bits() != 0) {
        None => Ok(law),
        Some(k) => {
            let (index, value) = (parameters.len() * c + k, parameters[k]);
            Err(FileError::Number { array: "parameters", index, value, why: "the law has no such parameter" })
        }
    }
}

/// The file of a problem.
pub(super) fn file(problem: &ContactProblem, name: &str) -> ProblemFile {
    let blocks = problem.blocks();
    let mut arrays = Vec::new();
    let mut add = |name: &str, shape: &[usize], data| {
        arrays.push(Array { name: name.to_owned(), shape: shape.to_vec(), data });
    };
    let (laws, parameters): (Vec<i32>, Vec<[f64; 3]>) = blocks.iter().map(|b| written_law(&b.law)).unzip();
    // Whatever a version has not, those after it have not either.
    let mut version = if laws.contains(&ROLLING) { WITH_ROLLING } else { 1 };
    if let Delassus::Factored(w) = problem.delassus() {
        version = match (w.further(), w.compliance()) {
            ([_, ..], _) => WITH_FURTHER,
            ([], [_, ..]) => version.max(WITH_COMPLIANCE),
            ([], []) => version,
        };
    }
    let kept = if version >= WITH_ROLLING { 3 } else { 2 };
    let parameters: Vec<f64> = parameters.iter().flat_map(|p| &p[..kept]).copied().collect();
    add("law", &[blocks.len()], ArrayData::I32(laws));
    add("block_rows", &[blocks.len()], ArrayData::I32(blocks.iter().map(|b| b.rows as i32).collect()));
    add("parameters", &[blocks.len(), kept], ArrayData::F64(parameters));
    add("q", &[problem.rows()], ArrayData::F64(problem.q().to_vec()));
    let mut bodies = None;
    let operator = match problem.delassus() {
        Delassus::Dense(w) => {
            add("W", &[problem.rows(), problem.rows()], ArrayData::F64(w.values().to_vec()));
            "dense"
        }
        Delassus::BlockSparse(w) => {
            // Integers fit: a problem has at most `Limits::stored` entries, which is below 2³¹.
            let (mut row_ptr, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
            for c in 0..blocks.len() {
                for (k, block) in w.row(c) {
                    columns.push(k as i32);
                    values.extend_from_slice(block);
                }
                row_ptr.push(columns.len() as i32);
            }
            add("row_ptr", &[row_ptr.len()], ArrayData::I32(row_ptr));
            add("col_idx", &[columns.len()], ArrayData::I32(columns));
            add("values", &[values.len()], ArrayData::F64(values));
            "block_sparse"
        }
        Delassus::Factored(w) => {
            let minv = w.inverse_mass().as_flattened().as_flattened().to_vec();
            let pairs = w.bodies().as_flattened().iter().map(|b| b.map_or(-1, |b| b as i32)).collect();
            add("minv", &[w.inverse_mass().len(), 6, 6], ArrayData::F64(minv));
            add("block_body", &[blocks.len(), 2], ArrayData::I32(pairs));
            add("J", &[problem.rows(), 12], ArrayData::F64(w.jacobian().as_flattened().to_vec()));
            bodies = Some(w.inverse_mass().len());
            if version >= WITH_COMPLIANCE {
                let mut compliance = w.compliance().to_vec();
                compliance.resize(problem.rows(), 0.0);
                add("compliance", &[problem.rows()], ArrayData::F64(compliance));
            }
            if version >= WITH_FURTHER {
                // Integers fit: there are at most 12 million rows and a million bodies.
                let further = w.further();
                let integers = |of: fn(&FurtherColumns) -> u32| {
                    ArrayData::I32(further.iter().map(|further| of(further) as i32).collect())
                };
                add("further_row", &[further.len()], integers(|further| further.row));
                add("further_body", &[further.len()], integers(|further| further.body));
                let columns = further.iter().flat_map(|further| further.columns).collect();
                add("further_J", &[further.len(), 6], ArrayData::F64(columns));
            }
            "factored"
        }
    };
    let name: String = name.chars().take(NAME_LIMIT).collect();
    let mut keys: Vec<(&str, Value)> = vec![
        ("format", "FCP1".into()),
        ("kind", Kind::Blocks.name().into()),
        ("version", version.into()),
        ("name", name.into()),
        ("blocks", blocks.len().into()),
        ("rows", problem.rows().into()),
        ("operator", operator.into()),
        ("symmetry", written_symmetry(problem)),
    ];
    keys.extend(bodies.map(|n| ("bodies", n.into())));
    ProblemFile::assemble(Kind::Blocks, &keys, arrays)
}

fn written_law(law: &Law) -> (i32, [f64; 3]) {
    match *law {
        Law::Equality => (EQUALITY, [0.0; 3]),
        Law::NonNegative => (NON_NEGATIVE, [0.0; 3]),
        Law::Interval { lo, hi } => (INTERVAL, [lo, hi, 0.0]),
        Law::Coulomb { mu } => (COULOMB, [mu, 0.0, 0.0]),
        Law::Rolling { mu, spin, roll } => (ROLLING, [mu, spin, roll]),
    }
}

/// The strictest symmetry that the problem has.
fn written_symmetry(problem: &ContactProblem) -> Value {
    let mut diagonal = [0.0; MOST_ROWS * MOST_ROWS];
    let negative_diagonal = (0..problem.blocks().len()).any(|c| {
        let n = problem.blocks()[c].rows;
        problem.diagonal_block(c, &mut diagonal[..n * n]);
        (0..n).any(|i| diagonal[i * n + i] < 0.0)
    });
    let asymmetry = problem.asymmetry();
    if negative_diagonal || !asymmetry.is_finite() {
        "general".into()
    } else if asymmetry == 0.0 {
        "exact".into()
    } else {
        asymmetry.into()
    }
}
