//! Geometry of a joint at given poses: values of its rows, rows of J, and effect of its impulses.
//!
//! Here A is the base, that is the other end of a joint, and B the body that moves relative to it. A joint measures the
//! pose of B in the frame of A. With the anchors `p` and axes `e_x, e_y, e_z` of the frames on A and B, `d = p_B −
//! p_A`, arms `r = p − x` from the centres of mass and `ω = ω_B − ω_A`:
//!
//! | measure | value | rate |
//! |---|---|---|
//! | apart | d, world axes | ṗ_B − ṗ_A |
//! | turn | rotation vector of `R_B R_A⁻¹`, world axes | ω to first order in the value |
//! | along i | `e_i(A)·d` | `e_i·(ẋ_B + ω_B×r_B − ẋ_A − ω_A×c)`, c = p_B − x_A: both act at p_B |
//! | tilt of hinge k about i | component i(A) of `e_k(A)×e_k(B)`, scaled to the angle | `e_i(A)·ω` |
//! | cross, α locked | `−e_y(A)·e_z(B)` | `(e_y(A)×e_z(B))·ω` |
//! | cross, β locked | `e_x(A)·e_z(B)` | `(e_z(B)×e_x(A))·ω` |
//! | cross, γ locked | `−e_x(A)·e_y(B)` | `(e_x(A)×e_y(B))·ω` |
//! | angle of a hinge k | twist about `e_k` | `e_k·ω` |
//! | angle of several | α, β, γ | dual of `e_x(A), e_x(A)-turned e_y, e_z(B)` |
//! | swing | angle from `e_z(A)` to `e_z(B)` | `n·ω`, n along `e_z(A)×e_z(B)` |
//! | turn | angle of `R_B R_A⁻¹` | `n·ω`, n its axis |
//! | twist | of `R_B R_A⁻¹` about `e_z(A)`, before the swing | `(e_z(A) + e_z(B))·ω / (1 + e_z(A)·e_z(B))` |
//! | length | ‖d‖ | `d/‖d‖·ḋ` |
//!
//! Between two poses, arms are means, axes those half way, and the direction of a length the one along which the work over the
//! step is `λ(‖d⁺‖ − ‖d‖)`: symmetric in time, which makes the scheme of second order.

mod stiffness;

use crate::joint::rows::{Measure, RowSpec};
use crate::joint::{Anchor, Frame, JointRecord};
use crate::step::{contact_row, row};
use glamx::{DMat3, DQuat, DVec3, EulerRot};
use signorini_problem::JacobianRow;
use signorini_problem::math;

const AXES: [DVec3; 3] = [DVec3::X, DVec3::Y, DVec3::Z];
/// If the cosine of β is smaller than this, α and γ of three free rotations are nearly the same axis (gimbal lock).
const LOCK: f64 = 1e-3;

/// One end of a joint. Frames are from the centre of mass of the body, in its axes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum End {
    /// A dynamic body of the island.
    Body(usize, Frame),
    /// A body that no impulse moves, by rank.
    Given(u32, Frame),
    /// The world.
    World(Frame),
}

impl End {
    fn frame_mut(&mut self) -> &mut Frame {
        match self {
            End::Body(_, frame) | End::Given(_, frame) | End::World(frame) => frame,
        }
    }
}

/// A pose of a body's centre of mass.
pub(crate) type Pose = (DVec3, DQuat);

/// A joint whose bodies have been found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointGeometry<'a> {
    /// The base: the other end of the joint.
    pub a: End,
    /// The body of the joint, which is what moves.
    pub b: End,
    pub rows: &'a [RowSpec],
    /// The one free rotation, if there is exactly one.
    hinge: Option<usize>,
    /// The one locked rotation, if there is exactly one: the angles of the two others are told over the whole turn.
    cross: Option<usize>,
    /// Whether the angles are swing, turn and twist.
    swings: bool,
    /// What a rod or rope is longer than it should be \[m\]; zero unless it was put together so.
    stretch: f64,
    /// Angles that those measured are next to [rad].
    near: [f64; 3],
    /// Whether a row measures an angle.
    tells_angles: bool,
}

