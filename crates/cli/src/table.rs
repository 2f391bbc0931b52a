//! The table of graded answers. Column widths are fixed before the first row, so rows are printed as soon as they are
//! solved.

use crate::source::Source;
use crate::trial::{Outcome, Trial};
use signorini_solvers::Method;

/// Column widths that depend on the names.
pub struct Table {
    problem: usize,
    method: usize,
}

impl Table {
    /// A table wide enough for these names.
    pub fn new(sources: &[Source], methods: &[Method]) -> Self {
        let widest =
            |lengths: &mut dyn Iterator<Item = usize>, title: &str| lengths.max().unwrap_or(0).max(title.len());
        Table {
            problem: widest(&mut sources.iter().map(|s| s.name().chars().count()), "problem"),
            method: widest(&mut methods.iter().map(|m| m.name().len()), "method"),
        }
    }

    /// Titles and units, two lines.
    pub fn header(&self) -> [String; 2] {
        let titles = Cells {
            start: self.start("problem", "blocks", "rows", "method"),
            status: "status",
            iterations: "iterations",
            factorizations: "factorizations",
            time: "time",
            numbers: ["natural", "natural_rel", "fclib", "penetration", "creep"],
        };
        let units = Cells {
            start: self.start("", "", "", ""),
            status: "",
            iterations: "",
            factorizations: "",
            time: "median",
            numbers: ["[m/s]", "[1]", "[mixed]", "[m/s]", "[m/s]"],
        };
        [titles.line(), units.line()]
    }

    /// One row. A refusal stands in place of the numbers.
    pub fn row(&self, trial: &Trial) -> String {
        let (blocks, rows) = (trial.blocks.to_string(), trial.rows.to_string());
        let start = self.start(&trial.problem, &blocks, &rows, trial.method.name());
        let graded = match &trial.outcome {
            Outcome::Graded(graded) => graded,
            Outcome::Refused(why) | Outcome::Crashed(why) => {
                return format!("{start}  {status}: {why}", status = trial.outcome.status());
            }
        };
        let (certificate, effort) = (&graded.solution.certificate, &graded.solution.effort);
        let numbers = [
            certificate.natural,
            certificate.natural_rel,
            certificate.fclib_error,
            certificate.penetration_rate,
            certificate.creep,
        ]
        .map(number);
        Cells {
            start,
            status: trial.outcome.status(),
            iterations: &effort.iterations.to_string(),
            factorizations: &effort.factorizations.to_string(),
            time: &duration(graded.seconds),
            numbers: numbers.each_ref().map(String::as_str),
        }
        .line()
    }

    fn start(&self, problem: &str, blocks: &str, rows: &str, method: &str) -> String {
        format!(
            "{problem:<problem_width$}  {blocks:>6}  {rows:>6}  {method:<method_width$}",
            problem_width = self.problem,
            method_width = self.method
        )
    }
}

struct Cells<'a> {
    start: String,
    status: &'a str,
    iterations: &'a str,
    factorizations: &'a str,
    time: &'a str,
    numbers: [&'a str; 5],
}

impl Cells<'_> {
    fn line(&self) -> String {
        let Cells { start, status, iterations, factorizations, time, numbers: [natural, relative, fclib, rate, creep] } =
            self;
        let line = format!(
            "{start}  {status:<8}  {iterations:>10}  {factorizations:>14}  {time:>8}  \
             {natural:>7}  {relative:>11}  {fclib:>7}  {rate:>11}  {creep:>7}"
        );
        line.trim_end().to_owned()
    }
}

fn number(value: f64) -> String {
    if value == 0.0 { "0".to_owned() } else { format!("{value:.1e}") }
}

/// A time \[s\] with three digits and the unit that suits it.
pub fn duration(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s < 999.5e-6 => (s * 1e6, "µs"),
        s if s < 999.5e-3 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    let decimals = match value {
        v if v < 9.995 => 2,
        v if v < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::{duration, number};

    #[test]
    fn durations_carry_three_digits_and_a_unit() {
        for (seconds, text) in [
            (0.0, "0.00 µs"),
            (1.234e-6, "1.23 µs"),
            (12.34e-6, "12.3 µs"),
            (999.4e-6, "999 µs"),
            (999.9e-6, "1.00 ms"),
            (0.1234, "123 ms"),
            (0.99999, "1.00 s"),
            (123.4, "123 s"),
        ] {
            assert_eq!(duration(seconds), text);
        }
    }

    #[test]
    fn zero_is_told_from_small() {
        assert_eq!(number(0.0), "0");
        assert_eq!(number(1.25e-17), "1.2e-17");
        assert_eq!(number(f64::INFINITY), "inf");
    }
}
