//! Norms that are safe against NaN and overflow: either gives an infinite residual.

/// NaN must not slip through a comparison: a block that cannot be evaluated is infinitely wrong.
pub(super) fn finite_or_infinite(x: f64) -> f64 {
    if x.is_finite() { x } else { f64::INFINITY }
}

/// The larger of two magnitudes, where NaN is the largest.
pub(super) fn worst(a: f64, b: f64) -> f64 {
    f64::max(a, finite_or_infinite(b.abs()))
}

/// min(x, 0), where NaN stays NaN.
#[inline(always)]
pub(super) fn negative_part(x: f64) -> f64 {
    if x > 0.0 { 0.0 } else { x }
}

/// 2-norm. Squares that overflow or vanish are summed again after scaling; NaN counts as infinite.
#[inline(always)]
pub(super) fn norm(values: impl Iterator<Item = f64> + Clone) -> f64 {
    norm_of(values.clone().map(|x| x * x).sum(), values)
}

/// The same where the sum of squares is known.
#[inline(always)]
pub(super) fn norm_of(sum: f64, values: impl Iterator<Item = f64> + Clone) -> f64 {
    if (1e-280..1e280).contains(&sum) {
        return sum.sqrt();
    }
    // What is at rest is often exactly so.
    if sum == 0.0 && values.clone().all(|x| x == 0.0) {
        return 0.0;
    }
    scaled_norm(values)
}

#[cold]
#[inline(never)]
fn scaled_norm(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = values.clone().fold(0.0, worst);
    if largest == 0.0 || largest.is_infinite() {
        return largest;
    }
    largest * values.map(|x| (x / largest) * (x / largest)).sum::<f64>().sqrt()
}

/// How long a vector is.
pub(super) trait Length {
    fn length(x: [f64; 3]) -> f64;
}

/// Of vectors of any size.
pub(super) struct AnySize;

impl Length for AnySize {
    #[inline]
    fn length(x: [f64; 3]) -> f64 {
        norm(x.into_iter())
    }
}

/// Of vectors whose squares neither overflow nor matter when they vanish.
pub(super) struct UsualSize;

impl Length for UsualSize {
    #[inline(always)]
    fn length(x: [f64; 3]) -> f64 {
        (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]).sqrt()
    }
}

/// Sum of squares and largest magnitude of a vector; not a number counts as infinite.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Size {
    pub squares: f64,
    pub largest: f64,
}

/// Sizes of vectors of the same length, four entries at a time.
#[inline(always)]
pub(super) fn sizes<const N: usize>(vectors: [&[f64]; N]) -> [Size; N] {
    let (mut squares, mut largest) = ([[0.0; 4]; N], [[0.0; 4]; N]);
    let mut add = |v: usize, x: [f64; 4]| {
        for i in 0..4 {
            squares[v][i] += x[i] * x[i];
            let size = x[i].abs();
            largest[v][i] = if size > largest[v][i] { size } else { largest[v][i] };
        }
    };
    let chunks = vectors.map(|x| x.as_chunks::<4>());
    let count = chunks.iter().map(|(whole, _)| whole.len()).min().unwrap_or(0);
    let whole = chunks.map(|(whole, _)| &whole[..count]);
    for k in 0..count {
        for v in 0..N {
            add(v, whole[v][k]);
        }
    }
    for (v, (_, rest)) in chunks.iter().enumerate() {
        let mut last = [0.0; 4];
        last[..rest.len()].copy_from_slice(rest);
        add(v, last);
    }
    std::array::from_fn(|v| {
        let squares = (squares[v][0] + squares[v][2]) + (squares[v][1] + squares[v][3]);
        let largest = largest[v].into_iter().fold(0.0, f64::max);
        Size { squares, largest: if squares.is_nan() { f64::INFINITY } else { largest } }
    })
}
