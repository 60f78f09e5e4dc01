/** The application as somebody installs it: what a browser asks for, and what it shows while thv is away. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContext, Page } from "@playwright/test";
import { ThrowawayHome, waitFor } from "@toolhive/testing";
import { CHROMIUM } from "@toolhive/testing/chromium";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { t } from "../src/words/messages.ts";
import { launchBrowser, printAddress } from "./open-app.ts";

let browser: Browser;
let home: ThrowawayHome;
let context: BrowserContext;
let page: Page;
let address: string;
beforeAll(async () => {
  browser = await launchBrowser({ executablePath: CHROMIUM });
});
afterAll(async () => await browser.close());
beforeEach(async () => {
  home = await ThrowawayHome.create();
  context = await browser.newContext();
  page = await context.newPage();
  const served = await printAddress(home);
  address = served.address;
  await page.goto(served.url);
  await shows(t("connection.live"));
  // It has everything that it needs, once it is active.
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
});
afterEach(async () => {
  await context.close();
  await home[Symbol.asyncDispose]();
});

/** @returns One that nobody has at this moment. */
async function takeFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => void server.close(resolve));
  return port;
}

const shows = async (text: string | RegExp) => await page.getByText(text).first().waitFor();

test("can be installed: its manifest, its icons and the usual files are there for a browser without a sign-in", async () => {
  const session = await context.newCDPSession(page);
  const { errors, data } = await session.send("Page.getAppManifest");
  expect(errors).toEqual([]);
  const manifest = JSON.parse(data ?? "");
  expect(manifest).toMatchObject({ start_url: "/", scope: "/", display: "standalone" });
  const { installabilityErrors } = await session.send("Page.getInstallabilityErrors");
  // Windows of tests are private ones, in which a browser installs nothing.
  expect(installabilityErrors.map(({ errorId }) => errorId)).toEqual(["in-incognito"]);

  const icons = (manifest.icons as { src: string; type: string }[]).map(({ src, type }) => [src, type] as const);
  const files = [...icons, ["/favicon.ico", "image/x-icon"], ["/icon-180.png", "image/png"]] as const;
  for (const [path, type] of files) {
    const answer = await fetch(new URL(path, address));
    expect([path, answer.status, answer.headers.get("content-type")]).toEqual([path, 200, type]);
  }
});

test("keeps its shell and nothing else", async () => {
  await page.goto(`${address}registry`);
  await page.getByRole("heading", { level: 1 }).waitFor();

  const kept = await page.evaluate(async () => {
    const caches = await Promise.all((await window.caches.keys()).map((name) => window.caches.open(name)));
    const requests = (await Promise.all(caches.map((cache) => cache.keys()))).flat();
    return requests.map(({ url }) => new URL(url).pathname);
  });

  expect(kept).toContain("/index.html");
  expect(kept.filter((path) => path !== "/index.html" && !path.startsWith("/assets/"))).toEqual([]);
});

test("starts while thv is away, says so, and goes on by itself when thv is back", async () => {
  const failures: string[] = [];
  page.on("pageerror", (error) => failures.push(String(error)));
  await home.stopSupervisor();

  for (const path of ["", "registry", "servers/any/logs"]) {
    await page.goto(`${address}${path}`);
    await page.getByRole("alert").getByText(t("connection.away"), { exact: true }).waitFor();
  }
  await page.goto(`${address}registry`);
  await page.getByRole("alert").getByText(t("connection.away"), { exact: true }).waitFor();

  expect((await printAddress(home)).address).toBe(address);
  await shows(t("connection.live"));
  await page.getByRole("link", { name: "github", exact: true }).waitFor();
  expect(failures).toEqual([]);
});

test("leaves nothing behind in the way of another program that has its address", async () => {
  await home.stopSupervisor();
  const other = createServer((_request, response) => {
    response.setHeader("content-type", "text/html").end("<title>another program</title>");
  });
  await new Promise<void>((resolve) => {
    other.listen(Number(new URL(address).port), "127.0.0.1", resolve);
  });
  try {
    await page.goto(address);
    expect(await page.title()).toBe("another program");

    await expect
      .poll(async () => await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length))
      .toBe(0);
    await expect.poll(async () => await page.evaluate(async () => await window.caches.keys())).toEqual([]);
  } finally {
    other.closeAllConnections();
    other.close();
  }
});

test("sends another program that has its port a token that is good nowhere, and later neither", async () => {
  const second = await takeFreePort();
  const elsewhere = await browser.newContext();
  const secondPage = await elsewhere.newPage();
  await secondPage.goto((await printAddress(home, undefined, second)).url);
  await secondPage.getByText(t("connection.live")).waitFor();
  await home.stopSupervisor();

  const received = new Set<string>();
  const stranger = createServer(({ headers }, response) => {
    if (headers.authorization !== undefined) received.add(headers.authorization);
    response.writeHead(503).end();
  });
  await new Promise<void>((resolve) => {
    stranger.listen(Number(new URL(address).port), "127.0.0.1", resolve);
  });
  const token = await waitFor(() => [...received][0], { what: "the tab that connects again by itself" });
  const ask = async (at: string) =>
    (await fetch(new URL("/api/v1beta/workloads", at), { headers: { authorization: token } })).status;

  // The supervisor starts again, and finds the port taken.
  const again = await printAddress(home, undefined, second);
  expect(await ask(again.address)).toBe(401);
  await secondPage.getByText(t("connection.live")).waitFor();
  stranger.closeAllConnections();
  await new Promise((resolve) => void stranger.close(resolve));
  const old = await printAddress(home, undefined, Number(new URL(address).port));
  expect(old.address).toBe(address);
  expect(await ask(old.address)).toBe(401);
  await shows(t("connection.signedOut"));
  await elsewhere.close();
});
