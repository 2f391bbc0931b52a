//! Quarantine. In: states and islands of a pass. Out: the bodies that the step has to be taken without. Those are
//! bodies whose next state would leave the range of numbers, and all bodies of an island whose contact problem would be
//! invalid.
//!
//! A quarantined body stays where it is, as an obstacle. If forces alone throw a body out of range, it is found before
//! anything is solved. If impulses throw bodies out, all of them are found in the first pass, and the second pass is
//! taken without them. Bodies that leave their range even then are left out together with their islands. Islands share
//! no dynamic body, so the other islands are solved to the same bits in every pass.

use crate::body::{BodyRecord, BodyState, MAX_ANGULAR_VELOCITY, MAX_POSITION, MAX_SPEED};
use crate::step::island::Islands;
use crate::step::solve::IslandSpace;
use crate::step::{Moving, Twist};
use crate::{StepError, World};
use glamx::DVec3;

/// Number of passes in which single bodies are taken out; later passes take out whole islands.
const ALONE: usize = 2;
/// Limit on passes over the stages. Three suffice; if this many do not, the step is refused.
const MAX_PASSES: usize = 6;

/// The bodies that are left out of the step, and those that the current pass adds to them.
#[derive(Default)]
pub(crate) struct Quarantine {
    passes: usize,
    /// Whether a body is left out, by rank.
    held: Vec<bool>,
    /// Ranks of the bodies that the current pass adds, and the first reason.
    leaving: Vec<u32>,
    reason: Option<StepError>,
}

impl Quarantine {
    /// Starts a new step with this number of bodies.
    pub fn begin(&mut self, bodies: usize) {
        self.held.clear();
        self.held.resize(bodies, false);
        self.leaving.clear();
        (self.passes, self.reason) = (0, None);
    }

    pub fn holds(&self, rank: usize) -> bool {
        self.held.get(rank).is_some_and(|held| *held)
    }

    /// Checks all states against their range. Returns whether any is beyond it.
    pub fn watch(&mut self, world: &World, bodies: &[Moving], end: &[BodyState], stage: &'static str) -> bool {
        for (rank, (body, state)) in bodies.iter().zip(end).enumerate() {
            let Some(record) = world.bodies.at(body.slot) else { continue };
            let twist = Twist { linear: state.velocity, angular: state.angular_velocity };
            let checked = check_speed(record, &twist, stage).and_then(|()| check_pose(record, state, stage));
            if let Err(why) = checked {
                self.leaving.push(rank as u32);
                self.reason.get_or_insert(why);
            }
        }
        self.reason.is_some()
    }

    /// Quarantines the islands whose problem could not be posed: that of `error`, and those whose workspaces hold an
    /// error. Errors of the method are returned; they are no fault of a body.
    pub fn cannot_pose(
        &mut self,
        error: StepError,
        islands: &Islands,
        spaces: &mut [IslandSpace],
    ) -> Result<(), StepError> {
        let others = spaces.iter_mut().take(islands.len()).filter_map(|space| space.error.take());
        for error in std::iter::once(error).chain(others) {
            let StepError::Problem { island, .. } = &error else { return Err(error) };
            let Some(island) = islands.as_slice().get(*island) else { return Err(error) };
            self.leaving.extend_from_slice(&island.bodies);
            self.reason.get_or_insert(error);
        }
        Ok(())
    }

    /// Ends a pass. Returns whether another one is needed, without the bodies that were added.
    pub fn again(&mut self, bodies: &[Moving], islands: &Islands) -> Result<bool, StepError> {
        let Some(reason) = self.reason.take() else { return Ok(false) };
        self.passes += 1;
        if self.passes == MAX_PASSES {
            return Err(reason);
        }
        for rank in self.leaving.drain(..) {
            self.held[rank as usize] = true;
            let island = bodies[rank as usize].island.filter(|_| self.passes > ALONE);
            let Some(island) = island.and_then(|island| islands.as_slice().get(island as usize)) else { continue };
            island.bodies.iter().for_each(|rank| self.held[*rank as usize] = true);
        }
        Ok(true)
    }
}

