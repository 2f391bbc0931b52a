//! Contacts. In: touches, free motion. Out: contacts with frame, arms, coefficients, impact, guess.
//! Eq.: n from A to B; t₁ = eᵢ×n/‖eᵢ×n‖ with eᵢ the axis of least |nᵢ|; t₂ = n×t₁; μ = √(μ_A μ_B), e = √(e_A e_B).
//!
//! # Contacts that are still open
//!
//! A contact with gap g > 0 is part of the problem if its bodies could close the gap within the step. If it does not
//! bounce, its row is `u_N⁺ ≥ −g/h`: the bodies may close the gap but not overlap, and the contact does no work.
//!
//! # Where impulses act
//!
//! All points of one patch are moved along the normal into one plane, that of the nearest point. Points midway between
//! two faces tilted by α would lie on a slope. A body that turns by ω to lie flat would then shear them by ω α times
//! their distance, so no motion could stick in every point, and the exact answer would contain an internal stress made
//! of round-off.
//!
//! For the same reason the gaps of a patch should be an affine function of the position in that plane. If no gap needs
//! more than [`SHUT_SPEED`] to close, all gaps enter as zero. Otherwise they enter as measured from the deepest point,
//! so that a tilted face can lie down on what it has sunk to. If the deepest point overlaps by more than counts as
//! shut, overlaps enter as zero. (Pushing overlap out by a velocity would add energy. Cutting overlaps to zero
//! contradicts the open corners; where it does so by a tolerance or two, impulses are decided by round-off and no
//! method converges.)
//!
//! # Impacts inside a step
//!
//! A contact bounces if its gap closes within the step, `g + u⁻t + ½at² = 0` for some t ≤ h with a the free relative
//! acceleration, at a speed `u_i = u⁻ + a t` of at least the rest speed. Newton's law then requires
//!
//! ```text
//! u_N⁺ ≥ c,   c = max(0, −e u_i + (h − t) a)
//! ```
//!
//! that is, the velocity −e u_i just after the impact followed by free motion for the rest of the step. With t = 0 or a
//! = 0 this is `u_N⁺ = −e u_N⁻`. A ball that falls and bounces then has the energy of the closed form in every step, at
//! whatever time within the step it hits. Points and normals are those at the time of the impact: the bodies are moved
//! there and the narrow phase is run again. If both bodies are dynamic, either may be held by others while the other
//! one falls; a is then the least of the possible accelerations, so the bounce is too small by at most h·g and never
//! too large. A body that bounces off several others does so at the time of the first (`collision::time_of_impact`). A
//! contact has either the gap term or the bounce, never both.

use crate::material_pair::PairSurface;
use crate::step::cache::Matching;
use crate::step::collision::Touch;
use crate::step::collision::manifold::{FeatureKey, Manifold, ManifoldPoint};
use crate::step::free_motion::FreeMotion;
use crate::step::rolling::{Push, Rolling};
use crate::step::{Moving, Twist};
use crate::{BodyHandle, Stabilisation, StepError, World};
use glamx::DVec3;

/// Gap below which a point is closed when continuous detection stops a body there \[m\]. Corners of a face that lands
/// flat differ by round-off.
const CAUGHT: f64 = 1e-7;
/// A gap that this speed closes within the step counts as shut [m/s]: 1 µm at a step of 1/60 s. Without it, round-off
/// would leave some of the four corners of a resting box open.
pub(crate) const SHUT_SPEED: f64 = 6e-5;

/// Whether all gaps of a patch are shut, and from where they are measured otherwise.
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
    /// Time within the step \[s\].
    pub time: f64,
    /// Normal velocity just before, negative [m/s].
    pub speed: f64,
    /// Free normal acceleration after it [m/s²].
    pub acceleration: f64,
}

impl Impact {
    /// Whether the contact bounces: it hits fast enough, and free motion does not reverse the bounce before the step
    /// ends.
    fn bounces(&self, restitution: f64, dt: f64, rest_speed: f64) -> bool {
        -self.speed >= rest_speed && self.target(restitution, dt) > 0.0
    }
    /// Least normal velocity at the end of the step [m/s].
    pub fn target(&self, restitution: f64, dt: f64) -> f64 {
        f64::max(0.0, -restitution * self.speed + (dt - self.time) * self.acceleration)
    }
}

/// Which parts touch, and with which of their faces, edges or vertices. The key of a contact point stays the same from
/// step to step.
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
    /// Arm from A's centre of mass \[m\].
    pub arm_a: DVec3,
    /// Arm from B's centre of mass \[m\].
    pub arm_b: DVec3,
    /// \[m\].
    pub gap: f64,
    pub patch: PatchState,
    pub friction: f64,
    pub restitution: f64,
    /// Velocity of the driven surface (conveyor belt) of B relative to that of A, tangential, world axes [m/s].
    pub running: DVec3,
    /// Factors on friction along the grain and across it; `friction` is the greater of the two.
    pub grain: Option<[f64; 2]>,
    /// Spring and damper of soft surfaces.
    pub soft: Option<Soft>,
    /// Torsional and rolling friction.
    pub rolling: Option<Rolling>,
    pub impact: Option<Impact>,
    /// Initial guess of the impulse.
    pub guess: Push,
}

