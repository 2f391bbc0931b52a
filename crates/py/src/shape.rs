//! Shapes and surfaces.

use crate::argument::{self, numbers, quaternion, rows, vector, wrong_shape};
use crate::raise;
use numpy::PyUntypedArrayMethods;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use signorini::Combine;
use signorini::glamx::{DPose3, DQuat, DVec3};
use signorini::scene::ShapeDescription;

/// What a body is made of: a solid or, for fixed bodies, a surface. Lengths in m; axes of capsule, cylinder and cone are
/// z. Made by the static methods; shared, never copied.
///
/// >>> from signorini import Shape
/// >>> round(Shape.sphere(0.5).volume, 4)
/// 0.5236
/// >>> Shape.cuboid((1, 2, 3)).to_dict()
/// {'cuboid': {'half_extents': [1.0, 2.0, 3.0]}}
/// >>> Shape.sphere(-1)
/// Traceback (most recent call last):
///     ...
/// signorini.ShapeError: radius -1 is not a positive length
#[pyclass(module = "signorini", frozen)]
pub struct Shape(pub signorini::Shape);

fn made(shape: Result<signorini::Shape, signorini::ShapeError>) -> PyResult<Shape> {
    shape.map(Shape).map_err(raise::shape)
}

fn points(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<DVec3>> {
    Ok(rows::<3>(name, value)?.into_iter().map(DVec3::from_array).collect())
}

fn triples(triangles: &Bound<'_, PyAny>) -> PyResult<Vec<[u32; 3]>> {
    let (shape, indices) = argument::indices("triangles", triangles)?;
    if !matches!(shape[..], [_, 3]) {
        return Err(wrong_shape("triangles", "[any, 3]", &shape));
    }
    Ok(indices.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect())
}

#[pymethods]
impl Shape {
    /// Ball of `radius` [m] about the origin.
    #[staticmethod]
    fn sphere(radius: f64) -> PyResult<Shape> {
        made(signorini::Shape::sphere(radius))
    }

    /// Box with edges along the axes from `-half_extents` to `half_extents` [m].
    #[staticmethod]
    fn cuboid(half_extents: &Bound<'_, PyAny>) -> PyResult<Shape> {
        made(signorini::Shape::cuboid(vector("half_extents", half_extents)?))
    }

    /// Ellipsoid that reaches ±`half_extents` [m] along the axes.
    #[staticmethod]
    fn ellipsoid(half_extents: &Bound<'_, PyAny>) -> PyResult<Shape> {
        made(signorini::Shape::ellipsoid(vector("half_extents", half_extents)?))
    }

    /// All points within `radius` [m] of the box from `-half_extents` to `half_extents` [m].
    #[staticmethod]
    fn rounded_cuboid(half_extents: &Bound<'_, PyAny>, radius: f64) -> PyResult<Shape> {
        made(signorini::Shape::rounded_cuboid(vector("half_extents", half_extents)?, radius))
    }

    /// All points within `radius` [m] of the smallest convex solid around `points`, shape (n, 3) [m].
    #[staticmethod]
    fn rounded_hull(points: &Bound<'_, PyAny>, radius: f64) -> PyResult<Shape> {
        made(signorini::Shape::rounded_hull(&self::points("points", points)?, radius))
    }

    /// What a closed surface encloses, convex or not: `vertices` (n, 3) [m] and `triangles` (m, 3), counter-clockwise seen
    /// from outside. It collides as convex `pieces`, a list of point sets (k, 3) [m]; if not given, at most `max_parts` pieces
    /// are found on a grid of `resolution` voxels along the longest side, cut until they lack no more than `concavity` of
    /// their volume. Mass and inertia are exactly those of the surface's inside.
    ///
    /// >>> from signorini import Shape
    /// >>> corner = Shape.solid([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
    /// >>> round(corner.volume, 6)
    /// 0.166667
    #[staticmethod]
    #[pyo3(signature = (vertices, triangles, *, pieces=None, resolution=64, concavity=0.01, max_parts=32))]
    fn solid(
        vertices: &Bound<'_, PyAny>,
        triangles: &Bound<'_, PyAny>,
        pieces: Option<Vec<Bound<'_, PyAny>>>,
        resolution: u32,
        concavity: f64,
        max_parts: u32,
    ) -> PyResult<Shape> {
        let (vertices, triangles) = (points("vertices", vertices)?, triples(triangles)?);
        let Some(pieces) = pieces else {
            let cut = signorini::shape::Decomposition { resolution, concavity, max_parts };
            return made(signorini::Shape::solid_mesh(&vertices, &triangles, &cut));
        };
        let pieces = pieces.iter().map(|piece| points("pieces", piece)).collect::<PyResult<Vec<_>>>()?;
        made(signorini::Shape::solid_of_pieces(&vertices, &triangles, &pieces))
    }

    /// All points within `radius` [m] of the segment from `-half_height` to `half_height` [m] on the z axis.
    #[staticmethod]
    fn capsule(half_height: f64, radius: f64) -> PyResult<Shape> {
        made(signorini::Shape::capsule(half_height, radius))
    }

    /// Cylinder about the z axis with caps at ±`half_height` [m].
    #[staticmethod]
    fn cylinder(half_height: f64, radius: f64) -> PyResult<Shape> {
        made(signorini::Shape::cylinder(half_height, radius))
    }

    /// Cone with its base at z = -`half_height` and its tip at z = `half_height` [m].
    #[staticmethod]
    fn cone(half_height: f64, radius: f64) -> PyResult<Shape> {
        made(signorini::Shape::cone(half_height, radius))
    }

    /// Smallest convex solid around `points`, shape (n, 3) [m].
    #[staticmethod]
    #[pyo3(name = "hull")]
    fn convex_hull(points: &Bound<'_, PyAny>) -> PyResult<Shape> {
        made(signorini::Shape::convex_hull(&self::points("points", points)?))
    }

    /// Everything behind a plane through the origin; `normal` points to the free side. For fixed bodies.
    #[staticmethod]
    fn half_space(normal: &Bound<'_, PyAny>) -> PyResult<Shape> {
        made(signorini::Shape::half_space(vector("normal", normal)?))
    }

    /// Surface of triangles: `vertices` (n, 3) [m] and `triangles` (m, 3), counter-clockwise seen from outside. For
    /// fixed bodies.
    #[staticmethod]
    fn mesh(vertices: &Bound<'_, PyAny>, triangles: &Bound<'_, PyAny>) -> PyResult<Shape> {
        made(signorini::Shape::triangle_mesh(points("vertices", vertices)?, triples(triangles)?))
    }

    /// Ground over a grid centred on the origin: `heights[j, i]` [m] at column i along x and row j along y, neighbours
    /// `spacing` (x, y) [m] apart. For fixed bodies.
    #[staticmethod]
    fn height_field(heights: &Bound<'_, PyAny>, spacing: &Bound<'_, PyAny>) -> PyResult<Shape> {
        let array = numbers("heights", heights)?;
        let &[grid_rows, columns] = array.shape() else {
            return Err(wrong_shape("heights", "[rows, columns]", array.shape()));
        };
        let values: Vec<f64> = array.as_array().iter().copied().collect();
        let spacing = argument::several::<2>("spacing", spacing)?;
        made(signorini::Shape::height_field(columns, grid_rows, spacing, &values))
    }

    /// Several shapes that move as one: a list of shapes, or of tuples (shape, position) or (shape, position,
    /// orientation), with the position in m and the orientation as (w, x, y, z).
    ///
    /// >>> from signorini import Shape
    /// >>> dumbbell = Shape.compound([(Shape.sphere(0.2), (0, 0, -1)), (Shape.sphere(0.2), (0, 0, 1))])
    /// >>> len(dumbbell.to_dict()["compound"]["parts"])
    /// 2
    #[staticmethod]
    fn compound(parts: &Bound<'_, PyAny>) -> PyResult<Shape> {
        let expected = "a list of shapes or (shape, position, orientation) tuples";
        let mut list = Vec::new();
        for part in parts.try_iter().map_err(|_| argument::wrong_type("parts", expected, parts))? {
            list.push(compound_part(&part?)?);
        }
        made(signorini::Shape::compound(list))
    }

    /// A shape as it is written in a scene: a mapping such as `{"sphere": {"radius": 0.5}}`.
    #[staticmethod]
    fn from_dict(description: &Bound<'_, PyAny>) -> PyResult<Shape> {
        let text: String = description.py().import("json")?.call_method1("dumps", (description,))?.extract()?;
        from_json(&text)
    }

    /// The shape as it is written in a scene.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.call_method1("loads", (self.to_json()?,))
    }

    /// Volume [m³].
    #[getter]
    fn volume(&self) -> PyResult<f64> {
        self.0.volume().map_err(raise::shape)
    }

    /// Least and greatest corner [m] of the box around the shape, infinite for a half-space.
    #[getter]
    fn bounds(&self) -> ([f64; 3], [f64; 3]) {
        let bounds = self.0.aabb(&DPose3::IDENTITY);
        (bounds.min.to_array(), bounds.max.to_array())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyAny>,))> {
        Ok((py.get_type::<Shape>().getattr("from_dict")?, (self.to_dict(py)?,)))
    }

    /// The same shape with layers and a mask on each of its parts, beside those of the body: both must agree.
    #[pyo3(signature = (layers=u32::MAX, mask=u32::MAX))]
    fn filtered(&self, layers: u32, mask: u32) -> Shape {
        Shape(self.0.filtered(signorini::Filter::new(layers, mask)))
    }

    /// The same shape, detecting what comes into it and pushing nothing: a part of a compound.
    fn sensing(&self) -> Shape {
        Shape(self.0.sensing())
    }

    fn __repr__(&self) -> PyResult<String> {
        let text = self.to_json()?;
        let kind = text.split('"').nth(1).unwrap_or("shape");
        if text.chars().count() <= 100 { Ok(format!("Shape({text})")) } else { Ok(format!("Shape({kind}, …)")) }
    }
}

