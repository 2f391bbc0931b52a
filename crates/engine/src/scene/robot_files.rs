//! Robots from files: detects the language, and finds meshes and included files in the allowed folders.

use super::mesh_file::{self, Surface};
use super::text::{check_text, read_text};
use super::{MESH_LIMIT, Scene, SceneError};
#[cfg(any(feature = "urdf", feature = "mjcf"))]
use super::{MeshUse, ShapeDescription, Triple};
use crate::robot::{RobotDescription, RobotModel, SelfCollision};
#[cfg(any(feature = "urdf", feature = "mjcf"))]
use crate::shape::MAX_HULL_VERTICES;
use glamx::DPose3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// How a robot is read.
///
/// ```
/// use signorini::scene::{Base, RobotOptions};
/// let options = RobotOptions { base: Base::Fixed, ..RobotOptions::default() };
/// assert!(options.roots.is_empty());
/// ```
#[derive(Clone, Debug, Default)]
pub struct RobotOptions {
    /// Folders that files named by the robot may lie in, besides its own: of `package://name/rest`, `name/rest` and
    /// `rest` are looked for in each.
    pub roots: Vec<PathBuf>,
    /// Whether the root of a URDF robot moves.
    pub base: Base,
    /// Which links of one robot touch each other.
    pub self_collision: SelfCollision,
}

/// Whether the root of a robot moves.
///
/// ```
/// use signorini::scene::Base;
/// assert_eq!(Base::default(), Base::AsInFile);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Base {
    /// It moves if it has mass and is not called `world`.
    #[default]
    AsInFile,
    /// It stands still.
    Fixed,
    /// It moves freely.
    Free,
}

impl RobotModel {
    /// Reads a robot: `.urdf`, or `.xml` in either language. Errors say the line; [`RobotModel::ignored`] says what was in the
    /// file and has no effect.
    pub fn load(path: impl AsRef<Path>, options: &RobotOptions) -> Result<RobotModel, SceneError> {
        let path = path.as_ref();
        let read = || -> Result<RobotModel, SceneError> {
            let text = read_text(path)?;
            // A bare file name has the empty path as its parent.
            let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
            RobotModel::read(&text, Some(folder), options)
        };
        let mut model = read().map_err(|error| error.in_file(path))?;
        for notice in &mut model.ignored {
            notice.at.file.get_or_insert_with(|| path.to_owned());
        }
        Ok(model)
    }

    /// Reads a robot from text, URDF or MJCF by its first element. Other files cannot be named: use
    /// [`RobotModel::load`].
    pub fn from_text(text: &str, options: &RobotOptions) -> Result<RobotModel, SceneError> {
        RobotModel::read(text, None, options)
    }

    pub(super) fn read(text: &str, folder: Option<&Path>, options: &RobotOptions) -> Result<RobotModel, SceneError> {
        check_text(text)?;
        let mut description = describe(text, folder, options)?;
        description.self_collision = options.self_collision;
        RobotModel::compile(description)
    }
}

/// The language is known by the first element.
#[cfg(any(feature = "urdf", feature = "mjcf"))]
fn describe(text: &str, folder: Option<&Path>, options: &RobotOptions) -> Result<RobotDescription, SceneError> {
    let text = super::xml::without_late_declaration(text);
    let document = super::xml::parse(&text)?;
    let root = super::xml::Element::root(&document);
    let mut meshes = Meshes::new(folder, &options.roots);
    match root.tag() {
        #[cfg(feature = "urdf")]
        "robot" => super::urdf::read(&text, &mut meshes, options),
        #[cfg(feature = "mjcf")]
        "mujoco" | "mujocoinclude" => super::mjcf::read(&text, &mut meshes),
        #[cfg(not(feature = "urdf"))]
        "robot" => Err(root.refuse("this program was built without the feature 'urdf'")),
        #[cfg(not(feature = "mjcf"))]
        "mujoco" | "mujocoinclude" => Err(root.refuse("this program was built without the feature 'mjcf'")),
        _ => Err(root.refuse("a robot description begins with the element 'robot' (URDF) or 'mujoco' (MJCF)")),
    }
}

#[cfg(not(any(feature = "urdf", feature = "mjcf")))]
fn describe(_: &str, _: Option<&Path>, _: &RobotOptions) -> Result<RobotDescription, SceneError> {
    Err(SceneError::new("", "this program was built without the features 'urdf' and 'mjcf', and reads no robots"))
}

