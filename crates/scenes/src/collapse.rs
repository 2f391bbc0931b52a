//! A column of spheres that collapses in a box: one contact problem per step, for any solver to answer.
//!
//! Semi-implicit Euler: `v⁺ = v + h g + M⁻¹Jᵀr`, `x⁺ = x + h v⁺`, contacts found at x from distances of centres and walls,
//! those open by less than 0.02 m with `gap/h` in q. The dense part of the collapse, where a third of the contacts slide
//! and several impacts share a step, gives the hardest frictional problems known to us: "folds", where a small change of
//! load moves the answer far and Gauss–Seidel and Newton methods stall.

use crate::problems::{Container, ball_mass};
use crate::random::SplitMix64;
use crate::{Body, Family, GeneratedProblem, Known, STEP, SceneError};

/// Spheres in a box, and the time they have fallen.
#[derive(Clone, Debug)]
pub struct Collapse {
    bodies: Vec<Body>,
    radii: Vec<f64>,
    container: Container,
    name: String,
    step: usize,
    /// The problem handed out last, to which the impulses of [`Collapse::advance`] belong.
    current: Option<GeneratedProblem>,
}

impl Collapse {
    /// `n` spheres of radius 0.35 to 0.5 m in layers above the floor of a square box, with a random `mass_ratio`
    /// (logarithm uniform) on top of their volume, friction `mu`.
    pub fn new(n: usize, mass_ratio: f64, mu: f64, seed: u64) -> Result<Self, SceneError> {
        SceneError::at_least("spheres", n, 1, "at least one")?;
        SceneError::positive("mass ratio", mass_ratio)?;
        if !(mu >= 0.0 && mu.is_finite()) {
            return Err(SceneError::Parameter { name: "friction coefficient", value: mu, expected: "zero or more" });
        }
        // A column half again as high as wide: a layer of k² fills a floor of k sites.
        let mut sites = 1;
        while 3 * sites * sites * sites < 2 * n {
            sites += 1;
        }
        let pitch = 1.1;
        let width = pitch * sites as f64;
        let mut random = SplitMix64::new(seed);
        let (mut bodies, mut radii) = (Vec::with_capacity(n), Vec::with_capacity(n));
        for i in 0..n {
            let (layer, site) = (i / (sites * sites), i % (sites * sites));
            let mut along = |k: usize| (k as f64 + 0.5) * pitch + random.uniform(-0.02, 0.02);
            let (x, y) = (along(site / sites), along(site % sites));
            let radius = random.uniform(0.35, 0.5);
            let mass = ball_mass(radius) * random.log_uniform(mass_ratio);
            bodies.push(Body::sphere(mass, radius, [x, y, 0.6 + 1.05 * layer as f64]));
            radii.push(radius);
        }
        let container = Container { walls: Some([[0.0, width]; 2]), margin: 0.02, mu };
        let name = format!("collapse{n}_mass{mass_ratio:e}_mu{mu}_seed{seed}");
        Ok(Collapse { bodies, radii, container, name, step: 0, current: None })
    }

    /// The spheres as they are now.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// Radii of the spheres \[m\].
    pub fn radii(&self) -> &[f64] {
        &self.radii
    }

    /// Steps taken.
    pub fn step(&self) -> usize {
        self.step
    }

    /// The contact problem of this step; `None` while nothing touches (then [`Collapse::advance`] takes no impulses).
    pub fn next_problem(&mut self) -> Result<Option<GeneratedProblem>, SceneError> {
        let problem = self.assemble()?;
        self.current = Some(problem.clone());
        Ok((problem.blocks() > 0).then_some(problem))
    }

    /// Takes the step with these impulses [N·s].
    pub fn advance(&mut self, impulses: &[f64]) -> Result<(), SceneError> {
        let problem = match self.current.take() {
            Some(problem) => problem,
            None => self.assemble()?,
        };
        let velocity = problem.body_velocity(impulses)?;
        for (body, v) in self.bodies.iter_mut().zip(velocity.chunks_exact(6)) {
            body.velocity.copy_from_slice(v);
            for (x, v) in body.position.iter_mut().zip(v) {
                *x += STEP * v;
            }
        }
        self.step += 1;
        Ok(())
    }

    fn assemble(&self) -> Result<GeneratedProblem, SceneError> {
        let assembly = self.container.assemble(self.bodies.clone(), &self.radii);
        assembly.build(format!("{}_step{}", self.name, self.step), Family::Collapse, Known::default())
    }
}
