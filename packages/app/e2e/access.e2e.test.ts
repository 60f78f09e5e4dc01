/** Who called a server and whether policies allowed it, and the trial of a call, on real engines. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "@playwright/test";
import { describeEngines, runThv, ThrowawayHome } from "@toolhive/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { t } from "../src/words/messages.ts";
import { launchBrowser, listViolations, printAddress } from "./open-app.ts";

const POLICIES = {
  version: "1.0",
  type: "cedarv1",
  cedar: {
    policies: [
      'permit(principal, action == Action::"call_tool", resource == Tool::"say");',
      'forbid(principal == Client::"mallory", action, resource);',
    ],
  },
};

describeEngines("access to a server on $kind", { isOneEnough: true }, (engine) => {
  let browser: Browser;
  let home: ThrowawayHome;
  beforeAll(async () => {
    browser = await launchBrowser();
    home = await ThrowawayHome.create();
  });
  afterAll(async () => {
    await browser.close();
    await home[Symbol.asyncDispose]();
  });

  test("shows the last calls with their decisions, and asks the policies about others", async () => {
    const file = join(home.workDirectory, "policies.json");
    await writeFile(file, JSON.stringify(POLICIES));
    const flags = ["--name", "guarded", "--authz-config", file];
    const run = await runThv(["run", ...flags, "toolhive-test/echo:test"], { home, engine });
    expect(run.code, run.stderr).toBe(0);
    const mcp = async (tool: string) =>
      (await runThv(["mcp", "call", "guarded", tool, "--arguments", '{"text":"hello"}'], { home, engine })).code;
    expect([await mcp("say"), await mcp("echo")]).toEqual([0, 23]);

    const served = await printAddress(home, engine);
    const page = await browser.newPage({ reducedMotion: "reduce" });
    await page.goto(served.url);
    await page.getByRole("link", { name: "guarded" }).click();
    await page.getByRole("link", { name: t("server.access") }).click();
    const row = (call: string) => page.getByRole("row").filter({ hasText: call });
    await row("tools/call echo").getByText(t("decisions.outcome.denied")).waitFor();
    await row("tools/call say").getByText(t("decisions.outcome.success")).waitFor();

    const ask = async (subject: string, tool: string) => {
      await page.getByLabel(t("decisions.subject"), { exact: true }).fill(subject);
      await page.getByLabel(t("decisions.target")).fill(tool);
      await page.getByRole("button", { name: t("decisions.ask"), exact: true }).click();
    };
    await ask("ada", "say");
    await page.getByText(t("decisions.allowedBy", { policy: "1" })).waitFor();
    await ask("mallory", "say");
    await page.getByText(t("decisions.deniedBy", { policy: "2" })).waitFor();
    await ask("ada", "echo");
    await page.getByText(t("decisions.noPolicy")).waitFor();

    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      for (const width of [360, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await listViolations(page)).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
      }
    }
    if (process.env.LOOK !== undefined) await page.screenshot({ path: process.env.LOOK, fullPage: true });
  });
});
