//! Topics for other programs: Foxglove displays them without configuration. This program does not read them.
//!
//! | topic | type | content |
//! |---|---|---|
//! | `/scene` | `foxglove.SceneUpdate`, JSON | the shapes, once, each in the frame of its body |
//! | `/tf` | `foxglove_msgs/msg/FrameTransforms`, CDR | the frames of all bodies, every step |
//! | `/contact_arrows` | `foxglove.SceneUpdate`, JSON; with contacts | the force of every contact as an arrow, every step |
//! | `/plot` | `signorini_msgs/msg/Plot`, CDR | numbers to plot, every step |
//!
//! The schemas follow <https://docs.foxglove.dev/docs/sdk/schemas>, restricted to what is used.

use crate::cdr::CdrWriter;
use crate::moment::{MESSAGE_BYTES, Moment};
use serde_json::{Value, json};
use signorini::glamx::{DQuat, DVec3};
use signorini::scene::{PartDescription, ShapeDescription};
use signorini::{Kind, PartName, StepReport, StepStatus, World};

pub(crate) const SCENE: &str = "/scene";
pub(crate) const TRANSFORMS: &str = "/tf";
pub(crate) const ARROWS: &str = "/contact_arrows";
pub(crate) const PLOT: &str = "/plot";

pub(crate) const SCENE_TYPE: &str = "foxglove.SceneUpdate";
pub(crate) const TRANSFORMS_TYPE: &str = "foxglove_msgs/msg/FrameTransforms";
pub(crate) const PLOT_TYPE: &str = "signorini_msgs/msg/Plot";

/// JSON schema.
pub(crate) const SCENE_SCHEMA: &str = include_str!("scene_update.schema.json");

/// In the language of ROS 2 messages.
pub(crate) const TRANSFORMS_SCHEMA: &str = "\
# Where every frame is in its parent, which is the world.
foxglove_msgs/FrameTransform[] transforms
================================================================================
MSG: foxglove_msgs/FrameTransform
builtin_interfaces/Time timestamp
string parent_frame_id
string child_frame_id
geometry_msgs/Vector3 translation
geometry_msgs/Quaternion rotation
================================================================================
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
================================================================================
MSG: geometry_msgs/Vector3
float64 x
float64 y
float64 z
================================================================================
MSG: geometry_msgs/Quaternion
float64 x
float64 y
float64 z
float64 w
";

/// In the language of ROS 2 messages.
pub(crate) const PLOT_SCHEMA: &str = "\
# Numbers of a step to plot. SI units; unknown is NaN.
uint64 step
float64 time
# Largest error left at a contact or joint, as the certificate scales it, and its bound.
float64 residual
float64 residual_bound
# At the end poses.
float64 overlap
float64 joint_gap
float64 joint_turn
# Of all bodies.
float64 energy
float64 kinetic
float64 potential
float64 contacts
float64 islands
float64 factorizations
# 1 certified, 0 degraded.
uint8 certified
";

/// Bytes of a frame on `/tf` besides its name.
const FRAME_BYTES: usize = 92;
/// Bytes of an arrow: numbers are written with as many digits as they need.
pub(crate) const ARROW_BYTES: usize = 420;
/// Bytes of the numbers to plot.
const PLOT_BYTES: usize = 120;

/// The side of the square that stands for a half-space \[m\].
const GROUND: f64 = 100.0;
/// How thick it is drawn \[m\].
const GROUND_DEPTH: f64 = 0.01;
/// What is fixed.
const FIXED: [f64; 4] = [0.62, 0.64, 0.67, 1.0];
/// What moves; told apart by turns (Okabe and Ito's palette, which the colour-blind can tell apart).
const MOVING: [[f64; 4]; 6] = [
    [0.90, 0.62, 0.00, 1.0],
    [0.34, 0.71, 0.91, 1.0],
    [0.00, 0.62, 0.45, 1.0],
    [0.94, 0.89, 0.26, 1.0],
    [0.00, 0.45, 0.70, 1.0],
    [0.84, 0.37, 0.00, 1.0],
];
const ARROW: [f64; 4] = [0.80, 0.10, 0.30, 1.0];

/// What is needed to draw, gathered before the first step.
#[derive(Debug)]
pub(crate) struct Drawing {
    /// Frame of the world.
    root: String,
    /// Frames of the bodies, in the order of poses.
    frames: Vec<String>,
    /// The message on `/scene`.
    pub scene: Vec<u8>,
    /// Length of an arrow per force [m/N].
    arrow_scale: f64,
    /// Time of the last step \[s\].
    last_time: f64,
}

