//! `bindgen IN.wasm FOLDER`: JavaScript, types and WebAssembly of the npm package.

use wasm_bindgen_cli_support::Bindgen;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, input, folder] = &arguments[..] else {
        eprintln!("usage: bindgen IN.wasm FOLDER");
        std::process::exit(2);
    };
    let written = Bindgen::new()
        .input_path(input)
        .out_name("signorini")
        .web(true)
        .and_then(|bindgen| {
            // By itself it leaves out where the WebAssembly lies, and `init()` without an argument would load nothing.
            bindgen.typescript(true).remove_name_section(true).omit_default_module_path(false).generate(folder)
        });
    if let Err(error) = written {
        eprintln!("{error:?}");
        std::process::exit(1);
    }
}
