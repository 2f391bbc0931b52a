//! Complementarity conditions of one block on the central path: their products, the linearisation `dr = c − K dy`, and
//! the longest step that stays inside the cones.

use crate::merit::triple;
use signorini_problem::{Block, Law};

/// Relative distance to the surface of a cone that is certainly more than round-off \[1\].
const WELL: f64 = 1e-10;

/// The complementarity conditions of a block on the path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Complementarity {
    /// `u = 0` by a proximal term.
    Joint,
    /// `r ⊥ u`, one row.
    Normal,
    /// A contact without friction: the normal pair, tangential impulse zero.
    Frictionless,
    /// Both pairs.
    Frictional { mu: f64 },
    /// The second pair alone, for a moment instead of friction. Its point repeats the normal row of its contact.
    Moment { mu: f64 },
    /// Bounded below, above, or both.
    Interval { lo: f64, hi: f64 },
    /// `lo = hi`: nothing to solve.
    Fixed,
}

impl Complementarity {
    pub(super) fn new(block: &Block) -> Complementarity {
        match block.law {
            Law::Equality => Complementarity::Joint,
            Law::NonNegative => Complementarity::Normal,
            Law::Interval { lo, hi } if lo == hi => Complementarity::Fixed,
            Law::Interval { lo, hi } if lo.is_infinite() && hi.is_infinite() => Complementarity::Joint,
            Law::Interval { lo, hi } => Complementarity::Interval { lo, hi },
            Law::Coulomb { mu: 0.0 } => Complementarity::Frictionless,
            Law::Coulomb { mu } => Complementarity::Frictional { mu },
            Law::Rolling { mu, .. } => Complementarity::new(&Block { law: Law::Coulomb { mu }, rows: 3 }),
        }
    }

    /// Number of products driven to t.
    pub(super) fn products(&self) -> usize {
        match self {
            Complementarity::Joint | Complementarity::Fixed => 0,
            Complementarity::Normal | Complementarity::Frictionless | Complementarity::Moment { .. } => 1,
            Complementarity::Frictional { .. } => 2,
            Complementarity::Interval { lo, hi } => lo.is_finite() as usize + hi.is_finite() as usize,
        }
    }
}

/// The iterate of a block: impulse, slack velocity, and extra slacks (λ, or the two sides of an interval).
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub r: [f64; 3],
    pub y: [f64; 3],
    /// λ of a frictional contact [m/s]; slack at `lo` of an interval.
    pub extra: f64,
    /// Slack at `hi` of an interval.
    pub extra_hi: f64,
}

/// The linear model of a block: `dr = c − K dy`, and what the extra slacks follow from.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Model {
    pub k: [[f64; 3]; 3],
    tangential: Tangential,
    /// Right-hand sides of the products: normal (or `lo`), cone scalar (or `hi`), cone vector.
    pub rhs: [f64; 4],
}

/// A direction of one block.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Direction {
    pub dr: [f64; 3],
    pub dy: [f64; 3],
    pub dextra: f64,
    pub dextra_hi: f64,
}

impl Point {
    #[inline(always)]
    pub(super) fn read(r: &[f64], y: &[f64], extra: f64, extra_hi: f64) -> Point {
        match (r, y) {
            ([n, t, s], [m, v, w]) => Point { r: [*n, *t, *s], y: [*m, *v, *w], extra, extra_hi },
            ([n], [m]) => Point { r: [*n, 0.0, 0.0], y: [*m, 0.0, 0.0], extra, extra_hi },
            _ => Point { r: triple(r), y: triple(y), extra, extra_hi },
        }
    }

    #[inline]
    pub(super) fn moved(&self, d: &Direction, a: f64) -> Point {
        Point {
            r: [self.r[0] + a * d.dr[0], self.r[1] + a * d.dr[1], self.r[2] + a * d.dr[2]],
            y: [self.y[0] + a * d.dy[0], self.y[1] + a * d.dy[1], self.y[2] + a * d.dy[2]],
            extra: self.extra + a * d.dextra,
            extra_hi: self.extra_hi + a * d.dextra_hi,
        }
    }

