//! Problems made from a seed, small files made by hand, and where the shared problems are.

// Every test program uses a part of this.
#![allow(dead_code)]

use signorini_problem::random::SplitMix64;
use signorini_problem::*;
use std::path::PathBuf;

/// Numbers from a seed.
pub struct Numbers(SplitMix64);

impl Numbers {
    pub fn new(seed: u64) -> Self {
        Numbers(SplitMix64::new(seed))
    }
    pub fn next(&mut self) -> u64 {
        self.0.bits()
    }
    pub fn below(&mut self, n: usize) -> usize {
        self.0.below(n)
    }
    pub fn within(&mut self, lo: f64, hi: f64) -> f64 {
        self.0.uniform(lo, hi)
    }
    pub fn direction(&mut self) -> [f64; 2] {
        let angle = self.within(0.0, std::f64::consts::TAU);
        [angle.cos(), angle.sin()]
    }
}

/// A problem in its parts, so that a test can transform it, with an impulse.
#[derive(Clone)]
pub struct Parts {
    pub blocks: Vec<Block>,
    pub inverse_mass: Vec<InverseMass>,
    pub bodies: Vec<[Option<u32>; 2]>,
    pub jacobian: Vec<JacobianRow>,
    pub q: Vec<f64>,
    pub r: Vec<f64>,
}

impl Parts {
    /// Bodies of masses 0.5..5 with blocks of all laws between them; q and r are arbitrary.
    pub fn random(seed: u64) -> Self {
        let n = &mut Numbers::new(seed);
        let inverse_mass: Vec<InverseMass> = (0..1 + n.below(4)).map(|_| random_inverse_mass(n)).collect();
        let mut parts = Parts { blocks: vec![], inverse_mass, bodies: vec![], jacobian: vec![], q: vec![], r: vec![] };
        for _ in 0..1 + n.below(6) {
            let block = match n.below(7) {
                0 => Block::joint(1 + n.below(6)),
                1 => Block::normal(),
                2 => Block::interval(n.within(-2.0, 0.0), n.within(0.0, 2.0)),
                3 => Block::planar_contact(n.within(0.1, 1.0)),
                4 => Block::rolling_contact(n.within(0.1, 1.0), n.within(0.1, 1.0), n.within(0.1, 1.0)),
                _ => Block::contact(n.within(0.1, 1.0)),
            };
            let count = parts.inverse_mass.len();
            let a = n.below(count);
            let b = if n.below(3) == 0 { a } else { n.below(count) };
            parts.bodies.push([Some(a as u32), if a == b { None } else { Some(b as u32) }]);
            parts.blocks.push(block);
            for _ in 0..block.rows {
                let mut row: JacobianRow = std::array::from_fn(|_| n.within(-1.0, 1.0));
                if a == b {
                    row[6..].fill(0.0);
                }
                parts.jacobian.push(row);
                parts.q.push(n.within(-2.0, 2.0));
                parts.r.push(n.within(-0.5, 2.0));
            }
        }
        parts
    }

    /// The same with an impulse that solves it: states are chosen block by block, and q = u − W r.
    pub fn solved(seed: u64) -> Self {
        let mut parts = Parts::random(seed);
        let n = &mut Numbers::new(!seed);
        let mut u = vec![0.0; parts.q.len()];
        let mut row = 0;
        for block in &parts.blocks {
            let (r, u) = (&mut parts.r[row..row + block.rows], &mut u[row..row + block.rows]);
            match block.law {
                Law::Equality => r.iter_mut().for_each(|r| *r = n.within(-2.0, 2.0)),
                Law::NonNegative => {
                    (r[0], u[0]) = if n.below(2) == 0 { (0.0, n.within(0.5, 2.0)) } else { (n.within(0.5, 2.0), 0.0) }
                }
                Law::Interval { lo, hi } => {
                    (r[0], u[0]) = match n.below(3) {
                        0 => (lo, n.within(0.5, 2.0)),
                        1 => (hi, -n.within(0.5, 2.0)),
                        _ => (0.5 * (lo + hi), 0.0),
                    }
                }
                Law::Coulomb { mu } | Law::Rolling { mu, .. } => {
                    r.fill(0.0);
                    if n.below(3) == 0 {
                        u.iter_mut().for_each(|u| *u = n.within(0.5, 2.0));
                    } else {
                        r[0] = n.within(0.5, 2.0);
                        hold_or_slide(n, mu * r[0], &mut r[1..block.rows.min(3)], &mut u[1..block.rows.min(3)]);
                        for (rows, bound) in block.law.moments() {
                            hold_or_slide(n, bound * r[0], &mut r[rows.clone()], &mut u[rows]);
                        }
                    }
                }
            }
            row += block.rows;
        }
        parts.q.fill(0.0);
        let impulse = parts.problem().velocity(&parts.r);
        parts.q = u.iter().zip(impulse).map(|(u, w_r)| u - w_r).collect();
        parts
    }

