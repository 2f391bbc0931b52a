//! Rows that give way: W has their compliance on its diagonal, in everything that a problem is asked.

use crate::generated::*;
use signorini_problem::io::*;
use signorini_problem::*;

/// Compliance for about half of the rows.
fn compliance(rows: usize, seed: u64) -> Vec<f64> {
    let n = &mut Numbers::new(seed ^ 0xc0);
    (0..rows).map(|_| if n.below(2) == 0 { 0.0 } else { n.within(0.01, 2.0) }).collect()
}

fn over_bodies(parts: &Parts, compliance: Vec<f64>) -> Result<ContactProblem, ProblemError> {
    let mut factored = parts.problem().into_parts();
    factored.compliance = compliance;
    ContactProblem::from_parts(factored)
}

/// The dense problem with `W + diag(c)`, made here.
fn stored(parts: &Parts, compliance: &[f64]) -> ContactProblem {
    let n = parts.q.len();
    let mut w = parts.problem().delassus().to_dense(&parts.offsets());
    compliance.iter().enumerate().for_each(|(i, c)| w[i * n + i] += c);
    let w = Delassus::Dense(DenseDelassus::new(n, w));
    ContactProblem::new(parts.blocks.clone(), w, parts.q.clone(), Symmetry::Exact).unwrap()
}

fn assert_near(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len());
    for (i, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= 1e-13 * (1.0 + b.abs()), "{what}, entry {i}: {a} is not {b}");
    }
}

fn assert_same_operator(found: &ContactProblem, expected: &ContactProblem, r: &[f64]) {
    let dense = |p: &ContactProblem| p.delassus().to_dense(p.offsets());
    assert_near(&dense(found), &dense(expected), "W");
    assert_near(&found.velocity(r), &expected.velocity(r), "velocity");
    assert_near(found.scales(), expected.scales(), "scale");
    for c in 0..found.blocks().len() {
        let size = found.blocks()[c].rows.pow(2);
        let (mut a, mut b) = ([0.0; 36], [0.0; 36]);
        found.diagonal_block(c, &mut a);
        expected.diagonal_block(c, &mut b);
        assert_near(&a[..size], &b[..size], "diagonal block");
    }
    let (mut a, mut b) = (Certifier::default(), Certifier::default());
    let (a_grade, b_grade) = (a.certify(found, r).unwrap(), b.certify(expected, r).unwrap());
    assert_near(a.velocity(), b.velocity(), "velocity of the judge");
    assert_near(&[a_grade.natural, a_grade.natural_rel], &[b_grade.natural, b_grade.natural_rel], "grade");
}

#[test]
fn all_that_a_problem_is_asked_is_of_w_with_compliance_on_its_diagonal() {
    for seed in 0..200 {
        let parts = Parts::random(seed);
        let c = compliance(parts.q.len(), seed);
        let (soft, expected) = (over_bodies(&parts, c.clone()).unwrap(), stored(&parts, &c));
        assert_same_operator(&soft, &expected, &parts.r);
        // And of a part of it, the last block first.
        let chosen: Vec<usize> = (0..parts.blocks.len()).rev().step_by(2).collect();
        let (soft, expected) = (soft.part(&chosen).unwrap(), expected.part(&chosen).unwrap());
        assert_same_operator(&soft, &expected, &parts.r[..soft.rows()]);
    }
}

/// Nothing gives way but the row itself: `W = c`.
#[test]
fn a_row_between_fixed_sides_has_its_compliance() {
    let w = FactoredDelassus::new(vec![], vec![[None, None]], vec![[1.0; 12]]).with_compliance(vec![0.25]);
    let problem =
        ContactProblem::new(vec![Block::joint(1)], Delassus::Factored(w), vec![-1.0], Symmetry::Exact).unwrap();
    assert_eq!(problem.delassus().to_dense(problem.offsets()), [0.25]);
    assert_eq!(problem.scales(), [0.25]);
    assert_eq!(certify(&problem, &[4.0]).unwrap().natural, 0.0);
}

