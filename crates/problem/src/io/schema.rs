//! Which arrays each kind has, with which types and shapes.

use super::FileError;
use super::blocks::{self, BLOCKS_VERSION};
use super::container::{Array, within};
use super::header::{Header, wrong};
use crate::Limits;

/// What a problem file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// W by its nonzero blocks, and q.
    Local,
    /// Rigid bodies with inverse masses and Jacobians.
    Bodies,
    /// `M v = f + H r`, `u = Hᵀ v + b` with sparse M and H.
    GlobalCsr,
    /// A dense linear complementarity problem.
    Lcp,
    /// Any contact problem: our own kind.
    Blocks,
}

impl Kind {
    /// The name in the header.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Local => "local",
            Kind::Bodies => "bodies",
            Kind::GlobalCsr => "global_csr",
            Kind::Lcp => "lcp",
            Kind::Blocks => "blocks",
        }
    }

    fn of(header: &Header) -> Result<Self, FileError> {
        let all = [Kind::Local, Kind::Bodies, Kind::GlobalCsr, Kind::Lcp, Kind::Blocks];
        let name = header.text("kind")?;
        all.into_iter()
            .find(|k| k.name() == name)
            .ok_or_else(|| wrong("kind", &name.into(), "local, bodies, global_csr, lcp or blocks"))
    }
}

/// One dimension of an array.
#[derive(Clone, Copy)]
pub(super) enum Extent {
    /// As many as other parts of the file say.
    Exactly(usize),
    /// As many as there are: the count of stored entries.
    Free,
}
use Extent::{Exactly, Free};

/// Checks array after array off against the kind.
pub(super) struct Schema<'a> {
    kind: Kind,
    arrays: &'a [Array],
    seen: usize,
}

impl Schema<'_> {
    /// The array must be there with this type and shape; returns its first extent.
    pub fn expect(&mut self, name: &'static str, dtype: &'static str, shape: &[Extent]) -> Result<usize, FileError> {
        let Some(array) = self.arrays.iter().find(|a| a.name == name) else {
            return Err(FileError::MissingArray { kind: self.kind.name(), array: name });
        };
        let layout =
            |what, found: String, expected: String| FileError::Layout { array: name.to_owned(), what, found, expected };
        let found = array.data.dtype();
        if found != dtype {
            return Err(layout("dtype", found.to_owned(), dtype.to_owned()));
        }
        let fits = array.shape.len() == shape.len()
            && array.shape.iter().zip(shape).all(|(found, expected)| match expected {
                Exactly(n) => found == n,
                Free => true,
            });
        if !fits {
            let extents: Vec<String> = shape
                .iter()
                .map(|e| match e {
                    Exactly(n) => n.to_string(),
                    Free => "any".to_owned(),
                })
                .collect();
            return Err(layout("shape", format!("{:?}", array.shape), format!("[{}]", extents.join(", "))));
        }
        self.seen += 1;
        Ok(array.shape.first().copied().unwrap_or(0))
    }

    /// No array may be left over.
    fn finish(&self, names: &[&str]) -> Result<(), FileError> {
        match self.arrays.iter().find(|a| !names.contains(&a.name.as_str())) {
            Some(a) if self.seen < self.arrays.len() => {
                Err(FileError::UnexpectedArray { kind: self.kind.name(), array: a.name.clone() })
            }
            _ => Ok(()),
        }
    }
}

