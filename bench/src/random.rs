//! What scenes draw from a seed: the same on every machine.

use signorini_scenes::random::SplitMix64;

/// A sequence of numbers from a seed.
pub struct Random(SplitMix64);

impl Random {
    /// From a seed.
    pub fn new(seed: u64) -> Self {
        Random(SplitMix64::new(seed))
    }

    /// One of 2⁶⁴.
    pub fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    /// In [0, 1).
    pub fn next(&mut self) -> f64 {
        self.0.unit()
    }

    /// In [least, most).
    pub fn between(&mut self, least: f64, most: f64) -> f64 {
        self.0.uniform(least, most)
    }

    /// In {least, …, most}.
    pub fn count(&mut self, least: usize, most: usize) -> usize {
        least + (self.next() * (most - least + 1) as f64) as usize
    }

    /// One of a list that is not empty.
    pub fn one<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.count(0, list.len() - 1)]
    }

    /// A small turn: each component of the quaternion's vector at most `most`.
    pub fn tilt(&mut self, most: f64) -> [f64; 4] {
        let [x, y, z] = [0; 3].map(|_| most * (2.0 * self.next() - 1.0));
        [(1.0 - x * x - y * y - z * z).sqrt(), x, y, z]
    }

    /// Any direction in four dimensions or three: points of a ball, put on its surface.
    pub fn direction<const N: usize>(&mut self) -> [f64; N] {
        loop {
            let point = [0; N].map(|_| self.between(-1.0, 1.0));
            let size = point.iter().map(|x| x * x).sum::<f64>().sqrt();
            if (0.1..1.0).contains(&size) {
                return point.map(|x| x / size);
            }
        }
    }
}