    /// Sum of the products \[J\].
    #[inline]
    pub(super) fn gap(&self, condition: &Complementarity) -> f64 {
        match *condition {
            Complementarity::Joint | Complementarity::Fixed => 0.0,
            Complementarity::Normal | Complementarity::Frictionless => self.r[0] * self.y[0],
            Complementarity::Frictional { mu } => {
                self.r[0] * self.y[0] + mu * self.r[0] * self.extra + self.r[1] * self.y[1] + self.r[2] * self.y[2]
            }
            Complementarity::Moment { mu } => {
                mu * self.r[0] * self.extra + self.r[1] * self.y[1] + self.r[2] * self.y[2]
            }
            Complementarity::Interval { lo, hi } => {
                let low = if lo.is_finite() { (self.r[0] - lo) * self.extra } else { 0.0 };
                let high = if hi.is_finite() { (hi - self.r[0]) * self.extra_hi } else { 0.0 };
                low + high
            }
        }
    }

    /// Right-hand sides that send every product to `target`, with the second-order term of `previous` if given.
    pub(super) fn right_hand_side(
        &self,
        condition: &Complementarity,
        target: f64,
        previous: Option<&Direction>,
    ) -> [f64; 4] {
        let (r, y) = (&self.r, &self.y);
        match *condition {
            Complementarity::Joint | Complementarity::Fixed => [0.0; 4],
            Complementarity::Normal | Complementarity::Frictionless => {
                let second = previous.map_or(0.0, |d| d.dr[0] * d.dy[0]);
                [target - r[0] * y[0] - second, 0.0, 0.0, 0.0]
            }
            Complementarity::Frictional { mu } | Complementarity::Moment { mu } => {
                let x0 = mu * r[0];
                let mut rhs = [
                    target - r[0] * y[0],
                    target - (x0 * self.extra + r[1] * y[1] + r[2] * y[2]),
                    -(x0 * y[1] + self.extra * r[1]),
                    -(x0 * y[2] + self.extra * r[2]),
                ];
                if let Some(d) = previous {
                    let second = d.product(condition, d);
                    for i in 0..4 {
                        rhs[i] -= second[i];
                    }
                }
                rhs
            }
            Complementarity::Interval { lo, hi } => {
                let mut rhs = [0.0; 4];
                if lo.is_finite() {
                    rhs[0] = target - (r[0] - lo) * self.extra - previous.map_or(0.0, |d| d.dr[0] * d.dextra);
                }
                if hi.is_finite() {
                    rhs[1] = target - (hi - r[0]) * self.extra_hi + previous.map_or(0.0, |d| d.dr[0] * d.dextra_hi);
                }
                rhs
            }
        }
    }

    /// The linearised products; a joint's are set by the path.
    pub(super) fn linearise(&self, condition: &Complementarity) -> Model {
        let mut model = Model::default();
        let k = &mut model.k;
        match *condition {
            Complementarity::Fixed | Complementarity::Joint => {}
            Complementarity::Normal | Complementarity::Frictionless => k[0][0] = self.r[0] / self.y[0],
            Complementarity::Frictional { mu } | Complementarity::Moment { mu } => {
                model.tangential = Tangential::new(self, mu);
                let parts = &model.tangential;
                k[0][0] = self.r[0] / self.y[0];
                let coupling = parts.inverse(parts.normal);
                let columns = [parts.inverse([parts.d[0], parts.d[1]]), parts.inverse([parts.d[1], parts.d[2]])];
                for i in 0..2 {
                    k[1 + i][0] = -coupling[i] * k[0][0];
                    k[1 + i][1] = columns[0][i];
                    k[1 + i][2] = columns[1][i];
                }
            }
            Complementarity::Interval { lo, hi } => {
                let mut stiffness = 0.0;
                if lo.is_finite() {
                    stiffness += self.extra / (self.r[0] - lo);
                }
                if hi.is_finite() {
                    stiffness += self.extra_hi / (hi - self.r[0]);
                }
                k[0][0] = 1.0 / stiffness;
            }
        }
        model
    }

