//! Finds the known name nearest to a misspelt one, for error messages.

/// The candidate that differs least from `name`, if it differs by no more than a third of its letters; case does not
/// count. The first of equals.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = name.to_lowercase().chars().take(64).collect();
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let letters: Vec<char> = candidate.to_lowercase().chars().take(64).collect();
        let distance = distance(&wanted, &letters);
        let close = distance <= (wanted.len().max(letters.len()) / 3).max(1) && distance < letters.len();
        if close && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Letters to insert, delete, replace or swap with their neighbour (Damerau 1964, optimal string alignment).
fn distance(a: &[char], b: &[char]) -> usize {
    let width = b.len() + 1;
    let mut table = vec![0; (a.len() + 1) * width];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            table[i * width + j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replaced = table[(i - 1) * width + j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let mut least = replaced.min(table[(i - 1) * width + j] + 1).min(table[i * width + j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    least = least.min(table[(i - 2) * width + j - 2] + 1);
                }
                least
            };
        }
    }
    table[a.len() * width + b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_of_the_pen_are_understood_and_strangers_are_not() {
        let fields = ["name", "kind", "shape", "mass", "density", "position", "friction"];
        for (written, meant) in [("mas", "mass"), ("postion", "position"), ("frection", "friction"), ("knid", "kind")] {
            assert_eq!(nearest(written, fields), Some(meant));
        }
        for stranger in ["", "colour", "zz", "gravity"] {
            assert_eq!(nearest(stranger, fields), None);
        }
    }
}
