//! From a scene to a world.

use super::places::{body_place, gear_place, joint_place, setting_place};
use super::shapes::quaternion;
use super::shared::Shared;
use super::text::nearest;
use super::{
    BodyDescription, EndDescription, GearDescription, GearTermDescription, InertialDescription, JointDescription,
    Scene, SceneError, TreatmentDescription,
};
use crate::{
    Anchor, Body, BodyHandle, Frame, Gear, Joint, JointHandle, JointKind, Kind, MassProperties, Material, Method,
    Misfit, PairContact, Settings, Shape, StoppingRule, World,
};
use glamx::{DMat3, DQuat, DVec3};

/// Most bodies of a scene, grids counted in full.
pub const BODY_LIMIT: u64 = 200_000;
/// Most steps of a scene: 19 days at 60 Hz. A longer run is asked for step by step.
pub const STEP_LIMIT: u64 = 100_000_000;

impl From<&Settings> for TreatmentDescription {
    fn from(settings: &Settings) -> Self {
        let Settings { rest_speed, stabilisation, joint_correction, margin, sleeping, impact, .. } = *settings;
        TreatmentDescription { rest_speed, stabilisation, joint_correction, margin, sleeping, impact }
    }
}

impl Scene {
    /// The settings of the world.
    pub fn settings(&self) -> Result<Settings, SceneError> {
        let method: Method = self.solver.method.parse().map_err(|error| SceneError::new("solver.method", error))?;
        let mut stop = StoppingRule::velocity(self.solver.tolerance);
        stop.max_iterations = self.solver.max_iterations;
        let TreatmentDescription { rest_speed, stabilisation, joint_correction, margin, sleeping, impact } =
            self.treatment;
        Ok(Settings {
            gravity: DVec3::from_array(self.gravity),
            method,
            stop,
            accept: self.solver.accept,
            budget: self.solver.budget.factorizations(),
            rest_speed,
            stabilisation,
            joint_correction,
            margin,
            sleeping,
            impact,
            ..Settings::default()
        })
    }

    /// Checks everything and makes the world. Bodies get the names of the scene as their lasting identity.
    pub fn build(&self) -> Result<World, SceneError> {
        positive("step", self.step)?;
        positive("duration", self.duration)?;
        if self.duration / self.step > STEP_LIMIT as f64 {
            let what = format!("{:?} s in steps of {:?} s are more than {STEP_LIMIT} steps", self.duration, self.step);
            return Err(SceneError::new("duration", what));
        }
        for (name, material) in &self.materials {
            if let Some((field, value, range)) = material.invalid() {
                let what = format!("{field} {value} is not in {range}");
                let field = match field {
                    "grain across" => "grain.across",
                    "length of grain axis" => "grain.axis",
                    "torsional friction" => "torsional_friction",
                    "rolling friction" => "rolling_friction",
                    field => field,
                };
                return Err(SceneError::new(format!("materials.{name}.{field}"), what));
            }
        }
        let mut world = World::new(self.settings()?).map_err(|error| SceneError::new(setting_place(&error), error))?;
        self.add_to(&mut world)?;
        Ok(world)
    }

    /// Adds the bodies, the joints, the gears and the pairs that do not touch to a world; its settings stay. The joints are returned in
    /// their order.
    pub fn add_to(&self, world: &mut World) -> Result<Vec<JointHandle>, SceneError> {
        if let Some(entry) = self.robots.first() {
            let what =
                format!("robot file '{}' has not been read; load the scene from a file, not from text", entry.file);
            return Err(SceneError::new("robots[0].file", what));
        }
        let mut left = BODY_LIMIT;
        let mut bodies: Vec<(String, usize, Body)> = Vec::new();
        let mut shared = Shared::default();
        for (index, body) in self.bodies.iter().enumerate() {
            let path = format!("bodies[{index}]");
            let count = body.grid.as_ref().map_or(1, |grid| grid.count.iter().map(|n| u128::from(*n)).product());
            if count > u128::from(left) {
                let what = format!("more than {BODY_LIMIT} bodies in all");
                return Err(SceneError::new(format!("{path}.grid.count"), what));
            }
            left -= count as u64;
            self.expand(index, body, &path, &mut shared, &mut bodies)?;
        }
        // In the order of their ids each body goes to the end of the list; any other order costs a move per body.
        bodies.sort_by(|a, b| a.0.cmp(&b.0));
        for (_, index, body) in bodies {
            let path = format!("bodies[{index}]");
            let handle = world.add(body).map_err(|error| {
                let place = body_place(&path, &self.bodies[index], &error);
                SceneError::new(place, error)
            })?;
            let locked = self.bodies[index].options.lock(world, handle);
            locked.map_err(|error| SceneError::new(format!("{path}.options.lock_translation"), error))?;
        }
        self.add_material_pairs(world)?;
        let mut joints = Vec::with_capacity(self.joints.len());
        for (index, joint) in self.joints.iter().enumerate() {
            let path = format!("joints[{index}]");
            let resolved = resolve(joint, &path, world)?;
            let added = world.add_joint(resolved);
            joints.push(added.map_err(|error| SceneError::new(joint_place(&path, &error), error))?);
        }
        for (index, gear) in self.gears.iter().enumerate() {
            add_gear(gear, &format!("gears[{index}]"), &joints, world)?;
        }
        for (index, names) in self.apart.iter().enumerate() {
            let find = |name: &String| {
                let missing = || SceneError::new(format!("apart[{index}]"), format!("no body is called '{name}'"));
                world.find(name.as_str()).ok_or_else(missing)
            };
            let (a, b) = (find(&names[0])?, find(&names[1])?);
            let added = world.set_pair_contact(a, b, PairContact::Ignored);
            added.map_err(|error| SceneError::new(format!("apart[{index}]"), error))?;
        }
        Ok(joints)
    }