    /// c of `dr = c − K dy` for the right-hand sides of the model.
    #[inline]
    pub(super) fn offset(&self, condition: &Complementarity, model: &Model) -> [f64; 3] {
        let rhs = &model.rhs;
        match *condition {
            Complementarity::Fixed | Complementarity::Joint => [0.0; 3],
            Complementarity::Normal | Complementarity::Frictionless => [rhs[0] / self.y[0], 0.0, 0.0],
            Complementarity::Frictional { .. } | Complementarity::Moment { .. } => {
                let parts = &model.tangential;
                let dr_n = rhs[0] / self.y[0];
                let scaled = rhs[1] * parts.inverse_x0;
                let t = parts.inverse([
                    rhs[2] - self.r[1] * scaled - parts.normal[0] * dr_n,
                    rhs[3] - self.r[2] * scaled - parts.normal[1] * dr_n,
                ]);
                [dr_n, t[0], t[1]]
            }
            // y = y_lo − y_hi; each side gives dy_lo = (rhs_lo − y_lo dr)/(r − lo), dy_hi = (rhs_hi + y_hi dr)/(hi − r).
            Complementarity::Interval { lo, hi } => {
                let mut push = 0.0;
                if lo.is_finite() {
                    push += rhs[0] / (self.r[0] - lo);
                }
                if hi.is_finite() {
                    push -= rhs[1] / (hi - self.r[0]);
                }
                [model.k[0][0] * push, 0.0, 0.0]
            }
        }
    }

    /// The extra slacks' part of a direction whose `dr`, `dy` are known.
    #[inline]
    pub(super) fn complete(&self, condition: &Complementarity, model: &Model, d: &mut Direction) {
        let rhs = &model.rhs;
        match *condition {
            Complementarity::Frictional { mu } | Complementarity::Moment { mu } => {
                d.dextra = (rhs[1]
                    - mu * self.extra * d.dr[0]
                    - self.y[1] * d.dr[1]
                    - self.y[2] * d.dr[2]
                    - self.r[1] * d.dy[1]
                    - self.r[2] * d.dy[2])
                    * model.tangential.inverse_x0;
            }
            Complementarity::Interval { lo, hi } => {
                if lo.is_finite() {
                    d.dextra = (rhs[0] - self.extra * d.dr[0]) / (self.r[0] - lo);
                }
                if hi.is_finite() {
                    d.dextra_hi = (rhs[1] + self.extra_hi * d.dr[0]) / (hi - self.r[0]);
                }
            }
            Complementarity::Joint
            | Complementarity::Fixed
            | Complementarity::Normal
            | Complementarity::Frictionless => {}
        }
    }

    /// The longest step up to `most` that keeps the block inside its cones.
    pub(super) fn longest_step(&self, condition: &Complementarity, d: &Direction, most: f64) -> f64 {
        let longest = match *condition {
            Complementarity::Joint | Complementarity::Fixed => f64::INFINITY,
            Complementarity::Normal | Complementarity::Frictionless => {
                f64::min(to_zero(self.r[0], d.dr[0]), to_zero(self.y[0], d.dy[0]))
            }
            Complementarity::Frictional { mu } | Complementarity::Moment { mu } => {
                if self.moved(d, most).is_well_inside(mu) {
                    return most;
                }
                let pair = f64::min(to_zero(self.r[0], d.dr[0]), to_zero(self.y[0], d.dy[0]));
                let x = [mu * self.r[0], self.r[1], self.r[2]];
                let dx = [mu * d.dr[0], d.dr[1], d.dr[2]];
                let yy = [self.extra, self.y[1], self.y[2]];
                let dyy = [d.dextra, d.dy[1], d.dy[2]];
                pair.min(to_cone_surface(&x, &dx)).min(to_cone_surface(&yy, &dyy))
            }
            Complementarity::Interval { lo, hi } => {
                let mut step = f64::INFINITY;
                if lo.is_finite() {
                    step = step.min(to_zero(self.r[0] - lo, d.dr[0])).min(to_zero(self.extra, d.dextra));
                }
                if hi.is_finite() {
                    step = step.min(to_zero(hi - self.r[0], -d.dr[0])).min(to_zero(self.extra_hi, d.dextra_hi));
                }
                step
            }
        };
        longest.min(most)
    }

    /// Whether a contact with friction is inside its cones by more than round-off. Then the whole step to that point is
    /// inside, because cones are convex. False if anything is infinite.
    #[inline]
    fn is_well_inside(&self, mu: f64) -> bool {
        let (x, y) = (mu * self.r[0], self.extra);
        let (friction, slip) =
            (self.r[1] * self.r[1] + self.r[2] * self.r[2], self.y[1] * self.y[1] + self.y[2] * self.y[2]);
        let positive = (x > 0.0) & (self.y[0] > 0.0) & (y > 0.0);
        positive & (x * x - friction > WELL * (x * x)) & (y * y - slip > WELL * (y * y))
    }
}