impl Shape {
    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.0.describe()).map_err(raise::scene)
    }
}

fn from_json(text: &str) -> PyResult<Shape> {
    let description: ShapeDescription = serde_json::from_str(text).map_err(raise::scene)?;
    description.build("shape").map(Shape).map_err(raise::scene)
}

fn compound_part(part: &Bound<'_, PyAny>) -> PyResult<(DPose3, signorini::Shape)> {
    if let Ok(shape) = part.cast::<Shape>() {
        return Ok((DPose3::IDENTITY, shape.get().0.clone()));
    }
    let refuse = || PyTypeError::new_err("parts: expected a shape or a (shape, position, orientation) tuple");
    let tuple = part.cast::<PyTuple>().map_err(|_| refuse())?;
    let (shape, position, orientation) = match tuple.len() {
        2 => (tuple.get_item(0)?, tuple.get_item(1)?, None),
        3 => (tuple.get_item(0)?, tuple.get_item(1)?, Some(tuple.get_item(2)?)),
        _ => return Err(refuse()),
    };
    let shape = shape.cast::<Shape>().map_err(|_| refuse())?.get().0.clone();
    let turn = orientation.map_or(Ok(DQuat::IDENTITY), |q| quaternion("orientation of a part", &q))?;
    Ok((DPose3::from_parts(vector("position of a part", &position)?, turn), shape))
}

