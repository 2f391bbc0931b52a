//! A cube in a V-shaped groove.

use crate::contact::in_frame;
use crate::vector::{add, norm, scale};
use crate::{Assembly, Body, DENSITY, Family, GRAVITY, GeneratedProblem, Known, STEP, SceneError};

/// A unit cube with two faces on the two sides of a groove of 90° along y, whose axis falls by `slope` towards −y. Eight
/// contacts, W singular, loads coupled by the wedge.
///
/// With the slope angle α, each side carries `N = m g h cos α/√2`. The cube sticks while `tan α ≤ √2 μ`; else it slides
/// at `g h (sin α − √2 μ cos α)`. With ρ = min(μ, tan α/√2), friction ρN acts uphill half a metre from the centre of
/// mass, balanced by moving the normal impulse ρ/2 downhill.
pub fn wedge(slope: f64, mu: f64) -> Result<GeneratedProblem, SceneError> {
    if !(slope >= 0.0 && slope.is_finite()) {
        return Err(SceneError::Parameter { name: "slope", value: slope, expected: "zero or a positive number" });
    }
    let mut assembly = Assembly::default();
    let hypotenuse = norm([0.0, slope, 1.0]);
    let (sin, cos) = (slope / hypotenuse, 1.0 / hypotenuse);
    assembly.gravity = [0.0, -GRAVITY * sin, -GRAVITY * cos];
    let s = 0.5f64.sqrt();
    let normals = [[s, 0.0, s], [-s, 0.0, s]];
    let center = [0.0, 0.0, s];
    let axes = [normals[0], [0.0, 1.0, 0.0], [-normals[1][0], 0.0, -normals[1][2]]];
    let cube = assembly.body(Body::cuboid(DENSITY, [0.5; 3], center).with_axes(axes));
    let ratio = mu.min(slope * s);
    let normal_total = DENSITY * GRAVITY * STEP * cos * s;
    let mut impulse = Vec::with_capacity(24);
    for (side, normal) in normals.into_iter().enumerate() {
        let across = normals[1 - side];
        for y in [-0.5, 0.5] {
            for t in [-0.5, 0.5] {
                let point = add(add(center, scale(-0.5, normal)), add(scale(t, across), [0.0, y, 0.0]));
                let frame = assembly.contact([None, Some(cube)], normal, point, 0.0, mu);
                // Mean position −ρ/2 along y: N/4 (1 + 4·(−ρ/2)·y).
                let n = normal_total / 4.0 * (1.0 - 2.0 * ratio * y);
                impulse.extend(in_frame(&frame, add(scale(n, normal), [0.0, ratio * n, 0.0])));
            }
        }
    }
    let impulse = (ratio <= 1.0).then_some(impulse);
    let known = Known { impulse, ..if slope == 0.0 { assembly.known_at_rest() } else { Known::default() } };
    assembly.build(format!("wedge_slope{slope}_mu{mu}"), Family::Wedge, known)
}
