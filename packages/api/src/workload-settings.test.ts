import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { answeringServer, exitingServer } from "@toolhive/core/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ApiClient } from "./client.ts";
import { FINDINGS, ServedWorld, SUPERVISOR, VERSION } from "./testing/served-world.ts";

const WAIT = { timeout: 20_000, interval: 10 };
const REQUEST = { name: "mine", image: "mcp/echo:1", env_vars: ["UNITS=metric"], labels: { team: "maps" } };

let served: ServedWorld;
let client: ApiClient;
beforeEach(async () => {
  served = await ServedWorld.start();
  client = new ApiClient({ host: "127.0.0.1", port: served.port });
});
afterEach(async () => {
  expect(served.bugs).toEqual([]);
  expect(served.world.bugs).toEqual([]);
  await served[Symbol.asyncDispose]();
});

const params = { name: "mine" };
const status = async () => (await client.call("getWorkloadStatus", { params })).status;

async function run(more: object = {}): Promise<number> {
  const { port } = await client.call("createWorkload", { body: { ...REQUEST, ...more } });
  await expect.poll(status, WAIT).toBe("running");
  return port;
}

async function installCursor(text: string): Promise<string> {
  await mkdir(join(served.home, ".cursor"));
  const path = join(served.home, ".cursor/mcp.json");
  await writeFile(path, text);
  return path;
}