    pub fn offsets(&self) -> Vec<usize> {
        let mut offsets = vec![0];
        for b in &self.blocks {
            offsets.push(offsets[offsets.len() - 1] + b.rows);
        }
        offsets
    }

    /// Over bodies.
    pub fn problem(&self) -> ContactProblem {
        let w = FactoredDelassus::new(self.inverse_mass.clone(), self.bodies.clone(), self.jacobian.clone());
        ContactProblem::new(self.blocks.clone(), Delassus::Factored(w), self.q.clone(), Symmetry::Exact).unwrap()
    }

    /// With all entries of W.
    pub fn dense(&self) -> ContactProblem {
        let w = self.problem().delassus().to_dense(&self.offsets());
        let w = Delassus::Dense(DenseDelassus::new(self.q.len(), w));
        ContactProblem::new(self.blocks.clone(), w, self.q.clone(), Symmetry::Exact).unwrap()
    }

    /// With the blocks of W that are not zero, the lower half scaled by `1 + noise`.
    pub fn block_sparse(&self, noise: f64) -> ContactProblem {
        let (problem, offsets) = (self.dense(), self.offsets());
        let (mut row_ptr, mut columns, mut values) = (vec![0], vec![], vec![]);
        for c in 0..self.blocks.len() {
            for k in 0..self.blocks.len() {
                let mut block = vec![0.0; self.blocks[c].rows * self.blocks[k].rows];
                problem.delassus().block(&offsets, c, k, &mut block);
                if block.iter().any(|x| *x != 0.0) {
                    columns.push(k);
                    let factor = if k < c { 1.0 + noise } else { 1.0 };
                    values.extend(block.iter().map(|x| x * factor));
                }
            }
            row_ptr.push(columns.len());
        }
        let w = Delassus::BlockSparse(BlockSparseDelassus::new(&offsets, row_ptr, columns, values).unwrap());
        let symmetry = if noise == 0.0 { Symmetry::Exact } else { Symmetry::IMPORTED };
        ContactProblem::new(self.blocks.clone(), w, self.q.clone(), symmetry).unwrap()
    }
}

/// Half of the most against nothing, or all of it against a motion, in one direction or two.
fn hold_or_slide(n: &mut Numbers, most: f64, r: &mut [f64], u: &mut [f64]) {
    let mut e = n.direction();
    if r.len() == 1 {
        e = [e[0].signum(), 0.0];
    }
    let (share, slip) = if n.below(2) == 0 { (0.5, 0.0) } else { (1.0, n.within(0.5, 2.0)) };
    for k in 0..r.len() {
        r[k] = -share * most * e[k];
        u[k] = slip * e[k];
    }
}

fn random_inverse_mass(n: &mut Numbers) -> InverseMass {
    let mut m = [[0.0; 6]; 6];
    let linear = 1.0 / n.within(0.5, 5.0);
    let a: [[f64; 3]; 3] = std::array::from_fn(|_| std::array::from_fn(|_| n.within(-1.0, 1.0)));
    for i in 0..3 {
        m[i][i] = linear;
        for j in 0..=i {
            let product: f64 = (0..3).map(|k| a[i][k] * a[j][k]).sum();
            m[3 + i][3 + j] = product + if i == j { 0.5 } else { 0.0 };
            m[3 + j][3 + i] = m[3 + i][3 + j];
        }
    }
    m
}

