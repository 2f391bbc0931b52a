//! Meshes in binary glTF (.glb, <https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html>): triangles of every mesh that the scene
//! shows, placed by its nodes, in metres.
//!
//! That glTF's y points up is not used, as in `dae.rs`: readers of URDF leave it out.

use super::dae::{Affine, Geometry};
use super::{Corners, MESH_LIMIT, Surface};
use glamx::{DMat3, DQuat, DVec3};
use serde::Deserialize;

const MAGIC: &[u8] = b"glTF";
const JSON: &[u8] = b"JSON";
const BINARY: &[u8] = b"BIN\0";
/// Types of numbers.
const BYTE: u32 = 5121;
const SHORT: u32 = 5123;
const LONG: u32 = 5125;
const FLOAT: u32 = 5126;

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Document {
    scene: Option<usize>,
    scenes: Vec<Scene>,
    nodes: Vec<Node>,
    meshes: Vec<Mesh>,
    accessors: Vec<Accessor>,
    buffer_views: Vec<View>,
    extensions_required: Vec<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Scene {
    nodes: Vec<usize>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Node {
    children: Vec<usize>,
    mesh: Option<usize>,
    matrix: Option<[f64; 16]>,
    translation: [f64; 3],
    rotation: Option<[f64; 4]>,
    scale: Option<[f64; 3]>,
}

#[derive(Deserialize)]
struct Mesh {
    primitives: Vec<Primitive>,
}

#[derive(Deserialize)]
struct Primitive {
    attributes: Attributes,
    indices: Option<usize>,
    /// 4 is triangles, 5 strips and 6 fans; others are no surface.
    mode: Option<u32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "UPPERCASE")]
struct Attributes {
    position: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Accessor {
    buffer_view: Option<usize>,
    #[serde(default)]
    byte_offset: usize,
    component_type: u32,
    count: usize,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct View {
    buffer: usize,
    byte_offset: usize,
    byte_stride: Option<usize>,
}

pub(super) fn parse(bytes: &[u8]) -> Result<Surface, String> {
    let cut = || format!("has {} bytes and ends in the middle", bytes.len());
    let word = |at: usize| -> Result<usize, String> {
        let word = bytes.get(at..at + 4).and_then(|word| word.try_into().ok()).ok_or_else(cut)?;
        Ok(u32::from_le_bytes(word) as usize)
    };
    if bytes.get(..4) != Some(MAGIC) {
        return Err("does not begin with 'glTF'".to_owned());
    }
    if word(4)? != 2 {
        return Err(format!("is version {} of glTF; 2 is read", word(4)?));
    }
    let chunk = |at: usize| -> Result<(&[u8], &[u8]), String> {
        let (length, kind) = (word(at)?, bytes.get(at + 4..at + 8).ok_or_else(cut)?);
        Ok((kind, bytes.get(at + 8..).and_then(|rest| rest.get(..length)).ok_or_else(cut)?))
    };
    let (kind, text) = chunk(12)?;
    if kind != JSON {
        return Err("does not begin with a description in JSON".to_owned());
    }
    let document: Document = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    if let Some(extension) = document.extensions_required.first() {
        return Err(format!("needs the extension '{extension}', which is not read"));
    }
    // Chunks begin at multiples of four, and nothing follows a file without numbers.
    let data = match chunk(20 + text.len().next_multiple_of(4)) {
        Ok((BINARY, data)) => data,
        _ => return Err("has no numbers of its own".to_owned()),
    };
    let mut corners = Corners::default();
    let mut reader = Reader { seen: vec![false; document.nodes.len()], document: &document, data };
    let whole = Affine { linear: DMat3::IDENTITY, shift: DVec3::ZERO };
    match document.scenes.get(document.scene.unwrap_or(0)) {
        Some(scene) => reader.show(&scene.nodes, whole, &mut corners)?,
        None => (0..document.meshes.len()).try_for_each(|mesh| reader.add(mesh, &whole, &mut corners))?,
    }
    if corners.surface.triangles.is_empty() {
        return Err("has no triangles".to_owned());
    }
    Ok(corners.surface)
}

struct Reader<'a> {
    document: &'a Document,
    data: &'a [u8],
    /// Nodes that were shown: each has one place.
    seen: Vec<bool>,
}

impl Reader<'_> {
    /// Meshes of nodes and of those below them.
    fn show(&mut self, roots: &[usize], whole: Affine, corners: &mut Corners) -> Result<(), String> {
        let mut left: Vec<(usize, Affine)> = roots.iter().map(|node| (*node, whole)).collect();
        while let Some((index, above)) = left.pop() {
            let document = self.document;
            let node = document.nodes.get(index).ok_or_else(|| format!("there is no node {index}"))?;
            if std::mem::replace(&mut self.seen[index], true) {
                return Err(format!("node {index} is in two places"));
            }
            let here = above.of(node.place());
            if let Some(mesh) = node.mesh {
                self.add(mesh, &here, corners)?;
            }
            left.extend(node.children.iter().map(|child| (*child, here)));
        }
        Ok(())
    }

    fn add(&self, mesh: usize, place: &Affine, corners: &mut Corners) -> Result<(), String> {
        let mesh = self.document.meshes.get(mesh).ok_or_else(|| format!("there is no mesh {mesh}"))?;
        for primitive in &mesh.primitives {
            let mode = primitive.mode.unwrap_or(4);
            let Some(position) = primitive.attributes.position.filter(|_| (4..=6).contains(&mode)) else { continue };
            let mut geometry = Geometry { places: self.places(position)?, triangles: Vec::new() };
            let order = match primitive.indices {
                Some(indices) => self.indices(indices)?,
                None => (0..geometry.places.len()).collect(),
            };
            if order.iter().any(|corner| *corner >= geometry.places.len()) {
                return Err("a face names a vertex that does not exist".to_owned());
            }
            match mode {
                4 => geometry.triangles.extend(order.chunks_exact(3).map(|c| [c[0], c[1], c[2]])),
                5 => geometry.strip(&order),
                _ => geometry.fan(&order),
            }
            geometry.add(place, corners)?;
        }
        Ok(())
    }

    /// Every entry of an accessor, as so many bytes.
    fn entries(&self, accessor: usize, kinds: &[(u32, usize)]) -> Result<impl Iterator<Item = &[u8]>, String> {
        let found = self.document.accessors.get(accessor);
        let found = found.ok_or_else(|| format!("there is no accessor {accessor}"))?;
        let size = kinds.iter().find(|(kind, _)| *kind == found.component_type).map(|(_, size)| *size);
        let size = size.ok_or_else(|| format!("accessor {accessor} has numbers of type {}", found.component_type))?;
        let view = found.buffer_view.and_then(|view| self.document.buffer_views.get(view));
        let view = view.filter(|view| view.buffer == 0).ok_or_else(|| format!("accessor {accessor} has no numbers"))?;
        let stride = view.byte_stride.unwrap_or(size);
        if stride < size || found.count == 0 || found.count > MESH_LIMIT {
            return Err(format!("accessor {accessor} has {} entries, {stride} bytes apart", found.count));
        }
        let first = view.byte_offset.checked_add(found.byte_offset);
        let length = stride.checked_mul(found.count - 1).and_then(|length| length.checked_add(size));
        let last = first.zip(length).and_then(|(first, length)| first.checked_add(length));
        let range = first.zip(last).and_then(|(first, last)| self.data.get(first..last));
        let range = range.ok_or_else(|| format!("accessor {accessor} leads beyond the end"))?;
        Ok(range.chunks(stride).map(move |entry| &entry[..size]))
    }

    fn places(&self, accessor: usize) -> Result<Vec<DVec3>, String> {
        let number = |bytes: &[u8], k: usize| {
            f64::from(f32::from_le_bytes([bytes[4 * k], bytes[4 * k + 1], bytes[4 * k + 2], bytes[4 * k + 3]]))
        };
        let entries = self.entries(accessor, &[(FLOAT, 12)])?;
        Ok(entries.map(|entry| DVec3::new(number(entry, 0), number(entry, 1), number(entry, 2))).collect())
    }

    fn indices(&self, accessor: usize) -> Result<Vec<usize>, String> {
        let entries = self.entries(accessor, &[(BYTE, 1), (SHORT, 2), (LONG, 4)])?;
        Ok(entries.map(|entry| entry.iter().rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte))).collect())
    }
}

