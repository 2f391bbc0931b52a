//! Messages between page and server other than frames: JSON texts, each with a `type`. See docs/viewer.md.

use crate::drag::Drag;
use serde::{Deserialize, Serialize};
use signorini::Kind;
use signorini::scene::{ShapeDescription, Triple};

/// Increased when an old page would misunderstand a new server.
pub const VERSION: u32 = 1;
/// Most frames of one request.
pub const MOST_FRAMES: u32 = 1024;

/// Requests of a page.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// The first message.
    Hello {
        /// The token from the address.
        token: String,
        /// Version of the protocol.
        version: u32,
    },
    /// Send frames `from..to` of a lane.
    Frames {
        /// Number of the run.
        epoch: u32,
        /// Index of the lane.
        lane: usize,
        /// The first.
        from: u32,
        /// One past the last.
        to: u32,
    },
    /// Pause.
    Pause {},
    /// Resume.
    Resume {},
    /// Take one step and pause.
    Step {},
    /// Start again from the beginning.
    Reset {},
    /// Speed in seconds of the scene per second; zero means as fast as possible.
    Speed {
        /// From 0 to 100.
        factor: f64,
    },
    /// Work budget of an island in a step from now on, in every lane, also after a reset.
    Budget {
        /// In factorizations; none means no limit.
        factorizations: Option<usize>,
    },
    /// Choose another scene, or other methods.
    Open {
        /// Its name.
        scene: String,
        /// Solver options of each lane.
        lanes: Vec<LaneRequest>,
    },
    /// A scene as text, TOML or JSON. Only a page that simulates for itself accepts it.
    OpenText {
        /// The scene file.
        text: String,
        /// Solver options of each lane.
        lanes: Vec<LaneRequest>,
    },
    /// Ask for the file of a scene, to edit it. Only a page that simulates for itself accepts it.
    SceneText {
        /// Its name.
        scene: String,
    },
    /// Ask what is wrong with a scene file. Only a page that simulates for itself accepts it.
    Check {
        /// The scene file.
        text: String,
    },
    /// Pull a body, in every lane, until told otherwise.
    Drag(Drag),
    /// Release it.
    Release {},
}

/// Solver options of a lane.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaneRequest {
    /// Name of the method; none means that of the scene.
    #[serde(default)]
    pub method: Option<String>,
    /// Limit on iterations, in the method's own unit; none means that of the scene if the method is the scene's, else
    /// the method's own.
    #[serde(default)]
    pub max_iterations: Option<usize>,
    /// Tolerance; none means that of the scene.
    #[serde(default)]
    pub tolerance: Option<f64>,
}

/// Messages of the server.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Answer<'a> {
    /// The token was accepted.
    Welcome {
        /// Version of the protocol.
        version: u32,
        /// Name and version of the program.
        program: &'a str,
        /// Whether the page may control the simulation.
        control: bool,
        /// Whether scenes may be given as text.
        editor: bool,
        /// The scenes that can be opened.
        scenes: &'a [SceneChoice],
        /// The methods that can be chosen.
        methods: &'a [&'a str],
    },
    /// The run that is shown from now on.
    Run(RunText<'a>),
    /// State of the run.
    State {
        /// Number of the run.
        epoch: u32,
        /// `running`, `paused`, `finished`, `failed` or `recorded`.
        phase: &'a str,
        /// The reason of a failure.
        message: Option<&'a str>,
        /// Seconds of the scene per second; zero means as fast as possible.
        speed: f64,
        /// The first frame that is kept.
        first: u32,
        /// One past the last.
        end: u32,
    },
    /// The file of a scene.
    SceneText {
        /// In TOML.
        text: &'a str,
    },
    /// The errors of a scene file.
    Checked {
        /// The error with line and column; none if there is none.
        message: Option<&'a str>,
    },
    /// A request was refused.
    Error {
        /// Status code of HTTP.
        code: u16,
        /// The reason.
        message: &'a str,
    },
}

