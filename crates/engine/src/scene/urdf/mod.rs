//! Robots in URDF (<https://wiki.ros.org/urdf/XML>) as scenes.
//!
//! What is rigid comes over exactly: inertia tensors, origins, shapes. A root that is called `world` is the world;
//! any other moves freely. Joints of type `fixed` make one body of their links, `floating` ones tie nothing, `spherical` (or
//! `ball`) ones become ball joints. Every other type is refused by name, as is every element and attribute that is not
//! known. Meshes are taken by their convex hull, on links fixed to the world as they are. How a robot looks
//! (`visual`, `material`) and what belongs to other programs (`transmission`, `gazebo`, `sensor`) is read over.
//!
//! XML is read by `roxmltree` and not by a crate for URDF, because those drop what they do not know and do not say
//! where anything stands. Files are taken to be hostile, as all scenes: [`xml`] says what is limited.

mod assemble;
mod robot;
mod xml;

use super::{Scene, SceneError};
use assemble::{Assembly, assemble};
use robot::Robot;
use std::path::Path;
use xml::Element;

/// Reads and checks a robot; mesh files lie in `folder` or below.
pub(super) fn read(text: &str, folder: Option<&Path>) -> Result<Scene, SceneError> {
    let document = xml::parse(text)?;
    let robot = Robot::read(Element::root(&document))?;
    let assembly = assemble(&robot, folder)?;
    match assembly.scene.build() {
        Ok(_) => Ok(assembly.scene),
        Err(error) => Err(in_element(&assembly, error)),
    }
}

/// An error of the scene, told of the element that its part came from.
fn in_element(assembly: &Assembly, error: SceneError) -> SceneError {
    let part = |list: &str| error.path.strip_prefix(list)?.split_once(']')?.0.parse::<usize>().ok();
    let body = part("bodies[").and_then(|index| assembly.bodies.get(index));
    match body.or_else(|| part("joints[").and_then(|index| assembly.joints.get(index))) {
        Some(element) => element.refuse(error.what),
        None => error,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::assemble::together;
    use super::robot::moved;
    use crate::{MassProperties, Shape};
    use glamx::{DMat3, DPose3, DQuat, DVec3};

    /// m/12 (b² + c²) and so on, for edges a, b, c.
    fn block(mass: f64, [a, b, c]: [f64; 3]) -> MassProperties {
        let moments = DVec3::new(b * b + c * c, a * a + c * c, a * a + b * b) * (mass / 12.0);
        MassProperties { mass, centre: DVec3::ZERO, inertia: DMat3::from_diagonal(moments) }
    }

    fn close(found: &MassProperties, expected: &MassProperties) {
        assert!((found.mass - expected.mass).abs() < 1e-14 * expected.mass);
        assert!((found.centre - expected.centre).length() < 1e-14, "{} {}", found.centre, expected.centre);
        let difference = (found.inertia - expected.inertia).to_cols_array();
        let size = expected.inertia.to_cols_array().iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        assert!(difference.iter().all(|x| x.abs() < 2e-15 * size), "{found:?} {expected:?}");
    }

    #[test]
    fn a_block_in_pieces_is_the_block() {
        // Cut at x = −0.2 into pieces of 0.3 m and 0.7 m, one of them given in axes turned by a quarter about z.
        let whole = block(5.0, [1.0, 0.4, 0.6]);
        let left = DPose3::from_translation(DVec3::new(-0.35, 0.0, 0.0));
        let quarter = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
        let right = DPose3::from_parts(DVec3::new(0.15, 0.0, 0.0), quarter);
        let pieces = [moved(&left, block(1.5, [0.3, 0.4, 0.6])), moved(&right, block(3.5, [0.4, 0.7, 0.6]))];
        close(&together(&pieces).unwrap(), &whole);
    }

    #[test]
    fn a_tensor_turns_with_its_axes() {
        // About the space diagonal by 120°, x goes to y, y to z and z to x.
        let turn = DQuat::from_axis_angle(DVec3::ONE.normalize(), 2.0 * std::f64::consts::FRAC_PI_3);
        let given = block(2.0, [0.1, 0.2, 0.3]);
        let turned = moved(&DPose3::from_parts(DVec3::new(1.0, 2.0, 3.0), turn), given);
        let expected = MassProperties { centre: DVec3::new(1.0, 2.0, 3.0), ..block(2.0, [0.3, 0.1, 0.2]) };
        close(&turned, &expected);
    }

    #[test]
    fn links_put_together_weigh_what_the_compound_weighs() {
        let (ball, rod) = (Shape::sphere(0.2).unwrap(), Shape::cylinder(0.5, 0.05).unwrap());
        let at = DPose3::from_parts(DVec3::new(0.3, -0.1, 0.6), DQuat::from_rotation_x(0.7));
        let compound = Shape::compound(vec![(DPose3::IDENTITY, ball.clone()), (at, rod.clone())]).unwrap();
        let of = |shape: &Shape| shape.mass_properties(800.0).unwrap();
        close(&together(&[of(&ball), moved(&at, of(&rod))]).unwrap(), &of(&compound));
        // One alone is not touched by a rounding.
        assert_eq!(together(&[of(&rod)]), Some(of(&rod)));
        assert_eq!(together(&[]), None);
    }
}
