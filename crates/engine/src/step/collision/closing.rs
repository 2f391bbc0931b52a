//! Leaves out pairs that cannot close in the step. In: touches, flights. Out: the touches of the other pairs. Eq.: with
//! w the displacement of B relative to A, bodies do not meet while the plane between two convex parts, with normal n
//! and gap g, stays between them, nor while their bounding spheres stay apart:
//!
//! ```text
//! g + n·w − h(ω_a ρ_a + ω_b ρ_b) > margin,    |x_b − x_a + s w| > ρ_a + ρ_b + margin for all s in [0, 1]
//! ```
//!
//! with ρ the reach of a body from its centre of mass; rotation does not count for a ball about that point.
//! Displacements are those of free flight. A body of a pair that may close may be deflected: besides flying on it may
//! stop, and turn back if it bounces. Pairs that close under such a motion may close too. Bodies with joints may move
//! in any way.
//!
//! A contact that stays open carries no impulse. Leaving it out gives the same answer and smaller islands: bodies that
//! fall side by side are separate islands at any speed, also when they land. An impulse may move a body differently
//! from what was assumed. Its pairs then overlap at the end poses, or have passed each other; they are recalled, and
//! their islands are solved again (`passes`).

use crate::World;
use crate::body::{BodyRecord, BodyState};
use crate::joint::Anchor;
use crate::shape::Aabb;
use crate::step::Moving;
use crate::step::collision::manifold::ManifoldPoint;
use crate::step::collision::sweep::{fastest_spin, margin};
use crate::step::collision::{Detector, Near, PlacedShape, Touch};
use crate::step::end_poses::trigger;
use crate::step::free_motion::FreeMotion;
use glamx::DVec3;

/// A pair that does not close in free flight.
#[derive(Clone, Copy, Debug)]
struct Open {
    pair: (u32, u32),
    /// Whether it closes if the first, the second, or both bodies are deflected.
    closes: [bool; 3],
}

/// Memory of the stage, kept between steps.
#[derive(Default)]
pub(crate) struct ClosingSpace {
    /// Whether a body may be deflected, by rank.
    deflected: Vec<bool>,
    jointed: Vec<bool>,
    /// Pairs held back, ascending.
    open: Vec<Open>,
    /// Boxes of the shapes at the end poses, by rank.
    boxes: Vec<Aabb>,
    /// Pairs held back before the last recall; and whether a body belongs to a recalled pair, by rank.
    were_open: Vec<Open>,
    recalled: Vec<bool>,
}

impl ClosingSpace {
    /// Moves the touches of pairs that cannot close to `held_back`.
    pub fn hold_back(
        &mut self,
        world: &World,
        near: &Near,
        ranks: &[Option<u32>],
        touches: &mut Vec<Touch>,
        held_back: &mut Vec<Touch>,
    ) {
        let bodies = near.flights.bodies;
        self.find_jointed(world, bodies.len(), ranks);
        self.deflected.clone_from(&self.jointed);
        self.open.clear();
        let margin = margin(world, near.dt);
        for run in touches.chunk_by(|one, next| (one.a, one.b) == (next.a, next.b)) {
            let pair = (run[0].a, run[0].b);
            match self.look(world, near, run, margin) {
                Some(closes) => self.open.push(Open { pair, closes }),
                None => deflect(&mut self.deflected, bodies, pair),
            }
        }
        self.spread(bodies);
        self.sort_out(touches, held_back);
    }

