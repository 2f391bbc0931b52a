//! `signorini problems`: lists the generated contact problems.

use crate::error::InputError;
use crate::output::Output;
use crate::solve::Verdict;
use signorini_scenes::problems::entries;

/// One line per problem: name, size, family.
pub fn print(output: &mut Output) -> Result<Verdict, InputError> {
    let width = entries().iter().map(|entry| entry.name.len()).max().unwrap_or(0);
    for entry in entries() {
        let (name, size, family) = (entry.name, entry.size.name(), entry.family.name());
        output.line(&format!("{name:<width$}  {size:<6}  {family}"))?;
    }
    Ok(Verdict::Solved)
}
