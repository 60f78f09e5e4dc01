/** A browser with the application of a home of its own, as somebody opens it with `thv ui`. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, chromium, type Page } from "@playwright/test";
import { runThv, type TestEngine, type ThrowawayHome } from "@toolhive/testing";
import { CHROMIUM_FLAGS, CHROMIUM_WITHOUT_WINDOWS } from "@toolhive/testing/chromium";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export interface LaunchOptions {
  /** Further ones of Chromium. */
  readonly flags?: readonly string[];
  /** Default: Chromium without its windows. */
  readonly executablePath?: string;
}

export async function launchBrowser(options: LaunchOptions = {}): Promise<Browser> {
  const { flags = [], executablePath = CHROMIUM_WITHOUT_WINDOWS } = options;
  return await chromium.launch({ executablePath, args: [...CHROMIUM_FLAGS, ...flags] });
}

/** @param port Default: the usual one. @returns Its address, and the one that signs a browser in. */
export async function printAddress(
  home: ThrowawayHome,
  engine?: TestEngine,
  port?: number,
): Promise<{ readonly address: string; readonly url: string }> {
  // Tests of other files may have the usual port.
  const flags = port === undefined ? [] : ["--port", String(port)];
  const { code, stdout, stderr } = await runThv(["ui", "--no-browser", "--format", "json", ...flags], {
    home,
    ...(engine && { engine }),
  });
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

/** @returns What axe finds, as `rule: element`. */
export async function listViolations(page: Page): Promise<string[]> {
  // The page's own policy lets no script of a test in.
  await page.evaluate(AXE);
  return await page.evaluate(async () => {
    interface Axe {
      run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
    }
    const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run({
      resultTypes: ["violations"],
    });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
  });
}
