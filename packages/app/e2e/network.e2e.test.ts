/** What a server's network refused before a person opened the page, and the button that allows it, on real engines. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "@playwright/test";
import { describeEngines, runThv, ThrowawayHome } from "@toolhive/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { t } from "../src/words/messages.ts";
import { launchBrowser, listViolations, printAddress } from "./open-app.ts";

/** Base images cannot be pulled here; this one holds what the sidecar's image is built from. */
const env = { TOOLHIVE_SIDECAR_BASE_IMAGE: "docker.io/toolhive-test/sidecar-base:test" };
/** An address of documentation: nobody is there. */
const TARGET = "192.0.2.7";
const KNOCK = `fetch("http://${TARGET}:80").catch(() => undefined)`;

describeEngines("the network of a server on $kind", { isOneEnough: true }, (engine) => {
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

  test("shows what was refused before the page was opened, and allows it", async () => {
    const profile = join(home.workDirectory, "profile.json");
    await writeFile(profile, '{"network":{"outbound":{"allow_host":["a.test"]}}}');
    const flags = ["--isolate-network", "--permission-profile", profile];
    const run = await runThv(["run", "--name", "fenced", ...flags, "toolhive-test/echo:test"], { home, engine, env });
    expect(run.code, run.stderr).toBe(0);
    await engine.cli(["exec", "fenced", "node", "-e", KNOCK]);

    const served = await printAddress(home, engine);
    const page = await browser.newPage({ reducedMotion: "reduce" });
    await page.goto(served.url);
    await page.getByRole("link", { name: "fenced" }).click();
    await page.getByRole("link", { name: t("server.network") }).click();
    const allow = t("network.allow", { target: `${TARGET}:80` });
    await page.getByRole("button", { name: allow }).waitFor();
    expect(await listViolations(page)).toEqual([]);

    await page.getByRole("button", { name: allow }).click();
    await page.getByRole("dialog").getByRole("button", { name: allow }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByText(t("network.deniedNone")).waitFor();
    const { stdout } = await runThv(["export", "fenced"], { home, engine });
    expect(JSON.parse(stdout)).toMatchObject({
      permission_profile: { network: { outbound: { allow_host: ["a.test", TARGET] } } },
    });
  });
});
