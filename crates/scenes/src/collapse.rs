//! A column of spheres that collapses in a box: one contact problem per step, for any solver to answer.
//!
//! Semi-implicit Euler: `v⁺ = v + h g + M⁻¹Jᵀr`, `x⁺ = x + h v⁺`, contacts found at x from distances of centres and walls,
//! those open by less than 0.02 m with `gap/h` in q. The dense part of the collapse, where a third of the contacts slide
//! and several impacts share a step, gives hard frictional problems: "folds", where a small change of load moves the
//! answer far, and Gauss–Seidel and Newton methods stall.

use crate::contact::{Frame, in_frame};
use crate::problems::{Container, ball_mass};
use crate::random::SplitMix64;
use crate::vector::{Vec3, add, scale};
use crate::{Body, Family, GeneratedProblem, Known, STEP, SceneError};
use std::ops::Range;

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
    /// World impulses of the step before [N·s], sorted by key.
    remembered: Vec<(ContactKey, Vec3)>,
}

/// Which contact it is, from step to step: the bodies, and which wall (its normal) for the fixed world.
type ContactKey = ([Option<u32>; 2], [i8; 3]);

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
        Ok(Collapse { bodies, radii, container, name, step: 0, current: None, remembered: Vec::new() })
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
        self.remembered.clear();
        for (key, frame, rows) in contacts(&problem)? {
            let [n, t1, t2] = frame;
            let r = &impulses[rows];
            self.remembered.push((key, add(scale(r[0], n), add(scale(r[1], t1), scale(r[2], t2)))));
        }
        self.remembered.sort_by_key(|(key, _)| *key);
        for (body, v) in self.bodies.iter_mut().zip(velocity.chunks_exact(6)) {
            body.velocity.copy_from_slice(v);
            for (x, v) in body.position.iter_mut().zip(v) {
                *x += STEP * v;
            }
        }
        self.step += 1;
        Ok(())
    }

    /// The impulses of the step before as a guess for `problem`, which is that of this step: world impulses of contacts
    /// that persist, in their new frames; zero for new contacts.
    pub fn warm_start(&self, problem: &GeneratedProblem) -> Result<Vec<f64>, SceneError> {
        let mut guess = vec![0.0; problem.problem.rows()];
        for (key, frame, rows) in contacts(problem)? {
            if let Ok(found) = self.remembered.binary_search_by_key(&key, |(key, _)| *key) {
                guess[rows].copy_from_slice(&in_frame(&frame, self.remembered[found].1));
            }
        }
        Ok(guess)
    }

    fn assemble(&self) -> Result<GeneratedProblem, SceneError> {
        let assembly = self.container.assemble(self.bodies.clone(), &self.radii);
        assembly.build(format!("{}_step{}", self.name, self.step), Family::Collapse, Known::default())
    }
}

/// Key, frame and rows of every contact. Spheres are always side B, with the frame as their linear columns.
fn contacts(problem: &GeneratedProblem) -> Result<Vec<(ContactKey, Frame, Range<usize>)>, SceneError> {
    let w = problem.factored()?;
    let found = w.bodies().iter().enumerate().map(|(c, pair)| {
        let rows = problem.problem.range(c);
        let linear = |row: usize| [w.jacobian()[row][6], w.jacobian()[row][7], w.jacobian()[row][8]];
        let frame = [linear(rows.start), linear(rows.start + 1), linear(rows.start + 2)];
        let wall = match pair {
            [None, _] => frame[0].map(|x| x.round() as i8),
            _ => [0; 3],
        };
        ((*pair, wall), frame, rows)
    });
    Ok(found.collect())
}
