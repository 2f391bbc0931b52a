//! Writes scenes as readable TOML: one table per body and joint, with each field on one line.

use crate::scene::Scene;
use serde::Serialize;
use serde::ser::{Impossible, SerializeStruct, Serializer};
use toml::ser::{Error, ValueSerializer};

/// The whole text.
pub(super) fn toml(scene: &Scene) -> String {
    let mut text = String::new();
    let mut tables = String::new();
    for (key, value) in fields(scene) {
        match key {
            "solver" => table(&mut tables, "[solver]", fields(&scene.solver)),
            "treatment" => table(&mut tables, "[treatment]", fields(&scene.treatment)),
            "materials" => {
                for (name, material) in &scene.materials {
                    let mut quoted = String::new();
                    // A name that is no bare key is written in quotes.
                    let bare = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
                    if bare || Serialize::serialize(name, ValueSerializer::new(&mut quoted)).is_err() {
                        quoted.clone_from(name);
                    }
                    table(&mut tables, &format!("[materials.{quoted}]"), fields(material));
                }
            }
            "bodies" => scene.bodies.iter().for_each(|body| table(&mut tables, "[[bodies]]", fields(body))),
            "joints" => scene.joints.iter().for_each(|joint| table(&mut tables, "[[joints]]", fields(joint))),
            _ => text += &format!("{key} = {value}\n"),
        }
    }
    text + &tables
}

fn table(text: &mut String, title: &str, fields: Vec<(&'static str, String)>) {
    *text += &format!("\n{title}\n");
    for (key, value) in fields {
        *text += &format!("{key} = {value}\n");
    }
}

/// The fields of a struct that would be written, in order, each value on one line.
fn fields(value: &impl Serialize) -> Vec<(&'static str, String)> {
    value.serialize(Fields(Vec::new())).unwrap_or_default()
}

/// Takes a struct apart.
struct Fields(Vec<(&'static str, String)>);

impl SerializeStruct for Fields {
    type Ok = Vec<(&'static str, String)>;
    type Error = Error;

    fn serialize_field<T: ?Sized + Serialize>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
        let mut text = String::new();
        value.serialize(ValueSerializer::new(&mut text))?;
        self.0.push((key, text));
        Ok(())
    }

    fn end(self) -> Result<Self::Ok, Error> {
        Ok(self.0)
    }
}

fn only_structs<T>() -> Result<T, Error> {
    Err(serde::ser::Error::custom("only a struct has fields"))
}

macro_rules! refuse {
    ($($method:ident $value:ty,)*) => {
        $(fn $method(self, _: $value) -> Result<Self::Ok, Error> {
            only_structs()
        })*
    };
}

impl Serializer for Fields {
    type Ok = Vec<(&'static str, String)>;
    type Error = Error;
    type SerializeSeq = Impossible<Self::Ok, Error>;
    type SerializeTuple = Impossible<Self::Ok, Error>;
    type SerializeTupleStruct = Impossible<Self::Ok, Error>;
    type SerializeTupleVariant = Impossible<Self::Ok, Error>;
    type SerializeMap = Impossible<Self::Ok, Error>;
    type SerializeStruct = Self;
    type SerializeStructVariant = Impossible<Self::Ok, Error>;

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, Error> {
        Ok(self)
    }
    refuse! {
        serialize_bool bool, serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_i64 i64, serialize_u8 u8,
        serialize_u16 u16, serialize_u32 u32, serialize_u64 u64, serialize_f32 f32, serialize_f64 f64,
        serialize_char char, serialize_str &str, serialize_bytes &[u8], serialize_unit_struct &'static str,
    }
    fn serialize_none(self) -> Result<Self::Ok, Error> {
        only_structs()
    }
    fn serialize_some<T: ?Sized + Serialize>(self, _: &T) -> Result<Self::Ok, Error> {
        only_structs()
    }
    fn serialize_unit(self) -> Result<Self::Ok, Error> {
        only_structs()
    }
    fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Result<Self::Ok, Error> {
        only_structs()
    }
    fn serialize_newtype_struct<T: ?Sized + Serialize>(self, _: &'static str, _: &T) -> Result<Self::Ok, Error> {
        only_structs()
    }
    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<Self::Ok, Error> {
        only_structs()
    }
    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, Error> {
        only_structs()
    }
    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, Error> {
        only_structs()
    }
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeTupleStruct, Error> {
        only_structs()
    }
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Error> {
        only_structs()
    }
    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Error> {
        only_structs()
    }
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Error> {
        only_structs()
    }
}
