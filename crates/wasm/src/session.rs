//! What the web page talks to when no server is there. The protocol is that of docs/viewer.md.

use js_sys::{Array, Uint8Array};
use signorini_view::local::{LocalSession, Message};
use wasm_bindgen::prelude::*;

/// A simulation and the page that looks at it.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Session(LocalSession);

/// Texts are strings, frames byte arrays, in the order they are to be sent.
fn sent(messages: Vec<Message>) -> Array {
    let convert = |message| match message {
        Message::Text(text) => JsValue::from(text),
        Message::Frame(bytes) => JsValue::from(Uint8Array::from(&bytes[..])),
    };
    messages.into_iter().map(convert).collect()
}

#[wasm_bindgen]
impl Session {
    /// With the demonstration, before its first step.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Result<Session, JsError> {
        Ok(Session(LocalSession::new().map_err(|error| JsError::new(&error))?))
    }

    /// Answers a request.
    #[wasm_bindgen(unchecked_return_type = "(string | Uint8Array)[]")]
    pub fn request(&mut self, request: &str) -> Array {
        sent(self.0.request(request))
    }

    /// Takes a step, if it runs.
    #[wasm_bindgen(unchecked_return_type = "(string | Uint8Array)[]")]
    pub fn advance(&mut self) -> Array {
        sent(self.0.advance())
    }

    /// Whether steps are to be taken.
    #[wasm_bindgen(getter, js_name = isRunning)]
    pub fn is_running(&self) -> bool {
        self.0.is_running()
    }

    /// Time between two steps [s]; zero: as soon as possible.
    #[wasm_bindgen(getter)]
    pub fn interval(&self) -> f64 {
        self.0.interval()
    }
}
