//! Solutions as JSON: the same bits back, and errors for what is not a solution.

use crate::generated::*;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use signorini_problem::certify;
use signorini_problem::io::*;

fn solution(r: Vec<f64>) -> SolutionFile {
    let parts = Parts::solved(3);
    let certificate = certify(&parts.problem(), &parts.r).unwrap();
    SolutionFile { problem: "three".to_owned(), method: "by hand".to_owned(), r, certificate }
}

#[test]
fn a_list_or_an_object_with_r_is_a_solution() {
    assert_eq!(parse_impulses(b"[1, 2.5, -3e-2]", 3).unwrap(), [1.0, 2.5, -0.03]);
    assert!(parse_impulses(b" \n[ ]", 0).unwrap().is_empty());
    assert_eq!(parse_impulses(br#"{"name": "x", "r": [0.1], "u": [[1]]}"#, 1).unwrap(), [0.1]);
}

#[test]
fn what_is_not_a_solution_is_refused_with_the_reason() {
    let cases: [(&[u8], &str); 11] = [
        (b"", "EOF"),
        (b"[1, 2", "EOF"),
        (b"[1, NaN]", "expected value"),
        (b"[1, 1e400]", "number out of range"),
        (b"[1, null]", "invalid type: null"),
        (b"[1, \"2\"]", "invalid type: string"),
        (b"[1, 2] 3", "trailing characters"),
        (b"[1]", "has 1 impulses, the problem 2 rows"),
        (b"[1, 2, 3]", "has 3 impulses, the problem 2 rows"),
        (b"{\"z\": [1, 2]}", "missing field `r`"),
        (b"{\"r\": [1, 2], \"r\": [3, 4]}", "duplicate field `r`"),
    ];
    for (text, message) in cases {
        let found = parse_impulses(text, 2).unwrap_err().to_string();
        assert!(found.contains(message), "{found}");
    }
    let long = vec![b' '; 2 << 20];
    assert!(parse_impulses(&long, 2).unwrap_err().to_string().contains("bytes of the solution"));
    for bad in [f64::NAN, f64::INFINITY] {
        let error = solution(vec![0.0, bad]).to_json().unwrap_err();
        assert!(matches!(error, FileError::SolutionNotFinite { index: 1, .. }), "{error}");
    }
}

#[test]
fn a_solution_on_disk_is_read_back() {
    let path = std::env::temp_dir().join(format!("signorini-solution-{}.json", std::process::id()));
    solution(vec![0.1, -0.0, 5e-324, f64::MAX]).write(&path).unwrap();
    let r = read_impulses(&path, 4).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(r.iter().map(|x| x.to_bits()).collect::<Vec<_>>(), [0.1, -0.0, 5e-324, f64::MAX].map(f64::to_bits));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn every_number_is_read_back_to_the_last_bit(bits in prop::collection::vec(any::<u64>(), 0..50)) {
        let r: Vec<f64> = bits.into_iter().map(f64::from_bits).filter(|x| x.is_finite()).collect();
        let text = solution(r.clone()).to_json().unwrap();
        let again = parse_impulses(text.as_bytes(), r.len()).unwrap();
        prop_assert!(again.iter().zip(&r).all(|(a, b)| a.to_bits() == b.to_bits()));
    }
}
