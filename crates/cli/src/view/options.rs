//! Arguments of `signorini view`.

use crate::arguments::parse_iterations;
use crate::names;
use clap::Args;
use signorini_solvers::Method;
use std::net::IpAddr;
use std::path::PathBuf;

/// Arguments of `signorini view`.
#[derive(Debug, Args)]
pub struct ViewArguments {
    /// A scene file (.toml, .json, .urdf, .xml), the name of a built-in scene, or a recording (.mcap). Not given: the first built-in
    /// scene.
    #[arg(value_name = "SCENE|RECORDING", value_parser = names::scenes(), hide_possible_values = true)]
    pub scene: Option<String>,
    /// Port to listen on; 0 for any free one.
    #[arg(long, value_name = "N", default_value_t = 7117)]
    pub port: u16,
    /// Let the page pause, step and restart the simulation, and choose scenes and methods.
    #[arg(long)]
    pub control: bool,
    /// How contact is solved; `signorini methods` lists the names. Not given: as the scene says.
    #[arg(long, value_name = "NAME", value_parser = names::methods(), hide_possible_values = true)]
    pub method: Option<Method>,
    /// Most iterations of the method, in its own unit.
    #[arg(long, value_name = "N", value_parser = parse_iterations, allow_hyphen_values = true)]
    pub iterations: Option<usize>,
    /// A second method, run on the same scene and shown side by side.
    #[arg(long, value_name = "NAME", value_parser = names::methods(), hide_possible_values = true)]
    pub compare: Option<Method>,
    /// Most iterations of the second method.
    #[arg(long, value_name = "N", requires = "compare")]
    pub compare_iterations: Option<usize>,
    /// What counts as solved [m/s]. Not given: as the scene says.
    #[arg(long, value_name = "NUMBER")]
    pub tolerance: Option<f64>,
    /// Seconds of the scene per second; 0 means as fast as possible.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    pub speed: f64,
    /// Record the simulation, with the forces of the page, until it is started again or changed.
    #[arg(long, value_name = "OUT.mcap", conflicts_with = "compare")]
    pub record: Option<PathBuf>,
    /// Record contacts too.
    #[arg(long, requires = "record")]
    pub contacts: bool,
    /// Replace a recording that is already there.
    #[arg(long, requires = "record")]
    pub force: bool,
    /// Address to listen on instead of the loopback interface.
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<IpAddr>,
    /// Allow an address that other machines can reach. Everybody who has the printed address can then watch.
    #[arg(long)]
    pub expose: bool,
}
