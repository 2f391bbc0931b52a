//! Islands. In: contacts, joints, gears. Out: groups of dynamic bodies that touch or are jointed; each is solved by
//! itself. Eq.: none.
//!
//! Union–find over dynamic bodies. Fixed and kinematic bodies do not connect what rests on them. Islands are ordered by
//! their first body, and bodies and contacts within them by rank, so the result depends on ids alone.

use crate::step::Moving;
use crate::step::assembly::JointFrame;
use crate::step::contact::Contact;
use crate::step::gears::GearFrames;

/// One island: indices into the step's bodies, contacts, joints and gears, ascending.
#[derive(Clone, Debug, Default)]
pub(crate) struct Island {
    pub bodies: Vec<u32>,
    pub contacts: Vec<u32>,
    pub joints: Vec<u32>,
    pub gears: Vec<u32>,
}

/// All islands of a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Islands {
    islands: Vec<Island>,
    count: usize,
    parent: Vec<u32>,
    /// Index of the island of each root, in order of discovery.
    island_of: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Islands {
    pub fn len(&self) -> usize {
        self.count
    }

    pub fn as_slice(&self) -> &[Island] {
        &self.islands[..self.count]
    }

    /// Groups the bodies, and sets for each its island and its place in it.
    pub fn build(&mut self, bodies: &mut [Moving], contacts: &[Contact], joints: &[JointFrame], gears: &GearFrames) {
        let Islands { islands, count, parent, island_of } = self;
        parent.clear();
        parent.extend(0..bodies.len() as u32);
        let moves = |body: &u32| bodies[*body as usize].is_dynamic();
        // One body of each joint is enough: the joint connects the other.
        let mover = |joint: usize| [joints[joint].b, joints[joint].a].into_iter().flatten().find(moves);
        let tied = |gear: usize| {
            let terms = gears.terms(gear);
            terms.windows(2).map(|pair| [mover(pair[0].joint), mover(pair[1].joint)])
        };
        let jointed = joints.iter().map(|j| [j.a, j.b]).chain((0..gears.len()).flat_map(tied));
        let pairs = contacts.iter().map(|c| [Some(c.a), Some(c.b)]).chain(jointed);
        for pair in pairs.clone() {
            if let [Some(a), Some(b)] = pair
                && bodies[a as usize].is_dynamic()
                && bodies[b as usize].is_dynamic()
            {
                // The smaller root wins, so that a root is the first body of its island.
                let (a, b) = (root(parent, a), root(parent, b));
                parent[a.max(b) as usize] = a.min(b);
            }
        }
        island_of.clear();
        island_of.resize(bodies.len(), NONE);
        for island in islands.iter_mut() {
            island.bodies.clear();
            island.contacts.clear();
            island.joints.clear();
            island.gears.clear();
        }
        // A body is in an island only if something touches or holds it. Roots come first, so islands are ordered by
        // root.
        for pair in pairs.clone() {
            for body in pair.into_iter().flatten().filter(|b| bodies[*b as usize].is_dynamic()) {
                island_of[root(parent, body) as usize] = 0;
            }
        }
        *count = 0;
        for body in 0..bodies.len() {
            if island_of[body] != NONE && parent[body] as usize == body {
                island_of[body] = *count as u32;
                *count += 1;
            }
        }
        islands.resize_with(islands.len().max(*count), Island::default);
        for (rank, body) in bodies.iter_mut().enumerate() {
            let island = if body.is_dynamic() { island_of[root(parent, rank as u32) as usize] } else { NONE };
            body.place = None;
            body.island = None;
            if island != NONE {
                let members = &mut islands[island as usize].bodies;
                body.place = Some(members.len() as u32);
                body.island = Some(island);
                members.push(rank as u32);
            }
        }
        let mut island_of_pair = |pair: [Option<u32>; 2]| {
            let dynamic = pair.into_iter().flatten().find(|b| bodies[*b as usize].is_dynamic());
            dynamic.map(|body| island_of[root(parent, body) as usize] as usize)
        };
        for (index, c) in contacts.iter().enumerate() {
            if let Some(island) = island_of_pair([Some(c.a), Some(c.b)]) {
                islands[island].contacts.push(index as u32);
            }
        }
        for (index, j) in joints.iter().enumerate() {
            if let Some(island) = island_of_pair([j.a, j.b]) {
                islands[island].joints.push(index as u32);
            }
        }
        for gear in 0..gears.len() {
            let moving = gears.terms(gear).iter().find_map(|term| {
                let joint = &joints[term.joint];
                [joint.b, joint.a].into_iter().flatten().find(|body| bodies[*body as usize].is_dynamic())
            });
            if let Some(island) = island_of_pair([moving, None]) {
                islands[island].gears.push(gear as u32);
            }
        }
    }
}

pub(crate) fn root(parent: &mut [u32], mut body: u32) -> u32 {
    while parent[body as usize] != body {
        let grandparent = parent[parent[body as usize] as usize];
        parent[body as usize] = grandparent;
        body = grandparent;
    }
    body
}
