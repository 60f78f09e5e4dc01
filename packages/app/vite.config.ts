import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** A page that is drawn before its fonts arrive would show others first. */
const preloadFonts: Plugin = {
  name: "preload-fonts",
  transformIndexHtml: {
    order: "post",
    handler: (_html, { bundle = {} }) =>
      Object.keys(bundle)
        .filter((file) => file.endsWith(".woff2"))
        .map((file) => ({
          tag: "link",
          attrs: { rel: "preload", as: "font", type: "font/woff2", crossorigin: true, href: `/${file}` },
          injectTo: "head",
        })),
  },
};

export default defineConfig({
  plugins: [react(), preloadFonts],
  base: "/",
  build: {
    outDir: "dist/site",
    target: "es2022",
    sourcemap: false,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // What every screen needs is one file: on a slow line each file more costs more than its bytes.
        codeSplitting: {
          groups: [
            {
              name: "shared",
              test: /[\\/](?:react|react-dom|scheduler|react-router|router-core|history|react-store|store|react-query|query-core)[\\/]|[\\/]packages[\\/]app[\\/]src[\\/](?:api|parts|store|words|styles)[\\/]/,
            },
          ],
        },
      },
    },
  },
});
