/** Remote servers in the application, without a container engine: a real MCP server behind a certified authorization server. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Browser, BrowserContext, Page } from "@playwright/test";
import { AuthorizationServer, enterUserCode, ProtectedServer } from "@toolhive/core/testing/authorization";
import { runThv, ThrowawayHome } from "@toolhive/testing";
import { CHROMIUM } from "@toolhive/testing/chromium";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { t } from "../src/words/messages.ts";
import { launchBrowser, listViolations, printAddress } from "./open-app.ts";

/** A token that no server has refused is renewed 30 s after it came, at the earliest. */
const AFTER_REST = { timeout: 60_000 };

let browser: Browser;
let home: ThrowawayHome;
let context: BrowserContext;
let page: Page;
let address: string;
let failures: string[];
beforeAll(async () => {
  browser = await launchBrowser({ executablePath: CHROMIUM });
});
afterAll(async () => await browser.close());
beforeEach(async () => {
  home = await ThrowawayHome.create();
  context = await browser.newContext({ reducedMotion: "reduce" });
  page = await context.newPage();
  failures = [];
  page.on("pageerror", (error) => failures.push(String(error)));
});
afterEach(async () => {
  await context.close();
  await home[Symbol.asyncDispose]();
  expect(failures).toEqual([]);
});

const open = async () => {
  const served = await printAddress(home);
  address = served.address;
  await page.goto(served.url);
  await page.getByText(t("connection.live")).waitFor();
};
const shows = async (text: string | RegExp) => await page.getByText(text).first().waitFor();
const press = async (name: string) => await page.getByRole("button", { name, exact: true }).click();

/** Both themes and four widths of what is on the screen now. */
async function lookAt(name: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await listViolations(page), `${name}, ${colorScheme}`).toEqual([]);
  }
  for (const width of [360, 768, 1280, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow, `${name}, ${width} px`).toBeLessThanOrEqual(0);
    const colorScheme = width === 768 ? "dark" : "light";
    await page.emulateMedia({ colorScheme });
    if (process.env.LOOK !== undefined) await page.screenshot({ path: `${process.env.LOOK}/${name}-${width}.png` });
  }
  await page.setViewportSize({ width: 1280, height: 900 });
}

test("are added, signed in by browser and by code, renewed, and signed out", { timeout: 240_000 }, async () => {
  await using issuer = await AuthorizationServer.start({ isStrict: true });
  await using server = await ProtectedServer.start(issuer, { answer: (...all) => void answerMcp(...all) });
  await open();
  await page.goto(`${address}add`);
  await page.getByLabel(t("add.source")).fill(server.url.href);
  await shows(t("add.recognisedRemote"));
  await page.getByLabel(t("add.name"), { exact: true }).fill("calendar");
  await page.getByLabel(t("remote.scopes")).fill("tools:read offline_access");
  await press(t("remote.addHeader"));
  await page.getByLabel(t("remote.header"), { exact: true }).fill("X-Team");
  await page.getByLabel(t("add.value")).fill("maps");
  const scopes = "--remote-auth-scopes tools:read --remote-auth-scopes offline_access";
  await shows(`thv run --name calendar ${scopes} --remote-forward-headers 'X-Team: maps' ${server.url.href}`);
  await press(t("add.check"));
  await page
    .getByRole("region", { name: t("plan.title") })
    .getByText(t("plan.remote"))
    .waitFor();
  await lookAt("add");
  await press(t("add.start"));

  // Nobody is signed in yet.
  await page.getByRole("heading", { name: "calendar" }).waitFor();
  await shows(t("status.unauthenticated"));
  await shows(t("signIn.state.unauthenticated"));
  expect(await page.getByRole("link", { name: t("server.network") }).count()).toBe(0);
  await lookAt("signed-out");
  await page.getByRole("link", { name: t("place.servers") }).click();
  await page.getByRole("radio", { name: new RegExp(`^${t("servers.attention")}\\s*1$`) }).check({ force: true });
  await lookAt("list");
  const [tab] = await Promise.all([
    context.waitForEvent("page"),
    page.getByRole("button", { name: `${t("signIn.begin")}: calendar` }).click(),
  ]);
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(await tab.evaluate(() => window.opener)).toBeNull();
  await tab.close();
  await shows(t("servers.noMatch"));

  await page.goto(`${address}servers/calendar`);
  await shows(t("status.running"));
  const panel = page.getByRole("region", { name: t("signIn.heading") });
  await panel.getByText(issuer.issuer).waitFor();
  await panel.getByText("tools:read").waitFor();
  await panel.getByText(t("signIn.kind.authorization_code")).waitFor();
  await panel.getByText(t("signIn.renewed")).waitFor(AFTER_REST);
  await lookAt("signed-in");

  // The provider ends the sign-in: the list says so, and a new sign-in with a code replaces it.
  await issuer.revokeGrants();
  // This browser cannot get there, so that only a code can.
  await context.route(`${issuer.issuer}/**`, (route) => route.abort());
  await page.getByText(t("status.unauthenticated")).first().waitFor(AFTER_REST);
  await press(t("signIn.begin"));
  const dialog = page.getByRole("dialog");
  await press(t("signIn.useCode"));
  await dialog.getByText(/^[A-Z]{4}-[A-Z]{4}$/).waitFor();
  await dialog.getByText("thv auth login calendar --device").waitFor();
  await lookAt("code");
  const link = await dialog.getByRole("link").getAttribute("href");
  await enterUserCode(link ?? "");
  await dialog.waitFor({ state: "detached" });
  await shows(t("status.running"));
  await panel.getByText(t("signIn.kind.device_code")).waitFor();

  await press(t("signOut.begin"));
  await page.getByRole("dialog").getByText("thv auth logout calendar").waitFor();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: t("signOut.end") })
    .click();
  await shows(t("signOut.revoked"));
  await shows(t("status.unauthenticated"));
});

