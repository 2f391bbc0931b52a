//! Residuals of Coulomb's law, for one contact and for many at a time.
//!
//! The law is written once and without branches, so that the compiler can process several contacts in vector registers.
//! Each contact gets the same operations however many are processed together, hence the same bits on every machine.

use super::norms::{AnySize, Length, UsualSize, negative_part};
use super::{Certificate, Residual, Scales, finite_or_infinite, worst};
use crate::{ContactProblem, Law};

/// Relative distance to the cone's surface below which a contact counts as being on it.
const ON_CONE: f64 = 1e-6;
/// Most contacts graded together.
const BATCH: usize = 32;
/// They are taken in groups of so many, the last one filled up with contacts at which nothing happens.
const GROUP: usize = 8;
/// Fewer are graded one by one.
pub(super) const WORTH_A_BATCH: usize = 4;
/// Largest friction coefficient of a usual contact.
const USUAL_FRICTION: f64 = 1e20;
/// Largest scale [1/kg] of a usual contact.
const USUAL_SCALE: f64 = 1e50;
/// Sums of squares in which neither a term nor its product with a scale or a friction coefficient overflows, nor what
/// underflows matters.
pub(super) const USUAL_SQUARES: std::ops::Range<f64> = 1e-100..1e100;

/// A frictional contact. Planar ones have a zero third component.
#[derive(Clone, Copy)]
pub(super) struct Contact {
    pub mu: f64,
    /// w [1/kg].
    pub scale: f64,
    /// Impulse, normal first [N·s].
    pub r: [f64; 3],
    /// Velocity, normal first [m/s].
    pub u: [f64; 3],
}

/// What is wrong with it, each as in [`Certificate`].
#[derive(Clone, Copy)]
struct Findings {
    natural: f64,
    unscaled: f64,
    normal: f64,
    penetration_rate: f64,
    pull: f64,
    outside_cone: f64,
    signorini: f64,
    dissipation_defect: f64,
    creep: f64,
    /// One or zero.
    open: f64,
    /// One or zero.
    stick: f64,
}

impl Contact {
    #[inline(always)]
    fn findings<L: Length>(&self) -> Findings {
        let Contact { mu, scale, r, u } = *self;
        let (friction, slip) = (L::length([r[1], r[2], 0.0]), L::length([u[1], u[2], 0.0]));
        let slack = mu * r[0] - friction;
        let open = is_open(scale, r[0], u[0]);
        let stick = !open & (slack > ON_CONE * mu * r[0]);
        let (natural, unscaled) = (self.natural_map::<L>(scale, slip), self.natural_map::<L>(1.0, slip));
        // Without an impulse there is nothing to scale.
        let none = (r[0] == 0.0) & (friction == 0.0);
        Findings {
            natural,
            unscaled: if none { natural } else { unscaled },
            normal: lesser(scale * r[0], u[0]).abs(),
            penetration_rate: negative_part(u[0]).abs(),
            pull: negative_part(r[0]).abs(),
            outside_cone: negative_part(slack).abs(),
            signorini: (r[0] * u[0]).abs(),
            dissipation_defect: (mu * r[0] * slip + r[1] * u[1] + r[2] * u[2]).abs(),
            creep: if stick { lesser(slip, scale * slack) } else { 0.0 },
            open: if open { 1.0 } else { 0.0 },
            stick: if stick { 1.0 } else { 0.0 },
        }
    }

    /// `‖x − P(x − û)‖` with `x = w r`, `û = u + μ‖u_T‖ n` and P the nearest point of {z_N ≥ 0, ‖z_T‖ ≤ μ z_N}. The
    /// cone is a cone: scaling the impulse by w scales its projection.
    ///
    /// With z = x − û, what decides between the apex and the surface is `z_N + μ‖z_T‖ = x_N − u_N + μ(‖z_T‖ − ‖u_T‖)`.
    /// Written like that, the two large terms μ‖u_T‖ of a fast contact cancel before u_N is lost in them.
    #[inline(always)]
    fn natural_map<L: Length>(&self, scale: f64, slip: f64) -> f64 {
        let Contact { mu, r, u, .. } = *self;
        let x = [scale * r[0], scale * r[1], scale * r[2]];
        let z = [x[0] - u[0] - mu * slip, x[1] - u[1], x[2] - u[2]];
        let t = L::length([z[1], z[2], 0.0]);
        // With μ = 0 the comparison of t alone would take the polar cone {z_N < 0, z_T = 0} for the cone.
        let inside = (z[0] >= 0.0) & (t <= mu * z[0]);
        let along = x[0] - u[0] + mu * (t - slip);
        let polar = along <= 0.0;
        // On the surface: the foot of the perpendicular on the generator (1, μ) in the half-plane spanned by n and z_T.
        let n = along / (1.0 + mu * mu);
        let k = mu * n / t;
        let choose = |shifted: f64, x: f64, foot: f64| {
            let outside = if polar { x } else { foot };
            if inside { shifted } else { outside }
        };
        L::length([
            choose(u[0] + mu * slip, x[0], x[0] - n),
            choose(u[1], x[1], x[1] - k * z[1]),
            choose(u[2], x[2], x[2] - k * z[2]),
        ])
    }
}

