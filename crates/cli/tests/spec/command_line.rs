//! The command as a person meets it: exit codes, messages, tables, files.

use crate::workshop::{Workshop, signorini};
use signorini_scenes::problems::entries;
use signorini_solvers::Method;
use std::process::{Command, Stdio};

#[test]
fn without_files_the_built_in_problem_is_solved_by_every_method() {
    let run = signorini(&["solve"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(run.stderr, "");
    for method in Method::ALL {
        assert!(run.stdout.lines().any(|line| line.contains(method.name())), "{method} is missing:\n{}", run.stdout);
    }
    assert!(run.stdout.contains("  solved  "), "{}", run.stdout);
    assert!(run.stdout.contains("graded by the certificate"), "{}", run.stdout);
}

#[test]
fn columns_of_the_table_are_aligned() {
    let shop = Workshop::new("aligned");
    let run = signorini(&["solve", shop.two_blocks().as_str(), shop.stack().as_str()]);
    let lines: Vec<Vec<char>> = run.stdout.lines().map(|line| line.chars().collect()).collect();
    let title: String = lines[0].iter().collect();
    let end_of_natural = title.find("natural").unwrap() + "natural".len();
    let graded = |line: &&Vec<char>| {
        let text: String = line.iter().collect();
        text.contains("  solved  ") || text.contains("  unsolved  ")
    };
    let rows: Vec<_> = lines.iter().filter(graded).collect();
    assert!(!rows.is_empty());
    for row in rows {
        let text: String = row.iter().collect();
        assert!(row[end_of_natural - 1].is_ascii_digit(), "{text}");
        assert_eq!(row[end_of_natural], ' ', "{text}");
    }
}

#[test]
fn methods_are_listed_one_line_each() {
    let run = signorini(&["methods"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert_eq!(run.stdout.lines().count(), Method::ALL.len());
    for (line, method) in run.stdout.lines().zip(Method::ALL) {
        let (name, summary) = line.split_once(' ').unwrap();
        assert_eq!(name, method.name());
        assert!(summary.trim().len() > 10, "{line}");
    }
}

#[test]
fn help_explains_times_and_exit_codes() {
    let run = signorini(&["solve", "--help"]);
    assert_eq!(run.code, 0);
    for word in [
        "median",
        "Exit code",
        "--tolerance",
        "--measure",
        "--max-iterations",
        "--json",
        "--plot",
        "--dump-degraded",
        "--quiet",
    ] {
        assert!(run.stdout.contains(word), "{word} is missing:\n{}", run.stdout);
    }
}

#[test]
fn a_directory_means_its_problem_files_in_order_of_name() {
    let shop = Workshop::new("directory");
    shop.write_two_blocks("b.fcp");
    shop.write_two_blocks("a.fcp");
    std::fs::write(shop.path("notes.txt"), "not a problem").unwrap();
    let run = signorini(&["solve", shop.directory().as_str(), "--method", Method::ALL[0].name()]);
    let names: Vec<&str> = run.stdout.lines().skip(2).map_while(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, ["a", "b"], "{}", run.stdout);
}

#[test]
fn files_of_one_name_in_two_places_are_told_apart() {
    let shop = Workshop::new("same_name");
    std::fs::create_dir_all(shop.path("x")).unwrap();
    std::fs::create_dir_all(shop.path("y")).unwrap();
    let (one, other) = (shop.write_two_blocks("x/p.fcp"), shop.write_two_blocks("y/p.fcp"));
    let run = signorini(&["solve", one.as_str(), other.as_str(), "--method", Method::ALL[0].name()]);
    assert!(run.stdout.contains(&one) && run.stdout.contains(&other), "{}", run.stdout);
}

#[test]
fn quiet_prints_nothing_and_keeps_the_exit_code() {
    let shop = Workshop::new("quiet");
    let run = signorini(&["solve", shop.two_blocks().as_str(), "--quiet"]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""));
}

#[test]
fn a_missing_file_is_named_with_what_to_do() {
    let run = signorini(&["solve", "no/such.fcp"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("no/such.fcp: no such file; give .fcp problem files"), "{}", run.stderr);
}

#[test]
fn a_directory_without_problems_is_named() {
    let shop = Workshop::new("empty");
    let run = signorini(&["solve", shop.directory().as_str()]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("no .fcp files in this directory"), "{}", run.stderr);
}

#[test]
fn a_bad_file_is_named_and_the_good_ones_are_still_solved() {
    let shop = Workshop::new("bad_file");
    let good = shop.two_blocks();
    let mut bytes = std::fs::read(&good).unwrap();
    bytes.truncate(bytes.len() - 8);
    std::fs::write(shop.path("cut.fcp"), bytes).unwrap();
    std::fs::write(shop.path("text.fcp"), "mu = 0.5").unwrap();
    let json = shop.path("out.json");
    let run = signorini(&[
        "solve",
        shop.path("cut.fcp").as_str(),
        shop.path("text.fcp").as_str(),
        good.as_str(),
        "--json",
        json.as_str(),
    ]);
    assert_eq!(run.code, 2);
    assert_eq!(run.stderr.lines().count(), 2, "{}", run.stderr);
    for (line, file) in run.stderr.lines().zip(["cut.fcp", "text.fcp"]) {
        assert!(line.starts_with("error: ") && line.contains(file) && line.contains("docs/problem-files.md"), "{line}");
    }
    assert!(run.stdout.contains("  solved  "), "{}", run.stdout);
    assert!(std::fs::read_to_string(json).unwrap().contains("\"solved\""));
}

#[test]
fn an_unknown_method_is_answered_with_the_known_ones() {
    let run = signorini(&["solve", "--method", "magic"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("unknown method 'magic'"), "{}", run.stderr);
    for method in Method::ALL {
        assert!(run.stderr.contains(method.name()), "{}", run.stderr);
    }
}

#[test]
fn numbers_that_make_no_sense_are_refused_with_an_example() {
    for (option, value, example) in [
        ("--tolerance", "-1", "such as 1e-10"),
        ("--tolerance", "0", "such as 1e-10"),
        ("--tolerance", "nan", "such as 1e-10"),
        ("--tolerance", "inf", "such as 1e-10"),
        ("--tolerance", "small", "such as 1e-10"),
        ("--max-iterations", "0", "such as 1000"),
        ("--max-iterations", "-3", "such as 1000"),
        ("--max-iterations", "1e3", "such as 1000"),
        ("--measure", "energy", "velocity, relative"),
    ] {
        let run = signorini(&["solve", option, value]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{option} {value}");
        assert!(run.stderr.contains(option) && run.stderr.contains(example), "{option} {value}: {}", run.stderr);
    }
}

#[test]
fn output_that_cannot_be_written_is_refused_before_solving() {
    let shop = Workshop::new("unwritable");
    let (nowhere, directory) = (shop.path("no/such/place/out.svg"), shop.path("folder.svg"));
    std::fs::create_dir(&directory).unwrap();
    for path in [nowhere.as_str(), directory.as_str()] {
        for option in ["--json", "--plot"] {
            let run = signorini(&["solve", option, path]);
            assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{option} {path}");
            assert!(run.stderr.contains(path) && run.stderr.contains("cannot be written"), "{}", run.stderr);
        }
    }
}

#[test]
fn unsolved_problems_are_written_as_files_that_reproduce_them() {
    let shop = Workshop::new("degraded");
    let (directory, answers) = (shop.path("left"), [shop.path("first.json"), shop.path("again.json")]);
    // One sweep does not solve a shaken stack.
    let arguments = ["solve", "--scene", "stack8_shake", "--method", "pgs", "--max-iterations", "1"];
    let run = signorini(&[&arguments[..], &["--dump-degraded", &directory, "--json", &answers[0]]].concat());
    assert_eq!(run.code, 1, "{run:?}");
    let file = format!("{directory}/stack8_shake.fcp");
    assert!(run.stderr.contains(&file) && run.stderr.contains("pgs: natural "), "{}", run.stderr);
    let again = signorini(&["solve", &file, "--method", "pgs", "--max-iterations", "1", "--json", &answers[1]]);
    assert_eq!(again.code, 1, "{again:?}");
    // The same problem bit for bit: the same impulses and the same certificate.
    let [first, second] = answers.map(|path| {
        let text = std::fs::read_to_string(path).unwrap();
        serde_json::from_str::<serde_json::Value>(&text).unwrap()[0].clone()
    });
    assert_eq!((&first["r"], &first["certificate"]), (&second["r"], &second["certificate"]));
    // What is solved leaves nothing behind.
    let empty = shop.path("nothing_left");
    let run = signorini(&["solve", "--scene", "stack3", "--method", "exact", "--dump-degraded", &empty]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert_eq!(std::fs::read_dir(&empty).unwrap().count(), 0);
}

#[test]
fn a_reader_that_leaves_is_not_an_error() {
    for arguments in [
        vec!["scenes"],
        vec!["scenes", "demo"],
        vec!["methods"],
        vec!["--help"],
        vec!["solve", "--scene", "stack3", "--method", "exact"],
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_signorini"))
            .args(&arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let finished = child.wait_with_output().unwrap();
        assert_eq!(finished.status.code(), Some(0), "{arguments:?}");
        assert_eq!(String::from_utf8_lossy(&finished.stderr), "", "{arguments:?}");
    }
}

#[test]
fn generated_problems_are_listed_and_solved_by_name() {
    let list = signorini(&["problems"]);
    assert_eq!((list.code, list.stderr.as_str()), (0, ""));
    assert_eq!(list.stdout.lines().count(), entries().len());
    let (one, other) = (entries()[0].name, entries()[1].name);
    let names = format!("{one},{other}");
    let run = signorini(&["solve", "--scene", names.as_str(), "--method", Method::ALL[0].name()]);
    let solved: Vec<&str> = run.stdout.lines().skip(2).map_while(|line| line.split_whitespace().next()).collect();
    assert_eq!(solved, [one, other], "{run:?}");

    let unknown = signorini(&["solve", "--scene", "sandcastle"]);
    assert_eq!((unknown.code, unknown.stdout.as_str()), (2, ""));
    assert!(unknown.stderr.contains("'sandcastle'") && unknown.stderr.contains("signorini problems"), "{unknown:?}");
}