test("say beside the field what is wrong with it", async () => {
  await open();
  await page.goto(`${address}add?from=${encodeURIComponent("http://192.0.2.1/mcp")}`);
  await press(t("add.start"));

  const source = page.getByLabel(t("add.source"));
  await expect.poll(() => source.getAttribute("aria-invalid")).toBe("true");
  await page
    .locator(`#${await describedBy(source)}`)
    .getByText("begins with http://")
    .waitFor();
  await lookAt("problem");
  await source.fill("https://192.0.2.1/mcp");
  await press(t("remote.addHeader"));
  await page.getByLabel(t("remote.header"), { exact: true }).fill("Cookie");
  await page.getByLabel(t("add.value")).fill("a=b");
  await press(t("add.start"));
  await page
    .getByRole("alert")
    .getByText(/"Cookie"/)
    .waitFor();
  expect(await source.getAttribute("aria-invalid")).toBeNull();
});

test("are listed in the registry with what they need, and entries that cannot be used are named", async () => {
  const remote = {
    url: "https://mcp.example.com/mcp",
    description: "Looks after the calendar of a team.",
    tier: "Community",
    status: "Active",
    transport: "streamable-http",
    tools: ["list_events"],
    headers: [{ name: "X-Api-Key", description: "Key of the team.", required: true, secret: true }],
    oauth_config: { issuer: "https://login.example.com", scopes: ["events.read"] },
  };
  const registry = {
    version: "1.0.0",
    last_updated: "2026-01-01T00:00:00Z",
    servers: { damaged: { image: "" } },
    remote_servers: { calendar: remote },
  };
  await writeFile(join(home.workDirectory, "registry.json"), JSON.stringify(registry));
  expect(await runThv(["config", "set-registry-url", "registry.json"], { home })).toMatchObject({ code: 0 });
  await open();
  await page.getByRole("link", { name: t("place.registry"), exact: true }).click();
  await page.getByRole("listitem").filter({ hasText: "calendar" }).getByText(t("remote.mark")).waitFor();
  await page.getByText(t("registry.skippedOne")).click();
  await shows(/^damaged: /);
  await lookAt("registry");

  await page.getByRole("link", { name: "calendar" }).click();
  await shows("X-Api-Key");
  await shows("https://login.example.com");
  await lookAt("entry");
  await page.getByRole("link", { name: t("registry.add") }).click();
  await shows(t("add.recognisedRemoteEntry"));
  await page.getByLabel(/^X-Api-Key/).waitFor();
  await shows("thv run calendar");
});

async function describedBy(control: ReturnType<Page["getByLabel"]>): Promise<string> {
  const ids = await control.getAttribute("aria-describedby");
  return ids?.split(" ").at(-1) ?? "";
}

/** The official SDK's server, one for each request. */
const answerMcp: NonNullable<NonNullable<Parameters<typeof ProtectedServer.start>[1]>["answer"]> = async (
  request,
  response,
  body,
) => {
  const mcp = new McpServer({ name: "calendar", version: "1.0.0" });
  mcp.registerTool("list_events", { description: "Lists" }, async () => ({
    content: [{ type: "text", text: "none" }],
  }));
  const transport = new StreamableHTTPServerTransport({});
  await mcp.connect(transport as Parameters<typeof mcp.connect>[0]);
  await transport.handleRequest(request, response, body === "" ? undefined : JSON.parse(body));
};
