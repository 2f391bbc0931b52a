//! The elements of SVG that plots use. Coordinates are pixels, y down.

use std::fmt::Write;

/// Middle tones that read on white and on near-black; dashes tell the second and third round apart.
const COLOURS: [&str; 8] = ["#3b7dd8", "#d9622b", "#2a9d5c", "#c2417a", "#8a63d2", "#b8860b", "#1a9aa8", "#7f8389"];
const DASHES: [&str; 3] = ["none", "7 3", "2 3"];

/// Points of a curve closer than this \[px\] in both directions are one.
const APART: f64 = 0.5;

const STYLE: &str = "\
.back{fill:#ffffff}.frame{fill:none;stroke:#57606a;stroke-width:1}.grid{stroke:#d0d7de;stroke-width:1}\
.bound{stroke:#57606a;stroke-width:1.5;stroke-dasharray:8 4}.curve{fill:none;stroke-width:1.8;stroke-linejoin:round}\
text{font-family:system-ui,sans-serif;fill:#24292f}.head{font-size:17px;font-weight:600}.title{font-size:14px;font-weight:600}\
.body{fill:#3b7dd8;fill-opacity:0.14;stroke:#57606a}.ground{fill:#7f8389;fill-opacity:0.2;stroke:#57606a}\
.least{stroke:#c2417a;stroke-width:4}.most{stroke:#c2417a;stroke-width:1.4}.endless{stroke:#c2417a;stroke-width:1.4;stroke-dasharray:4 3}\
.falls{stroke:#d9622b;stroke-width:2.4}.label,.tick{font-size:12px}.key{stroke:#24292f;fill:#24292f}.open{stroke:#24292f}\
@media (prefers-color-scheme:dark){.back{fill:#14171c}.frame{stroke:#9aa4af}.grid{stroke:#30363d}.bound{stroke:#9aa4af}\
text{fill:#e6edf3}.key{stroke:#e6edf3;fill:#e6edf3}.open{stroke:#e6edf3}}";

/// A drawing under construction.
pub struct Svg {
    body: String,
}

