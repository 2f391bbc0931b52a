//! Bodies, contacts, joints and motors, turned into one contact problem.
//!
//! `q = J v* + offset`, with `v* = v + h g` (gravity inside the solve) and, per normal row, `offset = max(gap, 0)/h`: a
//! contact that is still open closes no faster than its gap allows. Overlap is not pushed out. The torque `−ω×Iω` is not
//! part of v*: it vanishes for cubes and spheres, and v* of the other shapes is data.

use crate::contact::{self, Frame};
use crate::vector::{Vec3, add, scale};
use crate::{Body, Family, GeneratedProblem, Known, SceneError};
use signorini_problem::{Block, ContactProblem, Delassus, FactoredDelassus, JacobianRow, Symmetry};

/// Gravity [m/s²].
pub const GRAVITY: f64 = 9.81;
/// Time step \[s\].
pub const STEP: f64 = 0.01;
/// Density of the bodies [kg/m³].
pub const DENSITY: f64 = 1000.0;

/// A contact problem under construction. `None` in place of a body is the fixed world.
#[derive(Clone, Debug)]
pub struct Assembly {
    bodies: Vec<Body>,
    blocks: Vec<Block>,
    pairs: Vec<[Option<u32>; 2]>,
    rows: Vec<JacobianRow>,
    offset: Vec<f64>,
    /// Gravity [m/s²], a vector.
    pub gravity: Vec3,
    /// Time step \[s\].
    pub step: f64,
}

impl Default for Assembly {
    fn default() -> Self {
        Assembly {
            bodies: Vec::new(),
            blocks: Vec::new(),
            pairs: Vec::new(),
            rows: Vec::new(),
            offset: Vec::new(),
            gravity: [0.0, 0.0, -GRAVITY],
            step: STEP,
        }
    }
}

impl Assembly {
    /// The bodies so far.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// The bodies so far, to set them in motion.
    pub fn bodies_mut(&mut self) -> &mut [Body] {
        &mut self.bodies
    }

    /// Adds a body; returns its index.
    pub fn body(&mut self, body: Body) -> usize {
        self.bodies.push(body);
        self.bodies.len() - 1
    }

    /// Adds a frictional contact at `point` with unit `normal` from `a` to `b` and `gap` \[m\]; returns its frame.
    pub fn contact(&mut self, [a, b]: [Option<usize>; 2], normal: Vec3, point: Vec3, gap: f64, mu: f64) -> Frame {
        let frame = contact::frame(normal);
        let rows = frame.map(|direction| self.row([a, b], direction, point));
        self.block(Block::contact(mu), [a, b], &rows, &[self.closing_offset(gap), 0.0, 0.0]);
        frame
    }

    /// Adds a contact in the xz-plane, rows `(n, t)` with `t = (n_z, 0, −n_x)`.
    pub fn planar_contact(&mut self, [a, b]: [Option<usize>; 2], normal: Vec3, point: Vec3, gap: f64, mu: f64) {
        let tangent = [normal[2], 0.0, -normal[0]];
        let rows = [self.row([a, b], normal, point), self.row([a, b], tangent, point)];
        self.block(Block::planar_contact(mu), [a, b], &rows, &[self.closing_offset(gap), 0.0]);
    }

    /// Adds a frictionless contact.
    pub fn normal_contact(&mut self, [a, b]: [Option<usize>; 2], normal: Vec3, point: Vec3, gap: f64) {
        let row = self.row([a, b], normal, point);
        self.block(Block::normal(), [a, b], &[row], &[self.closing_offset(gap)]);
    }

    /// Adds a ball joint at `point`: three rows along the world axes.
    pub fn ball_joint(&mut self, [a, b]: [Option<usize>; 2], point: Vec3) {
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let rows = axes.map(|direction| self.row([a, b], direction, point));
        self.block(Block::joint(3), [a, b], &rows, &[0.0; 3]);
    }

    /// Adds a joint that holds the given rows still.
    pub fn joint(&mut self, pair: [Option<usize>; 2], rows: &[JacobianRow]) {
        self.block(Block::joint(rows.len()), pair, rows, &vec![0.0; rows.len()]);
    }