#[test]
fn zeros_are_no_compliance_to_the_bit() {
    for seed in 0..100 {
        let parts = Parts::random(seed);
        let rows = parts.q.len();
        // Minus zero is a zero.
        let (rigid, zeros) = (parts.problem(), over_bodies(&parts, vec![-0.0; rows]).unwrap());
        let bits = |x: Vec<f64>| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        let r: Vec<f64> = parts.r.iter().map(|r| if r.abs() < 0.5 { -0.0 } else { *r }).collect();
        assert_eq!(bits(rigid.velocity(&r)), bits(zeros.velocity(&r)));
        assert_eq!(bits(rigid.scales().to_vec()), bits(zeros.scales().to_vec()));
        assert_eq!(certify(&rigid, &r).unwrap(), certify(&zeros, &r).unwrap());
        let file = |p: &ContactProblem| ProblemFile::from_problem(p, "same").to_bytes();
        assert!(file(&rigid) == file(&zeros), "seed {seed}");
        assert!(zeros.into_parts().compliance.is_empty());
    }
}

#[test]
fn what_is_no_compliance_is_refused_with_its_place() {
    let parts = (0..).map(Parts::random).find(|parts| parts.q.len() > 2).unwrap();
    let rows = parts.q.len();
    let refusal = |index: usize, value: f64| {
        let mut c = vec![0.5; rows];
        c[index] = value;
        over_bodies(&parts, c).unwrap_err()
    };
    assert_eq!(refusal(1, -1e-300), ProblemError::NegativeCompliance { row: 1, value: -1e-300 });
    let ProblemError::NotFinite { what: "compliance", index: 2, value } = refusal(2, f64::NAN) else { panic!() };
    assert!(value.is_nan());
    let infinite = ProblemError::NotFinite { what: "compliance", index: 0, value: f64::INFINITY };
    assert_eq!(refusal(0, f64::INFINITY), infinite);
    let short = ProblemError::Size { what: "compliance", found: rows - 1, expected: rows };
    assert_eq!(over_bodies(&parts, vec![0.0; rows - 1]).unwrap_err(), short);
    assert_eq!(refusal(1, -2.0).to_string(), "row 1: compliance -2 is negative");
}

/// m ẍ = −k x − d ẋ over one step of backward Euler, `v⁺ = (m v − h k x)/(m + h d + h² k)`, whose impulse the judge takes,
/// and that of the rigid row it does not.
#[test]
fn the_impulse_of_a_spring_is_that_of_backward_euler() {
    for (m, k, d, x, v, h) in [(2.0, 300.0, 4.0, 0.1, -1.5, 1.0 / 60.0), (0.3, 1e5, 0.0, -0.02, 0.0, 0.01)] {
        let mut mass = [[0.0; 6]; 6];
        (0..3).for_each(|i| mass[i][i] = 1.0 / m);
        let mut row = [0.0; 12];
        row[6] = 1.0;
        let posed = |c: f64| {
            let w = FactoredDelassus::new(vec![mass], vec![[None, Some(0)]], vec![row]).with_compliance(vec![c]);
            let q = vec![v + k * x / (h * k + d)];
            ContactProblem::new(vec![Block::joint(1)], Delassus::Factored(w), q, Symmetry::Exact).unwrap()
        };
        let (soft, rigid) = (posed(1.0 / (h * h * k + h * d)), posed(0.0));
        let after = (m * v - h * k * x) / (m + h * d + h * h * k);
        let spring = m * (after - v);
        assert!(certify(&soft, &[spring]).unwrap().natural <= 1e-14);
        assert!((spring + h * (k * (x + h * after) + d * after)).abs() <= 1e-12);
        assert!(certify(&rigid, &[spring]).unwrap().natural > 0.05);
        let stop = -rigid.q()[0] * m;
        assert_eq!(certify(&rigid, &[stop]).unwrap().natural, 0.0);
        assert!(certify(&soft, &[stop]).unwrap().natural > 0.05);
    }
}

