//! MuJoCo's binary meshes: four counts, then vertices, normals, texture coordinates and faces.

use super::{MESH_LIMIT, Surface};

/// Counts of vertices, normals, texture coordinates and faces.
const HEADER: usize = 16;

/// Reads a file: all numbers are little-endian and four bytes long.
pub(super) fn parse(bytes: &[u8]) -> Result<Surface, String> {
    let word = |at: usize| -> Result<[u8; 4], String> {
        let end = || format!("has {} bytes and ends in the middle", bytes.len());
        bytes.get(at..at + 4).and_then(|word| word.try_into().ok()).ok_or_else(end)
    };
    let count = |index: usize| -> Result<usize, String> {
        let count = i32::from_le_bytes(word(4 * index)?);
        usize::try_from(count)
            .ok()
            .filter(|count| *count <= MESH_LIMIT)
            .ok_or_else(|| format!("claims {count} entries"))
    };
    let (vertices, normals, textures, faces) = (count(0)?, count(1)?, count(2)?, count(3)?);
    let expected = HEADER + 12 * (vertices + normals + faces) + 8 * textures;
    if bytes.len() != expected {
        return Err(format!("has {} bytes; by its counts it would have {expected}", bytes.len()));
    }
    let number = |at: usize| -> Result<f64, String> {
        let value = f64::from(f32::from_le_bytes(word(at)?));
        if value.is_finite() { Ok(value) } else { Err("has a vertex that is not finite".to_owned()) }
    };
    let mut surface = Surface::default();
    for vertex in 0..vertices {
        let at = HEADER + 12 * vertex;
        surface.vertices.push([number(at)?, number(at + 4)?, number(at + 8)?]);
    }
    let start = HEADER + 12 * (vertices + normals) + 8 * textures;
    for face in 0..faces {
        let mut triangle = [0; 3];
        for (k, corner) in triangle.iter_mut().enumerate() {
            let index = i32::from_le_bytes(word(start + 12 * face + 4 * k)?);
            let found = u32::try_from(index).ok().filter(|index| (*index as usize) < vertices);
            *corner = found.ok_or_else(|| format!("face {face} names vertex {index} of {vertices}"))?;
        }
        surface.triangles.push(triangle);
    }
    Ok(surface)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn tetrahedron() -> Vec<u8> {
        let mut bytes: Vec<u8> = [4_i32, 0, 0, 4].iter().flat_map(|x| x.to_le_bytes()).collect();
        let corners = [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        bytes.extend(corners.iter().flat_map(|x| x.to_le_bytes()));
        bytes.extend([0_i32, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3].iter().flat_map(|x| x.to_le_bytes()));
        bytes
    }

    #[test]
    fn a_tetrahedron_is_read_and_every_cut_is_refused() {
        let bytes = tetrahedron();
        let surface = parse(&bytes).unwrap();
        assert_eq!((surface.vertices.len(), surface.triangles.len()), (4, 4));
        for end in 0..bytes.len() {
            assert!(parse(&bytes[..end]).is_err(), "{end}");
        }
    }

    #[test]
    fn counts_and_indices_are_not_believed() {
        let mut bytes = tetrahedron();
        bytes[0..4].copy_from_slice(&i32::MAX.to_le_bytes());
        assert!(parse(&bytes).is_err());
        let mut bytes = tetrahedron();
        let last = bytes.len() - 4;
        bytes[last..].copy_from_slice(&4_i32.to_le_bytes());
        assert_eq!(parse(&bytes), Err("face 3 names vertex 4 of 4".to_owned()));
    }
}
