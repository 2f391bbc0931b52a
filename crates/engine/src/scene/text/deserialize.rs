//! Reads a scene from a tree. Every error has a place in the text.

use super::nearest::nearest;
use super::tree::{Node, Span, Value};
use serde::de::value::StrDeserializer;
use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, Expected, IntoDeserializer, MapAccess, SeqAccess, Unexpected,
    VariantAccess, Visitor,
};
use std::fmt::{self, Display};

/// What is wrong with a value. `path` and `span` are filled in on the way up, the innermost place first.
#[derive(Debug)]
pub(super) struct ValueError {
    pub what: String,
    pub span: Option<Span>,
    pub path: String,
}

impl ValueError {
    fn new(what: impl Into<String>) -> Self {
        ValueError { what: what.into(), span: None, path: String::new() }
    }

    fn at(mut self, span: Span) -> Self {
        self.span.get_or_insert(span);
        self
    }

    fn below(mut self, part: impl Display) -> Self {
        let joint = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        self.path = format!("{part}{joint}{}", self.path);
        self
    }
}

impl Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for ValueError {}

impl de::Error for ValueError {
    fn custom<T: Display>(message: T) -> Self {
        ValueError::new(message.to_string())
    }

    fn invalid_type(found: Unexpected, expected: &dyn Expected) -> Self {
        ValueError::new(format!("expected {}, found {}", wanted(expected), given(&found)))
    }

    fn invalid_value(found: Unexpected, expected: &dyn Expected) -> Self {
        ValueError::new(format!("expected {}, found {}", wanted(expected), given(&found)))
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        ValueError::new(unknown("field", field, expected))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        ValueError::new(unknown("name", variant, expected))
    }

    fn missing_field(field: &'static str) -> Self {
        ValueError::new(format!("field '{field}' is missing"))
    }

    fn duplicate_field(field: &'static str) -> Self {
        ValueError::new(format!("field '{field}' is given twice; leave one"))
    }
}

fn unknown(what: &str, name: &str, known: &[&str]) -> String {
    let list = known.join(", ");
    match nearest(name, known.iter().copied()) {
        Some(meant) => format!("unknown {what} '{name}', did you mean '{meant}'? There are: {list}"),
        None => format!("unknown {what} '{name}'; there are: {list}"),
    }
}

/// The types of the program in the words of its users.
fn wanted(expected: &dyn Expected) -> String {
    match expected.to_string().as_str() {
        "f64" => "a number".to_owned(),
        "u32" | "u64" | "usize" => "a whole number, zero or more".to_owned(),
        "a string" => "a text in quotes".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a sequence" => "a list".to_owned(),
        "a map" => "a table".to_owned(),
        other => other.to_owned(),
    }
}

fn given(found: &Unexpected) -> String {
    match found {
        Unexpected::Str(text) => format!("the text \"{text}\""),
        Unexpected::Signed(value) => value.to_string(),
        Unexpected::Unsigned(value) => value.to_string(),
        Unexpected::Float(value) => value.to_string(),
        Unexpected::Bool(value) => value.to_string(),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => "a table".to_owned(),
        Unexpected::Unit | Unexpected::Option => "null".to_owned(),
        other => other.to_string(),
    }
}

