//! Signorini by several methods.

use super::Engine;
use crate::BenchError;
use crate::scene::{Body, Scene, ShapeKind};
use crate::trajectory::Frame;
use signorini::glamx::{DQuat, DVec3};
use signorini::{
    BodyHandle, ImpactLaw, Material, Method, Settings, Shape, Stabilisation, StepReport, StepStatus, World,
};

/// A method, or a method with a number of sweeps; `sequential` is `exact` with impacts passed on from body to body.
///
/// With a number of sweeps, overlap is taken out by a bias of the velocities, as engines that sweep do: taken out of the
/// poses, what ten sweeps leave would be put right by an exact solve of positions, and that would be what is measured.
///
/// The other methods of `Method::ALL` are for problems of a few contacts or need minutes for a step of these scenes:
/// `signorini bench` and `signorini solve` compare them on scenes and problems of their size.
pub const SETTINGS: &[&str] =
    &["exact", "sequential", "interior-point", "nsgs", "pgs", "block-pgs", "pgs-10", "pgs-50"];

struct Ours {
    world: World,
    bodies: Vec<BodyHandle>,
    dt: f64,
    last: Option<StepReport>,
}

/// The settings of a name.
fn settings(name: &str, gravity: [f64; 3]) -> Result<Settings, BenchError> {
    let mut settings = Settings { gravity: DVec3::from_array(gravity), ..Settings::default() };
    if name == "sequential" {
        settings.impact = ImpactLaw::sequential();
        return Ok(settings);
    }
    match name.strip_prefix("pgs-").and_then(|sweeps| sweeps.parse().ok()) {
        Some(sweeps) => {
            settings.method = Method::Pgs;
            settings.stop.max_iterations = Some(sweeps);
            settings.stabilisation = Stabilisation::VelocityBias { fraction: 0.2 };
        }
        None => settings.method = name.parse().map_err(BenchError::engine)?,
    }
    Ok(settings)
}

pub fn load(scene: &Scene, name: &'static str, _threads: usize) -> Result<Box<dyn Engine>, BenchError> {
    let mut world = World::new(settings(name, scene.gravity)?).map_err(BenchError::engine)?;
    let mut bodies = Vec::with_capacity(scene.bodies.len());
    for (index, body) in scene.bodies.iter().enumerate() {
        bodies.push(world.add(describe(index, body)?).map_err(BenchError::engine)?);
    }
    Ok(Box::new(Ours { world, bodies, dt: scene.dt, last: None }))
}

fn describe(index: usize, body: &Body) -> Result<signorini::Body, BenchError> {
    let half = DVec3::from_array(body.half_extents());
    let shape = match body.shape {
        ShapeKind::Box => Shape::cuboid(half),
        ShapeKind::Sphere => Shape::sphere(half.x),
    };
    let shape = shape.map_err(BenchError::engine)?;
    let [w, x, y, z] = body.quat;
    let made = if body.fixed { signorini::Body::fixed(shape) } else { signorini::Body::dynamic(shape).mass(body.mass) };
    let made = if body.ccd { made.fast() } else { made };
    Ok(made
        .numbered(index as u64)
        .position(DVec3::from_array(body.pos))
        .orientation(DQuat::from_xyzw(x, y, z, w))
        .velocity(DVec3::from_array(body.v))
        .angular_velocity(DVec3::from_array(body.w))
        .material(Material::new(body.mu, body.e)))
}

impl Engine for Ours {
    fn step(&mut self) -> Result<(), BenchError> {
        self.last = Some(self.world.step(self.dt).map_err(BenchError::engine)?);
        Ok(())
    }

    fn observe(&self, frame: &mut Frame) -> Result<(), BenchError> {
        for handle in &self.bodies {
            let body = self.world.body(*handle).map_err(BenchError::engine)?;
            let (p, q, v, w) = (body.position(), body.orientation(), body.velocity(), body.angular_velocity());
            frame.poses.push([p.x, p.y, p.z, q.w, q.x, q.y, q.z]);
            frame.velocities.push([v.x, v.y, v.z, w.x, w.y, w.z]);
        }
        Ok(())
    }

    fn contacts(&self) -> Option<usize> {
        Some(self.world.contacts().len())
    }

    fn stages(&self) -> Vec<(&'static str, f64)> {
        let Some(report) = &self.last else { return Vec::new() };
        let times = &report.times;
        vec![
            ("free motion", times.free_motion),
            ("broad phase", times.broad_phase),
            ("manifolds", times.manifold),
            ("contacts", times.contact),
            ("islands", times.island),
            ("solve", times.solve),
            ("positions", times.position),
            ("integration", times.integrate),
        ]
    }

    fn verdict(&self) -> Option<(f64, bool)> {
        let report = self.last.as_ref()?;
        Some((report.velocity.map_or(0.0, |c| c.natural), report.status == StepStatus::Certified))
    }
}
