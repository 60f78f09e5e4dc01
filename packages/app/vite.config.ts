import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [react()],
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
