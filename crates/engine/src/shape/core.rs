//! Convex primitives as used by the narrow phase: a sharp core plus a radius.
//!
//! A sphere is a point grown by its radius and a capsule a segment, so that distances between cores are exact where
//! the grown solids overlap a little.

use super::{Hull, Primitive, ellipsoid};
use glamx::{DMat3, DPose3, DVec3};
use parry3d_f64::shape::SupportMap;

/// A convex core in its own axes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Core<'a> {
    /// The origin.
    Point,
    /// From −half to half on the z axis.
    Segment {
        half: f64,
    },
    Cuboid {
        half: DVec3,
    },
    Ellipsoid {
        half: DVec3,
    },
    Hull(&'a Hull),
    /// About z, caps at ±half.
    Cylinder {
        half: f64,
        radius: f64,
    },
    /// About z, base at −half, tip at half.
    Cone {
        half: f64,
        radius: f64,
    },
    /// A triangle and its unit normal; coordinates are taken from its centroid.
    Triangle {
        corners: [DVec3; 3],
        normal: DVec3,
    },
}

/// A core and the radius it is grown by \[m\].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Convex<'a> {
    pub(crate) core: Core<'a>,
    pub(crate) radius: f64,
}

impl Primitive {
    /// The core of a convex bounded primitive.
    pub(crate) fn convex(&self) -> Option<Convex<'_>> {
        let sharp = |core| Some(Convex { core, radius: 0.0 });
        match *self {
            Primitive::Sphere { radius } => Some(Convex { core: Core::Point, radius }),
            Primitive::Capsule { half_height, radius } => {
                Some(Convex { core: Core::Segment { half: half_height }, radius })
            }
            Primitive::Cuboid { half } => sharp(Core::Cuboid { half }),
            Primitive::Ellipsoid { half } => sharp(Core::Ellipsoid { half }),
            Primitive::RoundedCuboid { half, radius } => Some(Convex { core: Core::Cuboid { half }, radius }),
            Primitive::RoundedHull { ref hull, radius } => Some(Convex { core: Core::Hull(hull), radius }),
            Primitive::Cylinder { half_height, radius } => sharp(Core::Cylinder { half: half_height, radius }),
            Primitive::Cone { half_height, radius } => sharp(Core::Cone { half: half_height, radius }),
            Primitive::Hull(ref hull) => sharp(Core::Hull(hull)),
            Primitive::HalfSpace { .. } | Primitive::Mesh(_) => None,
        }
    }
}

