//! Shapes of bodies. A shape is validated when it is built, and then shared cheaply.
//!
//! A [`Shape`] is a list of parts, each a primitive at a pose. Sphere, cuboid, hull and so on have one part; a compound
//! is flattened into its leaves when it is built. Axes of capsule, cylinder and cone are **z**, since the world is z-up.

mod aabb;
mod cast;
mod clusters;
pub(crate) mod core;
pub(crate) mod depth;
mod ellipsoid;
mod hull;
mod mass;
mod mesh;
#[cfg(feature = "scene")]
mod outer;
mod rounded;
pub(crate) mod separation;
mod silhouette;
mod solid;

pub use aabb::Aabb;
pub use cast::{RayHit, cast_shape};
#[cfg(feature = "scene")]
pub(crate) use hull::Face;
pub(crate) use hull::Hull;
pub use mass::MassProperties;
pub(crate) use mass::principal;
#[cfg(feature = "scene")]
pub(crate) use mass::{joined_mass, moved_mass};
pub(crate) use mesh::{Mesh, Side};
#[cfg(feature = "scene")]
pub(crate) use outer::{fewer_points, outer_points};
pub use solid::Decomposition;

use crate::error::ShapeError;
use crate::filter::{Filter, PartRule};
use glamx::{DPose3, DVec3, Vec3Swizzles};
use std::sync::Arc;

/// Most points a hull may be asked for. A hull of a million points takes minutes; decimate first.
pub const MAX_HULL_POINTS: usize = 65_536;
/// Most vertices the finished hull may have: every support query looks at each.
pub const MAX_HULL_VERTICES: usize = 4_096;
/// Most vertices and most triangles of a mesh or height field.
pub const MAX_MESH_SIZE: usize = 16_000_000;
/// Deepest nesting of compounds in compounds.
pub const MAX_NESTING: usize = 32;
/// Most leaves of a compound.
pub const MAX_PARTS: usize = 65_536;
/// Largest length or coordinate \[m\]. Its cube, a volume times squared length and their sums stay finite.
pub const MAX_LENGTH: f64 = 1e12;
/// Smallest length \[m\]. Below it products of lengths drown in round-off of metre-sized poses.
pub const MIN_LENGTH: f64 = 1e-9;

/// A solid (or, for fixed bodies, a surface) fixed in the axes of its body. Cloning shares the data.
///
/// ```
/// use signorini::Shape;
/// use signorini::glamx::{DPose3, DVec3};
/// // A dumbbell: two balls on a bar.
/// let (ball, bar) = (Shape::sphere(0.2)?, Shape::cylinder(0.5, 0.05)?);
/// let at = |z: f64| DPose3::from_translation(DVec3::new(0.0, 0.0, z));
/// let dumbbell = Shape::compound(vec![(at(0.5), ball.clone()), (at(-0.5), ball), (DPose3::IDENTITY, bar)])?;
/// assert!(dumbbell.is_solid() && !dumbbell.is_convex());
/// # Ok::<(), signorini::ShapeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Shape {
    parts: Arc<[Part]>,
    nesting: usize,
    /// Filters and sensors of the parts; none if all of them push everything.
    rules: Option<Arc<[PartRule]>>,
}

/// One primitive of a shape and where it sits.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) pose: DPose3,
    pub(crate) primitive: Primitive,
    /// What it counts for at 1 kg/m³, in its own axes, where that does not follow from the primitive: of the pieces of a
    /// closed mesh the first has all of its mass.
    pub(crate) mass: Option<MassProperties>,
}

/// The primitives. Lengths \[m\], validated.
#[derive(Clone, Debug)]
pub(crate) enum Primitive {
    Sphere {
        radius: f64,
    },
    Cuboid {
        half: DVec3,
    },
    Ellipsoid {
        half: DVec3,
    },
    /// All points within `radius` of a box.
    RoundedCuboid {
        half: DVec3,
        radius: f64,
    },
    Capsule {
        half_height: f64,
        radius: f64,
    },
    Cylinder {
        half_height: f64,
        radius: f64,
    },
    Cone {
        half_height: f64,
        radius: f64,
    },
    Hull(Arc<Hull>),
    /// All points within `radius` of a hull.
    RoundedHull {
        hull: Arc<Hull>,
        radius: f64,
    },
    HalfSpace {
        normal: DVec3,
    },
    Mesh(Arc<Mesh>),
}