/// A joint at some poses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    arm_a: DVec3,
    arm_b: DVec3,
    /// From the anchor of A to that of B \[m\].
    apart: DVec3,
    axes_a: DQuat,
    axes_b: DQuat,
    /// The same axes, as columns.
    columns_a: DMat3,
    columns_b: DMat3,
    /// α, β, γ, or the angle of a hinge at its place, where rows measure them: several rows measure one angle. [rad]
    angles: Option<[f64; 3]>,
}

/// Axes half way between two poses, as columns.
struct HalfWay {
    a: DMat3,
    b: DMat3,
}

impl HalfWay {
    fn of(before: &Placed, after: &Placed) -> HalfWay {
        if std::ptr::eq(before, after) {
            return HalfWay { a: after.columns_a, b: after.columns_b };
        }
        let half = |p: DQuat, q: DQuat| {
            DMat3::from_quat(if p.dot(q) < 0.0 { (p - q).normalize() } else { (p + q).normalize() })
        };
        HalfWay { a: half(before.axes_a, after.axes_a), b: half(before.axes_b, after.axes_b) }
    }
}

/// Rows of J of a joint at some poses, or midway between two.
pub(crate) struct Rows<'a> {
    joint: &'a JointGeometry<'a>,
    before: &'a Placed,
    after: &'a Placed,
    half: HalfWay,
    arms: [DVec3; 3],
}

impl Rows<'_> {
    pub fn row(&self, spec: &RowSpec) -> JacobianRow {
        let direction = spec.sign() * self.joint.direction(spec.measure, &self.half, self.before, self.after);
        let [arm_a, arm_b, arm_of_b] = self.arms;
        match spec.measure {
            Measure::Apart(_) | Measure::Length => contact_row(direction, arm_a, arm_b),
            Measure::Along(_) => contact_row(direction, arm_of_b, arm_b),
            _ => row(DVec3::ZERO, -direction, DVec3::ZERO, direction),
        }
    }
}

/// Impulses of a joint on B; A gets the opposite.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pull {
    /// At the anchors of both bodies \[N·s\].
    pub at_anchors: DVec3,
    /// At the anchor of B on both bodies \[N·s\]; it turns with A.
    pub at_b: DVec3,
    /// [N·m·s].
    pub torque: DVec3,
}

