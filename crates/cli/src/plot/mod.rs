//! Plots of residual against time: one panel per problem, one curve per method.
//!
//! Curves are the method's own residual in a recorded run; the marker is the certificate at the median time of the
//! timed runs, filled if solved. Both axes are logarithmic. The drawing brings its own background and follows the
//! reader's light or dark scheme.

mod axis;
mod run;
pub(crate) mod svg;
mod work_precision;

pub use run::draw as draw_run;
pub use work_precision::draw as draw_work_precision;

use crate::solve::by_problem;
use crate::trial::{Graded, Outcome, Trial};
use axis::LogAxis;
use signorini_problem::{Measure, Tolerance};
use signorini_solvers::{Method, Status};
use svg::Svg;

/// Residuals of zero are drawn here [m/s]: below the round-off of any problem of this size.
const LEAST_RESIDUAL: f64 = 1e-18;
/// The clock does not resolve less \[s\].
const LEAST_TIME: f64 = 1e-7;

const HEADING: &str = "Residual against time (curves: the method's own; markers: the certificate)";
/// Width and height of the panel of a single problem, and of one among several.
const SINGLE_PANEL: (f64, f64) = (800.0, 520.0);
const PANEL: (f64, f64) = (560.0, 360.0);
const MARGIN: Margin = Margin { left: 64.0, right: 16.0, top: 34.0, bottom: 44.0 };
const TITLE_HEIGHT: f64 = 44.0;
const LEGEND_WIDTH: f64 = 190.0;
const LEGEND_LINE: f64 = 20.0;

struct Margin {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

/// The sides of the axes of a panel \[px\].
struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Frame {
    fn inside(corner: (f64, f64), size: (f64, f64)) -> Self {
        Frame {
            left: corner.0 + MARGIN.left,
            right: corner.0 + size.0 - MARGIN.right,
            top: corner.1 + MARGIN.top,
            bottom: corner.1 + size.1 - MARGIN.bottom,
        }
    }

    /// Title, grid, ticks and labels of two logarithmic axes.
    fn draw_axes(&self, svg: &mut Svg, (x, y): (&LogAxis, &LogAxis), title: &str, (across, up): (&str, &str)) {
        let Frame { left, right, top, bottom } = *self;
        svg.text("title", "middle", (0.5 * (left + right), top - 12.0), title);
        for decade in x.ticks(8) {
            svg.line("grid", (x.place(decade.value), top), (x.place(decade.value), bottom));
            svg.power_of_ten("middle", (x.place(decade.value), bottom + 16.0), decade.exponent);
        }
        for decade in y.ticks(10) {
            svg.line("grid", (left, y.place(decade.value)), (right, y.place(decade.value)));
            svg.power_of_ten("end", (left - 6.0, y.place(decade.value) + 4.0), decade.exponent);
        }
        svg.frame((left, top), (right, bottom));
        svg.text("label", "middle", (0.5 * (left + right), bottom + 36.0), across);
        svg.vertical_text("label", (left - 48.0, 0.5 * (top + bottom)), up);
    }
}

/// Draws all trials.
pub fn draw(trials: &[Trial], tolerance: &Tolerance) -> String {
    let panels: Vec<&[Trial]> = by_problem(trials).collect();
    let (columns, size) = if panels.len() > 1 { (2, PANEL) } else { (1, SINGLE_PANEL) };
    let lines = panels.len().div_ceil(columns).max(1);
    let methods = methods_drawn(trials);
    // Rows of the legend: methods, three kinds of marker, and space around them.
    let legend_height = MARGIN.top + LEGEND_LINE * (methods.len() + 5) as f64;
    let width = columns as f64 * size.0 + LEGEND_WIDTH;
    let height = TITLE_HEIGHT + f64::max(lines as f64 * size.1, legend_height);
    let mut svg = Svg::new(width, height, HEADING);
    for (i, panel) in panels.iter().enumerate() {
        let corner = ((i % columns) as f64 * size.0, TITLE_HEIGHT + (i / columns) as f64 * size.1);
        let frame = Frame::inside(corner, size);
        draw_panel(&mut svg, &frame, panel, &methods, tolerance);
    }
    draw_legend(&mut svg, (width - LEGEND_WIDTH, TITLE_HEIGHT + MARGIN.top), &methods);
    svg.finish()
}

/// Methods with a drawable answer, in the order of the table. The order decides their colours in every panel.
fn methods_drawn(trials: &[Trial]) -> Vec<Method> {
    let mut methods = Vec::new();
    for trial in trials {
        if matches!(trial.outcome, Outcome::Graded(_)) && !methods.contains(&trial.method) {
            methods.push(trial.method);
        }
    }
    methods
}

struct Curve<'a> {
    /// Place in the legend.
    style: usize,
    method: Method,
    graded: &'a Graded,
}

