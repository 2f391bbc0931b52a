//! Stages 2–4/9, from bodies to contacts. In: poses, v*. Out: contacts with frame, arms, coefficients, impact, guess.
//! Eq.: n from A to B; t₁ = eᵢ×n/‖eᵢ×n‖ with eᵢ the axis of least |nᵢ|; t₂ = n×t₁; μ = √(μ_A μ_B), e = √(e_A e_B).
//!
//! # Contacts that are still open
//!
//! A contact with gap g > 0 is looked at when its bodies could close it within the step. Without bounce it enters as
//! `u_N⁺ ≥ −g/h`: the bodies may come together but not pass through each other, and no work is done.
//!
//! # Where impulses act
//!
//! The points of one patch act in one plane across its normal, that of its nearest point. Midway between two faces that
//! are tilted by α they would lie on a slope, and a body that turns by ω to lie flat would shear them by ω α times their
//! distance: no motion at all would stick in every point, and to the last digits the answer would be an internal stress
//! that nothing but round-off asks for. For the same reason the gaps of a patch enter as an affine function of the place
//! in that plane, as far as they do: all as zero where none of them needs more than [`SHUT_SPEED`] to close; else as they
//! are, measured from the deepest point, so that a tilted face may lie down on what it has sunk to. Where that is deeper
//! than what counts as shut, overlaps enter as zero. (Pushing them out by a velocity would put in energy. A cut contradicts
//! the open corners: where by less than a tolerance or two, contacts share impulses that only round-off decides on, and no
//! method arrives.)
//!
//! # Impacts inside a step
//!
//! A contact bounces if its gap closes within the step, `g + u⁻t + ½at² = 0` for some t ≤ h with a the free relative
//! acceleration, at a speed `u_i = u⁻ + a t` of at least the rest speed. Newton's law then asks for
//!
//! ```text
//! u_N⁺ ≥ c,   c = max(0, −e u_i + (h − t) a)
//! ```
//!
//! that is, −e u_i just after the impact and free motion for the rest of the step. With t = 0 or a = 0 this is
//! `u_N⁺ = −e u_N⁻`; with it a ball that falls and bounces has the energy of the closed form in every step, wherever in
//! a step it hits. Points and normals are those at the time of the impact: the bodies are flown there and looked at
//! again. (Of two dynamic bodies each may be held by others while the other one falls, so there a is the least that
//! either may have: too little bounce by at most h·g, never too much.) Bodies that bounce off several others do so at the
//! time of the first (`meeting_time`). A contact has either the gap term or the bounce, never both.

use crate::body::BodyRecord;
use crate::material_pair::PairSurface;
use crate::shape::Aabb;
use crate::step::cache::Matching;
use crate::step::fast::Meeting;
use crate::step::free_motion::FreeMotion;
use crate::step::manifold::{FeatureKey, Manifold, ManifoldPoint, NarrowPhase};
use crate::step::pair_memory::PairMemory;
use crate::step::sift;
use crate::step::{Moving, Twist};
use crate::{BodyHandle, Stabilisation, StepError, World};
use glamx::{DPose3, DQuat, DVec3};

/// Speed [m/s] that the margin for slow bodies may stand for: with a very short step a fixed distance would be an
/// enormous speed, and tolerances are relative to the largest speed of a problem.
const MARGIN_SPEED: f64 = 1.0;

/// Points this close when a fast body is caught are closed \[m\]: corners of a face that lands flat come within round-off.
const CAUGHT: f64 = 1e-7;
/// Gaps that close within the step at less than this speed are shut [m/s]: with a step of 1/60 s, 1 µm. Of four corners
/// that have come to rest, round-off leaves some shut and some not.
pub(crate) const SHUT_SPEED: f64 = 6e-5;

/// Whether all gaps of a patch are shut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PatchState {
    Shut,
    Open {
        /// Overlap of its deepest point if that is shut, else zero \[m\].
        sunk: f64,
    },
}

/// A bounce.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Impact {
    /// When within the step \[s\].
    pub time: f64,
    /// Normal velocity just before, negative [m/s].
    pub speed: f64,
    /// Free normal acceleration after it [m/s²].
    pub acceleration: f64,
}