impl Shape {
    /// Ball of `radius` \[m\] about the origin.
    pub fn sphere(radius: f64) -> Result<Shape, ShapeError> {
        length("radius", radius)?;
        Ok(Shape::single(Primitive::Sphere { radius }))
    }

    /// Box with edges along the axes from `-half_extents` to `half_extents` \[m\].
    pub fn cuboid(half_extents: DVec3) -> Result<Shape, ShapeError> {
        length("half extent x", half_extents.x)?;
        length("half extent y", half_extents.y)?;
        length("half extent z", half_extents.z)?;
        Ok(Shape::single(Primitive::Cuboid { half: half_extents }))
    }

    /// Ellipsoid that reaches `±half_extents` along the axes \[m\].
    pub fn ellipsoid(half_extents: DVec3) -> Result<Shape, ShapeError> {
        Shape::cuboid(half_extents)?;
        Ok(Shape::single(Primitive::Ellipsoid { half: half_extents }))
    }

    /// Box with rounded edges and corners: all points within `radius` of the box from `-half_extents` to `half_extents` \[m\],
    /// so that it reaches `half_extents + radius`.
    pub fn rounded_cuboid(half_extents: DVec3, radius: f64) -> Result<Shape, ShapeError> {
        Shape::cuboid(half_extents)?;
        length("radius", radius)?;
        Ok(Shape::single(Primitive::RoundedCuboid { half: half_extents, radius }))
    }

    /// All points within `radius` of the smallest convex solid around `points` \[m\].
    pub fn rounded_hull(points: &[DVec3], radius: f64) -> Result<Shape, ShapeError> {
        length("radius", radius)?;
        Ok(Shape::single(Primitive::RoundedHull { hull: Arc::new(Hull::new(points)?), radius }))
    }

    /// All points within `radius` of the segment from `-half_height` to `half_height` on the z axis \[m\].
    pub fn capsule(half_height: f64, radius: f64) -> Result<Shape, ShapeError> {
        length("half height", half_height)?;
        length("radius", radius)?;
        Ok(Shape::single(Primitive::Capsule { half_height, radius }))
    }

    /// Cylinder about the z axis with caps at `±half_height` \[m\].
    pub fn cylinder(half_height: f64, radius: f64) -> Result<Shape, ShapeError> {
        length("half height", half_height)?;
        length("radius", radius)?;
        Ok(Shape::single(Primitive::Cylinder { half_height, radius }))
    }

    /// Cone with its base disk at `z = -half_height` and its tip at `z = half_height` \[m\].
    pub fn cone(half_height: f64, radius: f64) -> Result<Shape, ShapeError> {
        length("half height", half_height)?;
        length("radius", radius)?;
        Ok(Shape::single(Primitive::Cone { half_height, radius }))
    }

    /// Smallest convex solid around `points` \[m\]. Refused unless it has volume, is closed and convex, and holds every
    /// given point to 1e-6 of its size.
    pub fn convex_hull(points: &[DVec3]) -> Result<Shape, ShapeError> {
        Ok(Shape::single(Primitive::Hull(Arc::new(Hull::new(points)?))))
    }

    /// Everything on the far side of the plane through the origin whose outward `normal` points to the free side. Only
    /// for fixed bodies.
    pub fn half_space(normal: DVec3) -> Result<Shape, ShapeError> {
        finite("normal", 0, normal)?;
        let length = normal.length();
        if length < MIN_LENGTH {
            return Err(ShapeError::NoDirection { field: "normal", length });
        }
        Ok(Shape::single(Primitive::HalfSpace { normal: normal / length }))
    }

    /// Surface of triangles, solid behind their counter-clockwise sides. Only for fixed bodies. Degenerate triangles
    /// are dropped; [`Shape::dropped_triangles`] says how many.
    pub fn triangle_mesh(vertices: Vec<DVec3>, indices: Vec<[u32; 3]>) -> Result<Shape, ShapeError> {
        Ok(Shape::single(Primitive::Mesh(Arc::new(Mesh::new(vertices, indices, Side::Sheet)?))))
    }

