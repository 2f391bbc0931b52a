#![allow(missing_docs, clippy::all, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]
use signorini_problem::*;
use signorini_solvers::interior_point::*;
use signorini_solvers::*;
use std::collections::BTreeMap;
pub fn load(path: &str) -> Option<(String, ContactProblem)> {
    let raw = std::fs::read(path).unwrap();
    let n = u32::from_le_bytes(raw[8..12].try_into().unwrap()) as usize;
    let h: serde_json::Value = serde_json::from_slice(&raw[12..12 + n]).unwrap();
    let mut f: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let mut iarr: BTreeMap<String, Vec<i32>> = BTreeMap::new();
    for a in h["arrays"].as_array().unwrap() {
        let o = 12 + n + a["offset"].as_u64().unwrap() as usize;
        let nb = a["nbytes"].as_u64().unwrap() as usize;
        let name = a["name"].as_str().unwrap().to_string();
        let b = &raw[o..o + nb];
        if a["dtype"] == "f64" {
            f.insert(name, b.chunks(8).map(|c| f64::from_le_bytes(c.try_into().unwrap())).collect());
        } else {
            iarr.insert(name, b.chunks(4).map(|c| i32::from_le_bytes(c.try_into().unwrap())).collect());
        }
    }
    let name = h["name"].as_str().unwrap().to_string();
    let p = match h["kind"].as_str().unwrap() {
        "local" => {
            let d = h["dim"].as_u64().unwrap_or(3) as usize;
            let mu = &f["mu"];
            let blocks: Vec<Block> =
                mu.iter().map(|m| if d == 3 { Block::contact(*m) } else { Block::planar_contact(*m) }).collect();
            let off: Vec<usize> = (0..=mu.len()).map(|i| d * i).collect();
            let w = BlockSparseDelassus::new(
                &off,
                iarr["row_ptr"].iter().map(|x| *x as usize).collect(),
                iarr["col_idx"].iter().map(|x| *x as usize).collect(),
                f["blocks"].clone(),
            )
            .unwrap();
            ContactProblem::new(blocks, Delassus::BlockSparse(w), f["q"].clone(), Symmetry::IMPORTED).unwrap()
        }
        "bodies" => {
            let mu = &f["mu"];
            let nc = mu.len();
            let minv: Vec<[[f64; 6]; 6]> =
                f["minv"].chunks(36).map(|c| std::array::from_fn(|i| std::array::from_fn(|j| c[6 * i + j]))).collect();
            let cb: Vec<[Option<u32>; 2]> = iarr["contact_body"]
                .chunks(2)
                .map(|c| [(c[0] >= 0).then_some(c[0] as u32), (c[1] >= 0).then_some(c[1] as u32)])
                .collect();
            let j = &f["J"];
            let mut rows = vec![[0.0; 12]; 3 * nc];
            let mut q = f["b"].clone();
            for c in 0..nc {
                for k in 0..2 {
                    for a in 0..3 {
                        for b in 0..6 {
                            let x = j[((c * 2 + k) * 3 + a) * 6 + b];
                            rows[3 * c + a][6 * k + b] = x;
                            if let Some(body) = cb[c][k] {
                                q[3 * c + a] += x * f["v_free"][6 * body as usize + b];
                            }
                        }
                    }
                }
            }
            ContactProblem::new(
                mu.iter().map(|m| Block::contact(*m)).collect(),
                Delassus::Factored(FactoredDelassus::new(minv, cb, rows)),
                q,
                Symmetry::IMPORTED,
            )
            .unwrap()
        }
        _ => return None,
    };
    Some((name, p))
}
fn main() {
    let mut files: Vec<String> = std::env::args().skip(1).collect();
    files.sort();
    let (mut ok, mut tot) = (0, 0);
    for f in files {
        let Some((name, p)) = load(&f) else { continue };
        let stop = StoppingRule { tolerance: Tolerance::relative(1e-8), max_iterations: None };
        let mut line = String::new();
        let mut any = false;
        for (label, options, start) in [
            ("uni", PathOptions::default(), Start::Uniform),
            ("u", PathOptions::default(), Start::Scaled),
            ("uni-p", PathOptions::patient(), Start::Uniform),
            ("u-p", PathOptions::patient(), Start::Scaled),
        ] {
            let mut s = InteriorPoint::default();
            s.options = options;
            let t = std::time::Instant::now();
            s.prepare(&p);
            let tp = t.elapsed().as_secs_f64();
            let mut r = vec![0.0; p.rows()];
            let e = s.follow(&p, &mut r, start, &stop, &mut History::off());
            let dt = t.elapsed().as_secs_f64();
            let c = certify(&p, &r).unwrap();
            let solved = c.meets(&stop.tolerance);
            any |= solved;
            line += &format!(
                " | {label} {} {:3} {:.0e}/{:.0e} {:.2}ms (prep {:.2})",
                if solved { "OK" } else { "--" },
                e.iterations,
                c.natural_rel,
                c.fclib_error,
                dt * 1e3,
                tp * 1e3
            );
        }
        ok += any as usize;
        tot += 1;
        println!("{:32} {:5}{}{}", &name[..name.len().min(32)], p.blocks().len(), if any { "  " } else { " X" }, line);
    }
    println!("{ok}/{tot}");
}
