//! A logarithmic axis: whole decades, ticks that do not crowd.

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

#[cfg(test)]
mod tests {
    use super::*;

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