impl Contact {
    /// Mean of the contact velocities just before and just after the impulse [m/s]; the impulse does its work along it.
    /// For a bounce inside the step this differs from the mean over the step, because forces act before and after the
    /// bounce.
    pub fn mean_velocity(&self, a: &FreeMotion, b: &FreeMotion, after_a: &Twist, after_b: &Twist, dt: f64) -> DVec3 {
        let before = self.velocity(&a.before, &b.before);
        let mean = 0.5 * (before + self.velocity(after_a, after_b));
        match &self.impact {
            None => mean,
            Some(impact) => mean + (impact.time / dt - 0.5) * (self.velocity(&a.after, &b.after) - before),
        }
    }
    /// The gap used in the problem \[m\]: how far the bodies may still approach; negative where the velocity bias
    /// pushes them apart.
    pub fn effective_gap(&self, stabilisation: Stabilisation) -> f64 {
        match (stabilisation, self.patch) {
            (Stabilisation::VelocityBias { fraction }, _) if self.gap <= 0.0 => fraction * self.gap,
            (_, PatchState::Open { sunk }) => (self.gap + sunk).max(0.0),
            (_, PatchState::Shut) => 0.0,
        }
    }
    /// Directions of the contact's rows: all three, or the normal alone without friction. With a grain the tangents are
    /// scaled so that the friction ellipse becomes a circle: with rᵢ = sᵢ r'ᵢ and u'ᵢ = sᵢ uᵢ the law is Coulomb's in
    /// r', u'.
    pub fn directions(&self) -> Directions {
        let [n, t1, t2] = self.frame;
        let [s1, s2] = self.grain.unwrap_or([1.0, 1.0]);
        let all = if self.grain.is_some() { [n, s1 * t1, s2 * t2] } else { self.frame };
        Directions { all, count: if self.friction > 0.0 || self.rolling.is_some() { 3 } else { 1 } }
    }
    /// Components of an impulse along the directions.
    pub fn along_directions(&self, impulse: DVec3) -> impl Iterator<Item = f64> {
        let [s1, s2] = self.grain.unwrap_or([1.0, 1.0]);
        let scales = [1.0, s1, s2];
        let count = self.directions().len();
        // Division by one is exact.
        self.frame.into_iter().zip(scales).take(count).map(move |(d, scale)| d.dot(impulse) / scale)
    }
    /// Speed of the driven surfaces along a direction, relative to their bodies [m/s].
    pub fn running_along(&self, direction: DVec3) -> f64 {
        if self.running == DVec3::ZERO { 0.0 } else { direction.dot(self.running) }
    }
    /// Velocity of the surface of B relative to that of A at the contact, world axes [m/s].
    pub fn surface_velocity(&self, a: &Twist, b: &Twist) -> DVec3 {
        let velocity = self.velocity(a, b);
        if self.running == DVec3::ZERO { velocity } else { velocity + self.running }
    }
    /// Approach speed at the start of the step, or just before the bounce [m/s].
    pub fn closing(&self, a: &FreeMotion, b: &FreeMotion) -> f64 {
        match &self.impact {
            Some(impact) => -impact.speed,
            None => -self.frame[0].dot(self.velocity(&a.before, &b.before)),
        }
    }
    /// Velocity of B relative to A at the contact, world axes [m/s].
    pub fn velocity(&self, a: &Twist, b: &Twist) -> DVec3 {
        b.at(self.arm_b) - a.at(self.arm_a)
    }
}

/// The frame n, t₁, t₂: orthonormal, right-handed, a function of n alone.
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