    /// Recalls the pairs of `held_back` that overlap at the end poses or have passed each other. Returns whether there
    /// are any.
    pub fn recall(
        &mut self,
        world: &World,
        bodies: &[Moving],
        end: &[BodyState],
        detector: &mut Detector,
        (touches, held_back): (&mut Vec<Touch>, &mut Vec<Touch>),
    ) -> bool {
        if self.open.is_empty() {
            return false;
        }
        let placed = |rank: u32| {
            let record = world.bodies.at(bodies[rank as usize].slot)?;
            let state = &end[rank as usize];
            Some((record, PlacedShape::new(record, record.pose_of(state.position, state.orientation))))
        };
        self.boxes.clear();
        let ranks = 0..bodies.len() as u32;
        self.boxes.extend(ranks.map(|rank| placed(rank).map_or(Aabb::EMPTY, |(_, at)| at.shape.aabb(&at.pose))));
        self.were_open.clone_from(&self.open);
        let (boxes, deflected) = (&self.boxes, &mut self.deflected);
        // The touches of each open pair, in the same order.
        let mut runs = held_back.chunk_by(|one, next| (one.a, one.b) == (next.a, next.b));
        self.open.retain(|open| {
            let (i, j) = open.pair;
            let run = runs.next().unwrap_or_default();
            let Some(((a, at_a), (b, at_b))) = placed(i).zip(placed(j)) else { return true };
            let moved =
                [(a, i), (b, j)].map(|(record, rank)| (record, &bodies[rank as usize].state, &end[rank as usize]));
            let near = boxes[i as usize].overlaps(&boxes[j as usize]);
            let met = passes(moved, run) || near && detector.depth(at_a, at_b) > trigger(a, b);
            if met {
                deflect(deflected, bodies, open.pair);
            }
            !met
        });
        if self.open.len() == self.were_open.len() {
            return false;
        }
        self.spread(bodies);
        self.recalled.clear();
        self.recalled.resize(bodies.len(), false);
        let mut open = self.open.iter().map(|open| open.pair).peekable();
        for pair in self.were_open.iter().map(|open| open.pair) {
            if open.next_if_eq(&pair).is_none() {
                deflect(&mut self.recalled, bodies, pair);
            }
        }
        touches.append(held_back);
        // A stable sort keeps the order of a pair's manifolds.
        touches.sort_by_key(|touch| (touch.a, touch.b));
        self.sort_out(touches, held_back);
        true
    }

    /// Whether a body belongs to a pair recalled by the last call of `recall`, by rank.
    pub fn recalled(&self) -> &[bool] {
        &self.recalled
    }

    fn find_jointed(&mut self, world: &World, bodies: usize, ranks: &[Option<u32>]) {
        self.jointed.clear();
        self.jointed.resize(bodies, false);
        for record in world.joint_order.iter().filter_map(|slot| world.joints.at(*slot)).filter(|record| record.enabled)
        {
            let other = if let Anchor::Body(b, _) = record.joint.b { Some(b.0.slot) } else { None };
            for slot in [Some(record.joint.a.0.0.slot), other].into_iter().flatten() {
                if let Some(rank) = ranks.get(slot as usize).copied().flatten() {
                    self.jointed[rank as usize] = true;
                }
            }
        }
    }

    /// Returns `None` if the manifolds of a pair may close in free flight; otherwise whether they close if the first,
    /// the second, or both bodies are deflected.
    fn look(&self, world: &World, near: &Near, run: &[Touch], margin: f64) -> Option<[bool; 3]> {
        let sides = [run[0].a, run[0].b];
        let bodies = sides.map(|rank| &near.flights.bodies[rank as usize]);
        let jointed = |side: usize| bodies[side].is_dynamic() && self.jointed[sides[side] as usize];
        if run[0].bounce.is_some() || jointed(0) || jointed(1) {
            return None;
        }
        let [Some(a), Some(b)] = bodies.map(|body| world.bodies.at(body.slot)) else { return None };
        let free = sides.map(|rank| near.flights.of(rank));
        let turning = near.dt * (turning(a, free[0]) + turning(b, free[1]));
        let bounces = a.material.restitution > 0.0 || b.material.restitution > 0.0;
        let from = bodies[1].state.position - bodies[0].state.position;
        let apart = extent(a) + extent(b) + margin;
        let meet = |way: DVec3| {
            let plane = |touch: &Touch| touch.manifold.least_gap() + touch.manifold.normal.dot(way) - turning <= margin;
            run.iter().any(plane) && distance_from(from, way) <= apart
        };
        let closes = |deflected: [bool; 2]| {
            let may = |side: usize| match (deflected[side] && bodies[side].is_dynamic(), bounces) {
                (false, _) => &[1.0][..],
                (true, false) => &[1.0, 0.0],
                (true, true) => &[1.0, 0.0, -1.0],
            };
            let velocity =
                |flight: &FreeMotion, end: bool| if end { flight.after.linear } else { flight.before.linear };
            [false, true].into_iter().any(|end| {
                let [v_a, v_b] = free.map(|flight| near.dt * velocity(flight, end));
                may(0).iter().any(|i| may(1).iter().any(|j| meet(*j * v_b - *i * v_a)))
            })
        };
        (!closes([false, false])).then(|| [[true, false], [false, true], [true, true]].map(closes))
    }

