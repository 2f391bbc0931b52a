//! Every answer as JSON: a list of records, numbers written so that they read back bit for bit.

use crate::error::InputError;
use crate::trial::{Outcome, Trial};
use serde::Serialize;
use signorini_problem::{Certificate, Tolerance};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

#[derive(Serialize)]
struct Record<'a> {
    problem: &'a str,
    method: &'static str,
    status: &'static str,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    tolerance: &'a Tolerance,
    iterations: Option<usize>,
    factorizations: Option<usize>,
    /// Median time of a run \[s\].
    seconds: Option<f64>,
    certificate: Option<&'a Certificate>,
    /// Impulses [N·s].
    r: Option<&'a [f64]>,
}

impl<'a> Record<'a> {
    fn new(trial: &'a Trial, tolerance: &'a Tolerance) -> Self {
        let record = Record {
            problem: &trial.problem,
            method: trial.method.name(),
            status: trial.outcome.status(),
            reason: None,
            tolerance,
            iterations: None,
            factorizations: None,
            seconds: None,
            certificate: None,
            r: None,
        };
        match &trial.outcome {
            Outcome::Refused(why) | Outcome::Crashed(why) => Record { reason: Some(why), ..record },
            Outcome::Graded(graded) => Record {
                iterations: Some(graded.solution.effort.iterations),
                factorizations: Some(graded.solution.effort.factorizations),
                seconds: Some(graded.seconds),
                certificate: Some(&graded.solution.certificate),
                r: Some(&graded.solution.impulses),
                ..record
            },
        }
    }
}

/// Writes the list.
pub fn write(path: &Path, trials: &[Trial], tolerance: &Tolerance) -> Result<(), InputError> {
    let written = || -> io::Result<()> {
        let mut file = BufWriter::new(File::create(path)?);
        let records: Vec<Record> = trials.iter().map(|trial| Record::new(trial, tolerance)).collect();
        serde_json::to_writer(&mut file, &records)?;
        writeln!(file)?;
        file.flush()
    };
    written().map_err(|cause| InputError::Unwritable { path: path.to_owned(), cause })
}
