//! Puts the web page into the program.
//!
//! In this order: `viewer/dist` if it is newer than its sources; else the page is built by npm; else, in a package, the page
//! that came with it; else a page that says how to get the real one. Whatever goes wrong here, the rest of the command is built.

// This is how a build script talks to cargo.
#![allow(clippy::print_stdout)]

use std::env;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

const SOURCES: [&str; 6] = ["src", "public", "index.html", "package.json", "package-lock.json", "vite.config.ts"];

const SUBSTITUTE: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Signorini</title>\
<h1>The viewer is not part of this build</h1><p>It is written in TypeScript and needs Node.js 20 or newer and its \
packages to be built. Run <code>scripts/build-viewer</code>, then build the command again. Everything else works.</p>\n";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=SIGNORINI_VIEWER");
    // Cargo sets both for every build script.
    let directory = |name: &str| PathBuf::from(env::var_os(name).unwrap_or_default());
    let (manifest, out) = (directory("CARGO_MANIFEST_DIR"), directory("OUT_DIR"));
    let viewer = manifest.join("../../viewer");
    for source in SOURCES.map(|name| viewer.join(name)) {
        if source.exists() {
            println!("cargo::rerun-if-changed={}", source.display());
        }
    }
    let page = match page(&viewer, &out) {
        Ok(page) => page,
        Err(why) => {
            println!("cargo::warning=the web page is left out ({why}); everything but `signorini view` is complete");
            let page = out.join("substitute");
            // If even this fails, the list of assets below is empty and the command still builds.
            let _ = fs::create_dir_all(&page);
            let _ = fs::write(page.join("index.html"), SUBSTITUTE);
            page
        }
    };
    let mut list = String::from("/// The files of the page.\npub static ASSETS: &[Asset] = &[\n");
    for file in files(&page) {
        let name = file.strip_prefix(&page).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        let media_type = media_type(&file);
        let _ = writeln!(
            list,
            "    Asset {{ path: {name:?}, media_type: {media_type:?}, bytes: include_bytes!({:?}) }},",
            file.to_string_lossy()
        );
    }
    list.push_str("];\n");
    if let Err(error) = fs::write(out.join("assets.rs"), list) {
        println!("cargo::warning=the list of assets cannot be written: {error}");
    }
}

/// The directory of the built page.
fn page(viewer: &Path, out: &Path) -> Result<PathBuf, String> {
    if env::var_os("SIGNORINI_VIEWER").is_some_and(|value| value == "skip") {
        return Err("SIGNORINI_VIEWER=skip".to_owned());
    }
    let newest_source = SOURCES.iter().flat_map(|name| files(&viewer.join(name))).filter_map(|f| modified(&f)).max();
    if newest_source.is_none() {
        // A package has the page and not its sources; build scripts run in its directory.
        let packaged = PathBuf::from("page");
        return if packaged.is_dir() {
            fs::canonicalize(packaged).map_err(|error| error.to_string())
        } else {
            Err("there are no sources of it".to_owned())
        };
    }
    let made = viewer.join("dist");
    if modified(&made.join("index.html")) >= newest_source {
        println!("cargo::rerun-if-changed={}", made.display());
        // A copy: the page may be built anew while the compiler reads it.
        let page = out.join("dist");
        copy(&made, &page).map_err(|error| format!("viewer/dist cannot be copied: {error}"))?;
        return Ok(page);
    }
    let packages = viewer.join("node_modules/.package-lock.json");
    if modified(&packages) < modified(&viewer.join("package-lock.json")) {
        let quick = ["--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=0"];
        // Not `ci`: it insists on the binaries of every platform, which a registry mirror need not hold.
        npm(viewer, ["install", "--no-save"].iter().chain(&quick).map(OsStr::new))?;
    }
    let page = out.join("page");
    let arguments = ["run", "build", "--", "--emptyOutDir", "--outDir"].map(OsStr::new);
    npm(viewer, arguments.into_iter().chain([page.as_os_str()]))?;
    Ok(page)
}

fn npm<'a>(viewer: &Path, arguments: impl Iterator<Item = &'a OsStr>) -> Result<(), String> {
    let program = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let output = Command::new(program).args(arguments).current_dir(viewer).stdin(Stdio::null()).output();
    match output {
        Err(error) => Err(format!("npm does not run: {error}")),
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no reason given");
            Err(format!("npm failed: {last}"))
        }
    }
}

/// Copies a directory in place of another.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if to.exists() {
        fs::remove_dir_all(to)?;
    }
    for file in files(from) {
        let target = to.join(file.strip_prefix(from).unwrap_or(&file));
        fs::create_dir_all(target.parent().unwrap_or(to))?;
        fs::copy(&file, &target)?;
    }
    Ok(())
}

/// All files at or below a path, in order of name.
fn files(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let Ok(entries) = fs::read_dir(path) else { return Vec::new() };
    let mut entries: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    entries.sort();
    entries.iter().flat_map(|entry| files(entry)).collect()
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|data| data.modified()).ok()
}

fn media_type(file: &Path) -> &'static str {
    match file.extension().and_then(OsStr::to_str) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    }
}