impl Core<'_> {
    /// A point of the core farthest along `dir`; the first of several.
    pub(crate) fn support(&self, dir: DVec3) -> DVec3 {
        match *self {
            Core::Point => DVec3::ZERO,
            Core::Segment { half } => DVec3::new(0.0, 0.0, half.copysign(dir.z)),
            Core::Cuboid { half } => DVec3::new(half.x.copysign(dir.x), half.y.copysign(dir.y), half.z.copysign(dir.z)),
            Core::Ellipsoid { half } => ellipsoid::support(half, dir),
            Core::Hull(hull) => hull.farthest(dir),
            Core::Cylinder { half, radius } => rim(dir, radius).with_z(half.copysign(dir.z)),
            Core::Cone { half, radius } => {
                let base = rim(dir, radius).with_z(-half);
                let tip = DVec3::new(0.0, 0.0, half);
                if tip.dot(dir) >= base.dot(dir) { tip } else { base }
            }
            Core::Triangle { ref corners, .. } => farthest(corners, dir),
        }
    }

    /// Largest extent \[m\].
    pub(crate) fn size(&self) -> f64 {
        match *self {
            Core::Point => 0.0,
            Core::Segment { half } => 2.0 * half,
            Core::Cuboid { half } | Core::Ellipsoid { half } => 2.0 * half.max_element(),
            Core::Hull(hull) => hull.size,
            Core::Cylinder { half, radius } | Core::Cone { half, radius } => 2.0 * half.max(radius),
            Core::Triangle { corners: [a, b, c], .. } => (b - a).length().max((c - b).length()).max((a - c).length()),
        }
    }

    /// Whether all faces are flat, so that a finite list of axes decides contact.
    pub(crate) fn is_polytope(&self) -> bool {
        !matches!(self, Core::Cylinder { .. } | Core::Cone { .. } | Core::Ellipsoid { .. })
    }

    /// Outward normal of the flat face best aligned with `dir`.
    pub(crate) fn aligned_face(&self, dir: DVec3) -> Option<DVec3> {
        match *self {
            Core::Point | Core::Segment { .. } | Core::Ellipsoid { .. } => None,
            Core::Cuboid { .. } => Some(box_face(dir)),
            Core::Hull(hull) => {
                let mut best = (f64::MIN, DVec3::ZERO);
                for face in &hull.faces {
                    let alignment = face.normal.dot(dir);
                    if alignment > best.0 {
                        best = (alignment, face.normal);
                    }
                }
                Some(best.1)
            }
            Core::Cylinder { .. } => Some(DVec3::new(0.0, 0.0, 1f64.copysign(dir.z))),
            Core::Cone { .. } => (dir.z < 0.0).then_some(DVec3::NEG_Z),
            Core::Triangle { normal, .. } => Some(normal * 1f64.copysign(normal.dot(dir))),
        }
    }

    /// Calls `visit` with each face normal. For curved sides: with the normal towards `other`, the middle of the other
    /// core, which is exact when that core is a point.
    pub(crate) fn visit_face_axes(&self, other: DVec3, mut visit: impl FnMut(DVec3)) {
        let radial = DVec3::new(other.x, other.y, 0.0).try_normalize().unwrap_or(DVec3::X);
        match *self {
            Core::Point => {}
            Core::Segment { .. } => visit(radial),
            // Its normal where it is met from there, roughly.
            Core::Ellipsoid { half } => visit((other / (half * half)).try_normalize().unwrap_or(DVec3::Z)),
            Core::Cuboid { .. } => {
                for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                    visit(axis);
                    visit(-axis);
                }
            }
            Core::Hull(hull) => hull.faces.iter().for_each(|face| visit(face.normal)),
            Core::Cylinder { .. } => {
                visit(DVec3::Z);
                visit(DVec3::NEG_Z);
                visit(radial);
            }
            Core::Cone { half, radius } => {
                visit(DVec3::NEG_Z);
                visit((radial * (2.0 * half) + DVec3::Z * radius).normalize());
            }
            Core::Triangle { normal, .. } => {
                visit(normal);
                visit(-normal);
            }
        }
    }

    /// Calls `visit` with one unit direction for each set of parallel straight edges.
    pub(crate) fn visit_edges(&self, mut visit: impl FnMut(DVec3)) {
        match *self {
            Core::Point | Core::Cone { .. } | Core::Ellipsoid { .. } => {}
            Core::Segment { .. } | Core::Cylinder { .. } => visit(DVec3::Z),
            Core::Cuboid { .. } => [DVec3::X, DVec3::Y, DVec3::Z].into_iter().for_each(visit),
            Core::Hull(hull) => hull.edge_directions.iter().for_each(|d| visit(*d)),
            Core::Triangle { corners: [a, b, c], .. } => {
                for edge in [b - a, c - b, a - c] {
                    visit(edge.normalize_or_zero());
                }
            }
        }
    }
}

impl SupportMap for Core<'_> {
    fn local_support_point(&self, dir: DVec3) -> DVec3 {
        self.support(dir)
    }
}

/// A core seen from other axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed<'a> {
    pub(crate) core: Core<'a>,
    pub(crate) rotation: DMat3,
    pub(crate) translation: DVec3,
}

impl<'a> Placed<'a> {
    pub(crate) fn new(core: Core<'a>, pose: &DPose3) -> Placed<'a> {
        Placed { core, rotation: DMat3::from_quat(pose.rotation), translation: pose.translation }
    }

    /// Direction in the core's own axes.
    pub(crate) fn to_local(self, dir: DVec3) -> DVec3 {
        DVec3::new(self.rotation.x_axis.dot(dir), self.rotation.y_axis.dot(dir), self.rotation.z_axis.dot(dir))
    }

    /// Farthest point along `dir`.
    pub(crate) fn support(&self, dir: DVec3) -> DVec3 {
        self.rotation * self.core.support(self.to_local(dir)) + self.translation
    }
}

/// Normal of the box face best aligned with `dir`; x before y before z when equal.
pub(crate) fn box_face(dir: DVec3) -> DVec3 {
    let size = dir.abs();
    if size.x >= size.y && size.x >= size.z {
        DVec3::new(1f64.copysign(dir.x), 0.0, 0.0)
    } else if size.y >= size.z {
        DVec3::new(0.0, 1f64.copysign(dir.y), 0.0)
    } else {
        DVec3::new(0.0, 0.0, 1f64.copysign(dir.z))
    }
}

pub(super) fn farthest(points: &[DVec3], dir: DVec3) -> DVec3 {
    let mut best = (f64::MIN, DVec3::ZERO);
    for &point in points {
        let height = point.dot(dir);
        if height > best.0 {
            best = (height, point);
        }
    }
    best.1
}

/// Point of a circle about z farthest along `dir`; its centre when `dir` is vertical.
fn rim(dir: DVec3, radius: f64) -> DVec3 {
    let flat = dir.truncate().length();
    if flat > 0.0 { DVec3::new(dir.x / flat * radius, dir.y / flat * radius, 0.0) } else { DVec3::ZERO }
}