/// Files that a robot names, read within limits on their total.
#[cfg_attr(not(any(feature = "urdf", feature = "mjcf")), allow(dead_code, reason = "only paths are looked for"))]
pub(super) struct Meshes {
    /// The folder of the robot, then the others.
    roots: Vec<PathBuf>,
    /// Vertices and triangles that may still be read.
    left: usize,
    known: BTreeMap<PathBuf, Surface>,
    /// Largest distance by which a mesh extends beyond its simplified hull, which has the largest allowed number of
    /// corners \[m\].
    lost: f64,
}

const INSIDE: &str = "files are named relative to the robot's and lie in its folder or in one of the given roots";

#[cfg_attr(not(any(feature = "urdf", feature = "mjcf")), allow(dead_code, reason = "only paths are looked for"))]
impl Meshes {
    fn new(folder: Option<&Path>, roots: &[PathBuf]) -> Self {
        let roots = folder.into_iter().map(Path::to_owned).chain(roots.iter().cloned()).collect();
        Meshes { roots, left: MESH_LIMIT, known: BTreeMap::new(), lost: 0.0 }
    }

    /// The shape of a mesh file, its lengths multiplied by factors that are not zero.
    #[cfg(feature = "urdf")]
    pub fn load(&mut self, file: &str, purpose: MeshUse, scale: Triple) -> Result<ShapeDescription, String> {
        let surface = self.surface(file)?;
        let shape = self.shape(surface, purpose, scale)?;
        shape.build("").map_err(|error| error.what)?;
        Ok(shape)
    }

    /// The shape of a surface.
    #[cfg(any(feature = "urdf", feature = "mjcf"))]
    pub fn shape(&mut self, surface: Surface, purpose: MeshUse, scale: Triple) -> Result<ShapeDescription, String> {
        mesh_file::scaled(surface, purpose, scale, Some(&mut self.lost))
    }

    /// A notice about hulls that were simplified; `None` if none was.
    #[cfg(any(feature = "urdf", feature = "mjcf"))]
    pub fn loss(&self) -> Option<String> {
        let millimetres = 1e3 * self.lost;
        (self.lost > 0.0).then(|| {
            format!(
                "hulls of meshes with more than {MAX_HULL_VERTICES} corners, or with corners too close to each other, have fewer: they are \
                 smaller by {millimetres:.3} mm or less"
            )
        })
    }

    /// The surface in a file, in its unit of length.
    pub fn surface(&mut self, file: &str) -> Result<Surface, String> {
        let path = self.find(file)?;
        if let Some(known) = self.known.get(&path) {
            return Ok(known.clone());
        }
        let surface = mesh_file::read_surface(&path)?;
        let size = surface.vertices.len().max(surface.triangles.len());
        self.left = self
            .left
            .checked_sub(size)
            .ok_or_else(|| format!("the meshes of a robot may have {MESH_LIMIT} vertices and triangles together"))?;
        self.known.insert(path, surface.clone());
        Ok(surface)
    }

    /// Path of a named file in one of the folders, with symbolic links resolved.
    pub fn find(&self, file: &str) -> Result<PathBuf, String> {
        let Some(folder) = self.roots.first() else {
            return Err("load the robot from a file, not from text, to read others".to_owned());
        };
        if file.contains('\0') {
            return Err("a path holds no zero characters".to_owned());
        }
        // Files written on Windows have backslashes. A path that leaves the folder is detected after it is resolved.
        let file = &*file.replace('\\', "/");
        let mut tries: Vec<PathBuf> = Vec::new();
        let plain = |path: &str| {
            let part =
                |part: Component| matches!(part, Component::Normal(_) | Component::CurDir | Component::ParentDir);
            !path.is_empty() && Path::new(path).components().all(part)
        };
        if let Some(address) = ["package://", "model://"].iter().find_map(|scheme| file.strip_prefix(scheme)) {
            let (package, rest) = address.split_once('/').unwrap_or((address, ""));
            if !plain(address) || !plain(rest) {
                return Err(INSIDE.to_owned());
            }
            tries.extend(self.roots.iter().flat_map(|root| [root.join(address), root.join(rest)]));
            // A robot that lies in the package it names.
            let full = folder.canonicalize().unwrap_or_default();
            let own = full.ancestors().find(|above| above.file_name().is_some_and(|name| name == package));
            if let Some(own) = own {
                return own
                    .join(rest)
                    .canonicalize()
                    .ok()
                    .filter(|found| found.starts_with(own))
                    .ok_or_else(|| format!("there is no '{rest}' in the package '{package}'"));
            }
        } else if file.contains("://") || file.starts_with("file:") {
            return Err(format!("this is an address; {INSIDE}"));
        } else if plain(file) {
            tries.extend(self.roots.iter().map(|root| root.join(file)));
        }
        if tries.is_empty() {
            return Err(INSIDE.to_owned());
        }
        let roots: Vec<PathBuf> = self.roots.iter().filter_map(|root| root.canonicalize().ok()).collect();
        let mut outside = false;
        for path in tries.iter().filter_map(|path| path.canonicalize().ok()) {
            if roots.iter().any(|root| path.starts_with(root)) {
                return Ok(path);
            }
            outside = true;
        }
        Err(if outside { INSIDE.to_owned() } else { format!("there is no such file; {INSIDE}") })
    }
}