    /// The bodies that a description stands for, each with its name and the number of the description.
    fn expand<'a>(
        &self,
        index: usize,
        body: &'a BodyDescription,
        path: &str,
        shared: &mut Shared<'a>,
        bodies: &mut Vec<(String, usize, Body)>,
    ) -> Result<(), SceneError> {
        if body.name.is_empty() {
            return Err(SceneError::new(format!("{path}.name"), "a body needs a name of at least one character"));
        }
        let shape = shared.build(&body.shape, &format!("{path}.shape"))?;
        let material = self.material_of(body, path)?;
        let orientation = orientation_of(body, path)?;
        let given = [body.mass.is_some(), body.density.is_some(), body.inertial.is_some()];
        if given.iter().filter(|given| **given).count() > 1 {
            let second = if body.inertial.is_some() { "inertial" } else { "density" };
            let what = "give the mass, the density or the inertial properties, not several of them";
            return Err(SceneError::new(format!("{path}.{second}"), what));
        }
        let mut add = |name: String, position: DVec3| {
            let made = body_of(body, &shape, &name, position, orientation, material);
            bodies.push((name, index, made));
        };
        let place = DVec3::from_array(body.position);
        let Some(grid) = &body.grid else {
            add(body.name.clone(), place);
            return Ok(());
        };
        let spacing = DVec3::from_array(grid.spacing);
        for k in 0..grid.count[2] {
            for j in 0..grid.count[1] {
                for i in 0..grid.count[0] {
                    let at = place + spacing * DVec3::new(f64::from(i), f64::from(j), f64::from(k));
                    add(format!("{}/{i}/{j}/{k}", body.name), at);
                }
            }
        }
        Ok(())
    }

    fn material_of(&self, body: &BodyDescription, path: &str) -> Result<Material, SceneError> {
        let mut material = Material::default();
        if let Some(name) = &body.material {
            let Some(found) = self.materials.get(name) else {
                let known = self.materials.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
                let known = if known.is_empty() { "none".to_owned() } else { known };
                let meant = nearest(name, self.materials.keys().map(String::as_str));
                let meant = meant.map_or(String::new(), |meant| format!(", did you mean '{meant}'?"));
                let what = format!("no material is called '{name}'{meant}; there are: {known}");
                return Err(SceneError::new(format!("{path}.material"), what));
            };
            material = found.tagged(self.tags().get(name.as_str()).copied().unwrap_or(0));
        }
        material.friction = body.friction.unwrap_or(material.friction);
        material.restitution = body.restitution.unwrap_or(material.restitution);
        material.friction_rule = body.friction_rule.unwrap_or(material.friction_rule);
        material.restitution_rule = body.restitution_rule.unwrap_or(material.restitution_rule);
        Ok(material)
    }
}

fn positive(field: &str, value: f64) -> Result<(), SceneError> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(SceneError::new(field, format!("{value} s is not a time above zero")))
}

fn orientation_of(body: &BodyDescription, path: &str) -> Result<DQuat, SceneError> {
    match (&body.orientation, &body.rotation) {
        (Some(_), Some(_)) => {
            Err(SceneError::new(format!("{path}.rotation"), "give the orientation or the rotation, not both"))
        }
        (_, None) => Ok(quaternion(body.orientation)),
        (None, Some(rotation)) => {
            let axis = DVec3::from_array(rotation.axis);
            let length = axis.length();
            if !(length.is_finite() && length > 0.0) {
                return Err(SceneError::new(format!("{path}.rotation.axis"), "an axis needs a length above zero"));
            }
            if !rotation.degrees.is_finite() {
                return Err(SceneError::new(format!("{path}.rotation.degrees"), "an angle is a finite number"));
            }
            Ok(DQuat::from_axis_angle(axis / length, rotation.degrees.to_radians()))
        }
    }
}

