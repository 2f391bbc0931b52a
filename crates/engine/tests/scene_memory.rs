//! How much memory reading a scene takes at most: what the limit on its text stands for. One test, because the count is
//! of all threads.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

#[path = "../../solvers/tests/counting_allocator/mod.rs"]
mod counting_allocator;

use signorini::Scene;
use signorini::scene::TEXT_LIMIT;

/// Most bytes of memory per byte of text.
const MOST: usize = 100;

#[test]
fn j5_reading_takes_a_bounded_multiple_of_the_text() {
    let size = TEXT_LIMIT / 8;
    let fill = |start: &str, unit: &str, end: &str| {
        let count = (size - start.len() - end.len()) / unit.len();
        format!("{start}{}{end}", unit.repeat(count))
    };
    let keys: String = (0..size / 8).map(|i| format!("k{i:05}=0\n")).take_while(|key| key.len() == 9).collect();
    type Read = fn(&str) -> Result<Scene, signorini::SceneError>;
    // Texts with as many values as fit: none is a scene, and each is read as a whole before that is found out.
    let texts: [(&str, Read, String); 8] = [
        ("TOML, numbers", Scene::from_toml, fill("gravity = [", "0,", "]")),
        ("TOML, empty lists", Scene::from_toml, fill("gravity = [", "[],", "]")),
        ("TOML, tables", Scene::from_toml, fill("", "[[b]]\n", "")),
        ("TOML, keys", Scene::from_toml, keys),
        ("JSON, numbers", Scene::from_json, fill("{\"gravity\": [0", ",0", "]}")),
        ("JSON, empty tables", Scene::from_json, fill("{\"bodies\": [{}", ",{}", "]}")),
        ("URDF, elements", Scene::from_urdf, fill("<robot name='r'>", "<a/>", "</robot>")),
        (
            "URDF, attributes",
            Scene::from_urdf,
            fill("<robot name='r'>", "<a b='' c='' d='' e='' f='' g='' h=''/>", "</robot>"),
        ),
    ];
    for (name, read, text) in &texts {
        let (result, peak) = counting_allocator::peak_bytes(|| read(text));
        assert!(result.is_err(), "{name}");
        let multiple = peak.div_ceil(text.len());
        println!("{name}: {multiple} bytes of memory per byte of text");
        assert!(multiple <= MOST, "{name}: {multiple}");
    }
}