#[test]
fn files_carry_compliance_as_version_two_and_keep_every_bit() {
    for seed in 0..50 {
        let parts = Parts::random(seed);
        let mut c = compliance(parts.q.len(), seed);
        c[0] = 0.125;
        let problem = over_bodies(&parts, c.clone()).unwrap();
        let bytes = ProblemFile::from_problem(&problem, "soft").to_bytes();
        let read = ProblemFile::parse(&bytes, &Limits::default()).unwrap();
        // Moments need version 3, whatever gives way.
        let rolls = parts.blocks.iter().any(|block| matches!(block.law, Law::Rolling { .. }));
        let version = |bytes: &[u8], number: u64| {
            let named = format!("\"version\": {}", if rolls { 3 } else { number });
            String::from_utf8_lossy(&bytes[12..]).contains(&named)
        };
        assert!(version(&bytes, 2));
        assert!(read.to_bytes() == bytes);
        let again = read.to_problem().unwrap().into_parts();
        assert_eq!(again.compliance, c);
        assert_eq!(again.jacobian, parts.jacobian);
        // What does not give way stays readable for those who know version 1.
        let rigid = ProblemFile::from_problem(&parts.problem(), "rigid").to_bytes();
        assert!(version(&rigid, 1));
    }
}

/// One contact of 2 kg with a file of `version`, and with compliance if there is any.
fn file(version: u64, compliance: Option<&[f64]>) -> Vec<u8> {
    use Data::{F64, I32};
    let (mut minv, mut j) = ([0.0; 36], [0.0; 12]);
    (0..6).for_each(|i| minv[7 * i] = 0.5);
    j[6] = 1.0;
    let rows = compliance.map_or(1, <[f64]>::len);
    let (shape, minv_shape) = ([rows], [1, 6, 6]);
    let mut arrays = vec![
        ("law", &[1][..], I32(&[1])),
        ("block_rows", &[1], I32(&[1])),
        ("parameters", &[1, 2], F64(&[0.0, 0.0])),
        ("q", &[1], F64(&[-1.0])),
        ("minv", &minv_shape[..], F64(&minv)),
        ("block_body", &[1, 2], I32(&[-1, 0])),
        ("J", &[1, 12], F64(&j)),
    ];
    if let Some(compliance) = compliance {
        arrays.push(("compliance", &shape[..], F64(compliance)));
    }
    let keys = format!(
        r#""format":"FCP1","kind":"blocks","version":{version},"blocks":1,"rows":1,"bodies":1,"operator":"factored","symmetry":"exact""#
    );
    container(&keys, &arrays)
}

#[test]
fn files_of_both_versions_are_read_and_others_named() {
    let read = |bytes: &[u8]| ProblemFile::parse(bytes, &Limits::default()).and_then(|file| file.to_problem());
    let impulse = |bytes: &[u8], r: f64| certify(&read(bytes).unwrap(), &[r]).unwrap().natural;
    assert_eq!(impulse(&file(1, None), 2.0), 0.0);
    assert_eq!(impulse(&file(2, Some(&[0.5])), 1.0), 0.0);
    assert_eq!(impulse(&file(2, Some(&[0.0])), 2.0), 0.0);
    let refusal = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
    assert!(refusal(&file(2, None)).contains("compliance"));
    assert!(refusal(&file(1, Some(&[0.5]))).contains("compliance"));
    assert!(refusal(&file(2, Some(&[0.5, 0.5]))).contains("expected [1]"));
    assert!(refusal(&file(2, Some(&[-0.5]))).contains("row 0: compliance -0.5 is negative"));
    assert!(refusal(&file(2, Some(&[f64::NAN]))).contains("compliance: entry 0 is NaN"));
    assert!(refusal(&file(3, Some(&[0.5]))).contains("parameters"));
    assert!(refusal(&file(4, Some(&[0.5]))).contains("parameters"));
    assert!(refusal(&file(5, Some(&[0.5]))).contains("version 5, this program reads up to 4"));
}
