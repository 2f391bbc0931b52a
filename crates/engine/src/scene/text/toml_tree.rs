//! TOML as a tree.

use super::tree::{DEPTH_LIMIT, Key, Node, Span, TextError, Value, number, too_deep};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Reads a text. The parser stops at 80 levels and refuses keys that appear twice.
pub(super) fn parse(text: &str) -> Result<Node<'_>, TextError> {
    let root = DeTable::parse(text).map_err(|error| {
        let span = error.span().map_or(Span::new(0, 0), |range| Span::new(range.start, range.end));
        TextError::new(span, syntax(text, span, error.message()))
    })?;
    let span = span_of(&root.span());
    Ok(Node { span: Span::new(0, span.end as usize), value: table(root.into_inner(), 0)? })
}

/// The parser's words, and a hint where people coming from other notations stumble.
fn syntax(text: &str, span: Span, message: &str) -> String {
    let message = message.trim().replace('\n', "; ");
    let line = text[..text.floor_char_boundary(span.start as usize)].rfind('\n').map_or(0, |newline| newline + 1);
    let line = text[line..].lines().next().unwrap_or_default();
    let number_follows = |separator: char| {
        line.match_indices(separator).any(|(at, _)| {
            let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
            digit(line[..at].chars().next_back()) && digit(line[at + 1..].chars().next())
        })
    };
    if number_follows('/') {
        return format!("{message}; numbers are written out, as in 0.5, not as fractions");
    }
    if number_follows(',') && !line.contains('[') {
        return format!("{message}; decimals are written with a point, as in 1.5");
    }
    message
}

fn span_of(range: &Range<usize>) -> Span {
    Span::new(range.start, range.end)
}

fn table(entries: DeTable<'_>, depth: usize) -> Result<Value<'_>, TextError> {
    let mut list = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        let span = span_of(&key.span());
        list.push((Key { name: key.into_inner(), span }, node(value, depth + 1)?));
    }
    // The parser sorts by name; messages should name what stands first in the text.
    list.sort_by_key(|(key, _)| key.span.start);
    Ok(Value::Table(list))
}

fn node(value: Spanned<DeValue<'_>>, depth: usize) -> Result<Node<'_>, TextError> {
    let span = span_of(&value.span());
    if depth > DEPTH_LIMIT {
        return Err(too_deep(span));
    }
    let value = match value.into_inner() {
        DeValue::String(text) => Value::Text(text),
        DeValue::Integer(integer) => match i64::from_str_radix(integer.as_str(), integer.radix()) {
            Ok(value) => Value::Integer(value),
            Err(_) => {
                let what = format!("{} does not fit 64 bits; write large numbers with a point or e", integer.as_str());
                return Err(TextError::new(span, what));
            }
        },
        DeValue::Float(float) => number(span, float.as_str().parse().ok(), float.as_str())?,
        DeValue::Boolean(value) => Value::Bool(value),
        DeValue::Datetime(_) => return Err(TextError::new(span, "a scene has no dates; quote it if it is a name")),
        DeValue::Array(list) => {
            let mut nodes = Vec::with_capacity(list.len());
            for item in list {
                nodes.push(node(item, depth + 1)?);
            }
            Value::List(nodes)
        }
        DeValue::Table(entries) => table(entries, depth)?,
    };
    Ok(Node { span, value })
}
