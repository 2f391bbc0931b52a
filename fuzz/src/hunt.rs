//! The loop: mutate, run, keep what is new.

use crate::mutate::{Random, mutate};
use crate::targets::Target;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub enum Limit {
    /// After so many inputs: the same ones every time.
    Inputs(usize),
    /// After this time.
    Time(Duration),
}

/// An input that broke something.
#[derive(Clone, Debug)]
pub struct Found {
    /// The input.
    pub input: Vec<u8>,
    /// What the panic said.
    pub what: String,
}

/// What a hunt came to.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Inputs that were run.
    pub inputs: usize,
    /// Inputs that led to an outcome that was not seen before, and are mutated further.
    pub kept: Vec<Vec<u8>>,
    /// The outcomes.
    pub outcomes: BTreeSet<String>,
    /// Inputs that broke something, one for each way.
    pub found: Vec<Found>,
    /// The input that took longest, and how long: told, never judged.
    pub slowest: (Duration, Vec<u8>),
}

/// Mutations of `corpus` (and of what is found on the way) through a target, until the limit.
pub fn hunt(target: &Target, corpus: &[Vec<u8>], seed: u64, limit: Limit) -> Report {
    let mut random = Random::new(seed);
    let mut pool: Vec<Vec<u8>> = corpus.to_vec();
    pool.extend((target.seeds)());
    let mut report = Report::default();
    let begun = Instant::now();
    // First as they are: they must not break anything either.
    for input in pool.clone() {
        try_one(target, &input, &mut report);
    }
    let over = |report: &Report| match limit {
        Limit::Inputs(inputs) => report.inputs >= inputs,
        Limit::Time(time) => begun.elapsed() >= time,
    };
    while !over(&report) {
        let mut input = match pool.len() {
            0 => Vec::new(),
            // Every other one of the latest, which nobody has looked at much.
            count if random.below(2) == 0 => pool[count - 1 - random.below(count.min(16))].clone(),
            count => pool[random.below(count)].clone(),
        };
        mutate(&mut input, &pool, target.tokens, &mut random);
        // Behind a checksum nothing else is ever reached: half of the inputs get the right one.
        if let Some(mend) = target.mend
            && random.below(2) == 0
        {
            mend(&mut input);
        }
        if try_one(target, &input, &mut report) {
            report.kept.push(input.clone());
            pool.push(input);
        }
    }
    report
}

/// Runs an input; says whether its outcome is new.
fn try_one(target: &Target, input: &[u8], report: &mut Report) -> bool {
    let begun = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| (target.run)(input)));
    if begun.elapsed() > report.slowest.0 {
        report.slowest = (begun.elapsed(), input.to_vec());
    }
    report.inputs += 1;
    match outcome {
        Ok(outcome) => report.outcomes.insert(without_numbers(&outcome)),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let what = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            let what = what.unwrap_or_else(|| "a panic without words".to_owned());
            if report.found.iter().all(|found| without_numbers(&found.what) != without_numbers(&what)) {
                report.found.push(Found { input: input.to_vec(), what });
            }
            false
        }
    }
}

/// The words of a message: numbers and names in quotes would make every one of them new.
fn without_numbers(text: &str) -> String {
    let mut quoted = false;
    let kept = text.chars().filter(|c| {
        if matches!(c, '\'' | '"' | '`') {
            quoted = !quoted;
        }
        !quoted && (c.is_ascii_alphabetic() || *c == ' ')
    });
    kept.take(120).collect()
}
