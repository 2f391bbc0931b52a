//! What a page may say: one request a line. A session of the page's own worker answers; the server takes the same requests.

use super::{MOST_BODIES, Target, count_bodies};
use signorini_scenes::worlds;
use signorini_view::local::{LocalSession, Message, read_scene};
use signorini_view::protocol::{LaneRequest, Request};

pub const VIEW: Target = Target {
    name: "view",
    run,
    seeds: Vec::new,
    tokens: &[
        "\n",
        "{\"type\":\"",
        "{\"type\":\"pause\"}",
        "{\"type\":\"resume\"}",
        "{\"type\":\"step\"}",
        "{\"type\":\"reset\"}",
        "{\"type\":\"release\"}",
        "\"epoch\":1",
        "\"lane\":1",
        "\"from\":0,\"to\":1",
        "\"factor\":0",
        "\"scene\":\"",
        "\"lanes\":[{}]",
        "\"lanes\":[{},{\"method\":\"nsgs\",\"max_iterations\":5}]",
        "\"tolerance\":1e-6",
        "\"text\":\"",
        "\"body\":1",
        "\"point\":[0,0,0]",
        "\"target\":[0,0,1]",
        "\\n",
        "\\\"",
        "\\u0000",
        "\"",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "null",
    ],
    mend: None,
    short: 3000,
};

/// Most requests of one input.
const MOST_REQUESTS: usize = 24;

fn run(bytes: &[u8]) -> String {
    let Ok(text) = str::from_utf8(bytes) else { return "not UTF-8".to_owned() };
    let session = LocalSession::new();
    assert!(session.is_ok(), "no session: {:?}", session.err());
    let Ok(mut session) = session else { return String::new() };
    let mut words = String::new();
    for line in text.lines().take(MOST_REQUESTS) {
        if let Ok(request) = serde_json::from_str(line)
            && too_much(&request)
        {
            continue;
        }
        let mut messages = session.request(line);
        messages.extend(session.advance());
        for message in &messages {
            words += &told(message);
        }
    }
    // Whatever was said, whoever asks properly is answered.
    let hello = session.request(r#"{"type":"hello","token":"","version":1}"#);
    assert_eq!(hello.len(), 3, "{hello:?}");
    words
}

/// The kind of an answer, and of an error its words. Every answer is what the protocol says it is.
fn told(message: &Message) -> String {
    let text = match message {
        Message::Frame(bytes) => {
            assert!(bytes.starts_with(b"SGF1"), "not a frame");
            return "frame ".to_owned();
        }
        Message::Text(text) => text,
    };
    let value = serde_json::from_str::<serde_json::Value>(text);
    assert!(value.is_ok(), "an answer that is not JSON: {text}");
    let value = value.unwrap_or_default();
    let kind = value["type"].as_str().unwrap_or_default().to_owned();
    match kind.as_str() {
        "" => assert!(!kind.is_empty(), "an answer without a type: {text}"),
        "error" => {
            let code = value["code"].as_u64();
            assert!(code.is_some_and(|code| (400..500).contains(&code)), "{text}");
            return format!("{} ", value["message"].as_str().unwrap_or_default());
        }
        "state" => return format!("{kind} {} ", value["phase"].as_str().unwrap_or_default()),
        _ => {}
    }
    kind + " "
}

/// Whoever asks for a large scene or for any number of iterations gets it: here nobody waits for that.
fn too_much(request: &Request) -> bool {
    let patient = |lanes: &[LaneRequest]| lanes.iter().any(|lane| lane.max_iterations.is_some_and(|most| most > 200));
    match request {
        Request::Open { scene, lanes } => {
            let named = worlds::all().iter().find(|named| named.name == scene);
            patient(lanes) || named.is_some_and(|named| count_bodies(&named.scene()) > MOST_BODIES)
        }
        Request::OpenText { text, lanes } => {
            let asked = read_scene(text).map(|scene| (count_bodies(&scene), scene.solver.max_iterations.unwrap_or(0)));
            patient(lanes) || asked.is_ok_and(|(bodies, most)| bodies > MOST_BODIES || most > 200)
        }
        _ => false,
    }
}
