//! Rounded boxes and hulls, and solids inside closed meshes: mass from paper, contact, copies, and what is refused.

use signorini::glamx::{DMat3, DVec3};
use signorini::shape::Decomposition;
use signorini::{Body, MassProperties, Settings, Shape, ShapeError, Snapshot, StepStatus, World};
use std::f64::consts::PI;

fn corners(half: DVec3) -> Vec<DVec3> {
    (0..8).map(|k: u32| half * DVec3::new(sign(k, 0), sign(k, 1), sign(k, 2))).collect()
}

fn sign(k: u32, bit: u32) -> f64 {
    if k >> bit & 1 == 1 { 1.0 } else { -1.0 }
}

fn close(a: &MassProperties, b: &MassProperties, tolerance: f64) {
    assert!((a.mass / b.mass - 1.0).abs() < tolerance, "{} and {}", a.mass, b.mass);
    assert!((a.centre - b.centre).length() < tolerance, "{} and {}", a.centre, b.centre);
    let off = (a.inertia - b.inertia).to_cols_array().iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    assert!(off < tolerance * b.inertia.x_axis.x.abs().max(1e-3), "{:?} and {:?}", a.inertia, b.inertia);
}

/// Steiner: V + S r + ½ΣθL r² + 4/3 π r³. For a regular tetrahedron of edge 1, V = √2/12, S = √3, and its six edges turn by
/// θ = π − arccos(1/3). By symmetry its centre stays and its inertia is a sphere's.
#[test]
fn rounded_tetrahedron_has_the_volume_of_steiner() {
    let s = 0.5 / 2f64.sqrt();
    let points = [DVec3::new(s, s, s), DVec3::new(s, -s, -s), DVec3::new(-s, s, -s), DVec3::new(-s, -s, s)];
    let r = 0.3;
    let found = Shape::rounded_hull(&points, r).unwrap().mass_properties(1.0).unwrap();
    let turn = PI - (1.0_f64 / 3.0).acos();
    let volume = 2f64.sqrt() / 12.0 + 3f64.sqrt() * r + 3.0 * turn * r * r + 4.0 / 3.0 * PI * r.powi(3);
    assert!((found.mass / volume - 1.0).abs() < 1e-12, "{} and {volume}", found.mass);
    assert!(found.centre.length() < 1e-12);
    let off = found.inertia - DMat3::from_diagonal(DVec3::splat(found.inertia.x_axis.x));
    assert!(off.to_cols_array().iter().all(|x| x.abs() < 1e-12), "{off:?}");
}

/// Two routes to the same solid: a box by slabs, rods and a ball, and its hull face by face, edge by edge, vertex by vertex. With a core
/// of almost nothing it is a ball, ⅖ m r².
#[test]
fn rounded_box_is_weighed_alike_by_two_routes_and_ends_as_a_ball() {
    let half = DVec3::new(0.3, 0.2, 0.1);
    for radius in [0.01, 0.25] {
        let one = Shape::rounded_cuboid(half, radius).unwrap().mass_properties(3.0).unwrap();
        let two = Shape::rounded_hull(&corners(half), radius).unwrap().mass_properties(3.0).unwrap();
        close(&one, &two, 1e-12);
    }
    let tiny = Shape::rounded_cuboid(DVec3::splat(1e-9), 0.5).unwrap().mass_properties(1.0).unwrap();
    let ball = Shape::sphere(0.5).unwrap().mass_properties(1.0).unwrap();
    // A core of 1e-9 m widens it by 1.5e-9 m in the mean: five times that over the radius in its inertia.
    close(&tiny, &ball, 2e-8);
}

