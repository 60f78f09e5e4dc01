/** Attacks on the application in a real browser: pages from elsewhere can neither read nor steer it. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContext, Page } from "@playwright/test";
import { ThrowawayHome } from "@toolhive/testing";
import { CHROMIUM } from "@toolhive/testing/chromium";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { t } from "../src/words/messages.ts";
import { launchBrowser, printAddress } from "./open-app.ts";

let browser: Browser;
let home: ThrowawayHome;
let context: BrowserContext;
let page: Page;
let address: string;
let elsewhere: Server;
let attacker: string;
beforeAll(async () => {
  browser = await launchBrowser({ executablePath: CHROMIUM });
  elsewhere = createServer((_request, response) => {
    response.setHeader("content-type", "text/html").end("<title>elsewhere</title>");
  });
  await new Promise<void>((resolve) => {
    elsewhere.listen(0, "127.0.0.1", resolve);
  });
  attacker = `http://localhost:${(elsewhere.address() as AddressInfo).port}/`;
});
afterAll(async () => {
  await browser.close();
  elsewhere.close();
});
beforeEach(async () => {
  home = await ThrowawayHome.create();
  context = await browser.newContext();
  page = await context.newPage();
  const served = await printAddress(home);
  address = served.address;
  // The user of the browser is signed in.
  await page.goto(served.url);
  await page.getByText(t("connection.live")).waitFor();
});
afterEach(async () => {
  await context.close();
  await home[Symbol.asyncDispose]();
});

/** @returns Its status, or `failed` when the browser gave nobody an answer. */
async function waitForRequest(visitor: Page, url: string): Promise<number | "failed"> {
  const path = new URL(url).pathname;
  return await new Promise((resolve) => {
    visitor.on("response", (response) => new URL(response.url()).pathname === path && resolve(response.status()));
    visitor.on("requestfailed", (request) => new URL(request.url()).pathname === path && resolve("failed"));
    visitor.on("websocket", (socket) => socket.once("socketerror", () => resolve("failed")));
  });
}

describe("a page from elsewhere in the same browser", () => {
  test.each([
    ["reads no answer", { method: "GET" }],
    ["creates nothing", { method: "POST", body: '{"image":"mcp/everything"}' }],
    ["creates nothing without asking first", { method: "POST", mode: "no-cors" as const, body: '{"image":"x"}' }],
  ])("%s", async (_what, init) => {
    const statuses: number[] = [];
    const visitor = await context.newPage();
    visitor.on("response", (response) => {
      if (response.url().startsWith(address)) statuses.push(response.status());
    });
    await visitor.goto(attacker);

    const seen = await visitor.evaluate(
      async ([url, options]) => {
        const answer = await fetch(url, options).catch(() => undefined);
        return answer === undefined ? "" : await answer.text();
      },
      [`${address}api/v1beta/workloads`, init] as const,
    );

    expect(seen).toBe("");
    expect(statuses.filter((status) => status < 400)).toEqual([]);
    await page.goto(address);
    await page.getByText(t("servers.emptyTitle")).waitFor();
  });

  test.each([
    [
      "a form",
      (url: string) => {
        const form = document.createElement("form");
        Object.assign(form, { action: url, method: "post", enctype: "text/plain", target: "_self" });
        const field = document.createElement("input");
        Object.assign(field, { name: '{"image":"mcp/everything","x":"', value: '"}' });
        form.append(field);
        document.body.append(form);
        form.submit();
      },
    ],
    [
      "a picture",
      (url: string) => {
        document.body.append(Object.assign(new Image(), { src: url }));
      },
    ],
    [
      "a script",
      (url: string) => {
        document.body.append(Object.assign(document.createElement("script"), { src: url }));
      },
    ],
    [
      "a web socket",
      (url: string) => {
        new WebSocket(url.replace("http:", "ws:"));
      },
    ],
    [
      "an event source",
      (url: string) => {
        new EventSource(url);
      },
    ],
    [
      "a beacon",
      (url: string) => {
        navigator.sendBeacon(url, '{"image":"mcp/everything"}');
      },
    ],
  ])(
    "neither reads nor creates anything with %s, at another name or at another port of the same",
    async (_what, act) => {
      const target = `${address}api/v1beta/workloads`;
      for (const origin of [attacker, attacker.replace("localhost", "127.0.0.1")]) {
        const visitor = await context.newPage();
        await visitor.goto(origin);
        const asked = waitForRequest(visitor, target);
        await visitor.evaluate(act, target);

        expect(await asked).toBeOneOf([403, "failed"]);
        await visitor.close();
      }
      await page.goto(address);
      await page.getByText(t("servers.emptyTitle")).waitFor();
    },
  );

  test("reads nothing from a frame without an origin of its own, as a page from a file has none", async () => {
    const visitor = await context.newPage();
    await visitor.goto(attacker);

    const seen = await visitor.evaluate(async (url) => {
      const heard = new Promise((resolve) => {
        window.addEventListener("message", ({ data }) => resolve(data), { once: true });
      });
      const frame = document.createElement("iframe");
      frame.setAttribute("sandbox", "allow-scripts");
      frame.srcdoc = `<script>
        const say = (answer) => parent.postMessage(answer, "*");
        fetch(${JSON.stringify(url)}).then((answer) => say(answer.status), () => say("failed"));
      </script>`;
      document.body.append(frame);
      return await heard;
    }, `${address}api/v1beta/version`);

    expect(seen).toBe("failed");
  });

  test("cannot show the application in a frame", async () => {
    const visitor = await context.newPage();
    await visitor.goto(attacker);
    await visitor.evaluate((url) => {
      const frame = document.createElement("iframe");
      frame.src = url;
      document.body.append(frame);
    }, address);
    await expect.poll(() => visitor.frames().length).toBe(2);

    const [, frame] = visitor.frames();
    await frame?.waitForLoadState().catch(() => undefined);

    await expect(frame?.content()).resolves.not.toContain('id="root"');
  });

  test("holds no handle of a window that it opens, so that it can neither move nor message it", async () => {
    const visitor = await context.newPage();
    await visitor.goto(attacker);

    const [opened, isSevered] = await Promise.all([
      context.waitForEvent("page"),
      visitor.evaluate(async (url) => {
        const handle = window.open(url);
        await new Promise((resolve) => {
          const timer = setInterval(() => {
            if (handle?.closed !== true) return;
            clearInterval(timer);
            resolve(undefined);
          }, 50);
        });
        return handle?.closed;
      }, address),
    ]);

    expect(isSevered).toBe(true);
    await expect(opened.evaluate(() => window.opener)).resolves.toBeNull();
  });

  test("under a name of its own that leads to this machine, gets neither a page nor an answer", async () => {
    const { port } = new URL(address);
    const rebound = await launchBrowser({
      executablePath: CHROMIUM,
      flags: ["--host-resolver-rules=MAP attacker.example 127.0.0.1"],
    });
    const visitor = await rebound.newPage();

    const answer = await visitor.goto(`http://attacker.example:${port}/`);
    const status = await visitor.evaluate(async () => (await fetch("/api/v1beta/version")).status);

    expect([answer?.status(), status]).toEqual([403, 403]);
    await rebound.close();
  });

  test("under a name that leads to this machine, is not this server", async () => {
    const rebound = await browser.newContext({ extraHTTPHeaders: {} });
    const answer = await rebound.request.get(`${address}api/v1beta/version`, { headers: { host: "attacker.example" } });
    const file = await rebound.request.get(address, { headers: { host: "attacker.example", accept: "text/html" } });

    expect([answer.status(), file.status()]).toEqual([403, 403]);
    await rebound.close();
  });
});

