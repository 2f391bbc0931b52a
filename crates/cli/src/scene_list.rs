//! Scenes by name or file, and `signorini scenes`, which lists the built-in ones.

use crate::arguments::ScenesArguments;
use crate::error::InputError;
use crate::output::Output;
use crate::solve::Verdict;
use serde::Serialize;
use signorini::Scene;
use signorini::scene::nearest;
use signorini_scenes::worlds;
use std::io::{self, Write};
use std::path::Path;

/// The scene that is run by default.
pub const DEMONSTRATION: &str = "demo";

#[derive(Serialize)]
struct Entry {
    name: &'static str,
    about: &'static str,
}

/// Lists the scenes, or writes one out as a start for a new one.
pub fn print(arguments: &ScenesArguments, output: &mut Output) -> Result<Verdict, InputError> {
    match (&arguments.name, arguments.json) {
        (Some(name), json) => {
            let scene = find(name)?;
            output.line(if json { scene.to_json() } else { scene.to_toml() }.trim_end())?;
        }
        (None, true) => {
            let entries: Vec<Entry> = worlds::all().iter().map(|s| Entry { name: s.name, about: s.about }).collect();
            output.line(&serde_json::to_string_pretty(&entries).unwrap_or_default())?;
        }
        (None, false) => {
            let width = worlds::all().iter().map(|scene| scene.name.len()).max().unwrap_or(0);
            for scene in worlds::all() {
                output.line(&format!("{name:<width$}  {about}", name = scene.name, about = scene.about))?;
            }
        }
    }
    Ok(Verdict::Solved)
}

/// A built-in scene, or else a file.
pub fn find(name: &str) -> Result<Scene, InputError> {
    if let Some(scene) = worlds::find(name) {
        return Ok(scene.scene());
    }
    let path = Path::new(name);
    if path.exists() || path.components().count() > 1 || path.extension().is_some() {
        let scene = Scene::load(path)?;
        for notice in &scene.notices {
            // If standard error is closed, the notice is lost and the run goes on.
            let _ = writeln!(io::stderr(), "note: {notice}");
        }
        return Ok(scene);
    }
    let meant = nearest(name, worlds::all().iter().map(|scene| scene.name));
    let meant = meant.map_or(String::new(), |meant| format!("did you mean '{meant}'? "));
    Err(InputError::UnknownWorld { name: name.to_owned(), meant })
}
