//! SplitMix64 (Steele, Lea, Flood 2014): the same scenes on every machine.

/// A sequence of numbers from a seed.
pub struct Random(pub u64);

impl Random {
    /// One of 2⁶⁴.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// In [0, 1).
    pub fn next(&mut self) -> f64 {
        ((self.bits() >> 11) as f64) / (1u64 << 53) as f64
    }

    /// In [least, most).
    pub fn between(&mut self, least: f64, most: f64) -> f64 {
        least + (most - least) * self.next()
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
