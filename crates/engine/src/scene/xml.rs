//! XML read strictly: every element and attribute is known or refused, and whatever is refused says where it stands.

use crate::scene::error::TextPlace;
use crate::scene::text::nearest;
use crate::scene::{SceneError, Triple};
use roxmltree::{Document, Node, ParsingOptions};

/// Most elements, texts and comments of a file. Robots have thousands.
pub(super) const NODE_LIMIT: u32 = 200_000;
/// Most attributes of an element, and most namespaces of a file: the parser compares each with all before it.
pub(super) const ATTRIBUTE_LIMIT: usize = 64;

/// Reads a text. Document types are refused, and with them entities that expand.
pub(super) fn parse(text: &str) -> Result<Document<'_>, SceneError> {
    let refuse = |what: String, (line, column): (usize, usize)| SceneError {
        path: String::new(),
        what,
        at: Some(TextPlace { file: None, line_and_column: Some((line, column)) }),
    };
    if let Some(line) = crowded_line(text) {
        return Err(refuse(format!("an element with more than {ATTRIBUTE_LIMIT} attributes"), (line, 1)));
    }
    if text.matches("xmlns").count() > ATTRIBUTE_LIMIT {
        return Err(refuse(format!("more than {ATTRIBUTE_LIMIT} namespaces"), (1, 1)));
    }
    let options = ParsingOptions { nodes_limit: NODE_LIMIT, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|error| {
        let place = error.pos();
        let what = match error {
            roxmltree::Error::DtdDetected => "a document type is not read; leave it out".to_owned(),
            roxmltree::Error::NodesLimitReached => format!("more than {NODE_LIMIT} elements and texts"),
            // Its position is said once, in front.
            error => error.to_string().replace(&format!(" at {place}"), ""),
        };
        refuse(what, (place.row as usize, place.col as usize))
    })
}

/// The line in which an element gets more attributes than the limit, judged by `=` before a quote since the last `<`:
/// neither can be hidden in an element, since values hold no `<`.
fn crowded_line(text: &str) -> Option<usize> {
    let (mut count, mut line, mut equals) = (0, 1, false);
    for byte in text.bytes() {
        match byte {
            b'<' => count = 0,
            b'"' | b'\'' if equals => count += 1,
            b'\n' => line += 1,
            _ => {}
        }
        equals = byte == b'=' || (equals && byte.is_ascii_whitespace());
        if count > ATTRIBUTE_LIMIT {
            return Some(line);
        }
    }
    None
}

/// An element and what messages call it.
#[derive(Clone, Debug)]
pub(super) struct Element<'d> {
    node: Node<'d, 'd>,
    /// As in `link 'arm'.inertial.mass`.
    pub path: String,
}

impl<'d> Element<'d> {
    pub fn root(document: &'d Document<'d>) -> Element<'d> {
        let node = document.root_element();
        Element { node, path: node.tag_name().name().to_owned() }
    }

    pub fn tag(&self) -> &'d str {
        self.node.tag_name().name()
    }

    /// Says what is wrong with the element.
    pub fn refuse(&self, what: impl ToString) -> SceneError {
        let place = self.node.document().text_pos_at(self.node.range().start);
        let line_and_column = Some((place.row as usize, place.col as usize));
        SceneError { at: Some(TextPlace { file: None, line_and_column }), ..SceneError::new(&self.path, what) }
    }

    /// Sees that there are no attributes but these.
    pub fn allow(&self, known: &[&str]) -> Result<(), SceneError> {
        for attribute in self.node.attributes() {
            let name = attribute.name();
            if attribute.namespace().is_some() || !known.contains(&name) {
                return Err(self.refuse(unknown("attribute", name, known)));
            }
        }
        Ok(())
    }

    pub fn optional(&self, name: &str) -> Option<&'d str> {
        self.node.attribute(name)
    }

    pub fn required(&self, name: &str) -> Result<&'d str, SceneError> {
        self.optional(name).ok_or_else(|| self.refuse(format!("the attribute '{name}' is missing")))
    }

    /// A name that is not empty.
    pub fn name(&self) -> Result<&'d str, SceneError> {
        let name = self.required("name")?;
        if name.is_empty() { Err(self.refuse("a name has at least one character")) } else { Ok(name) }
    }

    pub fn number(&self, name: &str) -> Result<f64, SceneError> {
        self.parsed(name, self.required(name)?)
    }

    pub fn triple(&self, name: &str) -> Result<Triple, SceneError> {
        let words: Vec<&str> = self.required(name)?.split_ascii_whitespace().collect();
        let [x, y, z] = words[..] else {
            return Err(self.refuse(format!("'{name}' has {} numbers, it takes three", words.len())));
        };
        Ok([self.parsed(name, x)?, self.parsed(name, y)?, self.parsed(name, z)?])
    }

    /// Three numbers, or zeros if they are not given.
    pub fn triple_or_zero(&self, name: &str) -> Result<Triple, SceneError> {
        if self.optional(name).is_some() { self.triple(name) } else { Ok([0.0; 3]) }
    }

    fn parsed(&self, name: &str, word: &str) -> Result<f64, SceneError> {
        match word.trim_ascii().parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => Err(self.refuse(format!("'{name}': '{word}' is not a finite number"))),
        }
    }

    /// The elements inside, each of which must be one of these.
    pub fn children(&self, known: &[&str]) -> Result<Vec<Element<'d>>, SceneError> {
        let mut children = Vec::new();
        for node in self.node.children().filter(Node::is_element) {
            let tag = node.tag_name().name();
            let child = Element { node, path: format!("{}.{tag}", self.path) };
            if node.tag_name().namespace().is_some() {
                let what = "an element of another language; a xacro file is expanded first: xacro FILE > robot.urdf";
                return Err(child.refuse(what));
            }
            if !known.contains(&tag) {
                return Err(child.refuse(unknown("element", tag, known)));
            }
            children.push(child);
        }
        Ok(children)
    }
}

fn unknown(what: &str, name: &str, known: &[&str]) -> String {
    let meant =
        nearest(name, known.iter().copied()).map_or(String::new(), |meant| format!(", did you mean '{meant}'?"));
    match known {
        [] => format!("unknown {what} '{name}'; there is none here"),
        known => format!("unknown {what} '{name}'{meant}; there are: {}", known.join(", ")),
    }
}

/// The one of its kind, if there is one.
pub(super) fn single<'e, 'd>(elements: &'e [Element<'d>], tag: &str) -> Result<Option<&'e Element<'d>>, SceneError> {
    let mut found = elements.iter().filter(|element| element.tag() == tag);
    let first = found.next();
    match found.next() {
        Some(second) => Err(second.refuse(format!("a second '{tag}'; leave one"))),
        None => Ok(first),
    }
}
