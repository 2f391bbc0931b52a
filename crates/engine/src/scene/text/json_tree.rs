//! JSON as a tree: RFC 8259, nothing more, and no key twice.

use super::tree::{DEPTH_LIMIT, Key, Node, Span, TextError, Value, number, too_deep};
use std::borrow::Cow;

/// Reads a text.
pub(super) fn parse(text: &str) -> Result<Node<'_>, TextError> {
    let mut reader = Reader { text, at: 0 };
    let node = reader.value(0)?;
    reader.space();
    match reader.peek() {
        None => Ok(node),
        Some(found) => Err(reader.here(format!("'{found}' follows the end of the scene"))),
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.byte(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn here(&self, what: impl Into<String>) -> TextError {
        TextError::new(Span::new(self.at, self.at), what)
    }

    /// Complains that something else stands where `wanted` should.
    fn unexpected(&self, wanted: &str) -> TextError {
        match self.peek() {
            Some(found) => self.here(format!("expected {wanted}, found '{}'", found.escape_default())),
            None => self.here(format!("expected {wanted}, but the text ends here")),
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node<'t>, TextError> {
        self.space();
        let start = self.at;
        if depth > DEPTH_LIMIT {
            return Err(too_deep(Span::new(start, start)));
        }
        let value = match self.byte() {
            Some(b'{') => self.table(depth)?,
            Some(b'[') => self.list(depth)?,
            Some(b'"') => Value::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b't' | b'f' | b'n') => self.word()?,
            _ => return Err(self.unexpected("a value")),
        };
        Ok(Node { span: Span::new(start, self.at), value })
    }

    fn word(&mut self) -> Result<Value<'t>, TextError> {
        for (word, value) in [("true", Value::Bool(true)), ("false", Value::Bool(false)), ("null", Value::Null)] {
            if self.text[self.at..].starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.unexpected("a value"))
    }

    fn list(&mut self, depth: usize) -> Result<Value<'t>, TextError> {
        self.at += 1;
        let mut nodes = Vec::new();
        self.space();
        if self.byte() == Some(b']') {
            self.at += 1;
            return Ok(Value::List(nodes));
        }
        loop {
            nodes.push(self.value(depth + 1)?);
            self.space();
            match self.byte() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(Value::List(nodes));
                }
                _ => return Err(self.unexpected("',' or ']'")),
            }
        }
    }

    fn table(&mut self, depth: usize) -> Result<Value<'t>, TextError> {
        self.at += 1;
        let mut entries: Vec<(Key, Node)> = Vec::new();
        // Names seen, sorted: objects with thousands of keys must not cost their square.
        let mut names: std::collections::BTreeSet<Cow<'t, str>> = std::collections::BTreeSet::new();
        self.space();
        if self.byte() == Some(b'}') {
            self.at += 1;
            return Ok(Value::Table(entries));
        }
        loop {
            self.space();
            let start = self.at;
            if self.byte() != Some(b'"') {
                return Err(self.unexpected("a key in double quotes"));
            }
            let name = self.string()?;
            let span = Span::new(start, self.at);
            if !names.insert(name.clone()) {
                return Err(TextError::new(span, format!("key '{name}' is given twice; leave one")));
            }
            self.space();
            if self.byte() != Some(b':') {
                return Err(self.unexpected("':'"));
            }
            self.at += 1;
            let node = self.value(depth + 1)?;
            entries.push((Key { name, span }, node));
            self.space();
            match self.byte() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(Value::Table(entries));
                }
                _ => return Err(self.unexpected("',' or '}'")),
            }
        }
    }

    /// `-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`
    fn number(&mut self) -> Result<Value<'t>, TextError> {
        let start = self.at;
        if self.byte() == Some(b'-') {
            self.at += 1;
        }
        let leading_zero = self.byte() == Some(b'0');
        let digits = self.digits()?;
        if leading_zero && digits > 1 {
            return Err(self.here("a number does not begin with a zero that means nothing"));
        }
        let mut integer = true;
        if self.byte() == Some(b'.') {
            self.at += 1;
            integer = false;
            self.digits()?;
        }
        if matches!(self.byte(), Some(b'e' | b'E')) {
            self.at += 1;
            integer = false;
            if matches!(self.byte(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        if self.byte() == Some(b'/') {
            return Err(self.here("numbers are written out, as in 0.5, not as fractions"));
        }
        let written = &self.text[start..self.at];
        if integer && let Ok(value) = written.parse::<i64>() {
            return Ok(Value::Integer(value));
        }
        number(Span::new(start, self.at), written.parse().ok(), written)
    }

    fn digits(&mut self) -> Result<usize, TextError> {
        let start = self.at;
        while matches!(self.byte(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start { Err(self.unexpected("a digit")) } else { Ok(self.at - start) }
    }

    fn string(&mut self) -> Result<Cow<'t, str>, TextError> {
        self.at += 1;
        let start = self.at;
        let mut built: Option<String> = None;
        loop {
            let piece = self.at;
            while !matches!(self.byte(), None | Some(b'"' | b'\\' | 0..=0x1f)) {
                self.at += 1;
            }
            let plain = &self.text[piece..self.at];
            if let Some(built) = &mut built {
                built.push_str(plain);
            }
            match self.byte() {
                Some(b'"') => {
                    let end = self.at;
                    self.at += 1;
                    return Ok(built.map_or(Cow::Borrowed(&self.text[start..end]), Cow::Owned));
                }
                Some(b'\\') => {
                    let character = self.escape()?;
                    built.get_or_insert_with(|| plain.to_owned()).push(character);
                }
                Some(_) => return Err(self.here("control characters in a text are written as \\n, \\t or \\u00xx")),
                None => return Err(self.unexpected("'\"'")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, TextError> {
        self.at += 1;
        let named = match self.byte() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.unicode();
            }
            _ => return Err(self.unexpected("one of \" \\ / b f n r t u after a backslash")),
        };
        self.at += 1;
        Ok(named)
    }

    /// A character by its number; those beyond 16 bits are two surrogates.
    fn unicode(&mut self) -> Result<char, TextError> {
        let first = self.four_digits()?;
        let code = if (0xd800..0xdc00).contains(&first) && self.text[self.at..].starts_with("\\u") {
            self.at += 2;
            let second = self.four_digits()?;
            if !(0xdc00..0xe000).contains(&second) {
                return Err(self.here("the second half of a surrogate pair is between \\udc00 and \\udfff"));
            }
            0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)
        } else {
            first
        };
        char::from_u32(code).ok_or_else(|| self.here("half of a surrogate pair is not a character"))
    }

    fn four_digits(&mut self) -> Result<u32, TextError> {
        let digits = self.text.get(self.at..self.at + 4).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let code = code.ok_or_else(|| self.here("\\u is followed by four hexadecimal digits"))?;
        self.at += 4;
        Ok(code)
    }
}
