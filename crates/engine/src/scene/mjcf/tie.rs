//! Constraints beyond the trees (`equality`), included and excluded contact pairs, and named states (`key`).

use super::Reader;
use super::actuator::Tendons;
use super::defaults::{MAIN, numbers};
use super::tag::Tag;
use crate::robot::{EqualityDescription, EqualityKind, KeyframeDescription, RobotDescription};
use crate::scene::SceneError;
use crate::scene::text::nearest;
use crate::scene::xml::{Element, Notes};
use glamx::{DPose3, DVec3};
use std::collections::BTreeSet;

/// The link of a body's name; `None` is the world.
fn body(element: &Element, name: &str, description: &RobotDescription) -> Result<Option<usize>, SceneError> {
    if name == "world" {
        return Ok(None);
    }
    let names = || description.links.iter().map(|link| link.name.as_str());
    match names().position(|link| link == name) {
        Some(link) => Ok(Some(link)),
        None => {
            let meant = nearest(name, names()).map_or(String::new(), |meant| format!("; did you mean '{meant}'?"));
            Err(element.refuse(format!("no body is called '{name}'{meant}")))
        }
    }
}

/// Coefficients of a polynomial, of which the constant and the linear one act.
fn line(element: &Element, given: Option<Vec<f64>>, notes: &mut Notes) -> [f64; 2] {
    let mut curve = given.unwrap_or_else(|| vec![0.0, 1.0]);
    curve.resize(5, 0.0);
    if curve[2..] != [0.0; 3] {
        notes.add(element.place(), "only the constant and linear coefficients of an equality ('polycoef') act");
    }
    [curve[0], curve[1]]
}

/// Coordinate of a joint at the start of the model.
fn reference(description: &RobotDescription, name: &str) -> f64 {
    let joints = description.links.iter().flat_map(|link| &link.joints);
    joints.filter(|joint| joint.name == name).map(|joint| joint.reference).sum()
}

/// Names of the shapes of all pairs that touch.
pub(super) fn paired<'d>(root: &Tag<'d>) -> BTreeSet<&'d str> {
    let pairs = root.sections("contact").flat_map(|section| section.sections("pair"));
    pairs.flat_map(|pair| ["geom1", "geom2"].map(|name| pair.element.optional(name))).flatten().collect()
}