/// Of the two complementary sides the larger decides, so that an impulse of round-off size does not close a contact.
#[inline(always)]
pub(super) fn is_open(scale: f64, r_n: f64, u_n: f64) -> bool {
    (scale * r_n <= u_n) | (r_n <= 0.0)
}

/// The smaller of two numbers that are numbers.
#[inline(always)]
pub(super) fn lesser(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

impl Certificate {
    /// One contact, of any size.
    pub(super) fn contact(&mut self, contact: &Contact) -> Residual {
        let found = contact.findings::<AnySize>();
        self.counts.open += found.open as usize;
        self.counts.stick += found.stick as usize;
        self.counts.slip += usize::from(found.open + found.stick == 0.0);
        self.penetration_rate = worst(self.penetration_rate, found.penetration_rate);
        self.pull = worst(self.pull, found.pull);
        self.outside_cone = worst(self.outside_cone, found.outside_cone);
        self.signorini = worst(self.signorini, found.signorini);
        self.dissipation_defect = worst(self.dissipation_defect, found.dissipation_defect);
        self.creep = worst(self.creep, found.creep);
        Residual {
            natural: finite_or_infinite(found.natural),
            unscaled: finite_or_infinite(found.unscaled),
            normal: finite_or_infinite(found.normal),
        }
    }

    /// All of a batch, which are of usual size.
    #[inline(always)]
    pub(super) fn batch(&mut self, batch: &mut Batch, residuals: &mut Vec<Residual>) {
        let count = batch.contacts;
        let padded = count.next_multiple_of(GROUP).min(BATCH);
        let found = &mut batch.found;
        for i in 0..padded {
            let contact = Contact {
                mu: batch.mu[i],
                scale: batch.scale[i],
                r: [batch.r[0][i], batch.r[1][i], batch.r[2][i]],
                u: [batch.u[0][i], batch.u[1][i], batch.u[2][i]],
            };
            let one = contact.findings::<UsualSize>();
            found.natural[i] = one.natural;
            found.unscaled[i] = one.unscaled;
            found.normal[i] = one.normal;
            found.penetration_rate[i] = one.penetration_rate;
            found.pull[i] = one.pull;
            found.outside_cone[i] = one.outside_cone;
            found.signorini[i] = one.signorini;
            found.dissipation_defect[i] = one.dissipation_defect;
            found.creep[i] = one.creep;
            found.open[i] = one.open;
            found.stick[i] = one.stick;
        }
        let open = found.open[..count].iter().filter(|x| **x > 0.0).count();
        let stick = found.stick[..count].iter().filter(|x| **x > 0.0).count();
        self.counts.open += open;
        self.counts.stick += stick;
        self.counts.slip += count - open - stick;
        for (mine, theirs) in [
            (&mut self.penetration_rate, &found.penetration_rate),
            (&mut self.pull, &found.pull),
            (&mut self.outside_cone, &found.outside_cone),
            (&mut self.signorini, &found.signorini),
            (&mut self.dissipation_defect, &found.dissipation_defect),
            (&mut self.creep, &found.creep),
        ] {
            *mine = f64::max(*mine, largest(&theirs[..padded]));
        }
        residuals.extend((0..count).map(|i| Residual {
            natural: found.natural[i],
            unscaled: found.unscaled[i],
            normal: found.normal[i],
        }));
    }
}

/// Largest of numbers that are not negative.
#[inline(always)]
fn largest(values: &[f64]) -> f64 {
    let mut most = [0.0; GROUP];
    for group in values.as_chunks::<GROUP>().0 {
        for i in 0..GROUP {
            most[i] = if group[i] > most[i] { group[i] } else { most[i] };
        }
    }
    most.into_iter().fold(0.0, f64::max)
}

/// Consecutive spatial contacts, component by component.
#[derive(Clone, Debug, Default)]
pub(super) struct Batch {
    contacts: usize,
    mu: [f64; BATCH],
    scale: [f64; BATCH],
    r: [[f64; BATCH]; 3],
    u: [[f64; BATCH]; 3],
    found: Found,
}

/// [`Findings`] of a batch.
#[derive(Clone, Debug, Default)]
struct Found {
    natural: [f64; BATCH],
    unscaled: [f64; BATCH],
    normal: [f64; BATCH],
    penetration_rate: [f64; BATCH],
    pull: [f64; BATCH],
    outside_cone: [f64; BATCH],
    signorini: [f64; BATCH],
    dissipation_defect: [f64; BATCH],
    creep: [f64; BATCH],
    open: [f64; BATCH],
    stick: [f64; BATCH],
}

impl Batch {
    /// Takes the contacts from block `first` on, up to the first that is not spatial or not of usual size. How many.
    #[inline(always)]
    pub(super) fn take(
        &mut self,
        problem: &ContactProblem,
        scales: &mut Scales,
        first: usize,
        r: &[f64],
        u: &[f64],
    ) -> usize {
        self.contacts = 0;
        for (i, block) in problem.blocks()[first..].iter().take(BATCH).enumerate() {
            let Law::Coulomb { mu } = block.law else { break };
            let scale = scales.block(first + i);
            if block.rows != 3 || mu > USUAL_FRICTION || scale > USUAL_SCALE {
                break;
            }
            (self.mu[i], self.scale[i]) = (mu, scale);
            self.contacts += 1;
        }
        let start = problem.offsets()[first];
        let rows = start..start + 3 * self.contacts;
        let (r, u) = (r[rows.clone()].as_chunks::<3>().0, u[rows].as_chunks::<3>().0);
        for (i, (r, u)) in r.iter().zip(u).enumerate() {
            for row in 0..3 {
                self.r[row][i] = r[row];
                self.u[row][i] = u[row];
            }
        }
        for i in self.contacts..self.contacts.next_multiple_of(GROUP).min(BATCH) {
            (self.mu[i], self.scale[i]) = (0.0, 0.0);
            for row in 0..3 {
                (self.r[row][i], self.u[row][i]) = (0.0, 0.0);
            }
        }
        self.contacts
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::random::SplitMix64;
    use crate::{Block, Certifier, Delassus, DenseDelassus, Symmetry};

    /// Contacts in every state, some on the boundary between two, some planar, and a joint among them.
    fn problem() -> (ContactProblem, Vec<f64>) {
        let mut seed = SplitMix64::new(3);
        let mut number = || seed.uniform(-1.0, 1.0);
        let (mut blocks, mut r, mut u) = (Vec::new(), Vec::new(), Vec::new());
        for k in 0..200 {
            let mu = [0.0, 0.3, 1.0, 50.0][k % 4];
            let friction = [mu, -mu, 0.5 * mu, 2.0 * mu][k / 4 % 4];
            let normal = [0.0, 1.0, number(), 1e-9][k / 16 % 4];
            let velocity = [[0.0; 3], [number(), 0.0, 0.0], [0.0, number(), number()], [number(), number(), number()]];
            blocks.push(Block::contact(mu));
            r.extend([normal, friction * normal * 0.6, friction * normal * 0.8]);
            u.extend(velocity[k / 64 % 4]);
            if k % 67 == 66 {
                blocks.push(Block::joint(1));
                r.push(number());
                u.push(number());
            }
        }
        let n = r.len();
        let mut w = vec![0.0; n * n];
        (0..n).for_each(|i| w[i * n + i] = 0.5);
        let q = u.iter().zip(&r).map(|(u, r)| u - 0.5 * r).collect();
        let delassus = Delassus::Dense(DenseDelassus::new(n, w));
        (ContactProblem::new(blocks, delassus, q, Symmetry::Exact).unwrap(), r)
    }

    #[test]
    fn contacts_graded_together_are_graded_as_one_by_one() {
        let (problem, r) = problem();
        let mut certifier = Certifier::default();
        let together = certifier.certify(&problem, &r).unwrap();
        let residuals = certifier.residuals.clone();
        let mut alone = Certificate { counts: super::super::Counts::default(), ..together };
        let maxima = |c: &mut Certificate| {
            [c.penetration_rate, c.pull, c.outside_cone, c.signorini, c.dissipation_defect, c.creep]
        };
        let expected = maxima(&mut alone);
        (alone.penetration_rate, alone.pull, alone.outside_cone) = (0.0, 0.0, 0.0);
        (alone.signorini, alone.dissipation_defect, alone.creep) = (0.0, 0.0, 0.0);
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-15 * a.abs().max(b.abs()).max(1.0);
        for (c, together) in residuals.iter().enumerate() {
            let range = problem.range(c);
            let u = &certifier.velocity()[range.clone()];
            let one = alone.grade(&problem.blocks()[c].law, problem.scales()[c], &r[range], u);
            assert!(close(one.natural, together.natural), "block {c}: {one:?}, {together:?}");
            assert!(close(one.unscaled, together.unscaled), "block {c}: {one:?}, {together:?}");
            assert!(close(one.normal, together.normal), "block {c}: {one:?}, {together:?}");
        }
        assert_eq!(residuals.len(), problem.blocks().len());
        assert_eq!(alone.counts, together.counts);
        assert!(alone.counts.open > 10 && alone.counts.slip > 10 && alone.counts.stick > 10, "{:?}", alone.counts);
        for (alone, together) in maxima(&mut alone).into_iter().zip(expected) {
            assert!(together > 0.0 && close(alone, together), "{alone} alone, {together} together");
        }
    }
}
