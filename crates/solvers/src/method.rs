//! The names of the methods: one list for Rust, files and the command line.

use crate::baselines::polyhedral::{self, Fit, Sides};
use crate::{
    AcceleratedNsgs, ActiveSet, BlockPgs, BlockPivoting, BoxLcp, ContactSolver, Exact, FischerBurmeister,
    InteriorPoint, Lemke, Newton, Nsgs, Pgs, Polyhedral,
};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// Every method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Method {
    /// All laws; tries methods from cheap to expensive until the certificate is met: [`Exact`].
    Exact,
    /// All laws, along the central path: [`InteriorPoint`].
    InteriorPoint,
    /// All laws, proximal Newton on the natural map: [`Newton`].
    Newton,
    /// Frictionless, exact: [`ActiveSet`].
    ActiveSet,
    /// Frictionless, exact, many indices at once: [`BlockPivoting`].
    BlockPivoting,
    /// Linear complementarity problems of any matrix: [`Lemke`].
    Lemke,
    /// All laws, one scalar step at a time: [`Pgs`].
    Pgs,
    /// All laws, one exactly solved contact at a time: [`Nsgs`].
    Nsgs,
    /// All laws, the sweeps of [`Nsgs`] with Anderson's acceleration: [`AcceleratedNsgs`].
    AcceleratedNsgs,
    /// The two-phase method: [`BlockPgs`].
    BlockPgs,
    /// Box friction with bounds that follow the normal impulse: [`BoxLcp`].
    BoxLcp,
    /// A friction pyramid, `polyhedral-8` or circumscribed `polyhedral-8-outer`: [`Polyhedral`].
    Polyhedral(Sides, Fit),
    /// The convex cone program: [`crate::Socp`].
    #[cfg(feature = "socp")]
    Socp,
    /// Coulomb's law by de Saxcé's loop around the convex cone program: [`crate::Socp`].
    #[cfg(feature = "socp")]
    DeSaxce,
    /// Newton's method on the smoothed Fischer–Burmeister equations: [`FischerBurmeister`].
    FischerBurmeister,
}

impl Method {
    /// All methods, in the order of the tables.
    pub const ALL: &[Method] = &[
        Method::Exact,
        Method::InteriorPoint,
        Method::Newton,
        Method::ActiveSet,
        Method::BlockPivoting,
        Method::Lemke,
        Method::Pgs,
        Method::Nsgs,
        Method::AcceleratedNsgs,
        Method::BlockPgs,
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
            Method::Exact => "exact",
            Method::InteriorPoint => "interior-point",
            Method::Newton => "newton",
            Method::ActiveSet => "active-set",
            Method::BlockPivoting => "block-pivoting",
            Method::Lemke => "lemke",
            Method::Pgs => "pgs",
            Method::Nsgs => "nsgs",
            Method::AcceleratedNsgs => "accelerated-nsgs",
            Method::BlockPgs => "block-pgs",
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
            Method::Exact => Box::new(Exact::default()),
            Method::InteriorPoint => Box::new(InteriorPoint::default()),
            Method::Newton => Box::new(Newton::default()),
            Method::ActiveSet => Box::new(ActiveSet::default()),
            Method::BlockPivoting => Box::new(BlockPivoting::default()),
            Method::Lemke => Box::new(Lemke::default()),
            Method::Pgs => Box::new(Pgs::default()),
            Method::Nsgs => Box::new(Nsgs::default()),
            Method::AcceleratedNsgs => Box::new(AcceleratedNsgs::default()),
            Method::BlockPgs => Box::new(BlockPgs::default()),
            Method::BoxLcp => Box::new(BoxLcp::default()),
            Method::Polyhedral(sides, fit) => Box::new(Polyhedral::new(sides, fit)),
            #[cfg(feature = "socp")]
            Method::Socp => Box::new(crate::Socp::default()),
            #[cfg(feature = "socp")]
            Method::DeSaxce => Box::new(crate::Socp::de_saxce()),
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
