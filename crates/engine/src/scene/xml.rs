//! XML with positions: everything that is refused or ignored is reported with its line.

#![cfg_attr(not(all(feature = "urdf", feature = "mjcf")), allow(dead_code, reason = "each language uses some of it"))]

use crate::robot::Notice;
use crate::scene::error::TextPlace;
use crate::scene::text::nearest;
use crate::scene::{SceneError, Triple};
use roxmltree::{Document, Node, ParsingOptions};
use std::path::Path;
use std::rc::Rc;

/// Most elements, texts and comments of a file. Robots have thousands.
pub(super) const NODE_LIMIT: u32 = 200_000;
/// Longest line whose characters are counted \[bytes\].
const LONG_LINE: usize = 4096;
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
            // The position is already at the front of the message.
            error => error.to_string().replace(&format!(" at {place}"), ""),
        };
        refuse(what, (place.row as usize, place.col as usize))
    })
}

/// Blanks a declaration `<?xml …?>` below the first line. Many files have one there, and it has no effect.
pub(super) fn without_late_declaration(text: &str) -> std::borrow::Cow<'_, str> {
    let start = text.len() - text.trim_start().len();
    let Some(end) = text[start..].starts_with("<?xml").then(|| text[start..].find("?>")).flatten() else {
        return text.into();
    };
    if start == 0 {
        return text.into();
    }
    let (declaration, rest) = text[start..].split_at(end + 2);
    let blank: String = declaration.chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
    format!("{}{blank}{rest}", &text[..start]).into()
}

/// The line in which an element exceeds the limit on attributes. They are counted by `=` before a quote since the
/// last `<`; values contain no `<`, so an element cannot hide any.
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

/// An element and its name in messages.
#[derive(Clone, Debug)]
pub(super) struct Element<'d> {
    node: Node<'d, 'd>,
    /// Name as in `link 'arm'.inertial.mass`.
    pub path: String,
    /// The file it is in, if that is not the one that was asked for.
    file: Option<&'d Path>,
    /// Start of every line of the text, to find line numbers without reading the text again.
    lines: Rc<[usize]>,
}

impl<'d> Element<'d> {
    pub fn root(document: &'d Document<'d>) -> Element<'d> {
        Element::root_of(document, None)
    }

    pub fn root_of(document: &'d Document<'d>, file: Option<&'d Path>) -> Element<'d> {
        let node = document.root_element();
        let breaks = document.input_text().bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let lines = std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect();
        Element { node, path: node.tag_name().name().to_owned(), file, lines }
    }

    pub fn tag(&self) -> &'d str {
        self.node.tag_name().name()
    }

    /// Where it begins in the text.
    pub fn place(&self) -> TextPlace {
        let at = self.node.range().start;
        let line = self.lines.partition_point(|start| *start <= at);
        let start = self.lines[line.saturating_sub(1)];
        // In very long lines the column is counted in bytes.
        let text = self.node.document().input_text().get(start..at).unwrap_or_default();
        let column = if text.len() > LONG_LINE { text.len() } else { text.chars().count() };
        TextPlace { file: self.file.map(Path::to_owned), line_and_column: Some((line, column + 1)) }
    }

    /// An error at the element.
    pub fn refuse(&self, what: impl ToString) -> SceneError {
        SceneError { at: Some(self.place()), ..SceneError::new(&self.path, what) }
    }

    /// Notes attributes that are not in the list.
    pub fn note_attributes(&self, known: &[&str], notes: &mut Notes) {
        for attribute in self.node.attributes() {
            let name = attribute.name();
            if attribute.namespace().is_some() || !known.contains(&name) {
                let what = format!("attribute '{name}' of '{}' is not used{}", self.tag(), meant(name, known));
                notes.add(self.place(), what);
            }
        }
    }

    /// The attributes, in the order of the file.
    pub fn attributes(&self) -> impl Iterator<Item = (&'d str, &'d str)> + use<'d> {
        self.node.attributes().map(|attribute| (attribute.name(), attribute.value()))
    }

    /// The elements inside, whatever they are.
    pub fn inside(&self) -> impl Iterator<Item = Element<'d>> + use<'_, 'd> {
        let child = |node: Node<'d, 'd>| Element {
            node,
            path: format!("{}.{}", self.path, node.tag_name().name()),
            file: self.file,
            lines: self.lines.clone(),
        };
        self.node.children().filter(Node::is_element).map(child)
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

    /// Three numbers. Like other readers of URDF it accepts commas and ignores what comes after the third, both with
    /// a notice.
    #[cfg(feature = "urdf")]
    pub fn loose_triple(&self, name: &str, notes: &mut Notes) -> Result<Triple, SceneError> {
        let text = self.required(name)?;
        let words: Vec<&str> = text.split([' ', '\t', '\r', '\n', ',']).filter(|word| !word.is_empty()).collect();
        let [x, y, z, rest @ ..] = &words[..] else {
            return Err(self.refuse(format!("'{name}' has {} numbers, it takes three", words.len())));
        };
        if text.contains(',') {
            notes.add(self.place(), format!("commas in '{name}' are read as spaces"));
        }
        for extra in rest {
            self.parsed(name, extra)?;
            notes.add(self.place(), format!("'{name}' takes three numbers; what comes after them is not used"));
        }
        Ok([self.parsed(name, x)?, self.parsed(name, y)?, self.parsed(name, z)?])
    }

    /// A number that is finite.
    pub fn parsed(&self, name: &str, word: &str) -> Result<f64, SceneError> {
        match word.trim_ascii().parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => Err(self.refuse(format!("'{name}': '{word}' is not a finite number"))),
        }
    }

    /// A number that may be left out.
    pub fn number_or(&self, name: &str, otherwise: f64) -> Result<f64, SceneError> {
        self.optional(name).map_or(Ok(otherwise), |word| self.parsed(name, word))
    }

    /// The child elements of these names; others are noted.
    pub fn children(&self, known: &[&str], notes: &mut Notes) -> Result<Vec<Element<'d>>, SceneError> {
        let mut children = Vec::new();
        for child in self.inside() {
            let tag = child.tag();
            if child.node.tag_name().namespace().is_some() {
                let what = "an element of another language; a xacro file is expanded first: xacro FILE > robot.urdf";
                return Err(child.refuse(what));
            }
            if known.contains(&tag) {
                children.push(child);
            } else {
                let what = format!("element '{tag}' in '{}' is not used{}", self.tag(), meant(tag, known));
                notes.add(child.place(), what);
            }
        }
        Ok(children)
    }
}

fn meant(name: &str, known: &[&str]) -> String {
    nearest(name, known.iter().copied()).map_or(String::new(), |meant| format!("; did you mean '{meant}'?"))
}

/// Notices about what has no effect, each once.
#[derive(Default)]
pub(super) struct Notes(pub Vec<Notice>);

impl Notes {
    pub fn add(&mut self, at: TextPlace, what: impl Into<String>) {
        let what = what.into();
        if self.0.iter().all(|notice| notice.what != what) {
            self.0.push(Notice { at, what });
        }
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