impl Impact {
    /// Fast enough, and not brought back to rest before the step is over.
    fn bounces(&self, restitution: f64, dt: f64, rest_speed: f64) -> bool {
        -self.speed >= rest_speed && self.target(restitution, dt) > 0.0
    }
    /// Least normal velocity at the end of the step [m/s].
    pub fn target(&self, restitution: f64, dt: f64) -> f64 {
        f64::max(0.0, -restitution * self.speed + (dt - self.time) * self.acceleration)
    }
}

/// Which parts and which of their faces, edges or vertices meet: the same from step to step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Feature {
    pub sub_a: u32,
    pub sub_b: u32,
    pub key: FeatureKey,
}

/// How surfaces give way: each point is a spring and a damper that never pull.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Soft {
    /// k [N/m].
    pub stiffness: f64,
    /// d [N·s/m].
    pub damping: f64,
}

impl Soft {
    /// c = 1/(h² k + h d) of the normal row [1/kg].
    pub fn compliance(&self, dt: f64) -> f64 {
        1.0 / (dt * dt * self.stiffness + dt * self.damping)
    }
    /// Bias of the normal row [m/s]: k x/(h k + d) of surfaces that overlap by −x; an open gap has to close first.
    pub fn bias(&self, gap: f64, dt: f64) -> f64 {
        if gap >= 0.0 { gap / dt } else { self.stiffness * gap / (dt * self.stiffness + self.damping) }
    }
}

/// Up to three directions.
pub(crate) struct Directions {
    all: [DVec3; 3],
    count: usize,
}

impl std::ops::Deref for Directions {
    type Target = [DVec3];
    fn deref(&self) -> &[DVec3] {
        &self.all[..self.count]
    }
}

/// One point of contact. `a` and `b` are ranks, `a < b`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contact {
    pub a: u32,
    pub b: u32,
    pub feature: Feature,
    /// Middle between the surfaces \[m\].
    pub point: DVec3,
    /// n, t₁, t₂.
    pub frame: [DVec3; 3],
    /// From A's centre of mass \[m\].
    pub arm_a: DVec3,
    /// From B's centre of mass \[m\].
    pub arm_b: DVec3,
    /// \[m\].
    pub gap: f64,
    pub patch: PatchState,
    pub friction: f64,
    pub restitution: f64,
    /// How the surface of B runs against that of A, along the surfaces, world axes [m/s].
    pub running: DVec3,
    /// Factors on the tangent directions, along the grain and across it; friction is the greater.
    pub grain: Option<[f64; 2]>,
    /// How the surfaces give way.
    pub soft: Option<Soft>,
    pub impact: Option<Impact>,
    /// Impulse to start from, world axes \[N·s\].
    pub guess: DVec3,
}

