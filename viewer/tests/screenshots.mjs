// Pictures for the README: small WebP files, made by the browser itself.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { atLeast, launch, open, serve } from "./browser.mjs";

const QUALITY = 0.82;

/** A PNG as WebP. */
async function webp(browser, png) {
    const page = await browser.newPage();
    const text = await page.evaluate(
        async ({ data, quality }) => {
            const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
            const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
            const canvas = new OffscreenCanvas(image.width, image.height);
            canvas.getContext("2d").drawImage(image, 0, 0);
            const blob = await canvas.convertToBlob({ type: "image/webp", quality });
            const made = new Uint8Array(await blob.arrayBuffer());
            return btoa(Array.from(made, (b) => String.fromCharCode(b)).join(""));
        },
        { data: png.toString("base64"), quality: QUALITY },
    );
    await page.close();
    return Buffer.from(text, "base64");
}

/** Waits for all frames up to a moment, goes there, and lets the picture settle. */
async function settle(page, moment) {
    await atLeast(page, moment);
    await page.waitForFunction((n) => Number(document.body.dataset.points) >= n, moment - 5, { timeout: 120_000 });
    await page.locator("#scrub").evaluate((scrub, at) => {
        scrub.value = String(at);
        scrub.dispatchEvent(new Event("input"));
    }, moment);
    await page.waitForFunction((n) => Number(document.body.dataset.index) === n, moment);
    await page.waitForTimeout(1500);
}

const PICTURES = [
    {
        name: "viewer",
        args: ["demo", "--speed", "0"],
        options: { width: 1280, height: 800 },
        show: async (page) => settle(page, 100),
    },
    {
        name: "viewer-side-by-side",
        args: ["heavy_on_light", "--speed", "0", "--compare", "pgs", "--compare-iterations", "20"],
        options: { width: 1280, height: 720, theme: "dark" },
        show: async (page) => settle(page, 60),
    },
    {
        name: "viewer-phone",
        args: ["arch", "--speed", "0"],
        options: { width: 390, height: 780, scale: 2, touch: true },
        show: async (page) => {
            await page.click("#cones");
            await settle(page, 60);
        },
    },
];

const folder = process.argv[2] ?? ".";
const browser = await launch();
try {
    for (const { name, args, options, show } of PICTURES.filter((p) => !process.argv[3] || p.name === process.argv[3])) {
        const server = await serve(...args);
        try {
            const { page } = await open(browser, server.address, options);
            await show(page);
            await writeFile(join(folder, `${name}.webp`), await webp(browser, await page.screenshot()));
            await page.context().close();
        } finally {
            server.stop();
        }
    }
} finally {
    await browser.close();
}
