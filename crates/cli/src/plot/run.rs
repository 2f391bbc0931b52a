//! Plot of a run: residual against time above, energy against time below.

use super::axis::{LinearAxis, LogAxis};
use super::svg::Svg;
use super::{Frame, LEAST_RESIDUAL};
use crate::run::Tally;

const SIZE: (f64, f64) = (900.0, 320.0);
const TITLE_HEIGHT: f64 = 44.0;
const LEGEND_WIDTH: f64 = 150.0;
/// Most crosses drawn for degraded steps; more would hide the curve.
const MOST_CROSSES: usize = 400;

/// Draws the whole run.
pub fn draw(tally: &Tally) -> String {
    let heading = format!("{} by {}: {} steps", tally.scene, tally.method, tally.steps);
    let mut svg = Svg::new(SIZE.0 + LEGEND_WIDTH, TITLE_HEIGHT + 2.0 * SIZE.1, &heading);
    residual(&mut svg, &Frame::inside((0.0, TITLE_HEIGHT), SIZE), tally);
    energy(&mut svg, &Frame::inside((0.0, TITLE_HEIGHT + SIZE.1), SIZE), tally);
    svg.finish()
}

/// Draws the time axis with its grid, the frame and the titles.
fn stage(svg: &mut Svg, frame: &Frame, tally: &Tally, title: &str, unit: &str) -> LinearAxis {
    let Frame { left, right, top, bottom } = *frame;
    let time = LinearAxis::covering([0.0, tally.time].into_iter(), 8.0, left, right);
    for (value, text) in time.ticks() {
        svg.line("grid", (time.place(value), top), (time.place(value), bottom));
        svg.text("tick", "middle", (time.place(value), bottom + 16.0), &text);
    }
    svg.frame((left, top), (right, bottom));
    svg.text("title", "middle", (0.5 * (left + right), top - 12.0), title);
    svg.text("label", "middle", (0.5 * (left + right), bottom + 36.0), "time [s]");
    svg.vertical_text("label", (left - 48.0, 0.5 * (top + bottom)), unit);
    time
}

fn residual(svg: &mut Svg, frame: &Frame, tally: &Tally) {
    let time = stage(svg, frame, tally, "largest error left at any contact", "residual [m/s]");
    let Frame { left, right, top, bottom } = *frame;
    let values = tally.points.iter().filter(|p| p.residual.is_finite());
    let shown = |residual: f64| residual.max(LEAST_RESIDUAL);
    let y = LogAxis::covering(values.clone().map(|p| shown(p.residual)).chain([tally.tolerance]), bottom, top);
    for decade in y.ticks(8) {
        svg.line("grid", (left, y.place(decade.value)), (right, y.place(decade.value)));
        svg.power_of_ten("end", (left - 6.0, y.place(decade.value) + 4.0), decade.exponent);
    }
    let bound = values.clone().map(|p| (time.place(p.time), y.place(p.bound).max(top)));
    svg.bound_line(bound);
    svg.polyline(0, "residual", values.clone().map(|p| (time.place(p.time), y.place(shown(p.residual)))));
    for point in values.filter(|p| !p.certified).take(MOST_CROSSES) {
        svg.marker(1, (time.place(point.time), y.place(shown(point.residual))), false);
    }
    let (x, mut line) = (right + 14.0, top + 10.0);
    svg.key_line(0, (x, line), (x + 30.0, line));
    svg.text("label", "start", (x + 38.0, line + 4.0), "residual");
    line += 20.0;
    svg.line("bound", (x, line), (x + 30.0, line));
    svg.text("label", "start", (x + 38.0, line + 4.0), "tolerance");
    if tally.degraded > 0 {
        line += 20.0;
        svg.marker(1, (x + 15.0, line), false);
        svg.text("label", "start", (x + 38.0, line + 4.0), "degraded step");
    }
}

fn energy(svg: &mut Svg, frame: &Frame, tally: &Tally) {
    let time = stage(svg, frame, tally, "energy", "energy [J]");
    let Frame { left, right, top, bottom } = *frame;
    let start = std::iter::once((0.0, tally.energy.ledger.before));
    let states: Vec<_> = start.chain(tally.points.iter().map(|p| (p.time, p.energy))).collect();
    type Part = fn(&signorini::Energy) -> f64;
    let parts: [(&str, Part); 3] =
        [("total", |e| e.total()), ("potential", |e| e.potential), ("kinetic", |e| e.kinetic())];
    let all = states.iter().flat_map(|(_, e)| parts.map(|(_, part)| part(e)));
    let y = LinearAxis::covering(all, 6.0, bottom, top);
    for (value, text) in y.ticks() {
        svg.line("grid", (left, y.place(value)), (right, y.place(value)));
        svg.text("tick", "end", (left - 6.0, y.place(value) + 4.0), &text);
    }
    let (x, mut line) = (right + 14.0, top + 10.0);
    for (style, (name, part)) in parts.into_iter().enumerate() {
        svg.polyline(style, name, states.iter().map(|(t, e)| (time.place(*t), y.place(part(e)))));
        svg.key_line(style, (x, line), (x + 30.0, line));
        svg.text("label", "start", (x + 38.0, line + 4.0), name);
        line += 20.0;
    }
}
