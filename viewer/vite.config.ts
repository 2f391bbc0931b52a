import { defineConfig } from "vite";

// `--mode site`: a page that simulates for itself, without a server.
export default defineConfig(({ mode }) => ({
    base: "./",
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
