#![allow(missing_docs, clippy::all, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]
use signorini_problem::io::ProblemFile;
use signorini_problem::*;
use signorini_solvers::*;
fn cpu() -> f64 {
    let s = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    s.split(' ').next().unwrap().parse::<f64>().unwrap() * 1e-9
}
fn main() {
    let mut args = std::env::args().skip(1);
    let methods: Vec<Method> = args.next().unwrap().split(',').map(|m| m.parse().unwrap()).collect();
    let cap: Option<usize> = args.next().unwrap().parse().ok();
    let mut files: Vec<String> = args.collect();
    files.sort();
    let (mut ok, mut tot, mut total) = (0, 0, 0.0);
    for f in files {
        let file = ProblemFile::read(std::path::Path::new(&f)).unwrap();
        let p = file.to_problem().unwrap();
        let name = std::path::Path::new(&f).file_stem().unwrap().to_string_lossy().to_string();
        let stop = StoppingRule { tolerance: Tolerance::relative(1e-8), max_iterations: cap };
        let mut line = String::new();
        let mut any = false;
        for m in &methods {
            let mut best = f64::INFINITY;
            let mut keep = None;
            let mut spent = 0.0;
            for _ in 0..25 {
                let mut s = m.solver();
                let (t, t0) = (cpu(), std::time::Instant::now());
                let sol = solve(&p, s.as_mut(), None, &stop);
                let wall = t0.elapsed().as_secs_f64();
                let c = cpu() - t;
                let dt = if wall < 0.02 { wall } else { c };
                best = best.min(dt);
                spent += dt;
                keep = Some(sol);
                if spent > 0.1 {
                    break;
                }
            }
            total += best;
            match keep.unwrap() {
                Ok(sol) => {
                    let solved = sol.status == Status::Solved;
                    any |= solved;
                    line += &format!(
                        " | {m} {} it {:4} F {:3} {:.0e}/{:.0e} {:.4}ms",
                        if solved { "OK" } else { "--" },
                        sol.effort.iterations,
                        sol.effort.factorizations,
                        sol.certificate.natural_rel,
                        sol.certificate.fclib_error,
                        best * 1e3
                    );
                }
                Err(e) => line += &format!(" | {m} {e}"),
            }
        }
        ok += any as usize;
        tot += 1;
        println!("{:34} {:5}{}{}", &name[..name.len().min(34)], p.blocks().len(), if any { "  " } else { " X" }, line);
    }
    println!("{ok}/{tot} in {total:.2} s");
}
