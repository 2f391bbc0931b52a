//! The names of the methods: one list for Rust, files and the command line.

use crate::ContactSolver;
use crate::box_lcp::BoxLcp;
use crate::fischer_burmeister::FischerBurmeister;
use crate::polyhedral::{self, Fit, Polyhedral, Sides};
#[cfg(feature = "socp")]
use crate::socp::Socp;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// Every method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Method {
    /// Box friction with bounds that follow the normal impulse.
    BoxLcp,
    /// A friction pyramid: `polyhedral-8`, circumscribed `polyhedral-8-outer`.
    Polyhedral(Sides, Fit),
    /// The convex cone program.
    #[cfg(feature = "socp")]
    Socp,
    /// Coulomb's law by de Saxcé's loop around the convex cone program.
    #[cfg(feature = "socp")]
    DeSaxce,
    /// Newton's method on the smoothed Fischer–Burmeister equations.
    FischerBurmeister,
}

impl Method {
    /// All methods, in the order of the tables.
    pub const ALL: &[Method] = &[
        Method::BoxLcp,
        Method::Polyhedral(Sides::Four, Fit::Inscribed),
        Method::Polyhedral(Sides::Eight, Fit::Inscribed),
        Method::Polyhedral(Sides::Sixteen, Fit::Inscribed),
        Method::Polyhedral(Sides::Four, Fit::Circumscribed),
        Method::Polyhedral(Sides::Eight, Fit::Circumscribed),
        Method::Polyhedral(Sides::Sixteen, Fit::Circumscribed),
        #[cfg(feature = "socp")]
        Method::Socp,
        #[cfg(feature = "socp")]
        Method::DeSaxce,
        Method::FischerBurmeister,
    ];

    /// The name, as written on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Method::BoxLcp => "box-lcp",
            Method::Polyhedral(sides, fit) => polyhedral::method_name(sides, fit),
            #[cfg(feature = "socp")]
            Method::Socp => "socp",
            #[cfg(feature = "socp")]
            Method::DeSaxce => "de-saxce",
            Method::FischerBurmeister => "fischer-burmeister",
        }
    }

    /// A solver of this method with its default options.
    pub fn solver(self) -> Box<dyn ContactSolver + Send> {
        match self {
            Method::BoxLcp => Box::new(BoxLcp::default()),
            Method::Polyhedral(sides, fit) => Box::new(Polyhedral::new(sides, fit)),
            #[cfg(feature = "socp")]
            Method::Socp => Box::new(Socp::default()),
            #[cfg(feature = "socp")]
            Method::DeSaxce => Box::new(Socp::de_saxce()),
            Method::FischerBurmeister => Box::new(FischerBurmeister::default()),
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
