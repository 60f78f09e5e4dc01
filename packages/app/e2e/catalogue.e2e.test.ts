/** The catalogue in a real browser: several sources, a need in words, and the way from an entry to the form. */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "@playwright/test";
import { runThv, ThrowawayHome } from "@toolhive/testing";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { t } from "../src/words/messages.ts";
import { launchBrowser, listViolations, printAddress } from "./open-app.ts";

let browser: Browser;
let home: ThrowawayHome;
let context: BrowserContext;
let page: Page;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(async () => await browser.close());
beforeEach(async () => {
  home = await ThrowawayHome.create();
  context = await browser.newContext({ reducedMotion: "reduce" });
  page = await context.newPage();
});
afterEach(async () => {
  await context.close();
  await home[Symbol.asyncDispose]();
});

const card = (name: string) =>
  page.getByRole("listitem").filter({ has: page.getByRole("link", { name, exact: true }) });

async function addSource(name: string): Promise<void> {
  const packages = [{ registryType: "npm", identifier: "@acme/time", version: "2.0.0", transport: { type: "stdio" } }];
  const server = { name: "io.github.acme/time", description: "Another server that tells the time.", version: "2.0.0" };
  const remotes = [{ type: "streamable-http", url: "https://mcp.example.com/mcp" }];
  const calendar = { ...server, name: "com.example/calendar", description: "Looks after the meetings of a team." };
  const file = join(home.workDirectory, `${name}.json`);
  await writeFile(
    file,
    JSON.stringify([
      { ...server, packages },
      { ...calendar, remotes },
    ]),
  );
  expect(await runThv(["registry", "source", "add", name, file], { home })).toMatchObject({ code: 0 });
}

test("shows the servers of several sources, finds them by need, and goes on when a source is gone", async () => {
  await addSource("team");
  await addSource("gone");
  await rm(join(home.workDirectory, "gone.json"));
  await page.goto((await printAddress(home)).url);
  await page.getByRole("link", { name: t("place.registry"), exact: true }).click();

  await page.getByText(/bundled, July 2025/).waitFor();
  await page.getByText(/ToolHive cannot read the source gone/).waitFor();
  await card("com.example/calendar").getByText(t("remote.mark")).waitFor();
  expect(await listViolations(page)).toEqual([]);

  await page.getByLabel(t("registry.search")).fill("read a web page");
  await page.getByText("thv search 'read a web page'").waitFor();
  await page.waitForFunction(() => document.querySelector(".card h2")?.textContent === "fetch");

  await page.getByLabel(t("registry.search")).fill("");
  await page.getByLabel(t("registry.source")).selectOption("team");
  await card("fetch").waitFor({ state: "detached" });
  await page.getByRole("link", { name: "io.github.acme/time", exact: true }).click();
  await page.getByText("github.com/acme").waitFor();
  expect(await listViolations(page)).toEqual([]);
  await page.getByRole("link", { name: t("registry.add") }).click();
  await page.getByText(t("add.recognisedRegistry")).waitFor();
});
