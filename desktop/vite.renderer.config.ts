import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Where `npm run dev` finds the collector; its answers come through the page's own origin. */
const COLLECTOR = "http://127.0.0.1:8080";

export default defineConfig({
  root: fileURLToPath(new URL("./src/renderer", import.meta.url)),
  plugins: [react()],
  build: {
    outDir: "../../dist/renderer",
    emptyOutDir: true,
    // Fonts and icons are files of their own: the page's policy allows no data URLs for fonts.
    assetsInlineLimit: 0,
    target: "es2023",
    sourcemap: false,
    // The bar is 250 kB compressed before the first page is shown, and a test holds it; this is the same unpacked.
    chunkSizeWarningLimit: 750,
    // What the pages are made of asks to be named where it is given on.
    license: { fileName: "licenses.md" },
  },
  server: {
    host: "127.0.0.1",
    port: 5173,
    proxy: { "/v1": COLLECTOR, "/metrics": COLLECTOR, "/openapi.json": COLLECTOR },
  },
});
