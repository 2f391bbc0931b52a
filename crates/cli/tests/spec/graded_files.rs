//! The files the command writes: answers as JSON that the library grades the same, and the plot.

use crate::workshop::{
    TWO_BLOCKS_IMPULSES, TWO_BLOCKS_VELOCITY, Workshop, signorini, stack_problem, two_blocks_problem,
};
use serde::Deserialize;
use signorini_problem::{Certificate, ContactProblem, Tolerance, certify};
use signorini_solvers::Method;

#[derive(Debug, Deserialize)]
struct Record {
    problem: String,
    method: String,
    status: String,
    reason: Option<String>,
    tolerance: Tolerance,
    iterations: Option<usize>,
    factorizations: Option<usize>,
    seconds: Option<f64>,
    certificate: Option<Certificate>,
    r: Option<Vec<f64>>,
}

fn read(path: &str) -> Vec<Record> {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn solve_to_json(shop: &Workshop, arguments: &[&str]) -> (i32, Vec<Record>) {
    let json = shop.path("out.json");
    let run = signorini(&[&["solve"], arguments, &["--json", json.as_str()]].concat());
    (run.code, read(&json))
}

#[test]
fn answers_read_back_and_are_graded_the_same_by_the_library() {
    let shop = Workshop::new("json");
    let problems: [(&str, String, ContactProblem); 2] =
        [("two_blocks", shop.two_blocks(), two_blocks_problem()), ("stack", shop.stack(), stack_problem())];
    for measure in ["velocity", "relative"] {
        for (name, file, problem) in &problems {
            let (code, records) = solve_to_json(&shop, &[file.as_str(), "--measure", measure, "--tolerance", "1e-9"]);
            assert_eq!(code, 0);
            assert_eq!(records.len(), Method::ALL.len());
            let mut solved = 0;
            for (record, method) in records.iter().zip(Method::ALL) {
                assert_eq!((record.problem.as_str(), record.method.as_str()), (*name, method.name()));
                assert_eq!(record.tolerance.value, 1e-9);
                let Some(r) = &record.r else {
                    assert_eq!(record.status, "refused");
                    assert!(!record.reason.as_ref().unwrap().is_empty());
                    continue;
                };
                let certificate = record.certificate.unwrap();
                // W is dense here and block-sparse in the command: sums of one or two terms, the same in either order.
                assert_eq!(certify(problem, r).unwrap(), certificate, "{name} by {method}");
                assert_eq!(record.status == "solved", certificate.meets(&record.tolerance), "{name} by {method}");
                assert!(
                    record.seconds.unwrap() > 0.0 && record.iterations.is_some() && record.factorizations.is_some()
                );
                solved += usize::from(record.status == "solved");
            }
            assert!(solved > 0, "nothing solved {name}");
        }
    }
}

#[test]
fn stopping_and_sliding_blocks_get_the_impulses_from_paper() {
    let shop = Workshop::new("paper");
    let (_, records) = solve_to_json(&shop, &[shop.two_blocks().as_str()]);
    let problem = two_blocks_problem();
    let mut solved = 0;
    for record in records.iter().filter(|record| record.status == "solved") {
        let r = record.r.as_ref().unwrap();
        let u = problem.velocity(r);
        for i in 0..6 {
            assert!((r[i] - TWO_BLOCKS_IMPULSES[i]).abs() < 1e-9, "{}: r = {r:?}", record.method);
            assert!((u[i] - TWO_BLOCKS_VELOCITY[i]).abs() < 1e-9, "{}: u = {u:?}", record.method);
        }
        let counts = record.certificate.unwrap().counts;
        assert_eq!((counts.open, counts.slip, counts.stick), (0, 1, 1), "{}", record.method);
        solved += 1;
    }
    assert!(solved > 0);
}

#[test]
fn the_exit_code_of_a_named_method_is_what_its_certificate_says() {
    let shop = Workshop::new("exit_code");
    let file = shop.stack();
    let mut seen = [0, 0];
    for method in Method::ALL {
        for iterations in ["1", "100000"] {
            let (code, records) =
                solve_to_json(&shop, &[file.as_str(), "--method", method.name(), "--max-iterations", iterations]);
            assert_eq!(records.len(), 1);
            // A refusal is a failure of a method that was asked for by name.
            let expected = i32::from(records[0].status != "solved");
            assert_eq!(code, expected, "{method}: {:?}", records[0]);
            seen[expected as usize] += 1;
        }
    }
    assert!(seen[0] > 0 && seen[1] > 0, "solved {}, not solved {}", seen[0], seen[1]);
}

#[test]
fn every_graded_method_has_one_curve_and_one_verdict_in_the_plot() {
    let shop = Workshop::new("plot");
    for files in [vec![shop.stack()], vec![shop.stack(), shop.two_blocks(), shop.write_two_blocks("a & <b>.fcp")]] {
        let plot = shop.path("out.svg");
        let mut arguments: Vec<&str> = files.iter().map(String::as_str).collect();
        arguments.extend(["--plot", plot.as_str()]);
        let (_, records) = solve_to_json(&shop, &arguments);
        let drawing = std::fs::read_to_string(&plot).unwrap();
        check_markup(&drawing);
        let graded = records.iter().filter(|record| record.r.is_some()).count();
        let solved = records.iter().filter(|record| record.status == "solved").count();
        assert!(graded > 0);
        assert_eq!(drawing.matches("<polyline").count(), graded);
        assert_eq!(drawing.matches("class=\"disc\"").count(), solved);
        assert_eq!(drawing.matches(">time [s]<").count(), files.len());
        assert_eq!(drawing.matches(">residual [m/s]<").count(), files.len());
        assert!(drawing.matches("class=\"tick\"").count() >= 4 * files.len());
        for record in records.iter().filter(|record| record.r.is_some()) {
            assert!(drawing.contains(&format!(">{}</text>", record.method)), "{} is not in the legend", record.method);
        }
        assert!(!drawing.contains("NaN") && !drawing.contains("inf"));
    }
}

/// Every element that is opened is closed, in order, and nothing but elements and text is there.
fn check_markup(text: &str) {
    let mut open = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let end = start + rest[start..].find('>').expect("an element is not closed by '>'");
        let element = &rest[start + 1..end];
        if let Some(name) = element.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !element.ends_with('/') {
            open.push(element.split_whitespace().next().unwrap());
        }
        assert_eq!(element.matches('"').count() % 2, 0, "quotes of <{element}>");
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty(), "not closed: {open:?}");
    assert_eq!(
        text.matches('&').count(),
        ["&amp;", "&lt;", "&gt;", "&quot;"].iter().map(|e| text.matches(e).count()).sum::<usize>()
    );
}
