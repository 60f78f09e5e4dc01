/**
 * Browser tests against the real built server on a port of the system's choice, in the system's Chromium.
 * Run `npm run build -w @toolhive/website` first.
 */
import path from "node:path";
import { defineConfig } from "@playwright/test";
import { CHROMIUM_FLAGS, CHROMIUM_WITHOUT_WINDOWS } from "@toolhive/testing/chromium";

export default defineConfig({
  testDir: path.join(__dirname, "e2e"),
  testMatch: "**/*.e2e.ts",
  outputDir: path.join(__dirname, "test-results"),
  // One picture for every system: the fonts are the site's own.
  snapshotPathTemplate: "{testDir}/{testFileName}-snapshots/{arg}{ext}",
  fullyParallel: true,
  // All cores, as in vitest.config.ts.
  workers: "100%",
  forbidOnly: process.env.CI === "true",
  // Far more than any needs: in `npm test` containers run beside them, and a page of five thousand elements is laid out slowly then.
  timeout: 180_000,
  expect: { timeout: 60_000 },
  use: {
    browserName: "chromium",
    viewport: { width: 1280, height: 900 },
    contextOptions: { reducedMotion: "reduce" },
    launchOptions: {
      executablePath: CHROMIUM_WITHOUT_WINDOWS,
      args: [
        ...CHROMIUM_FLAGS,
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
  webServer: {
    command: "node dist/server.mjs",
    cwd: __dirname,
    env: { PORT: "0", HOST: "127.0.0.1", ACCESS_LOG: "off", SEARCH_EVENTS_FILE: "off" },
    wait: { stdout: /Site: http:\/\/127\.0\.0\.1:(?<toolhive_site_port>\d+)/ },
    gracefulShutdown: { signal: "SIGTERM", timeout: 10_000 },
  },
});
