// The page in a real browser against the real command.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { atLeast, launch, open, pixels, serve, until, untilNow } from "./browser.mjs";

const file = (name) => fileURLToPath(new URL(name, import.meta.url));
const data = (page) => page.evaluate(() => ({ ...document.body.dataset }));
const index = async (page) => Number((await data(page)).index);

/** Waits until a part of the page reads so: what is pressed shows with the next picture, not at once. */
const reads = (page, selector, pattern) =>
    until(page, ([where, source]) => new RegExp(source).test(document.querySelector(where)?.textContent), [selector, pattern.source]);

let browser;
before(async () => (browser = await launch()));
after(async () => browser.close());

/** Runs a test on a fresh page of a fresh server. */
async function visit(args, options, test) {
    const server = await serve(...args);
    try {
        const visit = await open(browser, server.address, options);
        await test(visit, server);
        assert.deepEqual(visit.complaints, []);
        const own = new URL(server.address).origin;
        const foreign = visit.requests.filter((url) => !url.startsWith(own) && !url.startsWith(own.replace("http", "ws")));
        assert.deepEqual(foreign, [], "requests to elsewhere");
        await visit.page.context().close();
    } finally {
        server.stop();
    }
}

/** How many clearly different colours the middle of a picture has, and how much of it is not its commonest one. */
function variety(png) {
    const { width, height, channels, data } = pixels(png);
    const counts = new Map();
    for (let i = 0; i < width * height; i++) {
        const key = [0, 1, 2].map((k) => data[i * channels + k] >> 4).join();
        counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    const most = Math.max(...counts.values());
    return { colours: counts.size, busy: 1 - most / (width * height) };
}

/** Runs in the page: words with too little contrast (WCAG 2.1, 1.4.3: 4.5 to 1), and words that are cut off. */
function faultsOfText() {
    const parse = (text) => {
        const numbers = text.match(/[\d.]+/g).map(Number);
        // Mixed colours are told as parts of one: color(srgb 0.5 0.5 0.5 / 0.8).
        const [r, g, b] = text.startsWith("color(") ? numbers.slice(0, 3).map((part) => 255 * part) : numbers;
        return { rgb: [r, g, b], alpha: numbers[3] ?? 1 };
    };
    const luminance = (rgb) => {
        const [r, g, b] = rgb.map((part) => (part / 255 <= 0.03928 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const stage = parse(getComputedStyle(document.documentElement).getPropertyValue("--stage").replace(/#(..)(..)(..)/, (_, ...parts) =>
        `rgb(${parts.slice(0, 3).map((part) => parseInt(part, 16)).join(" ")})`)).rgb;
    const behind = (element) => {
        if (element === null || element.tagName === "MAIN") {
            return stage;
        }
        const { rgb, alpha } = parse(getComputedStyle(element).backgroundColor);
        const below = alpha < 1 ? behind(element.parentElement) : rgb;
        return rgb.map((part, k) => alpha * part + (1 - alpha) * below[k]);
    };
    const faults = [];
    for (const element of document.querySelectorAll("body *")) {
        const words = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim() !== "");
        const box = element.getBoundingClientRect();
        if (words.length === 0 || !element.checkVisibility() || box.width <= 1 || element.closest(".sr-only, script, option, dialog") !== null) {
            continue;
        }
        const style = getComputedStyle(element);
        const [text, ground] = [parse(style.color).rgb, behind(element)].map(luminance);
        const contrast = (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05);
        const name = `${element.tagName.toLowerCase()}#${element.id}.${element.className}: ${element.textContent.trim().slice(0, 40)}`;
        if (contrast < 4.5) {
            faults.push(`${name}: contrast ${contrast.toFixed(2)}`);
        }
        // What is described at length ends in dots.
        if (style.textOverflow !== "ellipsis" && element.scrollWidth > element.clientWidth + 1 && style.display !== "inline") {
            faults.push(`${name}: cut off`);
        }
        const scrolls = element.closest("aside, .inspector") !== null;
        if (box.left < -1 || box.right > innerWidth + 1 || (!scrolls && (box.top < -1 || box.bottom > innerHeight + 1))) {
            faults.push(`${name}: outside of the page`);
        }
    }
    return faults;
}

describe("the page", () => {
    it("draws, plays, scrubs and jumps", async () => {
        await visit([file("shapes.toml"), "--speed", "0"], {}, async ({ page }) => {
            await atLeast(page, 300);
            assert.equal(await page.textContent("#scene-name"), "shapes");
            // Something is in the picture: shaded bodies, a grid, shadows.
            const empty = variety(await page.locator("#canvas").screenshot());
            assert.ok(empty.colours > 12, `${empty.colours} colours`);
            assert.ok(empty.busy > 0.1, `${empty.busy} of the picture differs`);
            const renderer = await page.evaluate(() => {
                const gl = document.createElement("canvas").getContext("webgl2");
                return gl?.getParameter(gl.getExtension("WEBGL_debug_renderer_info").UNMASKED_RENDERER_WEBGL);
            });
            assert.match(renderer, /./);

            // Play and pause.
            await until(page, () => document.body.dataset.playing === "true" && Number(document.body.dataset.index) > 3);
            await page.click("#play");
            await until(page, () => document.body.dataset.playing === "false");
            const held = await index(page);
            await page.waitForTimeout(400);
            assert.equal(await index(page), held);
            assert.equal(await page.getAttribute("#play", "aria-label"), "Play");

            // Steps, with buttons and keys.
            await page.click("#forward");
            await until(page, (n) => Number(document.body.dataset.index) === n, held + 1);
            await page.locator("#canvas").focus();
            await page.keyboard.press("ArrowLeft");
            await page.keyboard.press("Shift+ArrowRight");
            await until(page, (n) => Number(document.body.dataset.index) === n, held + 10);
            await page.keyboard.press("Home");
            await until(page, () => document.body.dataset.index === "0");

            // The scrubber.
            const before = await page.locator("#canvas").screenshot();
            await page.locator("#scrub").evaluate((scrub) => {
                scrub.value = "120";
                scrub.dispatchEvent(new Event("input"));
            });
            await until(page, () => document.body.dataset.index === "120");
            await reads(page, "#time", /2\.000 s/);
            let changed = false;
            for (let attempt = 0; attempt < 100 && !changed; attempt++) {
                await page.waitForTimeout(100);
                changed = !before.equals(await page.locator("#canvas").screenshot());
            }
            assert.ok(changed, "the picture does not change");

            // Curves have data; the worst moment is where the largest residual is.
            await until(page, () => Number(document.body.dataset.points) > 250);
            await page.click("#worst");
            await reads(page, "#notice", /Largest residual of exact: .* at step \d+/);
            const worst = Number((await page.textContent("#notice")).match(/step (\d+)/)[1]);
            await until(page, (n) => Number(document.body.dataset.index) === n, worst);
            const labels = await page.locator(".plot canvas").evaluateAll((all) => all.map((c) => c.ariaLabel));
            assert.equal(labels.length, 5);
            assert.match(labels[0], /Residual: exact .*tolerance/);
            assert.match(labels[1], /Overlap and joints: overlap .*, joint gap .* of the bound; bound 1/);
            for (const png of await Promise.all((await page.locator(".plot canvas").all()).map((c) => c.screenshot()))) {
                assert.ok(variety(png).colours >= 3);
            }
        });
    });

    it("shows the numbers of what is clicked, and the keyboard reaches everything", async () => {
        await visit(["heavy_on_light", "--speed", "0"], {}, async ({ page }) => {
            await atLeast(page, 30);
            await page.keyboard.press("End");
            await until(page, () => document.querySelectorAll("#inspector dd.good").length > 0);
            await reads(page, "#inspector", /residual/);
            // The middle of the picture is the stack.
            await page.click("#points");
            await page.click("#forces");
            const { width, height } = await page.locator("#canvas").boundingBox();
            await page.locator("#canvas").click({ position: { x: width / 2, y: height / 2 } });
            await until(page, () => document.body.dataset.selected?.startsWith("body"));
            await reads(page, "#inspector", /mass.*kg/);
            await page.keyboard.press("Escape");
            await until(page, () => document.body.dataset.selected === "");
            await page.keyboard.press("]");
            await until(page, () => document.body.dataset.selected === "body 0");
            await page.keyboard.press("c");
            assert.equal(await page.inputValue("#colouring"), "state");
            await page.keyboard.press("k");
            assert.equal(await page.getAttribute("#cones", "aria-pressed"), "true");
            await page.keyboard.press("?");
            assert.ok(await page.locator("#help").isVisible());
            await page.keyboard.press("Escape");
            assert.ok(!(await page.locator("#help").isVisible()));
            // Everything that can be pressed has a name.
            const nameless = await page.locator("button, select, input").evaluateAll((all) =>
                all.filter((e) => !(e.ariaLabel || e.textContent.trim() || e.closest("label")?.textContent.trim())).map((e) => e.id),
            );
            assert.deepEqual(nameless, []);
        });
    });

    it("reads contacts where they are clicked", async () => {
        await visit(["heavy_on_light", "--speed", "0"], {}, async ({ page }) => {
            await atLeast(page, 30);
            await page.keyboard.press("End");
            await until(page, () => document.querySelectorAll("#inspector dd.good").length > 0);
            const { width, height } = await page.locator("#canvas").boundingBox();
            // Somewhere on a fine raster over the stack there is a contact.
            for (let y = 0.3; y < 0.8; y += 0.02) {
                for (let x = 0.4; x < 0.6; x += 0.02) {
                    await page.locator("#canvas").click({ position: { x: x * width, y: y * height } });
                    if ((await data(page)).selected?.startsWith("contact")) {
                        await until(page, () => document.querySelector("#inspector h2")?.textContent.startsWith("Contact"));
                        await reads(page, "#inspector", /normal force.*N.*of the cone used/);
                        return;
                    }
                }
            }
            assert.fail("no contact was hit");
        });
    });

    it("chooses scenes and methods, side by side, when it may", async () => {
        await visit(["heavy_on_light", "--control", "--speed", "0"], {}, async ({ page }) => {
            await atLeast(page, 5);
            assert.ok(await page.locator("#setup").isVisible());
            await page.selectOption("#scene-choice", "seesaw");
            await until(page, () => document.title.startsWith("seesaw"));
            await page.selectOption("#method-b", "pgs");
            await until(page, () => document.querySelectorAll(".lane").length === 2);
            await page.fill("#iterations-b", "3");
            await page.locator("#iterations-b").press("Tab");
            await until(page, () => document.querySelectorAll(".lane small").length === 1);
            await atLeast(page, 5);
            await page.keyboard.press("End");
            await until(page, () => [...document.querySelectorAll(".badge")].every((b) => /m\/s/.test(b.textContent)));
            const epoch = await page.textContent(".lane .method");
            assert.match(epoch, /exact/);
            // Held, stepped once, and started again.
            await page.click("#sim-reset");
            await atLeast(page, 5);
        });
    });

    it("lists the parts of the certificate and marks those missed", async () => {
        await visit(["heavy_on_light", "--speed", "0"], {}, async ({ page }) => {
            await atLeast(page, 30);
            await page.keyboard.press("End");
            for (const part of ["velocity", "overlap", "joint gap", "energy rise", "momentum", "cut short"]) {
                await reads(page, "#inspector dl", new RegExp(`${part}.* of `));
            }
            assert.equal(await page.locator("#inspector dd.bad").count(), 0);
        });
        await visit([file("torn.toml"), "--speed", "0"], {}, async ({ page }) => {
            await atLeast(page, 20);
            await page.keyboard.press("End");
            await reads(page, ".badge", /degraded · .*joint gap/);
            await reads(page, "#inspector dl", /joint gap, missed.*m, rod and the world/);
            assert.ok((await page.locator("#inspector dd.bad").count()) >= 2);
        });
    });

    it("says that an old recording does not tell the parts", async () => {
        await visit([file("../../crates/record/tests/data/format_1.mcap")], {}, async ({ page }) => {
            await atLeast(page, 2);
            await page.keyboard.press("End");
            await reads(page, "#inspector dl", /certificate.*not told by this recording/);
        });
    });

    it("plays a recording", async () => {
        const folder = mkdtempSync(join(tmpdir(), "signorini-"));
        const recording = join(folder, "seesaw.mcap");
        try {
            execFileSync(process.env.SIGNORINI, ["run", "seesaw", "--steps", "60", "--record", recording, "--contacts"]);
            await visit([recording], {}, async ({ page }) => {
                await atLeast(page, 60);
                await until(page, () => Number(document.body.dataset.points) >= 55);
                await reads(page, "#phase", /^recording$/);
                assert.equal((await data(page)).control, "false");
                await page.keyboard.press("End");
                await until(page, () => document.body.dataset.index === "60");
                await until(page, () => /certified/.test(document.querySelector(".badge").textContent));
                await reads(page, ".lane .note", /contact/);
                await page.keyboard.press("Home");
                await page.keyboard.press("Space");
                await until(page, () => Number(document.body.dataset.index) > 3);
            });
        } finally {
            rmSync(folder, { recursive: true });
        }
    });

    it("tells by colour who sleeps in a recording", async () => {
        const folder = mkdtempSync(join(tmpdir(), "signorini-"));
        const recording = join(folder, "sleepers.mcap");
        try {
            execFileSync(process.env.SIGNORINI, ["run", file("sleepers.toml"), "--record", recording]);
            await visit([recording], {}, async ({ page }) => {
                await atLeast(page, 200);
                await page.selectOption("#colouring", "motion");
                await page.locator("#canvas").focus();
                await page.keyboard.press("End");
                await until(page, () => document.body.dataset.index === "200");
                const { width, height } = await page.locator("#canvas").boundingBox();
                // Where on a raster each cube is hit. Bodies are in the order of their names, the floor first.
                const places = { "body 1": [], "body 2": [] };
                for (let y = 0.3; y < 0.8; y += 0.04) {
                    for (let x = 0.1; x < 0.9; x += 0.04) {
                        const position = { x: Math.round(x * width), y: Math.round(y * height) };
                        await page.locator("#canvas").click({ position });
                        places[(await data(page)).selected]?.push(position);
                    }
                }
                const middle = (list) => list[Math.floor(list.length / 2)];
                const [sleeper, slider] = [middle(places["body 1"]), middle(places["body 2"])];
                await page.locator("#canvas").click({ position: slider });
                await reads(page, "#inspector", /^slider *dynamic(?!, asleep)/);
                await page.locator("#canvas").click({ position: sleeper });
                await reads(page, "#inspector", /^sleeper *dynamic, asleep/);
                await page.keyboard.press("Escape");
                await until(page, () => document.body.dataset.selected === "");
                await reads(page, "#inspector", /^Step 200/);
                const colourAt = (png, { x, y }) => {
                    const { width, channels, data } = pixels(png);
                    return [0, 1, 2].map((k) => data[(y * width + x) * channels + k]);
                };
                const asleep = await page.locator("#canvas").screenshot();
                const sleeping = colourAt(asleep, sleeper);
                const [red, , blue] = colourAt(asleep, slider);
                assert.ok(sleeping[2] > sleeping[0], `who sleeps is bluish: ${sleeping}`);
                assert.ok(red > blue + 40, `who moves is orange: ${red}, ${blue}`);
                // Before it slept the same cube, lit the same way, was lighter.
                await page.keyboard.press("Home");
                await until(page, () => document.body.dataset.index === "0");
                let awake = sleeping;
                for (let attempt = 0; attempt < 100 && Math.max(...awake) < 1.2 * Math.max(...sleeping); attempt++) {
                    await page.waitForTimeout(100);
                    awake = colourAt(await page.locator("#canvas").screenshot(), sleeper);
                }
                assert.ok(Math.max(...awake) >= 1.2 * Math.max(...sleeping), `asleep ${sleeping}, awake ${awake}`);
            });
        } finally {
            rmSync(folder, { recursive: true });
        }
    });

    it("pulls a body with the pointer, and goes along with it", async () => {
        await visit([file("pull.toml"), "--control"], {}, async ({ page }) => {
            await atLeast(page, 5);
            const { x, y, width, height } = await page.locator("#canvas").boundingBox();
            const [cx, cy] = [x + width / 2, y + height / 2];
            await page.mouse.click(cx, cy);
            await until(page, () => document.body.dataset.selected.startsWith("body"));
            await page.click("#follow");
            assert.equal(await page.getAttribute("#follow", "aria-pressed"), "true");
            await page.mouse.move(cx, cy);
            await page.mouse.down();
            await page.mouse.move(cx, cy - 120, { steps: 6 });
            await untilNow(page, () => document.body.dataset.pulled !== "");
            // The cube is lifted: on the floor its middle is half a metre up.
            await untilNow(page, (least) => {
                const terms = [...document.querySelectorAll("#inspector dt")];
                const place = terms.find((term) => term.textContent === "position [m]")?.nextElementSibling;
                return parseFloat(place?.textContent.split(",")[2]) > least;
            }, 0.52);
            await page.mouse.up();
            await untilNow(page, () => document.body.dataset.pulled === "");
        });
    });

    it("keeps the camera above the floor, as far from the scene as before", async () => {
        await visit(["card_house"], {}, async ({ page }) => {
            await atLeast(page, 1);
            const eye = async () => (await data(page)).eye.split(" ").map(Number);
            const [high, distance] = await eye();
            assert.ok(high > 0.1 * distance, `${high} of ${distance} m up`);
            const { x, y, width, height } = await page.locator("#canvas").boundingBox();
            // As far up as there is room: the camera would end below the scene. A page that is slow to draw may place its camera
            // after the pointer has moved.
            let [low, after] = [high, distance];
            for (let tries = 0; tries < 20 && low >= 0.1 * high; tries += 1) {
                await page.mouse.move(x + width / 2, y + height - 20);
                await page.mouse.down();
                await page.mouse.move(x + width / 2, y + 20, { steps: 8 });
                await page.mouse.up();
                await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
                [low, after] = await eye();
            }
            assert.ok(low > 0 && low < 0.1 * high, `${low} m above the floor, ${high} m before`);
            assert.ok(Math.abs(after / distance - 1) < 0.01, `${distance} m away, then ${after} m`);
        });
    });

    it("keeps the budget of its slider when the simulation starts again", async () => {
        await visit([file("pull.toml"), "--control"], {}, async ({ page }) => {
            await atLeast(page, 2);
            assert.equal(await page.inputValue("#budget"), "6");
            await page.locator("#budget").fill("3");
            await reads(page, "#budget-value", /12 real-time/);
            // The next run tells its budget, which the server has from the slider.
            await page.evaluate(() => (document.getElementById("budget").value = "0"));
            await page.click("#sim-reset");
            await until(page, () => document.getElementById("budget").value === "3");
        });
    });

    it("shows sensors, motors and axes", async () => {
        await visit([file("marked.toml")], {}, async ({ page }) => {
            await atLeast(page, 1);
            await reads(page, "#key", /sensor.*motor/);
            // How much of the picture is drawn in a colour of a line, which nothing shades.
            const drawn = async (colour) => {
                const { channels, data } = pixels(await page.locator("#canvas").screenshot());
                const wanted = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
                let count = 0;
                for (let at = 0; at < data.length; at += channels) {
                    count += wanted.every((part, k) => Math.abs(data[at + k] - part) < 24);
                }
                return count;
            };
            const axes = ["#c22f3d", "#16855f", "#1f6fb2"];
            assert.ok((await drawn("#7a3fb0")) > 10, "the motor");
            const without = [];
            for (const colour of axes) {
                without.push(await drawn(colour));
            }
            await page.locator("#canvas").focus();
            await page.keyboard.press("a");
            await reads(page, "#key", /xyz$/);
            for (const [axis, colour] of axes.entries()) {
                let more = 0;
                for (let attempt = 0; attempt < 100 && more < 10; attempt++) {
                    await page.waitForTimeout(100);
                    more = (await drawn(colour)) - without[axis];
                }
                assert.ok(more >= 10, `${colour}: ${more} pixels`);
            }
            // Bodies are in the order of their names: arm, block, gate. What is in a sensor is hit through it.
            await page.keyboard.press("[");
            await until(page, () => document.body.dataset.selected === "body 2");
            await reads(page, "#inspector", /^gatesensor, fixed/);
            await page.click("#points");
            await page.click("#forces");
            const { width, height } = await page.locator("#canvas").boundingBox();
            const hits = new Set();
            for (let x = 0.2; x < 0.8; x += 0.05) {
                await page.locator("#canvas").click({ position: { x: x * width, y: height / 2 } });
                hits.add((await data(page)).selected);
            }
            assert.ok(hits.has("body 1") && hits.has("body 2"), [...hits].join());
        });
    });

    it("is looked at first from where no wall hides what moves", async () => {
        // Crates in a bin: walls of it stand before them, and are seen and clicked through.
        /** Whether a selected body is one that moves; the panel follows with the next picture. */
        const moves = async (page, selected) => {
            await until(page, (name) => document.body.dataset.selected === name, selected);
            await reads(page, "#inspector", /orientation/);
            return /dynamic/.test(await page.textContent("#inspector"));
        };
        await visit(["crates"], {}, async ({ page }) => {
            await atLeast(page, 1);
            const { width, height } = await page.locator("#canvas").boundingBox();
            await page.click("#points");
            await page.click("#forces");
            const hits = new Set();
            for (let y = 0.3; y < 0.8 && hits.size < 4; y += 0.05) {
                for (let x = 0.3; x < 0.75 && hits.size < 4; x += 0.05) {
                    await page.locator("#canvas").click({ position: { x: x * width, y: y * height } });
                    const { selected } = await data(page);
                    if (selected !== "" && (await moves(page, selected))) {
                        hits.add(selected);
                    }
                }
            }
            assert.equal(hits.size, 4, `${[...hits].join()} of the bodies that move`);
        });
    });

    it("is read by everybody: contrast and room for all words", async () => {
        for (const theme of ["light", "dark"]) {
            await visit(["heavy_on_light", "--control", "--compare", "pgs", "--speed", "0"], { theme }, async ({ page }) => {
                await atLeast(page, 30);
                await until(page, () => document.querySelectorAll("#inspector dd").length > 5);
                const faults = await page.evaluate(faultsOfText);
                assert.deepEqual(faults, [], theme);
            });
        }
    });

    it("says that contacts were not recorded, and films what was", async () => {
        const folder = mkdtempSync(join(tmpdir(), "signorini-"));
        const recording = join(folder, "stack.mcap");
        try {
            execFileSync(process.env.SIGNORINI, ["run", "stack", "--steps", "30", "--record", recording]);
            await visit([recording], {}, async ({ page }) => {
                await atLeast(page, 30);
                await page.keyboard.press("End");
                await reads(page, ".lane .note", /contacts, not recorded/);
                await page.click("#film");
                await until(page, () => Number(document.body.dataset.film) > 0);
            });
        } finally {
            rmSync(folder, { recursive: true });
        }
    });

    it("is read-only otherwise", async () => {
        await visit(["heavy_on_light"], {}, async ({ page }) => {
            await atLeast(page, 2);
            assert.ok(!(await page.locator("#setup").isVisible()));
            assert.ok(!(await page.locator("#simulation").isVisible()));
        });
    });

    it("shows names as text", async () => {
        await visit([file("names.toml"), "--speed", "0"], {}, async ({ page }) => {
            await atLeast(page, 20);
            await page.keyboard.press("]");
            await until(page, () => document.querySelector("#inspector h2")?.textContent.includes("onerror"));
            assert.match(await page.textContent("#scene-name"), /<img src=x/);
            assert.match(await page.textContent("#scene-description"), /<script>/);
            assert.equal(await page.evaluate(() => window.broken), undefined);
            assert.equal(await page.locator("main img, aside img, header h1 img").count(), 0);
        });
    });

    it("fits a phone, in the dark", async () => {
        const phone = { width: 390, height: 844, theme: "dark", scale: 2, touch: true };
        await visit(["heavy_on_light", "--speed", "0"], phone, async ({ page }) => {
            await atLeast(page, 30);
            assert.equal(await page.getAttribute("html", "data-theme"), "dark");
            const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
            assert.ok(overflow <= 0, `${overflow} px too wide`);
            const { height } = await page.locator("#canvas").boundingBox();
            assert.ok(height > 250, `the picture is ${height} px high`);
            await page.tap("#theme");
            assert.equal(await page.getAttribute("html", "data-theme"), "light");
        });
    });
});

describe("another site", () => {
    it("gets nothing, even with the token", async () => {
        const server = await serve("heavy_on_light", "--control");
        const site = createServer((_, response) => {
            response.setHeader("content-type", "text/html");
            response.end("<!doctype html><title>evil</title>");
        });
        await new Promise((resolve) => site.listen(0, "127.0.0.1", resolve));
        try {
            const context = await browser.newContext();
            const page = await context.newPage();
            await page.goto(`http://127.0.0.1:${site.address().port}/`);
            const target = new URL(server.address);
            const seen = await page.evaluate(async ({ host, token }) => {
                const socket = await new Promise((resolve) => {
                    const ws = new WebSocket(`ws://${host}/live`);
                    ws.onopen = () => {
                        ws.send(JSON.stringify({ type: "hello", token, version: 1 }));
                        resolve("open");
                    };
                    ws.onerror = () => resolve("refused");
                });
                const read = await fetch(`http://${host}/`).then(
                    () => "read",
                    () => "refused",
                );
                const post = await fetch(`http://${host}/live`, { method: "POST", body: "{}" }).then(
                    () => "posted",
                    () => "refused",
                );
                const frame = document.createElement("iframe");
                frame.src = `http://${host}/`;
                document.body.append(frame);
                await new Promise((resolve) => (frame.onload = resolve));
                let framed = "refused";
                try {
                    framed = frame.contentDocument === null ? "refused" : frame.contentDocument.title;
                } catch {
                    framed = "refused";
                }
                return { socket, read, post, framed };
            }, { host: target.host, token: target.hash.replace("#token=", "") });
            assert.deepEqual(seen, { socket: "refused", read: "refused", post: "refused", framed: "refused" });
            await context.close();
        } finally {
            site.close();
            server.stop();
        }
    });
});
