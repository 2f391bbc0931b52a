//! Axes: logarithmic in whole decades, linear in round numbers; ticks that do not crowd.

/// Values from `10^first` to `10^last`, drawn from `start` to `end`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogAxis {
    first: i32,
    last: i32,
    start: f64,
    end: f64,
}

/// One tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decade {
    /// Power of ten.
    pub exponent: i32,
    /// `10^exponent`.
    pub value: f64,
}

impl LogAxis {
    /// The whole decades around the values, all of which are positive; at least one decade.
    pub fn covering(values: impl Iterator<Item = f64>, start: f64, end: f64) -> Self {
        let (mut least, mut greatest) = (f64::INFINITY, 0.0);
        for value in values.filter(|value| value.is_finite() && *value > 0.0) {
            least = f64::min(least, value);
            greatest = f64::max(greatest, value);
        }
        if greatest == 0.0 {
            (least, greatest) = (1.0, 10.0);
        }
        let first = least.log10().floor() as i32;
        let last = (greatest.log10().ceil() as i32).max(first + 1);
        LogAxis { first, last, start, end }
    }

    /// Where a positive value is drawn.
    pub fn place(&self, value: f64) -> f64 {
        let fraction = (value.log10() - f64::from(self.first)) / f64::from(self.last - self.first);
        self.start + fraction * (self.end - self.start)
    }

    /// Every decade, or every second, third, … so that there are at most `most + 1`.
    pub fn ticks(&self, most: i32) -> impl Iterator<Item = Decade> {
        let stride = ((self.last - self.first) + most - 1) / most;
        (self.first..=self.last)
            .step_by(stride.max(1) as usize)
            .map(|exponent| Decade { exponent, value: 10f64.powi(exponent) })
    }
}

/// Values from `least` to `greatest`, drawn from `start` to `end`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearAxis {
    least: f64,
    greatest: f64,
    stride: f64,
    start: f64,
    end: f64,
}

impl LinearAxis {
    /// Round numbers around the finite values, about `ticks` of them.
    pub fn covering(values: impl Iterator<Item = f64>, ticks: f64, start: f64, end: f64) -> Self {
        let (mut least, mut greatest) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|value| value.is_finite()) {
            least = f64::min(least, value);
            greatest = f64::max(greatest, value);
        }
        if least > greatest {
            (least, greatest) = (0.0, 1.0);
        }
        // Values that differ by round-off alone are one value.
        let size = least.abs().max(greatest.abs());
        if greatest - least <= 1e-9 * size || greatest == least {
            let half = if size > 0.0 { 0.5 * size } else { 0.5 };
            (least, greatest) = (least - half, greatest + half);
        }
        let raw = (greatest - least) / ticks;
        let decade = 10f64.powf(raw.log10().floor());
        let stride = [1.0, 2.0, 5.0].into_iter().map(|m| m * decade).find(|s| *s >= raw).unwrap_or(10.0 * decade);
        let (least, greatest) = ((least / stride).floor() * stride, (greatest / stride).ceil() * stride);
        LinearAxis { least, greatest, stride, start, end }
    }

    /// Where a value is drawn.
    pub fn place(&self, value: f64) -> f64 {
        self.start + (value - self.least) / (self.greatest - self.least) * (self.end - self.start)
    }

    /// The round numbers and how they are written.
    pub fn ticks(&self) -> impl Iterator<Item = (f64, String)> {
        let count = ((self.greatest - self.least) / self.stride).round() as i32;
        let (least, stride) = (self.least, self.stride);
        let size = self.least.abs().max(self.greatest.abs());
        let decimals = (-stride.log10().floor()).max(0.0) as usize;
        (0..=count.min(50)).map(move |i| {
            let value = least + f64::from(i) * stride;
            // Compared with its neighbours this is zero.
            let value = if value.abs() < 1e-6 * stride { 0.0 } else { value };
            let plain = (1e-3..1e5).contains(&size);
            (value, if plain { format!("{value:.decimals$}") } else { format!("{value:.1e}") })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linear_axis_has_round_numbers_around_its_values() {
        let axis = LinearAxis::covering([0.3, 9.1].into_iter(), 5.0, 0.0, 100.0);
        let ticks: Vec<String> = axis.ticks().map(|(_, text)| text).collect();
        assert_eq!(ticks, ["0", "2", "4", "6", "8", "10"]);
        assert!((axis.place(5.0) - 50.0).abs() < 1e-9);
        let drop = LinearAxis::covering([-0.031, 0.012].into_iter(), 5.0, 0.0, 1.0);
        let ticks: Vec<String> = drop.ticks().map(|(_, text)| text).collect();
        assert_eq!(ticks, ["-0.04", "-0.03", "-0.02", "-0.01", "0.00", "0.01", "0.02"]);
    }

    #[test]
    fn a_linear_axis_exists_for_any_values() {
        for values in [vec![], vec![0.0], vec![-7.0], vec![1e300, -1e300], vec![f64::NAN], vec![1.0, 1.0 + 1e-15]] {
            let axis = LinearAxis::covering(values.into_iter(), 5.0, 0.0, 1.0);
            assert!(axis.greatest > axis.least && axis.ticks().count() >= 2, "{axis:?}");
        }
    }

    #[test]
    fn decades_enclose_the_values() {
        let axis = LogAxis::covering([3e-5, 2e-2].into_iter(), 100.0, 500.0);
        assert_eq!((axis.first, axis.last), (-5, -1));
        assert!((axis.place(1e-5) - 100.0).abs() < 1e-9);
        assert!((axis.place(1e-1) - 500.0).abs() < 1e-9);
        assert!((axis.place(1e-3) - 300.0).abs() < 1e-9);
    }

    #[test]
    fn an_axis_exists_for_one_value_and_for_none() {
        for values in [vec![], vec![1.0], vec![0.0, f64::NAN, f64::INFINITY], vec![5e-324]] {
            let axis = LogAxis::covering(values.into_iter(), 0.0, 1.0);
            assert!(axis.last > axis.first);
        }
    }

    #[test]
    fn ticks_do_not_crowd() {
        for (least, greatest) in [(1e-18, 1e3), (1e-3, 1e-2), (1e-9, 1.0)] {
            let axis = LogAxis::covering([least, greatest].into_iter(), 0.0, 1.0);
            let ticks: Vec<Decade> = axis.ticks(8).collect();
            assert!((2..=9).contains(&ticks.len()), "{ticks:?}");
        }
    }
}
