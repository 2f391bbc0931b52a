//! A drawing of the bodies of a scene and their contact forces, from one side.
//!
//! Every contact has two bars along its normal, drawn into the body that is pushed: the thick one is the least normal
//! force, the thin one the greatest. A dashed bar means that the force has no bound.

use super::{Findings, View};
use crate::plot::svg::Svg;
use signorini::glamx::{DVec2, DVec3};
use signorini::{Kind, World};

const SIZE: (f64, f64) = (900.0, 640.0);
const TITLE_HEIGHT: f64 = 44.0;
const LEGEND_HEIGHT: f64 = 36.0;
/// Margin around the bodies, and length of the longest bar, as fractions of the size of the picture.
const MARGIN: f64 = 0.12;
const LONGEST: f64 = 0.18;
/// Most triangles and parts drawn.
const MOST_OUTLINES: usize = 20_000;

pub(super) fn draw(scene: &str, world: &World, findings: &Findings, view: View) -> String {
    let (right, up) = match view {
        View::X => (DVec3::Y, DVec3::Z),
        View::Y => (DVec3::X, DVec3::Z),
        View::Z => (DVec3::X, DVec3::Y),
    };
    let flat = |p: DVec3| DVec2::new(p.dot(right), p.dot(up));
    let verdict = if findings.stability.stable { "can rest" } else { "cannot rest" };
    let mut svg = Svg::new(SIZE.0, SIZE.1, &format!("{scene}: {verdict}"));
    let mut outlines = Vec::new();
    let (mut least, mut most) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
    for (_, body) in world.bodies() {
        for outline in body.shape().silhouette(&body.pose(), right, up) {
            if body.kind() == Kind::Dynamic {
                outline.iter().for_each(|p| (least, most) = (least.min(*p), most.max(*p)));
            }
            outlines.push((body.kind() == Kind::Dynamic, body.id().label(), outline));
        }
    }
    if !(least.is_finite() && most.is_finite()) {
        (least, most) = (DVec2::ZERO, DVec2::ONE);
    }
    let room = MARGIN * (most - least).max_element().max(1e-9);
    (least, most) = (least - room, most + room);
    let (width, height) = (SIZE.0, SIZE.1 - TITLE_HEIGHT - LEGEND_HEIGHT);
    let scale = f64::min(width / (most.x - least.x), height / (most.y - least.y));
    let middle = 0.5 * (least + most);
    let place = |p: DVec2| {
        let q = (p - middle) * scale;
        (0.5 * width + q.x, TITLE_HEIGHT + 0.5 * height - q.y)
    };
    for (moves, name, outline) in outlines.iter().take(MOST_OUTLINES) {
        svg.polygon(if *moves { "body" } else { "ground" }, name, outline.iter().map(|p| place(*p)));
    }
    let contacts = findings.bounds.iter().flat_map(|bounds| &bounds.contacts);
    let finite = |x: f64| if x.is_finite() { x } else { 0.0 };
    let largest =
        contacts.clone().map(|c| finite(c.normal_force.greatest).max(c.normal_force.least)).fold(0.0, f64::max);
    let unit = LONGEST * f64::min(most.x - least.x, most.y - least.y) / if largest > 0.0 { largest } else { 1.0 };
    for contact in contacts {
        let along = flat(contact.normal);
        let (from, range) = (flat(contact.point), contact.normal_force);
        let end = |force: f64| place(from + along * (unit * force));
        match range.greatest.is_finite() {
            true => svg.line("most", place(from), end(range.greatest)),
            false => svg.line("endless", place(from), end(1.3 * largest.max(1.0))),
        }
        svg.line("least", place(from), end(range.least));
    }
    if !findings.stability.stable {
        let longest = findings.stability.motion.iter().map(|m| flat(m.velocity).length()).fold(0.0, f64::max);
        for motion in &findings.stability.motion {
            let Ok(body) = world.body(motion.body) else { continue };
            let from = flat(body.centre_of_mass());
            let to = from + flat(motion.velocity) * (LONGEST * (most.x - least.x) / longest.max(1e-300));
            svg.line("falls", place(from), place(to));
        }
    }
    let base = SIZE.1 - 16.0;
    for (k, (class, text)) in [
        ("least", "least normal force"),
        ("most", "greatest normal force"),
        ("endless", "no limit"),
        ("falls", "begins to fall"),
    ]
    .into_iter()
    .enumerate()
    {
        let x = 20.0 + 215.0 * k as f64;
        svg.line(class, (x, base - 4.0), (x + 30.0, base - 4.0));
        svg.text("label", "start", (x + 38.0, base), text);
    }
    svg.finish()
}