/// The numbers of a hand-made array.
pub enum Data<'a> {
    F64(&'a [f64]),
    I32(&'a [i32]),
}

/// A file made by hand, independently of the writer under test. `keys` is JSON without braces.
pub fn container(keys: &str, arrays: &[(&str, &[usize], Data)]) -> Vec<u8> {
    let mut data = Vec::new();
    let mut entries = Vec::new();
    for (name, shape, numbers) in arrays {
        let offset = data.len();
        let dtype = match numbers {
            Data::F64(x) => {
                x.iter().for_each(|x| data.extend(x.to_le_bytes()));
                "f64"
            }
            Data::I32(x) => {
                x.iter().for_each(|x| data.extend(x.to_le_bytes()));
                "i32"
            }
        };
        let nbytes = data.len() - offset;
        entries.push(format!(
            r#"{{"name":"{name}","dtype":"{dtype}","shape":{shape:?},"offset":{offset},"nbytes":{nbytes}}}"#
        ));
        data.resize(data.len().next_multiple_of(8), 0);
    }
    with_header(&format!(r#"{{{keys},"arrays":[{}]}}"#, entries.join(",")), &data)
}

/// Magic, header as given and padded with spaces, data.
pub fn with_header(header: &str, data: &[u8]) -> Vec<u8> {
    let mut header = header.to_owned();
    while !(12 + header.len()).is_multiple_of(8) {
        header.push(' ');
    }
    let mut bytes = b"FCPROB1\n".to_vec();
    bytes.extend((header.len() as u32).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

/// One contact of a block of 2 kg, in every published kind and in ours.
pub fn small_files() -> Vec<(&'static str, Vec<u8>)> {
    use Data::{F64, I32};
    let mut minv = [0.0; 36];
    (0..6).for_each(|i| minv[7 * i] = 0.5);
    let mut j = [0.0; 36];
    (0..3).for_each(|i| j[18 + 7 * i] = 1.0);
    let local = container(
        r#""format":"FCP1","kind":"local","name":"one","dim":3,"nc":1"#,
        &[
            ("mu", &[1], F64(&[0.5])),
            ("q", &[3], F64(&[-1.0, 0.25, 0.0])),
            ("row_ptr", &[2], I32(&[0, 1])),
            ("col_idx", &[1], I32(&[0])),
            ("blocks", &[1, 3, 3], F64(&[0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.5])),
        ],
    );
    let planar = container(
        r#""format":"FCP1","kind":"local","name":"flat","dim":2,"nc":1,"nnzb":1"#,
        &[
            ("mu", &[1], F64(&[0.5])),
            ("q", &[2], F64(&[-1.0, 0.25])),
            ("row_ptr", &[2], I32(&[0, 1])),
            ("col_idx", &[1], I32(&[0])),
            ("blocks", &[1, 2, 2], F64(&[0.5, 0.0, 0.0, 0.5])),
        ],
    );
    let bodies = container(
        r#""format":"FCP1","kind":"bodies","name":"one","dim":3,"nc":1,"nb":1"#,
        &[
            ("mu", &[1], F64(&[0.5])),
            ("v_free", &[6], F64(&[-1.0, 0.0, 0.0, 0.0, 0.0, 0.0])),
            ("b", &[3], F64(&[0.0, 0.25, 0.0])),
            ("minv", &[1, 6, 6], F64(&minv)),
            ("contact_body", &[1, 2], I32(&[-1, 0])),
            ("J", &[1, 2, 3, 6], F64(&j)),
        ],
    );
    let global = |ndof: usize| {
        let diagonal: Vec<i32> = (0..ndof as i32).collect();
        let pointers: Vec<i32> = (0..=ndof as i32).collect();
        let h_pointers: Vec<i32> = (0..=ndof as i32).map(|i| i.min(3)).collect();
        let mut f = vec![0.0; ndof];
        f[0] = -2.0;
        container(
            &format!(r#""format":"FCP1","kind":"global_csr","name":"one","dim":3,"nc":1,"ndof":{ndof}"#),
            &[
                ("mu", &[1], F64(&[0.5])),
                ("f", &[ndof], F64(&f)),
                ("b", &[3], F64(&[0.0, 0.25, 0.0])),
                ("M_row_ptr", &[ndof + 1], I32(&pointers)),
                ("M_col_idx", &[ndof], I32(&diagonal)),
                ("M_val", &[ndof], F64(&vec![2.0; ndof])),
                ("H_row_ptr", &[ndof + 1], I32(&h_pointers)),
                ("H_col_idx", &[3], I32(&[0, 1, 2])),
                ("H_val", &[3], F64(&[1.0, 1.0, 1.0])),
            ],
        )
    };
    let lcp = container(
        r#""format":"FCP1","kind":"lcp","name":"two","n":2"#,
        &[("M", &[2, 2], F64(&[2.0, 1.0, 1.0, 2.0])), ("q", &[2], F64(&[-5.0, -6.0]))],
    );
    let identity = [0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.5];
    let w = Delassus::Dense(DenseDelassus::new(3, identity.to_vec()));
    let blocks = ContactProblem::new(vec![Block::contact(0.5)], w, vec![-1.0, 0.25, 0.0], Symmetry::Exact).unwrap();
    let blocks = io::ProblemFile::from_problem(&blocks, "one").to_bytes();
    vec![
        ("local", local),
        ("planar", planar),
        ("bodies", bodies),
        ("global, bodies", global(6)),
        ("global, condensed", global(4)),
        ("lcp", lcp),
        ("blocks", blocks),
    ]
}

/// The published problems beside the workspace, if they are there.
pub fn shared_problems() -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/problems");
    if path.is_dir() {
        Some(path)
    } else {
        println!("skipped: no shared problems beside the workspace");
        None
    }
}

/// All problem files of the shared set, in order of name.
pub fn shared_files() -> Vec<PathBuf> {
    let Some(root) = shared_problems() else { return vec![] };
    let mut files: Vec<PathBuf> = std::fs::read_dir(root.join("dev"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "fcp"))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    files
}