    /// Removes the open pairs that close because one of their bodies is deflected, which may deflect further bodies,
    /// until nothing changes.
    fn spread(&mut self, bodies: &[Moving]) {
        let ClosingSpace { open, deflected, .. } = self;
        loop {
            let before = open.len();
            // Forward and backward, so that a column of bodies needs two turns in any order.
            for _ in 0..2 {
                open.retain(|Open { pair, closes }| {
                    let stays = match [pair.0, pair.1].map(|rank| deflected[rank as usize]) {
                        [false, false] => true,
                        [true, false] => !closes[0],
                        [false, true] => !closes[1],
                        [true, true] => !closes[2],
                    };
                    if !stays {
                        deflect(deflected, bodies, *pair);
                    }
                    stays
                });
                open.reverse();
            }
            if open.len() == before {
                break;
            }
        }
    }

    /// Moves the touches of open pairs from `touches` to `held_back`.
    fn sort_out(&self, touches: &mut Vec<Touch>, held_back: &mut Vec<Touch>) {
        let mut open = self.open.iter().map(|open| open.pair).peekable();
        held_back.extend(touches.extract_if(.., |touch| {
            while open.next_if(|pair| *pair < (touch.a, touch.b)).is_some() {}
            open.peek() == Some(&(touch.a, touch.b))
        }));
    }
}

/// Whether two bodies may have passed through each other: a point has crossed the plane between them, and their
/// bounding spheres have met on the way.
fn passes(moved: [(&BodyRecord, &BodyState, &BodyState); 2], run: &[Touch]) -> bool {
    let [a, b] = moved;
    let way = |(_, then, now): (&BodyRecord, &BodyState, &BodyState)| now.position - then.position;
    let from = b.1.position - a.1.position;
    if distance_from(from, way(b) - way(a)) > extent(a.0) + extent(b.0) {
        return false;
    }
    let carried = |(_, then, now): (&BodyRecord, &BodyState, &BodyState), point: DVec3| {
        now.position + now.orientation * (then.orientation.inverse() * (point - then.position)) - point
    };
    run.iter().any(|touch| {
        let closes =
            |p: &ManifoldPoint| p.gap + touch.manifold.normal.dot(carried(b, p.on_b) - carried(a, p.on_a)) < 0.0;
        touch.manifold.points.iter().any(closes)
    })
}

/// Marks the dynamic bodies of a closing pair as deflected.
fn deflect(deflected: &mut [bool], bodies: &[Moving], pair: (u32, u32)) {
    for rank in [pair.0, pair.1] {
        deflected[rank as usize] |= bodies[rank as usize].is_dynamic();
    }
}

/// Largest distance of a body's surface from its centre of mass \[m\].
fn extent(record: &BodyRecord) -> f64 {
    // Unbounded shapes have no reach.
    let reach = if record.reach > 0.0 { record.reach } else { f64::INFINITY };
    record.shape.ball_about(record.mass.centre).unwrap_or(reach)
}

/// Largest speed of surface points about the centre of mass [m/s]; zero for a ball about it.
fn turning(record: &BodyRecord, free: &FreeMotion) -> f64 {
    if record.shape.is_ball_about(record.mass.centre) { 0.0 } else { fastest_spin(free) * record.reach }
}

/// Least distance from the origin of a point that moves from `place` along `way` \[m\].
fn distance_from(place: DVec3, way: DVec3) -> f64 {
    let square = way.length_squared();
    let part = if square > 0.0 { (-place.dot(way) / square).clamp(0.0, 1.0) } else { 0.0 };
    (place + part * way).length()
}
