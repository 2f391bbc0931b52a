//! Damaged files: cut anywhere, any bit flipped. An error or a valid problem, never a panic.

use crate::generated::*;
use signorini_problem::io::*;
use signorini_problem::*;

/// Whether the bytes are a problem. Whatever they are, reading them must come back, and a problem must be gradable.
fn is_problem(bytes: &[u8]) -> bool {
    let Ok(file) = ProblemFile::parse(bytes, &Limits::default()) else { return false };
    assert!(file.to_bytes() == bytes, "what was read is not what is written");
    let Ok(problem) = file.to_problem() else { return false };
    let certificate = certify(&problem, &vec![1.0; problem.rows()]).unwrap();
    assert!(!certificate.natural.is_nan());
    true
}

/// The small files made here, and the small ones of the shared set.
fn samples(largest: usize) -> Vec<(String, Vec<u8>)> {
    let mut samples: Vec<(String, Vec<u8>)> = small_files().into_iter().map(|(n, b)| (n.to_owned(), b)).collect();
    for path in shared_files() {
        let bytes = std::fs::read(&path).unwrap();
        if bytes.len() <= largest {
            samples.push((path.display().to_string(), bytes));
        }
    }
    samples
}

#[test]
fn a_file_cut_at_any_byte_is_refused() {
    for (name, bytes) in samples(1400) {
        assert!(is_problem(&bytes), "{name}");
        for length in 0..bytes.len() {
            assert!(!is_problem(&bytes[..length]), "{name} cut at {length}");
        }
    }
}

#[test]
fn a_file_with_any_bit_flipped_is_refused_or_valid() {
    for (name, bytes) in samples(700) {
        assert!(bytes.len() <= 2048, "{name}");
        let mut damaged = bytes.clone();
        let (mut refused, header) = (0, u32::from_le_bytes([bytes[8], bytes[9], bytes[10], bytes[11]]) as usize);
        for bit in 0..8 * bytes.len() {
            damaged[bit / 8] ^= 1 << (bit % 8);
            let valid = is_problem(&damaged);
            assert!(!(valid && bit < 96), "{name}: bit {bit} of magic or length");
            refused += usize::from(!valid);
            damaged[bit / 8] ^= 1 << (bit % 8);
        }
        println!("{name}: {refused} of {} flips refused, header {header} bytes", 8 * bytes.len());
    }
}

#[test]
fn larger_files_damaged_here_and_there_are_refused_or_valid() {
    let mut numbers = Numbers::new(1);
    for (_, bytes) in samples(20_000).into_iter().filter(|(_, b)| b.len() > 700) {
        let mut damaged = bytes.clone();
        for _ in 0..300 {
            let (at, value) = (numbers.below(bytes.len()), numbers.next() as u8);
            damaged[at] = value;
            is_problem(&damaged);
            damaged[at] = bytes[at];
            assert!(!is_problem(&bytes[..numbers.below(bytes.len())]));
        }
    }
}
