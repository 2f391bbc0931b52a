import { defineConfig } from "vite";

export default defineConfig({
    base: "./",
    build: {
        target: "es2022",
        // The policy of the server allows scripts from files only: nothing may be inlined.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        // three.js is most of it, comes from this machine, and is needed at once.
        chunkSizeWarningLimit: 1000,
    },
});
