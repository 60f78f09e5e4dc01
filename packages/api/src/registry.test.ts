import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServedWorld } from "./testing/served-world.ts";

const BASE = "/api/v1beta/registry";

let served: ServedWorld;

beforeEach(async () => {
  served = await ServedWorld.start();
});

afterEach(async () => {
  await served[Symbol.asyncDispose]();
});

async function getJson(path: string) {
  const { status, body } = await served.send("GET", path);
  return { status, body: JSON.parse(body) };
}

describe("the embedded registry", () => {
  test("is the one registry there is", async () => {
    const info = {
      name: "default",
      version: "1.0.0",
      last_updated: "2025-07-17T00:23:12Z",
      server_count: 29,
      source: "embedded",
      type: "default",
      auth_status: "none",
      auth_type: "",
    };

    expect(await getJson(BASE)).toEqual({ status: 200, body: { registries: [info] } });
    const { body } = await getJson(`${BASE}/default`);
    expect(body).toMatchObject(info);
    expect(body.registry).toMatchObject({ version: info.version, last_updated: info.last_updated });
    expect(Object.keys(body.registry.servers)).toHaveLength(29);
    expect(body.registry.servers.time.name).toBe("time");
  });

  test("lists its servers by name, the same each time", async () => {
    const first = await served.send("GET", `${BASE}/default/servers`);
    const second = await served.send("GET", `${BASE}/default/servers`);

    const names = JSON.parse(first.body).servers.map(({ name }: { name: string }) => name);
    expect(names).toHaveLength(29);
    expect(names).toEqual([...names].sort());
    expect(second.body).toBe(first.body);
  });

  test("shows a server with its members in the order that clients know, lists never null", async () => {
    const { status, body } = await getJson(`${BASE}/default/servers/elasticsearch`);

    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(["server"]);
    expect(Object.keys(body.server)).toEqual([
      ...["name", "image", "description", "tier", "status", "transport", "target_port", "permissions", "reach"],
      ...["tools", "env_vars", "args", "metadata", "repository_url", "tags"],
    ]);
    expect(body.server).toMatchObject({
      name: "elasticsearch",
      image: "mcp/elasticsearch:latest",
      tier: "Official",
      status: "Active",
      transport: "streamable-http",
      target_port: 8080,
      args: ["http"],
      permissions: { network: { outbound: { insecure_allow_all: true, allow_port: [443, 9200] } } },
    });
    expect((await getJson(`${BASE}/default/servers/time`)).body.server).toMatchObject({
      env_vars: [],
      args: [],
      permissions: { network: { outbound: {} } },
    });
  });
});

describe("requests that cannot be answered", () => {
  test.each([
    ["POST", "", 501, "Adding custom registries is not currently supported"],
    ["GET", "/other", 404, "Registry not found"],
    ["GET", "/Default", 404, "Registry not found"],
    ["DELETE", "/default", 400, "Cannot remove the default registry"],
    ["DELETE", "/other", 404, "Registry not found"],
    ["GET", "/other/servers", 404, "Registry not found"],
    ["GET", "/other/servers/time", 404, "Registry not found"],
    ["GET", "/default/servers/nope", 404, "ImageMetadata not found"],
    ["GET", "/default/servers/Time", 404, "ImageMetadata not found"],
    ["GET", "/default/servers/__proto__", 404, "ImageMetadata not found"],
    ["GET", "/default/servers/%2e%2e", 404, "ImageMetadata not found"],
  ])("%s %s answers %i", async (method, path, status, text) => {
    const answer = await served.send(method, `${BASE}${path}`, method === "POST" ? { body: '{"name":"x"' } : {});

    expect(answer).toMatchObject({
      status,
      body: `${text}\n`,
      headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
    });
  });
});

