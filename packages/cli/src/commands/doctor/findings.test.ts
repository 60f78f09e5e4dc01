/** Every finding of `thv doctor`, made on purpose. The engine here is a socket that answers like one. */
import { chmod, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { supervisorFiles } from "../../supervisor/supervisor-files.ts";
import {
  configPath,
  here,
  holdPort,
  listen,
  listenAsSupervisor,
  makeMachine,
  plantProgram,
  removeMachine,
  runConfig,
  troubles,
  write,
} from "../../testing/examined-machine.ts";
import { SERVE } from "../serve/definition.ts";
import type { Finding, Machine } from "./check.ts";
import { API_PORT } from "./doctor.ts";

beforeEach(makeMachine);
afterEach(removeMachine);

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
          join(here.env.XDG_DATA_HOME ?? "", "toolhive/updates.json"),
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
        here.env.PATH = `${dirname(first)}:${dirname(second)}`;
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
        Object.assign(here.env, { SHELL: "/bin/bash", XDG_DATA_DIRS: here.home, HOMEBREW_PREFIX: here.home });
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
        here.env.DOCKER_HOST = `unix://${join(here.home, "absent.sock")}`;
        return {};
      },
      { check: "engine", status: "fail", message: expect.stringContaining("absent.sock, named by DOCKER_HOST") },
    ],
    [
      "an address of an engine that is none",
      async () => {
        here.env.DOCKER_HOST = "ftp://host";
        return {};
      },
      { check: "engine", status: "fail", message: expect.stringContaining("not an engine's address") },
    ],
    [
      "a supervisor of another version",
      async () => {
        await listen(supervisorFiles(here.env).socket, { pid: 4711, version: "v0.9.0" });
        return {};
      },
      { check: "supervisor", status: "warn", message: "runs as process 4711, version v0.9.0; this is thv v1.0.0" },
    ],
    [
      "a supervisor of a newer version, which no command replaces",
      async () => {
        await listen(supervisorFiles(here.env).socket, { pid: 4711, version: "v1.1.0" });
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
        const { socket } = supervisorFiles(here.env);
        await listen(socket, { pid: 4711, version: "v1.0.0" });
        await chmod(socket, 0o666);
        return {};
      },
      { check: "supervisor socket", status: "fail", fix: expect.stringContaining("chmod 600") },
    ],
    [
      "a folder that others may change",
      async () => {
        const { state } = supervisorFiles(here.env).directories;
        await mkdir(state, { recursive: true });
        await chmod(state, 0o777);
        return {};
      },
      { check: "folders", status: "fail", fix: expect.stringContaining("chmod go-w") },
    ],
    [
      "a folder that is a file",
      async () => {
        await write(supervisorFiles(here.env).directories.data, "");
        await chmod(supervisorFiles(here.env).directories.data, 0o622);
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
        await write(join(supervisorFiles(here.env).runConfigs, "later.json"), '{"state_version":2}');
        return {};
      },
      { check: "workloads", status: "fail", message: expect.stringContaining("later.json was written by a newer thv") },
    ],
    [
      "a damaged configuration of a workload",
      async () => {
        await write(join(supervisorFiles(here.env).runConfigs, "broken.json"), "{");
        return {};
      },
      { check: "workloads", status: "fail", fix: expect.stringContaining("thv rm broken") },
    ],
    [
      "hosts of a profile that nobody enforces",
      async () => {
        const config = JSON.parse(runConfig("open", 4711));
        config.permission_profile = { network: { outbound: { allow_host: ["api.github.com"] } } };
        await write(join(supervisorFiles(here.env).runConfigs, "open.json"), JSON.stringify(config));
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
        await write(join(supervisorFiles(here.env).runConfigs, "wide.json"), JSON.stringify(config));
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
        here.env.TOOLHIVE_SECRETS_PASSWORD = "p";
        await write(configPath(), "secrets:\n  provider_type: encrypted\n  setup_completed: true\n");
        await write(
          join(supervisorFiles(here.env).directories.data, "secrets_encrypted"),
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
        await write(join(supervisorFiles(here.env).directories.data, "secrets_encrypted"), "");
        return {};
      },
      { check: "secrets", status: "fail", message: expect.stringContaining("it is empty") },
    ],
    [
      "a file of secrets that others may read",
      async () => {
        await write(configPath(), "secrets:\n  provider_type: encrypted\n  setup_completed: true\n");
        await write(join(supervisorFiles(here.env).directories.data, "secrets_encrypted"), "damaged", 0o644);
        return {};
      },
      { check: "secrets file", status: "fail", fix: expect.stringContaining("chmod 600") },
    ],
    [
      "a client's file that cannot be understood",
      async () => {
        await write(configPath(), "clients:\n  registered_clients: [cursor]\n");
        await write(join(here.home, ".cursor/mcp.json"), "{ not json");
        return {};
      },
      { check: "clients", status: "fail", message: expect.stringContaining("mcp.json of Cursor cannot be edited") },
    ],
    [
      "a client's file that is read-only",
      async () => {
        await write(configPath(), "clients:\n  registered_clients: [cursor]\n");
        await write(join(here.home, ".cursor/mcp.json"), "{}", 0o444);
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
        await write(configPath(), `registry_url: file://${join(here.home, "absent.json")}\n`);
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
    await chmod(here.home, 0o777);

    const found = await troubles();
    await chmod(here.home, 0o700);

    expect(found.filter(({ check }) => check === "folders")).toHaveLength(1);
  });

  test("the port of thv serve that somebody else has, with the next one to serve at", async () => {
    const { port, release } = await holdPort(0);
    here.apiPort = port;

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
    await write(join(supervisorFiles(here.env).runConfigs, "echo.json"), runConfig("echo", port));

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
