//! Shapes of a scene as parry has them: convex parts, round ones as a core and a radius.
//!
//! Parry's own depth of round shapes is an iteration that may stop early; the distance of two cores is exact to round-off.

use crate::BenchError;
use rapier3d_f64::parry::math::Pose;
use rapier3d_f64::parry::shape::{SharedShape, TriMeshFlags};
use signorini::glamx::{DQuat, DVec3};
use signorini::scene::ShapeDescription;

/// One convex part (or a mesh) of a body, in the axes of the body.
#[derive(Clone)]
pub struct Part {
    /// Where the part is in the body.
    pub place: Pose,
    /// The whole of it.
    pub whole: SharedShape,
    /// What is left when `radius` is taken off all around: a point, a segment or the whole.
    pub core: Core,
    /// \[m\].
    pub radius: f64,
    /// Half extents of a box.
    pub half: Option<DVec3>,
}

/// What a part is without its radius.
#[derive(Clone)]
pub enum Core {
    /// The origin of the part.
    Point,
    /// A convex solid or a segment.
    Convex(SharedShape),
    /// Everything behind a plane through the origin.
    HalfSpace(DVec3),
    /// Triangles.
    Surface,
}

/// Turns parry's axis y of cylinders and cones into our z.
fn upright() -> DQuat {
    DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2)
}

/// The parts of a shape, appended.
pub fn parts(shape: &ShapeDescription, place: Pose, out: &mut Vec<Part>) -> Result<(), BenchError> {
    let solid = |place: Pose, whole: SharedShape| Part {
        place,
        core: Core::Convex(whole.clone()),
        whole,
        radius: 0.0,
        half: None,
    };
    let turned = Pose::from_parts(place.translation, place.rotation * upright());
    let points = |list: &[[f64; 3]]| list.iter().map(|p| DVec3::from_array(*p)).collect::<Vec<_>>();
    let part = match shape {
        // A body without a shape overlaps nothing.
        ShapeDescription::None => return Ok(()),
        ShapeDescription::Sphere { radius } => {
            Part { core: Core::Point, radius: *radius, ..solid(place, SharedShape::ball(*radius)) }
        }
        ShapeDescription::Capsule { half_height, radius } => {
            let (a, b) = (DVec3::new(0.0, 0.0, -half_height), DVec3::new(0.0, 0.0, *half_height));
            let core = Core::Convex(SharedShape::segment(a, b));
            Part { core, radius: *radius, ..solid(place, SharedShape::capsule_z(*half_height, *radius)) }
        }
        ShapeDescription::Cuboid { half_extents: [x, y, z] } => {
            Part { half: Some(DVec3::new(*x, *y, *z)), ..solid(place, SharedShape::cuboid(*x, *y, *z)) }
        }
        ShapeDescription::Cylinder { half_height, radius } => {
            solid(turned, SharedShape::cylinder(*half_height, *radius))
        }
        ShapeDescription::Cone { half_height, radius } => solid(turned, SharedShape::cone(*half_height, *radius)),
        ShapeDescription::Hull { points: list } => {
            let hull = SharedShape::convex_hull(&points(list));
            solid(place, hull.ok_or_else(|| BenchError::Engine("parry makes no hull of these points".to_owned()))?)
        }
        ShapeDescription::RoundedCuboid { half_extents: [x, y, z], radius } => {
            let core = Core::Convex(SharedShape::cuboid(*x, *y, *z));
            Part { core, radius: *radius, ..solid(place, SharedShape::round_cuboid(*x, *y, *z, *radius)) }
        }
        ShapeDescription::RoundedHull { points: list, radius } => {
            let none = || BenchError::Engine("parry makes no hull of these points".to_owned());
            let core = Core::Convex(SharedShape::convex_hull(&points(list)).ok_or_else(none)?);
            let whole = SharedShape::round_convex_hull(&points(list), *radius).ok_or_else(none)?;
            Part { core, radius: *radius, ..solid(place, whole) }
        }
        // As its convex pieces.
        ShapeDescription::Solid { .. } => {
            let built = shape.build("shape").map_err(BenchError::engine)?;
            return parts(&built.describe(), place, out);
        }
        ShapeDescription::HalfSpace { normal } => {
            let normal = DVec3::from_array(*normal).normalize();
            Part { core: Core::HalfSpace(normal), ..solid(place, SharedShape::halfspace(normal)) }
        }
        ShapeDescription::Mesh { vertices, triangles } => {
            let flags = TriMeshFlags::empty();
            let mesh = SharedShape::trimesh_with_flags(points(vertices), triangles.clone(), flags);
            Part { core: Core::Surface, ..solid(place, mesh.map_err(BenchError::engine)?) }
        }
        ShapeDescription::Compound { parts: list } => {
            for part in list {
                let [w, x, y, z] = part.orientation.unwrap_or([1.0, 0.0, 0.0, 0.0]);
                let inner = Pose::from_parts(DVec3::from_array(part.position), DQuat::from_xyzw(x, y, z, w));
                parts(&part.shape, place * inner, out)?;
            }
            return Ok(());
        }
        ShapeDescription::Ellipsoid { .. } => {
            return Err(BenchError::Engine("no other engine here has ellipsoids".to_owned()));
        }
        ShapeDescription::File { .. } | ShapeDescription::HeightField { .. } => {
            return Err(BenchError::Engine("a shape that is measured only once it is a mesh".to_owned()));
        }
    };
    out.push(part);
    Ok(())
}