impl<'de> Deserializer<'de> for &Node<'_> {
    type Error = ValueError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        let read = match &self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Integer(value) => visitor.visit_i64(*value),
            Value::Float(value) => visitor.visit_f64(*value),
            Value::Text(text) => visitor.visit_str(text),
            Value::List(nodes) => visitor.visit_seq(List { nodes: nodes.iter(), index: 0 }),
            Value::Table(entries) => visitor.visit_map(Table { entries: entries.iter(), value: None }),
        };
        read.map_err(|error| error.at(self.span))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        match self.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, ValueError> {
        match &self.value {
            Value::List(nodes) if nodes.len() != length => {
                Err(ValueError::new(format!("expected a list of {length}, found {}", nodes.len())).at(self.span))
            }
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        let read = match &self.value {
            Value::Text(name) => visitor.visit_enum(Choice { name, span: self.span, content: None }),
            Value::Table(entries) => match entries.as_slice() {
                [(key, node)] => visitor.visit_enum(Choice { name: &key.name, span: key.span, content: Some(node) }),
                [] => Err(ValueError::new(format!("expected one of: {}", variants.join(", ")))),
                [_, (second, _), ..] => {
                    let what = "expected one name with its fields, as in { sphere = { radius = 0.5 } }";
                    Err(ValueError::new(what).at(second.span))
                }
            },
            _ => Err(ValueError::new(format!("expected one of: {}", variants.join(", ")))),
        };
        read.map_err(|error| error.at(self.span))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, ValueError> {
        visitor.visit_newtype_struct(self)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq
        tuple_struct map struct identifier ignored_any
    }
}

struct List<'n, 't> {
    nodes: std::slice::Iter<'n, Node<'t>>,
    index: usize,
}

impl<'de> SeqAccess<'de> for List<'_, '_> {
    type Error = ValueError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, ValueError> {
        let Some(node) = self.nodes.next() else { return Ok(None) };
        let index = self.index;
        self.index += 1;
        seed.deserialize(node).map(Some).map_err(|error| error.at(node.span).below(format_args!("[{index}]")))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.nodes.len())
    }
}

struct Table<'n, 't> {
    entries: std::slice::Iter<'n, (super::tree::Key<'t>, Node<'t>)>,
    value: Option<&'n (super::tree::Key<'t>, Node<'t>)>,
}

impl<'de> MapAccess<'de> for Table<'_, '_> {
    type Error = ValueError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, ValueError> {
        let Some(entry) = self.entries.next() else { return Ok(None) };
        self.value = Some(entry);
        let name: StrDeserializer<ValueError> = entry.0.name.as_ref().into_deserializer();
        seed.deserialize(name).map(Some).map_err(|error| error.at(entry.0.span))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, ValueError> {
        let Some((key, node)) = self.value.take() else { return Err(ValueError::new("a value without a key")) };
        seed.deserialize(node).map_err(|error| error.at(node.span).below(&key.name))
    }
}

/// A name, alone or with fields.
struct Choice<'n, 't> {
    name: &'n str,
    span: Span,
    content: Option<&'n Node<'t>>,
}

impl<'de, 'n, 't> EnumAccess<'de> for Choice<'n, 't> {
    type Error = ValueError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), ValueError> {
        let name: StrDeserializer<ValueError> = self.name.into_deserializer();
        let variant = seed.deserialize(name).map_err(|error| error.at(self.span))?;
        Ok((variant, self))
    }
}

impl<'de> VariantAccess<'de> for Choice<'_, '_> {
    type Error = ValueError;

    fn unit_variant(self) -> Result<(), ValueError> {
        match self.content.map(|node| (&node.value, node.span)) {
            None | Some((Value::Null, _)) => Ok(()),
            Some((Value::Table(entries), _)) if entries.is_empty() => Ok(()),
            Some((_, span)) => Err(ValueError::new(format!("'{}' has no fields", self.name)).at(span)),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, ValueError> {
        match self.content {
            Some(node) => seed.deserialize(node).map_err(|error| error.at(node.span).below(self.name)),
            None => Err(ValueError::new(format!("'{}' needs a value", self.name))),
        }
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, ValueError> {
        match self.content {
            Some(node) => node.deserialize_tuple(length, visitor).map_err(|error| error.below(self.name)),
            None => Err(ValueError::new(format!("'{}' needs a list of {length}", self.name))),
        }
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        match self.content {
            Some(node) => node.deserialize_any(visitor).map_err(|error| error.below(self.name)),
            None => {
                let what =
                    format!("'{0}' needs its fields, as in {{ {0} = {{ … }} }}: {1}", self.name, fields.join(", "));
                Err(ValueError::new(what))
            }
        }
    }
}
