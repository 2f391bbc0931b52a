//! Collision. In: poses, flights. Out: one plan. Eq.: none.
//!
//! ```text
//! swept boxes      around everything a body may touch in the step                 sweep
//! pairs            of bodies whose swept boxes meet, sorted                       broad_phase
//! filters          pairs whose filters do not meet leave the step, sensors aside   sift
//! waking           what sleeps and is touched wakes; the rest leaves the step     crate::step::sleep
//! replay           islands that the last step left as they were leave the step    crate::step::replay
//! exclusions       pairs that a joint or the user keeps from touching leave it    here
//! ccd              when bodies with continuous detection first touch              ccd
//! touches          points of contact with normals and gaps                        touches, manifold
//! times of impact  one per body that bounces                                      time_of_impact
//! closing          pairs that cannot close in the step are held back              closing
//! ```
//!
//! The plan is all that later stages read. Whoever needs contact points later, at other poses, asks the `Detector`.

pub mod broad_phase;
pub(crate) mod ccd;
mod closing;
mod detector;
pub mod manifold;
mod pair_memory;
pub(crate) mod sift;
pub(crate) mod sweep;
mod time_of_impact;
mod touches;

pub(crate) use detector::{Detector, PlacedShape};
pub(crate) use touches::Touch;

use crate::body::BodyState;
use crate::joint::{Anchor, PairContact};
use crate::report::StageTimes;
use crate::shape::Aabb;
use crate::step::free_motion::{Flights, FreeMotion};
use crate::step::replay::Replay;
use crate::step::{Moving, sleep};
use crate::{BodyHandle, World};
use broad_phase::BroadPhase;
use ccd::TimeOfImpact;
use closing::ClosingSpace;
use sift::SensorSpace;
use signorini_solvers::Stopwatch;
use time_of_impact::ImpactTimes;
use touches::TouchSpace;

/// Pairs that are near each other, and how their bodies fly.
#[derive(Clone, Copy)]
pub(crate) struct Near<'a> {
    pub flights: Flights<'a>,
    pub pairs: &'a [(u32, u32)],
    pub dt: f64,
}

/// What came out, for the stages that follow.
#[derive(Default)]
pub(crate) struct Plan {
    /// Around everything a body may touch in the step, by rank.
    pub boxes: Vec<Aabb>,
    /// Ranks of bodies that may touch, one of them dynamic, ascending.
    pub pairs: Vec<(u32, u32)>,
    /// Slots of bodies that do not touch because a joint or the user says so, sorted.
    pub excluded: Vec<(u32, u32)>,
    /// Points of contact, pair by pair, ascending.
    pub touches: Vec<Touch>,
    /// Those of pairs that are near and not thought to close.
    pub held_back: Vec<Touch>,
    /// When the impulses of the step meet a body that bounces, by rank \[s\]; empty if none bounces.
    pub met_at: Vec<Option<f64>>,
}

/// The stage: the plan, and its memory.
#[derive(Default)]
pub(crate) struct Collision {
    pub plan: Plan,
    pub detector: Detector,
    broad_phase: BroadPhase,
    touch_space: TouchSpace,
    ccd_times: Vec<TimeOfImpact>,
    impact_times: ImpactTimes,
    sensors: SensorSpace,
    closing: ClosingSpace,
}

impl Collision {
    /// Fills in the plan. Bodies that are woken are awake from here on.
    pub fn find(
        &mut self,
        world: &World,
        bodies: &mut [Moving],
        flights: &[FreeMotion],
        (ranks, replay): (&[Option<u32>], &mut Replay),
        dt: f64,
        (clock, times): (&mut Stopwatch, &mut StageTimes),
    ) -> usize {
        let Collision { plan, detector, broad_phase, touch_space, ccd_times, impact_times, sensors, closing } = self;
        let Plan { boxes, pairs, excluded, touches, held_back, met_at } = plan;
        sweep::swept_boxes(world, flights, dt, boxes);
        broad_phase.pairs(boxes, pairs);
        sift::sift(world, pairs, sensors);
        sleep::wake(world, dt, (bodies, flights, ranks), pairs, detector);
        let found = pairs.len();
        excluded_pairs(world, excluded);
        replay.choose(world, dt, excluded, pairs, bodies);
        pairs.retain(|(i, j)| {
            let (a, b) = (&bodies[*i as usize], &bodies[*j as usize]);
            (a.is_dynamic() || b.is_dynamic()) && !is_excluded(excluded, a, b)
        });
        times.broad_phase = clock.lap();

        let near = Near { flights: Flights { bodies, motion: flights }, pairs, dt };
        ccd::first_touches(world, &near, detector, ccd_times);
        detector.begin(bodies.iter().map(|body| BodyHandle(world.bodies.key(body.slot))));
        held_back.iter_mut().for_each(|touch| detector.take_back(&mut touch.manifold));
        held_back.clear();
        touches::find(world, &near, ccd_times, detector, touch_space, touches);
        sift::let_through(world, bodies, touches);
        time_of_impact::agree(world, &near, ranks, (impact_times, detector), touches, met_at);
        closing.hold_back(world, &near, ranks, touches, held_back);
        times.manifold = clock.lap();
        found
    }
}

impl Collision {
    /// Brings back pairs that were not thought to close and overlap at the end poses; whether there are any.
    pub fn recall(&mut self, world: &World, bodies: &[Moving], end: &[BodyState]) -> bool {
        let Plan { touches, held_back, .. } = &mut self.plan;
        self.closing.recall(world, bodies, end, &mut self.detector, (touches, held_back))
    }

    /// Bodies of pairs that were brought back by the last call of `recall`, by rank.
    pub fn recalled(&self) -> &[bool] {
        self.closing.recalled()
    }
}

/// Whether two bodies are kept from touching.
pub(crate) fn is_excluded(excluded: &[(u32, u32)], a: &Moving, b: &Moving) -> bool {
    excluded.binary_search(&(a.slot.min(b.slot), a.slot.max(b.slot))).is_ok()
}

/// Slots of bodies that do not touch because a joint or the user says so, sorted; replaces the contents of `out`.
pub(crate) fn excluded_pairs(world: &World, out: &mut Vec<(u32, u32)>) {
    out.clear();
    let records = world.joint_order.iter().filter_map(|slot| world.joints.at(*slot));
    for joint in records.map(|record| &record.joint).filter(|joint| joint.contact == PairContact::Ignored) {
        if let Anchor::Body(b, _) = joint.b {
            let (a, b) = (joint.a.0.0.slot, b.0.slot);
            out.push((a.min(b), a.max(b)));
        }
    }
    out.extend(&world.apart);
    out.sort_unstable();
}
