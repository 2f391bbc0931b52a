//! Steps of any engine before our judge: its contacts and impulses as a contact problem, and how far they are from
//! Signorini's and Coulomb's laws.
//!
//! Where a scene bounces, each engine meets the impact at its own time within the step and there is nothing to compare
//! contact by contact: those scenes are not audited.

use crate::scene::Scene;
use crate::trajectory::{Frame, Touched, Trajectory};
use signorini_scenes::audit::{AuditedBody, AuditedContact, AuditedStep, audit};

/// What the judge says of a run, one entry per audited step with contacts.
#[derive(Clone, Debug, Default)]
pub struct Audited {
    /// Largest error of the contact laws [m/s].
    pub residuals: Vec<f64>,
    /// Largest change of velocity that the impulses do not explain [m/s].
    pub unexplained: Vec<f64>,
    /// The step with the largest error.
    pub worst: Option<usize>,
}

/// Whether the steps of a scene can be audited.
pub fn applies(scene: &Scene) -> bool {
    scene.bodies.iter().all(|body| body.e == 0.0)
}

/// Grades all steps whose contacts the engine told. A step whose numbers are not finite is left out: what became of
/// the motion is said elsewhere.
pub fn grade(scene: &Scene, run: &Trajectory) -> Audited {
    let mut out = Audited::default();
    for touched in run.touches.iter().filter(|touched| !touched.contacts.is_empty()) {
        let (Some(before), Some(after)) = (run.after(touched.step), run.after(touched.step + 1)) else { continue };
        if let Ok(graded) = audit(&step(scene, run, touched, before, after), 1e-6) {
            if out.residuals.iter().all(|other| *other < graded.certificate.natural) {
                out.worst = Some(touched.step);
            }
            out.residuals.push(graded.certificate.natural);
            out.unexplained.push(graded.unexplained_velocity);
        }
    }
    out
}

/// A step as `signorini audit` reads it.
pub fn step(scene: &Scene, run: &Trajectory, touched: &Touched, before: &Frame, after: &Frame) -> AuditedStep {
    let mut numbers = vec![None; scene.bodies.len()];
    let mut bodies = Vec::new();
    for (index, body) in scene.bodies.iter().enumerate().filter(|(_, body)| !body.fixed) {
        numbers[index] = Some(bodies.len());
        let [x, y, z, orientation @ ..] = before.poses[index];
        bodies.push(AuditedBody {
            mass: body.mass,
            inertia: body.inertia(),
            orientation,
            position: [x, y, z],
            before: before.velocities[index],
            after: after.velocities[index],
        });
    }
    let number = |body: Option<usize>| body.and_then(|index| numbers.get(index).copied().flatten());
    let contact = |touch: &crate::trajectory::Touch| {
        // Both bodies of a pair have the same coefficients in all scenes.
        let surface = touch.b.or(touch.a).and_then(|index| scene.bodies.get(index));
        AuditedContact {
            a: number(touch.a),
            b: number(touch.b),
            point: touch.point,
            normal: touch.normal,
            gap: touch.gap,
            friction: surface.map_or(0.0, |body| body.mu),
            restitution: 0.0,
            impulse: touch.impulse,
        }
    };
    AuditedStep {
        engine: format!("{} {} {}", run.engine, run.version, run.settings),
        dt: scene.dt,
        gravity: scene.gravity,
        bodies,
        contacts: touched.contacts.iter().map(contact).collect(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::scene::Body;
    use crate::trajectory::Touch;

    /// A cube of 1 kg held at rest by four corners: m g h / 4 = 0.025 N·s each. If each gives a tenth less, 0.01 N·s are
    /// missing: the impulses leave an approach of 0.01 m/s at every corner, and do not explain that the cube rests.
    #[test]
    fn a_cube_at_rest_is_certified_and_corners_that_give_too_little_are_not() {
        let cube = Body::cuboid([0.5; 3], [0.0, 0.0, 0.5]);
        let scene = Scene {
            name: "S".to_owned(),
            dt: 0.01,
            steps: 1,
            gravity: [0.0, 0.0, -10.0],
            rec: 1,
            bodies: vec![Body::cuboid([5.0, 5.0, 1.0], [0.0, 0.0, -1.0]).fixed(), cube],
        };
        let frame = |step| Frame {
            step,
            poses: vec![[0.0, 0.0, -1.0, 1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0]],
            velocities: vec![[0.0; 6]; 2],
        };
        let corner = |x: f64, y: f64, share: f64| Touch {
            a: Some(0),
            b: Some(1),
            point: [x, y, 0.0],
            normal: [0.0, 0.0, 1.0],
            gap: 0.0,
            impulse: [0.0, 0.0, 0.025 * share],
        };
        let mut run = Trajectory { frames: vec![frame(0), frame(1)], ..Trajectory::default() };
        let corners =
            |share| [(0.5, 0.5), (-0.5, 0.5), (0.5, -0.5), (-0.5, -0.5)].map(|(x, y)| corner(x, y, share)).to_vec();
        run.touches = vec![Touched { step: 0, contacts: corners(1.0) }];
        let graded = grade(&scene, &run);
        assert!(graded.residuals[0] < 1e-15 && graded.unexplained[0] < 1e-15, "{graded:?}");
        run.touches = vec![Touched { step: 0, contacts: corners(0.9) }];
        let graded = grade(&scene, &run);
        assert!((graded.residuals[0] - 0.01).abs() < 1e-12 && (graded.unexplained[0] - 0.01).abs() < 1e-12);
        assert_eq!(graded.worst, Some(0));
    }
}
