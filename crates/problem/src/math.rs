//! Elementary functions with the same bits on every processor and system.
//!
//! `f64::sin` and its like call the mathematics library of the platform, which differs between systems, between their
//! versions, and between processors with and without fused multiply-add. These are the functions of the crate `libm`:
//! Rust translated from musl, sums and products in a written order. Every crate below the command uses them, and
//! `scripts/check-source` forbids the others. What IEEE 754 rounds exactly (`+ − × ÷`, `sqrt`, `abs`, `floor`, `round`, `%`)
//! is the same everywhere and is used as it is.

/// Sine of an angle \[rad\].
#[inline]
pub fn sin(angle: f64) -> f64 {
    libm::sin(angle)
}

/// Cosine of an angle \[rad\].
#[inline]
pub fn cos(angle: f64) -> f64 {
    libm::cos(angle)
}

/// Sine and cosine of an angle \[rad\].
#[inline]
pub fn sin_cos(angle: f64) -> (f64, f64) {
    libm::sincos(angle)
}

/// Tangent of an angle \[rad\].
#[inline]
pub fn tan(angle: f64) -> f64 {
    libm::tan(angle)
}

/// Angle \[rad\] within ±π/2 of a sine.
#[inline]
pub fn asin(sine: f64) -> f64 {
    libm::asin(sine)
}

/// Angle \[rad\] from 0 to π of a cosine.
#[inline]
pub fn acos(cosine: f64) -> f64 {
    libm::acos(cosine)
}

/// Angle \[rad\] within ±π/2 of a tangent.
#[inline]
pub fn atan(tangent: f64) -> f64 {
    libm::atan(tangent)
}

/// Angle \[rad\] within ±π of the point (x, y).
#[inline]
pub fn atan2(y: f64, x: f64) -> f64 {
    libm::atan2(y, x)
}

/// e to the power x.
#[inline]
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// Natural logarithm.
#[inline]
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// `base` to the power `exponent`.
#[inline]
pub fn powf(base: f64, exponent: f64) -> f64 {
    libm::pow(base, exponent)
}

/// `base` to a whole power, by squaring. `f64::powi` leaves its precision open, and a compiler may round a constant power
/// otherwise than the program would.
#[inline]
pub fn powi(base: f64, exponent: i32) -> f64 {
    let (mut power, mut square, mut left) = (1.0, base, exponent.unsigned_abs());
    loop {
        if left & 1 == 1 {
            power *= square;
        }
        left >>= 1;
        if left == 0 {
            break;
        }
        square *= square;
    }
    if exponent < 0 { 1.0 / power } else { power }
}

/// `√(x² + y²)` without overflow.
#[inline]
pub fn hypot(x: f64, y: f64) -> f64 {
    libm::hypot(x, y)
}

/// The exponent e of a number `± m · 2^e` with 1 ≤ m < 2, exactly. Not for zero, infinities and NaN.
#[inline]
pub fn exponent(x: f64) -> i32 {
    libm::ilogb(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bits of each function at arguments with long reductions or near a switch of formulas, as computed where this was
    /// written. A compiler or processor that comes to others would make every promise of equal bits void.
    #[test]
    fn functions_have_the_bits_they_had_where_this_was_written() {
        let found = [
            sin(1e5),
            cos(-22.0),
            sin_cos(0.7).1,
            tan(1.57),
            asin(0.9),
            acos(-0.3),
            atan(2.5),
            atan2(-1.0, -3.0),
            exp(-37.5),
            ln(0.3),
            powf(7.3, -2.6),
            powi(1.1, -7),
            hypot(3e200, 4.1e200),
        ];
        let golden: [u64; 13] = [
            0x3fa2_4daa_9c52_7e96,
            0xbfef_ffad_d8d4_acda,
            0x3fe8_7996_529f_9d93,
            0x4093_9f0f_f737_e7f3,
            0x3ff1_ea93_705f_a172,
            0x3ffe_0200_bbc9_6ad8,
            0x3ff3_0b6d_796a_4da8,
            0xc006_8f09_5fdf_593c,
            0x3c8d_d5c5_6630_1ec8,
            0xbff3_4378_fcbd_a721,
            0x3f77_51cf_3f2c_a652,
            0x3fe0_6bca_92ef_4a05,
            0x699a_8c5e_03a6_4b22,
        ];
        assert_eq!(found.map(f64::to_bits), golden);
    }

    /// 1.5 · 2¹⁰ and the least normal number: exponents are read, not computed from a logarithm that may round up.
    #[test]
    fn exponents_are_exact() {
        assert_eq!(exponent(1536.0), 10);
        assert_eq!(exponent(f64::MIN_POSITIVE), -1022);
        assert_eq!(exponent(-(8.0 - f64::EPSILON * 4.0)), 2);
        assert_eq!(powi(2.0, -1022), f64::MIN_POSITIVE);
        assert_eq!(powi(3.0, 0), 1.0);
    }
}
