//! Problem files built byte by byte, a place to put them, and the command run on them.

// Each test program uses its own part of this.
#![allow(dead_code)]

use signorini_problem::{Block, ContactProblem, Delassus, DenseDelassus, Symmetry};
use std::process::Command;

/// What a run of the command left behind.
#[derive(Debug)]
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

pub fn signorini(arguments: &[&str]) -> Run {
    let output = Command::new(env!("CARGO_BIN_EXE_signorini")).args(arguments).output().unwrap();
    Run {
        code: output.status.code().expect("killed by a signal"),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A directory of its own for one test.
pub struct Workshop {
    directory: String,
}

/// Two separate 2 kg blocks that land at 0.0981 m/s on a floor with μ = 0.5. From paper, with m g h = 0.1962 N·s and
/// μ m g h = 0.0981 N·s: the first, at 0.02 m/s sideways, needs 0.04 N·s to stop and stops; the second, at 0.2 m/s,
/// needs 0.4 N·s, gets 0.0981 and slides on at 0.2 − 0.0981/2 = 0.15095 m/s.
pub const TWO_BLOCKS_IMPULSES: [f64; 6] = [0.1962, -0.04, 0.0, 0.1962, 0.0, -0.0981];
pub const TWO_BLOCKS_VELOCITY: [f64; 6] = [0.0, 0.0, 0.0, 0.0, 0.0, 0.15095];

const TWO_BLOCKS_Q: [f64; 6] = [-0.0981, 0.02, 0.0, -0.0981, 0.0, 0.2];

/// Two equal blocks of 1 kg on top of each other, seen at their centres.
const STACK_W: [[f64; 2]; 2] = [[1.0, -1.0], [-1.0, 2.0]];
const STACK_Q: [f64; 6] = [-0.0981, 0.01, 0.0, 0.0, 0.3, -0.1];

impl Workshop {
    pub fn new(test: &str) -> Self {
        let directory = format!("{}/command_line/{test}", env!("CARGO_TARGET_TMPDIR"));
        let _ = std::fs::remove_dir_all(&directory);
        std::fs::create_dir_all(&directory).unwrap();
        Workshop { directory }
    }

    pub fn directory(&self) -> String {
        self.directory.clone()
    }

    pub fn path(&self, name: &str) -> String {
        format!("{}/{name}", self.directory)
    }

    /// The file of two separate blocks.
    pub fn two_blocks(&self) -> String {
        self.write_two_blocks("two_blocks.fcp")
    }

    pub fn write_two_blocks(&self, name: &str) -> String {
        let diagonal = scaled_identity(0.5);
        self.write(name, &[0.5, 0.5], &TWO_BLOCKS_Q, &[0, 1, 2], &[0, 1], &[diagonal, diagonal].concat())
    }

    /// The file of two blocks on top of each other.
    pub fn stack(&self) -> String {
        let blocks = STACK_W.as_flattened().iter().flat_map(|w| scaled_identity(*w)).collect::<Vec<_>>();
        self.write("stack.fcp", &[0.6, 0.4], &STACK_Q, &[0, 2, 4], &[0, 1, 0, 1], &blocks)
    }

    fn write(&self, name: &str, mu: &[f64], q: &[f64], row_ptr: &[i32], col_idx: &[i32], blocks: &[f64]) -> String {
        let contacts = mu.len();
        let mut data = Vec::new();
        let mut arrays = Vec::new();
        let mut append = |name: &str, dtype: &str, shape: String, bytes: Vec<u8>| {
            arrays.push(format!(
                r#"{{"name":"{name}","dtype":"{dtype}","shape":{shape},"offset":{offset},"nbytes":{nbytes}}}"#,
                offset = data.len(),
                nbytes = bytes.len()
            ));
            data.extend(bytes);
            data.resize(data.len().next_multiple_of(8), 0);
        };
        append("mu", "f64", format!("[{contacts}]"), of_f64(mu));
        append("q", "f64", format!("[{}]", q.len()), of_f64(q));
        append("row_ptr", "i32", format!("[{}]", row_ptr.len()), of_i32(row_ptr));
        append("col_idx", "i32", format!("[{}]", col_idx.len()), of_i32(col_idx));
        append("blocks", "f64", format!("[{},3,3]", col_idx.len()), of_f64(blocks));
        let mut header = format!(
            r#"{{"format":"FCP1","kind":"local","name":"{name}","family":"test","dim":3,"nc":{contacts},"nnzb":{stored},"#,
            stored = col_idx.len()
        );
        header += &format!(r#""arrays":[{}]}}"#, arrays.join(","));
        // The data starts at a multiple of eight.
        while (12 + header.len()) % 8 != 0 {
            header.push(' ');
        }
        let mut bytes = b"FCPROB1\n".to_vec();
        bytes.extend(u32::try_from(header.len()).unwrap().to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

/// The problem in the file of two separate blocks, built without reading it.
pub fn two_blocks_problem() -> ContactProblem {
    problem(&[0.5, 0.5], &[[0.5, 0.0], [0.0, 0.5]], &TWO_BLOCKS_Q)
}

/// The problem in the file of the stack, built without reading it.
pub fn stack_problem() -> ContactProblem {
    problem(&[0.6, 0.4], &STACK_W, &STACK_Q)
}

fn problem(mu: &[f64; 2], w: &[[f64; 2]; 2], q: &[f64; 6]) -> ContactProblem {
    let mut dense = vec![0.0; 36];
    for i in 0..6 {
        for j in 0..6 {
            if i % 3 == j % 3 {
                dense[6 * i + j] = w[i / 3][j / 3];
            }
        }
    }
    let blocks = mu.iter().map(|mu| Block::contact(*mu)).collect();
    ContactProblem::new(blocks, Delassus::Dense(DenseDelassus::new(6, dense)), q.to_vec(), Symmetry::Exact).unwrap()
}

fn scaled_identity(w: f64) -> [f64; 9] {
    [w, 0.0, 0.0, 0.0, w, 0.0, 0.0, 0.0, w]
}

fn of_f64(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|x| x.to_le_bytes()).collect()
}

fn of_i32(values: &[i32]) -> Vec<u8> {
    values.iter().flat_map(|x| x.to_le_bytes()).collect()
}
