//! A brick wall.

use super::pile::{Pile, PileOptions, Sides};
use crate::vector::add;
use crate::{Body, Family, GeneratedProblem, Known, SceneError};

const HALF: [f64; 3] = [1.0, 0.5, 0.5];

/// Bricks 2×1×1 m in `courses` rows, `width` in even and `width − 1` in odd courses, shifted by half a brick.
///
/// Contacts: `4 width` on the floor, `8 (width − 1)` between courses, and four per pair of neighbours with
/// [`Sides::Included`]. A motionless wall stays at rest: every brick hands its load down through the outermost corners of
/// its support without friction, and every solution rests. The end bricks of even courses have their
/// centre of mass exactly above the edge of their support.
pub fn wall(width: usize, courses: usize, options: &PileOptions) -> Result<GeneratedProblem, SceneError> {
    let pile = bricks(width, courses, options)?;
    let known = pile.known(options.motion);
    pile.assembly.build(format!("wall{width}x{courses}{}", options.suffix()), Family::Wall, known)
}

/// The wall with all its contacts, struck in the middle by a ball of `mass` \[kg\] and radius 0.3 m at `speed` [m/s].
pub fn wall_and_ball(
    width: usize,
    courses: usize,
    mass: f64,
    speed: f64,
    options: &PileOptions,
) -> Result<GeneratedProblem, SceneError> {
    SceneError::positive("mass of the ball", mass)?;
    let options = PileOptions { sides: Sides::Included, ..*options };
    let mut assembly = bricks(width, courses, &options)?.assembly;
    let (brick, radius) = (assembly.bodies().len() / 2, 0.3);
    let point = add(assembly.bodies()[brick].position, [0.2, -HALF[1], 0.1]);
    let center = add(point, [0.0, -radius, 0.0]);
    let velocity = [0.0, speed, 0.0, 0.0, 0.0, 0.0];
    let ball = assembly.body(Body::sphere(mass, radius, center).with_velocity(velocity));
    assembly.contact([Some(ball), Some(brick)], [0.0, 1.0, 0.0], point, 0.0, options.mu);
    assembly.build(format!("wall{width}x{courses}{}_ball", options.suffix()), Family::Wall, Known::default())
}

fn bricks(width: usize, courses: usize, options: &PileOptions) -> Result<Pile, SceneError> {
    SceneError::at_least("width", width, 2, "at least two bricks")?;
    SceneError::at_least("courses", courses, 1, "at least one")?;
    let mut positions = Vec::new();
    for course in 0..courses {
        let odd = course % 2;
        for i in 0..width - odd {
            positions.push([(2 * i + odd) as f64, 0.0, 0.5 + course as f64]);
        }
    }
    Pile::new(HALF, &positions, options)
}