/// Surface of a body: Coulomb `friction` coefficient (≥ 0) and coefficient of `restitution`, from 0 (no bounce) to 1
/// (elastic). The rules say how a coefficient meets that of another surface: "geometric_mean", "average", "minimum",
/// "maximum" or "multiply"; where two surfaces ask for different ones, the one further down this list is taken.
///
/// A `tag` is what `World.set_material_pair` knows it by. A `grain` is an axis of the body, along which it has its friction,
/// and the friction across it. With a `stiffness` [N/m] every point of contact gives way, with `damping` [N·s/m].
/// `torsional_friction` and `rolling_friction` [m] are the greatest moments that resist spinning about the normal and rolling,
/// over the normal force; of two surfaces the greater counts.
///
/// >>> from signorini import Material
/// >>> Material(friction=0.8, restitution=0.1)
/// Material(friction=0.8, restitution=0.1)
/// >>> Material(0.8, friction_rule="maximum").friction_rule
/// 'maximum'
#[pyclass(module = "signorini", frozen, eq, from_py_object)]
#[derive(Clone, Copy, PartialEq)]
pub struct Material(pub signorini::Material);

const RULES: [(&str, Combine); 5] = [
    ("geometric_mean", Combine::GeometricMean),
    ("average", Combine::Average),
    ("minimum", Combine::Minimum),
    ("maximum", Combine::Maximum),
    ("multiply", Combine::Multiply),
];

fn rule_of(argument: &str, name: &str) -> PyResult<Combine> {
    RULES.into_iter().find(|(known, _)| *known == name).map(|(_, rule)| rule).ok_or_else(|| {
        let known = RULES.map(|(name, _)| name).join(", ");
        PyValueError::new_err(format!("{argument}: '{name}' is none of {known}"))
    })
}

fn rule_name(rule: Combine) -> &'static str {
    RULES.into_iter().find(|(_, known)| *known == rule).map_or("other", |(name, _)| name)
}

