//! Joints of an island at any poses of its bodies: gaps and rows.

use crate::joint::{Anchor, JointKind, JointRecord};
use crate::step::assembly::{contact_row, row};
use glamx::{DQuat, DVec3};
use signorini_problem::JacobianRow;

/// One end of a joint.
#[derive(Clone, Copy, Debug)]
pub(crate) enum End {
    /// A dynamic body of the island, and the anchor from its centre of mass in its axes \[m\].
    Body(usize, DVec3),
    /// A body that no impulse moves, by rank, and the anchor from its centre of mass in its axes \[m\].
    Given(u32, DVec3),
    /// A point of the world \[m\].
    World(DVec3),
}

/// A pose of a body's centre of mass.
pub(crate) type Pose = (DVec3, DQuat);

/// A joint of an island.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IslandJoint {
    pub a: End,
    pub b: End,
    pub kind: JointKind,
    pub relative: DQuat,
}

/// A joint at some poses: where its anchors are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    arm_a: DVec3,
    arm_b: DVec3,
    /// From the anchor of A to that of B \[m\].
    apart: DVec3,
    /// Rotation that takes B from where the joint wants it to where it is [rad].
    turn: DVec3,
}

impl IslandJoint {
    pub fn new(record: &JointRecord, end: impl Fn(Anchor) -> End) -> IslandJoint {
        let (handle, anchor) = record.joint.a;
        IslandJoint {
            a: end(Anchor::Body(handle, anchor)),
            b: end(record.joint.b),
            kind: record.joint.kind,
            relative: record.relative,
        }
    }

    /// Makes the joint one that fits where it is: its anchor on A, its length, its angle.
    pub fn fit(&mut self, placed: &Placed, turn_a: DQuat) {
        match &mut self.kind {
            JointKind::Distance { length } => *length = placed.apart.length().max(f64::MIN_POSITIVE),
            JointKind::Ball | JointKind::Fixed => {
                if let End::Body(_, arm) | End::Given(_, arm) = &mut self.a {
                    *arm += turn_a.inverse() * placed.apart;
                }
                // turn = q_B (q_A q₀)⁻¹, so that q_A⁻¹ turn q_A q₀ is what it is.
                let turn = DQuat::from_scaled_axis(placed.turn);
                self.relative = (turn_a.inverse() * turn * turn_a * self.relative).normalize();
            }
        }
    }

    /// Rows of each equality block.
    pub fn blocks(&self) -> &'static [usize] {
        match self.kind {
            JointKind::Distance { .. } => &[1],
            JointKind::Ball => &[3],
            JointKind::Fixed => &[3, 3],
        }
    }

    pub fn row_count(&self) -> usize {
        self.blocks().iter().sum()
    }

    pub fn place(&self, pose: impl Fn(End) -> Pose) -> Placed {
        let at = |end: End| match end {
            End::Body(_, arm) | End::Given(_, arm) => {
                let (position, orientation) = pose(end);
                (position, orientation * arm, orientation)
            }
            End::World(point) => (point, DVec3::ZERO, DQuat::IDENTITY),
        };
        let ((x_a, arm_a, turn_a), (x_b, arm_b, turn_b)) = (at(self.a), at(self.b));
        let turn = turn_b * (turn_a * self.relative).inverse();
        let turn = if turn.w < 0.0 { -turn } else { turn };
        Placed { arm_a, arm_b, apart: (x_b + arm_b) - (x_a + arm_a), turn: turn.to_scaled_axis() }
    }

    /// Error of every row [m, rad].
    pub fn errors(&self, placed: &Placed) -> [f64; 6] {
        let mut errors = [0.0; 6];
        match self.kind {
            JointKind::Distance { length } => errors[0] = placed.apart.length() - length,
            JointKind::Ball => errors[..3].copy_from_slice(&placed.apart.to_array()),
            JointKind::Fixed => {
                errors[..3].copy_from_slice(&placed.apart.to_array());
                errors[3..].copy_from_slice(&placed.turn.to_array());
            }
        }
        errors
    }

    /// Rows of J at poses, or midway between two: arms are means, and the direction of a distance is the one along which
    /// the work over the step is `λ(‖d⁺‖ − ‖d‖)`.
    pub fn rows(&self, before: &Placed, after: &Placed, out: &mut Vec<JacobianRow>) {
        let [arm_a, arm_b] = self.arms(before, after);
        if let JointKind::Distance { .. } = self.kind {
            out.push(contact_row(direction(before, after), arm_a, arm_b));
            return;
        }
        const AXES: [DVec3; 3] = [DVec3::X, DVec3::Y, DVec3::Z];
        out.extend(AXES.map(|axis| contact_row(axis, arm_a, arm_b)));
        if self.kind == JointKind::Fixed {
            out.extend(AXES.map(|axis| row(DVec3::ZERO, -axis, DVec3::ZERO, axis)));
        }
    }

    /// Arms midway between two poses, of A and B.
    pub fn arms(&self, before: &Placed, after: &Placed) -> [DVec3; 2] {
        [0.5 * (before.arm_a + after.arm_a), 0.5 * (before.arm_b + after.arm_b)]
    }

    /// Impulse on B at its anchor, and angular impulse on B besides, of impulses row by row. A gets the opposite.
    pub fn impulse(&self, before: &Placed, after: &Placed, rows: &[f64]) -> (DVec3, DVec3) {
        match self.kind {
            JointKind::Distance { .. } => (rows[0] * direction(before, after), DVec3::ZERO),
            JointKind::Ball => (DVec3::from_slice(&rows[..3]), DVec3::ZERO),
            JointKind::Fixed => (DVec3::from_slice(&rows[..3]), DVec3::from_slice(&rows[3..6])),
        }
    }
}

/// `(d + d⁺)/(‖d‖ + ‖d⁺‖)`. Anchors that coincide have no direction: any is as good.
fn direction(before: &Placed, after: &Placed) -> DVec3 {
    let n = (before.apart + after.apart) / (before.apart.length() + after.apart.length());
    if n.is_finite() { n } else { DVec3::Z }
}
