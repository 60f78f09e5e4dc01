/** The application over HTTP, beside the API, and who may not use it. */
import { once } from "node:events";
import { request } from "node:http";
import { gunzipSync, gzipSync } from "node:zlib";
import { ThvError } from "@toolhive/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ApiServer } from "../server/api-server.ts";
import { ServedWorld } from "../testing/served-world.ts";
import { AppFiles } from "./app-files.ts";
import type { AppSessions } from "./app-sessions.ts";

const PAGE = "<!doctype html><title>App</title>";
const SCRIPT = "export const answer = 42;";

/** As the application's build writes it. */
function packFiles(files: Readonly<Record<string, { readonly type: string; readonly text: string }>>): Buffer {
  const bodies: Buffer[] = [];
  let offset = 0;
  const add = (body: Buffer) => {
    bodies.push(body);
    offset += body.length;
    return [offset - body.length, body.length];
  };
  const list = Object.entries(files).map(([path, { type, text }]) => ({
    path,
    type,
    etag: `"${path}"`,
    gzip: add(gzipSync(text)),
  }));
  return Buffer.concat([Buffer.from(`${JSON.stringify(list)}\n`), ...bodies]);
}

let served: ServedWorld;
let server: ApiServer;
let port: number;
let sessions: AppSessions;
let loads = 0;

async function send(path: string, headers: Readonly<Record<string, string>> = {}, method = "GET", body = "") {
  const typed = body === "" ? headers : { "content-type": "application/json", ...headers };
  const sent = request({ host: "127.0.0.1", port, path, method, headers: typed, agent: false });
  sent.end(body);
  const [response] = await once(sent, "response");
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part);
  return { status: response.statusCode as number, headers: response.headers, body: Buffer.concat(parts) };
}

/** @returns A free port at which signed-in browsers are served. */
async function listen(): Promise<number> {
  let actual = 0;
  const verify = async (authorization: string | undefined) => await sessions.verify(authorization, actual);
  actual = await server.listenOnPort("127.0.0.1", 0, { hosts: [], origins: [] }, { verify });
  return actual;
}

beforeAll(async () => {
  served = await ServedWorld.start();
  const app = new AppFiles(() => {
    loads += 1;
    return packFiles({
      "/index.html": { type: "text/html; charset=utf-8", text: PAGE },
      "/assets/main-abc.js": { type: "text/javascript; charset=utf-8", text: SCRIPT },
    });
  });
  sessions = served.sessions;
  server = new ApiServer({ handlers: served.handlers, app, onBug: (error) => served.bugs.push(error) });
  port = await listen();
});
afterAll(async () => {
  await server.close();
  await served[Symbol.asyncDispose]();
  expect(served.bugs).toEqual([]);
});

test("without the files says why, and the API goes on", async () => {
  const app = new AppFiles(() => {
    throw new ThvError("NOT_SUPPORTED", "It was built without them.", { hint: "Install it again." });
  });
  const bare = new ApiServer({ handlers: served.handlers, app, onBug: (error) => served.bugs.push(error) });
  const address = `http://127.0.0.1:${await bare.listenOnPort("127.0.0.1", 0, { hosts: [], origins: [] })}`;
  try {
    const page = await fetch(`${address}/`, { headers: { accept: "text/html" } });
    expect([page.status, await page.text()]).toEqual([501, "It was built without them.\nInstall it again.\n"]);
    expect(await fetch(`${address}/api/v1beta/version`)).toMatchObject({ status: 200 });
    expect(() => app.check()).toThrow("It was built without them.");
  } finally {
    await bare.close();
  }
});