describe("a registry that the settings name", () => {
  test("is followed without a restart, and is reported with all of its problems while it is bad", async () => {
    const path = join(served.home, "registry.json");
    await writeFile(join(served.home, "config.yaml"), `registry_url: ${path}\n`);
    await writeFile(path, JSON.stringify({ version: "x", last_updated: "y", servers: {} }));

    const plain = await served.send("GET", BASE);
    const problem = await served.send("GET", `${BASE}/default/servers`, { headers: { accept: "application/json" } });

    expect(plain).toMatchObject({ status: 500, body: "Failed to get registry\n" });
    expect(JSON.parse(problem.body)).toMatchObject({
      title: "Failed to list servers",
      code: "REGISTRY_INVALID",
      detail: expect.stringMatching(/version is "x".*; last_updated is "y"/),
    });

    await writeFile(path, JSON.stringify({ version: "2.0.0", last_updated: "2026-01-01T00:00:00Z", servers: {} }));
    expect((await getJson(BASE)).body).toEqual({
      registries: [
        {
          name: "default",
          version: "2.0.0",
          last_updated: "2026-01-01T00:00:00Z",
          server_count: 0,
          auth_status: "none",
          auth_type: "",
          source: path,
          type: "file",
        },
      ],
    });
  });

  test.each([
    ["settings that are not YAML", "registry_url: [\n"],
    ["an address that cannot be one", "registry_url: ftp://h.example/\n"],
    ["a file that is not there", "registry_url: /nowhere/registry.json\n"],
  ])("makes its operations answer 500 for %s, and nothing else", async (_what, config) => {
    await writeFile(join(served.home, "config.yaml"), config);

    const answers = await Promise.all(
      [BASE, `${BASE}/default`, `${BASE}/default/servers`, `${BASE}/default/servers/time`].map((path) =>
        served.send("GET", path),
      ),
    );

    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [500, "Failed to get registry\n"],
      [500, "Failed to get registry\n"],
      [500, "Failed to list servers\n"],
      [500, "Failed to get server\n"],
    ]);
    expect((await served.send("GET", "/api/v1beta/version")).status).toBe(200);
    expect(served.bugs).toEqual([]);
  });
});

test("is read again where it comes from", async () => {
  const path = join(served.home, "mine.json");
  const registry = { version: "1.0.0", last_updated: "2026-01-01T00:00:00Z", servers: {} };
  await writeFile(path, JSON.stringify(registry));
  await writeFile(join(served.home, "config.yaml"), `registry_url: ${path}\n`);
  const refresh = async (name: string) => await served.send("POST", `${BASE}/${name}/refresh`);

  expect(JSON.parse((await refresh("default")).body)).toMatchObject({ version: "1.0.0", server_count: 0 });
  await writeFile(path, JSON.stringify({ ...registry, version: "2.0.0" }));
  expect(JSON.parse((await refresh("default")).body)).toMatchObject({ version: "2.0.0" });
  expect((await refresh("other")).status).toBe(404);
});

