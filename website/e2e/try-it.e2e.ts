/**
 * The request console of the API reference against a real `thv serve` with a home of its own. The browser sees the site
 * at the origin that the API allows and the API at its usual port; both are led to ports of the system's choice.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Locator, Page } from "@playwright/test";
import { accessibilityViolations } from "./support/axe.ts";
import { expect, openPage, siteOrigin, test } from "./support/site.ts";

/** A page of the reference: a resource. */
const formatPage = (resource: string) => `/toolhive/reference/api/${resource}`;
const ALLOWED_ORIGIN = "http://localhost:3000";
const API = "http://127.0.0.1:8080";

/** One server for all tests of the file. */
test.describe.configure({ mode: "default" });

let home: string;
let thv: ChildProcess;
let apiOrigin: string;

test.beforeAll(async () => {
  home = await mkdtemp(path.join(tmpdir(), "try-it-"));
  const child = spawn(
    process.execPath,
    [path.join(__dirname, "../../packages/cli/dist/thv.mjs"), "serve", "--port", "0"],
    {
      env: {
        PATH: process.env.PATH,
        HOME: home,
        XDG_CONFIG_HOME: path.join(home, "config"),
        XDG_DATA_HOME: path.join(home, "data"),
        XDG_STATE_HOME: path.join(home, "state"),
        // Else it would search this machine's engines, and start Podman.
        DOCKER_HOST: `unix://${path.join(home, "no-engine.sock")}`,
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  thv = child;
  let output = "";
  apiOrigin = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on("line", (line) => {
        output += `${line}\n`;
        const address = /API answers at (http:\S+\d)/.exec(line)?.[1];
        if (address !== undefined) resolve(address);
      });
    }
    child.once("close", () => reject(new Error(`thv serve ended before it listened:\n${output}`)));
  });
});

test.afterAll(async () => {
  if (thv.exitCode === null && thv.signalCode === null) {
    const ended = once(thv, "close");
    thv.kill("SIGTERM");
    await ended;
  }
  await rm(home, { recursive: true, force: true });
});

test.afterEach(async ({ page }) => {
  // What the page prefetches may be under way when a test ends.
  await page.unrouteAll({ behavior: "ignoreErrors" });
});

/** Opens the reference at the allowed origin; the API is led to the real server, or to nobody. */
async function openReference(page: Page, resource: string, { isApiUp = true } = {}): Promise<void> {
  await page.route(`${ALLOWED_ORIGIN}/**`, async (route) => {
    const { pathname, search } = new URL(route.request().url());
    await route.fulfill({ response: await route.fetch({ url: siteOrigin() + pathname + search }) });
  });
  await page.route(`${API}/**`, async (route) => {
    if (!isApiUp) return await route.abort("connectionrefused");
    const { pathname, search } = new URL(route.request().url());
    await route.fulfill({ response: await route.fetch({ url: apiOrigin + pathname + search }) });
  });
  await openPage(page, ALLOWED_ORIGIN + formatPage(resource));
}

async function openConsole(page: Page, operation: string): Promise<Locator> {
  const form = page.getByRole("form", { name: `Try ${operation}`, exact: true });
  // Parts of this long page are laid out on sight, so that a click can land beside a button that has just moved.
  await expect(async () => {
    const button = page.getByRole("button", { name: `Try it: ${operation}`, exact: true });
    if (await button.isVisible()) await button.click();
    await expect(form).toBeVisible({ timeout: 5_000 });
  }).toPass();
  return form;
}

test("an operation is sent to the reader's own server and its answer shown with status and time", async ({
  page,
  observed,
}) => {
  await openReference(page, "system");
  const form = await openConsole(page, "GET /api/v1beta/version");

  await form.getByRole("button", { name: "Send" }).click();

  await expect(form.getByRole("status")).toHaveText(/^200 OK in \d+ ms$/);
  await expect(form.getByRole("region", { name: "Answer of GET /api/v1beta/version" })).toContainText('"version": "v');
  expect(observed.policyViolations).toEqual([]);
  expect(observed.scriptErrors).toEqual([]);
});