impl Contact {
    /// Mean of the velocity just before and just after the impulse, with which its work is counted [m/s]. For a bounce
    /// inside the step that is not the mean over the step: forces act before and after it.
    pub fn mean_velocity(&self, a: &FreeMotion, b: &FreeMotion, after_a: &Twist, after_b: &Twist, dt: f64) -> DVec3 {
        let before = self.velocity(&a.before, &b.before);
        let mean = 0.5 * (before + self.velocity(after_a, after_b));
        match &self.impact {
            None => mean,
            Some(impact) => mean + (impact.time / dt - 0.5) * (self.velocity(&a.after, &b.after) - before),
        }
    }
    /// The gap as the problem sees it \[m\]: how far the bodies may come together, or less than zero where the velocity bias
    /// pushes them apart.
    pub fn effective_gap(&self, stabilisation: Stabilisation) -> f64 {
        match (stabilisation, self.patch) {
            (Stabilisation::VelocityBias { fraction }, _) if self.gap <= 0.0 => fraction * self.gap,
            (_, PatchState::Open { sunk }) => (self.gap + sunk).max(0.0),
            (_, PatchState::Shut) => 0.0,
        }
    }
    /// Directions in which it acts: all three, or the normal alone without friction. With a grain the tangents are scaled, so
    /// that the ellipse of friction is a circle: with rᵢ = sᵢ r'ᵢ and u'ᵢ = sᵢ uᵢ the law is Coulomb's in r', u'.
    pub fn directions(&self) -> Directions {
        let [n, t1, t2] = self.frame;
        let [s1, s2] = self.grain.unwrap_or([1.0, 1.0]);
        let all = if self.grain.is_some() { [n, s1 * t1, s2 * t2] } else { self.frame };
        Directions { all, count: if self.friction > 0.0 { 3 } else { 1 } }
    }
    /// Parts of an impulse along the directions.
    pub fn along_directions(&self, impulse: DVec3) -> impl Iterator<Item = f64> {
        let [s1, s2] = self.grain.unwrap_or([1.0, 1.0]);
        let scales = [1.0, s1, s2];
        let count = self.directions().len();
        // By one is exact.
        self.frame.into_iter().zip(scales).take(count).map(move |(d, scale)| d.dot(impulse) / scale)
    }
    /// What the surfaces run along a direction, beside their bodies [m/s].
    pub fn running_along(&self, direction: DVec3) -> f64 {
        if self.running == DVec3::ZERO { 0.0 } else { direction.dot(self.running) }
    }
    /// Velocity of the surface of B against that of A at the contact, world axes [m/s].
    pub fn surface_velocity(&self, a: &Twist, b: &Twist) -> DVec3 {
        let velocity = self.velocity(a, b);
        if self.running == DVec3::ZERO { velocity } else { velocity + self.running }
    }
    /// How fast the two come together when the step begins, or just before they bounce [m/s].
    pub fn closing(&self, a: &FreeMotion, b: &FreeMotion) -> f64 {
        match &self.impact {
            Some(impact) => -impact.speed,
            None => -self.frame[0].dot(self.velocity(&a.before, &b.before)),
        }
    }
    /// Velocity of B against A at the contact, world axes [m/s].
    pub fn velocity(&self, a: &Twist, b: &Twist) -> DVec3 {
        b.at(self.arm_b) - a.at(self.arm_a)
    }
}

/// n, t₁, t₂: orthonormal and right-handed, a function of n alone.
pub(crate) fn contact_frame(n: DVec3) -> [DVec3; 3] {
    let size = n.abs();
    let axis = if size.x <= size.y && size.x <= size.z {
        DVec3::X
    } else if size.y <= size.z {
        DVec3::Y
    } else {
        DVec3::Z
    };
    let t1 = axis.cross(n).normalize();
    [n, t1, n.cross(t1)]
}

/// Farthest any point of a body may come in the step \[m\].
fn travel(reach: f64, free: &FreeMotion, dt: f64) -> f64 {
    let speed = free.before.linear.length().max(free.after.linear.length());
    dt * (speed + spin(free) * reach)
}

/// Fastest spin in the step [rad/s].
fn spin(free: &FreeMotion) -> f64 {
    free.before.angular.length().max(free.after.angular.length())
}

/// Farthest two bodies may come towards each other in the step \[m\]: as they move, or with one of them stopped by
/// something else. What bounces may turn round as well, and both ways add up.
///
/// Bodies that fall together are no contacts of each other until the lower one may stop. A sum for all would tie a whole
/// shower of them into one island.
pub(crate) fn approach(bodies: [&BodyRecord; 2], free: [&FreeMotion; 2], dt: f64) -> f64 {
    let [a, b] = [0, 1].map(|i| travel(bodies[i].reach, free[i], dt));
    if bodies.iter().any(|body| body.material.restitution > 0.0) {
        return a + b;
    }
    let before = (free[0].before.linear - free[1].before.linear).length();
    let after = (free[0].after.linear - free[1].after.linear).length();
    let turning = spin(free[0]) * bodies[0].reach + spin(free[1]) * bodies[1].reach;
    f64::max(a, b).max(dt * (before.max(after) + turning))
}

/// Distance within which the points of two bodies are contacts of the step \[m\].
pub(crate) fn near(world: &World, bodies: [&BodyRecord; 2], free: [&FreeMotion; 2], dt: f64) -> f64 {
    margin(world, dt) + approach(bodies, free, dt)
}

pub(crate) fn margin(world: &World, dt: f64) -> f64 {
    world.settings.margin.min(MARGIN_SPEED * dt)
}

