//! What the README and the book say is what the code does.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use signorini_solvers::Method;

fn read(path: &str) -> String {
    let path = format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{path}: {why}"))
}

#[test]
fn the_readme_shows_the_example_that_is_compiled() {
    let readme = read("README.md");
    let (_, rest) = readme.split_once("```rust\n").unwrap();
    let (shown, _) = rest.split_once("```").unwrap();
    let example = read("crates/cli/examples/solve_contact.rs");
    let (_, compiled) = example.split_once("\n\n").unwrap();
    assert_eq!(shown, compiled);
}

#[test]
fn every_method_has_a_page_in_the_book() {
    let index = read("docs/solvers/README.md");
    for method in Method::ALL {
        let row = index
            .lines()
            .find(|line| line.starts_with('|') && line.contains(&format!("`{method}`")))
            .unwrap_or_else(|| panic!("{method} is not in the table of docs/solvers/README.md"));
        let (_, rest) = row.split_once("](").expect("the row links no page");
        let (page, _) = rest.split_once(')').expect("the link is not closed");
        assert!(read(&format!("docs/solvers/{page}")).starts_with("# "), "{page} has no title");
    }
}