/// A rounded box lies on its flat face at half + r, one on the other, and the lower one is pressed by both.
#[test]
fn rounded_boxes_stack_at_their_height() {
    let (half, radius) = (DVec3::new(0.2, 0.2, 0.1), 0.05);
    let mut world = World::new(Settings::default()).unwrap();
    let floor = world.add(Body::fixed(Shape::half_space(DVec3::Z).unwrap()).named("floor")).unwrap();
    let mut boxes = Vec::new();
    for (level, shape) in
        [Shape::rounded_cuboid(half, radius).unwrap(), Shape::rounded_hull(&corners(half), radius).unwrap()]
            .into_iter()
            .enumerate()
    {
        let at = DVec3::new(0.0, 0.0, 0.15 + 0.3 * level as f64);
        boxes.push(world.add(Body::dynamic(shape).mass(2.0).position(at).numbered(level as u64)).unwrap());
    }
    for _ in 0..60 {
        assert_eq!(world.step(1.0 / 60.0).unwrap().status, StepStatus::Certified);
    }
    for (level, handle) in boxes.iter().enumerate() {
        let z = world.body(*handle).unwrap().position().z;
        assert!((z - 0.15 - 0.3 * level as f64).abs() < 1e-6, "level {level} is at {z}");
    }
    let pressed = world.body(floor).unwrap().constraint_forces().force.z;
    assert!((pressed + 4.0 * 9.81).abs() < 1e-4, "{pressed}");
}

/// A rounded box bounds rays as it bounds bodies: its face at half + r, its corner on the ball about the core's corner.
#[test]
fn rays_meet_faces_and_corners_of_a_rounded_box() {
    let mut world = World::new(Settings::default()).unwrap();
    let half = DVec3::new(0.3, 0.2, 0.1);
    world.add(Body::fixed(Shape::rounded_cuboid(half, 0.05).unwrap())).unwrap();
    let (_, face) = world.cast_ray(DVec3::new(2.0, 0.0, 0.0), -DVec3::X, 10.0).unwrap();
    assert!((face.distance - 1.65).abs() < 1e-9 && (face.normal - DVec3::X).length() < 1e-6);
    let diagonal = DVec3::ONE.normalize();
    let (_, corner) = world.cast_ray(half + diagonal * 2.0, -diagonal, 10.0).unwrap();
    assert!((corner.distance - 1.95).abs() < 1e-9 && (corner.normal - diagonal).length() < 1e-6, "{corner:?}");
    assert!(world.cast_ray(DVec3::new(2.0, 0.0, 0.2), -DVec3::X, 10.0).is_none());
}

/// A prism over a polygon (counter-clockwise) from z = 0 to `height`, closed, fan by fan of given triangles of the polygon.
fn prism(outline: &[[f64; 2]], caps: &[[u32; 3]], height: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let n = outline.len() as u32;
    let mut vertices: Vec<DVec3> = outline.iter().map(|[x, y]| DVec3::new(*x, *y, 0.0)).collect();
    vertices.extend(outline.iter().map(|[x, y]| DVec3::new(*x, *y, height)));
    let mut triangles: Vec<[u32; 3]> = caps.iter().map(|[a, b, c]| [*a, *c, *b]).collect();
    triangles.extend(caps.iter().map(|cap| cap.map(|v| v + n)));
    for i in 0..n {
        let j = (i + 1) % n;
        triangles.extend([[i, j, j + n], [i, j + n, i + n]]);
    }
    (vertices, triangles)
}

/// A U of outer width 3, height 3, walls and bottom 1 thick, 1 deep: three boxes on paper.
fn letter_u() -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let outline = [[0.0, 0.0], [3.0, 0.0], [3.0, 3.0], [2.0, 3.0], [2.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]];
    prism(&outline, &[[0, 1, 4], [0, 4, 5], [1, 2, 3], [1, 3, 4], [0, 5, 6], [0, 6, 7]], 1.0)
}

/// The same as three boxes.
fn u_of_boxes(density: f64) -> MassProperties {
    let part = |half: DVec3, at: DVec3| (signorini::glamx::DPose3::from_translation(at), Shape::cuboid(half).unwrap());
    let bottom = part(DVec3::new(1.5, 0.5, 0.5), DVec3::new(1.5, 0.5, 0.5));
    let wall = |x: f64| part(DVec3::new(0.5, 1.0, 0.5), DVec3::new(x, 2.0, 0.5));
    Shape::compound(vec![bottom, wall(0.5), wall(2.5)]).unwrap().mass_properties(density).unwrap()
}

