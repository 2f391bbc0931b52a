//! Snapshots as bytes: typed errors that leave a world as it was, or a world that can be stepped.

use super::{Target, take_steps};
use signorini::{Snapshot, World};
use signorini_scenes::worlds;

pub const SNAPSHOT: Target = Target { name: "snapshot", run, seeds, tokens: &[], mend: Some(mend), short: 20_000 };

/// Small scenes after some steps, with contacts, joints and forces.
fn seeds() -> Vec<Vec<u8>> {
    let small = worlds::all().iter().map(|named| named.scene()).filter(|scene| scene.bodies.len() <= 6);
    let stepped = small.filter_map(|scene| {
        let mut world = scene.build().ok()?;
        for _ in 0..5 {
            world.step(scene.step).ok()?;
        }
        Some(world.snapshot().to_bytes())
    });
    stepped.filter(|bytes| bytes.len() < 16_384).collect()
}

fn run(bytes: &[u8]) -> String {
    let snapshot = match Snapshot::from_bytes(bytes) {
        Err(error) => return error.to_string(),
        Ok(snapshot) => snapshot,
    };
    // Bytes may say a thing in a way that we do not, such as shapes in another order. What we write is read as it is.
    let written = snapshot.to_bytes();
    let again = Snapshot::from_bytes(&written);
    assert!(again.is_ok_and(|again| again.to_bytes() == written), "what was written is not what is read");
    let mut world = World::from_snapshot(&snapshot);
    take_steps(&mut world, 1.0 / 60.0, 1)
}

/// Version and tag, length and payload under FNV-1a, as the writer does it.
fn mend(bytes: &mut [u8]) {
    let Some(version) = bytes.get(8..12).map(<[u8]>::to_vec) else { return };
    let mut at = 12;
    while let Some(head) = bytes.get(at..at + 20).map(<[u8]>::to_vec) {
        let length = head[4..12].iter().rev().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
        let Some(end) = usize::try_from(length).ok().and_then(|length| (at + 20).checked_add(length)) else { return };
        let Some(payload) = bytes.get(at + 20..end) else { return };
        let hashed = version.iter().chain(&head[..12]).chain(payload);
        let hash = hashed.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        bytes[at + 12..at + 20].copy_from_slice(&hash.to_le_bytes());
        at = end;
    }
}
