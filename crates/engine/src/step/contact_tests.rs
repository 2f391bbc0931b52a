//! Frames and impacts against hand computation.
#![allow(clippy::unwrap_used)]

use super::*;
use signorini_problem::random::SplitMix64;

/// A contact between bodies 0 and 1 along z, with zero arms.
pub(in crate::step) fn contact(gap: f64, restitution: f64) -> Contact {
    Contact {
        a: 0,
        b: 1,
        feature: Feature::default(),
        point: DVec3::ZERO,
        frame: contact_frame(DVec3::Z),
        arm_a: DVec3::ZERO,
        arm_b: DVec3::ZERO,
        gap,
        patch: PatchState::Open { sunk: 0.0 },
        friction: 0.5,
        restitution,
        running: DVec3::ZERO,
        grain: None,
        soft: None,
        rolling: None,
        impact: None,
        guess: Push::NONE,
    }
}

fn hit(contact: &Contact, velocity: f64, acceleration: f64, dt: f64, rest_speed: f64) -> Option<Impact> {
    impact(contact, &Approach { velocity, acceleration, after_bounce: acceleration }, 0.0, dt, rest_speed)
}

#[test]
fn frame_is_orthonormal_right_handed_and_follows_the_axis_of_least_component() {
    let mut state = SplitMix64::new(1);
    let mut next = || state.uniform(-1.0, 1.0);
    let mut normals = vec![DVec3::X, -DVec3::X, DVec3::Y, -DVec3::Y, DVec3::Z, -DVec3::Z];
    normals.extend((0..1000).filter_map(|_| DVec3::new(next(), next(), next()).try_normalize()));
    for n in normals {
        let [_, t1, t2] = contact_frame(n);
        assert!((t1.length() - 1.0).abs() < 1e-14 && (t2.length() - 1.0).abs() < 1e-14);
        assert!(n.dot(t1).abs() < 1e-15 && n.dot(t2).abs() < 1e-15 && t1.dot(t2).abs() < 1e-15);
        assert!((n.cross(t1) - t2).length() < 1e-15);
    }
    // n = z: |x| = |y| tie, x wins: t1 = x × z = −y, t2 = z × (−y) = x.
    assert_eq!(contact_frame(DVec3::Z), [DVec3::Z, -DVec3::Y, DVec3::X]);
}

#[test]
fn relative_velocity_is_negative_when_approaching() {
    let c = contact(0.0, 0.0);
    let (a, b) = (
        Twist { linear: DVec3::new(0.0, 0.0, 2.0), angular: DVec3::ZERO },
        Twist { linear: DVec3::new(0.0, 0.0, -2.0), angular: DVec3::ZERO },
    );
    assert_eq!(c.frame[0].dot(c.velocity(&a, &b)), -4.0);
}

#[test]
fn spin_counts_through_the_lever_arm() {
    let mut c = contact(0.0, 0.0);
    c.arm_a = DVec3::X;
    let spinning = |angular_velocity| Twist { linear: DVec3::ZERO, angular: angular_velocity };
    let still = spinning(DVec3::ZERO);
    assert_eq!(c.frame[0].dot(c.velocity(&spinning(DVec3::Z), &still)), 0.0);
    // ω × r = y × x = −z at A: A's point moves down, B's moves up against it.
    assert_eq!(c.frame[0].dot(c.velocity(&spinning(DVec3::Y), &still)), 1.0);
}

#[test]
fn impact_inside_the_step_follows_the_parabola() {
    // 10 cm above, 3 m/s down, 9.81 m/s² down: time and speed from the closed form.
    let (gap, u, a) = (0.1, -3.0, -9.81);
    let (time, speed) = Approach { velocity: u, acceleration: a, after_bounce: a }.closing(gap, 0.05).unwrap();
    assert!((gap + u * time + 0.5 * a * time * time).abs() < 1e-16);
    assert!((speed - (u + a * time)).abs() < 1e-14);
    let there = Approach { velocity: speed, acceleration: a, after_bounce: a };
    assert!((there.travelled(time) + gap).abs() < 1e-15, "and back to where it came from");
    // Seen at that time the gap is closed.
    let hit =
        impact(&contact(0.0, 0.5), &Approach { velocity: speed, acceleration: a, after_bounce: a }, time, 0.05, 0.5)
            .unwrap();
    assert!((hit.target(0.5, 0.05) - (0.5 * -speed + a * (0.05 - time))).abs() < 1e-15);
}

#[test]
fn no_impact_when_slow_late_leaving_or_dead() {
    assert_eq!(hit(&contact(0.0, 0.8), -0.2, 0.0, 0.016, 0.5), None, "below the rest speed");
    assert_eq!(hit(&contact(1.0, 0.8), -3.0, 0.0, 0.016, 0.5), None, "does not arrive");
    assert_eq!(hit(&contact(0.01, 0.8), 3.0, 0.0, 0.016, 0.5), None, "leaves");
    assert_eq!(hit(&contact(0.01, 0.8), 0.0, 0.0, 0.016, 0.5), None, "does not move");
    assert_eq!(hit(&contact(0.0, 0.0), -3.0, -9.81, 0.016, 0.5), None, "does not bounce");
    assert!(hit(&contact(-0.01, 0.8), -3.0, 0.0, 0.016, 0.5).is_some(), "overlaps and approaches");
}