impl Node {
    /// Where it is in the node above it.
    fn place(&self) -> Affine {
        if let Some(m) = self.matrix {
            // Column after column.
            let linear = DMat3::from_cols_array(&[m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]]);
            return Affine { linear, shift: DVec3::new(m[12], m[13], m[14]) };
        }
        let turn = self.rotation.map_or(DMat3::IDENTITY, |q| DMat3::from_quat(DQuat::from_array(q).normalize()));
        let scale = DMat3::from_diagonal(self.scale.map_or(DVec3::ONE, DVec3::from_array));
        Affine { linear: turn * scale, shift: DVec3::from_array(self.translation) }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn file(json: &str, data: &[u8]) -> Vec<u8> {
        let (mut text, mut data) = (json.as_bytes().to_vec(), data.to_vec());
        text.resize(text.len().next_multiple_of(4), b' ');
        data.resize(data.len().next_multiple_of(4), 0);
        let mut bytes = b"glTF\x02\0\0\0".to_vec();
        bytes.extend(((28 + text.len() + data.len()) as u32).to_le_bytes());
        for (kind, chunk) in [(JSON, text), (BINARY, data)] {
            bytes.extend((chunk.len() as u32).to_le_bytes());
            bytes.extend(kind);
            bytes.extend(chunk);
        }
        bytes
    }

