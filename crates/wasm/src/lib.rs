//! The npm package `signorini`: worlds from scenes, stepped and certified in a browser or in node.
//!
//! One thread, no clock: times in reports are zero. The states are those of every other build, bit for bit.

#![forbid(unsafe_code)]

mod session;
mod world;

pub use session::Session;
pub use world::World;

use signorini::Scene;
use signorini_scenes::worlds;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** A built-in scene. */
export interface SceneChoice {
    readonly name: string;
    readonly description: string;
}

/** One part of the certificate of a step: what was measured and what is allowed. */
export interface CertificatePart {
    readonly name: string;
    readonly value: number | null;
    readonly bound: number | null;
}

/** What a step says of itself. The certificate has more; docs/certificate.md explains each number. */
export interface StepReport {
    readonly status: "certified" | "degraded";
    readonly counts: { readonly bodies: number; readonly contacts: number; readonly islands: number };
    readonly penetration: number;
    readonly certificate: unknown;
    readonly energy: Record<string, unknown>;
}

/** A point where two bodies touch: places in `World.names`, SI units, impulse on the second. */
export interface Contact {
    readonly a: number;
    readonly b: number;
    readonly point: [number, number, number];
    readonly normal: [number, number, number];
    readonly impulse: [number, number, number];
    readonly gap: number;
    readonly state: "open" | "stick" | "slip";
}
"#;

/// The built-in scenes, the demonstration first.
#[wasm_bindgen(unchecked_return_type = "SceneChoice[]")]
pub fn scenes() -> Result<JsValue, JsError> {
    let choices = signorini_view::catalogue::Catalogue::built_in().choices();
    value(&choices)
}

/// Names of the methods that contact can be solved by.
#[wasm_bindgen]
pub fn methods() -> Vec<String> {
    signorini::Method::ALL.iter().map(|method| method.name().to_owned()).collect()
}

/// A built-in scene as TOML, to read or to change.
#[wasm_bindgen(js_name = sceneText)]
pub fn scene_text(name: &str) -> Result<String, JsError> {
    Ok(built_in(name)?.to_toml())
}

/// What is wrong with a scene in TOML or JSON, with line and column; undefined if nothing is.
#[wasm_bindgen(js_name = checkScene)]
pub fn check_scene(text: &str) -> Option<String> {
    signorini_view::local::read_scene(text).err()
}

fn built_in(name: &str) -> Result<Scene, JsError> {
    let scene = worlds::find(name).ok_or_else(|| JsError::new(&format!("there is no scene '{name}'")))?;
    Ok(scene.scene())
}

/// A Rust value as a JavaScript one, by way of JSON. Infinite numbers become null.
fn value(value: &impl serde::Serialize) -> Result<JsValue, JsError> {
    let text = serde_json::to_string(value)?;
    js_sys::JSON::parse(&text).map_err(|_| JsError::new("a report that is not JSON"))
}