impl Svg {
    /// An empty drawing with a background and a heading.
    pub fn new(width: f64, height: f64, heading: &str) -> Self {
        let mut svg = Svg { body: String::new() };
        svg.push(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{heading}</title>\n<style>{STYLE}</style>\n\
             <rect class=\"back\" width=\"{width}\" height=\"{height}\"/>",
            heading = escape(heading)
        ));
        svg.text("head", "start", (16.0, 28.0), heading);
        svg
    }

    /// The finished text.
    pub fn finish(mut self) -> String {
        self.body.push_str("</svg>\n");
        self.body
    }

    /// Text; `anchor` is `start`, `middle` or `end`.
    pub fn text(&mut self, class: &str, anchor: &str, at: (f64, f64), text: &str) {
        let (x, y) = at;
        self.push(format_args!(
            "<text class=\"{class}\" text-anchor=\"{anchor}\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>",
            escape(text)
        ));
    }

    /// Text that reads upwards, centred.
    pub fn vertical_text(&mut self, class: &str, at: (f64, f64), text: &str) {
        let (x, y) = at;
        self.push(format_args!(
            "<text class=\"{class}\" text-anchor=\"middle\" transform=\"translate({x:.1} {y:.1}) rotate(-90)\">{}</text>",
            escape(text)
        ));
    }

    /// A power of ten as the label of a tick.
    pub fn power_of_ten(&mut self, anchor: &str, at: (f64, f64), exponent: i32) {
        let (x, y) = at;
        // A minus sign, not a hyphen; shifted by dy because baseline-shift is not drawn everywhere.
        let exponent = exponent.to_string().replace('-', "−");
        self.push(format_args!(
            "<text class=\"tick\" text-anchor=\"{anchor}\" x=\"{x:.1}\" y=\"{y:.1}\">10<tspan dy=\"-4\" font-size=\"9\">\
             {exponent}</tspan></text>"
        ));
    }

    /// A straight line.
    pub fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        self.push(format_args!(
            "<line class=\"{class}\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>",
            from.0, from.1, to.0, to.1
        ));
    }

    /// A closed outline with its name as tooltip.
    pub fn polygon(&mut self, class: &str, name: &str, points: impl Iterator<Item = (f64, f64)>) {
        let list: Vec<String> = points.map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        self.push(format_args!(
            "<polygon class=\"{class}\" points=\"{}\"><title>{}</title></polygon>",
            list.join(" "),
            escape(name)
        ));
    }

    /// The sample of a curve in the legend.
    pub fn key_line(&mut self, style: usize, from: (f64, f64), to: (f64, f64)) {
        let (colour, dash) = look(style);
        self.push(format_args!(
            "<path class=\"curve\" stroke=\"{colour}\" stroke-dasharray=\"{dash}\" d=\"M{:.1} {:.1}L{:.1} {:.1}\"/>",
            from.0, from.1, to.0, to.1
        ));
    }

    /// The border of a panel, given two corners.
    pub fn frame(&mut self, from: (f64, f64), to: (f64, f64)) {
        self.push(format_args!(
            "<rect class=\"frame\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>",
            from.0,
            from.1,
            to.0 - from.0,
            to.1 - from.1
        ));
    }

    /// A curve with its name as tooltip.
    pub fn polyline(&mut self, style: usize, name: &str, points: impl Iterator<Item = (f64, f64)>) {
        let (colour, dash) = look(style);
        let mut list = String::new();
        let mut append = |(x, y): (f64, f64)| {
            let separator = if list.is_empty() { "" } else { " " };
            // Writing to a String cannot fail.
            let _ = write!(list, "{separator}{x:.1},{y:.1}");
        };
        // Sweeping methods record tens of thousands of points; points that coincide with the last one are left out.
        let (mut drawn, mut left_out) = (None, None);
        for point in points {
            let near = |(x, y): (f64, f64)| (point.0 - x).abs() < APART && (point.1 - y).abs() < APART;
            if drawn.is_some_and(near) {
                left_out = Some(point);
            } else {
                append(point);
                (drawn, left_out) = (Some(point), None);
            }
        }
        if let Some(end) = left_out {
            append(end);
        }
        self.push(format_args!(
            "<polyline class=\"curve\" stroke=\"{colour}\" stroke-dasharray=\"{dash}\" points=\"{list}\">\
             <title>{}</title></polyline>",
            escape(name)
        ));
    }

    /// A bound that changes over time.
    pub fn bound_line(&mut self, points: impl Iterator<Item = (f64, f64)>) {
        let mut list = String::new();
        let mut last: Option<(f64, f64)> = None;
        let mut points = points.peekable();
        while let Some(point) = points.next() {
            // A constant stretch is drawn by its two ends.
            let level = last.is_some_and(|(_, y)| (y - point.1).abs() < APART)
                && points.peek().is_some_and(|next| (next.1 - point.1).abs() < APART);
            if !level {
                let separator = if list.is_empty() { "" } else { " " };
                // Writing to a String cannot fail.
                let _ = write!(list, "{separator}{:.1},{:.1}", point.0, point.1);
            }
            last = Some(point);
        }
        self.push(format_args!("<polyline class=\"bound\" fill=\"none\" points=\"{list}\"/>"));
    }

    /// The marker of a verdict: a disc if solved, a cross if not.
    pub fn marker(&mut self, style: usize, at: (f64, f64), solved: bool) {
        let (colour, _) = look(style);
        let (x, y) = at;
        if solved {
            self.push(format_args!("<circle class=\"disc\" fill=\"{colour}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\"/>"));
        } else {
            self.cross(&format!("stroke=\"{colour}\""), at);
        }
    }

    /// The sample of a marker in the legend.
    pub fn key_marker(&mut self, at: (f64, f64), solved: bool) {
        let (x, y) = at;
        if solved {
            self.push(format_args!("<circle class=\"key\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\"/>"));
        } else {
            self.cross("class=\"open\"", at);
        }
    }

    fn cross(&mut self, attribute: &str, (x, y): (f64, f64)) {
        self.push(format_args!(
            "<path {attribute} fill=\"none\" stroke-width=\"2.4\" d=\"M{:.1} {:.1}l9 9m0 -9l-9 9\"/>",
            x - 4.5,
            y - 4.5
        ));
    }

    fn push(&mut self, element: std::fmt::Arguments) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.body, "{element}");
    }
}

fn look(style: usize) -> (&'static str, &'static str) {
    (COLOURS[style % COLOURS.len()], DASHES[style / COLOURS.len() % DASHES.len()])
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // XML allows no control characters, but file names may contain them.
            c if c.is_control() => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_outside_cannot_break_the_document() {
        assert_eq!(escape("a<b> & \"c\"\u{1}"), "a&lt;b&gt; &amp; &quot;c&quot;\u{fffd}");
    }

    #[test]
    fn crowded_points_are_left_out_and_the_ends_are_kept() {
        let mut svg = Svg::new(10.0, 10.0, "");
        svg.polyline(0, "", (0..=100_000).map(|i| (f64::from(i) * 1e-4, 1.0)));
        let drawing = svg.finish();
        let (_, rest) = drawing.split_once("points=\"").unwrap_or_default();
        let (points, _) = rest.split_once('"').unwrap_or_default();
        assert!(points.starts_with("0.0,1.0 ") && points.ends_with(" 10.0,1.0"), "{points}");
        assert_eq!(points.split(' ').count(), 21);
    }

    #[test]
    fn first_styles_are_distinct() {
        let looks: Vec<_> = (0..COLOURS.len() * DASHES.len()).map(look).collect();
        for (i, a) in looks.iter().enumerate() {
            assert!(looks[i + 1..].iter().all(|b| a != b));
        }
    }
}
