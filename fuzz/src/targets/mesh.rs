//! Mesh files, as surface and as hull: OBJ and STL, text and binary. The first byte of an input says which.

use super::{Scratch, Target, take_steps};
use signorini::Scene;

pub const MESH: Target = Target {
    name: "mesh",
    run,
    seeds: Vec::new,
    tokens: &[
        "v 0 0 0\n",
        "v 1 0 0\n",
        "v 0 1 0\n",
        "v 0 0 1\n",
        "f 1 2 3\n",
        "f 1//1 2//2 3//3\n",
        "f -1 -2 -3\n",
        "f 1/1/1",
        "vn 0 0 1\n",
        "vt 0 0\n",
        "o x\n",
        "g x\n",
        "usemtl x\n",
        "solid x\n",
        "facet normal 0 0 1\n",
        "outer loop\n",
        "vertex 0 0 0\n",
        "endloop\n",
        "endfacet\n",
        "endsolid\n",
        "#",
        "\\\n",
    ],
    mend: None,
    short: 20_000,
};

fn run(bytes: &[u8]) -> String {
    let Some((kind, bytes)) = bytes.split_first() else { return "empty".to_owned() };
    let (ending, purpose) = (["obj", "stl"][usize::from(kind & 1)], ["mesh", "hull"][usize::from(kind >> 1 & 1)]);
    let (file, scene) = (Scratch::new(&format!("mesh.{ending}")), Scratch::new("mesh.toml"));
    let fixed = if purpose == "mesh" { "kind = \"fixed\"" } else { "" };
    let name = file.0.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let text = format!(
        "[[bodies]]\nname = \"a\"\n{fixed}\nshape = {{ file = {{ path = \"{name}\", as = \"{purpose}\" }} }}\n\
         [[bodies]]\nname = \"ball\"\nshape = {{ sphere = {{ radius = 0.1 }} }}\nposition = [0, 0, 0.3]\n"
    );
    file.write(bytes);
    scene.write(text.as_bytes());
    let scene = match Scene::load(&scene.0) {
        Err(error) => return error.to_string(),
        Ok(scene) => scene,
    };
    match scene.build() {
        Err(error) => format!("not built: {error}"),
        Ok(mut world) => format!("{purpose} from {ending} {}", take_steps(&mut world, scene.step, 1)),
    }
}
