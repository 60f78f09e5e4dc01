/** What `thv doctor` says of a machine as a whole, and how the command ends. The engine here is a socket that answers like one. */
import { chmod, mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { main } from "../../main.ts";
import { supervisorFiles } from "../../supervisor/supervisor-files.ts";
import {
  configPath,
  here,
  listen,
  listenAsSupervisor,
  listenWith,
  machine,
  makeMachine,
  plantProgram,
  removeMachine,
  troubles,
  write,
} from "../../testing/examined-machine.ts";
import { FakeTerminal } from "../../testing/fake-terminal.ts";
import type { Finding } from "./check.ts";
import { examine } from "./doctor.ts";

beforeEach(makeMachine);
afterEach(removeMachine);

test("on a machine where all is well finds nothing but that no place for secrets was chosen", async () => {
  expect(await troubles()).toEqual([
    { check: "secrets", status: "warn", message: "no provider is set up", fix: "Set them up: thv secret setup" },
  ]);
});

describe("secrets that this command cannot open", () => {
  async function sealSecrets(): Promise<void> {
    await write(configPath(), "secrets:\n  provider_type: encrypted\n  setup_completed: true\n");
    await write(join(supervisorFiles(here.env).directories.data, "secrets_encrypted"), "sealed with another password");
  }
  const listen = async (answer: unknown, status = 200) => {
    const { socket } = supervisorFiles(here.env);
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
    here.env.TOOLHIVE_SECRETS_PASSWORD = "a good password";
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
  const calls = join(here.home, "calls");
  const socket = join(here.home, "engine.sock");
  await write(join(here.home, "programs/podman"), `#!/bin/sh\necho "$*" >> '${calls}'\necho '${socket}'\n`, 0o755);
  const machineOfPodman = { URI: "ssh://core@127.0.0.1:1/run/podman.sock", IsMachine: true };
  const connections = { Connection: { Default: "m", Connections: { m: machineOfPodman } } };
  await write(join(here.home, "c/containers/podman-connections.json"), JSON.stringify(connections));
  const { DOCKER_HOST: _named, ...others } = here.env;
  here.env = { ...others, PATH: join(here.home, "programs") };

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
    here.env.DOCKER_HOST = `unix://${join(here.home, "limited.sock")}`;
    await listen(join(here.home, "limited.sock"), limited);

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
  const { directories, socket } = supervisorFiles(here.env);
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

test("is content with one thv, a version that is the newest known, and a shell that completes", async () => {
  const program = await plantProgram("bin");
  here.env.PATH = [join(here.home, "absent"), dirname(program), ""].join(":");
  here.env.SHELL = "/bin/bash";
  await write(
    join(here.env.XDG_DATA_HOME ?? "", "toolhive/updates.json"),
    '{"instance_id":"x","latest_version":"v1.0.0"}',
  );
  await write(join(here.env.XDG_DATA_HOME ?? "", "bash-completion/completions/thv"), "");

  const findings = await examine(machine({ program: { path: program, isSingleFile: true } }));

  expect(findings).toContainEqual({ check: "path", status: "ok", message: `thv in the PATH is ${program}` });
  expect(findings).toContainEqual({ check: "update", status: "ok", message: "no newer version than v1.0.0 is known" });
  expect(findings.find(({ check }) => check === "completion")).toMatchObject({ status: "ok" });
});

test("says which thv runs now, where the only one in the PATH is another", async () => {
  const program = await plantProgram("bin");
  here.env.PATH = dirname(program);

  const { path } = machine().program;
  expect(await examine(machine())).toContainEqual({
    check: "path",
    status: "ok",
    message: `thv in the PATH is ${program}; this one is ${path}, which is not in it`,
  });
});

test("goes by no damaged answer of the update check", async () => {
  const file = join(here.env.XDG_DATA_HOME ?? "", "toolhive/updates.json");
  await write(file, '{"instance_id":"x","latest_version":"\\u001b[2J9.9.9"}');

  expect((await examine(machine())).filter(({ check }) => check === "update")).toEqual([]);
});

describe("thv doctor", () => {
  async function doctor(...flags: string[]) {
    const fake = new FakeTerminal({ env: here.env, columns: 40 });
    const code = await main({ ...fake.options, argv: ["doctor", ...flags], signal: new AbortController().signal });
    return { code, stdout: fake.stdout, stderr: fake.stderr };
  }

  test("exits 0 when nothing fails, within the width of the terminal", async () => {
    const { code, stdout, stderr } = await doctor();

    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("ok    engine: Docker 20.10.24 at\n");
    // A single word is not broken: a path, or the program that has the port of thv serve on this machine.
    const prose = stdout.split("\n").filter((line) => !line.includes(here.home) && line.trim().includes(" "));
    expect(Math.max(...prose.map((line) => line.length))).toBeLessThanOrEqual(40);
  });

  test("exits 17 when something fails, names it, and gives the same findings as JSON", async () => {
    here.env.DOCKER_HOST = `unix://${join(here.home, "absent.sock")}`;

    const { code, stdout, stderr } = await doctor("--format", "json");

    expect(code).toBe(17);
    expect(JSON.parse(stderr)).toMatchObject({ code: "CHECKS_FAILED", message: "Something needs fixing: engine." });
    const findings = JSON.parse(stdout) as Finding[];
    expect(findings.find(({ check }) => check === "engine")).toMatchObject({ status: "fail" });
  });

  test("starts no supervisor and makes no file", async () => {
    await doctor();

    await expect(chmod(supervisorFiles(here.env).directories.state, 0o700)).rejects.toMatchObject({ code: "ENOENT" });
    await expect(chmod(supervisorFiles(here.env).directories.config, 0o700)).rejects.toMatchObject({ code: "ENOENT" });
  });
});
