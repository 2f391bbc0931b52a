//! A tree of values with their places in the text, into which TOML and JSON are read.

use std::borrow::Cow;

/// Deepest nesting of lists and tables. Deeper texts are refused before they are followed: a stack that overflows
/// cannot be caught.
pub const DEPTH_LIMIT: usize = 64;

/// Bytes of the text, from the first to one past the last. Texts are far below 4 GiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn new(start: usize, end: usize) -> Span {
        let clamp = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Span { start: clamp(start), end: clamp(end) }
    }
}

/// A value and where it stands.
#[derive(Debug)]
pub(super) struct Node<'t> {
    pub span: Span,
    pub value: Value<'t>,
}

#[derive(Debug)]
pub(super) enum Value<'t> {
    Null,
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(Cow<'t, str>),
    List(Vec<Node<'t>>),
    /// In the order of the text. Keys differ from each other.
    Table(Vec<(Key<'t>, Node<'t>)>),
}

#[derive(Debug)]
pub(super) struct Key<'t> {
    pub name: Cow<'t, str>,
    pub span: Span,
}

/// What is wrong with a text, and where.
#[derive(Debug)]
pub(super) struct TextError {
    pub what: String,
    pub span: Option<Span>,
}

impl TextError {
    pub fn new(span: Span, what: impl Into<String>) -> Self {
        TextError { what: what.into(), span: Some(span) }
    }
}

/// A number as it is written; `shown` is what the message quotes.
pub(super) fn number<'t>(span: Span, value: Option<f64>, shown: &str) -> Result<Value<'t>, TextError> {
    match value {
        Some(value) if value.is_finite() => Ok(Value::Float(value)),
        _ => {
            let what = format!("{shown} is not a finite number of double precision; the largest is about 1.8e308");
            Err(TextError::new(span, what))
        }
    }
}

pub(super) fn too_deep(span: Span) -> TextError {
    TextError::new(span, format!("lists and tables are nested deeper than {DEPTH_LIMIT}"))
}

impl Node<'_> {
    /// Where `path`, as in `bodies[3].shape`, stands; if it is not written down, where the last part that is stands.
    pub fn find(&self, path: &str) -> Span {
        let mut node = self;
        for part in path.split(['.', '[', ']']).filter(|part| !part.is_empty()) {
            let next = match &node.value {
                Value::Table(entries) => entries.iter().find(|(key, _)| key.name == part).map(|(_, node)| node),
                Value::List(nodes) => part.parse::<usize>().ok().and_then(|index| nodes.get(index)),
                _ => None,
            };
            match next {
                Some(next) => node = next,
                None => break,
            }
        }
        node.span
    }
}

/// Line and column of a byte, both counted from one; the column counts characters.
pub(super) fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let before = &text[..at];
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (line, before[start..].chars().count() + 1)
}
