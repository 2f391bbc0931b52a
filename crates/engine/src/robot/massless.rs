//! Joints that move no mass by themselves: of a frame between two joints, of an end link without mass, of a slide that
//! only other joints follow.

use super::description::{LinkDescription, Mimic, Notice, RobotJoint};
use crate::scene::SceneError;

/// Removes joints that move no mass, and redirects the joints that follow them.
pub(super) fn settle(links: &mut [LinkDescription], ignored: &mut Vec<Notice>) -> Result<(), SceneError> {
    let gone = take_out(links, ignored)?;
    lead_in_place_of(gone, links, ignored);
    Ok(())
}

/// Removes joints that move no mass by themselves, and returns them.
fn take_out(links: &mut [LinkDescription], ignored: &mut Vec<Notice>) -> Result<Vec<RobotJoint>, SceneError> {
    let mut gone = Vec::new();
    // Whether a link or what is fixed to it has mass, and which links hang on these by joints.
    let mut massive = vec![false; links.len()];
    let mut hanging: Vec<Vec<usize>> = vec![Vec::new(); links.len()];
    for at in (0..links.len()).rev() {
        massive[at] |= links[at].inertial.is_some_and(|mass| mass.mass > 0.0);
        let fixed = links[at].joints.is_empty();
        if !fixed && !massive[at] {
            match hanging[at][..] {
                [] => {
                    let what = format!("link '{}' moves but has no mass: its joint is taken as fixed", links[at].name);
                    ignored.push(Notice { at: links[at].at.clone(), what });
                    gone.append(&mut links[at].joints);
                }
                [child] => {
                    join(links, at, child);
                    if let Some(parent) = links[at].parent {
                        hanging[parent].push(child);
                    }
                    continue;
                }
                _ => {
                    let what = "it moves and carries several links, but has no mass; give it an inertial";
                    let path = format!("link '{}'", links[at].name);
                    return Err(SceneError { at: Some(links[at].at.clone()), ..SceneError::new(path, what) });
                }
            }
        }
        let Some(parent) = links[at].parent else { continue };
        if links[at].joints.is_empty() {
            massive[parent] |= massive[at];
            let carried = std::mem::take(&mut hanging[at]);
            hanging[parent].extend(carried);
        } else {
            hanging[parent].push(at);
        }
    }
    Ok(gone)
}

/// Gives the joints of a massless link to the only link that it carries.
fn join(links: &mut [LinkDescription], massless: usize, child: usize) {
    // The pose of the child in the frame of the massless link, through what is fixed in between.
    let (mut pose, mut above) = (links[child].pose, links[child].parent);
    while let Some(link) = above.filter(|link| *link != massless) {
        (pose, above) = (links[link].pose * pose, links[link].parent);
    }
    let mut joints = std::mem::take(&mut links[massless].joints);
    for joint in &mut joints {
        joint.motion = joint.motion.seen_from(&pose);
    }
    joints.append(&mut links[child].joints);
    links[child].joints = joints;
    links[child].pose = links[massless].pose * pose;
    links[child].parent = links[massless].parent;
    // Its name remains as a frame of its parent, at the place where it starts.
}

/// Redirects the followers of removed joints. Each follows the joint that the removed one followed; if that followed
/// none, the first of them leads the others, with the limits, damping and friction of the removed joint.
fn lead_in_place_of(gone: Vec<RobotJoint>, links: &mut [LinkDescription], ignored: &mut Vec<Notice>) {
    let mut gone = gone.into_iter();
    while let Some(old) = gone.next() {
        let follows = |joint: &RobotJoint| {
            let mimic = joint.mimic.as_ref().filter(|mimic| mimic.joint == old.name && mimic.ratio != 0.0);
            joint.motion.freedoms() == 1 && mimic.is_some()
        };
        let mut leader = old.mimic.clone().filter(|mimic| mimic.joint != old.name);
        if leader.is_none()
            && let Some(first) = links.iter_mut().flat_map(|link| &mut link.joints).find(|joint| follows(joint))
            && let Some(Mimic { ratio, offset, .. }) = first.mimic.take()
        {
            // q_first = ratio q_old + offset.
            leader = Some(Mimic { joint: first.name.clone(), ratio: 1.0 / ratio, offset: -offset / ratio });
            let ends = old.range.map(|range| range.map(|end| ratio * end + offset));
            let ends = ends.map(|[one, other]| [one.min(other), one.max(other)]);
            let both = |[low, high]: [f64; 2], [least, most]: [f64; 2]| [low.max(least), high.min(most)];
            first.range = match (first.range, ends) {
                (Some(own), Some(ends)) => Some(both(own, ends)).filter(|[low, high]| low <= high).or(first.range),
                (own, ends) => own.or(ends),
            };
            first.damping += old.damping / (ratio * ratio);
            first.friction += old.friction / ratio.abs();
            let what =
                format!("joint '{}' moves no mass: '{}', which follows it, leads in its place", old.name, first.name);
            ignored.push(Notice { at: old.at.clone(), what });
        }
        let Some(leader) = leader else { continue };
        let after = gone.as_mut_slice().iter_mut();
        for joint in links.iter_mut().flat_map(|link| &mut link.joints).chain(after).filter(|joint| follows(joint)) {
            joint.mimic = joint.mimic.take().map(|m| m.of(&leader));
        }
    }
}

impl Mimic {
    /// This relation composed with `before`, the relation by which the followed joint follows another.
    fn of(self, before: &Mimic) -> Mimic {
        let (ratio, offset) = (self.ratio * before.ratio, self.ratio * before.offset + self.offset);
        Mimic { joint: before.joint.clone(), ratio, offset }
    }
}
