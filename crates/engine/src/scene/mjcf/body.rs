//! The tree of bodies and their joints.

use super::Reader;
use super::defaults::{MAIN, Styled};
use super::geom::Geom;
use super::tag::Tag;
use crate::robot::{LINK_LIMIT, LinkDescription, LinkShape, Motion, RobotDescription, RobotJoint};
use crate::scene::SceneError;
use glamx::{DPose3, DVec3};

/// Elements inside bodies for appearance or measurement; they are skipped without a notice.
const READ_OVER: [&str; 4] = ["site", "camera", "light", "inertial"];
/// Attributes of joints that are used.
const JOINT: [&str; 24] = [
    "name",
    "class",
    "type",
    "pos",
    "axis",
    "range",
    "limited",
    "damping",
    "stiffness",
    "springref",
    "armature",
    "frictionloss",
    "ref",
    "group",
    "user",
    "actuatorfrcrange",
    "actuatorfrclimited",
    "springdamper",
    "align",
    "solreflimit",
    "solimplimit",
    "solreffriction",
    "solimpfriction",
    "margin",
];

/// Where bodies are added: below a link, in its frame, with a class of defaults.
#[derive(Clone, Copy)]
struct Around<'d> {
    parent: Option<usize>,
    pose: DPose3,
    class: &'d str,
    /// Whether the mass of the link is that of its shapes.
    weighs: bool,
}