describe("the application itself", () => {
  test("keeps the token for one use out of the address, the history and every request", async () => {
    const { url } = await printAddress(home);
    const token = url.split("#token=")[1] ?? "";
    const fresh = await browser.newContext();
    const visitor = await fresh.newPage();
    const sent: string[] = [];
    visitor.on("request", (request) =>
      sent.push(`${request.method()} ${request.url()} ${JSON.stringify(request.headers())}`),
    );

    await visitor.goto(url);
    await visitor.getByText(t("connection.live")).waitFor();

    expect(visitor.url()).toBe(address);
    const { entries } = await (await fresh.newCDPSession(visitor)).send("Page.getNavigationHistory");
    expect(entries.filter(({ url: each }) => each.includes(token))).toEqual([]);
    expect(sent.filter((each) => each.includes(token))).toEqual([]);
    await expect(fresh.cookies()).resolves.toEqual([]);
    await fresh.close();
  });

  test("signs nobody in with a token that was used", async () => {
    const { url } = await printAddress(home);
    for (const expected of [t("connection.live"), t("connection.signedOutHint")]) {
      const fresh = await browser.newContext();
      const visitor = await fresh.newPage();
      await visitor.goto(url);
      await visitor.getByText(expected).waitFor();
      await fresh.close();
    }
  });

  test("asks a browser to sign in that has no session, or that of another run", async () => {
    const fresh = await browser.newContext();
    const visitor = await fresh.newPage();
    await visitor.goto(address);
    await visitor.getByRole("heading", { name: t("connection.signedOut") }).waitFor();

    await visitor.getByLabel(t("connection.token")).fill("a".repeat(43));
    await visitor.getByRole("button", { name: t("connection.signIn") }).click();
    await visitor.getByRole("heading", { name: t("connection.signedOut") }).waitFor();

    await expect.poll(() => visitor.evaluate(() => localStorage.getItem("toolhive-session"))).toBeNull();
    await fresh.close();
  });

  test("requests nothing from anywhere else, on any screen", async () => {
    const others: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(address) && !request.url().startsWith("data:")) others.push(request.url());
    });
    for (const path of ["", "registry", "registry/github", "clients", "secrets", "settings", "add"]) {
      await page.goto(`${address}${path}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
    }

    expect(others).toEqual([]);
  });

  test("runs no script and reaches no address that its policy does not name", async () => {
    const outcome = await page.evaluate(async (url) => {
      const script = document.createElement("script");
      let ran = "blocked";
      try {
        script.text = "window.planted = true";
        document.head.append(script);
        if ("planted" in window) ran = "ran";
      } catch {
        ran = "blocked";
      }
      const fetched = await fetch(url).then(
        () => "fetched",
        () => "blocked",
      );
      return [ran, fetched];
    }, attacker);

    expect(outcome).toEqual(["blocked", "blocked"]);
  });
});
