//! Where the path begins.

/// The first iterate: every block strictly inside its cones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Start {
    /// The same normal impulse everywhere, as large as the largest of a regularised all-sticking solve. Needed where
    /// impulses do not scale with the local inertia: heavy bodies on light ones.
    Uniform,
    /// Each contact by its own inertia, `r_N = |q|∞ / w`. Best for impacts.
    Scaled,
    /// Uniform where the all-sticking solve shows impulses far above `|q|∞ / w`, else scaled.
    Automatic,
    /// The guess, moved inside by a margin of the size of its residual.
    Warm,
    /// The guess, moved inside by a stated speed [m/s].
    WarmBy(f64),
}
