//! Maps a block of an island's contact problem to the bodies it acts on. Certificates name the worst block by index;
//! users want to know which bodies that is.

use crate::{BodyHandle, World};

/// The bodies that a block of a contact problem acts on; see [`crate::World::block_owner`].
///
/// ```
/// use signorini::{Body, BlockOwner, Settings, Shape, World, glamx::DVec3};
/// let mut world = World::new(Settings::default())?;
/// let floor = world.add(Body::fixed(Shape::half_space(DVec3::Z)?))?;
/// let ball = world.add(Body::dynamic(Shape::sphere(0.5)?).position(DVec3::new(0.0, 0.0, 0.5)))?;
/// world.step(0.01)?;
/// assert_eq!(world.block_owner(0, 0), Some(BlockOwner::Contact(floor, ball)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockOwner {
    /// A contact of two bodies.
    Contact(BodyHandle, BodyHandle),
    /// A joint between two bodies, or between a body and the world (`None`). A gear is named by the first of its
    /// joints.
    Joint(BodyHandle, Option<BodyHandle>),
}

impl World {
    /// The bodies of block `block` of island `island` in the last step, `None` if there was no such block. Indices come
    /// from [`crate::StepReport::worst_island`] and [`crate::Certificate::worst_block`].
    pub fn block_owner(&self, island: usize, block: usize) -> Option<BlockOwner> {
        let workspace = self.workspace.as_ref()?;
        let Some(island) = workspace.islands.as_slice().get(island) else {
            let (a, b) = workspace.replay.owner(island - workspace.islands.len(), block)?;
            return (self.body(a).is_ok() && self.body(b).is_ok()).then_some(BlockOwner::Contact(a, b));
        };
        let handle = |rank: u32| {
            let slot = workspace.bodies.get(rank as usize)?.slot;
            self.bodies.at(slot).map(|_| BodyHandle(self.bodies.key(slot)))
        };
        // Contacts come first, one block each; then joints, with the blocks of their rows, then gears.
        if let Some(contact) = island.contacts.get(block) {
            let contact = workspace.contacts.get(*contact as usize)?;
            return Some(BlockOwner::Contact(handle(contact.a)?, handle(contact.b)?));
        }
        let mut left = block - island.contacts.len();
        for joint in &island.joints {
            let joint = workspace.joints.get(*joint as usize)?;
            let blocks = workspace.joint_rows[joint.rows.clone()].iter().filter(|row| row.block > 0).count();
            if left < blocks {
                return Some(BlockOwner::Joint(handle(joint.b?)?, joint.a.and_then(handle)));
            }
            left -= blocks;
        }
        // A gear is named by the first of its joints.
        let term = workspace.gears.terms(*island.gears.get(left)? as usize).first()?;
        let joint = workspace.joints.get(term.joint)?;
        Some(BlockOwner::Joint(handle(joint.b?)?, joint.a.and_then(handle)))
    }
}