impl<'a> JointGeometry<'a> {
    pub fn new(record: &'a JointRecord, end: impl Fn(Anchor) -> End) -> JointGeometry<'a> {
        let joint = &record.joint;
        let (a, mut b) = (end(joint.b), end(Anchor::Body(joint.a.0, joint.a.1)));
        if joint.kind.keeps_orientation() {
            b.frame_mut().axes = record.relative * joint.b.frame().axes;
        }
        let mut turns = joint.free_axes().filter(|axis| *axis >= 3);
        let hinge = match (turns.next(), turns.next()) {
            (Some(axis), None) => Some(axis - 3),
            _ => None,
        };
        let crossed = |spec: &RowSpec| if let Measure::Cross(axis) = spec.measure { Some(axis) } else { None };
        let cross = record.rows.iter().find_map(crossed);
        let swings = joint.kind.swings();
        let tells_angles = record.rows.iter().any(|spec| matches!(spec.measure, Measure::Angle(_)));
        JointGeometry {
            a,
            b,
            rows: &record.rows,
            hinge,
            cross,
            swings,
            stretch: 0.0,
            near: record.angles,
            tells_angles,
        }
    }

    pub fn row_count(&self) -> usize {
        self.rows.len()
    }

    pub fn place(&self, pose: impl Fn(End) -> Pose) -> Placed {
        let at = |end: End| match end {
            End::Body(_, frame) | End::Given(_, frame) => {
                let (position, orientation) = pose(end);
                (position, orientation * frame.point, orientation * frame.axes)
            }
            End::World(frame) => (frame.point, DVec3::ZERO, frame.axes),
        };
        let ((x_a, arm_a, axes_a), (x_b, arm_b, axes_b)) = (at(self.a), at(self.b));
        let apart = (x_b + arm_b) - (x_a + arm_a);
        let (columns_a, columns_b) = (DMat3::from_quat(axes_a), DMat3::from_quat(axes_b));
        let mut placed = Placed { arm_a, arm_b, apart, axes_a, axes_b, columns_a, columns_b, angles: None };
        if self.tells_angles {
            placed.angles = Some(self.told(&placed));
        }
        placed
    }

    /// Makes the joint one that fits where it is: moves and turns the frame on A, or changes the length. `turn_a` is the
    /// orientation of A.
    pub fn fit(&mut self, placed: &Placed, turn_a: DQuat) {
        let locked = || self.rows.iter().filter(|spec| spec.is_locked());
        let mut angles = self.cardan(placed);
        let mut turns = false;
        for spec in locked() {
            if let Measure::Turn(i) | Measure::Cross(i) | Measure::Tilt { about: i, .. } = spec.measure {
                angles[i] = 0.0;
                turns = true;
            }
        }
        // R_A⁻¹R_B is to be of the free angles alone.
        let wanted = DQuat::from_euler(EulerRot::XYZ, angles[0], angles[1], angles[2]);
        let axes = if turns { (placed.axes_b * wanted.inverse()).normalize() } else { placed.axes_a };
        let mut shift = DVec3::ZERO;
        let mut stretch = self.stretch;
        for spec in locked() {
            match spec.measure {
                Measure::Length => stretch = spec.error(placed.apart.length()),
                Measure::Apart(_) => shift = placed.apart,
                Measure::Along(i) => shift += (axes * AXES[i]).dot(placed.apart) * (axes * AXES[i]),
                _ => {}
            }
        }
        self.stretch = stretch;
        let frame = self.a.frame_mut();
        frame.point += turn_a.inverse() * shift;
        if turns {
            frame.axes = (turn_a.inverse() * axes).normalize();
        }
    }

    /// Value of what a row measures [m, rad].
    pub fn value(&self, measure: Measure, placed: &Placed) -> f64 {
        let (a, b) = (|i: usize| placed.columns_a.col(i), |i: usize| placed.columns_b.col(i));
        match measure {
            Measure::Apart(i) => placed.apart[i],
            Measure::Length => placed.apart.length() - self.stretch,
            Measure::Along(i) => a(i).dot(placed.apart),
            Measure::Turn(i) => scaled_axis(placed.axes_b * placed.axes_a.inverse())[i],
            Measure::Tilt { hinge, about } => {
                let (cross, cosine) = (a(hinge).cross(b(hinge)), a(hinge).dot(b(hinge)));
                let sine = cross.length();
                let component = a(about).dot(cross);
                if sine > 0.0 {
                    component * (math::atan2(sine, cosine) / sine)
                } else if cosine < 0.0 {
                    // Turned right over: any way back is as good.
                    std::f64::consts::PI
                } else {
                    component
                }
            }
            Measure::Cross(0) => -a(1).dot(b(2)),
            Measure::Cross(1) => a(0).dot(b(2)),
            Measure::Cross(_) => -a(0).dot(b(1)),
            Measure::Angle(i) => nearest(placed.angles.unwrap_or_else(|| self.told(placed))[i], self.near[i]),
        }
    }

    /// The angles that rows may measure, within a turn: that of a hinge; swing, turn and twist; or α, β, γ [rad].
    fn told(&self, placed: &Placed) -> [f64; 3] {
        if self.hinge.is_none() && !self.swings {
            return self.cardan(placed);
        }
        let q = placed.axes_a.inverse() * placed.axes_b;
        let Some(hinge) = self.hinge else {
            let (a, b) = (placed.columns_a.z_axis, placed.columns_b.z_axis);
            let swing = math::atan2(a.cross(b).length(), a.dot(b));
            return [swing, 2.0 * math::atan2(q.xyz().length(), q.w.abs()), 2.0 * math::atan2(q.z, q.w)];
        };
        let mut angles = [0.0; 3];
        angles[hinge] = 2.0 * math::atan2([q.x, q.y, q.z][hinge], q.w);
        angles
    }

    /// α, β, γ of `R_A⁻¹R_B = R_x(α)R_y(β)R_z(γ)` [rad].
    fn cardan(&self, placed: &Placed) -> [f64; 3] {
        let r = placed.columns_a.transpose() * placed.columns_b;
        match self.cross {
            Some(0) => return [0.0, math::atan2(r.z_axis.x, r.z_axis.z), math::atan2(r.x_axis.y, r.y_axis.y)],
            Some(2) => return [math::atan2(r.y_axis.z, r.y_axis.y), math::atan2(r.z_axis.x, r.x_axis.x), 0.0],
            _ => {}
        }
        [
            math::atan2(-r.z_axis.y, r.z_axis.z),
            math::asin(r.z_axis.x.clamp(-1.0, 1.0)),
            math::atan2(-r.y_axis.x, r.x_axis.x),
        ]
    }

    /// Error of every locked row and gap of every limit [m, rad]; zero for the others.
    pub fn errors<'s>(&'s self, placed: &'s Placed) -> impl Iterator<Item = f64> + 's {
        self.rows.iter().map(|spec| spec.error(self.value(spec.measure, placed)))
    }

    /// Largest error of a locked row [m, rad]; infinite if one is not a number.
    pub fn locked_error(&self, placed: &Placed) -> f64 {
        let errors = self.rows.iter().zip(self.errors(placed)).filter(|(spec, _)| spec.is_locked());
        errors.fold(0.0, |worst: f64, (_, error)| if error.is_nan() { f64::INFINITY } else { worst.max(error.abs()) })
    }

    /// Largest distance and largest angle by which locked coordinates are off [m, rad].
    pub fn misfit(&self, placed: &Placed) -> (f64, f64) {
        let (mut gap, mut turn): (f64, f64) = (0.0, 0.0);
        for (spec, error) in self.rows.iter().zip(self.errors(placed)).filter(|(spec, _)| spec.is_locked()) {
            match spec.measure {
                Measure::Apart(_) | Measure::Along(_) | Measure::Length => gap = math::hypot(gap, error),
                _ => turn = math::hypot(turn, error),
            }
        }
        (gap, turn)
    }

    /// The angles α, β, γ that are free, next to those known; zero for the others [rad].
    pub fn angles(&self, placed: &Placed) -> [f64; 3] {
        match self.hinge {
            Some(axis) => std::array::from_fn(|i| if i == axis { self.value(Measure::Angle(i), placed) } else { 0.0 }),
            None => std::array::from_fn(|i| self.value(Measure::Angle(i), placed)),
        }
    }

    /// The same joint with angles next to these.
    pub fn near(self, near: [f64; 3]) -> Self {
        JointGeometry { near, ..self }
    }

    /// Direction of a row, midway between two poses.
    fn direction(&self, measure: Measure, half: &HalfWay, before: &Placed, after: &Placed) -> DVec3 {
        let (a, b) = (|i: usize| half.a.col(i), |i: usize| half.b.col(i));
        match measure {
            Measure::Apart(i) | Measure::Turn(i) => AXES[i],
            Measure::Along(i) | Measure::Tilt { about: i, .. } => a(i),
            Measure::Cross(0) => a(1).cross(b(2)),
            Measure::Cross(1) => b(2).cross(a(0)),
            Measure::Cross(_) => a(0).cross(b(1)),
            Measure::Angle(i) if self.hinge == Some(i) => a(i),
            Measure::Angle(i) if self.swings => swinging(i, half),
            Measure::Angle(i) if self.cross.is_some() => match (self.cross, i) {
                // Two axes at right angles are their own dual.
                (Some(0), 1) => a(1),
                (Some(2), 1) => b(1),
                (_, 0) => a(0),
                _ => b(2),
            },
            Measure::Angle(i) => {
                // ω = α̇ e₁ + β̇ e₂ + γ̇ e₃ with e₂ across both others.
                let (first, third) = (a(0), b(2));
                let second = third.cross(first);
                let cosine = second.length().max(LOCK);
                let second = second / cosine;
                match i {
                    0 => second.cross(third) / cosine,
                    1 => second,
                    _ => first.cross(second) / cosine,
                }
            }
            Measure::Length => {
                // (d + d⁺)/(‖d‖ + ‖d⁺‖). Anchors that coincide have no direction: any is as good.
                let n = (before.apart + after.apart) / (before.apart.length() + after.apart.length());
                if n.is_finite() { n } else { DVec3::Z }
            }
        }
    }

    /// Rows of J at poses, or midway between two.
    pub fn rows_between<'s>(&'s self, before: &'s Placed, after: &'s Placed) -> Rows<'s> {
        Rows { joint: self, before, after, half: HalfWay::of(before, after), arms: self.arms(before, after) }
    }

    /// A row of J at poses, or midway between two.
    pub fn jacobian(&self, spec: &RowSpec, before: &Placed, after: &Placed) -> JacobianRow {
        self.rows_between(before, after).row(spec)
    }

    /// Mean arms of A to its anchor, of B to its anchor, and of A to B's anchor \[m\].
    pub fn arms(&self, before: &Placed, after: &Placed) -> [DVec3; 3] {
        let mean = |of: fn(&Placed) -> DVec3| 0.5 * (of(before) + of(after));
        [mean(|p| p.arm_a), mean(|p| p.arm_b), mean(|p| p.arm_a + p.apart)]
    }

    /// What impulses, row by row, do to B.
    pub fn pull(&self, before: &Placed, after: &Placed, impulses: &[f64]) -> Pull {
        let mut pull = Pull::default();
        let half = HalfWay::of(before, after);
        for (spec, impulse) in self.rows.iter().zip(impulses).filter(|(_, impulse)| **impulse != 0.0) {
            let part = (spec.sign() * impulse) * self.direction(spec.measure, &half, before, after);
            match spec.measure {
                Measure::Apart(_) | Measure::Length => pull.at_anchors += part,
                Measure::Along(_) => pull.at_b += part,
                _ => pull.torque += part,
            }
        }
        pull
    }

    /// Impulse and angular impulse on A and B.
    pub fn wrenches(&self, before: &Placed, after: &Placed, impulses: &[f64]) -> [(DVec3, DVec3); 2] {
        let Pull { at_anchors, at_b, torque } = self.pull(before, after, impulses);
        let [arm_a, arm_b, arm_of_b] = self.arms(before, after);
        let both = at_anchors + at_b;
        [(-both, -(arm_a.cross(at_anchors) + arm_of_b.cross(at_b) + torque)), (both, arm_b.cross(both) + torque)]
    }
}