/// Mass, centre and inertia of a solid are those of its mesh, whatever its pieces are: found, given, or too large.
#[test]
fn a_solid_weighs_what_its_mesh_encloses() {
    let (vertices, triangles) = letter_u();
    let paper = u_of_boxes(2.0);
    let found = Shape::solid_mesh(&vertices, &triangles, &Decomposition::default()).unwrap();
    close(&found.mass_properties(2.0).unwrap(), &paper, 1e-12);
    assert!((found.volume().unwrap() - 7.0).abs() < 1e-12);
    assert!(!found.is_convex() && found.is_solid());
    let one_piece = Shape::solid_of_pieces(&vertices, &triangles, std::slice::from_ref(&vertices)).unwrap();
    close(&one_piece.mass_properties(2.0).unwrap(), &paper, 1e-12);
    // Moved in a compound the mass goes along: twice the U, side by side.
    let shift = signorini::glamx::DPose3::from_translation(DVec3::new(10.0, 0.0, 0.0));
    let pair = Shape::compound(vec![(signorini::glamx::DPose3::IDENTITY, found.clone()), (shift, found)]).unwrap();
    let pair = pair.mass_properties(2.0).unwrap();
    assert!((pair.mass - 2.0 * paper.mass).abs() < 1e-9);
    assert!((pair.centre - paper.centre - DVec3::new(5.0, 0.0, 0.0)).length() < 1e-9);
    // The same pieces every time.
    let again = Shape::solid_mesh(&vertices, &triangles, &Decomposition::default()).unwrap();
    let first = Shape::solid_mesh(&vertices, &triangles, &Decomposition::default()).unwrap();
    assert_eq!(again.describe(), first.describe());
}

/// A U upside down hangs with its bottom on a post that stands between its walls: its hull would lie on top of the post.
#[test]
fn a_hollow_holds_what_is_in_it() {
    let (vertices, triangles) = letter_u();
    // Turned so that the opening is down: y → −z. The hollow is from x = 1 to 2, its ceiling at z = −1.
    let down = |v: &DVec3| DVec3::new(v.x - 1.5, v.z - 0.5, -v.y);
    let flipped: Vec<DVec3> = vertices.iter().map(down).collect();
    let shape = Shape::solid_mesh(&flipped, &triangles, &Decomposition::default()).unwrap();
    let mut world = World::new(Settings::default()).unwrap();
    let post = Shape::cuboid(DVec3::new(0.3, 0.3, 2.0)).unwrap();
    world.add(Body::fixed(post).position(DVec3::new(0.0, 0.0, -2.0)).named("post")).unwrap();
    let cap = Body::dynamic(shape).density(100.0).position(DVec3::new(0.0, 0.0, 1.02)).named("cap");
    let cap = world.add(cap).unwrap();
    for _ in 0..180 {
        world.step(1.0 / 120.0).unwrap();
    }
    // A voxel is 3/64 wide: the ceiling of the pieces is as near to that of the mesh.
    let z = world.body(cap).unwrap().position().z;
    assert!((z - 1.0).abs() < 3.0 / 64.0, "the cap is at {z}");
    assert!(world.body(cap).unwrap().velocity().length() < 1e-6);
}

