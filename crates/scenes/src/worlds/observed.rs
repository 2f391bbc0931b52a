//! A motion as any engine can report it: poses and velocities by body name over time.

use signorini::glamx::{DMat3, DQuat, DVec3};
use signorini::{Kind, Scene, SceneError};
use signorini_problem::math;

use super::Audit;

/// What a body is, as far as the motion is concerned.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservedBody {
    /// Its name in the scene; bodies of a grid have theirs each.
    pub name: String,
    /// How it moves.
    pub kind: Kind,
    /// Mass \[kg\]; zero unless dynamic.
    pub mass: f64,
    /// Inertia about the centre of mass, body axes [kg·m²]; zero unless dynamic.
    pub inertia: DMat3,
}

/// A body at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Where its centre of mass is \[m\].
    pub position: DVec3,
    /// Its orientation.
    pub orientation: DQuat,
    /// Velocity of its centre of mass [m/s].
    pub velocity: DVec3,
    /// Angular velocity, world axes [rad/s].
    pub angular_velocity: DVec3,
    /// Sum of contact and joint forces on it over the step that led here \[N\]; NaN if the engine does not tell.
    pub force: DVec3,
}

impl Sample {
    /// Nothing known: makes every number read off it NaN, which no expectation accepts.
    pub const UNKNOWN: Sample = Sample {
        position: DVec3::NAN,
        orientation: DQuat::NAN,
        velocity: DVec3::NAN,
        angular_velocity: DVec3::NAN,
        force: DVec3::NAN,
    };

    /// Angle between the body's z axis and a direction \[degrees\].
    pub fn tilt_from(&self, up: DVec3) -> f64 {
        let axis = self.orientation * DVec3::Z;
        // Unlike the arc cosine, exact for small angles too.
        math::atan2(axis.cross(up).length(), axis.dot(up)).to_degrees()
    }
}

/// A recorded motion. Frame 0 is the start, frame k the state after k steps.
#[derive(Clone, Debug)]
pub struct Observed {
    /// Time from frame to frame \[s\].
    pub step: f64,
    /// Acceleration of free fall [m/s²].
    pub gravity: DVec3,
    /// The bodies, sorted by name.
    pub bodies: Vec<ObservedBody>,
    frames: Vec<Vec<Sample>>,
    /// What our engine says about its own steps; none for a foreign motion.
    pub audit: Option<Audit>,
}

impl Observed {
    /// A recording without frames of the bodies of a scene: what [`Observed::push`] expects, body by body, is in
    /// `bodies`.
    pub fn of_scene(scene: &Scene) -> Result<Observed, SceneError> {
        let world = scene.build()?;
        let mut bodies = Vec::new();
        for (_, body) in world.bodies() {
            let signorini::BodyId::Name(name) = body.id() else { continue };
            let dynamic = body.kind() == Kind::Dynamic;
            let turn = DMat3::from_quat(body.orientation());
            bodies.push(ObservedBody {
                name: name.to_string(),
                kind: body.kind(),
                mass: if dynamic { body.mass() } else { 0.0 },
                inertia: turn.transpose() * body.inertia() * turn,
            });
        }
        let gravity = DVec3::from_array(scene.gravity);
        Ok(Observed { step: scene.step, gravity, bodies, frames: Vec::new(), audit: None })
    }

    /// Adds a frame: one sample per body in the order of `bodies`. Missing ones count as unknown.
    pub fn push(&mut self, samples: impl IntoIterator<Item = Sample>) {
        let mut frame: Vec<Sample> = samples.into_iter().take(self.bodies.len()).collect();
        frame.resize(self.bodies.len(), Sample::UNKNOWN);
        self.frames.push(frame);
    }

    /// Number of frames, the first included.
    pub fn frames(&self) -> usize {
        self.frames.len()
    }

    /// Index of the last frame.
    pub fn last_frame(&self) -> usize {
        self.frames.len().saturating_sub(1)
    }

