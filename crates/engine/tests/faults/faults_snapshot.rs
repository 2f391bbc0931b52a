//! Snapshots: group I of the fault list. Restored worlds have the same future bit for bit, damaged bytes are errors, and
//! handles reach what they were made for or nothing.

use crate::fixture::*;
use signorini::glamx::DPose3;
use signorini::{Kind, Snapshot, SnapshotError, StoppingRule};

/// A busy scene with every kind of shape, body and joint; contacts in most steps.
fn busy() -> World {
    let mut w = world();
    let heights: Vec<f64> = (0..36).map(|i| 0.05 * f64::from((i * 7) % 5)).collect();
    let ground = Shape::height_field(6, 6, [1.0, 1.0], &heights).unwrap();
    w.add(Body::fixed(ground).material(surface(0.6, 0.2)).named("ground")).unwrap();
    let sheet = [v(-4.0, -4.0, -0.5), v(4.0, -4.0, -0.5), v(4.0, 4.0, -0.5), v(-4.0, 4.0, -0.5)];
    let sheet = Shape::triangle_mesh(sheet.to_vec(), vec![[0, 1, 2], [0, 2, 3], [0, 0, 1]]).unwrap();
    w.add(Body::fixed(sheet).named("sheet")).unwrap();
    w.add(Body::fixed(Shape::half_space(DVec3::Z).unwrap()).position(v(0.0, 0.0, -1.0)).named("floor")).unwrap();
    let points: Vec<DVec3> = (0..14)
        .map(|i| v((f64::from(i) * 1.3).sin(), (f64::from(i) * 2.1).cos(), (f64::from(i) * 0.7).sin()) * 0.4)
        .collect();
    let arm = DPose3::from_parts(v(0.3, 0.0, 0.1), DQuat::from_rotation_y(0.4));
    let compound = Shape::compound(vec![
        (DPose3::IDENTITY, Shape::cuboid(v(0.3, 0.1, 0.1)).unwrap()),
        (arm, Shape::capsule(0.2, 0.1).unwrap()),
    ]);
    let shapes = [
        Shape::cuboid(DVec3::splat(0.25)).unwrap(),
        Shape::sphere(0.3).unwrap(),
        Shape::cylinder(0.2, 0.25).unwrap(),
        Shape::convex_hull(&points).unwrap(),
        Shape::cone(0.3, 0.25).unwrap(),
        compound.unwrap(),
    ];
    for i in 0..6u32 {
        let t = f64::from(i);
        let position = v(0.35 * (t % 3.0 - 1.0), 0.3 * ((2.0 * t) % 3.0 - 1.0), 0.5 + 0.25 * t);
        let body = Body::dynamic(shapes[i as usize % shapes.len()].clone()).mass(1.0 + 0.1 * t).position(position);
        let body = body.angular_velocity(v(0.3 * t, 1.0, -0.2 * t)).material(surface(0.5, 0.3));
        w.add(if i % 3 == 0 { body.numbered(u64::from(i)) } else { body }).unwrap();
    }
    let paddle = Body::kinematic(Shape::cuboid(v(0.1, 0.8, 0.2)).unwrap()).position(v(-1.5, 0.0, 0.4));
    w.add(paddle.velocity(v(0.3, 0.0, 0.0)).angular_velocity(v(0.0, 0.0, 0.5)).named("paddle")).unwrap();
    let chain: Vec<BodyHandle> =
        (0..3).map(|i| w.add(ball(&format!("link {i}"), v(3.0 + 1.2 * f64::from(i), 0.0, 3.0))).unwrap()).collect();
    w.add_joint(Joint::ball(chain[0], v(-0.6, 0.0, 0.0), v(2.4, 0.0, 3.0))).unwrap();
    w.add_joint(Joint::distance(chain[1], DVec3::ZERO, (chain[0], DVec3::ZERO), 1.2)).unwrap();
    w.add_joint(Joint::fixed(chain[1], v(0.6, 0.0, 0.0), (chain[2], v(-0.6, 0.0, 0.0)))).unwrap();
    w
}

/// What happens in step k besides the step, the same in every run.
fn stir(w: &mut World, k: usize) {
    if k.is_multiple_of(7) {
        let b = w.find(3).unwrap();
        w.add_force(b, v(2.0, -1.0, 5.0)).unwrap();
    }
}

