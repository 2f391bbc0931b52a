//! Maps errors of the engine to places in a scene: the engine names quantities, a scene has paths.

use super::{BodyDescription, ShapeDescription};
use crate::{ShapeError, WorldError};

/// `position x` is `position[0]`.
fn component(name: &str) -> (&str, String) {
    for (index, axis) in [" x", " y", " z"].into_iter().enumerate() {
        if let Some(vector) = name.strip_suffix(axis) {
            return (vector, format!("[{index}]"));
        }
    }
    (name, String::new())
}

/// The part of a body that was refused.
pub(super) fn body_place(path: &str, body: &BodyDescription, error: &WorldError) -> String {
    let field = match error {
        WorldError::BodyValue { field, .. } => {
            let (name, index) = component(field);
            match name {
                "friction" if body.friction.is_none() => "material".to_owned(),
                "restitution" if body.restitution.is_none() => "material".to_owned(),
                "length of orientation" => "orientation".to_owned(),
                "mass" if body.inertial.is_some() => "inertial.mass".to_owned(),
                "centre" => format!("inertial.centre{index}"),
                "grain across"
                | "length of grain axis"
                | "stiffness"
                | "damping"
                | "torsional friction"
                | "rolling friction" => "material".to_owned(),
                "gravity scale"
                | "linear damping"
                | "angular damping"
                | "force"
                | "torque"
                | "surface velocity"
                | "surface angular velocity" => format!("options.{}{index}", name.replace(' ', "_")),
                "one-way" | "length of one-way" => format!("options.one_way{index}"),
                name => format!("{}{index}", name.replace(' ', "_")),
            }
        }
        WorldError::Inertia { .. } if body.inertial.is_some() => "inertial.moments".to_owned(),
        WorldError::Inertia { .. } | WorldError::Shape { .. } => "shape".to_owned(),
        WorldError::DuplicateId { .. } => "name".to_owned(),
        WorldError::Kind { operation: "push", .. } => "options.force".to_owned(),
        WorldError::Kind { .. } if body.velocity == [0.0; 3] => "angular_velocity".to_owned(),
        WorldError::Kind { .. } => "velocity".to_owned(),
        _ => return path.to_owned(),
    };
    format!("{path}.{field}")
}

/// The part of a joint that was refused.
pub(super) fn joint_place(path: &str, error: &WorldError) -> String {
    let WorldError::JointValue { field, .. } = error else { return path.to_owned() };
    match component(field) {
        ("anchor a", index) => format!("{path}.a.point{index}"),
        ("anchor b", index) => format!("{path}.b.point{index}"),
        ("length", _) => format!("{path}.kind"),
        ("length of axes a", _) => format!("{path}.a.axes"),
        ("length of axes b", _) => format!("{path}.b.axes"),
        ("break force", _) => format!("{path}.break_force"),
        ("break torque", _) => format!("{path}.break_torque"),
        _ => format!("{path}.coordinates"),
    }
}

/// The part of a gear that was refused.
pub(super) fn gear_place(path: &str, error: &WorldError) -> String {
    match error {
        WorldError::GearFactor { index, .. } => format!("{path}.terms[{index}].factor"),
        WorldError::GearTerm { index, .. } => format!("{path}.terms[{index}].coordinate"),
        WorldError::JointValue { .. } => format!("{path}.offset"),
        _ => format!("{path}.terms"),
    }
}

/// The setting that was refused.
pub(super) fn setting_place(error: &WorldError) -> String {
    let WorldError::Setting { field, .. } = error else { return "treatment".to_owned() };
    let (name, index) = component(field);
    match name {
        "gravity" => format!("gravity{index}"),
        "tolerance" => "solver.tolerance".to_owned(),
        "stabilisation fraction" => "treatment.stabilisation".to_owned(),
        "rounds of impacts" => "treatment.impact.sequential.rounds".to_owned(),
        "slop" | "cap" => format!("treatment.stabilisation.split_impulse.{name}"),
        name => match name.strip_prefix("sleeping ") {
            Some(field) => format!("treatment.sleeping.islands.{field}"),
            None => format!("treatment.{}", name.replace(' ', "_")),
        },
    }
}

/// The part of a shape that was refused.
pub(super) fn shape_place(path: &str, shape: &ShapeDescription, error: &ShapeError) -> String {
    let kind = match shape {
        ShapeDescription::Sphere { .. } => "sphere",
        ShapeDescription::Cuboid { .. } => "cuboid",
        ShapeDescription::Ellipsoid { .. } => "ellipsoid",
        ShapeDescription::RoundedCuboid { .. } => "rounded_cuboid",
        ShapeDescription::RoundedHull { .. } => "rounded_hull",
        ShapeDescription::Solid { .. } => "solid",
        ShapeDescription::Capsule { .. } => "capsule",
        ShapeDescription::Cylinder { .. } => "cylinder",
        ShapeDescription::Cone { .. } => "cone",
        ShapeDescription::Hull { .. } => "hull",
        ShapeDescription::HalfSpace { .. } => "half_space",
        ShapeDescription::Mesh { .. } => "mesh",
        ShapeDescription::File { .. } => "file",
        ShapeDescription::HeightField { .. } => "height_field",
        ShapeDescription::None => "none",
        ShapeDescription::Compound { .. } => "compound",
    };
    let field = match error {
        ShapeError::NotPositive { field, .. } | ShapeError::NoDirection { field, .. } => {
            let (name, index) = component(field);
            let name = if name == "half extent" { "half_extents".to_owned() } else { name.replace(' ', "_") };
            format!(".{name}{index}")
        }
        ShapeError::NotFinite { field: "hull point", index, .. } => format!(".points[{index}]"),
        ShapeError::NotFinite { field: "mesh vertex", index, .. } if kind != "height_field" => {
            format!(".vertices[{index}]")
        }
        ShapeError::NotFinite { field: "mesh vertex", index, .. } => format!(".heights[{index}]"),
        ShapeError::IndexOutOfRange { triangle, .. } => format!(".triangles[{triangle}]"),
        ShapeError::NotARotation { index, .. } => format!(".parts[{index}].orientation"),
        ShapeError::Size { field: "heights", .. } => ".heights".to_owned(),
        _ => String::new(),
    };
    format!("{path}.{kind}{field}")
}