/// What swing, turn and twist turn about. At zero swing and turn have no axis: any is as good.
fn swinging(which: usize, half: &HalfWay) -> DVec3 {
    let (a, b) = (half.a.z_axis, half.b.z_axis);
    match which {
        0 => a.cross(b).try_normalize().unwrap_or(half.a.x_axis),
        1 => {
            let turn = DQuat::from_mat3(&(half.b * half.a.transpose()));
            let axis = if turn.w < 0.0 { -turn.xyz() } else { turn.xyz() };
            axis.try_normalize().unwrap_or(a)
        }
        _ => (a + b) / (1.0 + a.dot(b)).max(LOCK),
    }
}

/// Rotation vector of the shorter turn [rad], to the last digit of small ones: those of glam end at 2e-8.
fn scaled_axis(turn: DQuat) -> DVec3 {
    let turn = if turn.w < 0.0 { -turn } else { turn };
    let (sine, axis) = (turn.xyz().length(), turn.xyz());
    if sine > 0.0 { axis * (2.0 * math::atan2(sine, turn.w) / sine) } else { DVec3::ZERO }
}

/// The angle next to `near` of those that differ by whole turns.
pub(crate) fn nearest(angle: f64, near: f64) -> f64 {
    let turn = std::f64::consts::TAU;
    angle + turn * ((near - angle) / turn).round()
}

#[cfg(test)]
#[path = "geometry_tests.rs"]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests;
