//! Listings of a world: joints, contacts of a body, islands, names.

#[cfg(feature = "socp")]
use crate::body::BodyRecord;
use crate::joint::Anchor;
use crate::{BodyHandle, BodyId, BodyView, ContactPoint, Joint, JointHandle, Place, World, WorldError};
use std::cmp::Ordering;

/// A contact of a body, seen from that body.
///
/// ```
/// use signorini::{Body, Settings, Shape, World, glamx::DVec3};
/// let mut world = World::new(Settings::default())?;
/// let floor = world.add(Body::fixed(Shape::half_space(DVec3::Z)?))?;
/// let ball = world.add(Body::dynamic(Shape::sphere(0.5)?).mass(2.0).position(DVec3::new(0.0, 0.0, 0.5)))?;
/// world.step(0.01)?;
/// let contact = world.contacts_of(ball)?.next().ok_or("no contact")?;
/// assert_eq!(contact.other, floor);
/// assert!((contact.impulse.z - 2.0 * 9.81 * 0.01).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyContact {
    /// The other body.
    pub other: BodyHandle,
    /// The contact; its impulse is on its body B.
    pub contact: ContactPoint,
    /// Impulse on the body that was asked about \[N·s\].
    pub impulse: glamx::DVec3,
}

impl World {
    /// All bodies in the order of their ids.
    #[cfg(feature = "socp")]
    pub(crate) fn records(&self) -> impl Iterator<Item = (BodyHandle, &BodyRecord)> {
        self.order.iter().filter_map(|slot| Some((BodyHandle(self.bodies.key(*slot)), self.bodies.at(*slot)?)))
    }

    /// All joints, in the order of their bodies' ids.
    pub fn joints(&self) -> impl Iterator<Item = (JointHandle, Joint)> {
        let look = |slot: &u32| Some((JointHandle(self.joints.key(*slot)), self.joints.at(*slot)?.joint));
        self.joint_order.iter().filter_map(look)
    }

    /// The joints that hold a body, in the order of [`World::joints`].
    pub fn joints_of(&self, body: BodyHandle) -> Result<impl Iterator<Item = (JointHandle, Joint)>, WorldError> {
        self.body(body)?;
        let holds = move |joint: &Joint| joint.a.0 == body || matches!(joint.b, Anchor::Body(b, _) if b == body);
        Ok(self.joints().filter(move |(_, joint)| holds(joint)))
    }

    /// The contacts of a body in the last step, in the order of [`World::contacts`].
    pub fn contacts_of(&self, body: BodyHandle) -> Result<impl Iterator<Item = BodyContact>, WorldError> {
        self.body(body)?;
        let look = move |contact: &ContactPoint| match (contact.a == body, contact.b == body) {
            (true, _) => Some(BodyContact { other: contact.b, contact: *contact, impulse: -contact.impulse }),
            (_, true) => Some(BodyContact { other: contact.a, contact: *contact, impulse: contact.impulse }),
            _ => None,
        };
        Ok(self.contacts().iter().filter_map(look))
    }

    /// Groups of dynamic bodies connected by contacts of the last step or by joints. Each is in the order of ids, and
    /// the groups are in the order of their first bodies. Bodies without such connections are not listed.
    pub fn islands(&self) -> Vec<Vec<BodyHandle>> {
        let moves = |handle: BodyHandle| {
            let record = self.bodies.get(handle.0).ok()?;
            (record.kind == crate::Kind::Dynamic && record.options.enabled).then_some(handle.0.slot)
        };
        let slots = self.order.iter().max().map_or(0, |slot| slot + 1);
        let mut parent: Vec<u32> = (0..slots).collect();
        let mut tied = vec![false; slots as usize];
        let mut tie = |a: BodyHandle, b: Option<BodyHandle>| {
            let (a, b) = (moves(a), b.and_then(moves));
            a.iter().chain(&b).for_each(|slot| tied[*slot as usize] = true);
            if let (Some(a), Some(b)) = (a, b) {
                let (a, b) = (crate::step::root(&mut parent, a), crate::step::root(&mut parent, b));
                parent[a.max(b) as usize] = a.min(b);
            }
        };
        self.contacts.iter().for_each(|contact| tie(contact.a, Some(contact.b)));
        self.joints().for_each(|(_, joint)| tie(joint.a.0, joint.b.body()));
        for record in self.gear_order.iter().filter_map(|slot| self.gears.at(*slot)) {
            let bodies: Vec<BodyHandle> = self
                .geared_bodies(record)
                .map(|slot| BodyHandle(self.bodies.key(slot)))
                .filter(|b| moves(*b).is_some())
                .collect();
            bodies.windows(2).for_each(|pair| tie(pair[0], Some(pair[1])));
        }
        let mut groups: Vec<(u32, Vec<BodyHandle>)> = Vec::new();
        for slot in self.order.iter().filter(|slot| tied[**slot as usize]) {
            let root = crate::step::root(&mut parent, *slot);
            let handle = BodyHandle(self.bodies.key(*slot));
            match groups.iter_mut().find(|(other, _)| *other == root) {
                Some((_, group)) => group.push(handle),
                None => groups.push((root, vec![handle])),
            }
        }
        groups.into_iter().map(|(_, group)| group).collect()
    }

    /// All bodies in the natural order of their names: `box 2` before `box 10`. Numbered ones come first, unnamed ones last.
    pub fn bodies_by_name(&self) -> Vec<(BodyHandle, BodyView<'_>)> {
        let mut bodies: Vec<_> = self.bodies().collect();
        bodies.sort_by(|(_, one), (_, two)| match (one.id(), two.id()) {
            (BodyId::Name(one), BodyId::Name(two)) => natural(one, two),
            (one, two) => kind(one).cmp(&kind(two)).then_with(|| one.cmp(two)),
        });
        bodies
    }

    /// Labels of the bodies at a place of the last step's certificate; the second end of a joint may be the world.
    pub fn names_at(&self, place: &Place) -> Vec<String> {
        let label = |rank: u32| Some(self.bodies.at(*self.order.get(rank as usize)?)?.id.label());
        place.names(label)
    }
}

fn kind(id: &BodyId) -> u8 {
    match id {
        BodyId::Number(_) => 0,
        BodyId::Name(_) => 1,
        BodyId::Automatic(_) => 2,
    }
}

/// Texts compared letter by letter, runs of digits as numbers; equals by their bytes.
fn natural(one: &str, two: &str) -> Ordering {
    let (mut a, mut b) = (one.chars().peekable(), two.chars().peekable());
    loop {
        let order = match (a.peek().copied(), b.peek().copied()) {
            (None, None) => return one.cmp(two),
            (x, y) if x.is_some_and(|c| c.is_ascii_digit()) && y.is_some_and(|c| c.is_ascii_digit()) => {
                let (x, y) = (digits(&mut a), digits(&mut b));
                x.len().cmp(&y.len()).then_with(|| x.cmp(&y))
            }
            (x, y) => {
                a.next();
                b.next();
                x.cmp(&y)
            }
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

/// The next run of digits without its leading zeros.
fn digits(text: &mut std::iter::Peekable<std::str::Chars>) -> String {
    let mut run = String::new();
    while let Some(digit) = text.next_if(char::is_ascii_digit) {
        if digit != '0' || !run.is_empty() {
            run.push(digit);
        }
    }
    run
}