/// Copies keep shapes and masses to the bit: snapshots and descriptions.
#[test]
fn snapshots_and_descriptions_keep_the_new_shapes() {
    let (vertices, triangles) = letter_u();
    let shapes = [
        Shape::rounded_cuboid(DVec3::new(0.3, 0.2, 0.1), 0.05).unwrap(),
        Shape::rounded_hull(&corners(DVec3::new(0.3, 0.2, 0.1)), 0.05).unwrap(),
        Shape::solid_mesh(&vertices, &triangles, &Decomposition::default()).unwrap(),
    ];
    let mut world = World::new(Settings::default()).unwrap();
    for (k, shape) in shapes.iter().enumerate() {
        let again = shape.describe().build("shape").unwrap();
        assert_eq!(again.mass_properties(3.0).unwrap(), shape.mass_properties(3.0).unwrap());
        world.add(Body::dynamic(shape.clone()).position(DVec3::X * 10.0 * k as f64).numbered(k as u64)).unwrap();
    }
    let bytes = world.snapshot().to_bytes();
    let mut back = World::new(Settings::default()).unwrap();
    back.restore(&Snapshot::from_bytes(&bytes).unwrap()).unwrap();
    assert_eq!(back.snapshot().to_bytes(), bytes);
    for (_, body) in back.bodies() {
        assert!(body.mass() > 0.0);
    }
}

/// What is not closed, inside out, or asked for with impossible numbers is refused by name.
#[test]
fn bad_solids_are_typed_errors() {
    let (vertices, triangles) = letter_u();
    let cut = Decomposition::default();
    let open = Shape::solid_mesh(&vertices, &triangles[1..], &cut).unwrap_err();
    assert!(matches!(open, ShapeError::NotClosed { .. }), "{open}");
    let wrong: Vec<[u32; 3]> = triangles.iter().map(|[a, b, c]| [*a, *c, *b]).collect();
    let inside_out = Shape::solid_mesh(&vertices, &wrong, &cut).unwrap_err();
    assert!(matches!(inside_out, ShapeError::InsideOut { volume } if (volume + 7.0).abs() < 1e-9), "{inside_out}");
    let beyond = Shape::solid_mesh(&vertices, &[[0, 1, 99], [0, 1, 2], [0, 2, 3], [1, 2, 3]], &cut).unwrap_err();
    assert!(matches!(beyond, ShapeError::IndexOutOfRange { triangle: 0, index: 99, .. }), "{beyond}");
    for bad in [
        Decomposition { resolution: 2, ..cut },
        Decomposition { resolution: 100_000, ..cut },
        Decomposition { concavity: f64::NAN, ..cut },
        Decomposition { max_parts: 0, ..cut },
    ] {
        assert!(Shape::solid_mesh(&vertices, &triangles, &bad).is_err(), "{bad:?}");
    }
    assert!(Shape::solid_of_pieces(&vertices, &triangles, &[]).is_err());
    for radius in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(Shape::rounded_cuboid(DVec3::ONE, radius).is_err());
        assert!(Shape::rounded_hull(&corners(DVec3::ONE), radius).is_err());
    }
}

/// Bodies that describe the same hull share it: a snapshot, which holds every shape once, does not grow by it.
#[test]
fn identical_hulls_of_a_scene_are_built_once() {
    let scene = |bodies: usize| {
        let mut text = String::new();
        for k in 0..bodies {
            text += &format!(
                "[[bodies]]\nname = \"stone {k}\"\nposition = [{}, 0, 0]\n\
                 shape.hull.points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.7, 0.7, 0.7]]\n",
                3 * k
            );
        }
        signorini::Scene::from_toml(&text).unwrap().build().unwrap().snapshot().to_bytes().len()
    };
    let (one, two, nine) = (scene(1), scene(2), scene(9));
    // Every further body adds as much as the second, and none of that is a hull of five points (more than 120 bytes of them).
    assert_eq!(nine - two, 7 * (two - one));
    let other = signorini::Scene::from_toml(
        "[[bodies]]\nname = \"stone 0\"\nshape.hull.points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.7, 0.7, 0.7]]\n\
         [[bodies]]\nname = \"stone 1\"\nposition = [3, 0, 0]\nshape.hull.points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.7, 0.7, 0.8]]\n",
    );
    let distinct = other.unwrap().build().unwrap().snapshot().to_bytes().len();
    assert!(distinct > two + 120, "{distinct} and {two}");
}