test("parameters fill the path and the query, and a refusal is shown as the server worded it", async ({ page }) => {
  await openReference(page, "logs");
  const form = await openConsole(page, "GET /api/v1beta/workloads/{name}/logs");

  await form.getByLabel("name").fill("no such/server");
  await form.getByLabel("follow").fill("true");

  await expect(form).toContainText(`GET ${API}/api/v1beta/workloads/no%20such%2Fserver/logs?follow=true`);
  await form.getByLabel("name").fill("nobody");
  await form.getByRole("button", { name: "Send" }).click();
  await expect(form.getByRole("status")).toHaveText(/^404 Not Found in \d+ ms$/);
  await expect(form.getByRole("region", { name: /^Answer of GET/ })).toContainText("Workload not found");
  await expect(form.getByRole("region", { name: /^Answer of GET/ })).toContainText('"code": "WORKLOAD_NOT_FOUND"');
});

test("a body is sent from the keyboard alone, changes the server, and a body that is no JSON is not sent", async ({
  page,
}) => {
  await openReference(page, "secrets");
  const button = page.getByRole("button", { name: "Try it: POST /api/v1beta/secrets", exact: true });
  await button.focus();
  await page.keyboard.press("Enter");
  const form = page.getByRole("form", { name: "Try POST /api/v1beta/secrets", exact: true });
  await expect(form.getByLabel("Body")).toBeFocused();
  expect(JSON.parse(await form.getByLabel("Body").inputValue())).toEqual({ provider_type: "encrypted" });

  await form.getByLabel("Body").fill('{"provider_type":');
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(form.getByRole("alert")).toContainText("The body is not JSON");
  await form.getByLabel("Body").fill('{"provider_type":"none"}');
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");

  await expect(form.getByRole("status")).toHaveText(/^2\d\d .* in \d+ ms/);
  const kept = await fetch(`${apiOrigin}/api/v1beta/secrets/default`);
  expect(await kept.json()).toMatchObject({ provider_type: "none" });
});

test("without a server the console says so, and how to start it", async ({ page }) => {
  await openReference(page, "system", { isApiUp: false });
  const form = await openConsole(page, "GET /health");

  await form.getByRole("button", { name: "Send" }).click();

  await expect(form.getByRole("alert")).toHaveText(`No server answers at ${API}.Start it: thv serve`);
});

test("a server that wants a token, played by the test, gets the one that the reader enters", async ({ page }) => {
  await openReference(page, "workloads");
  await page.route(`${API}/**`, async (route) => {
    const isAllowed = route.request().headers().authorization === "Bearer a.b.c";
    await route.fulfill({
      status: isAllowed ? 200 : 401,
      headers: { "access-control-allow-origin": ALLOWED_ORIGIN },
      body: isAllowed ? '{"workloads":[]}' : "Authorization header required",
    });
  });
  const form = await openConsole(page, "GET /api/v1beta/workloads");
  await expect(form.getByLabel("Token")).toHaveCount(0);

  await form.getByRole("button", { name: "Send" }).click();
  await expect(form.getByRole("status")).toHaveText(/^401 Unauthorized in \d+ ms$/);
  await form.getByLabel("Token").fill("a.b.c");
  await page.keyboard.press("Enter");

  await expect(form.getByRole("status")).toHaveText(/^200 OK in \d+ ms$/);
});

test("a page from another address names the address whose pages the server answers", async ({ page }) => {
  await page.route(`${API}/**`, (route) => route.abort("connectionrefused"));
  await openPage(page, formatPage("system"));
  const form = await openConsole(page, "GET /health");

  await form.getByRole("button", { name: "Send" }).click();

  await expect(form.getByRole("alert")).toContainText(`It answers pages of ${ALLOWED_ORIGIN} only`);
});

test("the console's code travels only when a reader opens one, and closing takes the form away", async ({ page }) => {
  await openReference(page, "system");
  const scripts: string[] = [];
  page.on("request", (request) => {
    if (request.resourceType() === "script") scripts.push(request.url());
  });
  await expect(page.getByRole("form")).toHaveCount(0);

  await openConsole(page, "GET /health");
  await page.getByRole("button", { name: "Close: GET /health" }).click();

  expect(scripts.length).toBeGreaterThan(0);
  await expect(page.getByRole("form")).toHaveCount(0);
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`an open console with its answer has no accessibility violation, ${colorScheme}, on a phone`, async ({
    page,
  }) => {
    test.setTimeout(120_000);
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 360, height: 800 });
    await openReference(page, "groups");
    await openConsole(page, "PUT /api/v1beta/groups/{name}/tools");
    const form = await openConsole(page, "GET /api/v1beta/groups");
    await form.getByRole("button", { name: "Send" }).click();
    await expect(form.getByRole("status")).toContainText("200");

    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

    expect(overflow).toBeLessThanOrEqual(0);
    expect(await accessibilityViolations(page)).toEqual([]);
  });
}
