//! Collision filters: layers and masks, and a function of the user.

use crate::body::BodyRecord;
use crate::{BodyHandle, BodyId, World, WorldError};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// Collision layers as bit masks: `layers` are those that an object is in, `mask` those it collides with. Two objects
/// collide if each is in a layer of the other's mask. Bodies have a filter, and so have parts of shapes
/// ([`crate::Shape::filtered`]); both must agree.
///
/// ```
/// use signorini::Filter;
/// let (player, bullet) = (Filter::new(0b01, 0b01), Filter::new(0b10, 0b01));
/// // The bullet would collide with the player, but not the player with the bullet.
/// assert!(!player.meets(bullet) && player.meets(player));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "scene", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Filter {
    /// Layers that the object is in.
    pub layers: u32,
    /// Layers that the object collides with.
    pub mask: u32,
}

impl Default for Filter {
    fn default() -> Self {
        Filter::ALL
    }
}

impl Filter {
    /// In every layer, and collides with every layer.
    pub const ALL: Filter = Filter { layers: u32::MAX, mask: u32::MAX };

    /// A filter with these layers and this mask.
    pub const fn new(layers: u32, mask: u32) -> Self {
        Filter { layers, mask }
    }

    /// Whether the two collide. Symmetric.
    pub const fn meets(self, other: Filter) -> bool {
        self.layers & other.mask != 0 && other.layers & self.mask != 0
    }
}

/// Properties of a part of a shape other than its geometry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PartRule {
    pub filter: Filter,
    /// Detects and does not push.
    pub sensor: bool,
}

/// A function of two identities: whether the bodies may touch.
type MayTouch = dyn Fn(&BodyId, &BodyId) -> bool + Send + Sync;

/// The filter function of the user, shared by copies of a world.
#[derive(Clone, Default)]
pub(crate) struct PairFilter(Option<Arc<MayTouch>>);

impl fmt::Debug for PairFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "PairFilter(..)" } else { "PairFilter" })
    }
}

impl PairFilter {
    pub fn is_some(&self) -> bool {
        self.0.is_some()
    }
    /// Identities are given in their order.
    pub fn allows(&self, a: &BodyId, b: &BodyId) -> bool {
        self.0.as_ref().is_none_or(|filter| if a <= b { filter(a, b) } else { filter(b, a) })
    }
}

impl World {
    /// Sets a function that decides for every two bodies near each other whether they may touch. It must be a pure
    /// function of the two identities, which are passed in order; otherwise results could depend on insertion order or
    /// on the number of threads. Copies of the world and snapshots in memory share it; snapshots as bytes do not
    /// contain it.
    ///
    /// ```
    /// use signorini::{BodyId, Settings, World};
    /// let mut world = World::new(Settings::default())?;
    /// let ghost = |id: &BodyId| matches!(id, BodyId::Name(name) if name.starts_with("ghost"));
    /// world.set_filter(move |a, b| !ghost(a) && !ghost(b));
    /// # Ok::<(), signorini::WorldError>(())
    /// ```
    pub fn set_filter(&mut self, filter: impl Fn(&BodyId, &BodyId) -> bool + Send + Sync + 'static) {
        self.pair_filter = PairFilter(Some(Arc::new(filter)));
        self.contact_rules_changed();
    }

    /// Removes the function set by [`World::set_filter`].
    pub fn clear_filter(&mut self) {
        self.pair_filter = PairFilter::default();
        self.contact_rules_changed();
    }

    /// Sets layers and mask of a body: see [`Filter`].
    pub fn set_body_filter(&mut self, body: BodyHandle, filter: Filter) -> Result<(), WorldError> {
        self.record_mut(body)?.options.filter = filter;
        self.disturb(body.0.slot);
        Ok(())
    }

    /// Wakes everything, because contacts may change.
    pub(crate) fn contact_rules_changed(&mut self) {
        self.read_out.forget();
        // The workspace remembers islands at rest under the old rules.
        self.workspace = None;
        self.wake_where(|_| true);
    }

    /// Whether two bodies may push each other or detect each other, by their filters.
    pub(crate) fn may_meet(&self, a: &BodyRecord, b: &BodyRecord) -> bool {
        let (one, two) = (&a.options, &b.options);
        one.enabled && two.enabled && one.filter.meets(two.filter) && self.pair_filter.allows(&a.id, &b.id)
    }

    /// Whether two bodies may push each other.
    pub(crate) fn may_push(&self, a: &BodyRecord, b: &BodyRecord) -> bool {
        !a.options.sensor && !b.options.sensor && self.may_meet(a, b)
    }

    /// Whether overlap of two bodies is allowed: they do not push each other, or a surface is soft or one-way.
    pub(crate) fn may_overlap(&self, a: &BodyRecord, b: &BodyRecord) -> bool {
        a.options.one_way.is_some()
            || b.options.one_way.is_some()
            || a.material.stiffness.is_some()
            || b.material.stiffness.is_some()
            || !self.may_push(a, b)
    }
}