    /// Ground over a grid centred on the origin: `heights[j * columns + i]` \[m\] is the height at
    /// `x = (i − (columns − 1)/2)·spacing_x`, `y = (j − (rows − 1)/2)·spacing_y`. Solid below. Only for fixed bodies.
    pub fn height_field(columns: usize, rows: usize, spacing: [f64; 2], heights: &[f64]) -> Result<Shape, ShapeError> {
        Ok(Shape::single(Primitive::Mesh(Arc::new(Mesh::height_field(columns, rows, spacing, heights)?))))
    }

    /// Nothing at all: a body that touches nothing and whose mass is given.
    pub fn none() -> Shape {
        Shape { parts: Arc::new([]), nesting: 0, rules: None }
    }

    /// Several shapes moving as one. Parts may overlap; mass counts the overlap twice.
    pub fn compound(parts: Vec<(DPose3, Shape)>) -> Result<Shape, ShapeError> {
        if parts.is_empty() {
            return Err(ShapeError::TooFew { field: "compound parts", found: 0, needed: 1 });
        }
        let nesting = 1 + parts.iter().map(|(_, shape)| shape.nesting).max().unwrap_or(0);
        if nesting > MAX_NESTING {
            return Err(ShapeError::Limit { field: "nesting of compounds", found: nesting, limit: MAX_NESTING });
        }
        let leaves: usize = parts.iter().map(|(_, shape)| shape.parts.len()).sum();
        if leaves > MAX_PARTS {
            return Err(ShapeError::Limit { field: "number of compound parts", found: leaves, limit: MAX_PARTS });
        }
        let mut flat = Vec::with_capacity(leaves);
        for (index, (pose, shape)) in parts.iter().enumerate() {
            let pose = checked_pose(index, pose)?;
            flat.extend(shape.parts.iter().map(|part| part.moved(&pose)));
        }
        let ruled = parts.iter().any(|(_, shape)| shape.rules.is_some());
        let rules = ruled.then(|| parts.iter().flat_map(|(_, shape)| shape.rules()).collect());
        Ok(Shape { parts: flat.into(), nesting, rules })
    }

    /// The same shape with layers and a mask of its own on each of its parts, beside those of the body: both must agree.
    pub fn filtered(&self, filter: Filter) -> Shape {
        self.ruled(|rule| rule.filter = filter)
    }

    /// The same shape, detecting what comes into it and pushing nothing.
    pub fn sensing(&self) -> Shape {
        self.ruled(|rule| rule.sensor = true)
    }

    fn ruled(&self, change: impl Fn(&mut PartRule)) -> Shape {
        let mut rules: Vec<PartRule> = self.rules().collect();
        rules.iter_mut().for_each(change);
        self.with_rules(rules)
    }

    /// The same shape with other rules, one per part; missing ones are the default.
    pub(crate) fn with_rules(&self, mut rules: Vec<PartRule>) -> Shape {
        rules.resize(self.parts.len(), PartRule::default());
        let plain = rules.iter().all(|rule| *rule == PartRule::default());
        Shape { rules: (!plain).then(|| rules.into()), ..self.clone() }
    }

    /// Rules of the parts, in their order.
    pub(crate) fn rules(&self) -> impl Iterator<Item = PartRule> {
        (0..self.parts.len()).map(|part| self.rule(part))
    }

    /// Rule of a part.
    pub(crate) fn rule(&self, part: usize) -> PartRule {
        self.rules.as_ref().and_then(|rules| rules.get(part)).copied().unwrap_or_default()
    }

    /// Whether a part has a rule.
    pub(crate) fn has_rules(&self) -> bool {
        self.rules.is_some()
    }

    /// Whether a part of this shape pushes a part of another, by their rules.
    pub(crate) fn pushes(&self, part: usize, other: &Shape, theirs: usize) -> bool {
        if self.rules.is_none() && other.rules.is_none() {
            return true;
        }
        let (one, two) = (self.rule(part), other.rule(theirs));
        !one.sensor && !two.sensor && one.filter.meets(two.filter)
    }

    /// The same shape moved by `pose` within the axes of its body.
    pub fn at(&self, pose: DPose3) -> Result<Shape, ShapeError> {
        let pose = checked_pose(0, &pose)?;
        let parts = self.parts.iter().map(|part| part.moved(&pose)).collect();
        Ok(Shape { parts, ..self.clone() })
    }

