//! Bytes read as the numbers, shapes and bodies of calls.

use signorini::glamx::{DPose3, DQuat, DVec3};
use signorini::{Body, Material, Shape};

const EXTREME: [f64; 14] =
    [0.0, -0.0, 1e-9, 1e-3, 1e3, 1e6, 1e12, 5e-324, 1e154, 1e300, -1e308, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];

/// The bytes that are left.
pub struct Values<'a>(pub &'a [u8]);

impl Values<'_> {
    pub fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// One of `count`.
    pub fn choice(&mut self, count: u8) -> u8 {
        self.byte().unwrap_or(0) % count
    }

    pub fn bit(&mut self) -> bool {
        self.choice(2) == 1
    }

    /// Most are usable, so that the world lives.
    pub fn number(&mut self) -> f64 {
        match self.byte() {
            None => 0.0,
            Some(byte) => match EXTREME.get(usize::from(byte)) {
                Some(extreme) => *extreme,
                None => (f64::from(byte) - 134.0) / 40.0,
            },
        }
    }

    pub fn positive(&mut self) -> f64 {
        self.number().abs()
    }

    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.number(), self.number(), self.number())
    }

    pub fn turn(&mut self) -> DQuat {
        DQuat::from_scaled_axis(self.vector())
    }

    pub fn pose(&mut self) -> DPose3 {
        DPose3::from_parts(self.vector(), self.turn())
    }

    pub fn material(&mut self) -> Material {
        Material::new(self.positive(), self.positive().min(1.2))
    }

    pub fn shape(&mut self) -> Option<Shape> {
        let shape = match self.byte()? % 8 {
            0 => Shape::sphere(self.positive()),
            1 | 2 => Shape::cuboid(self.vector().abs()),
            3 => Shape::capsule(self.positive(), self.positive()),
            4 => Shape::cylinder(self.positive(), self.positive()),
            5 => Shape::cone(self.positive(), self.positive()),
            6 => Shape::convex_hull(&[0; 6].map(|_| self.vector())),
            _ => {
                let part = Shape::cuboid(self.vector().abs() + DVec3::splat(0.05)).ok()?;
                let places = [0; 2].map(|_| self.pose());
                Shape::compound(places.map(|place| (place, part.clone())).to_vec())
            }
        };
        shape.ok()
    }

    pub fn body(&mut self) -> Option<Body> {
        let kind = self.byte()?;
        let shape = self.shape()?;
        let body = match kind % 8 {
            0 => Body::fixed(shape),
            1 => Body::kinematic(shape).velocity(self.vector()),
            2 => Body::dynamic(shape).mass(self.number()),
            3 => Body::dynamic(shape).density(1000.0 * self.number()),
            _ => Body::dynamic(shape).velocity(self.vector()).angular_velocity(self.vector()),
        };
        let body = body.position(self.vector()).orientation(self.turn()).material(self.material());
        Some(if kind & 0x40 != 0 { body.fast() } else { body })
    }
}
