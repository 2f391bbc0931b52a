// The page without a server, from a plain file server, in a headless browser. SITE is the folder that scripts/build-site made.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { atLeast, launch, open, pixels, until } from "./browser.mjs";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".wasm": "application/wasm" };

let browser;
let server;
let address;

before(async () => {
    server = createServer(async (request, response) => {
        const path = new URL(request.url, "http://site").pathname;
        try {
            const body = await readFile(join(process.env.SITE, path === "/" ? "index.html" : path));
            response.setHeader("content-type", TYPES[extname(path)] ?? "text/html");
            response.end(body);
        } catch {
            response.statusCode = 404;
            response.end();
        }
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    address = `http://127.0.0.1:${server.address().port}/`;
    browser = await launch();
});

after(async () => {
    await browser?.close();
    server?.close();
});

describe("the page without a server", () => {
    it("runs the demonstration, every step certified, and shows it", async () => {
        const { page, complaints } = await open(browser, address);
        await atLeast(page, 60);
        // Every badge that is shown from here on: a step in which something touches is certified.
        await page.evaluate(() => {
            window.badges = [];
            const badge = document.querySelector(".badge");
            const note = () => window.badges.push(badge.textContent);
            new MutationObserver(note).observe(badge, { childList: true, characterData: true, subtree: true });
            note();
        });
        await until(page, () => Number(document.body.dataset.index) >= 150);
        const badges = await page.evaluate(() => window.badges);
        assert.ok(badges.some((badge) => /^certified · .*m\/s/.test(badge)), badges.join("; "));
        assert.deepEqual(badges.filter((badge) => !/^(certified|nothing touches|before the first step)/.test(badge)), []);
        assert.equal(await page.textContent("#scene-name"), "demo");
        assert.ok((await page.locator("#scene-choice option").count()) > 40);
        // A picture with something in it: more colours than a page without a scene has.
        const png = await page.screenshot({ path: process.env.SCREENSHOT });
        const { width, height, channels, data } = pixels(png);
        assert.deepEqual([width, height], [1280, 800]);
        const colours = new Set();
        for (let at = 0; at < data.length; at += channels) {
            colours.add((data[at] << 16) | (data[at + 1] << 8) | data[at + 2]);
        }
        assert.ok(colours.size > 1000, `${colours.size} colours`);
        assert.deepEqual(complaints, []);
        await page.context().close();
    });

    it("holds the npm package, which steps worlds with the bits of the native engine", async () => {
        const golden = await readFile(new URL("../../data/golden_states.txt", import.meta.url), "utf8");
        const [, steps, hash] = golden.match(/^arch (\d+) (\w+)$/m);
        const { page } = await open(browser, address);
        const found = await page.evaluate(
            async ([module, steps]) => {
                const { default: init, World } = await import(module);
                await init();
                const world = World.ofScene("arch");
                return { certified: world.run(steps), hash: world.stateHash };
            },
            [`${address}engine/signorini.js`, Number(steps)],
        );
        assert.deepEqual(found, { certified: Number(steps), hash });
        await page.context().close();
    });

    it("compares two methods", async () => {
        const { page } = await open(browser, `${address}#scene=heavy_on_light`);
        await atLeast(page, 5);
        await page.selectOption("#method-b", "pgs");
        await until(page, () => document.querySelectorAll(".badge").length === 2);
        await atLeast(page, 5);
        await page.context().close();
    });

    it("says where a scene file is wrong, and runs one that is right", async () => {
        const { page } = await open(browser, `${address}#scene=stack`);
        await atLeast(page, 5);
        await page.click("#editor-open");
        await until(page, () => document.querySelector("#editor-text").value.includes("[[bodies]]"));
        await page.fill("#editor-text", '[[bodies]]\nname = "a"\nshape = { sphere = { radius = -1 } }\n');
        await until(page, () => /^3:\d+: .*radius/.test(document.querySelector("#editor-error").textContent));
        assert.ok(await page.isDisabled("#editor-run"));
        await page.fill("#editor-text", 'name = "mine"\n[[bodies]]\nname = "a"\nshape = { sphere = { radius = 1 } }\n');
        await until(page, () => !document.querySelector("#editor-run").disabled);
        await page.click("#editor-run");
        await until(page, () => document.querySelector("#scene-name").textContent === "mine");
        await atLeast(page, 5);
        await page.context().close();
    });
});
