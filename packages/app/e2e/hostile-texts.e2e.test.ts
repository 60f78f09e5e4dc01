/** Texts of servers and registries that try to be more than text, in a real browser. */
import { writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "@playwright/test";
import { describeEngines, runThv, ThrowawayHome } from "@toolhive/testing";
import { CHROMIUM } from "@toolhive/testing/chromium";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { t } from "../src/words/messages.ts";
import { launchBrowser, printAddress } from "./open-app.ts";

const HOSTILE = `<img src="x" onerror="window.planted = 1"><script>window.planted = 1</script><b id="planted">bold</b>`;

let browser: Browser;
let home: ThrowawayHome;
let context: BrowserContext;
let page: Page;
beforeAll(async () => {
  browser = await launchBrowser({ executablePath: CHROMIUM });
});
afterAll(async () => await browser.close());
beforeEach(async () => {
  home = await ThrowawayHome.create();
  context = await browser.newContext();
  page = await context.newPage();
});
afterEach(async () => {
  await context.close();
  await home[Symbol.asyncDispose]();
});

/** What is shown is text, and nothing of it became a part of the page. */
async function expectText(): Promise<void> {
  await page.getByText(HOSTILE).first().waitFor();
  expect(await page.evaluate(() => ["planted" in window, document.getElementById("planted")])).toEqual([false, null]);
}

describe("a registry", () => {
  let elsewhere: Server;
  let visits: IncomingHttpHeaders[];
  let site: string;
  beforeEach(async () => {
    visits = [];
    elsewhere = createServer(({ headers, url }, response) => {
      if (url === "/source") visits.push(headers);
      response.setHeader("content-type", "text/html").end("<title>elsewhere</title>");
    });
    await new Promise<void>((resolve) => {
      elsewhere.listen(0, "127.0.0.1", resolve);
    });
    site = `http://localhost:${(elsewhere.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    elsewhere.closeAllConnections();
    elsewhere.close();
  });

  async function openEntry(repository: string): Promise<string> {
    const server = {
      image: "mcp/everything:test",
      description: `Describes: ${HOSTILE}`,
      tier: "Community",
      status: "Active",
      transport: "stdio",
      tools: ["hostile"],
      env_vars: [{ name: "TOKEN", description: HOSTILE, required: true, secret: true }],
      repository_url: repository,
    };
    const registry = { version: "1.0.0", last_updated: "2026-01-01T00:00:00Z", servers: { hostile: server } };
    await writeFile(join(home.workDirectory, "registry.json"), JSON.stringify(registry));
    expect(await runThv(["config", "set-registry-url", "registry.json"], { home })).toMatchObject({ code: 0 });
    const { url, address } = await printAddress(home);
    await page.goto(url);
    await page.getByText(t("connection.live")).waitFor();
    await page.goto(`${address}registry/hostile`);
    return address;
  }

  test("has its texts shown as they are", async () => {
    const address = await openEntry("https://example.com/source");
    await expectText();
    for (const path of ["registry", "add?from=hostile"]) {
      await page.goto(`${address}${path}`);
      await expectText();
    }
  });

  test.each(["javascript:window.planted=1", "data:text/html,planted", "vbscript:planted"])(
    "gives no link to %s",
    async (repository) => {
      await openEntry(repository);
      await expectText();

      await page.getByText(repository, { exact: true }).waitFor();
      const schemes = await page.evaluate(() => [...document.links].map(({ protocol }) => protocol));
      expect(schemes.filter((scheme) => !["http:", "https:"].includes(scheme))).toEqual([]);
    },
  );

  test("gives a link that is shown whole and sends no referrer to the other site", async () => {
    await openEntry(`${site}/source`);
    const link = page.getByRole("link", { name: `${site}/source`, exact: true });

    const [opened] = await Promise.all([context.waitForEvent("page"), link.click()]);
    await opened.waitForLoadState();

    expect(visits).toHaveLength(1);
    expect(visits[0]).not.toHaveProperty("referer");
    expect(visits[0]).not.toHaveProperty("authorization");
    expect(await opened.evaluate(() => window.opener)).toBeNull();
  });
});

/** A server whose every text is hostile. */
const SERVER = `
const hostile = ${JSON.stringify(HOSTILE)};
console.error(hostile);
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const results = {
    initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: hostile, version: "1" } },
    "tools/list": { tools: [{ name: "hostile", title: hostile, description: hostile, inputSchema: { type: "object" } }] },
    "tools/call": { content: [{ type: "text", text: hostile }, { type: "resource_link", uri: "javascript:window.planted=1", name: hostile }] },
    ping: {},
  };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] ?? {} }));
});
`;

describeEngines("a server on $kind", { kinds: ["docker"] }, (engine) => {
  test("has its log, its tools and their answers shown as they are", async () => {
    await writeFile(join(home.workDirectory, "server.cjs"), SERVER);
    const volume = `${home.workDirectory}:/hostile:ro`;
    const args = ["run", "--name", "hostile", "--volume", volume, "toolhive-test/sidecar-base:test", "--"];
    expect(await runThv([...args, "/hostile/server.cjs"], { home, engine })).toMatchObject({ code: 0 });
    const { url, address } = await printAddress(home, engine);
    await page.goto(url);
    await page.getByText(t("connection.live")).waitFor();

    await page.goto(`${address}servers/hostile/logs`);
    await expectText();
    await page.goto(`${address}servers/hostile/tools?kind=tools&item=hostile`);
    await expectText();
    await page.getByRole("button", { name: t("tools.call") }).click();
    await page
      .getByRole("region", { name: t("tools.answer") })
      .getByText(HOSTILE)
      .first()
      .waitFor();
    await expectText();

    const schemes = await page.evaluate(() => [...document.links].map(({ protocol }) => protocol));
    expect(schemes.filter((scheme) => !["http:", "https:"].includes(scheme))).toEqual([]);
  });
});
