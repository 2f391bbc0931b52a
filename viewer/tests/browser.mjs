// A server and a headless browser for the tests and the screenshots. Needs the `signorini` command (SIGNORINI) and a
// Chromium (CHROMIUM); scripts/test-viewer finds both.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { inflateSync } from "node:zlib";
import { chromium } from "playwright-core";

/** What is waited for comes within this, or never does [ms]: other programs may have the processor meanwhile. */
const PATIENCE = Number(process.env.PATIENCE ?? 300) * 1000;

const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** `signorini view` on a free port: its address, and how to end it. */
export async function serve(...args) {
    const program = process.env.SIGNORINI;
    if (!program) {
        throw new Error("SIGNORINI must name the command to test");
    }
    const child = spawn(program, ["view", "--port", "0", ...args], { stdio: ["ignore", "pipe", "inherit"] });
    for await (const line of createInterface({ input: child.stdout })) {
        const address = line.match(/http:\/\/\S+/)?.[0];
        if (address !== undefined) {
            return { address, stop: () => child.kill() };
        }
    }
    throw new Error("the server did not start");
}

/** A browser that draws in software. */
export async function launch() {
    const executablePath = process.env.CHROMIUM ?? BROWSERS.find((path) => existsSync(path));
    if (executablePath === undefined) {
        throw new Error("no Chromium found; set CHROMIUM to its path");
    }
    return chromium.launch({
        executablePath,
        timeout: PATIENCE,
        args: ["--no-sandbox", "--enable-unsafe-swiftshader", "--use-angle=swiftshader", "--ignore-gpu-blocklist"],
    });
}

/** A page of the server, with everything it complained about. */
export async function open(browser, address, options = {}) {
    const { width = 1280, height = 800, theme = "light", scale = 1, touch = false } = options;
    const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: theme,
        deviceScaleFactor: scale,
        hasTouch: touch,
        reducedMotion: "reduce",
    });
    context.setDefaultTimeout(PATIENCE);
    const page = await context.newPage();
    const complaints = [];
    const requests = [];
    page.on("console", (message) => {
        if (message.type() === "error" || message.type() === "warning") {
            complaints.push(message.text());
        }
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("request", (request) => requests.push(request.url()));
    await page.goto(address);
    return { page, complaints, requests };
}

/** Waits until something on the page is so. */
export const until = (page, condition, argument) => page.waitForFunction(condition, argument, { timeout: PATIENCE });

/** Waits until the page has been told of at least this many moments. */
export const atLeast = (page, last) => until(page, (n) => Number(document.body.dataset.last) >= n, last);

/** Waits until something is so in the newest moment: where the page draws slowly, the one that is shown falls behind. */
export async function untilNow(page, condition, argument) {
    const started = Date.now();
    do {
        await page.keyboard.press("End");
        // Two pictures: one that begins after the key, and one after it was drawn.
        await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
        if (await page.evaluate(condition, argument)) {
            return;
        }
    } while (Date.now() - started < PATIENCE);
    throw new Error(`never so: ${condition}`);
}

/** Pixels of a PNG of eight bits per channel: width, height, and bytes of red, green, blue (and alpha). */
export function pixels(png) {
    let at = 8;
    let header;
    const parts = [];
    while (at < png.length) {
        const length = png.readUInt32BE(at);
        const kind = png.toString("latin1", at + 4, at + 8);
        const data = png.subarray(at + 8, at + 8 + length);
        if (kind === "IHDR") {
            header = { width: data.readUInt32BE(0), height: data.readUInt32BE(4), channels: data[9] === 6 ? 4 : 3 };
        } else if (kind === "IDAT") {
            parts.push(data);
        }
        at += 12 + length;
    }
    const { width, height, channels } = header;
    const raw = inflateSync(Buffer.concat(parts));
    const stride = width * channels;
    const out = Buffer.alloc(stride * height);
    for (let y = 0; y < height; y++) {
        const filter = raw[y * (stride + 1)];
        for (let x = 0; x < stride; x++) {
            const left = x >= channels ? out[y * stride + x - channels] : 0;
            const up = y > 0 ? out[(y - 1) * stride + x] : 0;
            const corner = x >= channels && y > 0 ? out[(y - 1) * stride + x - channels] : 0;
            const guess = left + up - corner;
            const [dl, du, dc] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
            const paeth = dl <= du && dl <= dc ? left : du <= dc ? up : corner;
            const add = [0, left, up, (left + up) >> 1, paeth][filter];
            out[y * stride + x] = raw[y * (stride + 1) + 1 + x] + add;
        }
    }
    return { width, height, channels, data: out };
}
