//! Every constant of `exact`: unit, value, reason. Those of a single method stand in its own file.

/// Most blocks of a small problem: up to there dense Newton steps are cheaper than many sweeps, redundant or not
/// (measured).
pub(super) const SMALL: usize = 16;
/// Up to so many blocks a budget is this many times as large \[1\]: a factorization takes some 60 µs there. Of 3000 steps
/// of fuzzed scenes 7 miss 1e-6 m/s without it, 2 with 48 blocks, none with 96.
pub(super) const CHEAP_BLOCKS: usize = 96;
pub(super) const CHEAP_FACTOR: f64 = 6.0;
/// Up to so many blocks a guess goes to the central path before the conic one: it takes about twice the steps of a fast
/// motion, and its polish finds more digits where contacts contradict each other (dominoes to 1e-9 m/s: no step is
/// left, else 9 of 180).
pub(super) const FEW_BLOCKS: usize = 80;
/// Contacts per pair of bodies from which on that is so \[1\]: balls, which touch in single points, are the conic path's. Of 5040 steps of
/// balls and capsules 32 miss 1e-6 m/s with it, 54 without; dominoes, with two to three, miss 34 of 360 on the conic path and one here.
pub(super) const SEVERAL_POINTS: f64 = 1.5;
/// `is_close`: residual over tolerance \[1\], and residual [m/s or \[1\]] whatever the tolerance. Below only digits are
/// missing.
pub(super) const CLOSE: f64 = 1e4;
pub(super) const CLOSE_ANYWAY: f64 = 1e-5;
/// Residual up to which another path from nothing ends where this one did: contacts contradict each other in the
/// digits below [m/s or \[1\]].
pub(super) const DIGITS_MISSING: f64 = 1e-6;
/// Guesses within this many tolerances are refined by Newton; larger errors go to the paths \[1\].
pub(super) const NEARLY_AT_REST: f64 = 100.0;
/// Limit on factorizations for the tolerance after an answer is accepted, unless the guess was accepted. Ten heaps of two
/// seeds take 9.5 s with two and 11.0 s with ten, and 19 and 23 of 3600 steps are degraded.
pub(super) const FURTHER_IN_MOTION: usize = 2;
/// Share of the tolerance that a refinement aims at \[1\]: impulses of a scene at rest are used again in every step to
/// come.
pub(super) const REFINED: f64 = 1e-4;
/// Share of the tolerance up to which a guess is taken as it is \[1\].
pub(super) const SETTLED: f64 = 0.03;
/// Most Newton steps of a refinement.
pub(super) const REFINING_STEPS: usize = 3;

/// Most rows that are left when equalities are eliminated: beyond, dense factorizations cost more than those over the bodies.
pub(super) const ELIMINATION_ROWS: usize = 128;
/// The same as a multiple of the rows that are eliminated \[1\]: a solve over the bodies for each costs about a sixth of a
/// factorization. A wall that a ball on a chain hits took 1.7 times as long without.
pub(super) const ELIMINATION_SHARE: usize = 2;
/// ε of the elimination as a share of w \[1\]: that of `equality_rows.rs`.
pub(super) const ELIMINATED: f64 = 1e-10;
/// Passes over what ε and round-off leave: two are usual, and a limit that closes later takes one more.
pub(super) const ELIMINATION_PASSES: usize = 6;
/// Work on what is left, in factorizations: most are solved by the dense methods for a few blocks, without any.
pub(super) const ELIMINATION_BUDGET: usize = 15;

/// Most sweeps of the attempt "sweeps"; it ends earlier where their rate does not pay.
pub(super) const MAX_SWEEPS: usize = 400;
/// Multiplications of one interior-point iteration apart from the factorization: per contact, and whatever the size
/// (measured).
pub(super) const FLOPS_PER_CONTACT: f64 = 10_000.0;
pub(super) const FLOPS_PER_ITERATION: f64 = 10_000.0;
/// Multiplications of one visit of a contact, local solve included, in the unit of the factorization's count: a sweep's
/// scalar code runs at about a third of the speed of the dense fronts.
pub(super) const FLOPS_PER_VISIT: f64 = 600.0;
/// Interior-point iterations that sweeps may cost before they have to end.
pub(super) const EXPECTED_ITERATIONS: f64 = 10.0;
/// Contacts per pair of bodies from which on contacts are redundant within pairs, and sweeps crawl.
pub(super) const MANIFOLD: f64 = 3.0;

/// Most steps of the central path from the guess of a structure at rest, and how many of them may be without progress.
pub(super) const STRUCTURE_STEPS: usize = 12;
pub(super) const STRUCTURE_PATIENCE: usize = 4;

/// First proximal compliance over w of the conic paths, from the guess and from nothing \[1\]. Study: 178 jumbled
/// islands to 1e-6 m/s, one attempt from the guess each. Constant, 1e-7 leaves 16 unsolved, 1e-6 14, 1e-5 7, 1e-4 27;
/// growing where steps are short, 1e-6 leaves 7, half of them within 14 factorizations. Of these the path from nothing
/// solves five with 1e-7, four with 1e-6 or 1e-5.
pub(super) const WARM_PROXIMAL: f64 = 1e-6;
pub(super) const COLD_PROXIMAL: f64 = 1e-7;
/// Where a path from the guess jams: so many sweeps, and the path from there; so many times. Study: 632 islands of
/// heaps (178 jumbled, 454 of boxes, balls, capsules, rocks and mixtures, three seeds) to 1e-6 m/s: 10 unsolved
/// without, 5 with two rounds of 60 sweeps, mean of 19.0 and of 16.8 factorizations. Three rounds of 100 leave more:
/// they take what the attempts after them would need.
pub(super) const SWEEPS_OF_A_JAM: usize = 60;
pub(super) const SWEPT_PATHS: usize = 2;
/// Ratio of body masses from which on heavy ones may stand on light ones \[1\]: only the uniform start of the central
/// path arrives. Bins of boxes with densities over 1e3, ratio below 1e5, are the conic path's.
pub(super) const HEAVY_ON_LIGHT: f64 = 1e5;

/// Most sweeps of a polish.
pub(super) const POLISHING_SWEEPS: usize = 100;
/// Rounds of sweeps and Newton steps in turn, and sweeps of each.
pub(super) const ROUNDS_IN_TURN: usize = 4;
pub(super) const SWEEPS_IN_TURN: usize = 200;
/// Multiplications of a factorization up to which uneven paths are tried: all four take a second at most.
pub(super) const CHEAP_FACTORIZATION: f64 = 5e7;
/// Most paths with uneven targets.
pub(super) const UNEVEN_PATHS: u8 = 4;