/// What all points of a manifold share.
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
pub(crate) struct Pair<'a> {
    pub a: u32,
    pub b: u32,
    pub bodies: [&'a Moving; 2],
    pub free: [&'a FreeMotion; 2],
    pub dt: f64,
}

impl Pair<'_> {
    /// Time of the first bounce among the points, if any bounces.
    pub fn first_bounce(&self, manifolds: &[Manifold], surface: &PairSurface, rest_speed: f64) -> Option<f64> {
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

    /// Makes a contact of one point, given at some time within the step. Whether it bounces is decided later.
    fn contact(&self, time: f64, patch: &Patch, point: &ManifoldPoint) -> Contact {
        let middle = point.middle();
        let acting = patch.in_plane(middle);
        // Arms of dynamic bodies start at their pose at the time of impact, those of other bodies at their pose at this
        // time.
        let arm = |i: usize| {
            let body = self.bodies[i];
            let met_at = if body.is_dynamic() { body.met_at.unwrap_or(0.0) } else { time };
            acting - self.free[i].place_at(&body.state, met_at, self.dt).0
        };
        Contact {
            a: self.a,
            b: self.b,
            feature: Feature { sub_a: patch.manifold.sub_a, sub_b: patch.manifold.sub_b, key: point.key },
            point: middle,
            frame: patch.frame,
            // Both arms end at the same point; otherwise friction across a gap would change angular momentum.
            arm_a: arm(0),
            arm_b: arm(1),
            gap: point.gap,
            patch: patch.state,
            friction: patch.surface.material.friction,
            restitution: patch.surface.material.restitution,
            running: patch.surface.running(middle).reject_from(patch.frame[0]),
            grain: patch.grain,
            soft: patch.surface.soft(),
            rolling: Rolling::of(&patch.surface, self.bodies),
            impact: None,
            guess: Push::NONE,
        }
    }

    /// Decides whether a contact bounces, in a pair whose points are taken at the time of the first bounce.
    fn bounce(&self, contact: &mut Contact, time: f64, rest_speed: f64) {
        let approach = self.approach(contact, time);
        contact.impact = impact(contact, &approach, time, self.dt, rest_speed);
        if contact.impact.is_none() {
            // The point was taken at the time of another point's bounce but is held from the start: its gap is that at
            // the start.
            contact.gap -= approach.travelled(time);
        }
    }

    /// Opens the gap of a point whose pair does not touch in flight during this step, but would bounce. The row `u_N⁺ ≥
    /// −g/h` uses the velocity at the end of the step, with which a falling body seems to travel `½ a h²` farther than
    /// it does; the row would brake it without a bounce.
    fn fly_past(&self, contact: &mut Contact, rest_speed: f64) {
        let approach = self.approach(contact, 0.0);
        let speed = approach.velocity + self.dt * approach.acceleration;
        let at_end = Impact { time: self.dt, speed, acceleration: approach.after_bounce };
        let stays_clear = contact.gap > 0.0 && approach.closing(contact.gap, self.dt).is_none();
        if stays_clear && at_end.bounces(contact.restitution, self.dt, rest_speed) {
            contact.gap = contact.gap.max(-self.dt * speed);
        }
    }

    /// A point of a body with continuous detection, at the time of its first touch. If it is closed and closing it has
    /// an impact at that time, with or without bounce; if it is open it must not close in the rest of the step.
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
            let twist = |i: usize| self.free[i].velocity_at(time, self.dt);
            contact.frame[0].dot(contact.velocity(&twist(0), &twist(1)))
        };
        let acceleration = (normal_velocity(self.dt) - normal_velocity(0.0)) / self.dt;
        let mut after_bounce = acceleration;
        if self.bodies.iter().all(|body| body.is_dynamic()) {
            // Either body may be held by other contacts; then only the other one accelerates.
            let alone =
                |i: usize| contact.frame[0].dot(self.free[i].after.linear - self.free[i].before.linear) / self.dt;
            after_bounce = after_bounce.min(-alone(0)).min(alone(1));
        }
        Approach { velocity: normal_velocity(time), acceleration, after_bounce }
    }
}

/// Makes contacts of all touches; `others` is the number of contacts in replayed islands.
#[allow(clippy::too_many_arguments)] // What a contact depends on, and memory.
pub(crate) fn contacts(
    world: &World,
    bodies: &[Moving],
    free: &[FreeMotion],
    touches: &[Touch],
    others: usize,
    dt: f64,
    matching: &mut Matching,
    out: &mut Vec<Contact>,
) -> Result<(), StepError> {
    out.clear();
    let found = others + touches.iter().map(|t| t.manifold.points.len()).sum::<usize>();
    let limit = world.settings.max_contacts;
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
            } else {
                pair.fly_past(&mut contact, world.settings.rest_speed);
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
    /// Normal velocity, negative when approaching [m/s].
    velocity: f64,
    /// Normal acceleration before the bounce [m/s²].
    acceleration: f64,
    /// Lower bound on the normal acceleration after the bounce [m/s²].
    after_bounce: f64,
}

impl Approach {
    /// How far the gap has opened in the `time` before \[m\].
    fn travelled(&self, time: f64) -> f64 {
        time * (self.velocity - 0.5 * time * self.acceleration)
    }
    /// Time at which the gap closes, if that is within `rest` \[s\], and the velocity at that time [m/s].
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

/// The bounce of a contact given at `time`, if it closes within the rest of the step. All points of a pair bounce at
/// the time of the first bounce, with the velocity of that time; a later velocity would make the bounce too fast.
fn impact(contact: &Contact, approach: &Approach, time: f64, dt: f64, rest_speed: f64) -> Option<Impact> {
    approach.closing(contact.gap, dt - time)?;
    let impact = Impact { time, speed: approach.velocity, acceleration: approach.after_bounce };
    impact.bounces(contact.restitution, dt, rest_speed).then_some(impact)
}

#[cfg(test)]
#[path = "contact_tests.rs"]
pub(super) mod tests;
