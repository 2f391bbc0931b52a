//! Names for reports: keys of the certificate's parts, names of bodies, and the ratio of value to bound.

use super::{Part, PartName, Place};

impl PartName {
    /// Its key in files and programs.
    pub fn key(self) -> &'static str {
        match self {
            PartName::Velocity => "velocity",
            PartName::Overlap => "overlap",
            PartName::JointGap => "joint_gap",
            PartName::JointTurn => "joint_turn",
            PartName::Closure => "closure",
            PartName::EnergyRise => "energy_rise",
            PartName::Momentum => "momentum",
            PartName::Stages => "stages",
        }
    }
}

impl Part {
    /// Value over bound \[1\]: at most 1 if the bound holds; infinite if the bound is zero and missed.
    pub fn excess(&self) -> f64 {
        if self.value == 0.0 { 0.0 } else { self.value / self.bound }
    }
}

impl Place {
    /// Names of the bodies by their ranks; the second end of a joint may be the world.
    pub fn names(&self, name: impl Fn(u32) -> Option<String>) -> Vec<String> {
        let mut names: Vec<String> =
            self.bodies.iter().flatten().map(|rank| name(*rank).unwrap_or_else(|| format!("body {rank}"))).collect();
        if self.joint.is_some() && names.len() == 1 {
            names.push("the world".to_owned());
        }
        names
    }
}
