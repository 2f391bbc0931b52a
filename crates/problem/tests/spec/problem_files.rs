//! Problem files: the same bits back, the right problem out, and errors that name the place.

use crate::generated::*;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use signorini_problem::io::*;
use signorini_problem::*;

fn parse(bytes: &[u8]) -> Result<ProblemFile, FileError> {
    ProblemFile::parse(bytes, &Limits::default())
}

fn refusal(bytes: &[u8]) -> String {
    match parse(bytes).and_then(|f| f.to_problem()) {
        Ok(_) => panic!("accepted"),
        Err(e) => e.to_string(),
    }
}

#[test]
fn shared_problems_are_written_as_they_were_read() {
    for path in shared_files() {
        let bytes = std::fs::read(&path).unwrap();
        let file = ProblemFile::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(file.to_bytes() == bytes, "{}", path.display());
        assert_eq!(file.name(), path.file_stem().unwrap().to_str().unwrap());
        let problem = file.to_problem().unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        // Ours holds it too, and gives the same problem back.
        let ours = ProblemFile::from_problem(&problem, file.name()).to_bytes();
        let again = parse(&ours).unwrap().to_problem().unwrap();
        assert_same(&problem, &again);
    }
}

#[test]
fn a_condensed_problem_is_the_local_form_of_its_global_one() {
    let mut compared = 0;
    for path in shared_files() {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let Some(stem) = name.strip_suffix("_global") else { continue };
        let global = ProblemFile::read(&path).unwrap().to_problem().unwrap();
        let condensed = path.with_file_name(format!("{stem}_condensed.fcp"));
        let condensed = ProblemFile::read(&condensed).unwrap().to_problem().unwrap();
        let (w, v) = (global.delassus().to_dense(global.offsets()), condensed.delassus().to_dense(condensed.offsets()));
        let relative = |a: &[f64], b: &[f64]| {
            let largest = a.iter().fold(0.0, |m, x| f64::max(m, x.abs()));
            a.iter().zip(b).fold(0.0, |m, (a, b)| f64::max(m, (a - b).abs())) / largest
        };
        assert_eq!(w.len(), v.len());
        let (dw, dq) = (relative(&w, &v), relative(global.q(), condensed.q()));
        println!("{stem}: W differs by {dw:.1e}, q by {dq:.1e}");
        assert!(dw < 1e-12 && dq < 1e-12, "{stem}: {dw:e} {dq:e}");
        compared += 1;
    }
    assert!(compared == 7 || shared_problems().is_none());
}

#[test]
fn one_contact_is_the_same_problem_in_every_kind() {
    for (kind, bytes) in small_files() {
        let file = parse(&bytes).unwrap_or_else(|e| panic!("{kind}: {e}"));
        assert!(file.to_bytes() == bytes, "{kind}");
        let problem = file.to_problem().unwrap_or_else(|e| panic!("{kind}: {e}"));
        if kind == "lcp" {
            // z = (4/3, 7/3) by hand.
            let certificate = certify(&problem, &[4.0 / 3.0, 7.0 / 3.0]).unwrap();
            assert!(certificate.natural < 1e-15, "{certificate:?}");
            continue;
        }
        // A block of 2 kg falls at 1 m/s and drifts at 0.25 m/s: 2 N·s stop it and 0.5 N·s of friction hold it.
        let r = [2.0, -0.5, 0.0];
        let rows = problem.rows();
        assert_eq!(certify(&problem, &r[..rows]).unwrap().natural, 0.0, "{kind}");
        assert_eq!(problem.q(), &[-1.0, 0.25, 0.0][..rows], "{kind}");
        assert_eq!(problem.asymmetry(), 0.0);
    }
}

