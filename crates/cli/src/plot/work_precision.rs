//! Plot of time against precision for one scene: residual on the left, difference from the analytical answer on the
//! right.
//!
//! One colour per engine, one marker per settings with its name beside it where there is room. Settings of one method
//! that differ in their tolerance are joined by a line.

use super::axis::LogAxis;
use super::svg::Svg;
use super::{Frame, LEAST_RESIDUAL, LEGEND_LINE};
use crate::bench::Point;

const PANEL: (f64, f64) = (560.0, 420.0);
const TITLE_HEIGHT: f64 = 44.0;
const LEGEND_WIDTH: f64 = 160.0;
/// Width of a letter and height of a line of a label \[px\].
const LETTER: (f64, f64) = (6.2, 12.0);

/// The value that a panel shows of a point, if the point has it.
type Precision = fn(&Point) -> Option<f64>;

/// Draws both panels.
pub fn draw(scene: &str, points: &[&Point]) -> String {
    let mut engines: Vec<&str> = Vec::new();
    for point in points {
        if !engines.contains(&point.engine.as_str()) {
            engines.push(&point.engine);
        }
    }
    let (width, height) = (2.0 * PANEL.0 + LEGEND_WIDTH, TITLE_HEIGHT + PANEL.1);
    let mut svg = Svg::new(width, height, &format!("{scene}: time against precision"));
    let of = points.iter().find_map(|point| point.of.as_deref()).unwrap_or("departure from the answer on paper");
    let panels: [(&str, &str, Precision); 2] = [
        ("residual of the worst step, by the certificate", "residual [m/s]", |point| point.residual),
        ("departure from the answer on paper", of, |point| point.departure),
    ];
    for (index, (title, unit, value)) in panels.into_iter().enumerate() {
        let frame = Frame::inside((index as f64 * PANEL.0, TITLE_HEIGHT), PANEL);
        panel(&mut svg, &frame, points, &engines, (title, unit), value);
    }
    legend(&mut svg, width - LEGEND_WIDTH, &engines);
    svg.finish()
}

fn panel(
    svg: &mut Svg,
    frame: &Frame,
    points: &[&Point],
    engines: &[&str],
    (title, unit): (&str, &str),
    value: Precision,
) {
    let Frame { left, right, top, bottom } = *frame;
    let shown: Vec<(&Point, f64)> = points
        .iter()
        .filter_map(|point| Some((*point, value(point).filter(|v| v.is_finite())?.max(LEAST_RESIDUAL))))
        .collect();
    // All panels of a scene have one time axis.
    let x = LogAxis::covering(points.iter().map(|point| point.milliseconds), left, right);
    let y = LogAxis::covering(shown.iter().map(|(_, value)| *value), bottom, top);
    frame.draw_axes(svg, (&x, &y), title, ("time per step [ms]", unit));
    if shown.is_empty() {
        svg.text("label", "middle", (0.5 * (left + right), 0.5 * (top + bottom)), "nothing to compare with");
    }
    let place = |(point, value): &(&Point, f64)| (x.place(point.milliseconds), y.place(*value));
    let style = |point: &Point| engines.iter().position(|engine| *engine == point.engine).unwrap_or(0);
    for (index, first) in shown.iter().enumerate() {
        let same = |other: &&(&Point, f64)| (&other.0.engine, series(other.0)) == (&first.0.engine, series(first.0));
        if shown.iter().position(|other| same(&other)) == Some(index) && shown.iter().filter(same).count() > 1 {
            svg.polyline(style(first.0), series(first.0), shown.iter().filter(same).map(place));
        }
    }
    let mut taken: Vec<[f64; 4]> = shown.iter().map(|p| around(place(p))).collect();
    for shown in &shown {
        let (at, point) = (place(shown), shown.0);
        svg.marker(style(point), at, point.certified == Some(true));
        label(svg, frame, at, &point.settings, &mut taken);
    }
}

/// The method without its tolerance.
fn series(point: &Point) -> &str {
    match point.settings.rsplit_once(' ') {
        Some((method, tolerance)) if tolerance.parse::<f64>().is_ok() => method,
        _ => &point.settings,
    }
}

/// The box of a marker: left, top, right, bottom.
fn around((x, y): (f64, f64)) -> [f64; 4] {
    [x - 5.0, y - 5.0, x + 5.0, y + 5.0]
}

/// Writes the name beside its marker, on the first side where it covers nothing; writes nothing if there is no room.
fn label(svg: &mut Svg, frame: &Frame, (x, y): (f64, f64), text: &str, taken: &mut Vec<[f64; 4]>) {
    let width = LETTER.0 * text.chars().count() as f64;
    let sides = [(8.0, 4.0), (8.0, -8.0), (8.0, 16.0), (-8.0 - width, 4.0), (-8.0 - width, -8.0), (-8.0 - width, 16.0)];
    for (right, down) in sides {
        let own = [x + right, y + down - LETTER.1 + 2.0, x + right + width, y + down + 2.0];
        let inside = own[0] >= frame.left && own[2] <= frame.right && own[1] >= frame.top && own[3] <= frame.bottom;
        let free = taken.iter().all(|b| own[2] <= b[0] || b[2] <= own[0] || own[3] <= b[1] || b[3] <= own[1]);
        if inside && free {
            svg.text("tick", "start", (own[0], y + down), text);
            taken.push(own);
            return;
        }
    }
}

fn legend(svg: &mut Svg, left: f64, engines: &[&str]) {
    let mut y = TITLE_HEIGHT + LEGEND_LINE * 2.0;
    for (style, engine) in engines.iter().enumerate() {
        svg.marker(style, (left + 12.0, y), true);
        svg.text("label", "start", (left + 26.0, y + 4.0), engine);
        y += LEGEND_LINE;
    }
    y += 0.5 * LEGEND_LINE;
    for (solved, text) in [(true, "every step certified"), (false, "not, or no tolerance")] {
        svg.key_marker((left + 12.0, y), solved);
        svg.text("label", "start", (left + 26.0, y + 4.0), text);
        y += LEGEND_LINE;
    }
}