impl Drawing {
    pub fn new(world: &World, frames: &[String]) -> Self {
        let mut root = "world".to_owned();
        while frames.contains(&root) {
            root.push('_');
        }
        let mut turns = 0;
        let mut entities = Vec::new();
        for ((_, body), frame) in world.bodies().zip(frames) {
            let color = if body.kind() == Kind::Fixed {
                FIXED
            } else {
                turns += 1;
                MOVING[(turns - 1) % MOVING.len()]
            };
            entities.push(entity(frame, frame, true, &primitives(&body.shape().drawn(), color)));
        }
        let scene = json!({ "deletions": [], "entities": entities }).to_string().into_bytes();
        let scale = arrow_scale(world);
        Drawing { root, frames: frames.to_vec(), scene, arrow_scale: scale, last_time: world.time() }
    }

    /// About how many bytes the messages of a step have, arrows apart.
    pub fn bytes(&self) -> usize {
        let frames = self.frames.iter().map(|frame| FRAME_BYTES + frame.len());
        frames.sum::<usize>() + PLOT_BYTES + 2 * MESSAGE_BYTES
    }

    /// The message on `/tf`.
    pub fn transforms(&self, moment: &Moment, cdr: &mut CdrWriter) {
        let (seconds, nanoseconds) = split(moment.time);
        cdr.begin();
        cdr.u32(moment.bodies.len() as u32);
        for (body, frame) in moment.bodies.iter().zip(&self.frames) {
            cdr.u32(seconds);
            cdr.u32(nanoseconds);
            cdr.string(&self.root);
            cdr.string(frame);
            let [x, y, z, qw, qx, qy, qz] = body.pose();
            for number in [x, y, z, qx, qy, qz, qw] {
                cdr.f64(number);
            }
        }
    }

    /// The message on `/contact_arrows`: one entity that takes the place of the last one.
    pub fn arrows(&mut self, moment: &Moment) -> Vec<u8> {
        let dt = moment.time - self.last_time;
        self.last_time = moment.time;
        let per_impulse = if dt > 0.0 { self.arrow_scale / dt } else { 0.0 };
        let arrow = |contact: &signorini::ContactPoint| {
            let direction = contact.impulse.try_normalize()?;
            let length = per_impulse * contact.impulse.length();
            let turn = DQuat::from_rotation_arc(DVec3::X, direction);
            Some(json!({
                "pose": pose(contact.point.to_array(), turn),
                "shaft_length": 0.75 * length,
                "shaft_diameter": 0.05 * length,
                "head_length": 0.25 * length,
                "head_diameter": 0.1 * length,
                "color": colour(ARROW),
            }))
        };
        let arrows: Vec<Value> = moment.contacts.iter().filter_map(arrow).collect();
        let mut lists = empty_lists();
        lists["arrows"] = Value::Array(arrows);
        let mut entity = entity("contacts", &self.root, false, &lists);
        let (sec, nsec) = split(moment.time);
        entity["timestamp"] = json!({ "sec": sec, "nsec": nsec });
        json!({ "deletions": [], "entities": [entity] }).to_string().into_bytes()
    }
}

/// The message on `/plot`.
pub(crate) fn plot(moment: &Moment, report: &StepReport, cdr: &mut CdrWriter) {
    let part = |name: PartName| report.certificate.part(name);
    let after = report.energy.after;
    cdr.begin();
    cdr.u64(moment.step);
    let residual = part(PartName::Velocity);
    for number in [
        moment.time,
        residual.value,
        residual.bound,
        part(PartName::Overlap).value,
        part(PartName::JointGap).value,
        part(PartName::JointTurn).value,
        after.total(),
        after.linear + after.rotational,
        after.potential,
        report.counts.contacts as f64,
        report.counts.islands as f64,
        report.effort.factorizations as f64,
    ] {
        cdr.f64(number);
    }
    cdr.u8(u8::from(report.status == StepStatus::Certified));
}

/// A tenth of the way across what moves, for the weight of its mean body.
fn arrow_scale(world: &World) -> f64 {
    let moving = || world.bodies().filter(|(_, body)| body.kind() == Kind::Dynamic);
    let count = moving().count().max(1) as f64;
    let mass = moving().map(|(_, body)| body.mass()).sum::<f64>() / count;
    let gravity = world.settings().gravity.length();
    let weight = mass * if gravity > 0.0 { gravity } else { 9.81 };
    let boxes = moving().map(|(_, body)| body.shape().aabb(&body.pose()));
    let extent = boxes.reduce(|a, b| a.union(b)).map_or(1.0, |all| (all.max - all.min).length());
    if weight > 0.0 && extent.is_finite() { 0.1 * extent / weight } else { 1.0 }
}

