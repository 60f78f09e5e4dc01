/** Where the API of `thv serve` answers, and to whom: what other programs start it with. */
import { existsSync } from "node:fs";
import { stat, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BundledThv, bundleThv } from "../src/testing/bundle-thv.ts";
import { startServe } from "../src/testing/started-serve.ts";

const TIMEOUT_MS = 60_000;
const BASE = "/api/v1beta";
/** As the desktop application says who it is. */
const DESKTOP = {
  "x-client-type": "toolhive-studio",
  "x-client-version": "0.1.3",
  "x-client-platform": "linux",
  "x-client-release-build": "true",
};

let bundled: BundledThv;

beforeAll(async () => {
  bundled = await bundleThv();
});
afterAll(async () => {
  await bundled[Symbol.asyncDispose]();
});

async function statusOver(socketPath: string, path: string): Promise<number> {
  return await new Promise((resolve, reject) => {
    const sent = request({ socketPath, path }, (response) => resolve(response.resume().statusCode ?? 0));
    sent.on("error", reject).end();
  });
}

describe("--socket", () => {
  test("the API answers on a private socket and on no port, and the socket goes with it", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const path = join(bundled.directory, "deep/er/api.sock");
    await using serve = await startServe(bundled, { home: "socket", flags: ["--socket", path] });

    expect(serve.api).toBe(`unix:${path}`);
    expect(await statusOver(path, `${BASE}/version`)).toBe(200);
    expect(await statusOver(path, `${BASE}/workloads?all=true`)).toBe(200);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await serve.end()).toBe(0);
    expect(existsSync(path)).toBe(false);
  });

  test("a socket that a killed program left is replaced, one that answers is not, nor is a file", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const path = join(bundled.directory, "left.sock");
    const flags = ["--socket", path];
    await using killed = await startServe(bundled, { home: "killed", flags });
    killed.child.kill("SIGKILL");
    await expect.poll(() => killed.child.signalCode).toBe("SIGKILL");
    await using serve = await startServe(bundled, { home: "replacing", flags });
    const file = join(bundled.directory, "file.sock");
    await writeFile(file, "mine");

    expect(await statusOver(path, `${BASE}/version`)).toBe(200);
    await expect(startServe(bundled, { home: "second", flags })).rejects.toThrow(
      /Another program listens on .*left\.sock/,
    );
    await expect(startServe(bundled, { home: "third", flags: ["--socket", file] })).rejects.toThrow(/not a socket/);
    await expect(startServe(bundled, { home: "long", flags: ["--socket", `/tmp/${"a".repeat(200)}`] })).rejects.toThrow(
      /at most 103/,
    );
    expect(await serve.end()).toBe(0);
  });
});

test("as the desktop application starts and calls it, from a page whose origin was allowed and from no other", {
  timeout: TIMEOUT_MS,
}, async () => {
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  const allowed = ["--allowed-origin", "null", "--allowed-origin=http://localhost:5173/"];
  const flags = ["--openapi", "--host=127.0.0.1", `--port=${port}`, ...allowed, "--oidc-skip-opaque-token-validation"];
  await using serve = await startServe(bundled, { home: "desktop", flags });
  const call = (origin: string, path: string, init: RequestInit = {}) =>
    fetch(serve.api + path, { ...init, headers: { ...DESKTOP, origin, ...init.headers } });

  for (const origin of ["null", "http://localhost:5173"]) {
    const asked = await call(origin, `${BASE}/workloads`, {
      method: "OPTIONS",
      headers: {
        "access-control-request-method": "POST",
        "access-control-request-headers": `content-type,${Object.keys(DESKTOP).join()}`,
      },
    });
    const granted = asked.headers.get("access-control-allow-headers")?.toLowerCase().split(", ") ?? [];
    expect([asked.status, asked.headers.get("access-control-allow-origin")]).toEqual([204, origin]);
    expect(granted).toEqual(expect.arrayContaining(["content-type", ...Object.keys(DESKTOP)]));
    expect(asked.headers.get("access-control-allow-methods")).toMatch(/GET, POST, PUT, DELETE/);
  }
  const requests = [
    ["GET", "/workloads?all=true", 200],
    ["GET", "/workloads/nobody", 404],
    ["POST", "/workloads/nobody/restart", 404],
    ["POST", "/workloads/nobody/stop", 404],
    ["GET", "/workloads/nobody/logs", 404],
    ["DELETE", "/workloads/nobody", 404],
    ["POST", "/workloads/restart", 202],
    ["GET", "/registry/default/servers", 200],
    ["GET", "/registry/default/servers/fetch", 200],
    ["GET", "/secrets/default", 404],
    ["GET", "/secrets/default/keys", 404],
    ["GET", "/discovery/clients", 200],
    ["POST", "/clients", 200],
    ["DELETE", "/clients/cursor", 204],
    ["GET", "/version", 200],
  ] as const;
  const bodies: Readonly<Record<string, string>> = {
    "/workloads/restart": '{"names":["nobody"]}',
    "/clients": '{"name":"cursor"}',
  };
  for (const [method, path, status] of requests) {
    const body = method === "POST" ? bodies[path] : undefined;
    const answer = await call("null", BASE + path, {
      method,
      ...(body && { body, headers: { "content-type": "application/json" } }),
    });
    expect([method, path, answer.status]).toEqual([method, path, status]);
    expect(answer.headers.get("access-control-allow-origin")).toBe("null");
  }
  for (const origin of [
    "file://",
    "http://localhost:5174",
    "https://example.com",
    "http://localhost:5173.evil.example",
  ]) {
    expect([origin, (await call(origin, `${BASE}/version`)).status]).toEqual([origin, 403]);
  }
  const page = await fetch(`${serve.api}/api/doc`);
  const html = await page.text();
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'sha256-/);
  expect(html).toContain("<code>POST /api/v1beta/workloads/{name}/stop</code> Stop a workload");
  expect(html).not.toMatch(/<script|src=/);
  expect(serve.output()).toContain("--oidc-skip-opaque-token-validation has no effect");
  expect(await serve.end()).toBe(0);
});

test("without --openapi there is no page, and a page of no allowed origin is refused", {
  timeout: TIMEOUT_MS,
}, async () => {
  await using serve = await startServe(bundled, { home: "plain" });

  expect((await fetch(`${serve.api}/api/doc`)).status).toBe(404);
  expect((await fetch(`${serve.api}/api/openapi.json`)).status).toBe(200);
  expect((await fetch(`${serve.api}/api/v1beta/version`, { headers: { origin: "null" } })).status).toBe(403);
});

test.each(["*", "http://localhost:5173/app", "localhost:5173", "", "http://*.example.com"])(
  "--allowed-origin %j is no origin, and refused before anything is served",
  { timeout: TIMEOUT_MS },
  async (origin) => {
    await expect(
      startServe(bundled, { home: "no-origin", flags: ["--port=0", `--allowed-origin=${origin}`] }),
    ).rejects.toThrow(/--allowed-origin is ".*" but must be an origin[\s\S]*http:\/\/localhost:5173/);
  },
);