fn body_of(
    description: &BodyDescription,
    shape: &Shape,
    name: &str,
    position: DVec3,
    orientation: DQuat,
    material: Material,
) -> Body {
    let body = match description.kind {
        Kind::Dynamic => Body::dynamic(shape.clone()),
        Kind::Kinematic => Body::kinematic(shape.clone()),
        Kind::Fixed => Body::fixed(shape.clone()),
    };
    let body = match (description.mass, description.density, &description.inertial) {
        (Some(mass), _, _) => body.mass(mass),
        (None, Some(density), _) => body.density(density),
        (None, None, Some(inertial)) => body.mass_properties(mass_properties(inertial)),
        (None, None, None) => body,
    };
    let body = if description.fast { body.fast() } else { body };
    let body = description.options.apply(body);
    body.named(name)
        .position(position)
        .orientation(orientation)
        .velocity(DVec3::from_array(description.velocity))
        .angular_velocity(DVec3::from_array(description.angular_velocity))
        .material(material)
}

fn mass_properties(inertial: &InertialDescription) -> MassProperties {
    let ([xx, yy, zz], [xy, xz, yz]) = (inertial.moments, inertial.products);
    let inertia = DMat3::from_cols_array(&[xx, xy, xz, xy, yy, yz, xz, yz, zz]);
    MassProperties { mass: inertial.mass, centre: DVec3::from_array(inertial.centre), inertia }
}

fn add_gear(gear: &GearDescription, path: &str, joints: &[JointHandle], world: &mut World) -> Result<(), SceneError> {
    let term = |(index, term): (usize, &GearTermDescription)| match joints.get(term.joint) {
        Some(joint) => Ok((*joint, term.coordinate, term.factor)),
        None => {
            let what = format!("joint {} does not exist, there are {}", term.joint, joints.len());
            Err(SceneError::new(format!("{path}.terms[{index}].joint"), what))
        }
    };
    let terms = gear.terms.iter().enumerate().map(term).collect::<Result<Vec<_>, _>>()?;
    // As of joints: a mechanism that is not quite put together is put together step by step.
    let added = world.add_gear(Gear::sum(terms).offset(gear.offset).misfit(Misfit::Corrected));
    added.map(|_| ()).map_err(|error| SceneError::new(gear_place(path, &error), error))
}

fn resolve(joint: &JointDescription, path: &str, world: &World) -> Result<Joint, SceneError> {
    let find = |end: &EndDescription, at: &str| -> Result<Option<BodyHandle>, SceneError> {
        let Some(name) = &end.body else { return Ok(None) };
        let missing = || {
            let names = world.bodies().filter_map(|(_, body)| match body.id() {
                crate::BodyId::Name(name) => Some(&**name),
                _ => None,
            });
            let meant = nearest(name, names).map_or(String::new(), |meant| format!("; did you mean '{meant}'?"));
            SceneError::new(format!("{path}.{at}.body"), format!("no body is called '{name}'{meant}"))
        };
        world.find(name.as_str()).map(Some).ok_or_else(missing)
    };
    let frame = |end: &EndDescription| Frame { point: DVec3::from_array(end.point), axes: quaternion(end.axes) };
    let (first, second) = (find(&joint.a, "a")?, find(&joint.b, "b")?);
    let (at_a, at_b) = (frame(&joint.a), frame(&joint.b));
    let (body, anchor, other) = match (first, second) {
        (Some(a), Some(b)) => (a, at_a, Anchor::Body(b, at_b)),
        (Some(a), None) => (a, at_a, Anchor::World(at_b)),
        (None, Some(b)) if joint.coordinates.is_empty() => (b, at_b, Anchor::World(at_a)),
        (None, Some(_)) => {
            let why = "a joint with coordinates measures how the body at end a moves against end b: name a body here";
            return Err(SceneError::new(format!("{path}.a.body"), why));
        }
        (None, None) => return Err(SceneError::new(format!("{path}.a.body"), "one end of a joint must be on a body")),
    };
    let mut made = Joint::of(joint.kind, body, anchor, other);
    let listed = &joint.coordinates;
    if joint.kind == JointKind::Generic || !listed.is_empty() {
        let wanted = if joint.kind == JointKind::Generic { 6 } else { made.free_coordinates().count() };
        if listed.len() != wanted {
            let why = format!("{} coordinates are listed, a {} joint has {wanted}", listed.len(), joint.kind.name());
            return Err(SceneError::new(format!("{path}.coordinates"), why));
        }
    }
    if joint.kind == JointKind::Generic {
        made.coordinates.copy_from_slice(listed);
    } else {
        for (place, coordinate) in listed.iter().enumerate() {
            made = made.with(place, *coordinate);
        }
    }
    made.break_force = joint.break_force.unwrap_or(f64::INFINITY);
    made.break_torque = joint.break_torque.unwrap_or(f64::INFINITY);
    // A file may be of a mechanism that is not quite put together: it is then put together step by step.
    let made = made.misfit(Misfit::Corrected);
    Ok(made.contact(if joint.bodies_touch { PairContact::Kept } else { PairContact::Ignored }))
}
