//! From a scene to a world.

use super::shapes::quaternion;
use super::{
    BodyDescription, EndDescription, JointDescription, JointKindDescription, Scene, SceneError,
    StabilisationDescription, TreatmentDescription,
};
use crate::{
    Anchor, Body, BodyHandle, Joint, Kind, Material, Method, PairContact, Settings, Shape, Stabilisation, StoppingRule,
    World,
};
use glamx::{DQuat, DVec3};

/// Most bodies of a scene, grids counted in full.
pub const BODY_LIMIT: u64 = 1_000_000;

impl From<Stabilisation> for StabilisationDescription {
    fn from(stabilisation: Stabilisation) -> Self {
        match stabilisation {
            Stabilisation::None => StabilisationDescription::None {},
            Stabilisation::SplitImpulse { fraction, slop, cap } => {
                StabilisationDescription::SplitImpulse { fraction, slop, cap }
            }
            Stabilisation::VelocityBias { fraction } => StabilisationDescription::VelocityBias { fraction },
        }
    }
}

impl From<&StabilisationDescription> for Stabilisation {
    fn from(description: &StabilisationDescription) -> Self {
        match *description {
            StabilisationDescription::None {} => Stabilisation::None,
            StabilisationDescription::SplitImpulse { fraction, slop, cap } => {
                Stabilisation::SplitImpulse { fraction, slop, cap }
            }
            StabilisationDescription::VelocityBias { fraction } => Stabilisation::VelocityBias { fraction },
        }
    }
}

impl Scene {
    /// The settings of the world.
    pub fn settings(&self) -> Result<Settings, SceneError> {
        let method: Method = self.solver.method.parse().map_err(|error| SceneError::new("solver.method", error))?;
        let mut stop = StoppingRule::velocity(self.solver.tolerance);
        stop.max_iterations = self.solver.max_iterations;
        let TreatmentDescription { rest_speed, stabilisation, joint_correction, margin } = &self.treatment;
        Ok(Settings {
            gravity: DVec3::from_array(self.gravity),
            method,
            stop,
            rest_speed: *rest_speed,
            stabilisation: stabilisation.into(),
            joint_correction: *joint_correction,
            margin: *margin,
            ..Settings::default()
        })
    }

    /// Checks everything and makes the world. Bodies get the names of the scene as their lasting identity.
    pub fn build(&self) -> Result<World, SceneError> {
        positive("step", self.step)?;
        positive("duration", self.duration)?;
        let mut world = World::new(self.settings()?).map_err(|error| SceneError::new("scene", error))?;
        let mut left = BODY_LIMIT;
        for (index, body) in self.bodies.iter().enumerate() {
            let path = format!("bodies[{index}]");
            let count = body.grid.as_ref().map_or(1, |grid| grid.count.iter().map(|n| u128::from(*n)).product());
            if count > u128::from(left) {
                let what = format!("more than {BODY_LIMIT} bodies in all");
                return Err(SceneError::new(format!("{path}.grid.count"), what));
            }
            left -= count as u64;
            self.add(body, &path, &mut world)?;
        }
        for (index, joint) in self.joints.iter().enumerate() {
            let path = format!("joints[{index}]");
            let joint = resolve(joint, &path, &world)?;
            world.add_joint(joint).map_err(|error| SceneError::new(path, error))?;
        }
        Ok(world)
    }

    fn add(&self, body: &BodyDescription, path: &str, world: &mut World) -> Result<(), SceneError> {
        if body.name.is_empty() {
            return Err(SceneError::new(format!("{path}.name"), "a body needs a name of at least one character"));
        }
        let shape = body.shape.build(&format!("{path}.shape"))?;
        let material = self.material_of(body, path)?;
        let orientation = orientation_of(body, path)?;
        if body.mass.is_some() && body.density.is_some() {
            return Err(SceneError::new(format!("{path}.density"), "give the mass or the density, not both"));
        }
        let one = |name: &str, position: DVec3| body_of(body, &shape, name, position, orientation, material);
        let place = DVec3::from_array(body.position);
        let mut add = |body: Body| world.add(body).map_err(|error| SceneError::new(path, error)).map(|_| ());
        let Some(grid) = &body.grid else {
            return add(one(&body.name, place));
        };
        let spacing = DVec3::from_array(grid.spacing);
        for k in 0..grid.count[2] {
            for j in 0..grid.count[1] {
                for i in 0..grid.count[0] {
                    let at = place + spacing * DVec3::new(f64::from(i), f64::from(j), f64::from(k));
                    add(one(&format!("{}/{i}/{j}/{k}", body.name), at))?;
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
                let what = format!("no material is called '{name}'; there are: {known}");
                return Err(SceneError::new(format!("{path}.material"), what));
            };
            material.friction = found.friction;
            material.restitution = found.restitution;
        }
        material.friction = body.friction.unwrap_or(material.friction);
        material.restitution = body.restitution.unwrap_or(material.restitution);
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
    let body = match (description.mass, description.density) {
        (Some(mass), _) => body.mass(mass),
        (None, Some(density)) => body.density(density),
        (None, None) => body,
    };
    body.named(name)
        .position(position)
        .orientation(orientation)
        .velocity(DVec3::from_array(description.velocity))
        .spin(DVec3::from_array(description.spin))
        .material(material)
}

fn resolve(joint: &JointDescription, path: &str, world: &World) -> Result<Joint, SceneError> {
    let find = |end: &EndDescription, at: &str| -> Result<Option<BodyHandle>, SceneError> {
        let Some(name) = &end.body else { return Ok(None) };
        let missing = || SceneError::new(format!("{path}.{at}.body"), format!("no body is called '{name}'"));
        world.find(name.as_str()).map(Some).ok_or_else(missing)
    };
    let point = |end: &EndDescription| DVec3::from_array(end.point);
    let (first, second) = (find(&joint.a, "a")?, find(&joint.b, "b")?);
    let (body, anchor, other) = match (first, second) {
        (Some(a), Some(b)) => (a, point(&joint.a), Anchor::Body(b, point(&joint.b))),
        (Some(a), None) => (a, point(&joint.a), Anchor::World(point(&joint.b))),
        (None, Some(b)) => (b, point(&joint.b), Anchor::World(point(&joint.a))),
        (None, None) => return Err(SceneError::new(format!("{path}.a.body"), "one end of a joint must be on a body")),
    };
    let made = match joint.kind {
        JointKindDescription::Distance { length } => Joint::distance(body, anchor, other, length),
        JointKindDescription::Ball {} => Joint::ball(body, anchor, other),
        JointKindDescription::Fixed {} => Joint::fixed(body, anchor, other),
    };
    Ok(made.contact(if joint.bodies_touch { PairContact::Kept } else { PairContact::Ignored }))
}