/// Boxes around everything a body may touch in the step, by rank.
pub(crate) fn swept_boxes(world: &World, free: &[FreeMotion], dt: f64, boxes: &mut Vec<Aabb>) {
    let margin = margin(world, dt);
    boxes.clear();
    for (slot, free) in world.order.iter().zip(free) {
        let Some(body) = world.bodies.at(*slot) else { continue };
        boxes.push(body.shape.aabb(&body.pose()).inflated(0.5 * margin + travel(body.reach, free, dt)));
    }
}

/// Contact points of two bodies at some time within the step.
#[derive(Clone, Debug)]
pub(crate) struct Touch {
    pub a: u32,
    pub b: u32,
    /// When the first of the points bounces, if any does \[s\]: the points are seen then.
    pub bounce: Option<f64>,
    /// A fast body was caught at that time: whatever is closed then is an impact.
    pub caught: bool,
    pub manifold: Manifold,
}

/// A body flown for some time within the step without contact.
fn flown(body: &Moving, free: &FreeMotion, time: f64, dt: f64) -> (DVec3, DQuat) {
    if time == 0.0 {
        return (body.state.position, body.state.orientation);
    }
    let mean = free.before.linear + (0.5 * time / dt) * (free.after.linear - free.before.linear);
    let turn = DQuat::from_scaled_axis(time * free.before.angular);
    (body.state.position + time * mean, (turn * body.state.orientation).normalize())
}

/// The same of its shape.
pub(crate) fn flown_pose(body: &Moving, free: &FreeMotion, record: &BodyRecord, time: f64, dt: f64) -> DPose3 {
    let (position, orientation) = flown(body, free, time, dt);
    DPose3::from_parts(position - orientation * record.mass.centre, orientation)
}

/// Velocity of a body that flies, at some time within the step.
pub(crate) fn velocity_at(free: &FreeMotion, time: f64, dt: f64) -> Twist {
    let part = time / dt;
    Twist {
        linear: free.before.linear + part * (free.after.linear - free.before.linear),
        angular: free.before.angular + part * (free.after.angular - free.before.angular),
    }
}

/// What the manifold stage is given.
#[derive(Clone, Copy)]
pub(crate) struct Pairs<'a> {
    pub pairs: &'a [(u32, u32)],
    /// Of every pair, or none at all if no body is fast.
    pub meetings: &'a [Meeting],
}

/// Memory of the manifold stage, kept from step to step.
#[derive(Default)]
pub(crate) struct ManifoldSpace {
    narrow_phase: NarrowPhase,
    memory: PairMemory,
    jointed: Vec<(u32, u32)>,
    found: Vec<Manifold>,
    at_impact: Vec<Manifold>,
}

impl ManifoldSpace {
    /// The finder of manifolds, for the stages that look again.
    pub fn narrow_phase(&mut self) -> &mut NarrowPhase {
        &mut self.narrow_phase
    }
}

/// How far two bodies are looked at from each other \[m\]. In whole eighths of the margin, so that it stays as it is for
/// bodies that hardly move.
pub(crate) fn look_ahead(margin: f64, travel: f64) -> f64 {
    let quantum = 0.125 * margin;
    // No margin, or a time step too short to divide it.
    if quantum < f64::MIN_POSITIVE {
        return margin + travel;
    }
    margin + (travel / quantum).ceil() * quantum
}