    /// Volume \[m³\]; an error for a half-space, mesh or height field.
    pub fn volume(&self) -> Result<f64, ShapeError> {
        self.parts.iter().map(|part| part.mass.map_or_else(|| mass::volume(&part.primitive), |own| Ok(own.mass))).sum()
    }

    /// Mass, centre and inertia at uniform `density` [kg/m³].
    pub fn mass_properties(&self, density: f64) -> Result<MassProperties, ShapeError> {
        mass::of_parts(&self.parts, density)
    }

    /// Smallest axis-aligned box around the shape at `pose`.
    pub fn aabb(&self, pose: &DPose3) -> Aabb {
        self.parts.iter().fold(Aabb::EMPTY, |all, part| all.union(part.primitive.aabb(&(*pose * part.pose))))
    }

    /// Whether the shape fits in a finite box.
    pub fn is_bounded(&self) -> bool {
        self.parts.iter().all(|part| !matches!(part.primitive, Primitive::HalfSpace { .. }))
    }

    /// Whether the shape is one convex primitive.
    pub fn is_convex(&self) -> bool {
        self.parts.len() == 1 && !matches!(self.parts[0].primitive, Primitive::Mesh(_))
    }

    /// Whether the shape has mass, so that it can belong to a moving body.
    pub fn is_solid(&self) -> bool {
        self.parts.iter().all(|part| !matches!(part.primitive, Primitive::HalfSpace { .. } | Primitive::Mesh(_)))
    }

    /// Number of degenerate triangles left out of the meshes of this shape.
    pub fn dropped_triangles(&self) -> usize {
        self.parts.iter().map(|part| if let Primitive::Mesh(mesh) = &part.primitive { mesh.dropped } else { 0 }).sum()
    }

    /// The primitives and their poses, in the order of the `sub_a`, `sub_b` of a manifold.
    pub(crate) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Depth of compounds in compounds.
    pub(crate) fn nesting(&self) -> usize {
        self.nesting
    }

    /// A shape of leaves as [`Shape::parts`] gives them: poses are checked and kept bit for bit.
    pub(crate) fn from_parts(parts: Vec<Part>, nesting: usize) -> Result<Shape, ShapeError> {
        for (field, found, limit) in
            [("nesting of compounds", nesting, MAX_NESTING), ("number of compound parts", parts.len(), MAX_PARTS)]
        {
            if found > limit {
                return Err(ShapeError::Limit { field, found, limit });
            }
        }
        for (index, part) in parts.iter().enumerate() {
            checked_pose(index, &part.pose)?;
        }
        Ok(Shape { parts: parts.into(), nesting, rules: None })
    }

    /// Whether the shape is one sphere about this point: turning it about the point changes nothing.
    pub(crate) fn is_ball_about(&self, point: DVec3) -> bool {
        self.ball_about(point).is_some()
    }

    /// Radius of the shape if it is one ball about `point` \[m\].
    pub(crate) fn ball_about(&self, point: DVec3) -> Option<f64> {
        match &*self.parts {
            [Part { pose, primitive: Primitive::Sphere { radius }, .. }] if pose.translation == point => Some(*radius),
            _ => None,
        }
    }

    /// Whether the two share their data: one is a clone of the other.
    pub(crate) fn shares_data(&self, other: &Shape) -> bool {
        let same_rules = match (&self.rules, &other.rules) {
            (None, None) => true,
            (Some(one), Some(two)) => one == two,
            _ => false,
        };
        same_rules && Arc::ptr_eq(&self.parts, &other.parts)
    }

    fn single(primitive: Primitive) -> Shape {
        let part = Part { pose: DPose3::IDENTITY, primitive, mass: None };
        Shape { parts: Arc::new([part]), nesting: 0, rules: None }
    }
}

impl Part {
    fn moved(&self, pose: &DPose3) -> Part {
        Part { pose: *pose * self.pose, primitive: self.primitive.clone(), mass: self.mass }
    }
}