describe("a plan", () => {
  test("says what creating would do, without values of variables and without others' tokens", async () => {
    await installCursor('{"mcpServers":{"other":{"env":{"TOKEN":"of-mine"}}}}');
    await client.call("registerClient", { body: { name: "cursor" } });

    const { plan, files } = await client.call("planWorkload", { body: REQUEST });

    expect(plan).toMatchObject({ name: "mine", image_from: "engine", variables: ["UNITS"], port_chosen: false });
    expect(files).toMatchObject([{ client: "cursor", after: expect.stringContaining('"mine"') }]);
    expect(JSON.stringify({ plan, files })).not.toMatch(/metric|of-mine/);
    expect(await client.call("listWorkloads", { query: { all: "true" } })).toEqual({ workloads: [] });
  });

  test("for a workload that exists keeps its port, and refuses another name", async () => {
    const port = await run();
    const body = { ...REQUEST, env_vars: ["UNITS=imperial"] };

    await expect(client.call("planWorkload", { body })).rejects.toMatchObject({ code: "WORKLOAD_EXISTS" });
    expect((await client.call("planWorkload", { body, query: { replace: "mine" } })).plan).toMatchObject({
      name: "mine",
      port_chosen: true,
      url: `http://127.0.0.1:${port}/mcp`,
    });
    const renamed = { body: { ...body, name: "other" }, query: { replace: "mine" } };
    await expect(client.call("planWorkload", renamed)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    const missing = { body, query: { replace: "nobody" } };
    await expect(client.call("planWorkload", missing)).rejects.toMatchObject({ code: "WORKLOAD_NOT_FOUND" });
  });
});

describe("a workload", () => {
  test("is described by a request that makes it again, its plan and its container", async () => {
    served.world.secrets.set("key", "value-of-the-secret");
    const port = await run({ secrets: [{ name: "key", target: "API_KEY" }] });

    const details = await client.call("getWorkloadDetails", { params });

    expect(details).toMatchObject({
      request: { ...REQUEST, proxy_port: port, secrets: [{ name: "key", target: "API_KEY" }] },
      plan: { secrets: ["key,target=API_KEY"] },
      container_id: expect.stringMatching(/^[0-9a-f]{64}$/),
      started_at: expect.stringMatching(/Z$/),
    });
    expect(JSON.stringify(details)).not.toContain("value-of-the-secret");
    expect(await client.call("exportWorkload", { params })).toEqual(details.request);

    await client.call("deleteWorkload", { params });
    await expect.poll(() => served.world.containers, WAIT).toEqual([]);
    await client.call("createWorkload", { body: details.request ?? REQUEST });
    await expect.poll(status, WAIT).toBe("running");
    expect(await client.call("exportWorkload", { params })).toEqual(details.request);
  });

  test("that failed says so with code and hint", async () => {
    served.world.engine.images.delete("mcp/echo:1");
    served.world.engine.images.set("mcp/exits:1", exitingServer(3));
    await client.call("createWorkload", { body: { ...REQUEST, image: "mcp/exits:1" } });

    await expect.poll(status, WAIT).toBe("error");
    expect(await client.call("getWorkloadStatus", { params })).toMatchObject({ error: { code: "SERVER_EXITED" } });
  });

  test.each(["getWorkloadStatus", "exportWorkload", "getWorkloadDetails"] as const)(
    "that is not there is not found by %s",
    async (id) => {
      await expect(client.call(id, { params })).rejects.toMatchObject({ code: "WORKLOAD_NOT_FOUND" });
      await expect(client.call(id, { params: { name: ".." } })).rejects.toMatchObject({
        code: "INVALID_WORKLOAD_NAME",
      });
    },
  );
});

describe("an edit", () => {
  test("replaces the settings in place, with the request that the details have", async () => {
    const port = await run();
    const { request = REQUEST } = await client.call("getWorkloadDetails", { params });

    const body = { ...request, env_vars: ["UNITS=imperial"] };
    expect(await client.call("editWorkload", { params, body })).toEqual({ name: "mine", port });

    expect(await client.call("exportWorkload", { params })).toEqual(body);
    expect(served.world.engine.find("mine")?.spec.env).toMatchObject({ UNITS: "imperial" });
  });

  test("with which the server does not run says so, and what ran before runs", async () => {
    await run();
    const before = await client.call("exportWorkload", { params });

    const body = { ...REQUEST, cmd_arguments: ["crash"] };
    await expect(client.call("editWorkload", { params, body })).rejects.toMatchObject({
      code: "SERVER_EXITED",
      message: expect.stringContaining("It runs as it did before."),
    });

    expect(await client.call("exportWorkload", { params })).toEqual(before);
    expect(await client.call("getWorkloadStatus", { params })).toMatchObject({
      status: "running",
      status_context: expect.stringContaining("The new settings did not work"),
    });
  });

  test.each([
    ["a workload that is not there", "nobody", REQUEST, "WORKLOAD_NOT_FOUND"],
    ["no image", "mine", { name: "mine" }, "INVALID_ARGUMENT"],
    ["another name", "mine", { ...REQUEST, name: "other" }, "INVALID_ARGUMENT"],
  ])("of %s is refused", async (_what, name, body, code) => {
    await run();
    const edit = client.call("editWorkload", { params: { name }, body: body as typeof REQUEST });
    await expect(edit).rejects.toMatchObject({ code });
  });
});

describe("an upgrade", () => {
  test("is shown in both forms, done, and not needed any more", async () => {
    const entry = {
      name: "echo",
      image: "mcp/echo:2",
      description: "Says what it hears.",
      tier: "Community",
      status: "Active",
      transport: "stdio",
      tools: ["echo"],
      env_vars: [{ name: "VOICE", description: "How it sounds.", required: true }],
    } as const;
    served.world.registry.set("echo", { ...entry, tools: [...entry.tools], env_vars: [...entry.env_vars] });
    served.world.engine.registry.set("mcp/echo:2", answeringServer);
    const port = await run();
    const found = { name: "mine", image: "mcp/echo:1", available: true, server: "echo", new_image: "mcp/echo:2" };

    const result = {
      workload_name: "mine",
      registry_server: "echo",
      status: "upgrade-available",
      current_image: "mcp/echo:1",
      candidate_image: "mcp/echo:2",
      env_var_drift: { added: entry.env_vars },
    };

    expect(await client.call("checkUpgrade", { params })).toEqual({
      ...found,
      new_variables: entry.env_vars,
      result,
    });
    expect(await client.call("checkUpgrades")).toMatchObject({ workloads: [found], results: [result] });
    expect((await client.call("checkUpgrades", { query: { group: "default", all: "true" } })).workloads).toHaveLength(
      1,
    );
    await client.call("createGroup", { body: { name: "work" } });
    expect((await client.call("checkUpgrades", { query: { group: "work" } })).workloads).toEqual([]);
    await expect(client.call("checkUpgrades", { query: { group: "no" } })).rejects.toMatchObject({
      code: "GROUP_NOT_FOUND",
    });
    const upgrade = async (env: string[]) => await client.call("upgradeWorkload", { params, body: { env } });
    await expect(upgrade([])).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    await expect(upgrade(["VOICE"])).rejects.toThrow(/"VOICE" is not KEY=VALUE/);
    expect(await upgrade(["VOICE=loud=er"])).toEqual({ name: "mine", port, image: "mcp/echo:2" });

    expect(await client.call("checkUpgrade", { params })).toMatchObject({
      available: false,
      reason: expect.any(String),
      result: { status: "up-to-date", reason: expect.any(String) },
    });
    await expect(upgrade(["VOICE"])).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(served.world.engine.find("mine")?.spec.env).toMatchObject({ UNITS: "metric", VOICE: "loud=er" });
  });
});

describe("the settings of a client", () => {
  test("are shown as they would be, changed, and put back", async () => {
    const before = '{"mcpServers":{"other":{"env":{"TOKEN":"of-mine"}}}}';
    const path = await installCursor(before);
    const port = await run();

    const { files } = await client.call("planClients", { body: { register: ["cursor"], unregister: [] } });
    expect(files).toMatchObject([{ client: "cursor", path, after: expect.stringContaining(`:${port}/mcp`) }]);
    expect(JSON.stringify(files)).not.toContain("of-mine");
    expect(await readFile(path, "utf8")).toBe(before);

    await client.call("registerClient", { body: { name: "cursor" } });
    expect(await readFile(path, "utf8")).toContain(`:${port}/mcp`);
    const undo = { params: { name: "cursor" } };
    const planned = await client.call("undoClient", { ...undo, body: { apply: false } });
    expect(planned).toMatchObject({ only_ours: true, file: { client: "cursor", path } });
    expect(JSON.stringify(planned)).not.toContain("of-mine");
    expect(await client.call("listClients")).toEqual([{ name: "cursor", groups: ["default"] }]);
    await client.call("undoClient", { ...undo, body: { apply: true } });
    expect([await readFile(path, "utf8"), await client.call("listClients")]).toEqual([before, []]);
    expect(await client.call("undoClient", { ...undo, body: { apply: true } })).toEqual({});
  });

  test("of clients that are not installed are no part of a plan to unregister them", async () => {
    await client.call("registerClient", { body: { name: "cursor" } });
    const body = { register: [], unregister: ["cursor", "vscode"] };

    expect(await client.call("planClients", { body })).toEqual({ files: [] });
  });

  test("that cannot be changed are named by the plan of a server, which starts without them", async () => {
    const path = await installCursor("{}");
    await client.call("registerClient", { body: { name: "cursor" } });
    await writeFile(path, "{");
    const { plan, files } = await client.call("planWorkload", { body: { name: "other", image: "mcp/echo:1" } });

    expect(files).toEqual([]);
    expect(plan.warnings).toEqual([expect.stringContaining(`${path} of Cursor cannot be edited`)]);
  });

  test("of a client that there is not are not touched", async () => {
    const unknown = { code: "CLIENT_UNKNOWN" };
    const body = { register: ["../.bashrc"], unregister: [] };
    await expect(client.call("planClients", { body })).rejects.toMatchObject(unknown);
    const undo = { params: { name: "../.bashrc" }, body: { apply: true } };
    await expect(client.call("undoClient", undo)).rejects.toMatchObject(unknown);
  });

  test("are whole for the user's own program", async () => {
    await installCursor('{"mcpServers":{"other":{"env":{"TOKEN":"of-mine"}}}}');
    await run();
    const socketPath = join(served.home, "thv.sock");
    await served.server.listenOnSocket(socketPath);
    const own = new ApiClient({ socketPath });

    const { files } = await own.call("planClients", { body: { register: ["cursor"], unregister: [] } });

    expect(JSON.stringify(files)).toContain("of-mine");
  });
});

test("the system says what runs, and since when", async () => {
  expect(await client.call("getSystem")).toEqual({
    product: "ToolHive",
    command: "thv",
    docs_url: expect.stringMatching(/^http.*\/toolhive$/),
    version: VERSION,
    channel: "source",
    mode: "background",
    pid: SUPERVISOR.pid,
    started_at: SUPERVISOR.startedAt,
    memory: { rss_bytes: expect.any(Number) },
  });
});

test("the doctor examines the machine once for all who ask at the same time", async () => {
  const answers = await Promise.all([client.call("runDoctor"), client.call("runDoctor")]);

  expect(answers).toEqual([{ findings: FINDINGS }, { findings: FINDINGS }]);
});