describe("files of the application", () => {
  test("are read with the first request, and only then", async () => {
    expect(loads).toBe(0);
    await send("/", { accept: "text/html" });
    await send("/", { accept: "text/html" });
    expect(loads).toBe(1);
  });

  test.each(["/", "/servers/everything", "/registry/github?x=1"])(
    "a browser that opens %s gets the page",
    async (path) => {
      const { status, headers, body } = await send(path, { accept: "text/html,application/xhtml+xml,*/*;q=0.8" });

      expect([status, body.toString()]).toEqual([200, PAGE]);
      expect(headers).toMatchObject({ "content-type": "text/html; charset=utf-8", "cache-control": "no-cache" });
    },
  );

  test.each([
    ["gzip, deflate", "gzip", gunzipSync],
    ["identity", undefined, (body: Buffer) => body],
  ] as const)("come to who accepts %s with the encoding %s", async (accepted, encoding, decompress) => {
    const { headers, body } = await send("/assets/main-abc.js", { "accept-encoding": accepted });

    expect(headers["content-encoding"]).toBe(encoding);
    expect(decompress(body).toString()).toBe(SCRIPT);
    expect(headers["cache-control"]).toContain("immutable");
  });

  test("are not sent again to who has them", async () => {
    const { headers } = await send("/", { accept: "text/html" });

    const again = await send("/", { accept: "text/html", "if-none-match": headers.etag ?? "" });

    expect([again.status, again.body.length]).toEqual([304, 0]);
  });

  test("allow no script, frame, form or connection but their own", async () => {
    const { headers } = await send("/", { accept: "text/html" });
    const policy = new Map(
      String(headers["content-security-policy"])
        .split("; ")
        .map((each) => [each.split(" ")[0], each.split(" ").slice(1).join(" ")]),
    );

    expect(policy.get("default-src")).toBe("'none'");
    for (const name of ["script-src", "style-src", "connect-src"]) expect(policy.get(name)).toBe("'self'");
    for (const name of ["frame-ancestors", "form-action", "base-uri"]) expect(policy.get(name)).toBe("'none'");
    expect(headers).toMatchObject({ "referrer-policy": "no-referrer", "x-content-type-options": "nosniff" });
  });

  test("a program that asks for what is not there is not answered with a page", async () => {
    await expect(send("/nothing", { accept: "application/json" })).resolves.toMatchObject({ status: 401 });
    await expect(send("/api/v1beta/nothing", { accept: "text/html" })).resolves.toMatchObject({ status: 401 });
    await expect(send("/assets/of-an-older-version.js")).resolves.toMatchObject({ status: 404 });
  });
});

describe("the API beside the application", () => {
  const VERSION_PATH = "/api/v1beta/version";

  test("answers a session at the port where it was made, and at no other of the same process", async () => {
    const other = await listen();
    const { token } = await sessions.signIn(sessions.invite(port));
    const ask = async (at: number, path: string, method = "GET") =>
      (await fetch(`http://127.0.0.1:${at}${path}`, { method, headers: { authorization: `Bearer ${token}` } })).status;

    expect(await ask(other, VERSION_PATH)).toBe(401);
    expect(await ask(other, "/api/v1beta/events")).toBe(401);
    // Nor can it be ended from there.
    expect(await ask(other, "/api/v1beta/app/sessions/current", "DELETE")).toBe(401);
    expect(await ask(port, VERSION_PATH)).toBe(200);
  });

  test("answers a browser that signed in, and no other", async () => {
    expect((await send(VERSION_PATH)).status).toBe(401);
    const body = JSON.stringify({ token: sessions.invite(port) });
    const own = { origin: `http://127.0.0.1:${port}`, "sec-fetch-site": "same-origin" };

    const answer = await send("/api/v1beta/app/sessions", own, "POST", body);
    const { token } = JSON.parse(answer.body.toString());
    const headers = { ...own, authorization: `Bearer ${token}` };

    expect(answer.status).toBe(201);
    expect((await send(VERSION_PATH, headers)).status).toBe(200);
    expect((await send("/api/v1beta/app/sessions", own, "POST", body)).status).toBe(401);
    expect((await send("/api/v1beta/app/sessions/current", headers, "DELETE")).status).toBe(204);
    expect((await send(VERSION_PATH, headers)).status).toBe(401);
  });

  test.each([
    ["another site's script", { origin: "https://example.com", "sec-fetch-site": "cross-site" }],
    ["another port's page", { origin: "http://127.0.0.1:3000", "sec-fetch-site": "same-site" }],
    [
      "another site's picture",
      { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" },
    ],
    [
      "another site's frame",
      { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" },
    ],
    ["a page from a file", { origin: "null", "sec-fetch-site": "cross-site" }],
    ["a name that leads here", { host: "attacker.example" }],
  ])("refuses %s, signed in or not", async (_what, headers) => {
    const { token } = await sessions.signIn(sessions.invite(port));

    const refused = await send(VERSION_PATH, { ...headers, authorization: `Bearer ${token}` });
    const invited = await send(
      "/api/v1beta/app/sessions",
      headers,
      "POST",
      JSON.stringify({ token: sessions.invite(port) }),
    );

    expect([refused.status, invited.status]).toEqual([403, 403]);
    expect(refused.headers["access-control-allow-origin"]).toBeUndefined();
  });

  test.each([
    ["", "document"],
    [", through its service worker", "empty"],
  ])("a link from elsewhere opens the page%s", async (_how, destination) => {
    const link = {
      accept: "text/html",
      "sec-fetch-site": "cross-site",
      "sec-fetch-mode": "navigate",
      "sec-fetch-dest": destination,
    };

    expect((await send("/", link)).status).toBe(200);
  });
});
