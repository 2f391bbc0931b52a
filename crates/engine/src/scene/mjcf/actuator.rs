//! Actuators of joints, direct or by fixed tendons.

use super::Reader;
use super::defaults::MAIN;
use super::tag::Tag;
use crate::robot::{ActuatorDescription, RobotDescription};
use crate::scene::SceneError;
use std::collections::BTreeMap;

/// Joints and coefficients of a fixed tendon.
pub(super) type Tendons = BTreeMap<String, Vec<(String, f64)>>;

/// Attributes that are used, or that have no effect on motion.
const KNOWN: [&str; 25] = [
    "name",
    "class",
    "joint",
    "jointinparent",
    "tendon",
    "gear",
    "ctrlrange",
    "ctrllimited",
    "forcerange",
    "forcelimited",
    "kp",
    "kv",
    "gainprm",
    "biasprm",
    "gaintype",
    "biastype",
    "dyntype",
    "dynprm",
    "group",
    "user",
    "inheritrange",
    "actrange",
    "actlimited",
    "site",
    "body",
];

impl<'d> Reader<'_, 'd> {
    /// Fixed tendons: linear combinations of joints.
    pub fn tendons(&mut self, root: &Tag<'d>) -> Result<Tendons, SceneError> {
        let mut tendons = Tendons::new();
        for tendon in root.sections("tendon").flat_map(|section| &section.inside) {
            if tendon.tag() != "fixed" {
                self.notes.add(tendon.element.place(), format!("tendons of kind '{}' are left out", tendon.tag()));
                continue;
            }
            let styled = self.styled(&tendon.element, MAIN)?;
            let acts = ["range", "stiffness", "damping", "frictionloss", "armature"];
            let acts = acts.into_iter().any(|name| styled.text(name).is_some_and(|text| text != "0"));
            let mut joints = Vec::new();
            for joint in tendon.sections("joint") {
                let name = joint.element.required("joint")?;
                joints.push((name.to_owned(), joint.element.number_or("coef", 1.0)?));
            }
            if acts {
                let what = "limits, springs and friction of tendons do not act; fixed tendons only carry actuators and equalities";
                self.notes.add(tendon.element.place(), what);
            }
            if let Some(name) = tendon.element.optional("name") {
                tendons.insert(name.to_owned(), joints);
            }
        }
        Ok(tendons)
    }

    pub fn actuators(
        &mut self,
        section: &Tag<'d>,
        tendons: &Tendons,
        description: &mut RobotDescription,
    ) -> Result<(), SceneError> {
        for tag in &section.inside {
            let actuator = self.actuator(tag, tendons, description)?;
            self.kept.push(actuator.is_some());
            description.actuators.extend(actuator);
        }
        Ok(())
    }

    fn actuator(
        &mut self,
        tag: &Tag<'d>,
        tendons: &Tendons,
        description: &RobotDescription,
    ) -> Result<Option<ActuatorDescription>, SceneError> {
        let element = &tag.element;
        element.note_attributes(&KNOWN, &mut self.notes);
        let styled = self.styled(element, MAIN)?;
        let skip = |what: String| (element.place(), what);
        let (gain, bias) = match tag.tag() {
            "motor" => (1.0, [0.0; 3]),
            "position" => {
                let (kp, kv) = (styled.number("kp", 1.0)?, styled.number("kv", 0.0)?);
                (kp, [0.0, -kp, -kv])
            }
            "velocity" => {
                let kv = styled.number("kv", 1.0)?;
                (kv, [0.0, 0.0, -kv])
            }
            "damper" => (0.0, [0.0, 0.0, 0.0]),
            "general" => {
                let gain = styled.number("gainprm", 1.0)?;
                let mut bias = [0.0; 3];
                if styled.text("biastype") == Some("affine") {
                    let given = styled.numbers("biasprm")?.unwrap_or_default();
                    bias.iter_mut().zip(given).for_each(|(bias, given)| *bias = given);
                }
                (gain, bias)
            }
            other => {
                let (at, what) = skip(format!("actuators of kind '{other}' are left out"));
                self.notes.add(at, what);
                return Ok(None);
            }
        };
        let gear = styled.number("gear", 1.0)?;
        let joints = match (styled.text("joint").or(styled.text("jointinparent")), styled.text("tendon")) {
            (Some(joint), _) => vec![(joint.to_owned(), gear)],
            (None, Some(tendon)) => match tendons.get(tendon) {
                Some(joints) => joints.iter().map(|(name, factor)| (name.clone(), factor * gear)).collect(),
                None => Vec::new(),
            },
            (None, None) => Vec::new(),
        };
        let single = |name: &str| {
            let joints = description.links.iter().flat_map(|link| &link.joints);
            joints.filter(|joint| joint.name == name).all(|joint| joint.motion.freedoms() == 1)
        };
        if joints.is_empty() || !joints.iter().all(|(name, _)| single(name)) {
            let what = "actuators that act on anything but hinges, slides and fixed tendons are left out";
            self.notes.add(element.place(), what);
            return Ok(None);
        }
        let automatic = self.compiler.automatic_limits;
        let control_range = styled.range("ctrllimited", "ctrlrange", automatic)?;
        let force_range = styled.range("forcelimited", "forcerange", automatic)?;
        let count = description.actuators.len();
        let dynamics = styled.text("dyntype").is_some_and(|kind| kind != "none");
        let bent = tag.tag() == "general" && styled.text("gaintype").is_some_and(|kind| kind != "fixed");
        let at = element.place();
        if dynamics {
            self.notes.add(at.clone(), "activations of actuators ('dyntype') are left out: the control acts at once");
        }
        if bent {
            self.notes.add(at.clone(), "gains that depend on length ('gaintype') are constant");
        }
        let name = element.optional("name").map_or_else(|| format!("actuator_{count}"), str::to_owned);
        Ok(Some(ActuatorDescription { name, at, joints, gain, bias, control_range, force_range }))
    }
}
