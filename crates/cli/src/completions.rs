//! `signorini completions`: the shell completions that clap generates, adapted so that scenes can be files as well as
//! names.

use crate::arguments::Arguments;
use crate::error::InputError;
use crate::output::Output;
use crate::solve::Verdict;
use clap::CommandFactory;
use clap_complete::Shell;
use signorini_scenes::worlds;

/// Prints the script for a shell.
pub fn print(shell: Shell, output: &mut Output) -> Result<Verdict, InputError> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "signorini", &mut script);
    let script = String::from_utf8_lossy(&script);
    let names: Vec<&str> = worlds::all().iter().map(|scene| scene.name).collect();
    let names = names.join(" ");
    let script = match shell {
        Shell::Zsh => with_files(&script, &names),
        // The generated completions of fish contain options only.
        Shell::Fish => format!(
            "{script}complete -c signorini -n \"__fish_seen_subcommand_from run view scenes bench\" -a \"{names}\"\n"
        ),
        _ => script.into_owned(),
    };
    output.line(script.trim_end())?;
    Ok(Verdict::Solved)
}

/// The generated script for zsh completes from a list of names; a function offers files too.
fn with_files(script: &str, names: &str) -> String {
    let function = format!(
        "_signorini_scenes() {{\n    local -a scenes\n    scenes=({names})\n    _describe 'scene' scenes\n    _files\n}}\n\n"
    );
    let script = script.replace(&format!(":({names})'"), ":_signorini_scenes'");
    // The function goes after the line that names the command.
    match script.split_once("autoload -U is-at-least\n") {
        Some((head, rest)) => format!("{head}autoload -U is-at-least\n\n{function}{rest}"),
        None => script,
    }
}