fn advance(w: &mut World) -> u64 {
    let k = w.steps() as usize;
    stir(w, k);
    w.step(H).unwrap();
    w.state_hash()
}

#[test]
fn i1_bytes_of_a_restored_world_are_the_same_bytes() {
    let mut w = busy();
    for k in 0..60 {
        let bytes = w.snapshot().to_bytes();
        let again = Snapshot::from_bytes(&bytes).unwrap();
        assert_eq!(again.to_bytes(), bytes, "step {k}");
        assert_eq!((again.steps(), again.time(), again.state_hash()), (w.steps(), w.time(), w.state_hash()));
        advance(&mut w);
    }
    assert!(w.contacts().len() > 10, "contacts must be part of it");
}

fn number(name: &str, usual: usize) -> usize {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// Restored at each of 500 steps: after one step every byte of the next snapshot is that of the run that was never
/// interrupted. What is not in a snapshot cannot influence the future, so that the rest follows from there; two of them go on
/// for 1000 steps to see that it does.
#[test]
fn i2_restored_at_each_of_500_steps_and_in_lockstep_for_1000() {
    let (starts, lockstep) = (500, 1000);
    let mut w = busy();
    let (mut trail, mut contacts) = (vec![w.snapshot().to_bytes()], 0);
    for _ in 0..starts {
        advance(&mut w);
        contacts += w.contacts().len();
        trail.push(w.snapshot().to_bytes());
    }
    assert!(contacts > 10 * starts, "{contacts} contacts are not dense");
    let mut hashes = Vec::new();
    for k in 0..starts {
        let mut fresh = World::from_snapshot(&Snapshot::from_bytes(&trail[k]).unwrap());
        hashes.push(advance(&mut fresh));
        assert!(fresh.snapshot().to_bytes() == trail[k + 1], "restored before step {k}");
    }
    hashes.extend((0..lockstep).map(|_| advance(&mut w)));
    for k in (0..starts).step_by(starts / number("lockstep_starts", 2)) {
        let mut fresh = World::from_snapshot(&Snapshot::from_bytes(&trail[k]).unwrap());
        for step in k..k + lockstep {
            assert_eq!(advance(&mut fresh), hashes[step], "restored before step {k}, step {step}");
        }
    }
}

#[test]
fn i2_restored_at_any_step_the_future_is_the_same() {
    let (starts, lockstep) = (number("restored_steps", 100), number("lockstep_steps", 50));
    let mut w = busy();
    let (mut trail, mut snapshots, mut contacts) = (Vec::new(), Vec::new(), 0);
    for _ in 0..starts {
        snapshots.push(w.snapshot());
        trail.push(advance(&mut w));
        contacts += w.contacts().len();
    }
    assert!(contacts > 10 * starts, "{contacts} contacts are not dense");
    trail.extend((0..lockstep).map(|_| advance(&mut w)));
    let last = w.snapshot().to_bytes();
    for (k, snapshot) in snapshots.iter().enumerate() {
        // Alternately into the world that goes on, from bytes into it, and into a new world.
        let mut fresh = match k % 3 {
            0 => World::from_snapshot(&Snapshot::from_bytes(&snapshot.to_bytes()).unwrap()),
            _ => std::mem::replace(&mut w, world()),
        };
        match k % 3 {
            0 => {}
            1 => fresh.restore(snapshot).unwrap(),
            _ => fresh.restore(&Snapshot::from_bytes(&snapshot.to_bytes()).unwrap()).unwrap(),
        }
        for step in k..k + lockstep {
            assert_eq!(advance(&mut fresh), trail[step], "restored before step {k}, step {step}");
        }
        if k + 1 == starts {
            advance(&mut fresh);
            assert_eq!(fresh.snapshot().to_bytes(), last);
        }
        if k % 3 != 0 {
            w = fresh;
        }
    }
}

#[test]
fn i3_restored_at_another_number_of_threads() {
    let with_threads = |threads: usize, run: &mut (dyn FnMut() -> Vec<u64> + Send)| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run)
    };
    let mut w = busy();
    (0..40).for_each(|_| _ = advance(&mut w));
    let snapshot = w.snapshot();
    let reference = with_threads(1, &mut || (0..60).map(|_| advance(&mut w)).collect());
    for threads in [2, 3, 4, 8] {
        let mut other = World::from_snapshot(&snapshot);
        let trail = with_threads(threads, &mut || (0..60).map(|_| advance(&mut other)).collect());
        assert_eq!(trail, reference, "{threads} threads");
    }
}

