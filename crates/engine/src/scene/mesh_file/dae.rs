//! Meshes in COLLADA (.dae, <https://www.khronos.org/files/collada_spec_1_4.pdf>): triangles and polygons of every geometry that the
//! scene shows, placed by its nodes, in metres.
//!
//! `up_axis` is not used: robots say themselves how a mesh is turned, and other readers of URDF leave it out, too.

use super::{Corners, MESH_LIMIT, Surface};
use crate::scene::xml;
use glamx::{DMat3, DQuat, DVec3};
use roxmltree::Node;
use std::collections::BTreeMap;

/// Deepest nesting of nodes of the scene.
const NESTING: usize = 64;

pub(super) fn parse(bytes: &[u8]) -> Result<Surface, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "is not text in UTF-8".to_owned())?;
    let text = xml::without_late_declaration(text.trim_start_matches('\u{feff}'));
    let document = xml::parse(&text).map_err(|error| error.to_string())?;
    let root = document.root_element();
    if root.tag_name().name() != "COLLADA" {
        return Err("does not begin with the element 'COLLADA'".to_owned());
    }
    let unit = find(root, "unit").and_then(|unit| unit.attribute("meter")).map_or(Ok(1.0), number)?;
    let mut geometries = BTreeMap::new();
    for node in all(root, "geometry") {
        geometries.insert(node.attribute("id").unwrap_or_default(), Geometry::read(node)?);
    }
    let mut corners = Corners::default();
    let whole = Affine { linear: DMat3::IDENTITY * unit, shift: DVec3::ZERO };
    match find(root, "visual_scene") {
        Some(scene) => show(scene, whole, &geometries, &mut corners, 0)?,
        None => geometries.values().try_for_each(|geometry| geometry.add(&whole, &mut corners))?,
    }
    if corners.surface.triangles.is_empty() {
        return Err("has no triangles".to_owned());
    }
    Ok(corners.surface)
}

/// `x → linear x + shift`.
#[derive(Clone, Copy)]
pub(super) struct Affine {
    pub linear: DMat3,
    pub shift: DVec3,
}

impl Affine {
    /// First `inner`, then this.
    pub fn of(self, inner: Affine) -> Affine {
        Affine { linear: self.linear * inner.linear, shift: self.linear * inner.shift + self.shift }
    }
}

/// Geometries of a node and of those inside it.
fn show(
    node: Node,
    above: Affine,
    geometries: &BTreeMap<&str, Geometry>,
    corners: &mut Corners,
    depth: usize,
) -> Result<(), String> {
    if depth > NESTING {
        return Err(format!("nodes are nested deeper than {NESTING}"));
    }
    let mut here = above;
    for child in node.children().filter(Node::is_element) {
        match child.tag_name().name() {
            "matrix" => {
                // Row after row.
                let [a, b, c, x, d, e, f, y, g, h, i, z, ..] = list::<16>(child)?;
                let linear = DMat3::from_cols_array(&[a, d, g, b, e, h, c, f, i]);
                here = here.of(Affine { linear, shift: DVec3::new(x, y, z) });
            }
            "translate" => {
                here = here.of(Affine { linear: DMat3::IDENTITY, shift: DVec3::from_array(list::<3>(child)?) });
            }
            "scale" => {
                let linear = DMat3::from_diagonal(DVec3::from_array(list::<3>(child)?));
                here = here.of(Affine { linear, shift: DVec3::ZERO });
            }
            "rotate" => {
                let [x, y, z, degrees] = list::<4>(child)?;
                let axis = DVec3::new(x, y, z).try_normalize().ok_or("an axis of 'rotate' has no length")?;
                let linear = DMat3::from_quat(DQuat::from_axis_angle(axis, degrees.to_radians()));
                here = here.of(Affine { linear, shift: DVec3::ZERO });
            }
            "instance_geometry" => {
                let name = child.attribute("url").unwrap_or_default().trim_start_matches('#');
                let geometry = geometries.get(name).ok_or_else(|| format!("no geometry is called '{name}'"))?;
                geometry.add(&here, corners)?;
            }
            "node" => show(child, here, geometries, corners, depth + 1)?,
            _ => {}
        }
    }
    Ok(())
}

/// Places and triangles, each an index into the places.
pub(super) struct Geometry {
    pub places: Vec<DVec3>,
    pub triangles: Vec<[usize; 3]>,
}

impl Geometry {
    fn read(node: Node) -> Result<Geometry, String> {
        let mut geometry = Geometry { places: Vec::new(), triangles: Vec::new() };
        let Some(mesh) = find(node, "mesh") else { return Ok(geometry) };
        let Some(vertices) = find(mesh, "vertices") else { return Ok(geometry) };
        let source = input(vertices, "POSITION").and_then(|input| input.attribute("source")).unwrap_or_default();
        let source = all(mesh, "source").find(|found| found.attribute("id") == source.strip_prefix('#'));
        let source = source.ok_or("the source of its positions is missing")?;
        let stride = find(source, "accessor").and_then(|accessor| accessor.attribute("stride")).unwrap_or("3");
        let stride: usize = stride.parse().map_err(|_| format!("'stride': '{stride}' is not a whole number"))?;
        if !(3..=64).contains(&stride) {
            return Err(format!("positions have a stride of {stride}"));
        }
        let numbers = find(source, "float_array").and_then(|array| array.text()).unwrap_or_default();
        let numbers: Vec<f64> = numbers.split_ascii_whitespace().map(number).collect::<Result<_, _>>()?;
        geometry.places = numbers.chunks_exact(stride).map(DVec3::from_slice).collect();
        for primitive in mesh.children().filter(Node::is_element) {
            geometry.primitive(primitive)?;
        }
        Ok(geometry)
    }

