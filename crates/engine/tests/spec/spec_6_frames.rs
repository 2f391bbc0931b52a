//! The scenes that the specification times (§6), with what it asks of every step; their times are measured by
//! `cargo bench --bench frames`.

use crate::fixture::frames::{FRAMES, Family, TABLE};
use crate::fixture::*;

#[test]
fn twenty_frames_of_cluster_stack_and_grid_are_certified() {
    for (family, cubes, _) in TABLE {
        let mut world = family.world(*cubes);
        let mut contacts = 0;
        for _ in 0..FRAMES {
            contacts = contacts.max(step_certified(&mut world, H).counts.contacts);
        }
        println!("{family:?} {cubes}: up to {contacts} contacts");
        let expected = match family {
            // Four have too much room to meet.
            Family::ClusterDrop => usize::from(*cubes > 4)..=4 * cubes,
            Family::StackCollapse => 4 * cubes..=4 * cubes,
            // They fall half a metre of two.
            Family::GridSettle => 0..=0,
        };
        assert!(expected.contains(&contacts), "{family:?} {cubes}: {contacts} contacts");
    }
}
