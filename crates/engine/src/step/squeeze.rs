//! Squeezes (before the solve): kinematic bodies that leave no room for a dynamic one. In: an island. Out: pads for its
//! contacts with kinematic bodies if it is squeezed. Eq.:
//!
//! ```text
//! rigid    0 ≤ r_N ⊥ u_N + g/h ≥ 0              overlap counts as g = 0
//! padded   0 ≤ r_N ⊥ u_N + g/h + c r_N ≥ 0      g < 0 where surfaces overlap, c = 1/(h² k)
//! ```
//!
//! Kinematic bodies do not give way. Two of them, or one and a fixed body, may close on a dynamic body so that no
//! velocity keeps every gap open. Rigid rows then contradict each other and their impulses are unbounded. In that case
//! the overlap that the certificate allows acts as a pad: the impulse of the padded law is h·k times the overlap at the
//! end of the step, which is finite and continuous in the poses of the kinematic bodies. At the bound of overlap a pair
//! presses with [`PRESSURE`] times the mass of its dynamic body, for any time step, and not harder beyond it. Deeper
//! overlap is let through, and shows in the certificate.
//!
//! An island is squeezed if `J_N v + d ≥ 0` has no solution; d contains open gaps, and overlap of kinematic contacts.
//! The least violation s follows from a proximal iteration on the dual, `min ½rᵀWr + dᵀr + ½(r − r')ᵀC(r − r')` over r
//! ≥ 0, with s = C(r − r'). It shrinks by the factor [`TEST_COMPLIANCE`] per iteration if there is a solution, and
//! stays constant if there is none. For most islands no iteration is needed, because an obvious motion is a solution:
//! all bodies stand still, or move along with one of the kinematic bodies.

use crate::body::Kind;
use crate::judge::{PRESSURE, overlap_bound};
use crate::step::assembly::{Scene, contact_row, inverse_mass, row_velocity};
use crate::step::contact::Contact;
use crate::step::gears::assemble_gears;
use crate::step::island::Island;
use crate::step::solve::IslandSpace;
use crate::step::{Records, Twist};
use glamx::DVec3;
use signorini_problem::{Block, ContactProblem, FactoredParts};
use signorini_solvers::{
    BlockPivoting, ContactSolver, Exact, ExactOptions, History, SolverSession, Status, StoppingRule,
};

/// Compliance of the proximal iteration times mass \[1\].
const TEST_COMPLIANCE: f64 = 1e-6;
/// Limit on proximal iterations. Two suffice if there is a solution, and one more for badly conditioned rows.
const MOST_TESTS: usize = 4;
/// A violation that stays above this share of the last one does not contract \[1\].
const STAYS: f64 = 0.5;
/// A violation below this share of the allowed overlap is no squeeze \[1\]: round-off in heaps jammed between walls
/// reached a thousandth of it. A slower squeeze exceeds it after a few steps.
const NEGLIGIBLE: f64 = 0.01;
/// Largest problem given to the pivoting method, whose matrices are dense [rows].
const MOST_PIVOTED: usize = 200;

/// A spring between a kinematic body and a point that it squeezes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pad {
    /// Stiffness k of the point [N/m].
    pub stiffness: f64,
    /// Gap at the start of the step \[m\], without the overlap that is let through.
    pub gap: f64,
}

impl Pad {
    /// c = 1/(h² k) of the normal row \[1/kg\].
    pub fn compliance(&self, dt: f64) -> f64 {
        1.0 / (dt * dt * self.stiffness)
    }
}

/// Solvers and buffers of the test.
#[derive(Default)]
pub(crate) struct SqueezeSpace {
    touched: Vec<Option<Touched>>,
    q: Vec<f64>,
    pivoting: BlockPivoting,
    exact: Exact,
    session: SolverSession,
}

/// A contact with a kinematic body.
#[derive(Clone, Copy, Debug)]
struct Touched {
    /// Mass of the dynamic body over the points of the pair \[kg\].
    mass: f64,
    /// Overlap that the certificate allows \[m\].
    bound: f64,
    /// Gap \[m\]. Overlap counts only up to the bound plus the motion of the kinematic surface, so that old overlap is
    /// not pushed out.
    gap: f64,
}

impl Touched {
    /// Compliance of the test [1/kg].
    fn compliance(&self) -> f64 {
        TEST_COMPLIANCE / self.mass
    }
}

/// Finds the pads of an island: one for each contact with a kinematic body if the island is squeezed, otherwise none.
pub(crate) fn find(records: &Records, scene: &Scene, island: &Island, space: &mut IslandSpace) {
    let IslandSpace { pads, squeeze, parts, .. } = space;
    pads.clear();
    if !squeeze.touch(records, scene, island) || squeeze.moves_freely(records, scene, island) {
        return;
    }
    let mut memory = std::mem::take(parts);
    let violation = squeeze.violation(records, scene, island, &mut memory);
    *parts = memory;
    let Some(violation) = violation else { return };
    pads.extend(squeeze.touched.iter().zip(violation).map(|(touched, violation)| {
        let Touched { mass, bound, gap } = (*touched)?;
        let let_through = (scene.dt * violation - bound).max(0.0);
        Some(Pad { stiffness: mass * PRESSURE / bound, gap: gap + let_through })
    }));
}

