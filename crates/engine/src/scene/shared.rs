//! Builds shapes that several bodies of a scene describe alike only once, and shares them.

use super::{SceneError, ShapeDescription};
use crate::Shape;
use std::collections::BTreeMap;

/// What tells most descriptions apart at a glance: kind, size, and the first numbers.
type Glance = (&'static str, usize, [u64; 3]);

/// The shapes built so far.
#[derive(Default)]
pub(super) struct Shared<'a> {
    known: BTreeMap<Glance, Vec<(&'a ShapeDescription, Shape)>>,
}

impl<'a> Shared<'a> {
    /// The shape of a description: an earlier one if it is the same in every number.
    pub fn build(&mut self, description: &'a ShapeDescription, path: &str) -> Result<Shape, SceneError> {
        let Some(glance) = glance(description) else { return description.build(path) };
        let alike = self.known.entry(glance).or_default();
        if let Some((_, shape)) = alike.iter().find(|(earlier, _)| *earlier == description) {
            return Ok(shape.clone());
        }
        let shape = description.build(path)?;
        alike.push((description, shape.clone()));
        Ok(shape)
    }
}

/// None for what is as cheap to build as to look up.
fn glance(description: &ShapeDescription) -> Option<Glance> {
    let first = |points: &[[f64; 3]]| points.first().map_or([0; 3], |point| point.map(f64::to_bits));
    Some(match description {
        ShapeDescription::Hull { points } => ("hull", points.len(), first(points)),
        ShapeDescription::RoundedHull { points, .. } => ("rounded_hull", points.len(), first(points)),
        ShapeDescription::Mesh { vertices, .. } => ("mesh", vertices.len(), first(vertices)),
        ShapeDescription::Solid { vertices, .. } => ("solid", vertices.len(), first(vertices)),
        ShapeDescription::HeightField { heights, .. } => {
            ("height_field", heights.len(), [heights.first().map_or(0, |height| height.to_bits()), 0, 0])
        }
        ShapeDescription::Compound { parts } => {
            ("compound", parts.len(), parts.first().map_or([0; 3], |part| part.position.map(f64::to_bits)))
        }
        _ => return None,
    })
}