/// A robot as a scene: its bodies and joints in the home pose.
pub(super) fn scene(text: &str, folder: Option<&Path>) -> Result<Scene, SceneError> {
    let model = RobotModel::read(text, folder, &RobotOptions::default())?;
    let mut scene = model.scene(&DPose3::IDENTITY, &model.home, "");
    if scene.bodies.is_empty() {
        return Err(SceneError::new("", "nothing in it can be simulated: no link moves or has a shape"));
    }
    scene.notices.clone_from(&model.ignored);
    check(scene, &model)
}

/// Builds the world once to check it. Errors are reported at the element that they come from.
fn check(scene: Scene, model: &RobotModel) -> Result<Scene, SceneError> {
    let Err(error) = scene.build() else { return Ok(scene) };
    let index = |list: &str| error.path.strip_prefix(list)?.split_once(']')?.0.parse::<usize>().ok();
    let named = index("bodies[").and_then(|at| scene.bodies.get(at)).map(|body| body.name.as_str());
    let joined = || scene.joints.get(index("joints[")?)?.a.body.as_deref();
    let name = named.or_else(joined);
    let links = model.links.iter().map(|link| (&link.name, &link.at));
    let mut places = links.chain(model.fixtures.iter().map(|link| (&link.name, &link.at)));
    match places.find(|(link, _)| Some(link.as_str()) == name) {
        Some((link, at)) => {
            Err(SceneError { at: Some(at.clone()), ..SceneError::new(format!("link '{link}'"), &error.what) })
        }
        None => Err(error),
    }
}

/// Makes bodies and joints of the robots that a scene names.
pub(super) fn inline(scene: &mut Scene, folder: &Path) -> Result<(), SceneError> {
    for (index, entry) in std::mem::take(&mut scene.robots).into_iter().enumerate() {
        let path = format!("robots[{index}]");
        let refuse = |why: String| SceneError::new(format!("{path}.file"), format!("'{}': {why}", entry.file));
        let below = |name: &String| Meshes::new(Some(folder), &[]).find(name);
        let file = below(&entry.file).map_err(refuse)?;
        let roots = entry.roots.iter().map(below).collect::<Result<Vec<_>, _>>();
        let roots = roots.map_err(|why| SceneError::new(format!("{path}.roots"), why))?;
        let options = RobotOptions { roots, base: entry.base, self_collision: entry.self_collision };
        // The error says the line in the file of the robot, the path says which robot.
        let model = RobotModel::load(&file, &options).map_err(|mut error| {
            if let Some(at) = &mut error.at {
                at.file = Some(PathBuf::from(&entry.file));
            }
            refuse(error.to_string())
        })?;
        let prefix = entry.prefix.clone().unwrap_or_else(|| format!("{}/", model.name));
        let position = glamx::DVec3::from_array(entry.position);
        let base = DPose3::from_parts(position, super::shapes::quaternion(entry.orientation));
        let q = entry.q.as_ref().unwrap_or(&model.home);
        if q.len() != model.coordinates() {
            let what = format!("{} numbers; the robot has {} coordinates", q.len(), model.coordinates());
            return Err(SceneError::new(format!("{path}.q"), what));
        }
        let robot = model.scene(&base, q, &prefix);
        let before = scene.joints.len();
        scene.bodies.extend(robot.bodies);
        scene.joints.extend(robot.joints);
        scene.gears.extend(robot.gears.into_iter().map(|mut gear| {
            gear.terms.iter_mut().for_each(|term| term.joint += before);
            gear
        }));
        scene.apart.extend(robot.apart);
        for mut notice in model.ignored {
            notice.at.file = Some(PathBuf::from(&entry.file));
            scene.notices.push(notice);
        }
    }
    Ok(())
}
