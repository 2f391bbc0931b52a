//! Wavefront OBJ: vertices and faces; everything else in such files is about looks. Faces of two corners, which programs leave
//! behind where they merged vertices, have no area and are read over.

use super::{MESH_LIMIT, Surface, triple};

/// Reads a file. Faces of more than three corners are cut into fans around their first.
pub(super) fn parse(bytes: &[u8]) -> Result<Surface, String> {
    let text = str::from_utf8(bytes).map_err(|why| format!("is not text (byte {})", why.valid_up_to()))?;
    let mut surface = Surface::default();
    for (number, line) in text.lines().enumerate() {
        statement(line, &mut surface).map_err(|why| format!("line {}: {why}", number + 1))?;
        if surface.vertices.len().max(surface.triangles.len()) > MESH_LIMIT {
            return Err(format!("more than {MESH_LIMIT} vertices or triangles"));
        }
    }
    if surface.triangles.is_empty() {
        return Err("has no faces".to_owned());
    }
    Ok(surface)
}

fn statement(line: &str, surface: &mut Surface) -> Result<(), String> {
    let line = line.split('#').next().unwrap_or_default();
    if line.trim_end().ends_with('\\') {
        return Err("lines that go on in the next are not understood; write them in one".to_owned());
    }
    let mut words = line.split_ascii_whitespace();
    match words.next() {
        Some("v") => surface.vertices.push(triple(words)?),
        Some("f") => {
            let corners = words.map(|word| corner(word, surface.vertices.len())).collect::<Result<Vec<u32>, _>>()?;
            let [first, rest @ ..] = corners.as_slice() else { return Err("a face without corners".to_owned()) };
            surface.triangles.extend(rest.windows(2).map(|edge| [*first, edge[0], edge[1]]));
        }
        _ => {}
    }
    Ok(())
}

/// `i`, `i/t`, `i/t/n` or `i//n`: the first counts, from one, or backwards from the last vertex so far.
fn corner(word: &str, vertices: usize) -> Result<u32, String> {
    let written = word.split('/').next().unwrap_or_default();
    let index: i64 = written.parse().map_err(|_| format!("'{word}' is not the number of a vertex"))?;
    let count = vertices as i64;
    let index = match index {
        1.. if index <= count => index - 1,
        ..=-1 if index >= -count => count + index,
        0 => return Err("vertex 0; vertices are counted from 1".to_owned()),
        _ => return Err(format!("vertex {index} does not exist, there are {vertices} above this line")),
    };
    u32::try_from(index).map_err(|_| format!("vertex {index} is beyond what a mesh may have"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_square_is_two_triangles_however_it_is_counted() {
        let corners = "# a square\nv 0 0 0\nv 1 0 0\nv 1 1 0 1.0\nv 0 1 0\nvn 0 0 1\n";
        for face in ["f 1 2 3 4", "f 1/1 2/2 3/3 4/4", "f 1//1 2//1 3//1 4//1", "f -4 -3 -2 -1", "f 1 2 3 4 # all"] {
            let surface = parse(format!("{corners}usemtl red\n{face}\n").as_bytes()).unwrap();
            assert_eq!(surface.vertices.len(), 4);
            assert_eq!(surface.triangles, [[0, 1, 2], [0, 2, 3]], "{face}");
        }
    }

    #[test]
    fn what_cannot_be_a_mesh_is_refused_with_its_line() {
        let corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
        for (rest, message) in [
            ("f 0 1 2", "line 4: vertex 0; vertices are counted from 1"),
            ("f -9 1 2", "line 4: vertex -9 does not exist, there are 3 above this line"),
            ("f 1 2 1000000000", "line 4: vertex 1000000000 does not exist, there are 3 above this line"),
            ("f 1 2 99999999999999999999", "line 4: '99999999999999999999' is not the number of a vertex"),
            ("f 1 2", "has no faces"),
            ("f", "line 4: a face without corners"),
            ("f 1 2 \\\n3", "line 4: lines that go on in the next are not understood; write them in one"),
            ("v 1e400 0 0", "line 4: '1e400' is not a finite number"),
            ("v nan 0 0", "line 4: 'nan' is not a finite number"),
            ("v 1 2", "line 4: a vertex has three coordinates"),
            ("", "has no faces"),
        ] {
            assert_eq!(parse(format!("{corners}{rest}").as_bytes()), Err(message.to_owned()));
        }
        assert_eq!(parse(b"v 0 0 \xff"), Err("is not text (byte 6)".to_owned()));
    }
}