impl Curve<'_> {
    /// Points that can be drawn on logarithmic axes.
    fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        let drawable = |p: &(f64, f64)| p.0.is_finite() && p.1.is_finite();
        self.graded.history.iter().map(|p| on_axes(p.seconds, p.residual)).filter(drawable)
    }

    /// The certificate at the median time.
    fn marker(&self) -> (f64, f64) {
        on_axes(self.graded.seconds, self.graded.solution.certificate.natural)
    }
}

fn on_axes(seconds: f64, residual: f64) -> (f64, f64) {
    (seconds.max(LEAST_TIME), residual.max(LEAST_RESIDUAL))
}

fn draw_panel(svg: &mut Svg, frame: &Frame, trials: &[Trial], methods: &[Method], tolerance: &Tolerance) {
    let curves: Vec<Curve> = trials
        .iter()
        .filter_map(|trial| match &trial.outcome {
            Outcome::Graded(graded) => Some(Curve {
                style: methods.iter().position(|method| *method == trial.method)?,
                method: trial.method,
                graded,
            }),
            _ => None,
        })
        .collect();
    let bound = match tolerance.measure {
        Measure::Velocity => {
            curves.first().map(|curve| tolerance.value * curve.graded.solution.certificate.speed.max(1.0))
        }
        // A relative tolerance has no unique place on an axis in m/s.
        Measure::Relative => None,
    };
    let drawn = || curves.iter().flat_map(|curve| curve.points().chain([curve.marker()]));
    let Frame { left, right, top, bottom } = *frame;
    let x = LogAxis::covering(drawn().map(|p| p.0), left, right);
    let y = LogAxis::covering(drawn().map(|p| p.1).chain(bound), bottom, top);

    let title = trials.first().map_or("", |t| t.problem.as_str());
    frame.draw_axes(svg, (&x, &y), title, ("time [s]", "residual [m/s]"));
    if let Some(bound) = bound {
        svg.line("bound", (left, y.place(bound)), (right, y.place(bound)));
    }
    for curve in &curves {
        let place = |p: (f64, f64)| (x.place(p.0), y.place(p.1));
        svg.polyline(curve.style, curve.method.name(), curve.points().map(place));
    }
    // Markers last, so that no curve hides a verdict.
    for curve in &curves {
        let marker = curve.marker();
        if marker.1.is_finite() {
            svg.marker(
                curve.style,
                (x.place(marker.0), y.place(marker.1)),
                curve.graded.solution.status == Status::Solved,
            );
        }
    }
    if curves.is_empty() {
        svg.text("label", "middle", (0.5 * (left + right), 0.5 * (top + bottom)), "no method answered");
    }
}

fn draw_legend(svg: &mut Svg, corner: (f64, f64), methods: &[Method]) {
    let (left, text) = (corner.0 + 10.0, corner.0 + 48.0);
    let mut y = corner.1 + 6.0;
    for (style, method) in methods.iter().enumerate() {
        svg.key_line(style, (left, y), (left + 30.0, y));
        svg.text("label", "start", (text, y + 4.0), method.name());
        y += LEGEND_LINE;
    }
    y += 0.5 * LEGEND_LINE;
    svg.key_marker((left + 15.0, y), true);
    svg.text("label", "start", (text, y + 4.0), "certified solved");
    y += LEGEND_LINE;
    svg.key_marker((left + 15.0, y), false);
    svg.text("label", "start", (text, y + 4.0), "not solved");
    y += LEGEND_LINE;
    svg.line("bound", (left, y), (left + 30.0, y));
    svg.text("label", "start", (text, y + 4.0), "tolerance");
}