describe("a registry that is set through the API", () => {
  const put = async (body: object, name = "default") => {
    const answer = await served.send("PUT", `${BASE}/${name}`, {
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: answer.body };
  };
  const upstream = async () => {
    const path = join(served.home, "servers.json");
    const entry = { description: "A server for tests.", version: "2.0.0" };
    const remotes = [{ type: "sse", url: "https://a.example/sse", headers: [{ name: "X-Key", isRequired: true }] }];
    const damaged = { name: "com.example/damaged", ...entry };
    await writeFile(path, JSON.stringify([{ name: "com.example/remote", ...entry, remotes }, damaged]));
    return path;
  };

  test("is read, saved and used, with remote servers and what was skipped", async () => {
    const local_path = await upstream();

    const { status, body } = await put({ local_path });

    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ name: "default", type: "file", server_count: 1, skipped_count: 1 });
    expect((await getJson(`${BASE}/default`)).body).toMatchObject({
      registry: { servers: {}, remote_servers: { "com.example/remote": { url: "https://a.example/sse" } }, groups: [] },
      skipped: [{ name: "com.example/damaged", reason: "it has neither a package nor a remote server" }],
    });
    for (const name of ["com.example%2Fremote", "remote", "remote@2.0.0"]) {
      expect((await getJson(`${BASE}/default/servers/${name}`)).body).toMatchObject({
        is_remote: true,
        remote_server: { name: "com.example/remote", headers: [{ name: "X-Key", required: true }] },
      });
    }
    expect((await served.send("GET", `${BASE}/default/servers/remote@1.0.0`)).status).toBe(404);
    expect(JSON.parse((await put({})).body)).toMatchObject({ type: "default", server_count: 29 });
  });

  test.each([
    ["two places", { url: "https://a.example/r.json", local_path: "/r.json" }, 400],
    ["a relative path", { local_path: "r.json" }, 400],
    ["plain http", { url: "http://a.example/r.json" }, 400],
    ["a file that is not there", { local_path: "/nowhere/r.json" }, 500],
    ["a sign-in", { url: "https://a.example/r.json", auth: { issuer: "https://login.example" } }, 400],
    ["a private address", { url: "https://127.0.0.1:1/r.json" }, 500],
    ["an unknown member", { path: "/r.json" }, 400],
  ])("is refused with %s, and nothing changes", async (_what, body, status) => {
    expect((await put(body)).status).toBe(status);
    expect((await getJson(BASE)).body.registries[0]).toMatchObject({ type: "default" });
  });

  test("is a further source under another name, listed with the others, changed, and removed", async () => {
    const local_path = await upstream();

    expect(await put({}, "team")).toMatchObject({ status: 400 });
    expect(JSON.parse((await put({ local_path }, "team")).body)).toMatchObject({ name: "team", server_count: 1 });
    expect((await getJson(BASE)).body.registries).toMatchObject([{ name: "default" }, { name: "team", type: "file" }]);
    expect((await getJson(`${BASE}/team/servers/remote`)).body).toMatchObject({ is_remote: true });
    expect((await served.send("GET", `${BASE}/default/servers/remote`)).status).toBe(404);
    expect((await getJson("/api/v1beta/catalog?source=team")).body.entries).toMatchObject([
      { reference: "com.example/remote", source: "team", remote_server: { url: "https://a.example/sse" } },
    ]);
    for (const reference of ["remote", "team%2Fremote", "team%2Fcom.example%2Fremote"]) {
      expect((await getJson(`/api/v1beta/catalog/${reference}`)).body).toMatchObject({ source: "team" });
    }
    expect((await served.send("GET", "/api/v1beta/catalog/team%2Fnope")).status).toBe(404);
    expect((await served.send("GET", "/api/v1beta/catalog/ghcr.io%2Fa%2Fb:1")).status).toBe(404);
    expect((await served.send("DELETE", `${BASE}/team`)).status).toBe(204);
    expect((await getJson(BASE)).body.registries).toHaveLength(1);
  });

  test.each(["mcp", "Team", "a", "default/x", "x".repeat(40)])("cannot be named %j", async (name) => {
    const local_path = await upstream();

    expect((await put({ local_path }, encodeURIComponent(name))).status).toBe(400);
  });

  test("that cannot be read is listed with its problem, and hides nothing", async () => {
    await writeFile(
      join(served.home, "config.yaml"),
      "registry_sources:\n  - {name: gone, url: /nowhere/r.json}\n  - {name: odd, url: ftp://a.example/}\n",
    );

    const { body } = await getJson("/api/v1beta/catalog");

    expect(body.entries).toHaveLength(29);
    expect(body.sources).toMatchObject([
      { name: "default", server_count: 29 },
      { name: "gone", server_count: 0, problem: expect.stringContaining("/nowhere/r.json") },
      { name: "odd", server_count: 0, problem: expect.stringContaining("ftp://a.example/") },
    ]);
    expect((await getJson("/api/v1beta/catalog?search=git")).body.entries[0]).toMatchObject({ reference: "git" });
  });
});
