/** Every finding of `thv doctor`, made on purpose. The engine here is a socket that answers like one. */
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { type AddressInfo, createServer as createPort } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { main } from "../../main.ts";
import { supervisorFiles } from "../../supervisor/supervisor-files.ts";
import { FakeTerminal } from "../../testing/fake-terminal.ts";
import { SERVE } from "../serve/definition.ts";
import type { Finding, Machine } from "./check.ts";
import { API_PORT, examine } from "./doctor.ts";

const PLENTY = 1e12;

let home: string;
let env: Record<string, string>;
/** Nobody listens there. The machine's own 8080 may be taken, for example by `npm start`. */
let apiPort: number;
const servers: Server[] = [];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "thv-doctor-"));
  env = {
    HOME: home,
    XDG_STATE_HOME: join(home, "s"),
    XDG_DATA_HOME: join(home, "d"),
    XDG_CONFIG_HOME: join(home, "c"),
    DOCKER_HOST: `unix://${join(home, "engine.sock")}`,
  };
  apiPort = await holdPort(0).then(async ({ port, release }) => {
    await release();
    return port;
  });
  await listen(join(home, "engine.sock"), { Version: "20.10.24", ApiVersion: "1.41", MinAPIVersion: "1.12" });
});
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
  await rm(home, { recursive: true, force: true });
});

