import { defineConfig } from "vite";

/** Shown only where the script of the page does not run: browsers load no modules from files. */
const AS_A_FILE = "Opened as a file, this page cannot load its engine. Serve its folder, for example with python3 -m http.server.";

// `--mode site`: a page that simulates for itself, without a server.
export default defineConfig(({ mode }) => ({
    base: "./",
    plugins: [
        {
            name: "hint",
            transformIndexHtml: (html: string) =>
                mode === "site" ? html.replace('<p id="scene-description">', `<p id="scene-description" class="late">${AS_A_FILE}`) : html,
        },
    ],
    resolve: {
        alias: { "#link": mode === "site" ? "/src/local.ts" : "/src/connection.ts" },
    },
    worker: { format: "es" },
    build: {
        outDir: mode === "site" ? "site" : "dist",
        target: "es2022",
        // The policy of the server allows scripts from files only: nothing may be inlined.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        // three.js is most of it, comes from this machine, and is needed at once.
        chunkSizeWarningLimit: 1000,
    },
}));
