//! `signorini replay` and `signorini export`: shows a recording, checks that running it again gives the same bits, and
//! exports tables.

use crate::arguments::{ExportArguments, ReplayArguments, ReportFormat};
use crate::error::InputError;
use crate::output::Output;
use crate::progress::StepProgress;
use crate::recertify;
use crate::run::{Tally, print_text, write_json};
use crate::solve::Verdict;
use signorini_record::{self as record, Reader, RecordError, RecordedStep};
use std::path::Path;

fn open(path: &Path) -> Result<Reader, InputError> {
    Reader::open(path).map_err(|why| match why {
        // These errors contain the name of the file.
        why @ RecordError::Open { .. } => InputError::Record(why),
        why => InputError::Recording { path: path.to_owned(), why },
    })
}

/// Prints the contents of the recording; with `--check`, runs it again and names the first step that differs.
pub fn replay(arguments: &ReplayArguments, output: &mut Output) -> Result<Verdict, InputError> {
    let mut reader = open(&arguments.file)?;
    let bad = |why: RecordError| InputError::Recording { path: arguments.file.clone(), why };
    if arguments.check {
        return check(&mut reader, &arguments.file, output);
    }
    if arguments.certify {
        let progress = StepProgress::new(reader.frames().saturating_sub(1) as u64);
        let found = record::recertify(&mut reader, |_| progress.advance());
        progress.finish();
        let found = found.map_err(bad)?;
        if arguments.report == ReportFormat::Text {
            condition(&reader, output)?;
        }
        let verdict = recertify::print(&found, arguments.report, output)?;
        return Ok(whole(&reader, verdict));
    }
    let header = reader.header().clone();
    let world = header.scene.build()?;
    let mut tally = Tally::new(&header.scene, &world);
    for index in 0..reader.steps() {
        if let Some(step) = RecordedStep::read(&reader.step(index).map_err(bad)?) {
            tally.push_recorded(&step);
        }
    }
    if let Some(last) = reader.frames().checked_sub(1) {
        tally.hash = format!("{:016x}", reader.frame(last).map_err(bad)?.hash);
    }
    match arguments.report {
        ReportFormat::Json => write_json(&tally, output)?,
        ReportFormat::Text => {
            let name = &header.scene.name;
            output.line(&format!("{name}, recorded by signorini {}: {} states", header.version, reader.frames()))?;
            condition(&reader, output)?;
            output.line("")?;
            print_text(&tally, output)?;
        }
    }
    Ok(whole(&reader, tally.verdict()))
}

/// A damaged file is bad input, whatever else was found.
fn whole(reader: &Reader, verdict: Verdict) -> Verdict {
    if reader.damage().is_empty() { verdict } else { Verdict::BadInput }
}

/// Prints whether the file is whole.
fn condition(reader: &Reader, output: &mut Output) -> Result<(), InputError> {
    if !reader.is_finished() {
        output.line("The recording has no end: it is still being written, or its writer was interrupted.")?;
    }
    for damage in reader.damage() {
        output.line(&format!("Damaged at byte {}: {}. The rest is used.", damage.offset, damage.what))?;
    }
    Ok(())
}

fn check(reader: &mut Reader, path: &Path, output: &mut Output) -> Result<Verdict, InputError> {
    condition(reader, output)?;
    let progress = StepProgress::new(reader.frames().saturating_sub(1) as u64);
    let verdict = record::check(reader, |_| progress.advance());
    progress.finish();
    let (line, verdict) = match verdict.map_err(|why| InputError::Recording { path: path.to_owned(), why })? {
        record::Verdict::Same { frames, steps } => {
            (format!("same: {frames} states of {steps} steps came out again, bit for bit"), Verdict::Solved)
        }
        record::Verdict::Differs(found) => {
            let record::Difference { step, time, what, recorded, now } = found;
            let line = format!("differs: step {step} ({time} s), {what}: recorded {recorded:?}, now {now:?}");
            (line, Verdict::Unsolved)
        }
    };
    output.line(&line)?;
    Ok(whole(reader, verdict))
}

/// Writes the recording as tables, or as a whole recording.
pub fn export(arguments: &ExportArguments, output: &mut Output) -> Result<Verdict, InputError> {
    let mut reader = open(&arguments.file)?;
    condition(&reader, output)?;
    let failed = |why: RecordError| match why {
        RecordError::Exists { path } => InputError::Taken { path },
        why @ RecordError::Open { .. } => InputError::Record(why),
        why => InputError::Recording { path: arguments.file.clone(), why },
    };
    if let Some(csv) = &arguments.csv {
        record::export_csv(&mut reader, csv).map_err(failed)?;
        let contacts = if reader.contact_steps() > 0 { ", steps.csv and contacts.csv" } else { " and steps.csv" };
        output.line(&format!("{}: bodies.csv{contacts} of {} states", csv.display(), reader.frames()))?;
    }
    if let Some(path) = &arguments.mcap {
        let found = record::repair(&arguments.file, path).map_err(failed)?;
        output.line(&format!("{}: {} messages, whole", path.display(), found.messages))?;
    }
    Ok(whole(&reader, Verdict::Solved))
}
