//! Polygon files (.ply, <https://paulbourke.net/dataformats/ply/>), as text and binary of either order: the places of `vertex` and
//! the polygons of `face`; all else is read over.

use super::dae::{Affine, Geometry};
use super::{Corners, MESH_LIMIT, Surface};
use glamx::{DMat3, DVec3};

/// How numbers are written.
#[derive(Clone, Copy, PartialEq)]
enum Notation {
    Text,
    Little,
    Big,
}

/// A type of numbers, and its bytes.
#[derive(Clone, Copy)]
enum Number {
    Signed(usize),
    Unsigned(usize),
    Float,
    Double,
}

/// What an element has, one after another: a number, or a list with its length before it.
struct Property {
    name: String,
    count: Option<Number>,
    number: Number,
}

struct Element {
    name: String,
    count: usize,
    properties: Vec<Property>,
}

pub(super) fn parse(bytes: &[u8]) -> Result<Surface, String> {
    let (notation, elements, mut rest) = header(bytes)?;
    let mut geometry = Geometry { places: Vec::new(), triangles: Vec::new() };
    let mut polygons: Vec<usize> = Vec::new();
    for element in &elements {
        for _ in 0..element.count {
            let mut place = [None; 3];
            for property in &element.properties {
                let length = property.count.map_or(Ok(1.0), |number| next(number, notation, &mut rest))?;
                let axis = ["x", "y", "z"].iter().position(|name| *name == property.name);
                polygons.clear();
                for _ in 0..whole(length)? {
                    let value = next(property.number, notation, &mut rest)?;
                    match (element.name.as_str(), axis) {
                        ("vertex", Some(axis)) => place[axis] = Some(value),
                        ("face", _) if property.name.starts_with("vertex_ind") => polygons.push(whole(value)?),
                        _ => {}
                    }
                }
                geometry.fan(&polygons);
            }
            if element.name == "vertex" {
                let [Some(x), Some(y), Some(z)] = place else {
                    return Err("a vertex has three coordinates".to_owned());
                };
                geometry.places.push(DVec3::new(x, y, z));
            }
        }
    }
    if geometry.triangles.iter().flatten().any(|corner| *corner >= geometry.places.len()) {
        return Err("a face names a vertex that does not exist".to_owned());
    }
    if geometry.triangles.is_empty() {
        return Err("has no triangles".to_owned());
    }
    let mut corners = Corners::default();
    geometry.add(&Affine { linear: DMat3::IDENTITY, shift: DVec3::ZERO }, &mut corners)?;
    Ok(corners.surface)
}

/// The notation, the elements, and what follows the header.
fn header(bytes: &[u8]) -> Result<(Notation, Vec<Element>, &[u8]), String> {
    let (mut rest, mut first) = (bytes, true);
    let (mut notation, mut elements) = (None, Vec::<Element>::new());
    loop {
        let end = rest.iter().position(|byte| *byte == b'\n').ok_or("ends in its header")?;
        let line = str::from_utf8(&rest[..end]).map_err(|_| "its header is not text".to_owned())?;
        rest = &rest[end + 1..];
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        if std::mem::take(&mut first) != (words == ["ply"]) {
            return Err("does not begin with 'ply'".to_owned());
        }
        match words[..] {
            ["ply"] | ["comment" | "obj_info", ..] | [] => {}
            ["format", "ascii", _] => notation = Some(Notation::Text),
            ["format", "binary_little_endian", _] => notation = Some(Notation::Little),
            ["format", "binary_big_endian", _] => notation = Some(Notation::Big),
            ["element", name, count] => {
                let count = count.parse().ok().filter(|count| *count <= MESH_LIMIT);
                let count = count.ok_or_else(|| format!("'{}' is not a number of '{name}'", words[2]))?;
                elements.push(Element { name: name.to_owned(), count, properties: Vec::new() });
            }
            ["property", "list", count, number, name] => {
                add(&mut elements, name, Some(Number::of(count)?), Number::of(number)?)?;
            }
            ["property", number, name] => add(&mut elements, name, None, Number::of(number)?)?,
            ["end_header"] => break,
            _ => return Err(format!("'{}' is not a line of its header", line.escape_default())),
        }
    }
    Ok((notation.ok_or("its header names no format")?, elements, rest))
}

fn add(elements: &mut [Element], name: &str, count: Option<Number>, number: Number) -> Result<(), String> {
    let element = elements.last_mut().ok_or_else(|| format!("the property '{name}' is of no element"))?;
    element.properties.push(Property { name: name.to_owned(), count, number });
    Ok(())
}

