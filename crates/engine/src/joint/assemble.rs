//! Assembly: the least mass-weighted displacement of bodies that makes all joints and gears fit.
//!
//! Gauss–Newton: with the errors e of all locked coordinates and their rows J at the current poses, bodies are moved
//! and turned by `δ = M⁻¹Jᵀr`, `J M⁻¹Jᵀ r = −e`. It converges quadratically near the end; a step that does not reduce
//! the error is halved.

use crate::joint::GearRecord;
use crate::joint::geometry::End;
use crate::step::gears::SumRow;
use crate::step::{inverse_mass_of, world_inverse_inertia};
use crate::{BodyState, Kind, World, WorldError};
use glamx::{DQuat, DVec3};
use signorini_problem::{Block, ContactProblem, Delassus, FactoredParts};
use signorini_solvers::EqualityRows;

/// Error at which joints fit [m, rad].
const FITS: f64 = 1e-12;
/// Most steps: a dozen are usual, also from a metre apart.
const MAX_STEPS: usize = 100;
/// Most halvings of one step.
const MAX_HALVINGS: usize = 20;

impl World {
    /// Moves and turns dynamic bodies until all joints fit to 1e-12 m and rad, with the least mass-weighted
    /// displacement. Velocities do not change. Returns the largest remaining error [m, rad]. If the joints cannot all
    /// fit, this is an error and the world is unchanged.
    ///
    /// ```
    /// # use signorini::{Body, Joint, Misfit, Settings, Shape, World, glamx::DVec3};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut world = World::new(Settings::default())?;
    /// let bob = world.add(Body::dynamic(Shape::sphere(0.1)?).position(DVec3::new(0.0, 0.0, -1.1)))?;
    /// let rod = Joint::distance(bob, DVec3::ZERO, DVec3::ZERO, 1.0);
    /// assert!(world.add_joint(rod).is_err());
    /// world.add_joint(rod.misfit(Misfit::Corrected))?;
    /// world.assemble()?;
    /// assert!((world.body(bob)?.position().z + 1.0).abs() < 1e-12);
    /// # Ok(())
    /// # }
    /// ```
    pub fn assemble(&mut self) -> Result<f64, WorldError> {
        let before: Vec<(u32, BodyState)> =
            self.order.iter().filter_map(|slot| Some((*slot, self.bodies.at(*slot)?.state))).collect();
        let mut error = self.largest_error();
        let mut rows = EqualityRows::default();
        for _ in 0..MAX_STEPS {
            if error <= FITS {
                break;
            }
            let start: Vec<BodyState> =
                self.order.iter().filter_map(|slot| Some(self.bodies.at(*slot)?.state)).collect();
            let Some(way) = self.way(&mut rows) else { break };
            let mut share = 1.0;
            let mut better = f64::INFINITY;
            for _ in 0..MAX_HALVINGS {
                self.displace(&start, &way, share);
                better = self.largest_error();
                if better < error {
                    break;
                }
                share *= 0.5;
            }
            // Round-off of large coordinates may leave more.
            if better.is_nan() || better >= error {
                self.displace(&start, &way, 0.0);
                break;
            }
            error = better;
        }
        if error <= FITS.max(8.0 * f64::EPSILON * self.farthest()) {
            let slots: Vec<u32> = before.iter().map(|(slot, _)| *slot).collect();
            slots.into_iter().for_each(|slot| self.disturb(slot));
            return Ok(error);
        }
        for (slot, state) in before {
            if let Some(record) = self.bodies.at_mut(slot) {
                record.state = state;
            }
        }
        Err(WorldError::Unassembled { left: error })
    }

    /// Gears that act.
    fn engaged_gears(&self) -> impl Iterator<Item = (u32, &GearRecord)> {
        let records = self.gear_order.iter().filter_map(|slot| Some((*slot, self.gears.at(*slot)?)));
        records.filter(|(_, record)| self.is_engaged(record))
    }

