// In node the engine is ready when the module is: the WebAssembly lies beside it.
import { readFileSync } from "node:fs";
import { initSync } from "./signorini.js";

initSync({ module: readFileSync(new URL("./signorini_bg.wasm", import.meta.url)) });

export * from "./signorini.js";
export { default } from "./signorini.js";
