//! Classes of defaults: attributes of elements that do not set their own.

use super::Reader;
use super::tag::Tag;
use crate::scene::SceneError;
use crate::scene::xml::Element;
use std::collections::BTreeMap;

/// The class of elements that name no class.
pub(super) const MAIN: &str = "main";

/// Attributes by element, then by name.
type Class<'d> = BTreeMap<&'d str, BTreeMap<&'d str, &'d str>>;

#[derive(Default)]
pub(super) struct Defaults<'d> {
    classes: BTreeMap<&'d str, Class<'d>>,
}

/// Actuators of all kinds share one set of defaults.
fn kind(tag: &str) -> &str {
    match tag {
        "motor" | "position" | "velocity" | "general" | "damper" | "intvelocity" | "cylinder" | "muscle" => "general",
        "freejoint" => "freejoint",
        tag => tag,
    }
}

impl<'d> Defaults<'d> {
    pub fn read(root: &Tag<'d>) -> Result<Defaults<'d>, SceneError> {
        let mut defaults = Defaults::default();
        defaults.classes.insert(MAIN, Class::new());
        for section in root.sections("default") {
            defaults.class(section, MAIN, 0)?;
        }
        Ok(defaults)
    }

    fn class(&mut self, tag: &Tag<'d>, parent: &str, depth: usize) -> Result<(), SceneError> {
        let name = match (tag.element.optional("class"), depth) {
            (Some(name), _) => name,
            (None, 0) => MAIN,
            (None, _) => return Err(tag.element.refuse("a default inside another needs a 'class'")),
        };
        // The outermost has no parent; a second one of the same name adds to the first.
        let mut class = match self.classes.get(name).filter(|_| depth == 0) {
            Some(known) => known.clone(),
            None => self.classes.get(parent).cloned().unwrap_or_default(),
        };
        for element in tag.inside.iter().filter(|inside| inside.tag() != "default") {
            let attributes = class.entry(kind(element.tag())).or_default();
            attributes.extend(element.element.attributes());
        }
        self.classes.insert(name, class);
        if depth == 0 && name != MAIN {
            let top = self.classes.get(name).cloned().unwrap_or_default();
            self.classes.insert(MAIN, top);
        }
        for inside in tag.sections("default") {
            self.class(inside, name, depth + 1)?;
        }
        Ok(())
    }

    fn get(&self, class: &str, tag: &str, attribute: &str) -> Option<&'d str> {
        self.classes.get(class)?.get(kind(tag))?.get(attribute).copied()
    }
}

/// An element with the defaults of its class.
pub(super) struct Styled<'e, 'd> {
    pub element: &'e Element<'d>,
    class: &'d str,
    defaults: &'e Defaults<'d>,
}

impl<'d> Reader<'_, 'd> {
    /// `inherited` is the class of the body around it.
    pub fn styled<'e>(&'e self, element: &'e Element<'d>, inherited: &'d str) -> Result<Styled<'e, 'd>, SceneError> {
        let class = element.optional("class").unwrap_or(inherited);
        if !self.defaults.classes.contains_key(class) {
            return Err(element.refuse(format!("no default class is called '{class}'")));
        }
        Ok(Styled { element, class, defaults: &self.defaults })
    }
}

impl<'d> Styled<'_, 'd> {
    pub fn text(&self, name: &str) -> Option<&'d str> {
        self.element.optional(name).or_else(|| self.defaults.get(self.class, self.element.tag(), name))
    }

    pub fn number(&self, name: &str, otherwise: f64) -> Result<f64, SceneError> {
        // In later versions some take more than one number; the first is the linear one.
        Ok(self.numbers(name)?.and_then(|list| list.first().copied()).unwrap_or(otherwise))
    }

    /// A number that is not negative.
    pub fn size(&self, name: &str) -> Result<f64, SceneError> {
        let value = self.number(name, 0.0)?;
        if value < 0.0 {
            return Err(self.element.refuse(format!("'{name}': {value} is below zero")));
        }
        Ok(value)
    }

    pub fn bits(&self, name: &str) -> Result<u32, SceneError> {
        match self.text(name) {
            None => Ok(1),
            // Negative numbers are used for all bits.
            Some(word) => word
                .trim()
                .parse::<i64>()
                .map(|bits| bits as u32)
                .map_err(|_| self.element.refuse(format!("'{name}': '{word}' is not a whole number"))),
        }
    }

    pub fn numbers(&self, name: &str) -> Result<Option<Vec<f64>>, SceneError> {
        self.text(name).map(|text| numbers(self.element, name, text)).transpose()
    }

    pub fn vector<const N: usize>(&self, name: &str) -> Result<Option<[f64; N]>, SceneError> {
        self.text(name).map(|text| vector(self.element, name, text)).transpose()
    }

    /// A switch that follows from whether a range is given, unless it is set.
    pub fn limited(&self, switch: &str, range: &str, automatic: bool) -> Result<bool, SceneError> {
        match self.text(switch) {
            Some("true") => Ok(true),
            Some("false") => Ok(false),
            None | Some("auto") => Ok(automatic && self.text(range).is_some()),
            Some(other) => Err(self.element.refuse(format!("'{switch}': '{other}' is not true, false or auto"))),
        }
    }

    /// A range, if it is enabled.
    pub fn range(&self, switch: &str, name: &str, automatic: bool) -> Result<Option<[f64; 2]>, SceneError> {
        if !self.limited(switch, name, automatic)? {
            return Ok(None);
        }
        let Some([low, high]) = self.vector(name)? else {
            return Err(self.element.refuse(format!("'{switch}' is true, but '{name}' is missing")));
        };
        if low > high {
            return Err(self.element.refuse(format!("'{name}': {low} is above {high}")));
        }
        Ok(Some([low, high]))
    }
}

/// Numbers between spaces.
pub(super) fn numbers(element: &Element, name: &str, text: &str) -> Result<Vec<f64>, SceneError> {
    text.split_ascii_whitespace().map(|word| element.parsed(name, word)).collect()
}

/// A list of exactly N numbers.
pub(super) fn vector<const N: usize>(element: &Element, name: &str, text: &str) -> Result<[f64; N], SceneError> {
    let list = numbers(element, name, text)?;
    <[f64; N]>::try_from(list.as_slice())
        .map_err(|_| element.refuse(format!("'{name}' has {} numbers, it takes {N}", list.len())))
}