#[pymethods]
impl Material {
    #[new]
    #[pyo3(signature = (
        friction=0.5, restitution=0.0, *, friction_rule="geometric_mean", restitution_rule="geometric_mean", tag=0,
        grain=None, stiffness=None, damping=0.0, torsional_friction=0.0, rolling_friction=0.0
    ))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn new(
        friction: f64,
        restitution: f64,
        friction_rule: &str,
        restitution_rule: &str,
        tag: u32,
        grain: Option<([f64; 3], f64)>,
        stiffness: Option<f64>,
        damping: f64,
        torsional_friction: f64,
        rolling_friction: f64,
    ) -> PyResult<Self> {
        let material = signorini::Material::new(friction, restitution)
            .friction_rule(rule_of("friction_rule", friction_rule)?)
            .restitution_rule(rule_of("restitution_rule", restitution_rule)?)
            .tagged(tag)
            .rolling(torsional_friction, rolling_friction);
        let grain = grain.map(|(axis, across)| signorini::Grain { axis, across });
        Ok(Material(signorini::Material { grain, stiffness, damping, ..material }))
    }

    /// Number by which `World.set_material_pair` knows it; 0 is none.
    #[getter]
    fn tag(&self) -> u32 {
        self.0.tag
    }
    /// Axis in the frame of the body along which it has its friction, and the friction across it; or None.
    #[getter]
    fn grain(&self) -> Option<([f64; 3], f64)> {
        self.0.grain.map(|grain| (grain.axis, grain.across))
    }
    /// Stiffness of a point of contact [N/m]; None is rigid.
    #[getter]
    fn stiffness(&self) -> Option<f64> {
        self.0.stiffness
    }
    /// Damping of a point of contact [N·s/m].
    #[getter]
    fn damping(&self) -> f64 {
        self.0.damping
    }
    /// Greatest moment against spinning about the normal over the normal force [m].
    #[getter]
    fn torsional_friction(&self) -> f64 {
        self.0.torsional_friction
    }
    /// Greatest moment against rolling over the normal force [m].
    #[getter]
    fn rolling_friction(&self) -> f64 {
        self.0.rolling_friction
    }

    /// Coulomb friction coefficient.
    #[getter]
    fn friction(&self) -> f64 {
        self.0.friction
    }
    /// Coefficient of restitution.
    #[getter]
    fn restitution(&self) -> f64 {
        self.0.restitution
    }
    /// How friction meets that of another surface.
    #[getter]
    fn friction_rule(&self) -> &'static str {
        rule_name(self.0.friction_rule)
    }
    /// How restitution meets that of another surface.
    #[getter]
    fn restitution_rule(&self) -> &'static str {
        rule_name(self.0.restitution_rule)
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<((f64, f64), Bound<'py, PyDict>)> {
        let rules = PyDict::new(py);
        rules.set_item("friction_rule", self.friction_rule())?;
        rules.set_item("restitution_rule", self.restitution_rule())?;
        rules.set_item("tag", self.0.tag)?;
        rules.set_item("grain", self.grain())?;
        rules.set_item("stiffness", self.0.stiffness)?;
        rules.set_item("damping", self.0.damping)?;
        rules.set_item("torsional_friction", self.0.torsional_friction)?;
        rules.set_item("rolling_friction", self.0.rolling_friction)?;
        Ok(((self.0.friction, self.0.restitution), rules))
    }

    fn __repr__(&self) -> String {
        let mut text = format!("Material(friction={}, restitution={}", self.0.friction, self.0.restitution);
        for (name, rule) in [("friction_rule", self.0.friction_rule), ("restitution_rule", self.0.restitution_rule)] {
            if rule != Combine::default() {
                text += &format!(", {name}='{}'", rule_name(rule));
            }
        }
        if self.0.tag != 0 {
            text += &format!(", tag={}", self.0.tag);
        }
        if let Some(grain) = self.0.grain {
            text += &format!(", grain=({:?}, {})", grain.axis, grain.across);
        }
        if let Some(stiffness) = self.0.stiffness {
            text += &format!(", stiffness={stiffness}, damping={}", self.0.damping);
        }
        if self.0.torsional_friction != 0.0 {
            text += &format!(", torsional_friction={}", self.0.torsional_friction);
        }
        if self.0.rolling_friction != 0.0 {
            text += &format!(", rolling_friction={}", self.0.rolling_friction);
        }
        text + ")"
    }
}