impl<'d> Reader<'_, 'd> {
    /// Adds the shapes that are fixed in the world. Every one is a body of its own, so that a floor keeps its name.
    pub fn world(&mut self, world: &Tag<'d>, description: &mut RobotDescription) -> Result<(), SceneError> {
        let class = world.element.optional("childclass").unwrap_or(MAIN);
        let inside: Vec<_> = world.inside.iter().collect();
        self.contents(&inside, Around { parent: None, pose: DPose3::IDENTITY, class, weighs: false }, None, description)
    }

    /// Adds the contents of a body, the world or a frame. `link` is the body; without one it is the world.
    fn contents(
        &mut self,
        tags: &[&Tag<'d>],
        around: Around<'d>,
        link: Option<usize>,
        description: &mut RobotDescription,
    ) -> Result<(), SceneError> {
        for tag in tags {
            let element = &tag.element;
            match tag.tag() {
                "body" => self.body(tag, around, description)?,
                "frame" => {
                    let styled = self.styled(element, MAIN)?;
                    let pose = around.pose * self.compiler.pose(&styled)?;
                    let class = element.optional("childclass").unwrap_or(around.class);
                    let inside: Vec<_> = tag.inside.iter().collect();
                    self.contents(&inside, Around { pose, class, ..around }, link, description)?;
                }
                "geom" => self.add_geom(tag, around, link, description)?,
                "joint" | "freejoint" => {
                    let Some(link) = link else { return Err(element.refuse("the world has no joints")) };
                    let joint = self.joint(tag, around, description)?;
                    description.links[link].joints.push(joint);
                }
                "replicate" | "composite" | "flexcomp" | "attach" => {
                    return Err(element.refuse(format!("'{}' is not read; write the bodies out", tag.tag())));
                }
                tag if READ_OVER.contains(&tag) => {}
                other => self.notes.add(element.place(), format!("element '{other}' in a body is not used")),
            }
        }
        Ok(())
    }

    fn add_geom(
        &mut self,
        tag: &Tag<'d>,
        around: Around<'d>,
        link: Option<usize>,
        description: &mut RobotDescription,
    ) -> Result<(), SceneError> {
        let Some(Geom { mut shape, mass, collides }) = self.geom(tag, around.class, around.weighs)? else {
            return Ok(());
        };
        shape.pose = around.pose * shape.pose;
        match link {
            Some(at) => {
                let body = &mut description.links[at];
                if let Some(mass) = mass {
                    let all = [body.inertial, Some(crate::shape::moved_mass(&around.pose, mass))];
                    let all: Vec<_> = all.into_iter().flatten().collect();
                    body.inertial = crate::shape::joined_mass(&all);
                }
                if collides {
                    body.shapes.push(shape);
                }
            }
            None if collides => {
                if description.links.len() >= LINK_LIMIT {
                    return Err(tag.element.refuse(format!("more than {LINK_LIMIT} bodies")));
                }
                let name = tag
                    .element
                    .optional("name")
                    .map_or_else(|| format!("world/{}", description.links.len()), |name| format!("world/{name}"));
                description.links.push(LinkDescription {
                    name,
                    at: tag.element.place(),
                    parent: None,
                    pose: shape.pose,
                    joints: Vec::new(),
                    inertial: None,
                    shapes: vec![LinkShape { pose: DPose3::IDENTITY, ..shape }],
                });
            }
            None => {}
        }
        Ok(())
    }

    fn body(
        &mut self,
        tag: &Tag<'d>,
        around: Around<'d>,
        description: &mut RobotDescription,
    ) -> Result<(), SceneError> {
        let element = &tag.element;
        let known = ["name", "childclass", "pos", "quat", "euler", "axisangle", "xyaxes", "zaxis", "user", "mocap"];
        element.note_attributes(&known, &mut self.notes);
        let class = element.optional("childclass").unwrap_or(around.class);
        // Bodies have no class of defaults: one without a pose must not get that of another element.
        let styled = self.styled(element, MAIN)?;
        let mut own = self.compiler.pose(&styled)?;
        if self.compiler.global && element.optional("pos").is_none() {
            // In world coordinates a body without `pos` may have any frame: it takes that of its parent.
            own = around.pose.inverse();
        }
        let pose = around.pose * own;
        let at = description.links.len();
        if at >= LINK_LIMIT {
            return Err(element.refuse(format!("more than {LINK_LIMIT} bodies")));
        }
        let name = element.optional("name").map_or_else(|| format!("body_{at}"), str::to_owned);
        description.links.push(LinkDescription {
            name,
            at: element.place(),
            parent: around.parent,
            pose,
            joints: Vec::new(),
            inertial: None,
            shapes: Vec::new(),
        });
        let inside = if self.compiler.global { own.inverse() } else { DPose3::IDENTITY };
        let inner = Around { parent: Some(at), pose: inside, class, weighs: self.weighs_by_shapes(tag) };
        // Bodies inside come last: MuJoCo numbers the joints of a body before those of bodies inside, in whatever
        // order the file has them.
        let (bodies, rest): (Vec<_>, Vec<_>) = tag.inside.iter().partition(|inside| inside.tag() == "body");
        self.contents(&rest, inner, Some(at), description)?;
        self.settle_inertia(tag, &inside, at, description)?;
        if element.optional("mocap") == Some("true") {
            self.notes.add(element.place(), "bodies with 'mocap' stand still");
        }
        self.contents(&bodies, inner, Some(at), description)
    }

    /// A joint, in the frame of its body.
    fn joint(
        &mut self,
        tag: &Tag<'d>,
        around: Around<'d>,
        description: &RobotDescription,
    ) -> Result<RobotJoint, SceneError> {
        let element = &tag.element;
        element.note_attributes(&JOINT, &mut self.notes);
        let count: usize = description.links.iter().map(|link| link.joints.len()).sum();
        let name = element.optional("name").map_or_else(|| format!("joint_{count}"), str::to_owned);
        if tag.tag() == "freejoint" {
            return Ok(RobotJoint::new(name, element.place(), Motion::Free));
        }
        let styled = self.styled(element, around.class)?;
        let point = around.pose.transform_point(DVec3::from_array(styled.vector("pos")?.unwrap_or([0.0; 3])));
        let axis = DVec3::from_array(styled.vector("axis")?.unwrap_or([0.0, 0.0, 1.0]));
        let direction = axis.try_normalize().map(|axis| around.pose.rotation * axis);
        let axis = || direction.ok_or_else(|| element.refuse("'axis' needs a length above zero"));
        let (motion, turns) = match styled.text("type").unwrap_or("hinge") {
            "hinge" => (Motion::Hinge { point, axis: axis()? }, true),
            "slide" => (Motion::Slide { axis: axis()? }, false),
            "ball" => (Motion::Ball { point }, true),
            "free" => return Ok(RobotJoint::new(name, element.place(), Motion::Free)),
            other => return Err(element.refuse(format!("'type': '{other}' is not hinge, slide, ball or free"))),
        };
        let unit = |value: f64| if turns { self.compiler.angle(value) } else { value };
        let range = self.joint_range(&styled, &motion)?.map(|range| range.map(unit));
        let effort = styled.range("actuatorfrclimited", "actuatorfrcrange", self.compiler.automatic_limits)?;
        let reference = unit(styled.number("ref", 0.0)?);
        let mut joint = RobotJoint {
            reference,
            range: range.filter(|_| self.compiler.constraints),
            max_force: effort.map(|[low, high]| high.max(-low)),
            damping: styled.size("damping")?,
            friction: if self.compiler.constraints { styled.size("frictionloss")? } else { 0.0 },
            armature: styled.size("armature")?,
            stiffness: styled.size("stiffness")?,
            spring_rest: unit(styled.number("springref", 0.0)?),
            ..RobotJoint::new(name, element.place(), motion)
        };
        let springdamper = styled.text("springdamper").is_some();
        let soft = ["solreflimit", "solimplimit", "solreffriction", "solimpfriction", "margin"];
        let soft = soft.iter().any(|name| styled.text(name).is_some());
        let place = element.place();
        if soft {
            self.notes.add(place.clone(), "soft limits ('solreflimit', 'solimplimit' and the like) are rigid");
        }
        if springdamper {
            self.notes.add(place.clone(), "attribute 'springdamper' of 'joint' is not used");
        }
        if let Motion::Ball { .. } = joint.motion
            && joint.stiffness != 0.0
        {
            joint.stiffness = 0.0;
            self.notes.add(place, "attribute 'stiffness' of a ball joint is not used");
        }
        Ok(joint)
    }

    fn joint_range(&self, styled: &Styled, motion: &Motion) -> Result<Option<[f64; 2]>, SceneError> {
        let range = styled.range("limited", "range", self.compiler.automatic_limits)?;
        // A range of zeros is none; of a ball the first number is not used.
        Ok(range.filter(|range| *range != [0.0, 0.0]).map(|[low, high]| match motion {
            Motion::Ball { .. } => [0.0, high],
            _ => [low, high],
        }))
    }
}