/// A scene in the list of scenes.
#[derive(Clone, Debug, Serialize)]
pub struct SceneChoice {
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
}

/// A run.
#[derive(Debug, Serialize)]
pub struct RunText<'a> {
    /// Number of the run, from one.
    pub epoch: u32,
    /// The scene.
    pub scene: SceneText<'a>,
    /// The lanes.
    pub lanes: Vec<LaneText>,
}

/// A lane.
#[derive(Clone, Debug, Serialize)]
pub struct LaneText {
    /// Name of the method.
    pub method: String,
    /// Limit on iterations, in the method's own unit.
    pub max_iterations: Option<usize>,
    /// The tolerance.
    pub tolerance: f64,
    /// Work budget of an island in a step, in factorizations; none means no limit.
    pub budget: Option<usize>,
}

/// A scene as it was built: grids are expanded, mesh files are meshes.
#[derive(Debug, Serialize)]
pub struct SceneText<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its description.
    pub description: &'a str,
    /// Acceleration of free fall [m/s²].
    pub gravity: Triple,
    /// Time step \[s\].
    pub step: f64,
    /// Duration \[s\].
    pub duration: f64,
    /// Origin of the positions in frames \[m\].
    pub origin: Triple,
    /// The shapes, each once.
    pub shapes: Vec<ShapeDescription>,
    /// The bodies, in the order of frames.
    pub bodies: Vec<BodyText>,
    /// The joints.
    pub joints: Vec<JointText>,
}

/// A body; `shape` is an index in the list of shapes.
#[derive(Debug, Serialize)]
pub struct BodyText {
    /// Its name.
    pub name: String,
    /// Kind of the body.
    pub kind: Kind,
    /// Index of its shape.
    pub shape: usize,
    /// Mass \[kg\]; none unless dynamic.
    pub mass: Option<f64>,
    /// Friction coefficient \[1\].
    pub friction: f64,
    /// Restitution \[1\].
    pub restitution: f64,
    /// Whether it is a sensor.
    pub sensor: bool,
}

/// A joint.
#[derive(Debug, Serialize)]
pub struct JointText {
    /// Name of its kind.
    pub kind: &'static str,
    /// Whether a motor acts along one of its coordinates.
    pub driven: bool,
    /// The first end.
    pub a: EndText,
    /// The second end.
    pub b: EndText,
}

/// An end of a joint: a point of a body, or of the world.
#[derive(Debug, Serialize)]
pub struct EndText {
    /// Index of the body; none is the world.
    pub body: Option<usize>,
    /// The point in the frame of the body \[m\].
    pub point: Triple,
    /// Axes of the joint there (w, x, y, z): hinges turn about their z axis, sliders slide along it.
    pub axes: [f64; 4],
}

/// The message as JSON.
pub fn text(answer: &Answer<'_>) -> String {
    // Only maps with keys that are no strings could fail, and there are none.
    serde_json::to_string(answer).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn requests_are_read_strictly() {
        let read = |text: &str| serde_json::from_str::<Request>(text);
        assert!(matches!(read(r#"{"type":"pause"}"#).unwrap(), Request::Pause {}));
        let open = read(r#"{"type":"open","scene":"wall","lanes":[{"method":"pgs","max_iterations":5}]}"#).unwrap();
        let Request::Open { lanes, .. } = open else { unreachable!() };
        assert_eq!(lanes[0].max_iterations, Some(5));
        for bad in [
            "",
            "[]",
            "null",
            r#"{"type":"shutdown"}"#,
            r#"{"type":"pause","now":true}"#,
            r#"{"type":"frames","epoch":1,"lane":0,"from":-1,"to":2}"#,
            r#"{"type":"frames","epoch":1,"lane":0,"from":0}"#,
            r#"{"type":"open","scene":"wall","lanes":[{"method":7}]}"#,
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