/// Points of contact of every pair that has a dynamic body and is not jointed.
pub(crate) fn manifolds(
    world: &World,
    bodies: &[Moving],
    free: &[FreeMotion],
    pairs: &Pairs,
    dt: f64,
    space: &mut ManifoldSpace,
    out: &mut Vec<Touch>,
) {
    let ManifoldSpace { narrow_phase, memory, jointed, found, at_impact } = space;
    jointed_pairs(world, jointed);
    out.iter_mut().for_each(|touch| narrow_phase.take_back(&mut touch.manifold));
    out.clear();
    memory.begin(bodies.iter().map(|body| BodyHandle(world.bodies.key(body.slot))), narrow_phase);
    let margin = margin(world, dt);
    for (index, &(i, j)) in pairs.pairs.iter().enumerate() {
        let (body_a, body_b) = (&bodies[i as usize], &bodies[j as usize]);
        if !(body_a.is_dynamic() || body_b.is_dynamic()) {
            continue;
        }
        let slots = (body_a.slot.min(body_b.slot), body_a.slot.max(body_b.slot));
        if jointed.binary_search(&slots).is_ok() {
            continue;
        }
        let (Some(a), Some(b)) = (world.bodies.at(body_a.slot), world.bodies.at(body_b.slot)) else { continue };
        let (free_a, free_b) = (&free[i as usize], &free[j as usize]);
        let approach = approach([a, b], [free_a, free_b], dt);
        let near = look_ahead(margin, approach);
        match pairs.meetings.get(index) {
            None | Some(Meeting::Usual) => {}
            Some(Meeting::Apart) => continue,
            Some(Meeting::At(time)) => {
                let poses = [flown_pose(body_a, free_a, a, *time, dt), flown_pose(body_b, free_b, b, *time, dt)];
                // Other points that may close in the rest of the step are looked at as well.
                let rest = margin + (near - margin) * (1.0 - time / dt);
                narrow_phase.recycle(at_impact);
                narrow_phase.collide(&a.shape, &poses[0], &b.shape, &poses[1], rest, at_impact);
                let caught = |manifold| Touch { a: i, b: j, bounce: Some(*time), caught: true, manifold };
                out.extend(at_impact.drain(..).map(caught));
                continue;
            }
        }
        let cache = memory.pair((i, j), narrow_phase);
        let pose_a = a.pose();
        narrow_phase.look(cache, &a.shape, &b.shape, &pose_a.inv_mul(&b.pose()), near);
        // No point is faster than its bodies: nothing bounces.
        if approach < world.settings.rest_speed * dt {
            narrow_phase.place(cache, &pose_a, out, |manifold| Touch {
                a: i,
                b: j,
                bounce: None,
                caught: false,
                manifold,
            });
            continue;
        }
        narrow_phase.place(cache, &pose_a, found, |manifold| manifold);
        let pair = Pair { a: i, b: j, bodies: [body_a, body_b], free: [free_a, free_b], dt };
        let surface = world.pair_surface(a, b);
        let rest_speed = world.settings.rest_speed;
        let mut bounce = pair.first_bounce(found, &surface, rest_speed);
        if let Some(time) = bounce.filter(|time| *time > 0.0) {
            let (pose_a, pose_b) = (flown_pose(body_a, free_a, a, time, dt), flown_pose(body_b, free_b, b, time, dt));
            narrow_phase.recycle(at_impact);
            narrow_phase.collide(&a.shape, &pose_a, &b.shape, &pose_b, near, at_impact);
            if at_impact.is_empty() {
                bounce = Some(0.0);
            } else {
                std::mem::swap(found, at_impact);
            }
        }
        out.extend(found.drain(..).map(|manifold| Touch { a: i, b: j, bounce, caught: false, manifold }));
    }
    sift::let_through(world, bodies, out);
}

/// What the points of a manifold have in common.
struct Patch<'a> {
    manifold: &'a Manifold,
    frame: [DVec3; 3],
    /// Middle of the nearest point \[m\].
    nearest: DVec3,
    state: PatchState,
    surface: PairSurface<'a>,
    /// Factors on the tangents.
    grain: Option<[f64; 2]>,
}

impl<'a> Patch<'a> {
    fn new(manifold: &'a Manifold, mut surface: PairSurface<'a>, dt: f64) -> Self {
        let nearest = manifold.nearest().map_or(DVec3::ZERO, ManifoldPoint::middle);
        let shut = SHUT_SPEED * dt;
        let least = manifold.points.iter().map(|p| p.gap).fold(f64::INFINITY, f64::min);
        let state = if manifold.points.iter().any(|p| p.gap > shut) {
            PatchState::Open { sunk: if (-shut..0.0).contains(&least) { -least } else { 0.0 } }
        } else {
            PatchState::Shut
        };
        let mut frame = contact_frame(manifold.normal);
        let mut grain = None;
        if let Some((axis, across)) = surface.grain.filter(|_| surface.material.friction > 0.0)
            && let Some(along) = axis.reject_from_normalized(frame[0]).try_normalize()
        {
            frame = [frame[0], along, frame[0].cross(along)];
            let most = surface.material.friction.max(across);
            grain = Some([surface.material.friction / most, across / most]);
            surface.material.friction = most;
        }
        Patch { manifold, frame, nearest, state, surface, grain }
    }
    /// `point`, moved along the normal into the plane of the nearest point \[m\].
    fn in_plane(&self, point: DVec3) -> DVec3 {
        point + self.frame[0] * self.frame[0].dot(self.nearest - point)
    }
}