    /// Adds a drive along `row` that aims at the speed `target` [m/s] with an impulse within `[lo, hi]` [N·s].
    pub fn motor(&mut self, pair: [Option<usize>; 2], row: JacobianRow, target: f64, lo: f64, hi: f64) {
        self.block(Block::interval(lo, hi), pair, &[row], &[-target]);
    }

    /// The row along `direction` at `point` between two bodies.
    pub fn row(&self, [a, b]: [Option<usize>; 2], direction: Vec3, point: Vec3) -> JacobianRow {
        // An unknown body has no columns here and is refused by `build`.
        let center = |body: Option<usize>| body.and_then(|i| self.bodies.get(i)).map(|body| body.position);
        contact::row(direction, point, center(a), center(b))
    }

    /// `v*`, six numbers per body.
    pub fn free_velocity(&self) -> Vec<f64> {
        let fall = scale(self.step, self.gravity);
        self.bodies
            .iter()
            .flat_map(|body| {
                let [x, y, z, rest @ ..] = body.velocity;
                let [x, y, z] = add([x, y, z], fall);
                let [a, b, c] = rest;
                [x, y, z, a, b, c]
            })
            .collect()
    }

    /// What is known when every solution leaves all bodies at rest: the world takes up all momentum.
    pub fn known_at_rest(&self) -> Known {
        let mut total = [0.0; 3];
        for (body, v) in self.bodies.iter().zip(self.free_velocity().chunks_exact(6)) {
            total = add(total, scale(-body.mass, [v[0], v[1], v[2]]));
        }
        Known { impulse: None, body_velocity: Some(vec![0.0; 6 * self.bodies.len()]), world_impulse: Some(total) }
    }

    /// The problem; an error if a block names a body that was never added.
    pub fn build(self, name: String, family: Family, known: Known) -> Result<GeneratedProblem, SceneError> {
        let free_velocity = self.free_velocity();
        let inverse_mass = self.bodies.iter().map(Body::inverse_mass).collect();
        let delassus = FactoredDelassus::new(inverse_mass, self.pairs, self.rows);
        assemble(name, family, known, self.blocks, delassus, free_velocity, self.offset)
    }

    /// The problem alone, without what a generator says about it.
    pub fn problem(self) -> Result<ContactProblem, SceneError> {
        Ok(self.build(String::new(), Family::Mixed, Known::default())?.problem)
    }

    /// Adds `speed` [m/s] to what the normal row of the last block must not fall below: `e u_N⁻` for a bounce.
    pub fn raise(&mut self, speed: f64) {
        if let (Some(block), end) = (self.blocks.last(), self.offset.len()) {
            self.offset[end - block.rows] += speed;
        }
    }

    fn block(&mut self, block: Block, [a, b]: [Option<usize>; 2], rows: &[JacobianRow], offset: &[f64]) {
        self.blocks.push(block);
        self.pairs.push([a, b].map(|body| body.map(|i| i as u32)));
        self.rows.extend_from_slice(rows);
        self.offset.extend_from_slice(offset);
    }

    fn closing_offset(&self, gap: f64) -> f64 {
        gap.max(0.0) / self.step
    }
}

/// `q = J v* + offset`, then the checked problem.
pub(crate) fn assemble(
    name: String,
    family: Family,
    known: Known,
    blocks: Vec<Block>,
    delassus: FactoredDelassus,
    free_velocity: Vec<f64>,
    offset: Vec<f64>,
) -> Result<GeneratedProblem, SceneError> {
    let mut q = offset.clone();
    let mut row = 0;
    for (block, pair) in blocks.iter().zip(delassus.bodies()) {
        for _ in 0..block.rows {
            for (side, body) in pair.iter().enumerate() {
                let Some(body) = body else { continue };
                let v = free_velocity.chunks_exact(6).nth(*body as usize).unwrap_or_default();
                let j = &delassus.jacobian()[row][6 * side..6 * side + 6];
                q[row] += j.iter().zip(v).map(|(j, v)| j * v).sum::<f64>();
            }
            row += 1;
        }
    }
    let problem = ContactProblem::new(blocks, Delassus::Factored(delassus), q, Symmetry::Exact)?;
    Ok(GeneratedProblem { name, family, problem, free_velocity, offset, known })
}