    /// Four corners, then twelve indices of two bytes.
    fn tetrahedron(nodes: &str) -> Vec<u8> {
        let corners = [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let mut data: Vec<u8> = corners.iter().flat_map(|x| x.to_le_bytes()).collect();
        data.extend([0_u16, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3].iter().flat_map(|x| x.to_le_bytes()));
        let json = format!(
            r#"{{"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":{nodes},
            "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],
            "accessors":[{{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"}},
                         {{"bufferView":1,"componentType":5123,"count":12,"type":"SCALAR"}}],
            "bufferViews":[{{"buffer":0,"byteLength":48}},{{"buffer":0,"byteOffset":48,"byteLength":24}}]}}"#
        );
        file(&json, &data)
    }

    /// A quarter turn about z takes x to y; twice as large, and one to the right.
    #[test]
    fn a_tetrahedron_is_where_its_nodes_put_it() {
        let half = 0.5_f64.sqrt();
        let nodes = format!(
            r#"[{{"children":[1],"translation":[1,0,0]}},{{"mesh":0,"rotation":[0,0,{half},{half}],"scale":[2,2,2]}}]"#
        );
        let surface = parse(&tetrahedron(&nodes)).unwrap();
        assert_eq!(surface.triangles.len(), 4);
        let wanted = [[1.0, 0.0, 0.0], [1.0, 2.0, 0.0], [-1.0, 0.0, 0.0], [1.0, 0.0, 2.0]];
        for place in wanted {
            let near = |v: &[f64; 3]| v.iter().zip(place).all(|(x, y)| (x - y).abs() < 1e-12);
            assert!(surface.vertices.iter().any(near), "{place:?} is not in {:?}", surface.vertices);
        }
        // A mirror image goes round the other way, so that it is seen from outside.
        let mirrored = parse(&tetrahedron(r#"[{"mesh":0,"matrix":[-1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}]"#)).unwrap();
        let plain = parse(&tetrahedron(r#"[{"mesh":0}]"#)).unwrap();
        assert_ne!(mirrored.triangles, plain.triangles);
    }

    #[test]
    fn every_cut_and_every_false_claim_is_refused() {
        let bytes = tetrahedron(r#"[{"mesh":0}]"#);
        for end in 0..bytes.len() {
            assert!(parse(&bytes[..end]).is_err(), "{end}");
        }
        for nodes in [r#"[{"mesh":1}]"#, r#"[{"children":[0]}]"#, r#"[{"children":[7]}]"#, r#"[{}]"#] {
            assert!(parse(&tetrahedron(nodes)).is_err(), "{nodes}");
        }
        let text = String::from_utf8_lossy(&bytes[20..]).into_owned();
        for (word, other) in
            [("\"count\":4", "\"count\":9"), ("5123", "5120"), ("\"byteOffset\":48", "\"byteOffset\":99")]
        {
            let json = text[..text.rfind('}').unwrap() + 1].replace(word, other);
            assert!(parse(&file(&json, &bytes[bytes.len() - 72..])).is_err(), "{other}");
        }
    }
}
