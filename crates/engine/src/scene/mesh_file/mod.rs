//! Mesh files of scenes: found only below the scene's folder, read within limits, made part of the scene.

#[cfg(any(feature = "urdf", feature = "mjcf"))]
mod dae;
#[cfg(any(feature = "urdf", feature = "mjcf"))]
mod glb;
mod msh;
mod obj;
#[cfg(any(feature = "urdf", feature = "mjcf"))]
mod ply;
mod stl;

use super::{MeshUse, Scene, SceneError, ShapeDescription, Triple};
use crate::shape::Decomposition;
use crate::{Shape, ShapeError};
use glamx::DVec3;
use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// Largest mesh file \[bytes\].
pub const MESH_FILE_LIMIT: u64 = 64 << 20;
/// Most vertices of all mesh files of a scene together, and most triangles.
pub const MESH_LIMIT: usize = 2_000_000;

/// Vertices and triangles of a file, in its unit of length.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Surface {
    pub vertices: Vec<Triple>,
    pub triangles: Vec<[u32; 3]>,
}

/// Gives each place one number: files that list corners triangle by triangle repeat them.
#[derive(Default)]
struct Corners {
    surface: Surface,
    known: HashMap<[u64; 3], u32>,
}

impl Corners {
    fn index(&mut self, corner: Triple) -> u32 {
        // −0 and +0 are one place.
        let corner = corner.map(|x| x + 0.0);
        let next = self.surface.vertices.len() as u32;
        let index = *self.known.entry(corner.map(f64::to_bits)).or_insert(next);
        if index == next {
            self.surface.vertices.push(corner);
        }
        index
    }
}

/// Replaces every shape that names a file by what the file holds.
pub(super) fn inline(scene: &mut Scene, folder: &Path) -> Result<(), SceneError> {
    let mut left = MESH_LIMIT;
    for (index, body) in scene.bodies.iter_mut().enumerate() {
        inline_shape(&mut body.shape, &format!("bodies[{index}].shape"), folder, &mut left, 0)?;
    }
    Ok(())
}

