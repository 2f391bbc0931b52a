//! Contact problems with known answers: shared by tests, benches, examples and the command.
//!
//! * [`problems`]: the families (stacks, walls, piles, arches, chains, motors, linear complementarity problems, ...),
//!   each a function of its size that returns a [`GeneratedProblem`], and a [`problems::catalogue`] of named instances.
//! * [`Collapse`]: a column of spheres that falls in a box, one contact problem per step.
//! * [`worlds`]: built-in scenes with answers from paper, run by the engine or by any other.
//! * [`Assembly`]: rigid bodies, contacts, joints and motors, turned into one [`signorini_problem::ContactProblem`].
//! * [`contact`] and [`Body`]: the rows of J and the inverse mass, as pure functions.
//!
//! Sign conventions, units and laws are those of [`signorini_problem`]. Everything is a function of its arguments: the
//! same call gives the same bits, and all randomness comes from a seeded [`random::SplitMix64`].
//!
//! ```
//! use signorini_problem::certify;
//! use signorini_scenes::problems::{PileOptions, stack};
//!
//! let tower = stack(10, &PileOptions::default())?;
//! assert_eq!((tower.bodies(), tower.blocks()), (10, 40));
//! // Each interface carries the weight above it: the judge agrees with the paper.
//! let impulse = tower.known.impulse.as_deref().unwrap_or_default();
//! assert!(certify(&tower.problem, impulse)?.natural < 1e-12);
//! # Ok::<(), signorini_scenes::SceneError>(())
//! ```

#![forbid(unsafe_code)]

mod assembly;
pub mod audit;
mod body;
mod collapse;
pub mod contact;
mod error;
mod generated;
pub mod lines;
pub mod problems;
pub mod vector;
pub mod worlds;

pub use assembly::{Assembly, DENSITY, GRAVITY, STEP};
pub use body::{Axes, Body, box_inertia, inverse_mass, sphere_inertia};
pub use collapse::Collapse;
pub use error::SceneError;
pub use generated::{Departure, Family, GeneratedProblem, Known};
pub use signorini_problem::random;