/// Two bodies and their free motion.
struct Pair<'a> {
    a: u32,
    b: u32,
    bodies: [&'a Moving; 2],
    free: [&'a FreeMotion; 2],
    dt: f64,
}

impl Pair<'_> {
    /// When the first of the points bounces, if any does.
    fn first_bounce(&self, manifolds: &[Manifold], surface: &PairSurface, rest_speed: f64) -> Option<f64> {
        let mut first: Option<f64> = None;
        for manifold in manifolds {
            let patch = Patch::new(manifold, *surface, self.dt);
            for point in &manifold.points {
                let contact = self.contact(0.0, &patch, point);
                let approach = self.approach(&contact, 0.0);
                let Some((time, speed)) = approach.closing(contact.gap, self.dt) else { continue };
                let impact = Impact { time, speed, acceleration: approach.after_bounce };
                if impact.bounces(contact.restitution, self.dt, rest_speed) {
                    first = Some(first.map_or(time, |t| t.min(time)));
                }
            }
        }
        first
    }

    /// One point of contact, seen at some time within the step; whether it bounces is left open.
    fn contact(&self, time: f64, patch: &Patch, point: &ManifoldPoint) -> Contact {
        let middle = point.middle();
        let acting = patch.in_plane(middle);
        // Dynamic bodies from where the impulses of the step meet them, others from where they are then.
        let arm = |i: usize| {
            let body = self.bodies[i];
            let met_at = if body.is_dynamic() { body.met_at.unwrap_or(0.0) } else { time };
            acting - flown(body, self.free[i], met_at, self.dt).0
        };
        Contact {
            a: self.a,
            b: self.b,
            feature: Feature { sub_a: patch.manifold.sub_a, sub_b: patch.manifold.sub_b, key: point.key },
            point: middle,
            frame: patch.frame,
            // On both bodies the same point: otherwise friction across a gap would make angular momentum.
            arm_a: arm(0),
            arm_b: arm(1),
            gap: point.gap,
            patch: patch.state,
            friction: patch.surface.material.friction,
            restitution: patch.surface.material.restitution,
            running: patch.surface.running(middle).reject_from(patch.frame[0]),
            grain: patch.grain,
            soft: patch.surface.soft(),
            impact: None,
            guess: DVec3::ZERO,
        }
    }

    /// Decides whether a contact of a pair that bounces does so too, seen at the time of the first bounce.
    fn bounce(&self, contact: &mut Contact, time: f64, rest_speed: f64) {
        let approach = self.approach(contact, time);
        contact.impact = impact(contact, &approach, time, self.dt, rest_speed);
        if contact.impact.is_none() {
            // Seen at the time of another point's bounce, but held all along: its gap is that at the start.
            contact.gap -= approach.travelled(time);
        }
    }

    /// A point of a fast body, seen at the time of its first touch: what is closed and closing has an impact then, with
    /// or without bounce; what is open must not close in the rest of the step.
    fn catch(&self, contact: &mut Contact, time: f64, rest_speed: f64) {
        let approach = self.approach(contact, time);
        contact.impact = None;
        if contact.gap > CAUGHT {
            let rest = (self.dt - time).max(f64::MIN_POSITIVE);
            contact.gap = (contact.gap * (self.dt / rest)).min(f64::MAX);
        } else if approach.velocity < 0.0 {
            if -approach.velocity < rest_speed {
                contact.restitution = 0.0;
            }
            contact.impact = Some(Impact { time, speed: approach.velocity, acceleration: approach.after_bounce });
        }
    }

    fn approach(&self, contact: &Contact, time: f64) -> Approach {
        let normal_velocity = |time: f64| {
            let twist = |i: usize| velocity_at(self.free[i], time, self.dt);
            contact.frame[0].dot(contact.velocity(&twist(0), &twist(1)))
        };
        let acceleration = (normal_velocity(self.dt) - normal_velocity(0.0)) / self.dt;
        let mut after_bounce = acceleration;
        if self.bodies.iter().all(|body| body.is_dynamic()) {
            // Either may be held by other contacts, and then only the other one falls back.
            let alone =
                |i: usize| contact.frame[0].dot(self.free[i].after.linear - self.free[i].before.linear) / self.dt;
            after_bounce = after_bounce.min(-alone(0)).min(alone(1));
        }
        Approach { velocity: normal_velocity(time), acceleration, after_bounce }
    }
}

