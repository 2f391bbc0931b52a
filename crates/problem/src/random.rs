//! A small seeded generator of random numbers: the same numbers on every platform, no dependency.
//!
//! SplitMix64: a counter stepped by the golden ratio, hashed by two multiplications and three xor-shifts.
//! Source: Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators", with the constants of the
//! public-domain reference code by Vigna. It passes BigCrush; its period 2⁶⁴ is ample for problems of 10⁶ numbers.
//!
//! Departure: [`SplitMix64::normal`] is a sum of twelve uniform numbers, not an exact Gaussian. It needs additions only,
//! so its bits do not depend on the platform's logarithm and cosine.

use crate::math;

/// SplitMix64.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// A stream; different seeds give streams that look independent.
    pub fn new(seed: u64) -> Self {
        SplitMix64 { state: seed }
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A whole number below `count`, which is above zero.
    pub fn below(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }

    /// Uniform in [0, 1): the top 53 bits.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in [lo, hi).
    pub fn uniform(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * self.unit()
    }

    /// Mean 0, variance 1, within ±6: the sum of twelve uniform numbers less six (Irwin–Hall).
    pub fn normal(&mut self) -> f64 {
        let mut sum = 0.0;
        for _ in 0..12 {
            sum += self.unit();
        }
        sum - 6.0
    }

    /// Between 1 and `ratio`, its logarithm uniform.
    pub fn log_uniform(&mut self, ratio: f64) -> f64 {
        math::powf(ratio, self.unit())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitmix64_gives_the_published_sequence() {
        // The first outputs for seed 1234567, as published with the reference code.
        let mut random = SplitMix64::new(1_234_567);
        let published = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        for expected in published {
            assert_eq!(random.bits(), expected);
        }
    }

    #[test]
    fn uniform_and_normal_have_their_moments() {
        let mut random = SplitMix64::new(1);
        let n = 100_000;
        let (mut mean, mut variance, mut uniform) = (0.0, 0.0, 0.0);
        for _ in 0..n {
            let (x, y) = (random.normal(), random.unit());
            assert!((0.0..1.0).contains(&y));
            mean += x / n as f64;
            variance += x * x / n as f64;
            uniform += y / n as f64;
        }
        // Five standard errors.
        let error = 5.0 / (n as f64).sqrt();
        assert!(mean.abs() < error && (variance - 1.0).abs() < 1.5 * error, "{mean} {variance}");
        assert!((uniform - 0.5).abs() < 0.3 * error, "{uniform}");
    }
}