/** Listens at a port of this machine: at any free one for 0. */
async function holdPort(wanted: number): Promise<{ port: number; release: () => Promise<void> }> {
  const server = createPort();
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(wanted, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { port, release: () => new Promise((resolve) => server.close(() => resolve())) };
}

async function listen(path: string, answer: unknown): Promise<void> {
  await listenWith(path, () => [200, answer]);
}

async function listenWith(path: string, answer: (url: string) => readonly [status: number, body: unknown]) {
  await mkdir(dirname(path), { recursive: true });
  const server = createServer((request, response) => {
    const [status, body] = answer(request.url ?? "");
    const type = status === 200 ? "application/json" : "application/problem+json";
    response.writeHead(status, { "Content-Type": type, Connection: "close" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  servers.push(server);
}

async function write(path: string, text: string, mode = 0o600): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, text, { mode });
}

function machine(changes: Partial<Machine> = {}): Machine {
  return {
    context: {
      terminal: new FakeTerminal().terminal,
      env,
      signal: new AbortController().signal,
      tree: { commands: [], groups: [] },
    },
    home,
    platform: "linux",
    nodeVersion: "v20.19.0",
    version: "v1.0.0",
    program: { path: join(home, "toolhive/packages/cli/dist/thv.mjs"), isSingleFile: false },
    workDirectory: home,
    apiPort,
    openKeyring: async () => ({ unavailable: "none on this machine" }),
    freeBytes: async () => PLENTY,
    ...changes,
  };
}

/** A supervisor that runs, with other variables than this command has. */
async function listenAsSupervisor(engine: unknown): Promise<void> {
  const { socket } = supervisorFiles(env);
  await listen(socket, { pid: 4711, version: "v1.0.0", mode: "background", variables: {}, engine });
  await chmod(socket, 0o600);
}

/** What is not fine. */
async function troubles(changes: Partial<Machine> = {}): Promise<Finding[]> {
  return (await examine(machine(changes))).filter(({ status }) => status !== "ok");
}

const configPath = () => join(supervisorFiles(env).directories.config, "config.yaml");
const runConfig = (name: string, port: number) =>
  JSON.stringify({
    ...{ name, container_name: name, base_name: name, image: "mcp/echo:1", cmd_args: [], transport: "stdio" },
    ...{ proxy_mode: "sse", host: "127.0.0.1", port, env_vars: {}, desired_state: "running" },
    created_at: "2026-01-01T00:00:00Z",
  });

test("on a machine where all is well finds nothing but that no place for secrets was chosen", async () => {
  expect(await troubles()).toEqual([
    { check: "secrets", status: "warn", message: "no provider is set up", fix: "Set them up: thv secret setup" },
  ]);
});

describe("secrets that this command cannot open", () => {
  async function sealSecrets(): Promise<void> {
    await write(configPath(), "secrets:\n  provider_type: encrypted\n  setup_completed: true\n");
    await write(join(supervisorFiles(env).directories.data, "secrets_encrypted"), "sealed with another password");
  }
  const listen = async (answer: unknown, status = 200) => {
    const { socket } = supervisorFiles(env);
    await listenWith(socket, (url) =>
      url.endsWith("/keys")
        ? [status, answer]
        : [200, { pid: 4711, version: "v1.0.0", mode: "background", variables: {} }],
    );
    await chmod(socket, 0o600);
  };
  const found = async () => (await examine(machine())).filter(({ check }) => check === "secrets");

  test("are fine where the supervisor has their password", async () => {
    await sealSecrets();
    await listen({ keys: [{ key: "one", used_by: [] }] });

    expect(await found()).toEqual([{ check: "secrets", status: "ok", message: "1 secret, which can be read" }]);
  });

  test("are locked where the supervisor says so, although this command has a password", async () => {
    await sealSecrets();
    env.TOOLHIVE_SECRETS_PASSWORD = "a good password";
    const problem = { code: "SECRETS_LOCKED", detail: "The secrets are locked.", hint: "Run thv secret list." };
    await listen({ title: "Internal Server Error", status: 500, ...problem }, 500);

    expect(await found()).toMatchObject([{ check: "secrets", status: "warn" }]);
  });
});

test("names the engine of the supervisor that runs, and not the one that this command would find", async () => {
  await listenAsSupervisor({ kind: "podman", version: "5.2.0", address: "/run/podman.sock" });

  expect(await examine(machine())).toContainEqual({
    check: "engine",
    status: "ok",
    message: "Podman 5.2.0 at /run/podman.sock, which the supervisor uses",
  });
});

test("asks Podman's machine for its socket once", async () => {
  const calls = join(home, "calls");
  const socket = join(home, "engine.sock");
  await write(join(home, "programs/podman"), `#!/bin/sh\necho "$*" >> '${calls}'\necho '${socket}'\n`, 0o755);
  const machineOfPodman = { URI: "ssh://core@127.0.0.1:1/run/podman.sock", IsMachine: true };
  const connections = { Connection: { Default: "m", Connections: { m: machineOfPodman } } };
  await write(join(home, "c/containers/podman-connections.json"), JSON.stringify(connections));
  const { DOCKER_HOST: _named, ...others } = env;
  env = { ...others, PATH: join(home, "programs") };

  const findings = await examine(machine());

  expect(findings).toContainEqual({
    check: "engine",
    status: "ok",
    message: `Docker 20.10.24 at ${socket}, found by Podman machine "m"`,
  });
  expect(await readFile(calls, "utf8")).toMatch(/^machine inspect [^\n]*\n$/);
});

describe("limits that the engine does not keep are named with the remedy", () => {
  const LIMITS = {
    check: "limits",
    status: "warn",
    message: "the container engine cannot limit servers in: memory, processes",
    fix: expect.stringContaining("Delegate=cpu cpuset io memory pids"),
  };

  test("of the engine that this command finds", async () => {
    const limited = { Version: "20.10.24", ApiVersion: "1.41", MemoryLimit: false, PidsLimit: false };
    env.DOCKER_HOST = `unix://${join(home, "limited.sock")}`;
    await listen(join(home, "limited.sock"), limited);

    expect(await troubles()).toContainEqual(LIMITS);
  });

  test("of the engine that the supervisor uses", async () => {
    const engine = { kind: "podman", version: "5.2.0", address: "/run/podman.sock" };
    await listenAsSupervisor({ ...engine, missingLimits: ["memory", "pids"] });

    expect(await troubles()).toContainEqual(LIMITS);
  });
});

test("says nothing of modes and owners on Windows, which has none", async () => {
  await listenAsSupervisor({ kind: "docker", version: "27.0.0", address: "/run/docker.sock" });
  const { directories, socket } = supervisorFiles(env);
  await mkdir(directories.data, { recursive: true });
  await chmod(socket, 0o666);
  for (const folder of [directories.state, directories.data]) await chmod(folder, 0o777);

  const findings = await examine(machine({ platform: "win32" }));

  expect(findings).toContainEqual({
    check: "folders",
    status: "ok",
    message: "settings, data and state can be written",
  });
  expect(findings.filter(({ check }) => check === "supervisor socket")).toEqual([]);
  expect(JSON.stringify(findings)).not.toMatch(/chmod|other users/);
});

/** An executable file of the name that a shell searches. */
async function plantProgram(folder: string, marker?: string): Promise<string> {
  const path = join(home, folder, "thv");
  await write(path, "", 0o755);
  if (marker !== undefined) await write(join(home, folder, "installation.json"), marker);
  return path;
}

test("is content with one thv, a version that is the newest known, and a shell that completes", async () => {
  const program = await plantProgram("bin");
  env.PATH = [join(home, "absent"), dirname(program), ""].join(":");
  env.SHELL = "/bin/bash";
  await write(join(env.XDG_DATA_HOME ?? "", "toolhive/updates.json"), '{"instance_id":"x","latest_version":"v1.0.0"}');
  await write(join(env.XDG_DATA_HOME ?? "", "bash-completion/completions/thv"), "");

  const findings = await examine(machine({ program: { path: program, isSingleFile: true } }));

  expect(findings).toContainEqual({ check: "path", status: "ok", message: `thv in the PATH is ${program}` });
  expect(findings).toContainEqual({ check: "update", status: "ok", message: "no newer version than v1.0.0 is known" });
  expect(findings.find(({ check }) => check === "completion")).toMatchObject({ status: "ok" });
});

test("says which thv runs now, where the only one in the PATH is another", async () => {
  const program = await plantProgram("bin");
  env.PATH = dirname(program);

  const { path } = machine().program;
  expect(await examine(machine())).toContainEqual({
    check: "path",
    status: "ok",
    message: `thv in the PATH is ${program}; this one is ${path}, which is not in it`,
  });
});

test("goes by no damaged answer of the update check", async () => {
  const file = join(env.XDG_DATA_HOME ?? "", "toolhive/updates.json");
  await write(file, '{"instance_id":"x","latest_version":"\\u001b[2J9.9.9"}');

  expect((await examine(machine())).filter(({ check }) => check === "update")).toEqual([]);
});

describe("each problem is reported with its remedy", () => {
  const cases: readonly (readonly [what: string, make: () => Promise<Partial<Machine>>, found: Partial<Finding>])[] = [
    [
      "an old Node.js",
      async () => ({ nodeVersion: "v20.18.3" }),
      { check: "version", status: "fail", fix: "Install Node.js 20.19 or newer: https://nodejs.org" },
    ],
    [
      "a newer version, in the words of how this one was installed",
      async () => {
        await write(
          join(env.XDG_DATA_HOME ?? "", "toolhive/updates.json"),
          '{"instance_id":"x","latest_version":"v1.2.0"}',
        );
        return { program: { path: await plantProgram("usr/lib/thv", '{"channel":"homebrew"}'), isSingleFile: true } };
      },
      {
        check: "update",
        status: "warn",
        message: "v1.2.0 is available; this is v1.0.0",
        fix: "Update it: brew upgrade thv",
      },
    ],
    [
      "two programs of the same name",
      async () => {
        const first = await plantProgram("usr/lib/thv", '{"channel":"deb"}');
        const second = await plantProgram("bin");
        env.PATH = `${dirname(first)}:${dirname(second)}`;
        return { program: { path: second, isSingleFile: true } };
      },
      {
        check: "path",
        status: "warn",
        message: expect.stringMatching(
          /^thv is \S+\/usr\/lib\/thv\/thv \(deb\), and the PATH also has \S+\/bin\/thv \(file, this one\), which does not run$/,
        ),
        fix: expect.stringMatching(
          /^Remove what does not run: rm \S+\/bin\/thv\. Or remove the first: sudo apt-get remove thv$/,
        ),
      },
    ],
    [
      "a shell that does not complete",
      async () => {
        Object.assign(env, { SHELL: "/bin/bash", XDG_DATA_DIRS: home, HOMEBREW_PREFIX: home });
        return {};
      },
      {
        check: "completion",
        status: "warn",
        message: "bash does not complete thv yet",
        fix: expect.stringMatching(/&& thv completion bash > \S+\/bash-completion\/completions\/thv$/),
      },
    ],
    [
      "no engine",
      async () => {
        env.DOCKER_HOST = `unix://${join(home, "absent.sock")}`;
        return {};
      },
      { check: "engine", status: "fail", message: expect.stringContaining("absent.sock, named by DOCKER_HOST") },
    ],
    [
      "an address of an engine that is none",
      async () => {
        env.DOCKER_HOST = "ftp://host";
        return {};
      },
      { check: "engine", status: "fail", message: expect.stringContaining("not an engine's address") },
    ],
    [
      "a supervisor of another version",
      async () => {
        await listen(supervisorFiles(env).socket, { pid: 4711, version: "v0.9.0" });
        return {};
      },
      { check: "supervisor", status: "warn", message: "runs as process 4711, version v0.9.0; this is thv v1.0.0" },
    ],
    [
      "a supervisor of a newer version, which no command replaces",
      async () => {
        await listen(supervisorFiles(env).socket, { pid: 4711, version: "v1.1.0" });
        return {};
      },
      {
        check: "supervisor",
        status: "warn",
        message: "runs as process 4711, version v1.1.0; this is thv v1.0.0",
        fix: expect.stringMatching(/^Use the newer thv that started it, or end it: kill 4711/),
      },
    ],
    [
      "an engine that a supervisor which runs does not use",
      async () => {
        await listenAsSupervisor({ kind: "podman", version: "5.2.0", address: "/run/podman.sock" });
        return {};
      },
      {
        check: "variables",
        status: "warn",
        message: expect.stringContaining(
          "which uses Podman 5.2.0 at /run/podman.sock, was started with other variables",
        ),
        fix: expect.stringContaining("kill 4711"),
      },
    ],
    [
      "a supervisor without an engine, however well another one answers",
      async () => {
        await listenAsSupervisor(null);
        return {};
      },
      { check: "engine", status: "fail", message: expect.stringContaining("is connected to no container engine") },
    ],
    [
      "a supervisor's socket that others may use",
      async () => {
        const { socket } = supervisorFiles(env);
        await listen(socket, { pid: 4711, version: "v1.0.0" });
        await chmod(socket, 0o666);
        return {};
      },
      { check: "supervisor socket", status: "fail", fix: expect.stringContaining("chmod 600") },
    ],
    [
      "a folder that others may change",
      async () => {
        const { state } = supervisorFiles(env).directories;
        await mkdir(state, { recursive: true });
        await chmod(state, 0o777);
        return {};
      },
      { check: "folders", status: "fail", fix: expect.stringContaining("chmod go-w") },
    ],
    [
      "a folder that is a file",
      async () => {
        await write(supervisorFiles(env).directories.data, "");
        await chmod(supervisorFiles(env).directories.data, 0o622);
        return {};
      },
      { check: "folders", status: "fail" },
    ],
    [
      "settings that are none",
      async () => {
        await write(configPath(), "registry_url: [");
        return {};
      },
      { check: "settings", status: "fail", fix: expect.stringMatching(/^Correct the file: .*config\.yaml$/) },
    ],
    [
      "settings of a newer version",
      async () => {
        await write(configPath(), "state_version: 2\n");
        return {};
      },
      {
        check: "settings",
        status: "fail",
        message: expect.stringMatching(/config\.yaml was written by a newer thv: it is of version 2/),
        fix: "Install that newer thv again. The file stays as it is.",
      },
    ],
    [
      "a configuration of a workload of a newer version",
      async () => {
        await write(join(supervisorFiles(env).runConfigs, "later.json"), '{"state_version":2}');
        return {};
      },
      { check: "workloads", status: "fail", message: expect.stringContaining("later.json was written by a newer thv") },
    ],
    [
      "a damaged configuration of a workload",
      async () => {
        await write(join(supervisorFiles(env).runConfigs, "broken.json"), "{");
        return {};
      },
      { check: "workloads", status: "fail", fix: expect.stringContaining("thv rm broken") },
    ],
    [
      "hosts of a profile that nobody enforces",
      async () => {
        const config = JSON.parse(runConfig("open", 4711));
        config.permission_profile = { network: { outbound: { allow_host: ["api.github.com"] } } };
        await write(join(supervisorFiles(env).runConfigs, "open.json"), JSON.stringify(config));
        return {};
      },
      {
        check: "isolation",
        status: "warn",
        message: expect.stringContaining(
          "open: The permission profile lists hosts (api.github.com), and that is not enforced",
        ),
        fix: expect.stringContaining("--isolate-network"),
      },
    ],
    [
      "a mount of the whole machine, which no isolated network ends",
      async () => {
        const config = { ...JSON.parse(runConfig("wide", 4711)), volumes: ["/:/host"] };
        await write(join(supervisorFiles(env).runConfigs, "wide.json"), JSON.stringify(config));
        return {};
      },
      { check: "isolation", status: "warn", fix: "Mount less: thv edit wide" },
    ],
    ["a disk that gets full", async () => ({ freeBytes: async () => 100e6 }), { check: "disk", status: "warn" }],
    [
      "a full disk",
      async () => ({ freeBytes: async () => 1e6 }),
      { check: "disk", status: "fail", message: expect.stringMatching(/^1 MB are left/) },
    ],
    [
      "no keyring",
      async () => {
        await write(configPath(), "secrets:\n  provider_type: encrypted\n  setup_completed: true\n");
        return {};
      },
      { check: "keyring", status: "warn", message: expect.stringContaining("none on this machine") },
    ],
    [
      "a store of secrets that the password does not open",
      async () => {
        env.TOOLHIVE_SECRETS_PASSWORD = "p";
        await write(configPath(), "secrets:\n  provider_type: encrypted\n  setup_completed: true\n");
        await write(
          join(supervisorFiles(env).directories.data, "secrets_encrypted"),
          "sealed with a password that nobody knows",
        );
        return {};
      },
      { check: "secrets", status: "warn", fix: expect.stringContaining("TOOLHIVE_SECRETS_PASSWORD") },
    ],
    [
      "an empty file of secrets",
      async () => {
        await write(configPath(), "secrets:\n  provider_type: encrypted\n  setup_completed: true\n");
        await write(join(supervisorFiles(env).directories.data, "secrets_encrypted"), "");
        return {};
      },
      { check: "secrets", status: "fail", message: expect.stringContaining("it is empty") },
    ],
    [
      "a file of secrets that others may read",
      async () => {
        await write(configPath(), "secrets:\n  provider_type: encrypted\n  setup_completed: true\n");
        await write(join(supervisorFiles(env).directories.data, "secrets_encrypted"), "damaged", 0o644);
        return {};
      },
      { check: "secrets file", status: "fail", fix: expect.stringContaining("chmod 600") },
    ],
    [
      "a client's file that cannot be understood",
      async () => {
        await write(configPath(), "clients:\n  registered_clients: [cursor]\n");
        await write(join(home, ".cursor/mcp.json"), "{ not json");
        return {};
      },
      { check: "clients", status: "fail", message: expect.stringContaining("mcp.json of Cursor cannot be edited") },
    ],
    [
      "a client's file that is read-only",
      async () => {
        await write(configPath(), "clients:\n  registered_clients: [cursor]\n");
        await write(join(home, ".cursor/mcp.json"), "{}", 0o444);
        return {};
      },
      { check: "clients", status: "fail", message: expect.stringContaining("cannot be changed") },
    ],
    [
      "a client that is gone",
      async () => {
        await write(configPath(), "clients:\n  registered_clients: [zed]\n");
        return {};
      },
      { check: "clients", status: "warn", fix: "Forget it: thv client remove zed" },
    ],
    [
      "a registry that cannot be read",
      async () => {
        await write(configPath(), `registry_url: file://${join(home, "absent.json")}\n`);
        return {};
      },
      { check: "registry", status: "fail", fix: expect.stringContaining("thv config unset-registry-url") },
    ],
  ];

  test.each(cases)("%s", async (_what, make, found) => {
    const changes = await make();

    const trouble = (await troubles(changes)).find(({ check }) => check === found.check);

    expect(trouble).toMatchObject(found);
    expect(trouble?.message).not.toBe("");
  });

  test("a folder that three missing ones would be made in is named once", async () => {
    await chmod(home, 0o777);

    const found = await troubles();
    await chmod(home, 0o700);

    expect(found.filter(({ check }) => check === "folders")).toHaveLength(1);
  });

  test("the port of thv serve that somebody else has, with the next one to serve at", async () => {
    const { port, release } = await holdPort(0);
    apiPort = port;

    const found = await troubles();
    await release();

    expect(found).toContainEqual({
      check: "ports",
      status: "warn",
      message: expect.stringContaining(`${port}, the port of thv serve, is in use by`),
      fix: `Serve on another one: thv serve --port ${port + 1}`,
    });
  });

  test("the port of thv serve is the one at which it listens by default", () => {
    expect(API_PORT).toBe(SERVE.flags.port.default);
  });

  test("a port of a workload that somebody else has", async () => {
    const { port, release } = await holdPort(0);
    await write(join(supervisorFiles(env).runConfigs, "echo.json"), runConfig("echo", port));

    const found = await troubles();
    await release();

    expect(found).toContainEqual(
      expect.objectContaining({
        check: "ports",
        status: "fail",
        message: expect.stringContaining(`${port}, the port of echo, is in use by`),
      }),
    );
  });
});

describe("thv doctor", () => {
  async function doctor(...flags: string[]) {
    const fake = new FakeTerminal({ env, columns: 40 });
    const code = await main({ ...fake.options, argv: ["doctor", ...flags], signal: new AbortController().signal });
    return { code, stdout: fake.stdout, stderr: fake.stderr };
  }

  test("exits 0 when nothing fails, within the width of the terminal", async () => {
    const { code, stdout, stderr } = await doctor();

    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("ok    engine: Docker 20.10.24 at\n");
    // A single word is not broken: a path, or the program that has the port of thv serve on this machine.
    const prose = stdout.split("\n").filter((line) => !line.includes(home) && line.trim().includes(" "));
    expect(Math.max(...prose.map((line) => line.length))).toBeLessThanOrEqual(40);
  });

  test("exits 17 when something fails, names it, and gives the same findings as JSON", async () => {
    env.DOCKER_HOST = `unix://${join(home, "absent.sock")}`;

    const { code, stdout, stderr } = await doctor("--format", "json");

    expect(code).toBe(17);
    expect(JSON.parse(stderr)).toMatchObject({ code: "CHECKS_FAILED", message: "Something needs fixing: engine." });
    const findings = JSON.parse(stdout) as Finding[];
    expect(findings.find(({ check }) => check === "engine")).toMatchObject({ status: "fail" });
  });

  test("starts no supervisor and makes no file", async () => {
    await doctor();

    await expect(chmod(supervisorFiles(env).directories.state, 0o700)).rejects.toMatchObject({ code: "ENOENT" });
    await expect(chmod(supervisorFiles(env).directories.config, 0o700)).rejects.toMatchObject({ code: "ENOENT" });
  });
});
