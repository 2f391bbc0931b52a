//! Collision. In: poses, flights (free motion). Out: one plan: which bodies touch, where and when. Eq.: none.
//!
//! ```text
//! swept boxes      a box around everything a body may touch in the step           sweep
//! pairs            bodies whose swept boxes overlap, sorted                       broad_phase
//! filters          pairs excluded by filters are removed, sensors set aside       sift
//! waking           touched sleepers wake; pairs of other sleepers are removed      crate::step::sleep
//! replay           islands that the last step left unchanged are not computed     crate::step::replay
//! exclusions       pairs excluded by a joint or the user are removed              here
//! ccd              first touches of bodies with continuous detection              ccd
//! touches          contact points with normals and gaps                           touches, manifold
//! times of impact  one per body that bounces                                      time_of_impact
//! closing          pairs that cannot close in the step are left out               closing
//! ```
//!
//! Later stages read only the plan. Stages that need contact points at other poses ask the `Detector`.

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

/// Pairs that are near each other, and the free motion of their bodies.
#[derive(Clone, Copy)]
pub(crate) struct Near<'a> {
    pub flights: Flights<'a>,
    pub pairs: &'a [(u32, u32)],
    pub dt: f64,
}

/// The result of the stage, for the stages that follow.
#[derive(Default)]
pub(crate) struct Plan {
    /// Swept box of every body, by rank: it contains everything the body may touch in the step.
    pub boxes: Vec<Aabb>,
    /// Pairs of bodies that may touch, by rank, ascending; at least one of the two is dynamic.
    pub pairs: Vec<(u32, u32)>,
    /// Pairs of bodies that do not touch because a joint or the user excludes them, by slot, sorted.
    pub excluded: Vec<(u32, u32)>,
    /// Points of contact, pair by pair, ascending.
    pub touches: Vec<Touch>,
    /// Touches of pairs that are near but predicted not to close.
    pub held_back: Vec<Touch>,
    /// Time of impact of every body that bounces, by rank \[s\]; empty if none bounces.
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
    /// Fills in the plan. Bodies that it wakes are awake for all later stages.
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
    /// Recalls pairs that were predicted not to close but overlap at the end poses. Returns whether there are any.
    pub fn recall(&mut self, world: &World, bodies: &[Moving], end: &[BodyState]) -> bool {
        let Plan { touches, held_back, .. } = &mut self.plan;
        self.closing.recall(world, bodies, end, &mut self.detector, (touches, held_back))
    }

    /// Whether a body belongs to a pair recalled by the last call of `recall`, by rank.
    pub fn recalled(&self) -> &[bool] {
        self.closing.recalled()
    }
}

/// Whether two bodies are excluded from touching.
pub(crate) fn is_excluded(excluded: &[(u32, u32)], a: &Moving, b: &Moving) -> bool {
    excluded.binary_search(&(a.slot.min(b.slot), a.slot.max(b.slot))).is_ok()
}

/// Collects the pairs that a joint or the user excludes from touching, by slot, sorted. Replaces the contents of `out`.
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
