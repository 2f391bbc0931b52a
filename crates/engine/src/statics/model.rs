//! The free bodies of a world: who must be in balance, what loads them, and what can hold them.

use super::{StaticsError, StaticsOptions};
use crate::body::{BodyRecord, Kind};
use crate::joint::rows::{Measure, RowLaw, RowSpec};
use crate::step::broad_phase::BroadPhase;
use crate::step::gears::SumRow;
use crate::step::manifold::NarrowPhase;
use crate::step::{contact_frame, contact_row, excluded_pairs};
use crate::{BodyHandle, World};
use glamx::DVec3;
use signorini_problem::JacobianRow;
use signorini_problem::math;

/// Most points of contact: a program of as many takes minutes.
const MAX_CONTACTS: usize = 20_000;

/// A point where two bodies touch.
#[derive(Clone, Copy, Debug)]
pub(super) struct StaticContact {
    pub a: BodyHandle,
    pub b: BodyHandle,
    /// Which of the bodies in balance they are.
    pub places: [Option<usize>; 2],
    pub point: DVec3,
    /// n from A to B, t₁, t₂.
    pub frame: [DVec3; 3],
    pub friction: f64,
    /// Points of one patch have the same number and the same frame.
    pub patch: usize,
    pub rows: [JacobianRow; 3],
}

/// What a row of a joint can carry [N, N·m].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Carries {
    Anything,
    Push,
    /// From −x to x.
    Within(f64),
}

/// A row of a joint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tie {
    pub places: [Option<usize>; 2],
    pub row: JacobianRow,
    pub carries: Carries,
    /// Whether it is a torque.
    pub turns: bool,
    /// Whether it is a part of the row before it: a gear is over the bodies of several joints.
    pub joined: bool,
}

/// Six numbers: force \[N\], torque about the centre of mass [N·m].
pub(super) type Wrench = [f64; 6];

#[derive(Clone, Debug)]
pub(super) struct Model {
    /// In the order of their ids.
    pub bodies: Vec<BodyHandle>,
    pub centres: Vec<DVec3>,
    pub loads: Vec<Wrench>,
    pub touches: Vec<StaticContact>,
    pub ties: Vec<Tie>,
    /// By which torques are divided \[m\]: the farthest that a contact is from a centre of mass.
    pub length: f64,
    /// By which forces are divided \[N\]: the largest load.
    pub force: f64,
}

impl Model {
    pub fn new(world: &World, options: &StaticsOptions) -> Result<Model, StaticsError> {
        check_options(options)?;
        let (bodies, by_slot) = in_balance(world, options)?;
        let records = bodies.iter().filter_map(|body| world.bodies.get(body.0).ok());
        let (mut centres, mut loads) = (Vec::new(), Vec::new());
        for record in records {
            centres.push(record.state.position);
            loads.push(wrench(record.mass.mass * world.settings.gravity + record.force, record.torque));
        }
        let mut model =
            Model { bodies, centres, loads, touches: Vec::new(), ties: Vec::new(), length: 1.0, force: 1.0 };
        model.find_touches(world, options.touching, &by_slot)?;
        model.find_ties(world, options.touching, &by_slot);
        let arm = |row: &JacobianRow| [&row[3..6], &row[9..12]].map(|v| DVec3::from_slice(v).length());
        let forces = model.ties.iter().filter(|tie| !tie.turns).map(|tie| &tie.row);
        let arms = model.touches.iter().flat_map(|touch| touch.rows.iter()).chain(forces).flat_map(arm);
        let far = arms.fold(0.0, f64::max);
        if far > 0.0 {
            model.length = far;
        }
        let largest = model.loads.iter().map(|load| model.size(load)).fold(0.0, f64::max);
        if largest > 0.0 {
            model.force = largest;
        }
        Ok(model)
    }

    /// Length of a wrench \[N\], torques divided by the length of the model.
    pub fn size(&self, wrench: &Wrench) -> f64 {
        let torque = DVec3::from_slice(&wrench[3..]) / self.length;
        math::hypot(DVec3::from_slice(wrench).length(), torque.length())
    }

    fn find_touches(&mut self, world: &World, touching: f64, by_slot: &[Option<usize>]) -> Result<(), StaticsError> {
        let records: Vec<(BodyHandle, &BodyRecord)> = world.records().collect();
        let boxes: Vec<_> = records.iter().map(|(_, body)| body.shape.aabb(&body.pose()).inflated(touching)).collect();
        let (mut pairs, mut ignored) = (Vec::new(), Vec::new());
        BroadPhase::default().pairs(&boxes, &mut pairs);
        excluded_pairs(world, &mut ignored);
        let (mut finder, mut manifolds) = (NarrowPhase::default(), Vec::new());
        let mut patch = 0;
        for (i, j) in pairs {
            let ((a, body_a), (b, body_b)) = (records[i as usize], records[j as usize]);
            let slots = [a.0.slot, b.0.slot];
            let places = slots.map(|slot| by_slot[slot as usize]);
            let pair = (slots[0].min(slots[1]), slots[0].max(slots[1]));
            if places == [None, None] || ignored.binary_search(&pair).is_ok() || !world.may_push(body_a, body_b) {
                continue;
            }
            let friction = world.pair_material(body_a, body_b).friction;
            finder.collide(&body_a.shape, &body_a.pose(), &body_b.shape, &body_b.pose(), touching, &mut manifolds);
            for manifold in &manifolds {
                let frame = contact_frame(manifold.normal);
                for point in manifold.points.iter().filter(|point| point.gap <= touching) {
                    let point = 0.5 * (point.on_a + point.on_b);
                    let arms = [point - body_a.state.position, point - body_b.state.position];
                    let rows = frame.map(|direction| contact_row(direction, arms[0], arms[1]));
                    self.touches.push(StaticContact { a, b, places, point, frame, friction, patch, rows });
                }
                patch += 1;
            }
            finder.recycle(&mut manifolds);
            let found = self.touches.len();
            if found > MAX_CONTACTS {
                return Err(StaticsError::Limit { field: "points of contact", found, limit: MAX_CONTACTS });
            }
        }
        Ok(())
    }

