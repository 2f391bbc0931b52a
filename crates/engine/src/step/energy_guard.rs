//! Energy guard of impacts. In: an island and its answer. Out: whether its contacts create energy. Eq.: Σ r·(u⁻ + u⁺)/2 > 0.

use crate::step::Twist;
use crate::step::assembly::Scene;
use crate::step::free_motion::FreeMotion;
use crate::step::island::Island;
use crate::step::solve::IslandSolution;
use glamx::DVec3;

/// Work of contacts relative to impulse times speed that counts as zero \[1\]: the solver's tolerance cannot resolve
/// less.
const WORK_TOLERANCE: f64 = 1e-8;

/// Whether contact impulses raise the energy: `Σ r·(u⁻ + u⁺)/2 > 0`, with the velocities just before and after each
/// impulse.
pub(crate) fn makes_energy(scene: &Scene, island: &Island, solution: &IslandSolution) -> bool {
    let (mut work, mut size) = (0.0, 0.0);
    let after = |rank: u32| {
        let base = scene.free[rank as usize].after;
        match island.bodies.binary_search(&rank) {
            Ok(i) => Twist {
                linear: base.linear + solution.change[i].linear,
                angular: base.angular + solution.change[i].angular,
            },
            Err(_) => base,
        }
    };
    for (c, push) in island.contacts.iter().zip(&solution.contact_impulses) {
        let (contact, impulse) = (&scene.contacts[*c as usize], push.impulse);
        let (a, b) = (&scene.free[contact.a as usize], &scene.free[contact.b as usize]);
        let (after_a, after_b) = (after(contact.a), after(contact.b));
        let mean = contact.mean_velocity(a, b, &after_a, &after_b, scene.dt);
        // Work of belts is supplied by their drive, and that of soft surfaces by their spring.
        let spring = if contact.soft.is_some() { contact.frame[0] * contact.frame[0].dot(mean) } else { DVec3::ZERO };
        work += impulse.dot(mean + contact.running - spring);
        size += impulse.length() * (mean.length() + contact.velocity(&a.after, &b.after).length());
        let middle = |free: &FreeMotion, after: &Twist| Twist {
            linear: DVec3::ZERO,
            angular: 0.5 * (free.before.angular + after.angular),
        };
        if let Some((turned, driven)) = contact.turning_work(push, &middle(a, &after_a), &middle(b, &after_b)) {
            work += turned + driven;
        }
    }
    work > WORK_TOLERANCE * size
}
