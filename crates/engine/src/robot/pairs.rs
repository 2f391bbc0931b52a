//! Pairs of a robot's bodies without contacts: neighbours, pairs that its file excludes, and pairs that overlap at the
//! start.

use super::description::{LinkShape, SelfCollision};
use super::kinematics::Posture;
use super::model::RobotModel;
use crate::scene::{SceneError, ShapeDescription};
use crate::shape::depth::DepthFinder;
use crate::{MAX_OVERLAP, Shape};
use glamx::DPose3;
use std::collections::BTreeSet;

/// Fills in [`RobotModel::apart`].
pub(super) fn separate(
    model: &mut RobotModel,
    excluded: &[[usize; 2]],
    forced: &[[usize; 2]],
    rule: SelfCollision,
) -> Result<(), SceneError> {
    let posture = model.posture(&DPose3::IDENTITY, &model.home);
    let bodies = bodies(model, &posture)?;
    let carriers = |pairs: &[[usize; 2]]| -> BTreeSet<[usize; 2]> {
        let body = |link: usize| model.carriers.get(link).and_then(|frame| frame.link);
        let pair = |pair: &[usize; 2]| {
            let (a, b) = (body(pair[0])?, body(pair[1])?);
            (a != b).then_some([a.min(b), a.max(b)])
        };
        pairs.iter().filter_map(pair).collect()
    };
    let (excluded, forced) = (carriers(excluded), carriers(forced));
    let links = model.links.len();
    let roots: Vec<usize> = (0..links).map(|link| root(model, link)).collect();
    let mut finder = DepthFinder::default();
    let mut apart = Vec::new();
    let mut overlapping = Vec::new();
    for (i, a) in bodies.iter().enumerate().take(links) {
        for (j, b) in bodies.iter().enumerate().skip(i + 1) {
            let (Some(shape_a), Some(shape_b)) = (&a.shape, &b.shape) else { continue };
            let in_tree = j < links && roots[i] == roots[j];
            let adjacent = j < links && (above(model, j) == Some(i) || above(model, i) == Some(j));
            let allowed = a.shapes.iter().any(|x| b.shapes.iter().any(|y| x.filter.touches(y.filter)));
            let ruled_out = in_tree && (adjacent || rule == SelfCollision::Off);
            if excluded.contains(&[i, j]) || (!allowed || ruled_out) && !forced.contains(&[i, j]) {
                apart.push([i, j]);
                continue;
            }
            // A link on the base overlaps its mount, as other neighbours do. The ground is no mount.
            let mounted = j >= links && above(model, i).is_none() && !is_free(model, i) && !b.is_ground();
            if (in_tree || mounted) && a.bounds_meet(b) {
                let depth = -finder.distance(shape_a, shape_b, &a.pose.inv_mul(&b.pose), 0.0);
                if depth > MAX_OVERLAP {
                    apart.push([i, j]);
                    overlapping.push(format!("{} and {}", a.name, b.name));
                }
            }
        }
    }
    if let Some(first) = overlapping.first() {
        let more = overlapping.len() - 1;
        let more = if more > 0 { format!(" and {more} more pairs") } else { String::new() };
        let what = format!("contact between {first}{more}: they overlap in the home pose and do not touch");
        let at = model.links.first().map(|link| link.at.clone()).unwrap_or_default();
        model.ignored.push(super::description::Notice { at, what });
    }
    model.apart = apart;
    Ok(())
}

/// The parent of a link, past bodies between two joints.
fn above(model: &RobotModel, link: usize) -> Option<usize> {
    let mut above = model.links[link].parent;
    while let Some(parent) = above.filter(|parent| model.links[*parent].between) {
        above = model.links[parent].parent;
    }
    above
}

fn root(model: &RobotModel, mut link: usize) -> usize {
    while let Some(parent) = model.links[link].parent {
        link = parent;
    }
    link
}

fn is_free(model: &RobotModel, link: usize) -> bool {
    model.joints[model.links[link].joints.clone()].iter().any(|joint| joint.joint.motion.freedoms() == 6)
}

/// A body with the data that decide what it touches.
struct Candidate<'m> {
    name: &'m str,
    shapes: &'m [LinkShape],
    shape: Option<Shape>,
    pose: DPose3,
}

impl Candidate<'_> {
    fn is_ground(&self) -> bool {
        self.shape.as_ref().is_some_and(|shape| !shape.is_bounded())
    }

    fn bounds_meet(&self, other: &Candidate) -> bool {
        match (&self.shape, &other.shape) {
            (Some(a), Some(b)) => a.aabb(&self.pose).overlaps(&b.aabb(&other.pose)),
            _ => false,
        }
    }
}

fn bodies<'m>(model: &'m RobotModel, posture: &Posture) -> Result<Vec<Candidate<'m>>, SceneError> {
    let candidate = |name: &'m str, shapes: &'m [LinkShape], pose: DPose3| -> Result<Candidate<'m>, SceneError> {
        let shape = match shapes {
            [] => None,
            shapes => Some(joined(shapes).build("").map_err(|error| SceneError::placed(shapes[0].at.clone(), error))?),
        };
        Ok(Candidate { name, shapes, shape, pose })
    };
    let moving = model.links.iter().zip(&posture.links).map(|(link, pose)| candidate(&link.name, &link.shapes, *pose));
    let standing = model.fixtures.iter().map(|fixture| candidate(&fixture.name, &fixture.shapes, fixture.pose));
    moving.chain(standing).collect()
}

/// The shapes of a body as one shape.
pub(super) fn joined(shapes: &[LinkShape]) -> ShapeDescription {
    match shapes {
        [one] if one.pose == DPose3::IDENTITY => one.shape.clone(),
        shapes => ShapeDescription::Compound { parts: shapes.iter().map(super::scene::part).collect() },
    }
}