/// A small world with a contact, a joint and a body in flight.
fn small() -> World {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.5);
    let a = w.add(ball("ball", v(0.0, 0.0, 0.5))).unwrap();
    let b = w.add(Body::dynamic(Shape::sphere(0.2).unwrap()).position(v(0.0, 3.0, 1.0))).unwrap();
    w.add_joint(Joint::distance(a, DVec3::ZERO, (b, DVec3::ZERO), 3.0).misfit(Misfit::Corrected)).unwrap();
    w.step(H).unwrap();
    w
}

#[test]
fn i4_every_bit_flip_is_an_error() {
    let bytes = small().snapshot().to_bytes();
    assert!(bytes.len() > 1000);
    for bit in 0..8 * bytes.len() {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(Snapshot::from_bytes(&damaged).is_err(), "bit {bit}");
    }
}

/// As large as 64 KiB: a bit of every seventh byte, another one from byte to byte; all bits of all bytes with `every_bit=1`,
/// which takes minutes. A single changed byte always changes the checksum: see `snapshot/bytes.rs`.
#[test]
fn i4_bits_all_over_a_large_snapshot_are_checked() {
    let mut w = world();
    add_floor(&mut w, 0.5, 0.0);
    for i in 0..60 {
        let place = v(1.5 * f64::from(i % 10), 1.5 * f64::from(i / 10), 0.5);
        w.add(cube(&format!("{i}"), place)).unwrap();
    }
    w.step(H).unwrap();
    let mut bytes = w.snapshot().to_bytes();
    assert!(bytes.len() >= 64 << 10, "{}", bytes.len());
    let all = number("every_bit", 0) > 0;
    for at in (0..bytes.len()).step_by(if all { 1 } else { 7 }) {
        for bit in (0..8).filter(|bit| all || *bit == at % 8) {
            bytes[at] ^= 1 << bit;
            assert!(Snapshot::from_bytes(&bytes).is_err(), "bit {bit} of byte {at}");
            bytes[at] ^= 1 << bit;
        }
    }
    assert!(Snapshot::from_bytes(&bytes).is_ok());
}

#[test]
fn i5_cut_at_every_byte_is_an_error() {
    let bytes = small().snapshot().to_bytes();
    for end in 0..bytes.len() {
        assert!(Snapshot::from_bytes(&bytes[..end]).is_err(), "cut after {end} bytes");
    }
    let mut longer = bytes;
    longer.push(0);
    assert!(matches!(Snapshot::from_bytes(&longer), Err(SnapshotError::Excess { count: 1, .. })));
}

#[test]
fn i6_another_version_is_an_error_that_says_so() {
    let bytes = small().snapshot().to_bytes();
    for other in [bytes[8] + 1, bytes[8] - 1] {
        let mut bytes = bytes.clone();
        bytes[8] = other;
        let error = Snapshot::from_bytes(&bytes).unwrap_err();
        assert!(matches!(error, SnapshotError::Version { found, .. } if found == u32::from(other)), "{error}");
    }
    assert_eq!(Snapshot::from_bytes(b"something else").unwrap_err(), SnapshotError::NotASnapshot);
    assert_eq!(Snapshot::from_bytes(b"").unwrap_err(), SnapshotError::NotASnapshot);
}

/// Bytes of a contact.
const CONTACT: usize = 16 + 17 * 8;

/// A snapshot of a world could not be read: its joint held a body that had become fixed.
#[test]
fn a_joint_of_bodies_that_no_longer_move_is_kept() {
    let mut w = world();
    let b = w.add(ball("bob", v(1.0, 0.0, 0.0))).unwrap();
    w.add_joint(Joint::ball(b, v(-1.0, 0.0, 0.0), DVec3::ZERO)).unwrap();
    w.step(H).unwrap();
    for kind in [Kind::Fixed, Kind::Kinematic, Kind::Dynamic] {
        w.set_kind(b, kind).unwrap();
        let bytes = w.snapshot().to_bytes();
        let mut read = World::from_snapshot(&Snapshot::from_bytes(&bytes).unwrap());
        assert_eq!(read.snapshot().to_bytes(), bytes);
        for _ in 0..5 {
            w.step(H).unwrap();
            read.step(H).unwrap();
            assert_eq!(read.state_hash(), w.state_hash(), "{kind:?}");
        }
    }
}

