//! Gears as rows of problems. In: joints at the current poses. Out: which of their rows each gear binds, and one row
//! per gear over all bodies of these joints.
//!
//! Eq.: `J = Σ f_i J_i`. A block of a problem has two bodies; further bodies are given as extra columns
//! (`FurtherColumns`). A body that belongs to several of the joints appears once.

use crate::World;
use crate::joint::geometry::{JointGeometry, Placed, nearest};
use crate::joint::rows::{Measure, RowLaw, RowSpec};
use crate::joint::{GEAR_LIMIT, GearRecord};
use crate::step::Twist;
use crate::step::assembly::{JointFrame, JointRow, Scene, row_velocity};
use crate::step::island::Island;
use signorini_problem::{Block, FactoredParts, FurtherColumns, JacobianRow};
use std::ops::Range;

/// All gears that act in a step, in order of creation.
#[derive(Clone, Debug, Default)]
pub(crate) struct GearFrames {
    /// Range of terms, and offset, of each gear [m, rad].
    gears: Vec<(Range<usize>, f64)>,
    terms: Vec<GearedRow>,
}

/// A row of a joint that is bound by a gear.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct GearedRow {
    /// Index of the joint, in the step or in the island.
    pub joint: usize,
    /// Index of the row among those of the joint.
    pub row: usize,
    pub factor: f64,
}

/// Index of the joint row that a coordinate of a gear uses.
pub(crate) fn row_of(rows: &[RowSpec], gear: u32, axis: usize) -> Option<usize> {
    let bound = |spec: &RowSpec| matches!(spec.law, RowLaw::Geared { gear: of, .. } if of == gear);
    rows.iter().position(|spec| spec.axis == axis && bound(spec))
}

impl GearFrames {
    /// Finds the gears all of whose joints are part of the step.
    pub fn find(&mut self, world: &World, joints: &[JointFrame]) {
        self.gears.clear();
        self.terms.clear();
        for slot in &world.gear_order {
            let Some(record) = world.gears.at(*slot) else { continue };
            let first = self.terms.len();
            self.terms.extend(terms(world, joints, *slot, record));
            if self.terms.len() - first == record.terms.len() {
                self.gears.push((first..self.terms.len(), record.offset));
            } else {
                self.terms.truncate(first);
            }
        }
    }

    pub fn len(&self) -> usize {
        self.gears.len()
    }

    /// The rows that a gear binds.
    pub fn terms(&self, gear: usize) -> &[GearedRow] {
        &self.terms[self.gears[gear].0.clone()]
    }

    /// Prescribed value of the sum of a gear's coordinates [m, rad].
    pub fn offset(&self, gear: usize) -> f64 {
        self.gears[gear].1
    }
}

fn terms<'a>(
    world: &'a World,
    joints: &'a [JointFrame],
    slot: u32,
    record: &'a GearRecord,
) -> impl Iterator<Item = GearedRow> + 'a {
    record.terms.iter().filter_map(move |term| {
        let joint = joints.iter().position(|joint| joint.slot == term.slot)?;
        let row = row_of(&world.joints.at(term.slot)?.rows, slot, term.axis)?;
        Some(GearedRow { joint, row, factor: term.factor })
    })
}

/// Value of a coordinate at the end of a step [m, rad]. Of all angles that differ by whole turns it is the one nearest
/// to the start value plus `way`.
pub(crate) fn counted(joint: &JointGeometry, measure: Measure, start: &Placed, end: &Placed, way: f64) -> f64 {
    match measure {
        Measure::Angle(_) => nearest(joint.value(measure, end), joint.value(measure, start) + way),
        _ => joint.value(measure, end),
    }
}

/// One row over the bodies of several joints.
pub(crate) struct SumRow {
    count: usize,
    /// Ranks of the bodies, ascending.
    bodies: [u32; 2 * GEAR_LIMIT],
    columns: [[f64; 6]; 2 * GEAR_LIMIT],
}

impl SumRow {
    pub fn new() -> SumRow {
        SumRow { count: 0, bodies: [0; 2 * GEAR_LIMIT], columns: [[0.0; 6]; 2 * GEAR_LIMIT] }
    }

    /// Adds a multiple of a row that acts on two bodies.
    pub fn add(&mut self, factor: f64, pair: [Option<u32>; 2], row: &JacobianRow) {
        let (halves, _) = row.as_chunks::<6>();
        for (body, half) in pair.into_iter().zip(halves) {
            let Some(body) = body else { continue };
            let known = &self.bodies[..self.count];
            let at = known.partition_point(|other| *other < body);
            if known.get(at) != Some(&body) {
                if self.count == self.bodies.len() {
                    continue;
                }
                self.bodies[at..].rotate_right(1);
                self.columns[at..].rotate_right(1);
                (self.bodies[at], self.columns[at]) = (body, [0.0; 6]);
                self.count += 1;
            }
            self.columns[at].iter_mut().zip(half).for_each(|(sum, j)| *sum += factor * j);
        }
    }

    /// Its bodies in pairs, with the entries of the row for each pair.
    pub fn pairs(&self) -> impl Iterator<Item = ([Option<u32>; 2], JacobianRow)> {
        (0..self.count).step_by(2).map(|first| {
            let (mut pair, mut row) = ([None; 2], [0.0; 12]);
            for (side, at) in (first..self.count.min(first + 2)).enumerate() {
                pair[side] = Some(self.bodies[at]);
                row[6 * side..6 * side + 6].copy_from_slice(&self.columns[at]);
            }
            (pair, row)
        })
    }

    /// Adds the row to a problem as an equality block.
    pub fn pose(&self, parts: &mut FactoredParts, q: f64) {
        let (pair, row) = self.pairs().next().unwrap_or(([None; 2], [0.0; 12]));
        let index = parts.jacobian.len() as u32;
        let beyond = self.bodies[..self.count].iter().zip(&self.columns).skip(2);
        parts.further.extend(beyond.map(|(body, columns)| FurtherColumns {
            row: index,
            body: *body,
            columns: *columns,
        }));
        parts.blocks.push(Block::joint(1));
        parts.bodies.push(pair);
        parts.jacobian.push(row);
        parts.compliance.push(0.0);
        parts.q.push(q);
    }
}

/// Adds the gears of an island to its problem at the current poses.
pub(crate) fn assemble_gears(
    scene: &Scene,
    island: &Island,
    local: impl Fn(u32) -> Option<u32>,
    after: impl Fn(u32) -> Twist,
    parts: &mut FactoredParts,
) {
    for gear in &island.gears {
        let (mut sum, mut q) = (SumRow::new(), 0.0);
        for term in scene.gears.terms(*gear as usize) {
            let joint = &scene.joints[term.joint];
            let row: &JointRow = &scene.rows_of(joint)[term.row];
            sum.add(term.factor, [joint.a, joint.b].map(|rank| rank.and_then(&local)), &row.columns);
            let [a, b] = [joint.a, joint.b].map(|rank| rank.map(&after));
            q += term.factor * row_velocity(&row.columns, a.as_ref(), b.as_ref());
        }
        sum.pose(parts, q);
    }
}
