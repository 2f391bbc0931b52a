//! The names of the methods: one list for Rust, files and the command line.

use crate::{ActiveSet, BlockPivoting, ContactSolver, Lemke};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// Every method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Method {
    /// [`ActiveSet`]: exact, frictionless.
    ActiveSet,
    /// [`BlockPivoting`]: exact, frictionless.
    BlockPivoting,
    /// [`Lemke`]: linear complementarity problems of any matrix.
    Lemke,
}

impl Method {
    /// All methods, in the order of the tables.
    pub const ALL: &[Method] = &[Method::ActiveSet, Method::BlockPivoting, Method::Lemke];

    /// The name, as written on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Method::ActiveSet => "active-set",
            Method::BlockPivoting => "block-pivoting",
            Method::Lemke => "lemke",
        }
    }

    /// A solver of this method with its default options.
    pub fn solver(self) -> Box<dyn ContactSolver + Send> {
        match self {
            Method::ActiveSet => Box::new(ActiveSet::default()),
            Method::BlockPivoting => Box::new(BlockPivoting::default()),
            Method::Lemke => Box::new(Lemke::default()),
        }
    }
}

/// A name that is not a method's.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown method '{0}'; known methods: {list}", list = Method::ALL.iter().map(|m| m.name()).collect::<Vec<_>>().join(", "))]
pub struct UnknownMethod(pub String);

impl FromStr for Method {
    type Err = UnknownMethod;
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Method::ALL.iter().copied().find(|m| m.name() == name).ok_or_else(|| UnknownMethod(name.to_owned()))
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
