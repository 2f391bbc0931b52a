//! STL, binary and text: triangles by their corners. Equal corners become one vertex.

use super::{Corners, MESH_LIMIT, Surface, triple};
use crate::scene::Triple;

/// Eighty bytes of anything and the number of triangles.
const HEADER: usize = 84;
/// Normal, three corners, two bytes of anything.
const TRIANGLE: usize = 50;

/// Reads a file. Binary files may begin with `solid` too, so the length decides where it can.
pub(super) fn parse(bytes: &[u8]) -> Result<Surface, String> {
    let count = bytes.get(80..HEADER).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize);
    let exact = count.is_some_and(|n| n.checked_mul(TRIANGLE).and_then(|x| x.checked_add(HEADER)) == Some(bytes.len()));
    let mut corners = Corners::default();
    if !exact && bytes.trim_ascii_start().starts_with(b"solid") {
        text(bytes, &mut corners)?;
    } else {
        let count = count.ok_or_else(|| format!("has {} bytes; a binary STL has at least {HEADER}", bytes.len()))?;
        binary(&bytes[HEADER..], count, &mut corners)?;
    }
    if corners.surface.triangles.is_empty() {
        return Err("has no triangles".to_owned());
    }
    Ok(corners.surface)
}

fn add(corners: &mut Corners, triangle: [Triple; 3]) -> Result<(), String> {
    if corners.surface.triangles.len() >= MESH_LIMIT {
        return Err(format!("more than {MESH_LIMIT} triangles"));
    }
    let triangle = triangle.map(|corner| corners.index(corner));
    corners.surface.triangles.push(triangle);
    Ok(())
}

fn binary(data: &[u8], count: usize, corners: &mut Corners) -> Result<(), String> {
    // The number is the file's word; what counts is what is there.
    if data.len() / TRIANGLE < count {
        return Err(format!("claims {count} triangles, but holds {}", data.len() / TRIANGLE));
    }
    for (index, triangle) in data.chunks_exact(TRIANGLE).take(count).enumerate() {
        let number = |at: usize| {
            let word = [triangle[at], triangle[at + 1], triangle[at + 2], triangle[at + 3]];
            f64::from(f32::from_le_bytes(word))
        };
        let corner = |i: usize| [number(12 + 12 * i), number(16 + 12 * i), number(20 + 12 * i)];
        let triangle = [corner(0), corner(1), corner(2)];
        if !triangle.as_flattened().iter().all(|x| x.is_finite()) {
            return Err(format!("triangle {index} has a corner that is not finite"));
        }
        add(corners, triangle)?;
    }
    Ok(())
}

fn text(bytes: &[u8], corners: &mut Corners) -> Result<(), String> {
    let text = str::from_utf8(bytes).map_err(|why| format!("is not text (byte {})", why.valid_up_to()))?;
    let mut facet: Vec<Triple> = Vec::with_capacity(3);
    let mut finished = false;
    for (number, line) in text.lines().enumerate() {
        let at = |why: String| format!("line {}: {why}", number + 1);
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("vertex") if facet.len() == 3 => return Err(at("a facet has three corners".to_owned())),
            Some("vertex") => facet.push(triple(words).map_err(at)?),
            Some("endfacet") => {
                let Ok(triangle) = <[Triple; 3]>::try_from(facet.as_slice()) else {
                    return Err(at(format!("a facet of {} corners; it needs three", facet.len())));
                };
                add(corners, triangle).map_err(at)?;
                facet.clear();
            }
            Some("endsolid") => finished = true,
            None | Some("solid" | "facet" | "outer" | "endloop") => {}
            Some(word) => return Err(at(format!("'{}' is not a word of STL", word.escape_default()))),
        }
    }
    if !facet.is_empty() || !finished {
        return Err("ends in the middle of a solid".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const TETRAHEDRON: [[[f32; 3]; 3]; 4] = [
        [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]],
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
        [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]],
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    ];

    fn binary_file(claimed: u32) -> Vec<u8> {
        let mut bytes = b"solid in name only".to_vec();
        bytes.resize(80, 0);
        bytes.extend(claimed.to_le_bytes());
        for triangle in TETRAHEDRON {
            bytes.extend([0; 12]);
            bytes.extend(triangle.as_flattened().iter().flat_map(|x| x.to_le_bytes()));
            bytes.extend([0; 2]);
        }
        bytes
    }

    fn text_file() -> String {
        let mut text = "solid tetrahedron\n".to_owned();
        for triangle in TETRAHEDRON {
            text += "facet normal 0 0 0\n outer loop\n";
            for [x, y, z] in triangle {
                text += &format!("  vertex {x} {y} {z}\n");
            }
            text += " endloop\nendfacet\n";
        }
        text + "endsolid tetrahedron\n"
    }

    #[test]
    fn both_notations_give_one_surface() {
        let surface = parse(&binary_file(4)).unwrap();
        assert_eq!((surface.vertices.len(), surface.triangles.len()), (4, 4));
        assert_eq!(parse(text_file().as_bytes()).unwrap(), surface);
    }

    #[test]
    fn a_number_of_triangles_is_not_believed() {
        let mut header = vec![0; 80];
        header.extend(u32::MAX.to_le_bytes());
        assert_eq!(parse(&header), Err("claims 4294967295 triangles, but holds 0".to_owned()));
        // One triangle more than there is, in a file that could be text by its first word.
        assert!(parse(&binary_file(5)).is_err());
    }

    #[test]
    fn every_cut_is_refused() {
        let (binary, text) = (binary_file(4), text_file());
        for end in 0..binary.len() {
            assert!(parse(&binary[..end]).is_err(), "{end}");
        }
        for end in 0..text.find("endsolid").unwrap() {
            assert!(parse(&text.as_bytes()[..end]).is_err(), "{end}");
        }
    }
}
