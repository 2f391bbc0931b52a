//! One box with four contacts: the smallest problems with coupled normal and tangential impulses.

use crate::contact::in_frame;
use crate::vector::{Vec3, add, scale};
use crate::{Assembly, Body, DENSITY, Family, GRAVITY, GeneratedProblem, Known, STEP, SceneError};
use signorini_problem::math;

/// A unit cube that lands with (4, 2, −0.1) m/s and 5 rad/s about the vertical: every corner slides its own way while
/// the impact is under way.
pub fn drop_slide(mu: f64) -> Result<GeneratedProblem, SceneError> {
    let mut assembly = Assembly::default();
    let velocity = [4.0, 2.0, -0.1, 0.0, 0.0, 5.0];
    let cube = assembly.body(Body::cuboid(DENSITY, [0.5; 3], [0.0, 0.0, 0.5]).with_velocity(velocity));
    for x in [-0.5, 0.5] {
        for y in [-0.5, 0.5] {
            assembly.contact([None, Some(cube)], [0.0, 0.0, 1.0], [x, y, 0.0], 0.0, mu);
        }
    }
    assembly.build(format!("drop_slide_mu{mu}"), Family::Box, Known::default())
}

/// A plank of 10 kg, 3×0.5×0.1 m, leaning at `angle` \[rad\] above the floor on two corners against a wall on two others.
///
/// With the wall pushing W alone and the floor G = m g h up and W across, moments about the floor corner give
/// `W = G (x_c − x_f)/(z_w − z_f)`: a solution while `W ≤ μ_floor G`. Friction at the wall makes the answer a family.
/// At high friction (5 or so) the plank is near the paradox of Painlevé: normal rows that friction drives negative.
pub fn plank(angle: f64, mu_floor: f64, mu_wall: f64) -> Result<GeneratedProblem, SceneError> {
    if !(angle > 0.0 && angle < std::f64::consts::FRAC_PI_2) {
        return Err(SceneError::Parameter { name: "angle", value: angle, expected: "between 0 and π/2" });
    }
    let (mass, half) = (10.0, [1.5, 0.25, 0.05]);
    let (sin, cos) = math::sin_cos(angle);
    let axes: [Vec3; 3] = [[cos, 0.0, sin], [0.0, 1.0, 0.0], [-sin, 0.0, cos]];
    // The lowest corner and the one furthest along x, relative to the centre of mass.
    let corner = |x: f64| add(scale(x * half[0], axes[0]), scale(-half[2], axes[2]));
    let (foot, head) = (corner(-1.0), corner(1.0));
    let center = scale(-1.0, foot);
    let mut assembly = Assembly::default();
    let body = assembly.body(Body::cuboid(mass, half, center).with_axes(axes));
    let weight = mass * GRAVITY * STEP;
    let push = weight * center[0] / (head[2] - foot[2]);
    let mut impulse = Vec::with_capacity(12);
    for y in [-half[1], half[1]] {
        let floor = assembly.contact([None, Some(body)], [0.0, 0.0, 1.0], [0.0, y, 0.0], 0.0, mu_floor);
        impulse.extend(in_frame(&floor, [push / 2.0, 0.0, weight / 2.0]));
        let point = add(add(center, head), [0.0, y, 0.0]);
        let wall = assembly.contact([None, Some(body)], [-1.0, 0.0, 0.0], point, 0.0, mu_wall);
        impulse.extend(in_frame(&wall, [-push / 2.0, 0.0, 0.0]));
    }
    let impulse = (push <= mu_floor * weight).then_some(impulse);
    assembly.build(
        format!("plank_angle{angle}_mu{mu_floor}_{mu_wall}"),
        Family::Box,
        Known { impulse, ..Known::default() },
    )
}
