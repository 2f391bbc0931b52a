//! The extension module of the Python package `signorini`: worlds, scenes, contact problems and ensembles as Python
//! sees them. What is pleasant rather than necessary (plots, tables, Gymnasium, Ray) is written in Python beside it.
//!
//! The rules that hold for every call: arguments are checked and named in the exception; a world is used by one caller
//! at a time and nothing ever waits for it; the interpreter's lock is released while the engine works; a panic is an
//! exception and closes the world it happened in.

mod add;
mod argument;
mod body;
mod certificate;
mod command;
mod contacts;
mod ensemble;
mod events;
mod gear;
mod guard;
mod log;
mod member;
mod options;
mod pickled;
mod problem;
mod query;
mod raise;
mod recording;
mod report;
mod robot;
mod run;
mod scene;
mod sensors;
mod settings;
mod shape;
mod sparse;
mod state;
mod statics;
mod threads;
mod world;

/// Native part of the package `signorini`.
#[pyo3::pymodule(gil_used = false)]
mod _core {
    #[pymodule_export]
    use super::body::{Body, Joint};
    #[pymodule_export]
    use super::certificate::{CertificatePart, StepCertificate};
    #[pymodule_export]
    use super::command::_command;
    #[pymodule_export]
    use super::ensemble::{_advance, _rollout};
    #[pymodule_export]
    use super::events::Events;
    #[pymodule_export]
    use super::gear::Gear;
    #[pymodule_export]
    use super::log::RunTable;
    #[pymodule_export]
    use super::problem::{Block, Problem, Solution, methods, problems};
    #[pymodule_export]
    use super::query::Queries;
    #[pymodule_export]
    use super::recording::Recording;
    #[pymodule_export]
    use super::report::{Certificate, Energy, EnergyLedger, StepReport};
    #[pymodule_export]
    use super::robot::Robot;
    #[pymodule_export]
    use super::scene::{Scene, scenes};
    #[pymodule_export]
    use super::sensors::Imu;
    #[pymodule_export]
    use super::settings::{Settings, Stabilisation};
    #[pymodule_export]
    use super::shape::{Material, Shape};
    #[pymodule_export]
    use super::statics::{_force_bounds, _is_stable, _load_limit, _safety_factor};
    #[pymodule_export]
    use super::threads::_after_fork_in_child;
    #[pymodule_export]
    use super::world::World;

    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "the name Python expects")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
