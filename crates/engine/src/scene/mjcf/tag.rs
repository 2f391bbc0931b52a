//! The elements of a model with those of included files in their places.

use crate::scene::robot_files::Meshes;
use crate::scene::text::read_text;
use crate::scene::xml::{self, Element};
use crate::scene::{SceneError, TEXT_LIMIT};
use roxmltree::Document;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Deepest nesting of elements; chains of bodies are nested.
const NESTING_LIMIT: usize = 256;
/// Most files that a model includes.
const INCLUDE_LIMIT: usize = 64;
/// Most elements of a model, with included files counted wherever they are included. Sixty files that each include
/// the next one twice would exceed any memory.
const ELEMENT_LIMIT: usize = 1_000_000;

/// An element and its children.
pub(super) struct Tag<'d> {
    pub element: Element<'d>,
    pub inside: Vec<Tag<'d>>,
}

/// The included files, by the names that the model uses for them.
pub(super) struct Included {
    files: Vec<(PathBuf, String)>,
    names: BTreeMap<String, usize>,
}

impl Included {
    /// Reads all files that a text includes, and the files that those include.
    pub fn of(text: &str, meshes: &Meshes) -> Result<Included, SceneError> {
        let mut included = Included { files: Vec::new(), names: BTreeMap::new() };
        let mut left = TEXT_LIMIT.saturating_sub(text.len());
        included.look(&xml::parse(text)?, None, meshes, &mut left)?;
        let mut next = 0;
        while next < included.files.len() {
            let (path, text) = included.files[next].clone();
            let document = xml::parse(&text).map_err(|error| error.in_file(&path))?;
            included.look(&document, Some(&path), meshes, &mut left)?;
            next += 1;
        }
        Ok(included)
    }

    fn look(
        &mut self,
        document: &Document,
        file: Option<&PathBuf>,
        meshes: &Meshes,
        left: &mut usize,
    ) -> Result<(), SceneError> {
        let root = Element::root_of(document, file.map(PathBuf::as_path));
        let mut waiting = vec![root];
        while let Some(element) = waiting.pop() {
            waiting.extend(element.inside());
            if element.tag() != "include" {
                continue;
            }
            let name = element.required("file")?;
            if self.names.contains_key(name) {
                continue;
            }
            let path = meshes.find(name).map_err(|why| element.refuse(format!("'{name}': {why}")))?;
            let text = read_text(&path).map_err(|error| element.refuse(format!("'{name}': {}", error.what)))?;
            *left = left.checked_sub(text.len()).ok_or_else(|| {
                element.refuse(format!("a model and what it includes may have {TEXT_LIMIT} bytes together"))
            })?;
            if self.files.len() >= INCLUDE_LIMIT {
                return Err(element.refuse(format!("more than {INCLUDE_LIMIT} files are included")));
            }
            self.names.insert(name.to_owned(), self.files.len());
            // Messages name it as the model does.
            self.files.push((PathBuf::from(name), text));
        }
        Ok(())
    }

    /// The texts read as XML: the model, then the included files.
    pub fn parse<'d>(&'d self, text: &'d str) -> Result<Vec<Document<'d>>, SceneError> {
        let mut documents = vec![xml::parse(text)?];
        for (path, text) in &self.files {
            documents.push(xml::parse(text).map_err(|error| error.in_file(path))?);
        }
        Ok(documents)
    }
}

impl<'d> Tag<'d> {
    pub fn root(documents: &'d [Document<'d>], included: &'d Included) -> Result<Tag<'d>, SceneError> {
        Tag::of(Element::root(&documents[0]), documents, included, [0, 0], &mut 0)
    }

    fn of(
        element: Element<'d>,
        documents: &'d [Document<'d>],
        included: &'d Included,
        [depth, files]: [usize; 2],
        elements: &mut usize,
    ) -> Result<Tag<'d>, SceneError> {
        *elements += 1;
        if *elements > ELEMENT_LIMIT {
            return Err(element.refuse(format!("a model with what it includes has more than {ELEMENT_LIMIT} elements")));
        }
        if depth > NESTING_LIMIT {
            return Err(element.refuse(format!("elements are nested deeper than {NESTING_LIMIT}")));
        }
        let mut inside = Vec::new();
        for child in element.inside() {
            if child.tag() != "include" {
                inside.push(Tag::of(child, documents, included, [depth + 1, files], elements)?);
                continue;
            }
            if files > INCLUDE_LIMIT {
                return Err(child.refuse("the file includes itself"));
            }
            let Some(file) = included.names.get(child.required("file")?) else { continue };
            let root = Element::root_of(&documents[file + 1], Some(&included.files[*file].0));
            // In place of the element stand the children of the root of the file.
            inside.append(&mut Tag::of(root, documents, included, [depth + 1, files + 1], elements)?.inside);
        }
        let mut tag = Tag { element, inside };
        tag.element.path = match tag.element.optional("name") {
            Some(name) => format!("{} '{name}'", tag.tag()),
            None => tag.tag().to_owned(),
        };
        Ok(tag)
    }

    pub fn tag(&self) -> &'d str {
        self.element.tag()
    }

    /// The sections of a name, of which there may be several.
    pub fn sections(&self, name: &str) -> impl Iterator<Item = &Tag<'d>> {
        self.inside.iter().filter(move |section| section.tag() == name)
    }
}
