//! Canonical impulses: of all impulses with the same effect on every body, those with the least self-stress.
//!
//! Redundant contacts at rest can share a load in many ways. With J the rows of the contacts, r₀ any answer and K the
//! cones, the problem
//!
//! ```text
//! min ½ Σ (r_N² + ω |r_T|²)   over r ∈ K with Jᵀ r = Jᵀ r₀
//! ```
//!
//! has one answer: least friction first (ω is large), then the most even normal forces. Its dual is without constraints and
//! smooth, `min_y Σ ½|P(J y)|² − r₀·J y` with P the projection on the cone in the metric of ω, and r = P(J y). It is minimised by
//! Newton's method with a line search. With G the derivative of P and f = r − r₀ a step is
//!
//! ```text
//! dy = −ρ M⁻¹Jᵀ (I + ρ G W)⁻¹ f,        W = J M⁻¹Jᵀ
//! ```
//!
//! at the cost of one factorization over the body graph. If no cone is active the first step is exact. The damping 1/ρ
//! is for directions that no contact holds. Compliant rows share a load by their stiffness, so their impulses are
//! unique: with `W = J M⁻¹Jᵀ + C` the answer also has `C r = C r₀`, and these rows keep their impulses.

use crate::newton_system::{NewtonSystem, Refinement};
use signorini_problem::math;
use signorini_problem::{ContactProblem, Delassus, Law};

/// ω, weight of friction against normal impulses \[1\].
const FRICTION_WEIGHT: f64 = 1e4;
/// 1/ρ as a share of W \[1\].
const DAMPING: f64 = 1e-11;
/// Most Newton steps.
const MAX_STEPS: usize = 60;
/// Most halvings of a step.
const MAX_HALVINGS: usize = 30;
/// Share of the decrease that the slope promises which a step has to bring \[1\].
const ARMIJO: f64 = 1e-4;
/// What the impulses do to the bodies has to agree to this share of the largest \[1\].
const AGREEMENT: f64 = 1e-10;
/// Share of the last defect from which it gets no better \[1\].
const STALLED: f64 = 0.25;
/// Most steps whose decrease cannot be told from round-off.
const MOST_BLIND: usize = 5;

/// What a block may carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// What its cone allows.
    Cone,
    /// The normal impulse that it carries, and friction within that.
    GivenNormal,
    /// What it carries, as it is.
    Given,
}

/// The method and its buffers.
#[derive(Clone, Debug, Default)]
pub struct LeastStress {
    system: NewtonSystem,
    /// J y \[N·s\].
    v: Vec<f64>,
    /// J dy.
    dv: Vec<f64>,
    trial: Vec<f64>,
    r: Vec<f64>,
    f: Vec<f64>,
    x: Vec<f64>,
    product: Vec<f64>,
}