#[test]
fn a_symmetric_lcp_counts_as_symmetric_and_others_are_taken_as_they_are() {
    let lcp = |m: [f64; 4]| {
        let bytes = container(
            r#""format":"FCP1","kind":"lcp","n":2"#,
            &[("M", &[2, 2], Data::F64(&m)), ("q", &[2], Data::F64(&[-1.0, -1.0]))],
        );
        parse(&bytes).unwrap().to_problem().unwrap()
    };
    assert_eq!(lcp([1.0, 0.5, 0.5, 1.0]).asymmetry(), 0.0);
    assert_eq!(lcp([1.0, 2.0, 0.0, 1.0]).asymmetry(), 1.0);
    assert_eq!(lcp([-1.0, 2.0, 2.0, 1.0]).asymmetry(), 0.0);
}

#[test]
fn limits_are_checked_before_memory_is_taken() {
    // A few hundred bytes that claim terabytes.
    let array = |shape: &str, nbytes: u64| {
        with_header(
            &format!(
                r#"{{"format":"FCP1","kind":"lcp","n":2,"arrays":[{{"name":"M","dtype":"f64","shape":{shape},"offset":0,"nbytes":{nbytes}}}]}}"#
            ),
            &[0; 64],
        )
    };
    assert!(refusal(&array("[1099511627776]", 8 << 40)).contains("array M at byte"));
    assert!(refusal(&array("[4294967296, 4294967296]", 0)).contains("below 2^64"));
    assert!(refusal(&array("[4294967296, 4294967296, 0]", 0)).contains("below 2^64"));
    assert!(refusal(&array("[2305843009213693951]", u64::MAX - 7)).contains("array M at byte"));
    assert!(refusal(&array("[-1]", 8)).contains("line 1"));
    assert!(refusal(&array("[1.5]", 8)).contains("line 1"));
    assert!(refusal(&array("[1,1,1,1,1,1,1,1,1]", 8)).contains("dimensions of an array: 9"));
    assert!(refusal(&array("[2, 2]", 24)).contains("nbytes 24, expected 32"));
    let counts = |keys: &str| with_header(&format!(r#"{{"format":"FCP1",{keys},"arrays":[]}}"#), &[]);
    assert!(refusal(&counts(r#""kind":"lcp","n":18446744073709551615"#)).contains("n: 18446744073709551615 exceeds"));
    assert!(refusal(&counts(r#""kind":"local","dim":3,"nc":4000000000"#)).contains("nc: 4000000000 exceeds"));
    assert!(refusal(&counts(r#""kind":"bodies","nc":1,"nb":-1"#)).contains("\"nb\" is -1"));
    assert!(refusal(&counts(r#""kind":"local","dim":4,"nc":1"#)).contains("dim: 4 exceeds"));
    assert!(refusal(&counts(r#""kind":"local","dim":1,"nc":1"#)).contains("\"dim\" is 1, expected 2 or 3"));
    let many = vec![r#"{"name":"a","dtype":"f64","shape":[],"offset":0,"nbytes":8}"#; 65].join(",");
    assert!(refusal(&with_header(&format!("{{\"arrays\":[{many}]}}"), &[])).contains("arrays: 65 exceeds"));
    let limits = Limits { file_bytes: 100, ..Limits::default() };
    let (_, local) = &small_files()[0];
    assert!(ProblemFile::parse(local, &limits).unwrap_err().to_string().contains("exceeds the limit of 100"));
    let mut header_claims_all = local.clone();
    header_claims_all[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(refusal(&header_claims_all).contains("bytes of the header: 4294967295"));
}

#[test]
fn a_file_over_the_cap_is_refused_before_it_is_read() {
    let path = std::env::temp_dir().join(format!("signorini-cap-{}.fcp", std::process::id()));
    let file = std::fs::File::create(&path).unwrap();
    // Sparse: takes no space on disk, would take a terabyte in memory.
    file.set_len(1 << 40).unwrap();
    let error = ProblemFile::read(&path).unwrap_err();
    std::fs::remove_file(&path).unwrap();
    assert!(matches!(error, FileError::Limit { found: 0x100_0000_0000, .. }), "{error}");
    let missing = ProblemFile::read(&path).unwrap_err();
    assert!(matches!(missing, FileError::Io { .. }) && missing.to_string().contains("signorini-cap"), "{missing}");
}

#[test]
fn a_file_written_to_disk_is_read_back() {
    let path = std::env::temp_dir().join(format!("signorini-round-{}.fcp", std::process::id()));
    let file = ProblemFile::from_problem(&Parts::random(7).problem(), "seven \"7\" \u{7}\n ü");
    file.write(&path).unwrap();
    let again = ProblemFile::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!(again.to_bytes() == file.to_bytes());
    assert_eq!(again.name(), "seven \"7\" \u{7}\n ü");
    assert_eq!(again.kind(), Kind::Blocks);
}

#[test]
fn headers_are_checked() {
    let nested = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(refusal(&with_header(&nested, &[])).contains("recursion limit"));
    assert!(refusal(b"").contains("not a problem file"));
    assert!(refusal(b"FCPROB2\n").contains("FCPROB2"));
    assert!(refusal(b"FCPROB1\n\x04").contains("the length of the header at byte 8 needs 4 bytes"));
    assert!(refusal(b"FCPROB1\n\x04\0\0\0{").contains("the header at byte 12 needs 4 bytes, the file has 1 left"));
    assert!(refusal(b"FCPROB1\n\x02\0\0\0{}").contains("not a multiple of 8"));
    assert!(refusal(b"FCPROB1\n\x04\0\0\0{\"\xff}").contains("not UTF-8 at byte 14"));
    let cases = [
        (r#"{"arrays":[]}"#, "key \"format\" is missing"),
        (r#"{"format":"FCP2","arrays":[]}"#, "\"format\" is \"FCP2\""),
        (r#"{"format":"FCP1","arrays":[]}"#, "key \"kind\" is missing"),
        (r#"{"format":"FCP1","kind":"x","arrays":[]}"#, "\"kind\" is \"x\""),
        (r#"{"format":"FCP1","kind":7,"arrays":[]}"#, "\"kind\" is 7, expected a string"),
        (r#"{"format":"FCP1","format":"FCP1","arrays":[]}"#, "key \"format\" appears twice"),
        (r#"{"note":1,"note":2,"arrays":[]}"#, "key \"note\" appears twice"),
        (r#"{"arrays":[],"arrays":[]}"#, "key \"arrays\" appears twice"),
        (r#"{"format":"FCP1","kind":"lcp","n":0}"#, "missing field `arrays`"),
        (r#"{"format":"FCP1","kind":"lcp","n":0,"arrays":[]}"#, "needs array M"),
        (r#"{"format":"FCP1","kind":"lcp","n":1e400,"arrays":[]}"#, "number out of range"),
        (r#"{"format":"FCP1","kind":"lcp","n":1,"arrays":[]} x"#, "trailing characters"),
        (r#"["#, "line 1 column"),
        (r#"{"format":"FCP1","kind":"blocks","version":5,"arrays":[]}"#, "version 5, this program reads up to 4"),
        (r#"{"format":"FCP1","kind":"blocks","version":0,"arrays":[]}"#, "\"version\" is 0"),
        (r#"{"format":"FCP1","kind":"blocks","arrays":[]}"#, "key \"version\" is missing"),
        (r#"{"arrays":[{"name":"a","dtype":"f32","shape":[],"offset":0,"nbytes":8}]}"#, "dtype f32"),
        (r#"{"arrays":[{"name":"a","dtype":"f64","shape":[],"offset":0,"nbytes":8,"x":1}]}"#, "unknown field `x`"),
    ];
    for (header, message) in cases {
        let found = refusal(&with_header(header, &[]));
        assert!(found.contains(message), "{header}: {found}");
    }
}

#[test]
fn arrays_must_be_those_of_the_kind() {
    use Data::{F64, I32};
    let keys = r#""format":"FCP1","kind":"lcp","n":1"#;
    let refused = |arrays: &[(&str, &[usize], Data)]| refusal(&container(keys, arrays));
    let m: (&str, &[usize], Data) = ("M", &[1, 1], F64(&[1.0]));
    assert!(refused(&[m, ("q", &[1], F64(&[1.0])), ("x", &[1], F64(&[1.0]))]).contains("kind lcp has no array x"));
    assert!(refused(&[("M", &[1], F64(&[1.0])), ("q", &[1], F64(&[1.0]))]).contains("shape [1], expected [1, 1]"));
    assert!(refused(&[("M", &[1, 1], F64(&[1.0])), ("q", &[1], I32(&[1]))]).contains("array q: dtype i32"));
    assert!(refused(&[("M", &[1, 1], F64(&[1.0])), ("M", &[1], F64(&[1.0]))]).contains("used twice"));
    assert!(refused(&[("M", &[1, 1], F64(&[f64::NAN])), ("q", &[1], F64(&[1.0]))]).contains("entry 0 is NaN"));
    let (_, mut bytes) = small_files().swap_remove(0);
    bytes.extend([0; 8]);
    assert!(refusal(&bytes).contains("8 unexpected bytes after the last array"));
    // The padding behind col_idx, one i32, is four bytes before the nine numbers of the block.
    let (_, mut bytes) = small_files().swap_remove(0);
    let at = bytes.len() - 73;
    bytes[at] = 3;
    assert!(refusal(&bytes).contains(&format!("padding byte {at} after array col_idx is 3")));
}

#[test]
fn indices_are_checked() {
    use Data::{F64, I32};
    let local = |row_ptr: [i32; 3], col_idx: &[i32]| {
        let n = col_idx.len();
        let blocks: Vec<f64> = (0..4 * n).map(|k| if k % 4 == 0 || k % 4 == 3 { 1.0 } else { 0.0 }).collect();
        refusal(&container(
            r#""format":"FCP1","kind":"local","dim":2,"nc":2"#,
            &[
                ("mu", &[2], F64(&[0.5, 0.5])),
                ("q", &[4], F64(&[0.0; 4])),
                ("row_ptr", &[3], I32(&row_ptr)),
                ("col_idx", &[n], I32(col_idx)),
                ("blocks", &[n, 2, 2], F64(&blocks)),
            ],
        ))
    };
    assert!(local([0, 1, 3], &[0, 1, 0]).contains("col_idx: entry 2 is 0: not greater than"));
    assert!(local([0, 1, 3], &[0, 1, 1]).contains("col_idx: entry 2 is 1: not greater than"));
    assert!(local([0, 1, 2], &[0, 2]).contains("col_idx: entry 1 is 2: no such column"));
    assert!(local([0, 1, 2], &[0, -1]).contains("col_idx: entry 1 is -1: negative"));
    assert!(local([0, 1, 1], &[0, 1]).contains("not all entries belong to a row"));
    assert!(local([0, 1, 9], &[0, 1]).contains("row_ptr: entry 2 is 9: more than there are"));
    assert!(local([1, 1, 2], &[0, 1]).contains("row_ptr: entry 0 is 1"));
    assert!(local([0, 2, 1], &[0, 1]).contains("row_ptr: entry 2 is 1: less than"));
    assert!(local([0, -1, 2], &[0, 1]).contains("row_ptr: entry 1 is -1: negative"));
    let bodies = |pair: [i32; 2], fixed: f64| {
        let minv: Vec<f64> = (0..36).map(|k| f64::from(k % 7 == 0)).collect();
        let mut j = [0.0; 36];
        (0..3).for_each(|i| j[18 + 7 * i] = 1.0);
        j[4] = fixed;
        refusal(&container(
            r#""format":"FCP1","kind":"bodies","nc":1,"nb":1"#,
            &[
                ("mu", &[1], F64(&[0.5])),
                ("v_free", &[6], F64(&[0.0; 6])),
                ("b", &[3], F64(&[0.0; 3])),
                ("minv", &[1, 6, 6], F64(&minv)),
                ("contact_body", &[1, 2], I32(&pair)),
                ("J", &[1, 2, 3, 6], F64(&j)),
            ],
        ))
    };
    assert!(bodies([-1, 1], 0.0).contains("contact_body: entry 1 is 1: no such body"));
    assert!(bodies([-2, 0], 0.0).contains("contact_body: entry 0 is -2: no such body"));
    assert!(bodies([0, 0], 0.0).contains("both sides are body 0"));
    assert!(bodies([-1, 0], 2.5).contains("J: entry 4 is 2.5: the Jacobian of a fixed body must be zero"));
}

#[test]
fn a_mass_matrix_must_be_one() {
    use Data::{F64, I32};
    let global = |m: [f64; 9]| {
        refusal(&container(
            r#""format":"FCP1","kind":"global_csr","nc":1,"ndof":3"#,
            &[
                ("mu", &[1], F64(&[0.5])),
                ("f", &[3], F64(&[0.0; 3])),
                ("b", &[3], F64(&[0.0; 3])),
                ("M_row_ptr", &[4], I32(&[0, 3, 6, 9])),
                ("M_col_idx", &[9], I32(&[0, 1, 2, 0, 1, 2, 0, 1, 2])),
                ("M_val", &[9], F64(&m)),
                ("H_row_ptr", &[4], I32(&[0, 1, 2, 3])),
                ("H_col_idx", &[3], I32(&[0, 1, 2])),
                ("H_val", &[3], F64(&[1.0; 3])),
            ],
        ))
    };
    assert!(
        global([1.0, 2.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 1.0]).contains("not positive definite: pivot -3e0 at row 1")
    );
    assert!(global([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]).contains("pivot 0e0 at row 2"));
    assert!(global([1.0, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]).contains("not symmetric: 0e0 at (1, 0) and 5e-1"));
    assert!(global([1.0, f64::INFINITY, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]).contains("M_val: entry 1 is inf"));
}

#[test]
fn the_blocks_kind_checks_laws_and_parameters() {
    use Data::{F64, I32};
    let file = |law: i32, rows: i32, parameters: [f64; 2], symmetry: &str| {
        let bytes = container(
            &format!(
                r#""format":"FCP1","kind":"blocks","version":1,"blocks":1,"rows":1,"operator":"dense","symmetry":{symmetry}"#
            ),
            &[
                ("law", &[1], I32(&[law])),
                ("block_rows", &[1], I32(&[rows])),
                ("parameters", &[1, 2], F64(&parameters)),
                ("q", &[1], F64(&[-1.0])),
                ("W", &[1, 1], F64(&[1.0])),
            ],
        );
        parse(&bytes).and_then(|f| f.to_problem()).map_or_else(|e| e.to_string(), |_| "accepted".to_owned())
    };
    let infinity = f64::INFINITY;
    assert_eq!(file(0, 1, [0.0, 0.0], "\"exact\""), "accepted");
    assert_eq!(file(2, 1, [-infinity, infinity], "\"general\""), "accepted");
    assert_eq!(file(2, 1, [-infinity, 3.0], "0.01"), "accepted");
    assert!(file(4, 1, [0.0, 0.0], "0").contains("law: entry 0 is 4"));
    assert!(file(1, 2, [0.0, 0.0], "0").contains("\"rows\" is 1, expected 2"));
    assert!(file(1, 0, [0.0, 0.0], "0").contains("one to six rows"));
    assert!(file(1, i32::MIN, [0.0, 0.0], "0").contains("one to six rows"));
    assert!(file(1, 1, [0.5, 0.0], "0").contains("parameters: entry 0 is 0.5: the law has no such parameter"));
    assert!(file(0, 1, [0.0, -0.0], "0").contains("parameters: entry 1 is -0"));
    assert!(file(2, 1, [1.0, 0.0], "0").contains("hi 0"));
    assert!(file(2, 1, [f64::NAN, 0.0], "0").contains("lo NaN"));
    assert!(file(3, 1, [0.5, 0.0], "0").contains("a coulomb block cannot have 1 rows"));
    assert!(file(0, 1, [0.0, 0.0], "-1").contains("\"symmetry\" is -1"));
    assert!(file(0, 1, [0.0, 0.0], "\"some\"").contains("\"symmetry\" is \"some\""));
}

/// Same blocks, same bits everywhere.
fn assert_same(a: &ContactProblem, b: &ContactProblem) {
    let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(a.blocks(), b.blocks());
    assert_eq!(bits(a.q()), bits(b.q()));
    assert_eq!(a.asymmetry().to_bits(), b.asymmetry().to_bits());
    match (a.delassus(), b.delassus()) {
        (Delassus::Dense(a), Delassus::Dense(b)) => assert_eq!(bits(a.values()), bits(b.values())),
        (Delassus::BlockSparse(v), Delassus::BlockSparse(w)) => {
            for c in 0..a.blocks().len() {
                assert!(v.row(c).map(|(k, x)| (k, bits(x))).eq(w.row(c).map(|(k, x)| (k, bits(x)))));
            }
        }
        (Delassus::Factored(a), Delassus::Factored(b)) => {
            assert_eq!(a.bodies(), b.bodies());
            assert_eq!(bits(a.jacobian().as_flattened()), bits(b.jacobian().as_flattened()));
            let entries = |m: &FactoredDelassus| bits(m.inverse_mass().as_flattened().as_flattened());
            assert_eq!(entries(a), entries(b));
            assert_eq!(bits(a.compliance()), bits(b.compliance()));
        }
        _ => panic!("another form"),
    }
}

fn round_trip(problem: &ContactProblem) {
    let bytes = ProblemFile::from_problem(problem, "random").to_bytes();
    let file = parse(&bytes).unwrap();
    assert!(file.to_bytes() == bytes);
    assert_eq!(file.name(), "random");
    let again = file.to_problem().unwrap();
    assert_same(problem, &again);
    assert!(ProblemFile::from_problem(&again, "random").to_bytes() == bytes);
}

#[test]
fn the_empty_problem_is_a_problem() {
    let dense = Delassus::Dense(DenseDelassus::new(0, vec![]));
    let sparse = Delassus::BlockSparse(BlockSparseDelassus::new(&[0], vec![0], vec![], vec![]).unwrap());
    let factored = Delassus::Factored(FactoredDelassus::new(vec![], vec![], vec![]));
    for w in [dense, sparse, factored] {
        round_trip(&ContactProblem::new(vec![], w, vec![], Symmetry::Exact).unwrap());
    }
}

#[test]
fn unbounded_intervals_and_general_matrices_survive() {
    let infinity = f64::INFINITY;
    let blocks = vec![Block::interval(-infinity, infinity), Block::interval(-1.0, infinity), Block::normal()];
    let w = vec![-1.0, 2.0, 3.0, -4.0, 0.0, 5.0, 1e-300, -0.0, 7.0];
    let w = Delassus::Dense(DenseDelassus::new(3, w));
    round_trip(&ContactProblem::new(blocks, w, vec![-0.0, 5e-324, 1e308], Symmetry::General).unwrap());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn any_problem_survives_a_file_of_blocks(seed in any::<u64>()) {
        let parts = Parts::random(seed);
        round_trip(&parts.problem());
        round_trip(&parts.dense());
        round_trip(&parts.block_sparse(0.0));
        round_trip(&parts.block_sparse(1e-3));
    }
}
