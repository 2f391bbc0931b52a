//! `signorini methods`: lists the methods.

use crate::error::InputError;
use crate::output::Output;
use crate::solve::Verdict;
use signorini_solvers::Method;

/// One line per method.
pub fn print(output: &mut Output) -> Result<Verdict, InputError> {
    let width = Method::ALL.iter().map(|method| method.name().len()).max().unwrap_or(0);
    for method in Method::ALL {
        output.line(&format!("{name:<width$}  {summary}", name = method.name(), summary = summary(*method)))?;
    }
    Ok(Verdict::Solved)
}

/// One line on what the method solves and how. The pages in docs/solvers say more.
fn summary(method: Method) -> &'static str {
    match method.name() {
        "exact" => "Coulomb, all laws; tries fast methods first and stops at the first certificate",
        "interior-point" => {
            "Coulomb, all laws; primal-dual Newton on two complementarities, few factorizations at any size"
        }
        "newton" => "Coulomb; proximal Newton on the natural map, quadratic near a regular solution",
        "fischer-burmeister" => "Coulomb; Newton on the smoothed Fischer–Burmeister function of the cone",
        "de-saxce" => "Coulomb; de Saxcé's loop around convex cone programs",
        "nsgs" => "Coulomb; Gauss–Seidel sweeps with an exact solve of each contact",
        "accelerated-nsgs" => "Coulomb; the sweeps of nsgs, extrapolated from the last ones by Anderson's method",
        "block-pgs" => "Coulomb; Gauss–Seidel sweeps in two phases, normal then friction",
        "pgs" => "projected Gauss–Seidel, row by row; cheap sweeps, slow on stacks and mass ratios",
        "active-set" => "frictionless; one contact enters or leaves the working set at a time",
        "block-pivoting" => "frictionless; many contacts change at a time, few factorizations",
        "lemke" => "linear complementarity by complementary pivots; any matrix, small problems",
        "box-lcp" => "approximate friction: a box per contact in place of the cone",
        "socp" => "approximate friction: the convex cone program of the associated law, where slip lifts off",
        name if name.starts_with("polyhedral") && name.ends_with("-outer") => {
            "approximate friction: a pyramid around the cone, with as many sides as the name says"
        }
        name if name.starts_with("polyhedral") => {
            "approximate friction: a pyramid inside the cone, with as many sides as the name says"
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_has_a_line() {
        for method in Method::ALL {
            assert!(!summary(*method).is_empty(), "method {method} lacks its line in method_list.rs");
        }
    }
}