impl LeastStress {
    /// Replaces impulses of contacts by those with the least self-stress; false, and nothing changed, if they were not found.
    /// Only for problems over bodies.
    pub fn relax(&mut self, problem: &ContactProblem, supports: &[Support], impulses: &mut [f64]) -> bool {
        let n = problem.rows();
        let over_bodies = matches!(problem.delassus(), Delassus::Factored(_));
        if !over_bodies || supports.len() != problem.blocks().len() || impulses.len() != n {
            return false;
        }
        let LeastStress { system, v, dv, trial, r, f, x, product } = self;
        for buffer in [&mut *v, &mut *dv, &mut *trial, &mut *r, &mut *f, &mut *x, &mut *product] {
            buffer.clear();
            buffer.resize(n, 0.0);
        }
        let scale = problem.scales().iter().sum::<f64>() / problem.scales().len().max(1) as f64;
        let rho = 1.0 / (DAMPING * scale.max(f64::MIN_POSITIVE));
        let largest = impulses.iter().fold(0.0, |most: f64, r| most.max(r.abs()));
        system.prepare(problem);
        let evaluate = |v: &[f64], r: &mut [f64], mut k: Option<&mut NewtonSystem>| {
            let mut dual = 0.0;
            for (c, block) in problem.blocks().iter().enumerate() {
                let range = problem.range(c);
                let derivative = k.as_deref_mut().map(|system| system.k_mut(c));
                let rows = (&v[range.clone()], &impulses[range.clone()]);
                dual += carried(&block.law, supports[c], rows, &mut r[range], derivative);
            }
            dual - impulses.iter().zip(v).map(|(r, v)| r * v).sum::<f64>()
        };
        let mut dual = evaluate(v, r, Some(system));
        let (mut last, mut blind) = (f64::INFINITY, 0);
        for _ in 0..MAX_STEPS {
            f.iter_mut().zip(&*r).zip(&*impulses).for_each(|((f, r), given)| *f = r - given);
            system.apply_w(problem, f, product);
            let defect = product.iter().fold(0.0, |most: f64, u| most.max(u.abs()));
            let near = defect <= AGREEMENT * scale * largest;
            // Down to round-off: friction is read from what the bodies are left with, times ω.
            if near && defect >= STALLED * last {
                impulses.copy_from_slice(r);
                return true;
            }
            last = defect;
            for c in 0..supports.len() {
                system.k_mut(c).iter_mut().for_each(|k| *k *= rho);
            }
            if system.factor_once(problem).is_err() {
                return false;
            }
            system.solve(problem, f, x, product, Refinement::NONE);
            // J dy, from the velocities of the bodies: nothing that no motion makes.
            dv.iter_mut().zip(&*product).for_each(|(dv, w_x)| *dv = -rho * w_x);
            let slope: f64 = f.iter().zip(&*dv).map(|(f, dv)| f * dv).sum();
            let (mut length, mut found) = (1.0, near);
            let mut reached = dual;
            for _ in 0..MAX_HALVINGS {
                trial.iter_mut().zip(&*v).zip(&*dv).for_each(|((trial, v), dv)| *trial = v + length * dv);
                reached = evaluate(trial, r, Some(system));
                found |= reached <= dual + ARMIJO * length * slope;
                if found {
                    break;
                }
                length *= 0.5;
            }
            if !found {
                // The decrease is below the round-off of the dual: the full step is as good as any.
                blind += 1;
                if blind > MOST_BLIND {
                    return false;
                }
                trial.iter_mut().zip(&*v).zip(&*dv).for_each(|((trial, v), dv)| *trial = v + dv);
                reached = evaluate(trial, r, Some(system));
            }
            dual = reached;
            v.copy_from_slice(trial);
        }
        false
    }
}

/// r = P(v) of a block and, if asked for, ∂r/∂v; returns its part of the dual, v·r − ½(r_N² + ω|r_T|²).
fn carried(
    law: &Law,
    support: Support,
    (v, given): (&[f64], &[f64]),
    r: &mut [f64],
    mut derivative: Option<&mut [f64]>,
) -> f64 {
    if let Some(k) = derivative.as_deref_mut() {
        k.fill(0.0);
    }
    let friction = match law {
        Law::Coulomb { mu } if r.len() == 3 => *mu,
        Law::NonNegative => 0.0,
        _ => return keep(v, given, r),
    };
    if support == Support::Given {
        return keep(v, given, r);
    }
    let root = FRICTION_WEIGHT.sqrt();
    // Scaled by the square root of the weights, where P is the nearest point: s = S⁻¹v, r = S⁻¹P(s), ∂r/∂v = S⁻¹GS⁻¹.
    let tangent = if r.len() == 3 { [v[1] / root, v[2] / root] } else { [0.0; 2] };
    let slip = math::hypot(tangent[0], tangent[1]);
    let unit = if slip > 0.0 { [tangent[0] / slip, tangent[1] / slip] } else { [0.0; 2] };
    let slope = friction * root;
    let normal = if support == Support::GivenNormal { given[0] } else { v[0] };
    // Nearest normal part, and how long the tangential part is.
    let (nearest, length, inside) = if support == Support::GivenNormal {
        (normal, slip.min(slope * normal), slip <= slope * normal)
    } else if slip <= slope * normal {
        (normal, slip, true)
    } else if slope * slip <= -normal {
        (0.0, 0.0, false)
    } else {
        let nearest = (normal + slope * slip) / (1.0 + slope * slope);
        (nearest, slope * nearest, false)
    };
    r[0] = nearest;
    if r.len() == 3 {
        r[1] = length * unit[0] / root;
        r[2] = length * unit[1] / root;
    }
    if let Some(k) = derivative {
        let rows = r.len();
        // G = [a, b ŝᵀ; b ŝ, c ŝŝᵀ + d (I − ŝŝᵀ)].
        let cone = 1.0 / (1.0 + slope * slope);
        let (a, b, c, d) = match support {
            Support::GivenNormal if inside => (0.0, 0.0, 1.0, 1.0),
            Support::GivenNormal => (0.0, 0.0, 0.0, length / slip.max(f64::MIN_POSITIVE)),
            _ if inside => (1.0, 0.0, 1.0, 1.0),
            _ if nearest == 0.0 => (0.0, 0.0, 0.0, 0.0),
            _ => (cone, cone * slope, cone * slope * slope, length / slip),
        };
        k[0] = a;
        if rows == 3 {
            for i in 0..2 {
                (k[1 + i], k[3 * (1 + i)]) = (b * unit[i] / root, b * unit[i] / root);
                for j in 0..2 {
                    let identity = if i == j { 1.0 } else { 0.0 };
                    k[3 * (1 + i) + 1 + j] = (d * identity + (c - d) * (unit[i] * unit[j])) / FRICTION_WEIGHT;
                }
            }
        }
    }
    let own = if support == Support::GivenNormal { 0.0 } else { nearest * nearest };
    v.iter().zip(&*r).map(|(v, r)| v * r).sum::<f64>() - 0.5 * (own + length * length)
}

