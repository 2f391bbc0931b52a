//! Regular polygons that stand in for the friction disk, as sets of generators and by their projection.
//!
//! A regular polygon of N sides (N even) is the sum of N/2 segments, one along each direction of its sides:
//!
//! ```text
//! P = { Σ_k σ_k d_k : |σ_k| ≤ ℓ },    ℓ = ρ sin(π/N),    ρ the circumradius
//! ```
//!
//! so a polygon constraint on the friction impulse is a *box* constraint on σ. With ρ = 1 the corners lie on the unit
//! disk (inscribed: too little friction between them, by up to 1 − cos π/N); with ρ = 1/cos(π/N) the sides touch it
//! (circumscribed: too much at the corners, by up to 1/cos(π/N) − 1).

use signorini_problem::math;

/// How many sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sides {
    /// A square.
    Four,
    /// An octagon.
    #[default]
    Eight,
    /// Sixteen sides.
    Sixteen,
}

impl Sides {
    /// The number.
    pub fn count(self) -> usize {
        match self {
            Sides::Four => 4,
            Sides::Eight => 8,
            Sides::Sixteen => 16,
        }
    }

    /// (cos π/N, sin π/N), by halving the angle: square roots are the same bits everywhere.
    fn half_sector(self) -> (f64, f64) {
        let mut cosine = 0.5_f64.sqrt();
        let mut sides = 4;
        while sides < self.count() {
            cosine = ((1.0 + cosine) / 2.0).sqrt();
            sides *= 2;
        }
        (cosine, (1.0 - cosine * cosine).sqrt())
    }
}

/// Inside the disk or around it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fit {
    /// Corners on the circle: never more friction than Coulomb allows.
    #[default]
    Inscribed,
    /// Sides tangent to the circle: never less.
    Circumscribed,
}

/// Where the polygon has its corners.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Orientation {
    /// A corner on the t1 axis. With four sides: the diamond |t1| + |t2| ≤ ρ.
    #[default]
    CornerOnAxis,
    /// A side across the t1 axis. With four sides: the box |t1|, |t2| ≤ ρ/√2.
    SideOnAxis,
}

/// A regular polygon in the tangent plane, for the unit disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrictionPolygon {
    /// Number of sides.
    pub sides: Sides,
    /// Inside or around the disk.
    pub fit: Fit,
    /// How it is turned.
    pub orientation: Orientation,
}

impl FrictionPolygon {
    /// The box of the box-LCP: |t1|, |t2| ≤ 1/√2.
    pub const INSCRIBED_BOX: FrictionPolygon =
        FrictionPolygon { sides: Sides::Four, fit: Fit::Inscribed, orientation: Orientation::SideOnAxis };

    /// Number of generators, N/2.
    pub fn generators(&self) -> usize {
        self.sides.count() / 2
    }

    /// Circumradius ρ over the disk's radius.
    pub fn circumradius(&self) -> f64 {
        match self.fit {
            Fit::Inscribed => 1.0,
            Fit::Circumscribed => 1.0 / self.sides.half_sector().0,
        }
    }

    /// Half the length of a side, ℓ = ρ sin(π/N): the bound of every |σ_k|.
    pub fn half_side(&self) -> f64 {
        self.circumradius() * self.sides.half_sector().1
    }

    /// Largest relative error of the friction bound over all directions: 1 − cos π/N or 1/cos(π/N) − 1.
    pub fn cone_error(&self) -> f64 {
        let cosine = self.sides.half_sector().0;
        match self.fit {
            Fit::Inscribed => 1.0 - cosine,
            Fit::Circumscribed => 1.0 / cosine - 1.0,
        }
    }

    /// Unit vector along generator `k`; sides `k` and `k + N/2` are parallel to it.
    pub fn generator(&self, k: usize) -> [f64; 2] {
        let [c, s] = self.side_normal(k);
        [-s, c]
    }

    /// Outward unit normal of side `k`.
    pub fn side_normal(&self, k: usize) -> [f64; 2] {
        let (c, s) = self.sides.half_sector();
        let mut direction = match self.orientation {
            Orientation::CornerOnAxis => [c, s],
            Orientation::SideOnAxis => [1.0, 0.0],
        };
        // One sector is twice the half angle.
        let (cos, sin) = (c * c - s * s, 2.0 * s * c);
        for _ in 0..k {
            direction = [cos * direction[0] - sin * direction[1], sin * direction[0] + cos * direction[1]];
        }
        direction
    }

    /// The point of `radius · P` nearest to `p`. Written by sides, not by generators: it checks them.
    pub fn project(&self, radius: f64, p: [f64; 2]) -> [f64; 2] {
        let apothem = radius * self.circumradius() * self.sides.half_sector().0;
        let half_side = radius * self.half_side();
        let (mut nearest, mut least, mut inside) = (p, f64::INFINITY, true);
        for k in 0..self.sides.count() {
            let n = self.side_normal(k);
            let along = (-n[1] * p[0] + n[0] * p[1]).max(-half_side).min(half_side);
            inside &= n[0] * p[0] + n[1] * p[1] <= apothem;
            let foot = [apothem * n[0] - along * n[1], apothem * n[1] + along * n[0]];
            let distance = math::powi(foot[0] - p[0], 2) + math::powi(foot[1] - p[1], 2);
            if distance < least {
                (nearest, least) = (foot, distance);
            }
        }
        if inside { p } else { nearest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = FrictionPolygon> {
        [Sides::Four, Sides::Eight, Sides::Sixteen].into_iter().flat_map(|sides| {
            [Fit::Inscribed, Fit::Circumscribed].into_iter().flat_map(move |fit| {
                [Orientation::CornerOnAxis, Orientation::SideOnAxis]
                    .into_iter()
                    .map(move |orientation| FrictionPolygon { sides, fit, orientation })
            })
        })
    }

    #[test]
    fn generators_and_sides_describe_the_same_polygon() {
        // The support of the sum of segments in direction d is ℓ Σ|d·d_k|; of the polygon, max over corners.
        for polygon in all() {
            for i in 0..360 {
                let angle = f64::from(i) * std::f64::consts::PI / 180.0;
                let d = [math::cos(angle), math::sin(angle)];
                let zonotope: f64 = (0..polygon.generators())
                    .map(|k| (d[0] * polygon.generator(k)[0] + d[1] * polygon.generator(k)[1]).abs())
                    .sum::<f64>()
                    * polygon.half_side();
                let far = polygon.project(1.0, [1e9 * d[0], 1e9 * d[1]]);
                let sides = far[0] * d[0] + far[1] * d[1];
                assert!((zonotope - sides).abs() < 1e-6, "{polygon:?} {i}: {zonotope} {sides}");
            }
        }
    }

    #[test]
    fn cone_errors_are_those_of_the_geometry_not_two_percent() {
        let error = |sides, fit| FrictionPolygon { sides, fit, orientation: Orientation::CornerOnAxis }.cone_error();
        for (sides, short, over) in [
            (Sides::Four, 0.292893, 0.414214),
            (Sides::Eight, 0.076120, 0.082392),
            (Sides::Sixteen, 0.019215, 0.019591),
        ] {
            assert!((error(sides, Fit::Inscribed) - short).abs() < 1e-6);
            assert!((error(sides, Fit::Circumscribed) - over).abs() < 1e-6);
        }
    }
}
