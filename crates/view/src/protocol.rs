//! What page and server say to each other besides frames: JSON texts, each with a `type`. See docs/viewer.md.

use crate::drag::Drag;
use serde::{Deserialize, Serialize};
use signorini::Kind;
use signorini::scene::{ShapeDescription, Triple};

/// Counted up when an old page would misread a new server.
pub const VERSION: u32 = 1;
/// Most frames of one request.
pub const MOST_FRAMES: u32 = 1024;

/// What a page may ask.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// The first message.
    Hello {
        /// The token of the address.
        token: String,
        /// Of the protocol.
        version: u32,
    },
    /// Send frames `from..to` of a lane.
    Frames {
        /// Of which run.
        epoch: u32,
        /// Of which lane.
        lane: usize,
        /// The first.
        from: u32,
        /// One past the last.
        to: u32,
    },
    /// Stop making moments.
    Pause {},
    /// Go on.
    Resume {},
    /// Make one moment and stop.
    Step {},
    /// From the beginning.
    Reset {},
    /// Seconds of the scene per second; zero: as fast as it can.
    Speed {
        /// From 0 to 100.
        factor: f64,
    },
    /// The most that an island may spend in a step from now on, in every lane, also after a reset.
    Budget {
        /// In factorizations; none: until nothing is left to try.
        factorizations: Option<usize>,
    },
    /// Another scene, or other methods.
    Open {
        /// Its name.
        scene: String,
        /// How each lane is solved.
        lanes: Vec<LaneRequest>,
    },
    /// A scene as text, TOML or JSON. Only a page that simulates for itself has it.
    OpenText {
        /// The scene file.
        text: String,
        /// How each lane is solved.
        lanes: Vec<LaneRequest>,
    },
    /// The file of a scene, to change it. Only a page that simulates for itself has it.
    SceneText {
        /// Its name.
        scene: String,
    },
    /// What is wrong with a scene file? Only a page that simulates for itself has it.
    Check {
        /// The scene file.
        text: String,
    },
    /// Pull at a body, in every lane, until told otherwise.
    Drag(Drag),
    /// Let go of it.
    Release {},
}

/// How a lane is to be solved.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaneRequest {
    /// Name of the method; none: the scene's.
    #[serde(default)]
    pub method: Option<String>,
    /// Most iterations, in the method's own unit; none: the scene's if it is the scene's method, or the method's own.
    #[serde(default)]
    pub max_iterations: Option<usize>,
    /// What counts as solved; none: the scene's.
    #[serde(default)]
    pub tolerance: Option<f64>,
}

/// What the server says.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Answer<'a> {
    /// The token was right.
    Welcome {
        /// Of the protocol.
        version: u32,
        /// Name and version of the program.
        program: &'a str,
        /// Whether the page may give orders.
        control: bool,
        /// Whether scenes may be given as text.
        editor: bool,
        /// What may be opened.
        scenes: &'a [SceneChoice],
        /// How it may be solved.
        methods: &'a [&'a str],
    },
    /// What is shown from now on.
    Run(RunText<'a>),
    /// Where it is.
    State {
        /// Of which run.
        epoch: u32,
        /// `running`, `paused`, `finished`, `failed` or `recorded`.
        phase: &'a str,
        /// Why it failed.
        message: Option<&'a str>,
        /// Seconds of the scene per second; zero: as fast as it can.
        speed: f64,
        /// The first frame that can be had.
        first: u32,
        /// One past the last.
        end: u32,
    },
    /// The file of a scene.
    SceneText {
        /// In TOML.
        text: &'a str,
    },
    /// What is wrong with a scene file.
    Checked {
        /// With line and column; none: nothing.
        message: Option<&'a str>,
    },
    /// A request was refused.
    Error {
        /// One of HTTP's.
        code: u16,
        /// Why.
        message: &'a str,
    },
}

/// A scene to choose.
#[derive(Clone, Debug, Serialize)]
pub struct SceneChoice {
    /// What it is called.
    pub name: String,
    /// What it shows.
    pub description: String,
}

/// A run.
#[derive(Debug, Serialize)]
pub struct RunText<'a> {
    /// Counted from one.
    pub epoch: u32,
    /// What is shown.
    pub scene: SceneText<'a>,
    /// How it is solved.
    pub lanes: Vec<LaneText>,
}

/// A lane.
#[derive(Clone, Debug, Serialize)]
pub struct LaneText {
    /// Name of the method.
    pub method: String,
    /// Most iterations, in the method's own unit.
    pub max_iterations: Option<usize>,
    /// What counts as solved.
    pub tolerance: f64,
    /// The most that an island may spend in a step, in factorizations; none: until nothing is left to try.
    pub budget: Option<usize>,
}

/// A scene as it was built: grids are counted out, mesh files are meshes.
#[derive(Debug, Serialize)]
pub struct SceneText<'a> {
    /// What it is called.
    pub name: &'a str,
    /// What it shows.
    pub description: &'a str,
    /// Acceleration of free fall [m/s²].
    pub gravity: Triple,
    /// Time step \[s\].
    pub step: f64,
    /// How long it is meant to run \[s\].
    pub duration: f64,
    /// What positions in frames count from \[m\].
    pub origin: Triple,
    /// Each once.
    pub shapes: Vec<ShapeDescription>,
    /// In the order of frames.
    pub bodies: Vec<BodyText>,
    /// What ties them.
    pub joints: Vec<JointText>,
}

/// A body; `shape` is a place in the list of shapes.
#[derive(Debug, Serialize)]
pub struct BodyText {
    /// What it is called.
    pub name: String,
    /// What moves it.
    pub kind: Kind,
    /// Place of its shape.
    pub shape: usize,
    /// \[kg\]; none unless dynamic.
    pub mass: Option<f64>,
    /// Of its surface \[1\].
    pub friction: f64,
    /// Of its surface \[1\].
    pub restitution: f64,
    /// Whether it detects and does not touch.
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
    /// Place of the body; none: the world.
    pub body: Option<usize>,
    /// In the frame of the body \[m\].
    pub point: Triple,
    /// Axes of the joint there (w, x, y, z): hinges turn about their z axis, sliders slide along it.
    pub axes: [f64; 4],
}

/// As it goes over the wire.
pub fn text(answer: &Answer<'_>) -> String {
    // Only a map with keys that are no strings could fail, and there is none.
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