    fn find_ties(&mut self, world: &World, touching: f64, by_slot: &[Option<usize>]) {
        let records = world.joint_order.iter().filter_map(|slot| world.joints.at(*slot));
        for record in records.filter(|record| record.enabled) {
            let (geometry, placed) = world.placed(record);
            // The geometry of a joint counts the other end first.
            let other = record.joint.b.body().and_then(|body| by_slot[body.0.slot as usize]);
            let places = [other, by_slot[record.joint.a.0.0.slot as usize]];
            if places == [None, None] {
                continue;
            }
            for spec in geometry.rows {
                let row = geometry.jacobian(spec, &placed, &placed);
                let turns = !matches!(spec.measure, Measure::Apart(_) | Measure::Along(_) | Measure::Length);
                match at_rest(spec, geometry.value(spec.measure, &placed), touching) {
                    Held::Nothing => {}
                    Held::By(carries) => self.ties.push(Tie { places, row, carries, turns, joined: false }),
                    Held::Force(force) => {
                        for (place, half) in places.into_iter().zip(row.chunks_exact(6)) {
                            let Some(place) = place else { continue };
                            self.loads[place].iter_mut().zip(half).for_each(|(load, j)| *load += force * j);
                        }
                    }
                }
            }
        }
        for slot in &world.gear_order {
            let Some(gear) = world.gears.at(*slot).filter(|gear| world.is_engaged(gear)) else { continue };
            let mut sum = SumRow::new();
            for (term, record) in gear.terms.iter().filter_map(|term| Some((term, world.joints.at(term.slot)?))) {
                let (geometry, placed) = world.placed(record);
                let other = record.joint.b.body().and_then(|body| by_slot[body.0.slot as usize]);
                let places = [other, by_slot[record.joint.a.0.0.slot as usize]];
                let row = geometry.jacobian(&term.row(*slot), &placed, &placed);
                sum.add(term.factor, places.map(|place| place.map(|place| place as u32)), &row);
            }
            let turns = gear.leading().is_some_and(|term| matches!(term.measure, Measure::Angle(_)));
            for (at, (pair, row)) in sum.pairs().enumerate() {
                let places = pair.map(|place| place.map(|place| place as usize));
                self.ties.push(Tie { places, row, carries: Carries::Anything, turns, joined: at > 0 });
            }
        }
    }
}

/// What a row does at rest.
enum Held {
    Nothing,
    By(Carries),
    /// A force that is known [N, N·m].
    Force(f64),
}

fn at_rest(spec: &RowSpec, value: f64, touching: f64) -> Held {
    match spec.law {
        RowLaw::Hold { .. } => Held::By(Carries::Anything),
        RowLaw::Stop { .. } if spec.error(value) <= touching => Held::By(Carries::Push),
        // Gears are ties over several joints.
        RowLaw::Stop { .. } | RowLaw::Rotor { .. } | RowLaw::Geared { .. } => Held::Nothing,
        RowLaw::Speed { force: f64::INFINITY, .. } => Held::By(Carries::Anything),
        RowLaw::Speed { force, .. } => Held::By(Carries::Within(force)),
        RowLaw::Spring { stiffness, target, force, .. } => {
            Held::Force((stiffness * (target - value)).clamp(-force, force))
        }
        RowLaw::Given { force } => Held::Force(force),
    }
}

pub(super) fn wrench(force: DVec3, torque: DVec3) -> Wrench {
    [force.x, force.y, force.z, torque.x, torque.y, torque.z]
}

fn check_options(options: &StaticsOptions) -> Result<(), StaticsError> {
    let index = 0;
    if !(options.touching >= 0.0 && options.touching.is_finite()) {
        let (field, range) = ("touching distance", "[0, ∞) m");
        return Err(StaticsError::Value { field, index, value: options.touching, range });
    }
    if !(1e-12..=1e-2).contains(&options.tolerance) {
        return Err(StaticsError::Value {
            field: "tolerance",
            index,
            value: options.tolerance,
            range: "[1e-12, 1e-2]",
        });
    }
    Ok(())
}

/// The bodies in balance in the order of their ids, and their places by slot.
fn in_balance(world: &World, options: &StaticsOptions) -> Result<(Vec<BodyHandle>, Vec<Option<usize>>), StaticsError> {
    let slots = world.order.iter().max().map_or(0, |slot| *slot as usize + 1);
    let mut wanted = vec![options.bodies.is_none(); slots];
    for body in options.bodies.iter().flatten() {
        let view = world.body(*body)?;
        if view.kind() != Kind::Dynamic {
            return Err(StaticsError::NotDynamic { body: view.id().clone(), operation: "asked to be in balance" });
        }
        wanted[body.0.slot as usize] = true;
    }
    let (mut bodies, mut by_slot) = (Vec::new(), vec![None; slots]);
    for (handle, record) in world.records() {
        let slot = handle.0.slot as usize;
        if wanted[slot] && record.kind == Kind::Dynamic && !record.quarantined {
            by_slot[slot] = Some(bodies.len());
            bodies.push(handle);
        }
    }
    Ok((bodies, by_slot))
}