/// Slots of bodies that do not touch because a joint or the user says so, sorted.
pub(crate) fn jointed_pairs(world: &World, out: &mut Vec<(u32, u32)>) {
    use crate::joint::{Anchor, PairContact};
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

pub(crate) fn contacts(
    world: &World,
    bodies: &[Moving],
    free: &[FreeMotion],
    touches: &[Touch],
    dt: f64,
    matching: &mut Matching,
    out: &mut Vec<Contact>,
) -> Result<(), StepError> {
    out.clear();
    let (found, limit) = (touches.iter().map(|t| t.manifold.points.len()).sum(), world.settings.max_contacts);
    if found > limit {
        return Err(StepError::TooManyContacts { found, limit });
    }
    for touch in touches {
        let (i, j) = (touch.a as usize, touch.b as usize);
        let pair = Pair { a: touch.a, b: touch.b, bodies: [&bodies[i], &bodies[j]], free: [&free[i], &free[j]], dt };
        let (Some(a), Some(b)) = (world.bodies.at(bodies[i].slot), world.bodies.at(bodies[j].slot)) else { continue };
        let patch = Patch::new(&touch.manifold, world.pair_surface(a, b), dt);
        for point in &touch.manifold.points {
            let time = touch.bounce.unwrap_or(0.0);
            let mut contact = pair.contact(time, &patch, point);
            if touch.caught {
                pair.catch(&mut contact, time, world.settings.rest_speed);
            } else if touch.bounce.is_some() {
                pair.bounce(&mut contact, time, world.settings.rest_speed);
            }
            out.push(contact);
        }
    }
    let handle = |rank: u32| BodyHandle(world.bodies.key(bodies[rank as usize].slot));
    world.cache.guess(dt, handle, out, matching);
    Ok(())
}

/// Free normal motion of a contact.
#[derive(Clone, Copy, Debug)]
struct Approach {
    /// Negative when approaching [m/s].
    velocity: f64,
    /// Before the bounce [m/s²].
    acceleration: f64,
    /// After it, at the least [m/s²].
    after_bounce: f64,
}

impl Approach {
    /// How far the gap has opened in the `time` before \[m\].
    fn travelled(&self, time: f64) -> f64 {
        time * (self.velocity - 0.5 * time * self.acceleration)
    }
    /// When the gap closes, if within `rest` \[s\], and the velocity at that time [m/s].
    fn closing(&self, gap: f64, rest: f64) -> Option<(f64, f64)> {
        if gap <= 0.0 {
            return Some((0.0, self.velocity));
        }
        let square = self.velocity * self.velocity - 2.0 * self.acceleration * gap;
        if square < 0.0 {
            return None;
        }
        let speed = -square.sqrt();
        let time = 2.0 * gap / (-self.velocity - speed);
        // A negative or infinite time means that the gap opens.
        (0.0..=rest).contains(&time).then_some((time, speed))
    }
}

/// The bounce of a contact seen at `time`, if it closes within the rest of the step. All points of a pair bounce at the
/// time of the first, with the velocity they have then: a later one would bounce faster than it is.
fn impact(contact: &Contact, approach: &Approach, time: f64, dt: f64, rest_speed: f64) -> Option<Impact> {
    approach.closing(contact.gap, dt - time)?;
    let impact = Impact { time, speed: approach.velocity, acceleration: approach.after_bounce };
    impact.bounces(contact.restitution, dt, rest_speed).then_some(impact)
}

#[cfg(test)]
#[path = "contact_tests.rs"]
pub(super) mod tests;
