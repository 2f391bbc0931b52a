//! The topics of a recording and how they are described to others.

use crate::drawing;
use crate::messages;
use crate::writer::Sink;
use mcap::McapError;
use std::collections::BTreeMap;

/// A topic with its type, the language and text of its description, and how messages are encoded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Topic {
    pub name: &'static str,
    type_name: &'static str,
    language: &'static str,
    schema: &'static str,
    encoding: &'static str,
}

const fn ros(name: &'static str, type_name: &'static str, schema: &'static str) -> Topic {
    Topic { name, type_name, language: "ros2msg", schema, encoding: "cdr" }
}

const fn json(name: &'static str, type_name: &'static str, schema: &'static str) -> Topic {
    Topic { name, type_name, language: "jsonschema", schema, encoding: "json" }
}

pub(crate) const STATE: Topic = ros(messages::STATE, messages::STATE_TYPE, messages::STATE_SCHEMA);
pub(crate) const STEP: Topic = json(messages::STEP, messages::STEP_TYPE, messages::STEP_SCHEMA);
pub(crate) const CONTACTS: Topic = ros(messages::CONTACTS, messages::CONTACTS_TYPE, messages::CONTACTS_SCHEMA);
pub(crate) const SCENE: Topic = json(drawing::SCENE, drawing::SCENE_TYPE, drawing::SCENE_SCHEMA);
pub(crate) const TRANSFORMS: Topic = ros(drawing::TRANSFORMS, drawing::TRANSFORMS_TYPE, drawing::TRANSFORMS_SCHEMA);
pub(crate) const PLOT: Topic = ros(drawing::PLOT, drawing::PLOT_TYPE, drawing::PLOT_SCHEMA);
pub(crate) const ARROWS: Topic = json(drawing::ARROWS, drawing::SCENE_TYPE, drawing::SCENE_SCHEMA);

/// All of them, in the order of their channels.
pub(crate) static ALL: [Topic; 7] = [STATE, STEP, CONTACTS, SCENE, TRANSFORMS, PLOT, ARROWS];

/// The topic of a channel, if it is one of ours: by the name that the recording gives it, or, where its description is lost, by
/// the number that a writer gives it.
pub(crate) fn of_channel(channel: u16, described: Option<&str>) -> Option<&'static Topic> {
    match described {
        Some(name) => ALL.iter().find(|topic| topic.name == name),
        None => usize::from(channel).checked_sub(1).and_then(|index| ALL.get(index)),
    }
}

impl Topic {
    /// Describes the topic in the file; returns the number of its channel.
    pub fn add(&self, mcap: &mut mcap::Writer<Sink>) -> Result<u16, McapError> {
        let schema = mcap.add_schema(self.type_name, self.language, self.schema.as_bytes())?;
        mcap.add_channel(schema, self.name, self.encoding, &BTreeMap::new())
    }
}
