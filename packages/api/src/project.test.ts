/** What runs becomes a file, and the file becomes the same on another machine. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ApiClient } from "./client.ts";
import { ServedWorld } from "./testing/served-world.ts";

const WAIT = { timeout: 20_000, interval: 10 };

let served: ServedWorld;
let client: ApiClient;
beforeEach(async () => {
  served = await ServedWorld.start();
  client = new ApiClient({ host: "127.0.0.1", port: served.port });
});
afterEach(async () => {
  expect(served.bugs).toEqual([]);
  await served[Symbol.asyncDispose]();
});

async function run(name: string, more: object = {}, of = client): Promise<void> {
  await of.call("createWorkload", { body: { name, image: "mcp/echo:1", ...more } });
  const status = async () => (await of.call("getWorkloadStatus", { params: { name } })).status;
  await expect.poll(status, WAIT).toBe("running");
}

/** Two servers, one in a group with a choice and a client. */
async function runSet(): Promise<void> {
  served.world.secrets.set("key", "hunter2");
  await client.call("createGroup", {
    body: { name: "work", naming: "always", tools: ["first__add"], find_tools: true },
  });
  await run("first", {
    group: "work",
    env_vars: ["UNITS=metric"],
    secrets: [{ name: "key", target: "API_KEY" }],
    limits: { memory_bytes: 536_870_912 },
    sleep_after_seconds: 600,
    permission_profile: { name: "none" },
  });
  await run("second", { enable_audit: true });
  await client.call("registerClient", { body: { name: "cursor", groups: ["work"] } });
}

describe("an export", () => {
  test("is a file with every server, its group and the group's clients, and has secrets by name", async () => {
    await runSet();

    const { file, ...rest } = await client.call("exportProject");

    expect(rest).toEqual({ servers: ["first", "second"], groups: ["work"], secrets: ["key"], left_out: [] });
    expect(file).toContain("API_KEY: key");
    expect(file).not.toContain("hunter2");
    expect(file).toMatch(
      /work:\n {4}port: \d+\n {4}naming: always\n {4}tools:\n {6}- first__add\n {4}find_tools: true/,
    );
  });

  test("read on another machine, creates the same: its export is the same text", async () => {
    await runSet();
    const { file } = await client.call("exportProject");
    await using second = await ServedWorld.start();
    second.world.secrets.set("key", "another");
    const other = new ApiClient({ host: "127.0.0.1", port: second.port });

    const read = await other.call("readProject", { body: { text: file } });
    expect(read.problems).toEqual([]);
    for (const { name, clients: _clients, port: _port, ...choice } of read.groups)
      await other.call("createGroup", { body: { name, ...choice } });
    for (const { name, request, groups: [group] = [] } of read.servers) {
      const { proxy_port: _port, ...settings } = request;
      await run(name, { ...settings, ...(group !== undefined && { group }) }, other);
    }
    for (const { name, clients = [] } of read.groups)
      for (const each of clients) await other.call("registerClient", { body: { name: each, groups: [name] } });

    const withoutPorts = (text: string) => text.replace(/^ *(?:proxy_)?port: \d+\n/gm, "");
    expect(withoutPorts((await other.call("exportProject")).file)).toBe(withoutPorts(file));
  });

  test("of a group has its name and its servers alone", async () => {
    await runSet();

    const { file, servers } = await client.call("exportProject", { query: { group: "work" } });

    expect(servers).toEqual(["first"]);
    expect(file).toMatch(/^name: work\n/);
    await expect(client.call("exportProject", { query: { group: "absent" } })).rejects.toMatchObject({
      code: "GROUP_NOT_FOUND",
    });
  });

  test("names what it leaves out: a value that looks secret, headers of telemetry, a name that no project has", async () => {
    await run("first", {
      env_vars: ["API_TOKEN=hunter2"],
      telemetry: { endpoint: "https://collector.example.com", headers: ["x-key=hunter2"] },
    });

    const { file, left_out } = await client.call("exportProject", { query: { name: "No Name" } });

    expect(file).not.toContain("hunter2");
    expect(left_out).toEqual([
      { server: "first", member: "access.telemetry.headers", reason: expect.stringContaining("key") },
      { server: "first", member: "env.API_TOKEN", reason: expect.stringContaining("thv secret set first-api-token") },
      { member: "name", reason: expect.stringContaining("2 to 40 small letters") },
    ]);
  });
});

describe("a file that is read", () => {
  test("has each problem with its line and member, and no server while there are any", async () => {
    const text = "name: X\nservers:\n  a1:\n    run: fetch\n    memory: much\n  b1: {}\n";

    expect(await client.call("readProject", { body: { text } })).toEqual({
      servers: [],
      groups: [],
      secrets: [],
      problems: [
        { line: 1, member: "name", problem: expect.stringContaining("2 to 40 small letters") },
        { line: 5, member: "servers.a1.memory", problem: expect.stringContaining("a size such as 512m") },
        { line: 6, member: "servers.b1", problem: expect.stringContaining('missing "run"') },
      ],
    });
  });

  test("needs the path of its file for relative paths, and repeats no words of another kind of file", async () => {
    const text =
      'servers:\n  a1:\n    run: fetch\n    volumes: ["./maps:/maps"]\n    access: { authz_config: p.yaml }\n';
    const read = async (more: object) => await client.call("readProject", { body: { text, ...more } });

    expect((await read({})).problems.map(({ line, member }) => [line, member])).toEqual([
      [4, "servers.a1.volumes"],
      [5, "servers.a1.access.authz_config"],
    ]);
    expect(await read({ path: "/srv/shop/thv.yaml" })).toMatchObject({
      servers: [{ request: { volumes: ["/srv/shop/maps:/maps"], authz_config: "/srv/shop/p.yaml" } }],
      problems: [],
    });
    expect((await client.call("readProject", { body: { text: "password: hunter2" } })).problems).toEqual([
      { line: 1, member: "", problem: 'the file is missing "servers"' },
    ]);
  });

  test.each([
    ["aliases of aliases", `a: &a [x]\n${Array.from({ length: 200 }, () => "b: *a").join("\n")}\nservers: {}\n`],
    ["brackets in brackets", `servers: ${"[".repeat(5_000)}`],
    ["no YAML", "servers: [\n"],
    ["a server a hundred times", `servers:\n${"  a1: { run: fetch }\n".repeat(100)}`],
    ["too many servers", `servers:\n${Array.from({ length: 101 }, (_, n) => `  s${n}x: { run: fetch }\n`).join("")}`],
  ])("of a hostile kind has problems and no servers: %s", async (_what, text) => {
    const read = await client.call("readProject", { body: { text } });

    expect(read.servers).toEqual([]);
    expect(read.problems.length).toBeGreaterThan(0);
  });
});