/// The 2×2 tangential system left after eliminating dr_N and dλ:
/// `T dr_T = b − N dr_N − D dy_T` with `T = λI − r_T y_Tᵀ/x₀`, `N = μ y_T − (λ/r_N) r_T`, `D = x₀I − r_T r_Tᵀ/x₀`, `x₀ = μ r_N`.
#[derive(Clone, Copy, Debug, Default)]
struct Tangential {
    inverse_x0: f64,
    t: [f64; 4],
    inverse_determinant: f64,
    normal: [f64; 2],
    /// D by its entries (1,1), (1,2), (2,2).
    d: [f64; 3],
}

impl Tangential {
    fn new(p: &Point, mu: f64) -> Tangential {
        let (rn, r1, r2, y1, y2, lambda) = (p.r[0], p.r[1], p.r[2], p.y[1], p.y[2], p.extra);
        let x0 = mu * rn;
        let inverse_x0 = 1.0 / x0;
        let (s1, s2) = (r1 * inverse_x0, r2 * inverse_x0);
        Tangential {
            inverse_x0,
            t: [lambda - s1 * y1, -s1 * y2, -s2 * y1, lambda - s2 * y2],
            // Expanded, so that nothing cancels but the cone's own margin.
            inverse_determinant: 1.0 / (lambda * (lambda - (s1 * y1 + s2 * y2))),
            normal: [mu * (y1 - lambda * s1), mu * (y2 - lambda * s2)],
            d: [x0 - s1 * r1, -s1 * r2, x0 - s2 * r2],
        }
    }

    /// `T⁻¹ b`.
    fn inverse(&self, b: [f64; 2]) -> [f64; 2] {
        [
            (self.t[3] * b[0] - self.t[1] * b[1]) * self.inverse_determinant,
            (self.t[0] * b[1] - self.t[2] * b[0]) * self.inverse_determinant,
        ]
    }
}

/// Step at which `x + a d` reaches zero.
fn to_zero(x: f64, d: f64) -> f64 {
    if d < 0.0 { -x / d } else { f64::INFINITY }
}

/// Step at which `x + a d` leaves the second-order cone {x₀ ≥ ‖x_T‖}.
fn to_cone_surface(x: &[f64; 3], d: &[f64; 3]) -> f64 {
    let norm = (x[1] * x[1] + x[2] * x[2]).sqrt();
    let a = d[0] * d[0] - d[1] * d[1] - d[2] * d[2];
    let b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2];
    let c = f64::max((x[0] - norm) * (x[0] + norm), f64::MIN_POSITIVE);
    let mut step = to_zero(x[0], d[0]);
    let discriminant = b * b - a * c;
    if discriminant >= 0.0 {
        // Roots of a s² + 2 b s + c without cancellation.
        let root = discriminant.sqrt();
        let q = -(b + if b >= 0.0 { root } else { -root });
        for s in [q / a, c / q] {
            if s > 0.0 && s < step {
                step = s;
            }
        }
    }
    step
}

impl Direction {
    /// The products of the impulses of one direction with the velocities of another: normal (or `lo`), cone scalar (or
    /// `hi`), cone vector.
    pub(super) fn product(&self, condition: &Complementarity, other: &Direction) -> [f64; 4] {
        let (dr, dy) = (&self.dr, &other.dy);
        match *condition {
            Complementarity::Joint | Complementarity::Fixed => [0.0; 4],
            Complementarity::Normal | Complementarity::Frictionless => [dr[0] * dy[0], 0.0, 0.0, 0.0],
            Complementarity::Frictional { mu } | Complementarity::Moment { mu } => {
                let dx0 = mu * dr[0];
                [
                    dr[0] * dy[0],
                    dx0 * other.dextra + dr[1] * dy[1] + dr[2] * dy[2],
                    dx0 * dy[1] + other.dextra * dr[1],
                    dx0 * dy[2] + other.dextra * dr[2],
                ]
            }
            Complementarity::Interval { .. } => [dr[0] * other.dextra, -dr[0] * other.dextra_hi, 0.0, 0.0],
        }
    }

    pub(super) fn scale(&mut self, factor: f64) {
        let zero = Direction::default();
        let old = *self;
        *self = zero;
        self.add(&old, factor);
    }

    pub(super) fn add(&mut self, other: &Direction, factor: f64) {
        for i in 0..3 {
            self.dr[i] += factor * other.dr[i];
            self.dy[i] += factor * other.dy[i];
        }
        self.dextra += factor * other.dextra;
        self.dextra_hi += factor * other.dextra_hi;
    }
}
