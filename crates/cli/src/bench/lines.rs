//! Numbers as JSON lines {engine, version, settings, scene, metric, value}: those of this command and those of the program
//! that runs other engines on the same scenes.

use crate::error::InputError;
use crate::input::read_text;
use signorini_scenes::lines::Line;
use std::path::Path;

/// An engine with settings on a scene: one point of a plot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Point {
    /// Name of the engine.
    pub engine: String,
    /// Name of the settings.
    pub settings: String,
    /// Name of the scene.
    pub scene: String,
    /// Median time of a step \[ms\].
    pub milliseconds: f64,
    /// Residual of the worst step by its certificate [m/s], if there is one.
    pub residual: Option<f64>,
    /// Deviation from the answer on paper, if there is one.
    pub departure: Option<f64>,
    /// The quantity that deviates.
    pub of: Option<String>,
    /// Whether every step met its tolerance; none if the engine has no certificate.
    pub certified: Option<bool>,
}

/// The lines of a file. The first may describe the machine.
pub fn read(path: &Path) -> Result<Vec<Line>, InputError> {
    let text = read_text(path)?;
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match serde_json::from_str(line) {
            Ok(line) => lines.push(line),
            Err(_) if is_machine(line) => {}
            Err(why) => {
                return Err(InputError::BadLines { path: path.to_owned(), why: format!("line {}: {why}", index + 1) });
            }
        }
    }
    Ok(lines)
}

fn is_machine(line: &str) -> bool {
    let parsed: Result<serde_json::Value, _> = serde_json::from_str(line);
    parsed.is_ok_and(|value| value.get("processor").is_some())
}

/// The points that the lines contain, in their order. Lines without a time give no point.
pub fn points(lines: &[Line]) -> Vec<Point> {
    let mut points: Vec<Point> = Vec::new();
    for line in lines {
        let same = |p: &Point| (&p.engine, &p.settings, &p.scene) == (&line.engine, &line.settings, &line.scene);
        let index = points.iter().position(same).unwrap_or_else(|| {
            points.push(Point {
                engine: line.engine.clone(),
                settings: line.settings.clone(),
                scene: line.scene.clone(),
                milliseconds: f64::NAN,
                ..Point::default()
            });
            points.len() - 1
        });
        let (point, Some(value)) = (&mut points[index], line.value) else { continue };
        match line.metric.as_str() {
            "ms_per_step" => point.milliseconds = value,
            "residual_worst_m_per_s" => point.residual = Some(value),
            "closed_form_error" => (point.departure, point.of) = (Some(value), line.of.clone()),
            "degraded_steps" => point.certified = Some(value == 0.0),
            _ => {}
        }
    }
    points.retain(|point| point.milliseconds.is_finite());
    points
}