    fn primitive(&mut self, primitive: Node) -> Result<(), String> {
        let kind = primitive.tag_name().name();
        let counts = match kind {
            "polylist" => find(primitive, "vcount").and_then(|node| node.text()).unwrap_or_default(),
            "triangles" | "polygons" | "trifans" | "tristrips" => "",
            _ => return Ok(()),
        };
        let counts: Vec<usize> = counts.split_ascii_whitespace().map(index).collect::<Result<_, _>>()?;
        let offset = |input: Node| index(input.attribute("offset").unwrap_or("0"));
        let mut stride = 1;
        for input in all(primitive, "input") {
            stride = stride.max(offset(input)?.saturating_add(1));
        }
        let own = input(primitive, "VERTEX").map_or(Ok(0), offset)?;
        for part in all(primitive, "p") {
            let every: Vec<usize> =
                part.text().unwrap_or_default().split_ascii_whitespace().map(index).collect::<Result<_, _>>()?;
            let corners: Vec<usize> = every.chunks_exact(stride).map(|corner| corner[own]).collect();
            if corners.iter().any(|corner| *corner >= self.places.len()) {
                return Err("a face names a vertex that does not exist".to_owned());
            }
            match kind {
                "triangles" => self.triangles.extend(corners.chunks_exact(3).map(|c| [c[0], c[1], c[2]])),
                "tristrips" => self.strip(&corners),
                "polylist" => {
                    let mut rest = &corners[..];
                    for count in &counts {
                        let (polygon, after) =
                            rest.split_at_checked(*count).ok_or("'vcount' has more corners than 'p'")?;
                        self.fan(polygon);
                        rest = after;
                    }
                }
                _ => self.fan(&corners),
            }
        }
        Ok(())
    }

    pub fn strip(&mut self, corners: &[usize]) {
        let turned = |(k, c): (usize, &[usize])| if k % 2 == 0 { [c[0], c[1], c[2]] } else { [c[1], c[0], c[2]] };
        self.triangles.extend(corners.windows(3).enumerate().map(turned));
    }

    pub fn fan(&mut self, polygon: &[usize]) {
        let Some((first, rest)) = polygon.split_first() else { return };
        self.triangles.extend(rest.windows(2).map(|side| [*first, side[0], side[1]]));
    }

    pub fn add(&self, place: &Affine, corners: &mut Corners) -> Result<(), String> {
        // A mirror image seen from outside goes round the other way.
        let mirrored = place.linear.determinant() < 0.0;
        let known: Vec<u32> =
            self.places.iter().map(|at| corners.index((place.linear * *at + place.shift).to_array())).collect();
        for [a, b, c] in &self.triangles {
            let [a, b, c] = [known[*a], known[*b], known[*c]];
            corners.surface.triangles.push(if mirrored { [a, c, b] } else { [a, b, c] });
        }
        let Surface { vertices, triangles } = &corners.surface;
        if vertices.len().max(triangles.len()) > MESH_LIMIT {
            return Err(format!("has more than {MESH_LIMIT} vertices or triangles"));
        }
        match vertices.iter().all(|vertex| vertex.iter().all(|x| x.is_finite())) {
            true => Ok(()),
            false => Err("a vertex is not finite".to_owned()),
        }
    }
}

/// The first element of a name, however deep.
fn find<'a, 'd>(node: Node<'a, 'd>, name: &str) -> Option<Node<'a, 'd>> {
    all(node, name).next()
}

fn all<'a, 'd, 'n>(node: Node<'a, 'd>, name: &'n str) -> impl Iterator<Item = Node<'a, 'd>> + use<'a, 'd, 'n> {
    node.descendants().filter(move |inside| inside.is_element() && inside.tag_name().name() == name)
}

fn input<'a, 'd>(node: Node<'a, 'd>, meaning: &str) -> Option<Node<'a, 'd>> {
    all(node, "input").find(|input| input.attribute("semantic") == Some(meaning))
}

fn number(word: &str) -> Result<f64, String> {
    super::coordinate(Some(word))
}

fn index(word: &str) -> Result<usize, String> {
    word.parse().map_err(|_| format!("'{word}' is not a whole number"))
}

fn list<const N: usize>(node: Node) -> Result<[f64; N], String> {
    let words = node.text().unwrap_or_default().split_ascii_whitespace();
    let list: Vec<f64> = words.map(number).collect::<Result<_, _>>()?;
    let (name, found) = (node.tag_name().name(), list.len());
    list.try_into().map_err(|_| format!("'{name}' has {found} numbers, it takes {N}"))
}