#[test]
fn i7_a_failed_restore_leaves_the_world_as_it_was() {
    let mut w = busy();
    (0..30).for_each(|_| _ = advance(&mut w));
    let before = w.snapshot().to_bytes();
    let handle = w.find("paddle").unwrap();
    let stranger = small();
    assert_eq!(w.restore(&stranger.snapshot()), Err(SnapshotError::OtherWorld));
    let mut damaged = before.clone();
    *damaged.last_mut().unwrap() ^= 1;
    assert!(Snapshot::from_bytes(&damaged).and_then(|s| w.restore(&s)).is_err());
    assert_eq!(w.snapshot().to_bytes(), before);
    assert!(w.body(handle).is_ok());
    let mut twin = World::from_snapshot(&Snapshot::from_bytes(&before).unwrap());
    for _ in 0..20 {
        assert_eq!(advance(&mut w), advance(&mut twin));
    }
}

#[track_caller]
fn stale(result: Result<impl std::fmt::Debug, WorldError>) {
    assert!(matches!(result, Err(WorldError::StaleHandle { .. })), "{result:?}");
}

#[test]
fn i8_handles_made_after_the_snapshot_are_stale_and_stay_so() {
    for from_bytes in [false, true] {
        let mut w = world();
        let old = w.add(ball("old", DVec3::ZERO)).unwrap();
        let removed = w.add(ball("removed", v(2.0, 0.0, 0.0))).unwrap();
        let snapshot = w.snapshot();
        let snapshot = if from_bytes { Snapshot::from_bytes(&snapshot.to_bytes()).unwrap() } else { snapshot };
        w.remove(removed).unwrap();
        // One takes the slot of the removed body, one a new slot.
        let reused = w.add(ball("reused", v(4.0, 0.0, 0.0))).unwrap();
        let new = w.add(ball("new", v(6.0, 0.0, 0.0))).unwrap();
        let joint = w.add_joint(Joint::ball(new, DVec3::ZERO, v(6.0, 0.0, 0.0)).misfit(Misfit::Corrected)).unwrap();
        w.restore(&snapshot).unwrap();
        assert_eq!(w.body(old).unwrap().id(), &"old".into());
        stale(w.body(reused));
        stale(w.body(new));
        stale(w.joint(joint));
        // Whatever is made in the slots and generations of the future that was taken back.
        let removed = w.find("removed").unwrap();
        w.remove(removed).unwrap();
        for name in ["x", "y", "z"] {
            let body = w.add(ball(name, v(8.0, 0.0, 0.0))).unwrap();
            w.add_joint(Joint::ball(body, DVec3::ZERO, v(8.0, 0.0, 0.0)).misfit(Misfit::Corrected)).unwrap();
        }
        stale(w.body(reused));
        stale(w.body(new));
        stale(w.joint(joint));
    }
}

#[test]
fn handles_of_bodies_removed_since_work_again() {
    let mut w = busy();
    (0..20).for_each(|_| _ = advance(&mut w));
    let (paddle, link) = (w.find("paddle").unwrap(), w.find("link 1").unwrap());
    let snapshot = w.snapshot();
    w.remove(paddle).unwrap();
    w.remove(link).unwrap();
    stale(w.body(link));
    w.restore(&snapshot).unwrap();
    assert_eq!(w.body(paddle).unwrap().id(), &"paddle".into());
    assert_eq!(w.body(link).unwrap().id(), &"link 1".into());
}

#[test]
fn a_fork_has_the_same_future_and_its_own_handles() {
    let mut w = busy();
    (0..25).for_each(|_| _ = advance(&mut w));
    let paddle = w.find("paddle").unwrap();
    let mut fork = w.fork();
    for _ in 0..20 {
        assert_eq!(advance(&mut w), advance(&mut fork));
    }
    // The handle works in both; what is done to one is not done to the other.
    fork.set_velocity(paddle, v(5.0, 0.0, 0.0)).unwrap();
    assert_eq!(w.body(paddle).unwrap().velocity(), v(0.3, 0.0, 0.0));
    let (ours, theirs) =
        (w.add(ball("one", v(9.0, 9.0, 9.0))).unwrap(), fork.add(ball("two", v(9.0, 9.0, 9.0))).unwrap());
    stale(fork.body(ours));
    stale(w.body(theirs));
    assert_eq!(w.body(ours).unwrap().id(), &"one".into());
    assert_eq!(fork.body(theirs).unwrap().id(), &"two".into());
    // A fork can go back to what the original remembers, and a stranger's handle stays foreign.
    fork.restore(&w.snapshot()).unwrap();
    assert_eq!(fork.body(ours).unwrap().id(), &"one".into());
    assert_eq!(small().body(paddle).unwrap_err(), WorldError::ForeignHandle);
}