/// Checks header and arrays against the kind named in the header.
pub(super) fn check(header: &Header, arrays: &[Array], limits: &Limits) -> Result<Kind, FileError> {
    if header.text("format")? != "FCP1" {
        return Err(wrong("format", &header.text("format")?.into(), "\"FCP1\""));
    }
    let kind = Kind::of(header)?;
    let mut schema = Schema { kind, arrays, seen: 0 };
    let names: &[&str] = match kind {
        Kind::Local => {
            let d = header.count("dim", 3)?;
            if d < 2 {
                return Err(wrong("dim", &d.into(), "2 or 3"));
            }
            let nc = header.count("nc", limits.blocks)?;
            schema.expect("mu", "f64", &[Exactly(nc)])?;
            schema.expect("q", "f64", &[Exactly(d * nc)])?;
            schema.expect("row_ptr", "i32", &[Exactly(nc + 1)])?;
            let stored = schema.expect("col_idx", "i32", &[Free])?;
            within("stored blocks of W", stored as u64, (limits.stored / (d * d)) as u64)?;
            schema.expect("blocks", "f64", &[Exactly(stored), Exactly(d), Exactly(d)])?;
            if let Some(nnzb) = header.optional_count("nnzb", limits.stored)?
                && nnzb != stored
            {
                return Err(wrong("nnzb", &nnzb.into(), format!("{stored}, the length of col_idx")));
            }
            &["mu", "q", "row_ptr", "col_idx", "blocks"]
        }
        Kind::Bodies => {
            spatial(header)?;
            let nc = header.count("nc", limits.blocks)?;
            let nb = header.count("nb", limits.bodies)?;
            schema.expect("mu", "f64", &[Exactly(nc)])?;
            schema.expect("v_free", "f64", &[Exactly(6 * nb)])?;
            schema.expect("b", "f64", &[Exactly(3 * nc)])?;
            schema.expect("minv", "f64", &[Exactly(nb), Exactly(6), Exactly(6)])?;
            schema.expect("contact_body", "i32", &[Exactly(nc), Exactly(2)])?;
            schema.expect("J", "f64", &[Exactly(nc), Exactly(2), Exactly(3), Exactly(6)])?;
            &["mu", "v_free", "b", "minv", "contact_body", "J"]
        }
        Kind::GlobalCsr => {
            spatial(header)?;
            let nc = header.count("nc", limits.blocks)?;
            let ndof = header.count("ndof", limits.bodies.saturating_mul(6))?;
            schema.expect("mu", "f64", &[Exactly(nc)])?;
            schema.expect("f", "f64", &[Exactly(ndof)])?;
            schema.expect("b", "f64", &[Exactly(3 * nc)])?;
            schema.expect("M_row_ptr", "i32", &[Exactly(ndof + 1)])?;
            let stored = schema.expect("M_col_idx", "i32", &[Free])?;
            schema.expect("M_val", "f64", &[Exactly(stored)])?;
            schema.expect("H_row_ptr", "i32", &[Exactly(ndof + 1)])?;
            let stored = schema.expect("H_col_idx", "i32", &[Free])?;
            schema.expect("H_val", "f64", &[Exactly(stored)])?;
            &["mu", "f", "b", "M_row_ptr", "M_col_idx", "M_val", "H_row_ptr", "H_col_idx", "H_val"]
        }
        Kind::Lcp => {
            let n = header.count("n", limits.dense_rows)?;
            schema.expect("M", "f64", &[Exactly(n), Exactly(n)])?;
            schema.expect("q", "f64", &[Exactly(n)])?;
            &["M", "q"]
        }
        Kind::Blocks => {
            let found = header.count("version", usize::MAX)? as u64;
            if found > BLOCKS_VERSION {
                return Err(FileError::NewerVersion { kind: kind.name(), found, supported: BLOCKS_VERSION });
            }
            if found == 0 {
                return Err(wrong("version", &0.into(), "1 to 4"));
            }
            blocks::expect_arrays(header, &mut schema, limits)?
        }
    };
    schema.finish(names)?;
    Ok(kind)
}

/// Kinds of rigid or deformable bodies in space: `dim` may be left out but not be anything but 3.
fn spatial(header: &Header) -> Result<(), FileError> {
    match header.value("dim") {
        None => Ok(()),
        Some(d) if d.as_u64() == Some(3) => Ok(()),
        Some(d) => Err(wrong("dim", d, "3")),
    }
}
