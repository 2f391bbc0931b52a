//! Violent multi-impact steps, where the central path of Coulomb's law folds: what share each tier certifies.
//!
//! `cargo bench --bench fold_study [-- --save FOLDER]` lets columns of spheres collapse, solves every step
//! warm to 1e-9 m/s, and prints CSV: the share certified by the portfolio without the way around folds and without long
//! sweeps ("before"), and by all of it ("after"), with what other methods make of the steps that "before" leaves. With
//! `--save` those steps are written as problem files.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::print_stderr)]

use signorini_problem::io::ProblemFile;
use signorini_scenes::Collapse;
use signorini_solvers::{Exact, ExactOptions, Folds, Method, Status, StoppingRule, solve};

const STEPS: usize = 200;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let save = arguments.iter().position(|a| a == "--save").map(|i| arguments[i + 1].clone());
    let stop = StoppingRule::velocity(1e-9);
    println!(
        "spheres,mass_ratio,mu,seed,steps_with_contact,certified_before,certified_after,worst_before,worst_after,mean_factorizations,fischer_burmeister_of_left,de_saxce_of_left"
    );
    for (spheres, mass_ratio, mu, seed) in
        [(60, 1.0, 0.4, 1), (60, 1.0, 0.4, 2), (100, 1.0, 0.4, 1), (60, 1000.0, 0.4, 1), (60, 1.0, 0.8, 1)]
    {
        let mut collapse = Collapse::new(spheres, mass_ratio, mu, seed).unwrap();
        let (mut steps, mut before, mut after, mut factorizations) = (0, 0, 0, 0);
        let (mut worst_before, mut worst_after): (f64, f64) = (0.0, 0.0);
        let (mut left, mut by_fischer_burmeister, mut by_de_saxce) = (0, 0, 0);
        for step in 0..STEPS {
            let Some(generated) = collapse.next_problem().unwrap() else {
                collapse.advance(&[]).unwrap();
                continue;
            };
            steps += 1;
            let guess = collapse.warm_start(&generated).unwrap();
            let options = ExactOptions { folds: Folds::Leave, ..ExactOptions::default() };
            let mut plain = Exact::with_options(options);
            let first = solve(&generated.problem, &mut plain, Some(&guess), &stop).unwrap();
            worst_before = worst_before.max(first.certificate.natural);
            let answer = if first.status == Status::Solved {
                before += 1;
                first
            } else {
                left += 1;
                for (method, count) in
                    [(Method::FischerBurmeister, &mut by_fischer_burmeister), (Method::DeSaxce, &mut by_de_saxce)]
                {
                    let other = solve(&generated.problem, method.solver().as_mut(), None, &stop);
                    *count += other.is_ok_and(|s| s.status == Status::Solved) as usize;
                }
                if let Some(folder) = &save {
                    let name = format!("collapse{spheres}_mass{mass_ratio}_mu{mu}_seed{seed}_step{step}");
                    let path = std::path::Path::new(folder).join(format!("{name}.fcp"));
                    ProblemFile::from_problem(&generated.problem, &name).write(&path).unwrap();
                }
                solve(&generated.problem, &mut Exact::default(), Some(&guess), &stop).unwrap()
            };
            after += (answer.status == Status::Solved) as usize;
            worst_after = worst_after.max(answer.certificate.natural);
            factorizations += answer.effort.factorizations;
            collapse.advance(&answer.impulses).unwrap();
        }
        let mean = factorizations as f64 / steps.max(1) as f64;
        println!(
            "{spheres},{mass_ratio},{mu},{seed},{steps},{before},{after},{worst_before:.1e},{worst_after:.1e},{mean:.1},{by_fischer_burmeister}/{left},{by_de_saxce}/{left}"
        );
    }
}
