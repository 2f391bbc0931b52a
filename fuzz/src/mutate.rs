//! Mutations of bytes, from a seed.

use signorini_problem::random::SplitMix64;

/// Seeded numbers: the same everywhere, for ever.
#[derive(Clone, Debug)]
pub struct Random(SplitMix64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(SplitMix64::new(seed))
    }

    pub fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    /// Below `count`, which is above zero.
    pub fn below(&mut self, count: usize) -> usize {
        (self.bits() >> 33) as usize % count.max(1)
    }

    /// A stretch of at most `most` of `length` bytes.
    fn stretch(&mut self, length: usize, most: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        let end = start + self.below(most.min(length - start) + 1);
        start..end
    }
}

/// Numbers that readers of numbers stumble over.
const NUMBERS: [&str; 22] = [
    "0",
    "-0",
    "1",
    "-1",
    "2",
    "0.5",
    "1e-9",
    "1e-300",
    "5e-324",
    "1e300",
    "1e400",
    "-1e308",
    "NaN",
    "nan",
    "inf",
    "-inf",
    "4294967295",
    "4294967296",
    "18446744073709551616",
    "-9223372036854775808",
    "1_000",
    "0x10",
];
/// Bytes as numbers of one to eight bytes.
const WORDS: [u64; 10] = [0, 1, 0x7f, 0x80, 0xff, 0x7fff_ffff, 0xffff_ffff, 0x7ff0_0000_0000_0000, 1 << 63, u64::MAX];

/// Longest input \[bytes\].
const LONGEST: usize = 1 << 16;

/// Changes `bytes` in one to four places; `others` are inputs to take pieces of, `tokens` words of the language.
pub fn mutate(bytes: &mut Vec<u8>, others: &[Vec<u8>], tokens: &[&str], random: &mut Random) {
    for _ in 0..1 + random.below(4) {
        once(bytes, others, tokens, random);
    }
    bytes.truncate(LONGEST);
}

fn once(bytes: &mut Vec<u8>, others: &[Vec<u8>], tokens: &[&str], random: &mut Random) {
    let length = bytes.len();
    match random.below(12) {
        0 if length > 0 => bytes[random.below(length)] ^= 1 << random.below(8),
        1 if length > 0 => bytes[random.below(length)] = random.bits() as u8,
        2 => drop(bytes.drain(random.stretch(length, 64))),
        3 => bytes.truncate(random.below(length + 1)),
        4 => {
            let copy = bytes[random.stretch(length, 256)].to_vec();
            insert(bytes, random.below(length + 1), &copy);
        }
        5 if !others.is_empty() => {
            let other = &others[random.below(others.len())];
            let piece = other[random.stretch(other.len(), 512)].to_vec();
            insert(bytes, random.below(length + 1), &piece);
        }
        6 | 7 if !tokens.is_empty() => {
            let token = tokens[random.below(tokens.len())];
            let at = random.below(length + 1);
            if random.below(2) == 0 {
                bytes.drain(at..length.min(at + token.len()));
            }
            insert(bytes, at.min(bytes.len()), token.as_bytes());
        }
        8 | 9 => replace_number(bytes, random),
        10 if length > 0 => {
            let width = [1, 2, 4, 8][random.below(4)].min(length);
            let at = random.below(length - width + 1);
            let word = WORDS[random.below(WORDS.len())].to_le_bytes();
            bytes[at..at + width].copy_from_slice(&word[..width]);
        }
        _ => {
            let (one, two) = (random.stretch(length, 64), random.stretch(length, 64));
            let moved = bytes[one].to_vec();
            let at = two.start.min(bytes.len());
            bytes.splice(at..two.end.min(bytes.len()).max(at), moved);
        }
    }
}

fn insert(bytes: &mut Vec<u8>, at: usize, piece: &[u8]) {
    bytes.splice(at..at, piece.iter().copied());
}

/// Puts an awkward number in the place of one in a text.
fn replace_number(bytes: &mut Vec<u8>, random: &mut Random) {
    let digit = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e' | b'E');
    let from = random.below(bytes.len() + 1);
    let Some(start) = bytes[from..].iter().position(u8::is_ascii_digit).map(|at| from + at) else { return };
    let end = start + bytes[start..].iter().take_while(|byte| digit(byte)).count();
    let number = NUMBERS[random.below(NUMBERS.len())];
    bytes.splice(start..end, number.bytes());
}