/// Gives each soft contact of an island with joints a pad, with `h² k' = h² k + h d` for the whole step and the gap
/// that the bias closes in it.
pub(crate) fn soften(scene: &Scene, island: &Island, pads: &mut Vec<Option<Pad>>) {
    let contacts = || island.contacts.iter().map(|c| &scene.contacts[*c as usize]);
    if contacts().all(|contact| contact.soft.is_none()) {
        return;
    }
    pads.resize(island.contacts.len(), None);
    for (pad, contact) in pads.iter_mut().zip(contacts()) {
        if let Some(soft) = contact.soft {
            let stiffness = soft.stiffness + soft.damping / scene.dt;
            *pad = Some(Pad { stiffness, gap: soft.bias(contact.gap, scene.dt) * scene.dt });
        }
    }
}

/// Pairs of ranks with a pad; their overlap is not pushed out.
pub(crate) fn padded_pairs<'a>(
    scene: &'a Scene,
    island: &'a Island,
    pads: &'a [Option<Pad>],
) -> impl Iterator<Item = (u32, u32)> + 'a {
    let contacts = island.contacts.iter().map(|c| &scene.contacts[*c as usize]);
    contacts.zip(pads).filter(|(_, pad)| pad.is_some()).map(|(contact, _)| (contact.a, contact.b))
}

impl SqueezeSpace {
    /// Finds contacts with kinematic bodies. Returns whether there are any together with another body that does not
    /// give way.
    fn touch(&mut self, records: &Records, scene: &Scene, island: &Island) -> bool {
        self.touched.clear();
        let kind = |rank: u32| scene.bodies[rank as usize].kind;
        let given = |c: &Contact| [c.a, c.b].into_iter().find(|rank| kind(*rank) != Kind::Dynamic);
        let contacts = || island.contacts.iter().map(|c| &scene.contacts[*c as usize]);
        let first = contacts().find_map(given);
        let others = contacts().filter_map(given).any(|rank| Some(rank) != first);
        let kinematic = |c: &Contact| [c.a, c.b].into_iter().any(|rank| kind(rank) == Kind::Kinematic);
        if !others || !contacts().any(kinematic) {
            return false;
        }
        for pair in island.contacts.chunk_by(|c, d| {
            let (c, d) = (&scene.contacts[*c as usize], &scene.contacts[*d as usize]);
            (c.a, c.b) == (d.a, d.b)
        }) {
            for contact in pair.iter().map(|c| &scene.contacts[*c as usize]) {
                let bodies = [contact.a, contact.b].map(|rank| &scene.bodies[rank as usize]);
                let [a, b] = bodies.map(|body| records.bodies.at(body.slot));
                let inverse_mass = bodies.map(|body| if body.is_dynamic() { body.inverse_mass } else { 0.0 });
                self.touched.push(a.zip(b).filter(|_| kinematic(contact)).map(|(a, b)| {
                    let bound = overlap_bound(a, b);
                    let way = scene.dt * contact.frame[0].dot(surface_velocity(scene, contact)).abs();
                    let mass = 1.0 / (inverse_mass[0].max(inverse_mass[1]) * pair.len() as f64);
                    Touched { mass, bound, gap: contact.gap.max(-(bound + way)) }
                }));
            }
        }
        true
    }

    /// Offset of a contact's normal row [m/s].
    fn offset(&self, records: &Records, scene: &Scene, place: usize, contact: &Contact) -> f64 {
        let gap = match &self.touched[place] {
            Some(touched) => touched.gap,
            None if contact.impact.is_some() => 0.0,
            // A velocity bias needs no room: count the gap as zero.
            None => contact.effective_gap(records.settings.stabilisation).max(0.0),
        };
        gap / scene.dt
    }

    /// Whether the bodies of the island can all stand still, or move along with one of its kinematic bodies.
    fn moves_freely(&self, records: &Records, scene: &Scene, island: &Island) -> bool {
        let tolerance = records.settings.stop.tolerance.value;
        let fits = |along: Option<u32>| {
            island.contacts.iter().map(|c| &scene.contacts[*c as usize]).enumerate().all(|(place, contact)| {
                let twist = |rank: u32, arm: DVec3| {
                    let body = &scene.bodies[rank as usize];
                    match along {
                        _ if !body.is_dynamic() => scene.free[rank as usize].after.at(arm),
                        Some(along) => {
                            let leader = &scene.bodies[along as usize];
                            scene.free[along as usize].after.at(contact.point - leader.state.position)
                        }
                        None => DVec3::ZERO,
                    }
                };
                let velocity = twist(contact.b, contact.arm_b) - twist(contact.a, contact.arm_a);
                contact.frame[0].dot(velocity) + self.offset(records, scene, place, contact) >= -tolerance
            })
        };
        let kinematic = |rank: &u32| scene.bodies[*rank as usize].kind == Kind::Kinematic;
        let contacts = || island.contacts.iter().map(|c| &scene.contacts[*c as usize]);
        let mut tried = None;
        fits(None)
            || contacts().flat_map(|c| [c.a, c.b]).filter(kinematic).any(|rank| {
                // Contacts of one pair are adjacent.
                tried.replace(rank) != Some(rank) && fits(Some(rank))
            })
    }