/// Seconds and nanoseconds; saturates.
fn split(time: f64) -> (u32, u32) {
    let seconds = time.floor();
    (seconds.min(f64::from(i32::MAX)) as u32, ((time - seconds) * 1e9) as u32)
}

fn pose(position: [f64; 3], turn: DQuat) -> Value {
    let [x, y, z] = position;
    json!({
        "position": { "x": x, "y": y, "z": z },
        "orientation": { "x": turn.x, "y": turn.y, "z": turn.z, "w": turn.w },
    })
}

fn triple([x, y, z]: [f64; 3]) -> Value {
    json!({ "x": x, "y": y, "z": z })
}

fn colour([r, g, b, a]: [f64; 4]) -> Value {
    json!({ "r": r, "g": g, "b": b, "a": a })
}

/// No primitives of any kind: readers expect all the lists.
fn empty_lists() -> Value {
    json!({
        "arrows": [], "cubes": [], "spheres": [], "cylinders": [], "lines": [], "triangles": [], "texts": [], "models": [],
    })
}

/// An entity with these lists of primitives. `locked`: it moves with its frame.
fn entity(id: &str, frame: &str, locked: bool, lists: &Value) -> Value {
    let mut entity = lists.clone();
    for (key, value) in [
        ("timestamp", json!({ "sec": 0, "nsec": 0 })),
        ("frame_id", json!(frame)),
        ("id", json!(id)),
        // For ever.
        ("lifetime", json!({ "sec": 0, "nsec": 0 })),
        ("frame_locked", json!(locked)),
        ("metadata", json!([])),
    ] {
        entity[key] = value;
    }
    entity
}

/// The parts of a shape as primitives, in lists by kind.
fn primitives(parts: &[PartDescription], color: [f64; 4]) -> Value {
    let mut lists = empty_lists();
    for part in parts {
        let [w, x, y, z] = part.orientation.unwrap_or([1.0, 0.0, 0.0, 0.0]);
        let turn = DQuat::from_xyzw(x, y, z, w);
        let here = pose(part.position, turn);
        let along = |height: f64| pose((DVec3::from(part.position) + turn * DVec3::new(0.0, 0.0, height)).into(), turn);
        let mut add = |kind: &str, mut primitive: Value| {
            primitive["color"] = colour(color);
            if let Some(list) = lists[kind].as_array_mut() {
                list.push(primitive);
            }
        };
        let round = |half_height: f64, radius: f64, top: f64| {
            let size = triple([2.0 * radius, 2.0 * radius, 2.0 * half_height]);
            json!({ "pose": here, "size": size, "bottom_scale": 1.0, "top_scale": top })
        };
        let ball = |radius: f64, at: Value| json!({ "pose": at, "size": triple([2.0 * radius; 3]) });
        match &part.shape {
            ShapeDescription::Sphere { radius } => add("spheres", ball(*radius, here)),
            ShapeDescription::Cuboid { half_extents } => {
                add("cubes", json!({ "pose": here, "size": triple(half_extents.map(|half| 2.0 * half)) }));
            }
            ShapeDescription::Capsule { half_height, radius } => {
                add("cylinders", round(*half_height, *radius, 1.0));
                for end in [-half_height, *half_height] {
                    add("spheres", ball(*radius, along(end)));
                }
            }
            ShapeDescription::Cylinder { half_height, radius } => add("cylinders", round(*half_height, *radius, 1.0)),
            ShapeDescription::Cone { half_height, radius } => add("cylinders", round(*half_height, *radius, 0.0)),
            ShapeDescription::HalfSpace { normal } => {
                let normal = DVec3::from(*normal);
                let place = DVec3::from(part.position) - turn * normal * (0.5 * GROUND_DEPTH);
                let turn = turn * DQuat::from_rotation_arc(DVec3::Z, normal.normalize_or(DVec3::Z));
                let size = triple([GROUND, GROUND, GROUND_DEPTH]);
                add("cubes", json!({ "pose": pose(place.into(), turn), "size": size }));
            }
            ShapeDescription::Mesh { vertices, triangles } => {
                let points: Vec<Value> = vertices.iter().map(|point| triple(*point)).collect();
                let indices = triangles.as_flattened();
                add("triangles", json!({ "pose": here, "points": points, "colors": [], "indices": indices }));
            }
            // Shapes that a world tells are none of these: hulls, files and fields are meshes, compounds are their parts.
            _ => {}
        }
    }
    lists
}
