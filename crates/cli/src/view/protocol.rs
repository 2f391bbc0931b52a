//! What page and server say to each other besides frames: JSON texts, each with a `type`. See docs/viewer.md.

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
    Hello { token: String, version: u32 },
    /// Send frames `from..to` of a lane.
    Frames { epoch: u32, lane: usize, from: u32, to: u32 },
    /// Stop making moments.
    Pause {},
    /// Go on.
    Resume {},
    /// Make one moment and stop.
    Step {},
    /// From the beginning.
    Reset {},
    /// Seconds of the scene per second; zero: as fast as it can.
    Speed { factor: f64 },
    /// Another scene, or other methods.
    Open { scene: String, lanes: Vec<LaneRequest> },
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
    Welcome { version: u32, program: &'a str, control: bool, scenes: &'a [SceneChoice], methods: &'a [&'a str] },
    /// What is shown from now on.
    Run(RunText<'a>),
    /// Where it is.
    State { epoch: u32, phase: &'a str, message: Option<&'a str>, speed: f64, first: u32, end: u32 },
    /// A request was refused.
    Error { code: u16, message: &'a str },
}

/// A scene to choose.
#[derive(Clone, Debug, Serialize)]
pub struct SceneChoice {
    pub name: String,
    pub description: String,
}

/// A run.
#[derive(Debug, Serialize)]
pub struct RunText<'a> {
    pub epoch: u32,
    pub scene: SceneText<'a>,
    pub lanes: Vec<LaneText>,
}

/// A lane.
#[derive(Clone, Debug, Serialize)]
pub struct LaneText {
    pub method: String,
    pub max_iterations: Option<usize>,
    pub tolerance: f64,
}

/// A scene as it was built: grids are counted out, mesh files are meshes.
#[derive(Debug, Serialize)]
pub struct SceneText<'a> {
    pub name: &'a str,
    pub description: &'a str,
    pub gravity: Triple,
    pub step: f64,
    pub duration: f64,
    /// What positions in frames count from \[m\].
    pub origin: Triple,
    /// Each once.
    pub shapes: Vec<ShapeDescription>,
    pub bodies: Vec<BodyText>,
    pub joints: Vec<JointText>,
}

/// A body; `shape` is a place in the list of shapes.
#[derive(Debug, Serialize)]
pub struct BodyText {
    pub name: String,
    pub kind: Kind,
    pub shape: usize,
    /// \[kg\]; none unless dynamic.
    pub mass: Option<f64>,
    pub friction: f64,
    pub restitution: f64,
}

/// A joint.
#[derive(Debug, Serialize)]
pub struct JointText {
    pub kind: &'static str,
    pub a: EndText,
    pub b: EndText,
}

/// An end of a joint: a point of a body, or of the world.
#[derive(Debug, Serialize)]
pub struct EndText {
    pub body: Option<usize>,
    pub point: Triple,
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