impl<'d> Reader<'_, 'd> {
    pub fn equalities(
        &mut self,
        section: &Tag<'d>,
        tendons: &Tendons,
        description: &mut RobotDescription,
    ) -> Result<(), SceneError> {
        if !self.compiler.constraints {
            return Ok(());
        }
        for tag in &section.inside {
            let element = &tag.element;
            let styled = self.styled(element, MAIN)?;
            if styled.text("active") == Some("false") {
                continue;
            }
            let given = styled.numbers("polycoef")?;
            let kind = match tag.tag() {
                "connect" | "weld" if element.optional("body1").is_none() => {
                    self.notes.add(element.place(), "equalities between sites are left out");
                    continue;
                }
                "connect" => self.connect(element, description)?,
                "weld" => self.weld(element, description)?,
                "joint" => {
                    let first = element.required("joint1")?;
                    let second = element.optional("joint2");
                    let curve = line(element, given, &mut self.notes);
                    let reference = |name: &str| reference(description, name);
                    let ratio = if second.is_some() { curve[1] } else { 0.0 };
                    // Both coordinates count from their values at the start.
                    let offset = reference(first) + curve[0] - ratio * second.map_or(0.0, reference);
                    EqualityKind::Joint { joint: first.to_owned(), other: second.map(str::to_owned), ratio, offset }
                }
                "tendon" => {
                    let curve = line(element, given, &mut self.notes);
                    let mut joints: Vec<(String, f64)> = Vec::new();
                    let mut sum = curve[0];
                    let (first, second) = (element.required("tendon1")?, element.optional("tendon2"));
                    let ends = [(Some(first), 1.0), (second, -curve[1])];
                    let mut missing = None;
                    for (name, factor) in ends.into_iter().filter_map(|(name, factor)| Some((name?, factor))) {
                        let Some(tendon) = tendons.get(name) else {
                            missing = Some(name);
                            continue;
                        };
                        for (joint, coefficient) in tendon {
                            let own = factor * coefficient;
                            // Both coordinates count from their values at the start.
                            sum += own * reference(description, joint);
                            match joints.iter_mut().find(|(known, _)| known == joint) {
                                Some((_, known)) => *known += own,
                                None => joints.push((joint.clone(), own)),
                            }
                        }
                    }
                    if let Some(name) = missing {
                        let what =
                            format!("equalities of tendons that are not fixed ones, such as '{name}', are left out");
                        self.notes.add(element.place(), what);
                        continue;
                    }
                    EqualityKind::Tendon { joints, sum }
                }
                other => {
                    self.notes.add(element.place(), format!("equalities of kind '{other}' are left out"));
                    continue;
                }
            };
            let name = element.optional("name").unwrap_or(tag.tag()).to_owned();
            description.equalities.push(EqualityDescription { name, at: element.place(), kind });
        }
        Ok(())
    }

    fn connect(&self, element: &Element<'d>, description: &RobotDescription) -> Result<EqualityKind, SceneError> {
        let first = body(element, element.required("body1")?, description)?;
        let second = element.optional("body2").map_or(Ok(None), |name| body(element, name, description))?;
        let point = DVec3::from_array(element.triple("anchor")?);
        match (first, second) {
            (Some(link), other) => Ok(EqualityKind::Connect { link, other, point }),
            // The anchor is in the frame of the first, which is that of the world.
            (None, Some(link)) => {
                let pose = at_start(description, link).inverse();
                Ok(EqualityKind::Connect { link, other: None, point: pose.transform_point(point) })
            }
            (None, None) => Err(element.refuse("it ties the world to itself")),
        }
    }

    fn weld(&mut self, element: &Element<'d>, description: &RobotDescription) -> Result<EqualityKind, SceneError> {
        let first = body(element, element.required("body1")?, description)?;
        let second = element.optional("body2").map_or(Ok(None), |name| body(element, name, description))?;
        if let Some(text) = element.optional("relpose") {
            let [_, _, _, turn @ ..]: [f64; 7] = super::defaults::vector(element, "relpose", text)?;
            // Without an orientation, the relative pose is that at the start.
            if turn != [0.0; 4] {
                self.notes.add(element.place(), "'relpose' of a 'weld' is the pose at the start");
            }
        }
        match (first, second) {
            (Some(link), other) => Ok(EqualityKind::Weld { link, other }),
            (None, Some(link)) => Ok(EqualityKind::Weld { link, other: None }),
            (None, None) => Err(element.refuse("it ties the world to itself")),
        }
    }

    pub fn contacts(&mut self, section: &Tag<'d>, description: &mut RobotDescription) -> Result<(), SceneError> {
        for tag in &section.inside {
            let element = &tag.element;
            match tag.tag() {
                "exclude" => {
                    let first = body(element, element.required("body1")?, description)?;
                    let second = body(element, element.required("body2")?, description)?;
                    match (first, second) {
                        (Some(first), Some(second)) => description.excluded.push([first, second]),
                        (Some(only), None) | (None, Some(only)) => {
                            let fixed = (0..description.links.len())
                                .filter(|link| description.links[*link].name.starts_with("world/"));
                            let pairs: Vec<[usize; 2]> = fixed.map(|link| [only, link]).collect();
                            description.excluded.extend(pairs);
                        }
                        (None, None) => {}
                    }
                }
                "pair" => {
                    let owner = |name: &str| {
                        let has = |link: &crate::robot::LinkDescription| link.shapes.iter().any(|s| s.name == name);
                        description.links.iter().position(has)
                    };
                    let pair = [owner(element.required("geom1")?), owner(element.required("geom2")?)];
                    if let [Some(first), Some(second)] = pair {
                        description.forced.push([first, second]);
                    } else {
                        self.notes.add(element.place(), "pairs of shapes that are no bodies ('pair') are left out");
                    }
                    if element.optional("friction").is_some() {
                        self.notes.add(element.place(), "'friction' of a 'pair' is that of its shapes");
                    }
                }
                other => self.notes.add(element.place(), format!("element '{other}' in 'contact' is not used")),
            }
        }
        Ok(())
    }

    /// From a list with one number for every actuator of the file, takes those of the actuators that were read.
    fn of_kept(&self, control: Vec<f64>) -> Vec<f64> {
        if control.len() != self.kept.len() {
            return control;
        }
        control.into_iter().zip(&self.kept).filter_map(|(u, kept)| kept.then_some(u)).collect()
    }

    pub fn keyframes(&mut self, section: &Tag<'d>, description: &mut RobotDescription) -> Result<(), SceneError> {
        for (index, tag) in section.inside.iter().enumerate() {
            let element = &tag.element;
            let list = |name: &str| element.optional(name).map(|text| numbers(element, name, text)).transpose();
            description.keyframes.push(KeyframeDescription {
                name: element.optional("name").map_or_else(|| format!("key_{index}"), str::to_owned),
                at: Some(element.place()),
                q: list("qpos")?,
                qd: list("qvel")?,
                control: list("ctrl")?.map(|control| self.of_kept(control)),
            });
        }
        Ok(())
    }
}

/// Frame of a body in the world at the start.
fn at_start(description: &RobotDescription, link: usize) -> DPose3 {
    let (mut pose, mut at) = (description.links[link].pose, description.links[link].parent);
    while let Some(above) = at {
        (pose, at) = (description.links[above].pose * pose, description.links[above].parent);
    }
    pose
}