impl Primitive {
    /// Name used in messages.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Primitive::Sphere { .. } => "sphere",
            Primitive::Cuboid { .. } => "cuboid",
            Primitive::Ellipsoid { .. } => "ellipsoid",
            Primitive::RoundedCuboid { .. } => "rounded cuboid",
            Primitive::RoundedHull { .. } => "rounded hull",
            Primitive::Capsule { .. } => "capsule",
            Primitive::Cylinder { .. } => "cylinder",
            Primitive::Cone { .. } => "cone",
            Primitive::Hull(_) => "convex hull",
            Primitive::HalfSpace { .. } => "half-space",
            Primitive::Mesh(_) => "triangle surface",
        }
    }

    /// Exact bounds for all but the cone, whose box is that of its base disk and tip (also exact).
    pub(crate) fn aabb(&self, pose: &DPose3) -> Aabb {
        let centre = pose.translation;
        let around = |half: DVec3| Aabb { min: centre - half, max: centre + half };
        let z = pose.rotation * DVec3::Z;
        // Half extent of a disk of unit radius with axis z: √(1 − zᵢ²), written as a distance to stay real.
        let disk = DVec3::new(z.yz().length(), z.xz().length(), z.xy().length());
        match self {
            Primitive::Sphere { radius } => around(DVec3::splat(*radius)),
            Primitive::Cuboid { half } => around(box_reach(pose, *half)),
            Primitive::Ellipsoid { half } => {
                // Length of each row of R·diag(half).
                let columns = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| pose.rotation * (axis * *half));
                let squares = columns.iter().map(|column| *column * *column).sum::<DVec3>();
                around(DVec3::new(squares.x.sqrt(), squares.y.sqrt(), squares.z.sqrt()))
            }
            Primitive::RoundedCuboid { half, radius } => around(box_reach(pose, *half) + DVec3::splat(*radius)),
            Primitive::Capsule { half_height, radius } => around((z * *half_height).abs() + DVec3::splat(*radius)),
            Primitive::Cylinder { half_height, radius } => around((z * *half_height).abs() + disk * *radius),
            Primitive::Cone { half_height, radius } => {
                let (tip, base) = (centre + z * *half_height, centre - z * *half_height);
                Aabb { min: tip.min(base - disk * *radius), max: tip.max(base + disk * *radius) }
            }
            Primitive::Hull(hull) => hull_bounds(pose, hull),
            Primitive::RoundedHull { hull, radius } => hull_bounds(pose, hull).inflated(*radius),
            Primitive::HalfSpace { .. } => Aabb::UNBOUNDED,
            Primitive::Mesh(mesh) => {
                let (middle, half) =
                    ((mesh.bounds.min + mesh.bounds.max) * 0.5, (mesh.bounds.max - mesh.bounds.min) * 0.5);
                let reach = box_reach(pose, half);
                let middle = pose.transform_point(middle);
                Aabb { min: middle - reach, max: middle + reach }
            }
        }
    }
}

/// How far a box reaches from its middle along the axes in which it is placed \[m\].
fn box_reach(pose: &DPose3, half: DVec3) -> DVec3 {
    let x = pose.rotation * DVec3::new(half.x, 0.0, 0.0);
    let y = pose.rotation * DVec3::new(0.0, half.y, 0.0);
    x.abs() + y.abs() + (pose.rotation * DVec3::Z * half.z).abs()
}

fn hull_bounds(pose: &DPose3, hull: &Hull) -> Aabb {
    let corners = hull.vertices.iter().map(|v| pose.transform_point(*v));
    corners.fold(Aabb::EMPTY, |all, p| Aabb { min: all.min.min(p), max: all.max.max(p) })
}

/// A length that can be computed with.
fn length(field: &'static str, value: f64) -> Result<(), ShapeError> {
    if (MIN_LENGTH..=MAX_LENGTH).contains(&value) { Ok(()) } else { Err(ShapeError::NotPositive { field, value }) }
}

/// A point or vector with usable components.
fn finite(field: &'static str, index: usize, vector: DVec3) -> Result<(), ShapeError> {
    match vector.to_array().into_iter().find(|x| x.is_nan() || x.abs() > MAX_LENGTH) {
        None => Ok(()),
        Some(value) => Err(ShapeError::NotFinite { field, index, value }),
    }
}

/// A finite translation and a rotation that is one to 1e-6, normalised.
fn checked_pose(index: usize, pose: &DPose3) -> Result<DPose3, ShapeError> {
    finite("part position", index, pose.translation)?;
    let norm = pose.rotation.length();
    if norm.is_nan() || (norm - 1.0).abs() > 1e-6 {
        return Err(ShapeError::NotARotation { index, norm });
    }
    Ok(DPose3::from_parts(pose.translation, pose.rotation.normalize()))
}