/// Refuses velocities beyond the range in which anything can be computed.
pub(crate) fn check_speed(body: &BodyRecord, twist: &Twist, stage: &'static str) -> Result<(), StepError> {
    let check = |quantity, vector: DVec3, limit| {
        let value = if vector.is_nan() { f64::NAN } else { vector.abs().max_element() };
        if value <= limit {
            return Ok(());
        }
        Err(StepError::OutOfRange { body: body.id.clone(), quantity, value, limit, stage })
    };
    check("speed", twist.linear, MAX_SPEED)?;
    check("angular velocity", twist.angular, MAX_ANGULAR_VELOCITY)
}

/// Refuses poses beyond the range in which anything can be computed.
fn check_pose(record: &BodyRecord, state: &BodyState, stage: &'static str) -> Result<(), StepError> {
    let value = if state.position.is_nan() { f64::NAN } else { state.position.abs().max_element() };
    if value <= MAX_POSITION && state.orientation.is_finite() {
        return Ok(());
    }
    Err(StepError::OutOfRange { body: record.id.clone(), quantity: "position", value, limit: MAX_POSITION, stage })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::step::Workspace;
    use crate::{Body, Settings, Shape};
    use signorini_problem::ProblemError;
    use signorini_solvers::SolveError;

    /// Two passes suffice, however many bodies leave by forces or by speed.
    #[test]
    fn all_that_leave_are_found_in_one_pass() {
        for (force, speed, passes) in [(1e300, 0.0, 0), (0.0, 1e8, 1), (1e300, 1e8, 1)] {
            let mut world = World::new(Settings::default()).unwrap();
            for i in 0..40 {
                let place = DVec3::new(1e10 - 1.0, 3.0 * f64::from(i), 0.0);
                let velocity = if i % 2 == 0 { DVec3::X * speed } else { DVec3::ZERO };
                let ball = Body::dynamic(Shape::sphere(0.5).unwrap()).position(place).velocity(velocity);
                let ball = world.add(ball).unwrap();
                if i % 2 == 1 {
                    world.add_force(ball, DVec3::Z * force).unwrap();
                }
            }
            let report = world.step(0.01).unwrap();
            assert_eq!(world.workspace.as_ref().unwrap().quarantine.passes, passes);
            let leave = if force > 0.0 && speed > 0.0 { 40 } else { 20 };
            assert_eq!(report.counts.quarantined, leave);
        }
    }

    /// Two columns of two balls: only the bodies of the island that cannot be posed are left out. An island that the
    /// method refuses is not quarantined.
    #[test]
    fn an_island_that_cannot_be_posed_is_left_out_and_nobody_else() {
        let mut world = World::new(Settings::default()).unwrap();
        for i in 0..4 {
            let place = DVec3::new(10.0 * f64::from(i / 2), 0.0, f64::from(i % 2));
            world.add(Body::dynamic(Shape::sphere(0.5).unwrap()).position(place)).unwrap();
        }
        world.step(0.01).unwrap();
        let Workspace { quarantine, bodies, islands, spaces, .. } = &mut **world.workspace.as_mut().unwrap();
        assert_eq!(islands.len(), 2);
        let source = ProblemError::NotFinite { what: "q", index: 0, value: f64::NAN };
        quarantine.begin(4);
        quarantine.cannot_pose(StepError::Problem { island: 1, source }, islands, spaces).unwrap();
        assert_eq!(quarantine.again(bodies, islands), Ok(true));
        assert_eq!([0, 1, 2, 3].map(|rank| quarantine.holds(rank)), [false, false, true, true]);
        assert_eq!(quarantine.again(bodies, islands), Ok(false));
        let refused = StepError::Solve { island: 0, source: SolveError::GuessLength { found: 0, expected: 1 } };
        assert_eq!(quarantine.cannot_pose(refused.clone(), islands, spaces), Err(refused));
    }
}