impl Number {
    fn of(word: &str) -> Result<Number, String> {
        Ok(match word {
            "char" | "int8" => Number::Signed(1),
            "short" | "int16" => Number::Signed(2),
            "int" | "int32" => Number::Signed(4),
            "uchar" | "uint8" => Number::Unsigned(1),
            "ushort" | "uint16" => Number::Unsigned(2),
            "uint" | "uint32" => Number::Unsigned(4),
            "float" | "float32" => Number::Float,
            "double" | "float64" => Number::Double,
            _ => return Err(format!("'{word}' is not a type of numbers")),
        })
    }
}

/// Takes the next number.
fn next(number: Number, notation: Notation, rest: &mut &[u8]) -> Result<f64, String> {
    if notation == Notation::Text {
        let text = rest.trim_ascii_start();
        let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
        let (word, after) = text.split_at(end);
        *rest = after;
        return super::coordinate(str::from_utf8(word).ok().filter(|word| !word.is_empty()));
    }
    let size = match number {
        Number::Signed(size) | Number::Unsigned(size) => size,
        Number::Float => 4,
        Number::Double => 8,
    };
    let (word, after) = rest.split_at_checked(size).ok_or("ends in the middle")?;
    *rest = after;
    let bits = match notation {
        Notation::Big => word.iter().fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte)),
        _ => word.iter().rev().fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte)),
    };
    let value = match number {
        Number::Unsigned(_) => bits as f64,
        // The sign is that of the highest bit there is.
        Number::Signed(size) => ((bits << (64 - 8 * size)) as i64 >> (64 - 8 * size)) as f64,
        Number::Float => f64::from(f32::from_bits(bits as u32)),
        Number::Double => f64::from_bits(bits),
    };
    if value.is_finite() { Ok(value) } else { Err("a number is not finite".to_owned()) }
}

/// A count or an index.
fn whole(value: f64) -> Result<usize, String> {
    let is_whole = value >= 0.0 && value <= MESH_LIMIT as f64 && value.fract() == 0.0;
    if is_whole { Ok(value as usize) } else { Err(format!("{value} is not a count or an index")) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const HEADER: &str = "element vertex 5\nproperty float x\nproperty float y\nproperty double z\nproperty short s\n\
        element face 2\nproperty list uchar int vertex_indices\nproperty uchar red\nend_header\n";

    /// A pyramid without its sides: its base and one side.
    fn files() -> [Vec<u8>; 3] {
        let places = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.5, 0.25]];
        let faces: [&[i32]; 2] = [&[0, 3, 2, 1], &[0, 1, 4]];
        let mut text = format!("ply\nformat ascii 1.0\ncomment a roof\n{HEADER}");
        let mut binary =
            ["little", "big"].map(|end| format!("ply\nformat binary_{end}_endian 1.0\n{HEADER}").into_bytes());
        for [x, y, z] in places {
            text += &format!("{x} {y} {z} -7\n");
            for (big, bytes) in binary.iter_mut().enumerate() {
                let mut words = vec![(x as f32).to_le_bytes().to_vec(), (y as f32).to_le_bytes().to_vec()];
                words.extend([f64::to_le_bytes(z).to_vec(), (-7_i16).to_le_bytes().to_vec()]);
                words.iter_mut().filter(|_| big == 1).for_each(|word| word.reverse());
                bytes.extend(words.concat());
            }
        }
        for face in faces {
            let corners: Vec<String> = face.iter().map(i32::to_string).collect();
            text += &format!("{} {} 255\n", face.len(), corners.join(" "));
            for (big, bytes) in binary.iter_mut().enumerate() {
                bytes.push(face.len() as u8);
                let order = |x: &i32| if big == 1 { x.to_be_bytes() } else { x.to_le_bytes() };
                bytes.extend(face.iter().flat_map(order));
                bytes.push(255);
            }
        }
        let [little, big] = binary;
        [text.into_bytes(), little, big]
    }

    #[test]
    fn all_notations_give_one_surface() {
        let [text, little, big] = files().map(|file| parse(&file).unwrap());
        assert_eq!(text.triangles, [[0, 3, 2], [0, 2, 1], [0, 1, 4]]);
        assert_eq!(text.vertices[4], [0.5, 0.5, 0.25]);
        assert_eq!(text, little);
        assert_eq!(text, big);
    }

    #[test]
    fn every_cut_and_every_false_claim_is_refused() {
        for file in files() {
            // The colour of the last face is at the very end.
            for end in 0..file.len() - 5 {
                assert!(parse(&file[..end]).is_err(), "{end}");
            }
        }
        let text = String::from_utf8(files()[0].clone()).unwrap();
        for (word, other) in
            [("vertex 5", "vertex 4"), ("1 4 255", "1 9 255"), ("ascii", "roman"), ("face 2", "face 3000000")]
        {
            assert!(parse(text.replace(word, other).as_bytes()).is_err(), "{other}");
        }
    }
}
