//! `signorini bench`: what is measured is what the scenes say, numbers can be read again, drawings show other engines.

use crate::workshop::{Run, Workshop, signorini};
use serde_json::Value;

fn lines(run: &Run) -> Vec<Value> {
    run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn value(lines: &[Value], settings: &str, metric: &str) -> f64 {
    let found = lines.iter().find(|line| line["settings"] == settings && line["metric"] == metric);
    found.expect(metric)["value"].as_f64().unwrap()
}

#[test]
fn an_elastic_swap_is_exact_by_every_method_and_takes_all_its_steps() {
    let run = signorini(&["bench", "elastic_swap", "--method", "exact,nsgs", "--json", "--rounds", "3"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let lines = lines(&run);
    for method in ["exact", "nsgs"] {
        assert_eq!(value(&lines, method, "steps_done"), 60.0);
        assert_eq!(value(&lines, method, "degraded_steps"), 0.0);
        // Equal balls swap their velocities: both are whole numbers, so round-off is all there may be.
        assert!(value(&lines, method, "closed_form_error") < 1e-12);
        assert!(value(&lines, method, "residual_worst_m_per_s") < 1e-12);
        let (time, longest) = (value(&lines, method, "ms_per_step"), value(&lines, method, "ms_worst"));
        assert!(time > 0.0 && time <= longest);
    }
}

#[test]
fn tighter_tolerances_leave_smaller_residuals_and_each_is_a_row() {
    let run = signorini(&["bench", "sliding_oblique", "--method", "nsgs", "--tolerance", "1e-2,1e-6,1e-10", "--json"]);
    let lines = lines(&run);
    let residual = |tolerance: &str| value(&lines, &format!("nsgs {tolerance}"), "residual_worst_m_per_s");
    // The bound is relative to the speed of approach, a few metres per second here.
    for (tolerance, bound) in [("1e-2", 1e-1), ("1e-6", 1e-5), ("1e-10", 1e-9)] {
        assert!(residual(tolerance) < bound, "{tolerance}: {}", residual(tolerance));
    }
    assert!(residual("1e-2") > residual("1e-10"));
}

#[test]
fn a_scene_cut_short_is_not_held_against_its_answers() {
    let run = signorini(&["bench", "elastic_swap", "--method", "exact", "--steps", "5"]);
    assert_eq!(run.code, 0);
    let row = run.stdout.lines().find(|line| line.starts_with("elastic_swap")).unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!((cells[3], *cells.last().unwrap()), ("5", "-"), "{row}");
}

#[test]
fn drawings_summary_and_table_show_other_engines_beside_ours() {
    let shop = Workshop::new("bench_with");
    let (theirs, folder) = (shop.path("theirs.jsonl"), shop.path("plots"));
    let line = |scene: &str, metric: &str, value: &str| {
        format!(
            r#"{{"engine":"other <&>","version":"1","settings":"default","scene":"{scene}","metric":"{metric}","value":{value}}}"#
        )
    };
    let text = [
        r#"{"processor":"any","cores":2,"load":0.1,"commit":"abc","rounds":3}"#.to_owned(),
        line("elastic_swap", "ms_per_step", "0.25"),
        line("elastic_swap", "closed_form_error", "0.125"),
        line("only_theirs", "ms_per_step", "0.5"),
        line("only_theirs", "residual_worst_m_per_s", "0.375"),
        line("no_precision", "ms_per_step", "0.5"),
        line("only_theirs", "not_finite", "null"),
    ];
    std::fs::write(&theirs, text.join("\n")).unwrap();
    let arguments = ["bench", "elastic_swap", "--method", "exact", "--work-precision", &folder, "--with", &theirs];
    let run = signorini(&arguments);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert!(run.stdout.contains("2 drawings"), "{}", run.stdout);
    let read = |name: &str| std::fs::read_to_string(format!("{folder}/{name}")).unwrap();
    let drawing = read("elastic_swap.svg");
    assert!(drawing.contains("other &lt;&amp;&gt;") && drawing.contains(">signorini<") && drawing.contains(">exact<"));
    assert!(drawing.starts_with("<svg") && drawing.ends_with("</svg>\n"));
    assert!(read("only_theirs.svg").contains(">default<"));
    let page = read("README.md");
    assert!(page.contains("| other <&> | default | 0.250 | – | 1.2e-1 | – |"), "{page}");
    assert!(page.contains("![only_theirs](only_theirs.svg)") && !page.contains("no_precision"), "{page}");
    let table = read("work_precision.csv");
    assert!(table.contains("\nother <&>,default,elastic_swap,2.5e-1,,1.25e-1,,\n"), "{table}");
    assert!(table.contains("\nother <&>,default,only_theirs,5e-1,3.75e-1,,,\n"), "{table}");
    assert!(table.contains("\nsignorini,exact,elastic_swap,"), "{table}");

    // Only what is in the files, if no scene is named: nothing is simulated.
    let run = signorini(&["bench", "--with", &theirs, "--work-precision", &folder]);
    assert_eq!((run.code, run.stdout.lines().count()), (0, 1), "{}", run.stdout);
}

#[test]
fn lines_that_were_printed_are_read_again() {
    let shop = Workshop::new("bench_again");
    let (mine, folder) = (shop.path("mine.jsonl"), shop.path("plots"));
    let run = signorini(&["bench", "bounce_half", "--method", "exact", "--json"]);
    std::fs::write(&mine, &run.stdout).unwrap();
    let again = signorini(&["bench", "--with", &mine, "--work-precision", &folder, "--json"]);
    assert_eq!((again.code, again.stdout.as_str()), (0, ""));
    let table = std::fs::read_to_string(format!("{folder}/work_precision.csv")).unwrap();
    let (_, row) = table.trim_end().split_once('\n').unwrap();
    let cells: Vec<&str> = row.split(',').collect();
    assert_eq!(cells[3].parse::<f64>().unwrap(), value(&lines(&run), "exact", "ms_per_step"));
    assert_eq!((cells[0], cells[2], cells[7]), ("signorini", "bounce_half", "yes"));
}

#[test]
fn bad_input_says_what_is_wrong_and_where() {
    let shop = Workshop::new("bench_bad");
    let path = shop.path("bad.jsonl");
    std::fs::write(&path, "{\"processor\":\"any\"}\n{\"engine\":\"x\"}\n").unwrap();
    let run = signorini(&["bench", "--with", &path]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("line 2: missing field `version`"), "{}", run.stderr);
    for (arguments, complaint) in [
        (["bench", "elastic_swop", "--json"], "did you mean 'elastic_swap'?"),
        (["bench", "--method", "newtn"], "newtn"),
        (["bench", "--tolerance", "0"], "above zero"),
        (["bench", "--with", "nowhere.jsonl"], "nowhere.jsonl"),
    ] {
        let run = signorini(&arguments);
        assert_eq!(run.code, 2, "{arguments:?}");
        assert!(run.stderr.contains(complaint), "{arguments:?}: {}", run.stderr);
    }
    let help = signorini(&["bench", "--help"]);
    assert!(help.stdout.contains("Examples:") && help.stdout.contains("--work-precision"));
    assert!(signorini(&["completions", "bash"]).stdout.contains("--work-precision"));
}
