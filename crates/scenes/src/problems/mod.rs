//! Families of contact problems, each a function of its size, and a catalogue of named instances.
//!
//! Every problem is one step of h = 10 ms under g = 9.81 m/s² (free fall per step 0.098 m/s) in factored form, unless the
//! table says otherwise. b is the base of a pyramid, w and c width and courses of a wall.
//!
//! | function | bodies | blocks | known on paper | what makes it hard |
//! |---|---|---|---|---|
//! | [`stack()`] | n | 4n | impulses, motion (at rest) | four contacts share a load three could carry; load travels n interfaces; mass ratio |
//! | [`wall()`] | c w − ⌊c/2⌋ | 4w + 8(w−1)(c−1), and the sides | impulses, motion (at rest) | many load paths: W of half rank; with side contacts and a hit, wedging |
//! | [`wall_and_ball`] | +1 | +1 | | an impact through a redundant structure |
//! | [`pyramid2d`] | b(b+1)/2 | 4b + 4b(b−1) | impulses, motion (at rest) | redundancy, load paths that widen |
//! | [`pyramid3d`] | b(b+1)(2b+1)/6 | 4b² + 16 Σ k², k < b | impulses, motion (at rest) | sixteen contacts under each cube |
//! | [`table()`] | 1 | k² | impulses (straight slide, pure spin, rest) | k² contacts on six degrees of freedom |
//! | [`incline()`] | n | 4n | impulses while it does not topple | stick and slip a hair apart; toppling |
//! | [`spheres()`] | nx ny nz | see there | | combinatorics: open, slip, stick; masses over decades |
//! | [`packing`] | b(b+1)(2b+1)/6 | see there | | all gaps exactly zero, held by floor friction |
//! | [`arch()`] | n | 4(n+1) | impulses (a thrust line) | stands only by friction and compression |
//! | [`row()`] | n | 8n − 4 | | impact along a row of masses over decades |
//! | [`wedge()`] | 1 | 8 | impulses | normals coupled by the groove, slip along it |
//! | [`drop_slide`] | 1 | 4 | | impact and slip at once, each corner its own direction |
//! | [`plank`] | 1 | 4 | impulses if the floor holds | friction couples normal rows; near Painlevé's paradox at μ = 5 |
//! | [`chain()`] | n | n (frictionless) | impulses, unique | mass ratio up to 1e8 and nothing else |
//! | [`random_spd`], [`random_psd`] | none (dense W) | n (frictionless) | impulses (unique if definite) | no structure at all; rank |
//! | [`redundant_plate`] | 1 | k² | as the table | 400 contacts and more on six degrees of freedom |
//! | [`duplicated`] | as base | copies × base | as base | every contact 2 to 64 times |
//! | [`hanging_chain()`] | n | n (joints, 3 rows) | impulses, unique | equalities; heavy weight on a light chain |
//! | [`flywheel`] | 1 | 3 (joints, interval) | impulses, unique | saturation; mixed units |
//! | [`elevator`] | n+1 | 3 + 4n | impulses, motion | a stack on a drive that may be too weak |
//! | [`planar_stack`] | n | 2n (2 rows) | impulses, motion | the stack in the plane |
//! | [`planar_discs`] | b(b+1)/2 | see there (2 rows) | | open, slip and stick in the plane |
//! | [`train`] | n | 6n + (n−1) + 1 | impulses | all four laws: contacts, rail, couplings, engine |
//! | [`perturbed()`] | as base | as base | | the problem of the next step, for warm starts |
//!
//! "Motion" is the same for all solutions and so may be compared; "impulses" is one solution, unique only where said.

mod arch;
mod catalogue;
mod chain;
mod hanging_chain;
mod incline;
mod mixed;
mod motor;
mod perturbed;
mod pile;
mod planar;
mod pyramid;
mod random_lcp;
mod redundant;
mod row;
mod single_box;
mod spheres;
mod stack;
mod table;
mod wall;
mod wedge;

pub use arch::{ArchLoad, arch};
pub use catalogue::{Entry, Size, catalogue, entries, find};
pub use chain::chain;
pub use hanging_chain::hanging_chain;
pub use incline::incline;
pub use mixed::train;
pub use motor::{elevator, flywheel};
pub use perturbed::{Perturbation, perturbed};
pub use pile::{Masses, Motion, PileOptions, Sides};
pub use planar::{planar_discs, planar_stack};
pub use pyramid::{pyramid2d, pyramid3d};
pub use random_lcp::{random_psd, random_spd};
pub use redundant::{duplicated, redundant_plate};
pub use row::row;
pub use single_box::{drop_slide, plank};
pub(crate) use spheres::{Container, ball_mass};
pub use spheres::{SpheresOptions, packing, spheres};
pub use stack::stack;
pub use table::{TableMotion, table};
pub use wall::{wall, wall_and_ball};
pub use wedge::wedge;
