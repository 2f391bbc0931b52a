//! The constants of `exact` that steer the ladder, each with unit and reason. Constants of a single method are in its
//! own file.

/// Most blocks of a small problem: up to there dense Newton steps are cheaper than many sweeps, redundant or not
/// (measured).
pub(super) const SMALL: usize = 16;
/// Up to this many blocks the budget is multiplied by the following factor \[1\]: a factorization takes some 60 µs
/// there. Of 3000 steps of fuzzed scenes 7 miss 1e-6 m/s without it, 2 with 48 blocks, none with 96.
pub(super) const CHEAP_BLOCKS: usize = 96;
pub(super) const CHEAP_FACTOR: f64 = 6.0;
/// Up to this many blocks the central path is tried before the conic one. It takes about twice as many steps for fast
/// motions, but its polish finds more digits where contacts contradict each other (dominoes to 1e-9 m/s: 0 of 180 steps
/// fail, otherwise 9).
pub(super) const FEW_BLOCKS: usize = 80;
/// That rule needs at least this many contacts per pair of bodies \[1\]; balls, which touch in single points, go to the
/// conic path. Of 5040 steps of balls and capsules 32 miss 1e-6 m/s with it, 54 without; dominoes, with two to three,
/// miss 34 of 360 on the conic path and one here.
pub(super) const SEVERAL_POINTS: f64 = 1.5;
/// `is_close`: residual over tolerance \[1\], and residual [m/s or \[1\]] whatever the tolerance. Below only digits are
/// missing.
pub(super) const CLOSE: f64 = 1e4;
pub(super) const CLOSE_ANYWAY: f64 = 1e-5;
/// Below this residual another path from zero would end at the same place, because contacts contradict each other in
/// the remaining digits [m/s or \[1\]].
pub(super) const DIGITS_MISSING: f64 = 1e-6;
/// Guesses within this multiple of the tolerance are refined by Newton steps; worse guesses go to the ladder \[1\].
pub(super) const NEARLY_AT_REST: f64 = 100.0;
/// Limit on factorizations for the tolerance after the answer of a heap is accepted, unless the guess was accepted. Ten
/// heaps of two seeds take 9.5 s with two and 11.0 s with ten, and 19 and 23 of 3600 steps are degraded.
pub(super) const FURTHER_IN_MOTION: usize = 2;
/// Contacts of more bodies are a heap. Digits of fewer cost little: a plate that slides on 400 points is exact to
/// 1e-9 m/s with ten factorizations and to 1e-7 m/s with two. The least heaps that were measured have 22 bodies.
pub(super) const FEW_BODIES: usize = 10;
/// A refinement aims at this share of the tolerance \[1\], because a scene at rest reuses its impulses in every step.
pub(super) const REFINED: f64 = 1e-4;
/// A guess is taken unchanged below this share of the tolerance \[1\].
pub(super) const SETTLED: f64 = 0.03;
/// Limit on Newton steps of a refinement.
pub(super) const REFINING_STEPS: usize = 3;

/// Equalities are eliminated only if at most this many rows are left. With more, dense factorizations cost more than
/// those over bodies.
pub(super) const ELIMINATION_ROWS: usize = 128;
/// At most this many rows may be left per eliminated row \[1\]: each costs a solve over the bodies, about a sixth of a
/// factorization. Without this limit a wall hit by a ball on a chain took 1.7 times as long.
pub(super) const ELIMINATION_SHARE: usize = 2;
/// ε of the elimination as a share of w \[1\]: that of `equality_rows.rs`.
pub(super) const ELIMINATED: f64 = 1e-10;
/// Limit on passes that remove the error of ε and round-off. Two are usual; a limit that closes later takes one more.
pub(super) const ELIMINATION_PASSES: usize = 6;
/// Budget for the remaining problem [factorizations]. Most are solved by the dense methods for a few blocks, without
/// any.
pub(super) const ELIMINATION_BUDGET: usize = 15;

/// Limit on sweeps of the attempt "sweeps"; it ends earlier if their rate does not pay.
pub(super) const MAX_SWEEPS: usize = 400;
/// Multiplications of one interior-point iteration besides the factorization: per contact, and constant (measured).
pub(super) const FLOPS_PER_CONTACT: f64 = 10_000.0;
pub(super) const FLOPS_PER_ITERATION: f64 = 10_000.0;
/// Multiplications of one visit of a contact, local solve included, in the unit of the factorization's count: a sweep's
/// scalar code runs at about a third of the speed of the dense fronts.
pub(super) const FLOPS_PER_VISIT: f64 = 600.0;
/// Sweeps may cost as much as this many interior-point iterations.
pub(super) const EXPECTED_ITERATIONS: f64 = 10.0;
/// From this many contacts per pair of bodies on, contacts are redundant within pairs, and sweeps converge slowly.
pub(super) const MANIFOLD: f64 = 3.0;

/// Limit on steps of the central path from the guess of a structure at rest, and on steps without progress.
pub(super) const STRUCTURE_STEPS: usize = 12;
pub(super) const STRUCTURE_PATIENCE: usize = 4;

/// First proximal compliance over w of the conic paths, from the guess and from nothing \[1\]. Study: 178 jumbled
/// islands to 1e-6 m/s, one attempt from the guess each. Constant, 1e-7 leaves 16 unsolved, 1e-6 14, 1e-5 7, 1e-4 27;
/// growing where steps are short, 1e-6 leaves 7, half of them within 14 factorizations. Of these the path from nothing
/// solves five with 1e-7, four with 1e-6 or 1e-5.
pub(super) const WARM_PROXIMAL: f64 = 1e-6;
pub(super) const COLD_PROXIMAL: f64 = 1e-7;
/// When a path from the guess jams, this many sweeps are made and the path starts from there, at most the following
/// number of times. Study: 632 islands of heaps (178 jumbled, 454 of boxes, balls, capsules, rocks and mixtures, three
/// seeds) to 1e-6 m/s: 10 unsolved without, 5 with two rounds of 60 sweeps, mean of 19.0 and of 16.8 factorizations.
/// Three rounds of 100 leave more: they take what the attempts after them would need.
pub(super) const SWEEPS_OF_A_JAM: usize = 60;
pub(super) const SWEPT_PATHS: usize = 2;
/// From this mass ratio on heavy bodies may stand on light ones \[1\]; only the uniform start of the central path
/// solves that. Bins of boxes with a ratio below 1e5 go to the conic path.
pub(super) const HEAVY_ON_LIGHT: f64 = 1e5;

/// Limit on sweeps of a polish.
pub(super) const POLISHING_SWEEPS: usize = 100;
/// Limit on alternating rounds of sweeps and Newton steps, and sweeps per round.
pub(super) const ROUNDS_IN_TURN: usize = 4;
pub(super) const SWEEPS_IN_TURN: usize = 200;
/// Uneven paths are tried if a factorization takes at most this many multiplications: all four then take at most a
/// second.
pub(super) const CHEAP_FACTORIZATION: f64 = 5e7;
/// Limit on paths with uneven targets.
pub(super) const UNEVEN_PATHS: u8 = 4;