fn keep(v: &[f64], given: &[f64], r: &mut [f64]) -> f64 {
    r.copy_from_slice(given);
    v.iter().zip(given).map(|(v, r)| v * r).sum()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use signorini_problem::{Block, FactoredDelassus, Symmetry};

    /// A unit mass on three points along x at −1, 0 and `far`, with normal z and friction 0.5.
    fn three_points(far: f64) -> ContactProblem {
        let mut mass = [[0.0; 6]; 6];
        for (i, row) in mass.iter_mut().enumerate() {
            row[i] = 1.0;
        }
        let mut rows = Vec::new();
        for x in [-1.0, 0.0, far] {
            // Directions z, x, y; moments x e_x × d.
            let row = |d: [f64; 3], moment: [f64; 3]| {
                let mut row = [0.0; 12];
                row[..3].copy_from_slice(&d);
                row[3..6].copy_from_slice(&moment);
                row
            };
            rows.push(row([0.0, 0.0, 1.0], [0.0, -x, 0.0]));
            rows.push(row([1.0, 0.0, 0.0], [0.0; 3]));
            rows.push(row([0.0, 1.0, 0.0], [0.0, 0.0, x]));
        }
        let delassus = FactoredDelassus::new(vec![mass], vec![[Some(0), None]; 3], rows);
        let blocks = vec![Block::contact(0.5); 3];
        ContactProblem::new(blocks, Delassus::Factored(delassus), vec![0.0; 9], Symmetry::Exact).unwrap()
    }

    #[test]
    fn an_even_load_is_shared_evenly_and_friction_goes() {
        // 6 N·s above the middle, and friction that cancels out.
        let mut r = [1.0, 0.5, 0.2, 4.0, -0.3, -0.4, 1.0, -0.2, 0.2];
        assert!(LeastStress::default().relax(&three_points(1.0), &[Support::Cone; 3], &mut r));
        for (r, expected) in r.iter().zip([2.0, 0.0, 0.0, 2.0, 0.0, 0.0, 2.0, 0.0, 0.0]) {
            assert!((r - expected).abs() < 1e-12, "{r} {expected}");
        }
    }

    #[test]
    fn what_cannot_pull_carries_nothing() {
        // 4 N·s at x = −0.9: without the cone, −0.1 N·s at the far point; with it 3.6 and 0.4.
        let mut r = [3.6, 0.2, 0.0, 0.4, -0.2, 0.0, 0.0, 0.0, 0.0];
        assert!(LeastStress::default().relax(&three_points(1.0), &[Support::Cone; 3], &mut r));
        for (r, expected) in r.iter().zip([3.6, 0.0, 0.0, 0.4, 0.0, 0.0, 0.0, 0.0, 0.0]) {
            assert!((r - expected).abs() < 1e-9, "{r} {expected}");
        }
    }

    #[test]
    fn given_parts_stay() {
        let given = [1.0, 0.5, 0.0, 4.0, -0.5, 0.0, 1.0, 0.0, 0.0];
        let mut r = given;
        assert!(LeastStress::default().relax(&three_points(1.0), &[Support::Given; 3], &mut r));
        assert_eq!(r, given);
        assert!(LeastStress::default().relax(&three_points(1.0), &[Support::GivenNormal; 3], &mut r));
        for (r, expected) in r.iter().zip([1.0, 0.0, 0.0, 4.0, 0.0, 0.0, 1.0, 0.0, 0.0]) {
            assert!((r - expected).abs() < 1e-12, "{r} {expected}");
        }
    }
}
