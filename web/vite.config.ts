// vite.config.ts — how the page is built: one entry, hashed names, nothing inlined that the CSP would refuse.
import { defineConfig } from "vite";

const server = process.env.BELAY_SERVER ?? "http://127.0.0.1:8080";

export default defineConfig({
  esbuild: { jsx: "automatic", legalComments: "none" },
  build: {
    target: "es2022",
    modulePreload: { polyfill: false },
    cssCodeSplit: false, // one small file with the first load: no view can come without its looks
    assetsInlineLimit: 0, // fonts and pictures as files: cached for ever under their hash
    sourcemap: false,
    reportCompressedSize: false,
  },
  // `npm run dev` against a running `belay serve`.
  server: {
    proxy: {
      "/api": { target: server, ws: true, changeOrigin: true },
      "/ingest": { target: server, changeOrigin: true },
      "/openapi.json": { target: server, changeOrigin: true },
      "/healthz": { target: server, changeOrigin: true },
    },
  },
});
