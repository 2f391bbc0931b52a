// What WebAssembly costs: processor time of the same steps in node and in the native command on one thread, in turns, the least of
// each; the first step and what comes before it are left out of both. scripts/bench-wasm builds both and says where they are (PACKAGE,
// SIGNORINI).

import { spawnSync } from "node:child_process";
import { pathToFileURL } from "node:url";

const { World } = await import(pathToFileURL(`${process.env.PACKAGE}/node.js`).href);
const ROUNDS = 9;
const SCENES = [
    ["wall", 600],
    ["pile", 240],
];

/** Seconds of the native command, start, first step and report included. */
function native(scene, steps) {
    const command = `TIMEFORMAT=%U; time "$SIGNORINI" run ${scene} --steps ${steps} --threads 1 >/dev/null`;
    const { stderr, status } = spawnSync("bash", ["-c", command], { encoding: "utf8" });
    if (status !== 0) {
        throw new Error(stderr);
    }
    return Number(stderr.trim().split("\n").at(-1));
}

/** Seconds in node, the scene built beforehand. */
function wasm(scene, steps) {
    const world = World.ofScene(scene);
    world.run(1);
    const start = process.cpuUsage();
    world.run(steps - 1);
    return process.cpuUsage(start).user / 1e6;
}

console.log("| scene | steps | native [s] | WebAssembly [s] | ratio |\n|---|---|---|---|---|");
for (const [scene, steps] of SCENES) {
    const least = { begun: Infinity, native: Infinity, wasm: Infinity };
    for (let round = 0; round < ROUNDS; round++) {
        least.begun = Math.min(least.begun, native(scene, 1));
        least.native = Math.min(least.native, native(scene, steps));
        least.wasm = Math.min(least.wasm, wasm(scene, steps));
    }
    const own = least.native - least.begun;
    const ratio = (least.wasm / own).toFixed(2);
    console.log(`| ${scene} | ${steps} | ${own.toFixed(3)} | ${least.wasm.toFixed(3)} | ${ratio} |`);
}
