//! Who touches whom: layers and masks, and a filter of the user's.

use crate::body::BodyRecord;
use crate::{BodyHandle, BodyId, World, WorldError};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// Layers that something is in, and layers that it meets, bit by bit. Two things meet if each is in a layer that the other
/// meets. Bodies have a filter, and so have parts of shapes ([`crate::Shape::filtered`]): both must agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "scene", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Filter {
    /// Layers that it is in.
    pub layers: u32,
    /// Layers that it meets.
    pub mask: u32,
}

impl Default for Filter {
    fn default() -> Self {
        Filter::ALL
    }
}

impl Filter {
    /// In every layer, and meets every layer.
    pub const ALL: Filter = Filter { layers: u32::MAX, mask: u32::MAX };

    /// In these layers, and meets those of the mask.
    pub const fn new(layers: u32, mask: u32) -> Self {
        Filter { layers, mask }
    }

    /// Whether the two meet. Symmetric.
    pub const fn meets(self, other: Filter) -> bool {
        self.layers & other.mask != 0 && other.layers & self.mask != 0
    }
}

/// What parts of a shape are like apart from their geometry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PartRule {
    pub filter: Filter,
    /// Detects and does not push.
    pub sensor: bool,
}

/// A function of two identities that says whether the bodies may touch.
type MayTouch = dyn Fn(&BodyId, &BodyId) -> bool + Send + Sync;

/// The filter of the user's, shared by copies of a world.
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
    /// Asks `filter` of every two bodies that come near each other whether they may touch. It must be a pure function of the
    /// two identities, which come in their order: results are the same for every order of adding and number of threads only
    /// then. Copies of the world and snapshots in memory share it; bytes do not carry it.
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

    /// Forgets the function of [`World::set_filter`].
    pub fn clear_filter(&mut self) {
        self.pair_filter = PairFilter::default();
        self.contact_rules_changed();
    }

    /// Layers and mask of a body: see [`Filter`].
    pub fn set_body_filter(&mut self, body: BodyHandle, filter: Filter) -> Result<(), WorldError> {
        self.record_mut(body)?.options.filter = filter;
        self.disturb(body.0.slot);
        Ok(())
    }

    /// Whoever sleeps or rests has to look again.
    pub(crate) fn contact_rules_changed(&mut self) {
        self.read_out.forget();
        // Islands at rest are remembered under the rules of then.
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

    /// Whether overlap of two bodies is no fault: they do not push each other, or a surface gives way or lets through.
    pub(crate) fn may_overlap(&self, a: &BodyRecord, b: &BodyRecord) -> bool {
        a.options.one_way.is_some()
            || b.options.one_way.is_some()
            || a.material.stiffness.is_some()
            || b.material.stiffness.is_some()
            || !self.may_push(a, b)
    }
}
