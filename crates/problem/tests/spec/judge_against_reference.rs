//! The judge and the published reference answers: the same residuals as the independent checker that came with them.

use crate::generated::*;
use signorini_problem::io::*;
use signorini_problem::*;
use std::collections::BTreeMap;
use std::path::Path;

/// A one-dimensional little-endian f64 array in NumPy's format, version 1.
fn read_npy(path: &Path) -> Vec<f64> {
    let bytes = std::fs::read(path).unwrap();
    assert!(bytes.starts_with(b"\x93NUMPY\x01\x00"), "{}", path.display());
    let header = u16::from_le_bytes([bytes[8], bytes[9]]) as usize;
    let text = std::str::from_utf8(&bytes[10..10 + header]).unwrap();
    assert!(text.contains("'<f8'") && text.contains("'fortran_order': False"), "{text}");
    bytes[10 + header..].as_chunks::<8>().0.iter().map(|x| f64::from_le_bytes(*x)).collect()
}

/// Columns of the table by name, row by problem. No field before the last two holds a comma.
fn reference(root: &Path) -> BTreeMap<String, BTreeMap<String, String>> {
    let text = std::fs::read_to_string(root.join("reference.csv")).unwrap();
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    lines
        .map(|line| {
            let row: BTreeMap<String, String> =
                names.iter().zip(line.split(',')).map(|(n, x)| ((*n).to_owned(), x.to_owned())).collect();
            (row["problem"].clone(), row)
        })
        .collect()
}

#[test]
fn the_judge_agrees_with_the_published_residuals() {
    let Some(root) = shared_problems() else { return };
    let table = reference(&root);
    let mut disagreements = vec![];
    let mut compared = 0;
    for path in shared_files() {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let problem = ProblemFile::read(&path).unwrap().to_problem().unwrap();
        let certificate = certify(&problem, &read_npy(&root.join(format!("dev/sol/{name}.npy")))).unwrap();
        let row = &table[name];
        let number = |column: &str| row[column].parse::<f64>().unwrap_or(0.0);
        if row["kind"] == "lcp" {
            // Their measure for these is max|min(z, w)| over max(1, |q|); ours has the unit of w.
            assert!(certificate.natural <= 1e-8 * certificate.speed.max(1.0), "{name}: {certificate:?}");
            continue;
        }
        compared += 1;
        // The table leaves out the floor of global problems. There the answers solve a problem that was condensed in
        // double precision, and carry its rounding: for CubeH8_global, q of the condensed file is off by 8e-15 from
        // what arithmetic with 60 digits gives, while ours is off by less than 2e-15.
        let condensation = if row["kind"] == "global_csr" { 5e-14 } else { 0.0 };
        let floor = f64::max(3.0 * f64::max(number("floor_rel"), certificate.floor_rel), condensation);
        let agree = |ours: f64, theirs: f64| {
            (ours <= floor && theirs <= floor) || (ours <= 1.5 * theirs && theirs <= 1.5 * ours)
        };
        let (scaled, nat) = (number("ref_scaled_rel"), number("ref_nat_rel"));
        if !agree(certificate.natural_rel, scaled) || !agree(certificate.fclib_error, nat) {
            disagreements.push(format!(
                "{name}: scaled {:e} against {scaled:e}, unscaled {:e} against {nat:e}, floor {:e} against {:e}",
                certificate.natural_rel,
                certificate.fclib_error,
                certificate.floor_rel,
                number("floor_rel")
            ));
        }
        // Counts of active contacts: ours by the larger of the two complementary sides, theirs by r_N > 0.
        let solved = number("ref_scaled_rel") <= 1e-8 && number("ref_nat_rel") <= 1e-8;
        let meets = certificate.meets(&Tolerance::relative(1e-8));
        assert_eq!(solved, meets, "{name}: {certificate:?}");
    }
    println!("{compared} problems compared");
    assert_eq!(compared, 68);
    assert!(disagreements.is_empty(), "{}", disagreements.join("\n"));
}