    /// Largest error of a locked coordinate of any joint, and of any gear [m, rad].
    pub(crate) fn largest_error(&self) -> f64 {
        let records = self.joint_order.iter().filter_map(|slot| self.joints.at(*slot)).filter(|record| record.enabled);
        let joints = records.fold(0.0, |worst: f64, record| {
            let (geometry, placed) = self.placed(record);
            worst.max(geometry.locked_error(&placed))
        });
        self.engaged_gears().map(|(_, gear)| self.gear_off(gear).abs()).fold(joints, f64::max)
    }

    fn farthest(&self) -> f64 {
        let states = self.order.iter().filter_map(|slot| self.bodies.at(*slot));
        states.fold(1.0, |far: f64, body| far.max(body.state.position.length()))
    }

    /// Displacement and rotation of every body, in the order of their ids; none if it could not be found.
    fn way(&self, solver: &mut EqualityRows) -> Option<Vec<(DVec3, DVec3)>> {
        let mut parts = FactoredParts::default();
        let mut places = vec![None; self.order.iter().map(|slot| *slot as usize + 1).max().unwrap_or(0)];
        for slot in &self.order {
            let record = self.bodies.at(*slot)?;
            if record.kind == Kind::Dynamic {
                places[*slot as usize] = Some(parts.inverse_mass.len() as u32);
                let inertia = world_inverse_inertia(record, record.state.orientation);
                parts.inverse_mass.push(inverse_mass_of(record.mass.inverse_mass, inertia));
            }
        }
        for record in self.joint_order.iter().filter_map(|slot| self.joints.at(*slot)).filter(|record| record.enabled) {
            let (geometry, placed) = self.placed(record);
            let place = |end: End| if let End::Given(slot, _) = end { places[slot as usize] } else { None };
            for spec in geometry.rows.iter().filter(|spec| spec.is_locked()) {
                if spec.block > 0 {
                    parts.blocks.push(Block::joint(spec.block));
                    parts.bodies.push([place(geometry.a), place(geometry.b)]);
                }
                parts.jacobian.push(geometry.jacobian(spec, &placed, &placed));
                parts.q.push(spec.error(geometry.value(spec.measure, &placed)));
            }
        }
        parts.compliance.resize(parts.jacobian.len(), 0.0);
        for (slot, gear) in self.engaged_gears() {
            let mut sum = SumRow::new();
            for (term, record) in gear.terms.iter().filter_map(|term| Some((term, self.joints.at(term.slot)?))) {
                let (geometry, placed) = self.placed(record);
                let place = |end: End| if let End::Given(slot, _) = end { places[slot as usize] } else { None };
                let columns = geometry.jacobian(&term.row(slot), &placed, &placed);
                sum.add(term.factor, [place(geometry.a), place(geometry.b)], &columns);
            }
            sum.pose(&mut parts, self.gear_off(gear));
        }
        let bodies = parts.inverse_mass.len();
        let problem = ContactProblem::from_parts(parts).ok()?;
        let (mut impulses, mut moved) = (Vec::new(), vec![0.0; 6 * bodies]);
        if !solver.solve(&problem, &mut impulses) {
            return None;
        }
        if let Delassus::Factored(delassus) = problem.delassus() {
            delassus.body_velocity(problem.offsets(), &impulses, &mut moved);
        }
        let way = |slot: &u32| match places[*slot as usize] {
            Some(place) => {
                let six = &moved[6 * place as usize..];
                (DVec3::from_slice(six), DVec3::from_slice(&six[3..]))
            }
            None => (DVec3::ZERO, DVec3::ZERO),
        };
        Some(self.order.iter().map(way).collect())
    }

    /// Puts bodies a share of the way on from where they started.
    fn displace(&mut self, start: &[BodyState], way: &[(DVec3, DVec3)], share: f64) {
        for ((slot, start), (linear, angular)) in self.order.iter().zip(start).zip(way) {
            if let Some(record) = self.bodies.at_mut(*slot).filter(|record| record.kind == Kind::Dynamic) {
                record.state.position = start.position + share * *linear;
                let turn = DQuat::from_scaled_axis(share * *angular);
                record.state.orientation = (turn * start.orientation).normalize();
            }
        }
    }
}