    /// Least violation of the normal rows by any motion of the bodies, contact by contact [m/s]; `None` if some motion
    /// violates none.
    fn violation(
        &mut self,
        records: &Records,
        scene: &Scene,
        island: &Island,
        memory: &mut FactoredParts,
    ) -> Option<Vec<f64>> {
        let mut parts = std::mem::take(memory);
        parts.clear();
        let FactoredParts { blocks, inverse_mass: masses, bodies: pairs, jacobian, compliance, q, .. } = &mut parts;
        masses.extend(island.bodies.iter().map(|rank| inverse_mass(&scene.bodies[*rank as usize])));
        let local = |rank: u32| scene.bodies[rank as usize].place;
        for (place, contact) in island.contacts.iter().map(|c| &scene.contacts[*c as usize]).enumerate() {
            let normal = contact.frame[0];
            compliance.push(self.touched[place].as_ref().map_or(0.0, Touched::compliance));
            pairs.push([local(contact.a), local(contact.b)]);
            blocks.push(Block::normal());
            jacobian.push(contact_row(normal, contact.arm_a, contact.arm_b));
            let free = contact.velocity(&scene.free[contact.a as usize].after, &scene.free[contact.b as usize].after);
            q.push(normal.dot(free) + self.offset(records, scene, place, contact));
        }
        for joint in island.joints.iter().map(|j| &scene.joints[*j as usize]) {
            let after = |rank: u32| &scene.free[rank as usize].after;
            for row in scene.rows_of(joint).iter().filter(|row| row.locked) {
                if row.block > 0 {
                    blocks.push(Block::joint(row.block));
                    pairs.push([joint.a, joint.b].map(|rank| rank.and_then(local)));
                }
                jacobian.push(row.columns);
                compliance.push(0.0);
                q.push(row_velocity(&row.columns, joint.a.map(after), joint.b.map(after)));
            }
        }
        let after = |rank: u32| scene.free[rank as usize].after;
        assemble_gears(scene, island, local, after, &mut parts);
        self.q.clone_from(&parts.q);
        // If the problem is invalid, the solve stage reports why.
        let mut problem = ContactProblem::from_parts(parts).ok()?;
        let violation = self.least_violation(records, scene.dt, &mut problem, island.contacts.len());
        *memory = problem.into_parts();
        violation
    }

    fn least_violation(
        &mut self,
        records: &Records,
        dt: f64,
        problem: &mut ContactProblem,
        contacts: usize,
    ) -> Option<Vec<f64>> {
        let SqueezeSpace { touched, q, pivoting, exact, session } = self;
        let tolerance = records.settings.stop.tolerance.value;
        let stop = StoppingRule::velocity(tolerance);
        exact.options = ExactOptions::stepping();
        let compliance = |place: usize| touched[place].as_ref().map_or(0.0, Touched::compliance);
        let mut last = vec![0.0; contacts];
        let mut before = f64::INFINITY;
        for _ in 0..MOST_TESTS {
            let method: &mut dyn ContactSolver = if problem.rows() > MOST_PIVOTED { exact } else { pivoting };
            let solution = session.solve(problem, method, None, &stop, &mut History::off()).ok()?;
            if solution.status != Status::Solved {
                return None;
            }
            let r = &solution.impulses[..contacts];
            let violation: Vec<f64> =
                r.iter().zip(&last).enumerate().map(|(place, (r, last))| compliance(place) * (r - last)).collect();
            let worst = violation.iter().copied().fold(0.0, f64::max);
            // Nor is a violation within the accepted residual.
            let accepted = records.settings.accepted().value;
            let most =
                |place: usize| touched[place].as_ref().map_or(0.0, |t| f64::min(NEGLIGIBLE * t.bound / dt, accepted));
            if violation.iter().enumerate().all(|(place, violation)| *violation <= most(place)) {
                return None;
            }
            if worst > STAYS * before {
                return Some(violation);
            }
            before = worst;
            last.clear();
            last.extend_from_slice(r);
            let offset: Vec<f64> = (0..q.len())
                .map(|row| q[row] - if row < contacts { compliance(row) * last[row] } else { 0.0 })
                .collect();
            problem.set_q(&offset).ok()?;
        }
        None
    }
}

/// Velocity of the kinematic side of a contact [m/s]; zero if there is none.
fn surface_velocity(scene: &Scene, contact: &Contact) -> DVec3 {
    let twist = |rank: u32| match scene.bodies[rank as usize].kind {
        Kind::Kinematic => scene.free[rank as usize].after,
        Kind::Dynamic | Kind::Fixed => Twist::default(),
    };
    contact.velocity(&twist(contact.a), &twist(contact.b))
}
