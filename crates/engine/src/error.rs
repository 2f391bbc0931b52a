//! Everything the engine can refuse, with the field, the index and the value that were wrong.

use thiserror::Error;

/// Why a shape was refused. Nothing is built from a refused description.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// A length must be positive and finite.
    #[error("{field} {value} is not a positive length")]
    NotPositive {
        /// Name of the length.
        field: &'static str,
        /// Its value \[m\].
        value: f64,
    },
    /// A number is NaN, infinite or too large to compute with.
    #[error("{field} {index}: {value} is not a finite number of usable size")]
    NotFinite {
        /// Name of the list or vector.
        field: &'static str,
        /// Index into it.
        index: usize,
        /// The offending component.
        value: f64,
    },
    /// A direction cannot be normalised.
    #[error("{field} has length {length}, not a direction")]
    NoDirection {
        /// Name of the vector.
        field: &'static str,
        /// Its length.
        length: f64,
    },
    /// A rotation is not a unit quaternion.
    #[error("part {index}: quaternion of norm {norm} is not a rotation")]
    NotARotation {
        /// Index of the part.
        index: usize,
        /// Norm of its quaternion.
        norm: f64,
    },
    /// Too few entries to make the shape.
    #[error("{field} has {found} entries, at least {needed} are needed")]
    TooFew {
        /// Name of the list.
        field: &'static str,
        /// Entries found.
        found: usize,
        /// Entries needed.
        needed: usize,
    },
    /// A limit on size was passed.
    #[error("{field} is {found}, the limit is {limit}")]
    Limit {
        /// What is limited.
        field: &'static str,
        /// What was asked for.
        found: usize,
        /// The limit.
        limit: usize,
    },
    /// All points lie in one point, line or plane: the hull has no volume.
    #[error("{points} points span no volume (thickness {thickness:e} m over a size of {size:e} m)")]
    NoVolume {
        /// Number of points given.
        points: usize,
        /// Extent across the flattest direction found \[m\].
        thickness: f64,
        /// Extent of the points \[m\].
        size: f64,
    },
    /// The hull was built, but an input point sticks out of it.
    #[error("point {index} lies {distance:e} m outside the hull built from it")]
    PointOutsideHull {
        /// Index of the point.
        index: usize,
        /// Distance outside \[m\].
        distance: f64,
    },
    /// The hull is not a closed convex surface.
    #[error("the hull of {points} points is not a closed convex surface: {reason}")]
    BadHull {
        /// Number of points given.
        points: usize,
        /// What is wrong.
        reason: &'static str,
    },
    /// A triangle names a vertex that does not exist.
    #[error("triangle {triangle}: vertex {index} does not exist, there are {vertices}")]
    IndexOutOfRange {
        /// Triangle index.
        triangle: usize,
        /// The vertex it names.
        index: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// No triangle of positive area is left.
    #[error("all {found} triangles of the mesh are degenerate")]
    OnlyDegenerateTriangles {
        /// Triangles given.
        found: usize,
    },
    /// Two sizes disagree.
    #[error("{field} has {found} entries, expected {expected}")]
    Size {
        /// Name of the list.
        field: &'static str,
        /// Entries found.
        found: usize,
        /// Entries expected.
        expected: usize,
    },
    /// The shape bounds no finite volume, so it has no mass.
    #[error("a {shape} has no volume and can only belong to a fixed body")]
    NoMass {
        /// Name of the shape.
        shape: &'static str,
    },
    /// The mass of the shape is not a usable number.
    #[error("density {density} and volume {volume} give the mass {mass}")]
    Mass {
        /// Density [kg/m³].
        density: f64,
        /// Volume \[m³\].
        volume: f64,
        /// Product \[kg\].
        mass: f64,
    },
}
