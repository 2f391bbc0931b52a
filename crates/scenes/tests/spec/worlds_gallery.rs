//! The gallery of the book lists every built-in scene with every number it is held to. After a change to the scenes,
//! `SIGNORINI_WRITE=1 cargo test -p signorini-scenes --test spec worlds_gallery` writes it anew.

use signorini_scenes::worlds;
use std::fmt::Write;
use std::path::Path;

const BEGIN: &str = "<!-- scenes -->\n";
const END: &str = "<!-- end -->\n";

fn listing() -> String {
    let mut text = String::new();
    for scene in worlds::all() {
        write!(text, "\n## {}\n\n{}\n\n", scene.name, scene.about).unwrap();
        text.push_str("| number | closed form | value | tolerance | unit |\n|---|---|---|---|---|\n");
        for answer in scene.answers() {
            let digits = if answer.expected.fract() == 0.0 { 0 } else { 6 };
            // A bar would end the cell.
            let (what, formula) = (answer.what, answer.formula.replace('|', "∣"));
            let (expected, tolerance, unit) = (answer.expected, answer.tolerance, answer.unit);
            writeln!(text, "| {what} | {formula} | {expected:.digits$} | {tolerance:.0e} | {unit} |").unwrap();
        }
    }
    text.push('\n');
    text
}

#[test]
fn gallery_lists_every_scene_and_number() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scenes/gallery.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (head, rest) = page.split_once(BEGIN).expect("the page says where the list begins");
    let (found, tail) = rest.split_once(END).expect("the page says where the list ends");
    if std::env::var_os("SIGNORINI_WRITE").is_some() {
        std::fs::write(&path, format!("{head}{BEGIN}{}{END}{tail}", listing())).unwrap();
        return;
    }
    assert_eq!(found, listing(), "docs/scenes/gallery.md is out of date");
}
