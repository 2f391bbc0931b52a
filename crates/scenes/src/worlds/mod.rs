//! Built-in worlds with answers from paper.
//!
//! A [`NamedScene`] is pure data, a [`signorini::Scene`] that can be written as TOML, together with what must come out:
//! a list of [`Expectation`]s, each a number from a closed form, a tolerance with a reason, and how to read the number
//! off an [`Observed`] motion. Motions are plain arrays of poses and velocities by body name, so any engine can be held
//! to the same answers: [`Observed::of_scene`] and [`Observed::push`] record a foreign one, [`observe`] runs ours.
//!
//! Closed forms are those of the *discrete* motion wherever one exists. A body under a constant acceleration `a` that is
//! held by contact moves by symplectic Euler,
//!
//! ```text
//! v_n = v_0 + n h a,      x_n = x_0 + n h v_0 + h² a n(n+1)/2,
//! ```
//!
//! so a sliding box is compared with these sums to round-off and solver tolerance, not with `½at²` to a percent.
//!
//! ```
//! use signorini_scenes::worlds;
//!
//! let swap = worlds::find("elastic_swap").ok_or("no such scene")?;
//! let seen = swap.run()?;
//! assert!(swap.check(&seen).iter().all(|finding| finding.holds()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod demo;
mod expectation;
mod falls;
mod flight;
mod hanging;
mod impacts;
mod masonry;
mod observed;
mod parts;
mod rest;
mod rolling;
mod run;
mod sliding;

use expectation::answer;
pub use expectation::{Expectation, Finding};
pub use masonry::{least_arch_thickness, masonry_arch};
pub use observed::{Observed, ObservedBody, Sample};
pub use run::{Audit, RunError, observe, observe_while};

use signorini::Scene;
use std::fmt;
use std::sync::LazyLock;

/// A scene with a name and a known outcome.
#[derive(Clone, Copy)]
pub struct NamedScene {
    /// What it is called: lower case, words joined by underscores.
    pub name: &'static str,
    /// What it shows, in one sentence.
    pub about: &'static str,
    make: fn() -> Scene,
    answers: fn() -> Vec<Expectation>,
}

impl fmt::Debug for NamedScene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NamedScene").field("name", &self.name).finish_non_exhaustive()
    }
}

impl NamedScene {
    /// The scene, with its name and description filled in.
    pub fn scene(&self) -> Scene {
        Scene { name: self.name.to_owned(), description: self.about.to_owned(), ..(self.make)() }
    }

    /// What must come out.
    pub fn answers(&self) -> Vec<Expectation> {
        (self.answers)()
    }

    /// Runs it to its end.
    pub fn run(&self) -> Result<Observed, RunError> {
        observe(&self.scene())
    }

    /// Holds a motion against the answers.
    pub fn check(&self, seen: &Observed) -> Vec<Finding> {
        self.answers().into_iter().map(|expectation| Finding::of(expectation, seen)).collect()
    }
}

static ALL: LazyLock<Vec<NamedScene>> = LazyLock::new(|| {
    [
        demo::SCENES,
        rest::SCENES,
        sliding::SCENES,
        rolling::SCENES,
        flight::SCENES,
        impacts::SCENES,
        hanging::SCENES,
        masonry::SCENES,
        falls::SCENES,
    ]
    .concat()
});

/// All built-in scenes, the demonstration first.
pub fn all() -> &'static [NamedScene] {
    &ALL
}

/// The scene of this name.
pub fn find(name: &str) -> Option<&'static NamedScene> {
    all().iter().find(|scene| scene.name == name)
}