    /// The frame nearest to a time \[s\].
    pub fn frame_at(&self, time: f64) -> usize {
        ((time / self.step).round().max(0.0) as usize).min(self.last_frame())
    }

    /// A body in a frame; unknown if there is no such body or frame.
    pub fn at(&self, name: &str, frame: usize) -> Sample {
        let body = self.bodies.binary_search_by(|body| body.name.as_str().cmp(name));
        let found = body.ok().and_then(|body| self.frames.get(frame)?.get(body));
        found.copied().unwrap_or(Sample::UNKNOWN)
    }

    /// A body at the start.
    pub fn first(&self, name: &str) -> Sample {
        self.at(name, 0)
    }

    /// A body at the end.
    pub fn last(&self, name: &str) -> Sample {
        self.at(name, self.last_frame())
    }

    /// How far a body's centre of mass is from where it started \[m\], at the end.
    pub fn displacement(&self, name: &str) -> DVec3 {
        self.last(name).position - self.first(name).position
    }

    /// Largest distance of any dynamic body from where it started, over all frames \[m\].
    pub fn largest_displacement(&self) -> f64 {
        let Some(start) = self.frames.first() else { return f64::NAN };
        let moved = |frame: &Vec<Sample>| {
            let pairs = frame.iter().zip(start).zip(&self.bodies).filter(|(_, body)| body.kind == Kind::Dynamic);
            pairs.map(|((now, then), _)| (now.position - then.position).length()).fold(0.0, largest)
        };
        self.frames.iter().map(moved).fold(0.0, largest)
    }

    /// Weight of all dynamic bodies \[N\].
    pub fn weight(&self) -> f64 {
        self.bodies.iter().map(|body| body.mass).sum::<f64>() * self.gravity.length()
    }

    fn sum(&self, frame: usize, term: impl Fn(&ObservedBody, &Sample) -> DVec3) -> DVec3 {
        let Some(samples) = self.frames.get(frame) else { return DVec3::NAN };
        let dynamic = self.bodies.iter().zip(samples).filter(|(body, _)| body.kind == Kind::Dynamic);
        dynamic.map(|(body, sample)| term(body, sample)).sum()
    }

    /// Momentum of all bodies [kg·m/s].
    pub fn momentum(&self, frame: usize) -> DVec3 {
        self.sum(frame, |body, s| body.mass * s.velocity)
    }

    /// Angular momentum about the origin [kg·m²/s].
    pub fn angular_momentum(&self, frame: usize) -> DVec3 {
        self.sum(frame, |body, s| {
            let angular_velocity = s.orientation * (body.inertia * (s.orientation.inverse() * s.angular_velocity));
            s.position.cross(body.mass * s.velocity) + angular_velocity
        })
    }

    /// Kinetic energy \[J\].
    pub fn kinetic_energy(&self, frame: usize) -> f64 {
        let halves = self.sum(frame, |body, s| {
            let local = s.orientation.inverse() * s.angular_velocity;
            DVec3::X * (0.5 * (body.mass * s.velocity.length_squared() + local.dot(body.inertia * local)))
        });
        halves.x
    }

    /// Kinetic and potential energy, the latter zero at the origin \[J\].
    pub fn energy(&self, frame: usize) -> f64 {
        self.kinetic_energy(frame) - self.sum(frame, |body, s| body.mass * s.position).dot(self.gravity)
    }
}

/// Like `f64::max`, but unknown stays unknown.
pub(super) fn largest(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_never_a_number() {
        let seen = Observed { step: 0.1, gravity: DVec3::ZERO, bodies: Vec::new(), frames: Vec::new(), audit: None };
        assert!(seen.last("nobody").position.x.is_nan() && seen.kinetic_energy(3).is_nan());
        assert!(largest(f64::NAN, 1.0).is_nan() && largest(1.0, f64::NAN).is_nan());
        assert_eq!(largest(1.0, 2.0), 2.0);
    }
}
