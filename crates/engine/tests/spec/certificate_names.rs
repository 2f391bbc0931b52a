//! How the parts of a certificate are told: keys, names of bodies, how far a bound is missed.

use signorini::{Part, PartName, Place};

#[test]
fn keys_are_what_serde_writes() {
    for name in PartName::ALL {
        assert_eq!(serde_json::to_value(name).ok().as_ref().and_then(|v| v.as_str()), Some(name.key()));
    }
}

#[test]
fn a_joint_to_the_world_names_the_world() {
    let name = |rank: u32| (rank == 3).then(|| "crate".to_owned());
    let joint = Place { bodies: [Some(3), None], joint: Some(0) };
    assert_eq!(joint.names(name), ["crate", "the world"]);
    assert_eq!(Place { joint: None, ..joint }.names(name), ["crate"]);
    assert_eq!(Place { bodies: [Some(3), Some(9)], joint: None }.names(name), ["crate", "body 9"]);
    assert!(Place::default().names(name).is_empty());
}

#[test]
fn excess_is_value_over_bound() {
    let part = |value, bound| Part { value, bound, place: Place::default() };
    assert_eq!(part(0.0, 0.0).excess(), 0.0);
    assert_eq!(part(2.0, 0.0).excess(), f64::INFINITY);
    assert_eq!(part(2.0, 4.0).excess(), 0.5);
}