fn inline_shape(
    shape: &mut ShapeDescription,
    path: &str,
    folder: &Path,
    left: &mut usize,
    depth: usize,
) -> Result<(), SceneError> {
    match shape {
        // What is nested deeper than this is refused when it is built.
        ShapeDescription::Compound { parts } if depth < crate::shape::MAX_NESTING => {
            for (index, part) in parts.iter_mut().enumerate() {
                let path = format!("{path}.compound.parts[{index}].shape");
                inline_shape(&mut part.shape, &path, folder, left, depth + 1)?;
            }
        }
        ShapeDescription::File { path: file, r#as, scale } => {
            if !(scale.is_finite() && *scale > 0.0) {
                let what = format!("{scale} is not a factor above zero");
                return Err(SceneError::new(format!("{path}.file.scale"), what));
            }
            let refuse = |why: String| SceneError::new(format!("{path}.file.path"), format!("'{file}': {why}"));
            *shape = load(folder, file, *r#as, [*scale; 3], left).map_err(refuse)?;
        }
        _ => {}
    }
    Ok(())
}

/// The shape that a file below the folder stands for, its lengths multiplied by factors that are not zero. `left` is how
/// many vertices and triangles may still come.
fn load(
    folder: &Path,
    file: &str,
    purpose: MeshUse,
    scale: Triple,
    left: &mut usize,
) -> Result<ShapeDescription, String> {
    let surface = read(folder, file)?;
    let size = surface.vertices.len().max(surface.triangles.len());
    *left = left
        .checked_sub(size)
        .ok_or_else(|| format!("the meshes of a scene may have {MESH_LIMIT} vertices and triangles together"))?;
    scaled(surface, purpose, scale, None)
}

/// The shape that a surface stands for, its lengths multiplied by factors that are not zero. A hull of too many corners is refused,
/// unless `lost` is given: how much of such hulls may be left out and was, at most \[m\].
pub(super) fn scaled(
    mut surface: Surface,
    purpose: MeshUse,
    scale: Triple,
    lost: Option<&mut f64>,
) -> Result<ShapeDescription, String> {
    for vertex in &mut surface.vertices {
        *vertex = [vertex[0] * scale[0], vertex[1] * scale[1], vertex[2] * scale[2]];
    }
    // A mirror image seen from outside goes round the other way.
    if scale.iter().filter(|factor| **factor < 0.0).count() % 2 == 1 {
        surface.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    }
    match purpose {
        MeshUse::Surface => Ok(ShapeDescription::Mesh { vertices: surface.vertices, triangles: surface.triangles }),
        MeshUse::Solid => {
            let points: Vec<DVec3> = surface.vertices.iter().map(|v| DVec3::from_array(*v)).collect();
            let solid = Shape::solid_mesh(&points, &surface.triangles, &Decomposition::default());
            Ok(solid.map_err(|error| error.to_string())?.describe())
        }
        // Only the corners of the hull are kept: scenes are written into recordings.
        MeshUse::Hull => {
            let points: Vec<DVec3> = surface.vertices.iter().map(|v| DVec3::from_array(*v)).collect();
            let points = crate::shape::outer_points(points);
            let hull = match (Shape::convex_hull(&points), lost) {
                // Of many points close to each other no hull may be found, either.
                (Err(error), Some(lost))
                    if !matches!(error, ShapeError::NoVolume { .. } | ShapeError::TooFew { .. }) =>
                {
                    let (few, left_out) = crate::shape::fewer_points(&points).map_err(|_| error.to_string())?;
                    *lost = lost.max(left_out);
                    Shape::convex_hull(&few)
                }
                (hull, _) => hull,
            };
            Ok(hull.map_err(|error| error.to_string())?.describe())
        }
    }
}

fn read(folder: &Path, file: &str) -> Result<Surface, String> {
    read_surface(&locate(folder, file)?)
}

/// The surface in a file.
pub(super) fn read_surface(path: &Path) -> Result<Surface, String> {
    let bytes = read_limited(path, MESH_FILE_LIMIT)?;
    let extension = path.extension().map(|e| e.to_ascii_lowercase());
    match extension.as_ref().and_then(|e| e.to_str()) {
        Some("obj") => obj::parse(&bytes),
        Some("stl") => stl::parse(&bytes),
        Some("msh") => msh::parse(&bytes),
        #[cfg(any(feature = "urdf", feature = "mjcf"))]
        Some("dae") => dae::parse(&bytes),
        #[cfg(any(feature = "urdf", feature = "mjcf"))]
        Some("glb") => glb::parse(&bytes),
        #[cfg(any(feature = "urdf", feature = "mjcf"))]
        Some("ply") => ply::parse(&bytes),
        _ => Err("a mesh file ends in .obj, .stl, .dae, .glb, .ply or .msh; others are converted first".to_owned()),
    }
}

/// The file below the folder. Links are refused: what they lead to may change.
fn locate(folder: &Path, file: &str) -> Result<PathBuf, String> {
    const INSIDE: &str = "mesh files are named relative to the scene file and lie in its folder or below";
    if file.contains('\0') {
        return Err("a path holds no zero characters".to_owned());
    }
    if file.contains("://") || file.starts_with("file:") {
        return Err(format!("this is an address; {INSIDE}"));
    }
    let path = Path::new(file);
    let plain = |part: Component| matches!(part, Component::Normal(_) | Component::CurDir);
    // Backslashes climb on other systems, where the same scene must mean the same.
    if file.is_empty() || file.contains('\\') || !path.components().all(plain) {
        return Err(INSIDE.to_owned());
    }
    let folder = folder.canonicalize().map_err(|why| format!("the folder of the scene cannot be read ({why})"))?;
    let found = folder.join(path).canonicalize().map_err(|why| format!("cannot be read ({why})"))?;
    if !found.starts_with(&folder) {
        return Err(format!("a link leads out of the folder; {INSIDE}"));
    }
    let named: PathBuf = path.components().filter(|part| *part != Component::CurDir).collect();
    if found != folder.join(named) {
        return Err("leads over a link; name the file itself".to_owned());
    }
    Ok(found)
}

/// The bytes of an ordinary file that is not larger than `limit`. What is no ordinary file (a pipe, a device) is refused
/// before it is opened: opening may block.
pub(super) fn read_limited(path: &Path, limit: u64) -> Result<Vec<u8>, String> {
    let unreadable = |why: std::io::Error| match why.kind() {
        std::io::ErrorKind::NotFound => "no such file".to_owned(),
        _ => format!("cannot be read ({why})"),
    };
    let found = path.metadata().map_err(unreadable)?;
    if !found.is_file() {
        return Err("is not a file".to_owned());
    }
    let too_large = |bytes: u64| format!("has {bytes} bytes, the limit is {limit}");
    if found.len() > limit {
        return Err(too_large(found.len()));
    }
    let mut bytes = Vec::new();
    // The file may have grown since.
    File::open(path).and_then(|file| file.take(limit + 1).read_to_end(&mut bytes)).map_err(unreadable)?;
    if bytes.len() as u64 > limit {
        return Err(too_large(bytes.len() as u64));
    }
    Ok(bytes)
}

/// A coordinate as text.
fn coordinate(word: Option<&str>) -> Result<f64, String> {
    let word = word.ok_or("a vertex has three coordinates")?;
    match word.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(format!("'{word}' is not a finite number")),
    }
}

/// Three coordinates as text.
fn triple<'w>(mut words: impl Iterator<Item = &'w str>) -> Result<Triple, String> {
    Ok([coordinate(words.next())?, coordinate(words.next())?, coordinate(words.next())?])
}
