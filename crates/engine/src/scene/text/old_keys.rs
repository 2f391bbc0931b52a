//! Notices about keys of scene files that have a new name. Old names are read for one more version (`alias` of serde at the
//! field, which recordings of older versions need too).

use super::super::error::TextPlace;
use super::tree::{Node, Value, line_and_column};
use crate::robot::Notice;

/// Where a key stands (`*` is any index of a list), its old name and its new one.
const RENAMED: [(&[&str], &str, &str); 3] = [
    (&["bodies", "*"], "spin", "angular_velocity"),
    (&["bodies", "*", "options"], "surface_spin", "surface_angular_velocity"),
    (&["treatment", "sleeping", "islands"], "spin", "angular_speed"),
];

/// One notice for each old name, at its first place.
pub(super) fn notices(tree: &Node, text: &str) -> Vec<Notice> {
    let notice = |(path, old, new): &(&[&str], &str, &str)| {
        let start = first(tree, path, old)?;
        let line_and_column = Some(line_and_column(text, start as usize));
        let what = format!("'{old}' is called '{new}' now; the old name will not be read by later versions");
        Some(Notice { at: TextPlace { file: None, line_and_column }, what })
    };
    RENAMED.iter().filter_map(notice).collect()
}

/// First byte of a key below a path.
fn first(node: &Node, path: &[&str], key: &str) -> Option<u32> {
    match (&node.value, path) {
        (Value::Table(entries), []) => entries.iter().find(|(k, _)| k.name == key).map(|(k, _)| k.span.start),
        (Value::Table(entries), [part, rest @ ..]) => {
            entries.iter().find(|(k, _)| k.name == *part).and_then(|(_, below)| first(below, rest, key))
        }
        (Value::List(nodes), ["*", rest @ ..]) => nodes.iter().find_map(|below| first(below, rest, key)),
        _ => None,
    }
}
