#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, clippy::print_stderr)]
mod lcp_fixtures;
use lcp_fixtures::*;
use signorini_problem::*;
use signorini_solvers::*;
fn show(p: &ContactProblem) {
    let n = p.rows();
    let w = p.delassus().to_dense(p.offsets());
    let mut f: Vec<Vec<f64>> = vec![];
    let d: Vec<f64> = (0..n).map(|i| w[i * n + i].sqrt()).collect();
    // pivoted cholesky
    let mut s: Vec<f64> = (0..n * n).map(|k| w[k] / (d[k / n] * d[k % n])).collect();
    let mut piv = vec![];
    for _ in 0..n {
        let i = (0..n).max_by(|a, b| s[a * n + a].total_cmp(&s[b * n + b])).unwrap();
        let v = s[i * n + i];
        piv.push(v);
        if v < 1e-15 {
            break;
        }
        let r: Vec<f64> = (0..n).map(|j| s[i * n + j] / v.sqrt()).collect();
        for a in 0..n {
            for b in 0..n {
                s[a * n + b] -= r[a] * r[b];
            }
        }
        f.push(r);
    }
    println!("n {n} pivots {:?} d {:?} speed {}", piv, d, p.speed());
    for m in ALL {
        let s = solve(p, &mut *m.solver(), None, &StoppingRule::velocity(1e-10)).unwrap();
        println!(
            "{m}: natural {:e} floor {:e} {:?} x {:?}",
            s.certificate.natural,
            s.certificate.floor,
            s.effort,
            s.impulses.iter().zip(&d).map(|(r, d)| r * d).collect::<Vec<_>>()
        );
        println!("   u {:?}", p.velocity(&s.impulses));
    }
}
fn draw(random: &mut Random, contacts: usize) -> ContactProblem {
    let columns = if random.below(2) == 0 { contacts + random.below(3) } else { 1 + random.below(contacts) };
    random_problem(random, contacts, columns, 3.0)
}
#[test]
fn debug() {
    let mut random = Random(2024);
    for case in 0..=31100 {
        let contacts = if case % 50 == 0 { 6 + random.below(3) } else { 1 + random.below(5) };
        let p = draw(&mut random, contacts);
        if case == 31100 {
            show(&p)
        }
    }
    let mut random = Random(4048);
    for case in 0..=27657 {
        let contacts = 6 + random.below(15);
        let p = draw(&mut random, contacts);
        if case == 27657 {
            show(&p)
        }
    }

    let mut random = Random(17);
    for case in 0..=707 {
        let contacts = 4 + random.below(12);
        let columns = 1 + random.below(contacts);
        let problem = random_problem(&mut random, contacts, columns, 2.0);
        if case == 707 {
            show(&problem)
        }
    }
    let mut random = Random(29);
    for case in 0..=346 {
        let contacts = 2 + random.below(14);
        let columns = 1 + random.below(contacts + 2);
        let (w, q) = random_matrix(&mut random, contacts, columns, 1.0);
        let _ = random.shuffled(contacts);
        if case == 346 {
            show(&dense(&w, &q, Symmetry::Exact))
        }
    }
}
