//! Problem files: typed errors, or a problem that is solved and graded.

use super::Target;
use signorini_problem::Limits;
use signorini_problem::io::ProblemFile;
use signorini_scenes::problems::entries;
use signorini_solvers::{Method, StoppingRule, solve};

pub const PROBLEM: Target = Target {
    name: "problem",
    run,
    seeds: || {
        let small = entries().iter().filter_map(|entry| entry.generate().ok().map(|made| (entry.name, made.problem)));
        let small = small.filter(|(_, problem)| problem.blocks().len() <= 12);
        small.map(|(name, problem)| ProblemFile::from_problem(&problem, name).to_bytes()).collect()
    },
    tokens: &[
        "FCPROB1\n",
        "\"format\":\"FCP1\"",
        "\"kind\":\"local\"",
        "\"kind\":\"lcp\"",
        "\"kind\":\"bodies\"",
        "\"kind\":\"blocks\"",
        "\"kind\":\"global\"",
        "\"dim\":2",
        "\"dim\":3",
        "\"nc\":",
        "\"nnzb\":",
        "\"arrays\":[",
        "\"dtype\":\"f64\"",
        "\"dtype\":\"i32\"",
        "\"shape\":[",
        "\"offset\":",
        "\"nbytes\":",
        "{",
        "}",
        "[",
        "]",
        ",",
    ],
    mend: None,
    short: 30_000,
};

fn run(bytes: &[u8]) -> String {
    let file = match ProblemFile::parse(bytes, &Limits::default()) {
        Err(error) => return error.to_string(),
        Ok(file) => file,
    };
    assert_eq!(file.to_bytes(), bytes, "what was read is not what is written");
    let problem = match file.to_problem() {
        Err(error) => return format!("not a problem: {error}"),
        Ok(problem) => problem,
    };
    if problem.rows() > 120 {
        return "large".to_owned();
    }
    let mut words = String::new();
    for method in [Method::Exact, Method::Nsgs] {
        let rule = StoppingRule { max_iterations: Some(50), ..StoppingRule::velocity(1e-9) };
        let solved = solve(&problem, &mut *method.solver(), None, &rule);
        match solved {
            Err(error) => words += &format!(" {method:?} {error}"),
            Ok(solution) => {
                let finite = solution.impulses.iter().all(|impulse| impulse.is_finite());
                assert!(finite, "{method:?}: impulses that are no numbers");
                words += &format!(" {method:?} {:?}", solution.status);
            }
        }
    }
    words
}