/// Payloads of the sections: where they begin and end.
fn sections(bytes: &[u8]) -> Vec<(usize, usize)> {
    let (mut at, mut found) = (12, Vec::new());
    while at < bytes.len() {
        let length = u64::from_le_bytes(bytes[at + 4..at + 12].try_into().unwrap()) as usize;
        found.push((at + 20, at + 20 + length));
        at += 20 + length;
    }
    found
}

/// Writes the checksum that the changed payload would have.
fn forge(bytes: &mut [u8], (start, end): (usize, usize)) {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in bytes[8..12].iter().chain(&bytes[start - 20..start - 8]).chain(&bytes[start..end]) {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    bytes[start - 8..start].copy_from_slice(&hash.to_le_bytes());
}

#[test]
fn forged_bytes_are_refused_or_make_a_sound_world() {
    let mut w = busy();
    (0..40).for_each(|_| _ = advance(&mut w));
    for (bytes, trials) in [(small().snapshot().to_bytes(), 3000), (w.snapshot().to_bytes(), 1000)] {
        let sections = sections(&bytes);
        let mut random = Random::new(7);
        let mut next = |below: usize| random.below(below);
        let (mut refused, mut accepted) = (0, 0);
        for _ in 0..trials {
            let mut forged = bytes.clone();
            let section = sections[next(sections.len())];
            let at = section.0 + next(section.1 - section.0);
            let wild = [0, 1, 0x7f, 0x80, 0xf0, 0xff];
            for i in at..section.1.min(at + 1 + next(8)) {
                forged[i] = wild[next(wild.len())];
            }
            forge(&mut forged, section);
            match Snapshot::from_bytes(&forged) {
                Err(_) => refused += 1,
                Ok(snapshot) => {
                    accepted += 1;
                    let world = World::from_snapshot(&snapshot);
                    assert!(world.bodies().all(|(_, b)| b.state().position.is_finite()));
                    assert_eq!(Snapshot::from_bytes(&snapshot.to_bytes()).unwrap().to_bytes(), snapshot.to_bytes());
                }
            }
        }
        assert!(refused > 100 && accepted > 100, "{refused} refused, {accepted} accepted");
    }
}

#[test]
fn j4_counts_that_promise_too_much_are_refused_before_memory_is_taken() {
    let bytes = small().snapshot().to_bytes();
    for section in sections(&bytes) {
        for at in section.0..section.1.saturating_sub(7) {
            for promise in [u64::MAX, u64::MAX / 2, 1 << 40, 1 << 33] {
                let mut forged = bytes.clone();
                forged[at..at + 8].copy_from_slice(&promise.to_le_bytes());
                forge(&mut forged, section);
                // Whatever number this was; an allocation of this size would end the process.
                let _ = Snapshot::from_bytes(&forged);
            }
        }
        // The length of the section itself.
        let mut forged = bytes.clone();
        forged[section.0 - 16..section.0 - 8].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(matches!(Snapshot::from_bytes(&forged), Err(SnapshotError::Truncated { .. })));
    }
}

#[test]
fn an_ensemble_of_forks_diverges_only_by_what_differs() {
    // The same kick in every fork: the same future. Another kick: another future, and the original knows of neither.
    let mut w = busy();
    (0..15).for_each(|_| _ = advance(&mut w));
    let before = w.state_hash();
    let target = w.find(0).unwrap();
    let future = |kick: f64| {
        let mut fork = w.clone();
        fork.add_force(target, v(kick, 0.0, 0.0)).unwrap();
        (0..20).for_each(|_| _ = advance(&mut fork));
        fork.state_hash()
    };
    assert_eq!(future(3.0), future(3.0));
    assert_ne!(future(3.0), future(4.0));
    assert_eq!(w.state_hash(), before);
}

/// A stack that is one island of more than 120 rows, at rest on impulses of the steps before.
fn stack() -> World {
    let stop = StoppingRule { max_iterations: Some(20), ..StoppingRule::default() };
    let mut w = World::new(Settings { method: Method::Nsgs, stop, ..Settings::default() }).unwrap();
    add_floor(&mut w, 0.5, 0.0);
    for i in 0..10 {
        w.add(cube(&format!("{i}"), v(0.0, 0.0, 0.5 + f64::from(i)))).unwrap();
    }
    let link = w.add(ball("link", v(3.0, 0.0, 0.5))).unwrap();
    let top = w.find("9").unwrap();
    w.add_joint(Joint::distance(link, DVec3::ZERO, (top, DVec3::ZERO), 90f64.sqrt())).unwrap();
    (0..5).for_each(|_| _ = w.step(H).unwrap());
    w
}

/// Numbers of joints and contacts that no step leaves behind, impulses of 1e300 N·s for one, were believed and went into
/// the next step as a guess.
#[test]
fn forged_impulses_are_refused_and_not_a_guess_of_the_next_step() {
    let bytes = stack().snapshot().to_bytes();
    let (mut refused, mut stepped) = (0, 0);
    // Joints and contacts.
    for section in &sections(&bytes)[3..5] {
        for at in section.0..section.1 - 7 {
            let number = f64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
            // Where a number of the scene's own size stands; elsewhere it is most likely part of two.
            if !(1e-6..1e6).contains(&number.abs()) {
                continue;
            }
            for wild in [-1e300, 1e30, 1e-300] {
                let mut forged = bytes.clone();
                forged[at..at + 8].copy_from_slice(&f64::to_le_bytes(wild));
                forge(&mut forged, *section);
                match Snapshot::from_bytes(&forged) {
                    Err(_) => refused += 1,
                    Ok(snapshot) => {
                        stepped += 1;
                        let mut w = World::from_snapshot(&snapshot);
                        // Any answer is right, as long as it is one.
                        let _ = w.step(H);
                        assert!(w.bodies().all(|(_, body)| body.position().is_finite()), "{wild} at {at}");
                    }
                }
            }
        }
    }
    assert!(refused > 100 && stepped > 100, "{refused} refused, {stepped} stepped");
    // The impulse of the first contact, by its place: after the count, two slots, two parts, a point, a normal and a gap.
    let section = sections(&bytes)[4];
    let at = section.0 + 8 + 16 + 7 * 8;
    let mut forged = bytes.clone();
    forged[at..at + 8].copy_from_slice(&1e300f64.to_le_bytes());
    forge(&mut forged, section);
    let error = Snapshot::from_bytes(&forged).unwrap_err();
    assert!(
        matches!(error, SnapshotError::Invalid { section: "contacts", what: "impulse beyond 1e30 N·s", .. }),
        "{error}"
    );
}

/// Impulses so small that they have lost their digits, forged or left by a step of next to no time, tripped an assertion of
/// the sweeps that body velocities belong to impulses.
#[test]
fn subnormal_impulses_are_no_assertion_in_the_next_step() {
    let bytes = stack().snapshot().to_bytes();
    // The time step of the remembered impulses, after the contacts: the guess is scaled by the ratio of the steps.
    let section = sections(&bytes)[4];
    let contacts = u64::from_le_bytes(bytes[section.0..section.0 + 8].try_into().unwrap()) as usize;
    let at = section.0 + 8 + contacts * CONTACT;
    assert_eq!(bytes[at..at + 8], H.to_le_bytes());
    for (remembered, step) in [(f64::MAX, H), (f64::MAX, 1e-9), (1e308, 1e-6), (H, 1e-310), (H, 1e-318), (H, 5e-324)] {
        let mut forged = bytes.clone();
        forged[at..at + 8].copy_from_slice(&remembered.to_le_bytes());
        forge(&mut forged, section);
        let mut w = World::from_snapshot(&Snapshot::from_bytes(&forged).unwrap());
        // Where a length over the step leaves the range of numbers, the step is refused.
        let _ = w.step(step);
        w.step(H).unwrap();
        assert!(w.bodies().all(|(_, body)| body.position().is_finite()));
    }
    let mut forged = bytes.clone();
    forged[at..at + 8].copy_from_slice(&(-H).to_le_bytes());
    forge(&mut forged, section);
    assert!(matches!(Snapshot::from_bytes(&forged), Err(SnapshotError::Invalid { what: "a step back in time", .. })));
}
