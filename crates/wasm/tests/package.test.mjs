// The npm package in node: worlds step, are certified, and come to the bits of the native engine.
// scripts/test-wasm builds the package and says where it is (PACKAGE).

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";

const engine = await import(pathToFileURL(`${process.env.PACKAGE}/node.js`).href);
const { World, checkScene, methods, sceneText, scenes } = engine;
const golden = readFileSync(new URL("../../../data/golden_states.txt", import.meta.url), "utf8")
    .trim()
    .split("\n")
    .map((line) => line.split(" "));
const few = ["torque_free_top", "incline_slip", "rolling_onset", "billiard", "bounce_lively", "hanging_chain", "arch", "demo"];

describe("the npm package", () => {
    it("has the built-in scenes and methods", () => {
        assert.deepEqual(scenes().map((scene) => scene.name).sort(), golden.map(([name]) => name).sort());
        assert.ok(methods().includes("exact"));
    });

    for (const [name, steps, hash] of golden.filter(([name]) => process.env.ALL || few.includes(name))) {
        it(`comes to the bits of the native engine in ${name}`, () => {
            const world = World.ofScene(name);
            world.run(Number(steps));
            assert.equal(world.stateHash, hash);
        });
    }

    for (const page of ["../README.md", "../../../docs/webassembly.md"]) {
        it(`does what ${page} shows`, async () => {
            const [, program] = readFileSync(new URL(page, import.meta.url), "utf8").match(/```js\n(.*?)```/s);
            const folder = mkdtempSync(join(tmpdir(), "signorini-"));
            try {
                const file = join(folder, "program.mjs");
                const node = pathToFileURL(`${process.env.PACKAGE}/node.js`).href;
                writeFileSync(file, program.replace('from "signorini"', `from "${node}"`));
                await import(pathToFileURL(file).href);
            } finally {
                rmSync(folder, { recursive: true });
            }
        });
    }

    it("certifies steps and reads out poses and contacts", () => {
        const world = World.ofScene("stack");
        for (let step = 0; step < 20; step++) {
            assert.equal(world.step().status, "certified");
        }
        assert.ok(Math.abs(world.time - 20 * world.timeStep) < 1e-12);
        assert.equal(world.poses.length, 7 * world.names.length);
        assert.equal(world.velocities.length, 6 * world.names.length);
        const contacts = world.contacts;
        assert.ok(contacts.length > 0 && contacts.every((c) => ["open", "stick", "slip"].includes(c.state)));
    });

    it("throws what is wrong with a scene, with its line, and reads its own files", () => {
        const wrong = '[[bodies]]\nname = "a"\nshape = { sphere = { radius = -1 } }\n';
        assert.match(checkScene(wrong), /^3:\d+: .*radius/);
        assert.throws(() => new World(wrong), /3:\d+/);
        assert.equal(checkScene(sceneText("arch")), undefined);
        assert.throws(() => World.ofScene("nosuch"), /nosuch/);
    });

    it("falls as a body falls, and goes back to a snapshot", () => {
        // Free fall in steps is exact: z = −g t²/2.
        const world = new World('[[bodies]]\nname = "ball"\nshape = { sphere = { radius = 0.1 } }\n');
        const start = world.snapshot();
        world.run(60);
        assert.ok(Math.abs(world.poses[2] + (9.81 * world.time ** 2) / 2) < 1e-12);
        const hash = world.stateHash;
        world.restore(start);
        assert.equal(world.poses[2], 0);
        world.run(60);
        assert.equal(world.stateHash, hash);
        world.addForce(0, [0, 0, 1], [0, 0, 0]);
        assert.throws(() => world.addForce(7, [0, 0, 1], [0, 0, 0]), /no body 7/);
        assert.throws(() => world.addForce(0, [0, 1], [0, 0, 0]), /three/);
    });
});
