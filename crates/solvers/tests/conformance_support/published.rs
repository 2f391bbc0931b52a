//! Published problems next to the workspace, where they are. They are no part of the product.

use signorini_problem::ContactProblem;
use signorini_problem::io::ProblemFile;
use std::path::PathBuf;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/problems")
}

/// Name and problem of every published file up to `most_blocks`, in order of name; empty, with a notice, if there are none.
pub fn published(most_blocks: usize) -> Vec<(String, ContactProblem)> {
    let Ok(entries) = std::fs::read_dir(folder().join("dev")) else {
        println!("SKIPPED: no published problems next to the workspace");
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "fcp"));
    paths.sort();
    paths
        .iter()
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, ProblemFile::read(path).unwrap().to_problem().unwrap())
        })
        .filter(|(_, problem)| problem.blocks().len() <= most_blocks)
        .collect()
}

/// A column of the table of reference runs, by name of the problem; `None` where the table has no number.
pub fn reference(column: &str) -> Vec<(String, Option<f64>)> {
    let Ok(text) = std::fs::read_to_string(folder().join("reference.csv")) else { return Vec::new() };
    let mut lines = text.lines();
    let column = lines.next().unwrap().split(',').position(|name| name == column).unwrap();
    // The columns used stand before the first quoted one.
    lines
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            (cells[0].to_owned(), cells[column].parse().ok())
        })
        .collect()
}
