/** What `thv status` prints of one server. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { ApiClient } from "@toolhive/api/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ServedThv } from "../src/testing/served-thv.ts";

let context: ServedThv;
beforeEach(async () => {
  context = await ServedThv.start();
});
afterEach(() => context[Symbol.asyncDispose]());

const thv: ServedThv["call"] = (argv, options) => context.call(argv, options);

test("shows how a server is run, without the value of any variable, and the clients that know it", async () => {
  await thv([
    "run",
    "--name",
    "echo",
    "--env",
    "TOKEN=tok-7f3a",
    "--memory",
    "512m",
    "--pids-limit",
    "0",
    "mcp/echo:1",
  ]);
  await mkdir(join(context.served.home, ".cursor"));
  await thv(["client", "register", "cursor"]);
  // It is not there, and has no file.
  await thv(["client", "register", "gemini-cli"]);
  // It has the address of a group that the server is not in.
  await mkdir(join(context.served.home, ".codex"));
  await thv(["group", "create", "work"]);
  await thv(["client", "register", "codex", "--group", "work"]);

  const { code, stdout } = await thv(["status", "echo"]);

  expect(code).toBe(0);
  expect(stdout).toMatch(/^Name: +echo\nStatus: +running\nImage: +mcp\/echo:1\n/);
  for (const part of [
    /^Container: +\S+$/m,
    /^URL: +http:\/\/127\.0\.0\.1:\d+\/mcp$/m,
    /^Variables: +TOKEN$/m,
    /^Mounts: +none$/m,
    /^Limits: +512 MiB of memory, 2 CPUs, any number of processes$/m,
    /^Clients: +cursor$/m,
  ]) {
    expect(stdout).toMatch(part);
  }
  expect(stdout).not.toContain("tok-7f3a");
  await thv(["group", "add", "work", "echo"]);
  const { clients_of_groups: held } = JSON.parse((await thv(["status", "echo", "--format", "json"])).stdout) as {
    clients_of_groups: unknown;
  };
  expect(held).toEqual([{ name: "codex", group: "work" }]);
});

test("says why a server is in error and what to do, and inspect means the same", async () => {
  context.served.world.engine.images.set("mcp/echo:1", (process) => {
    process.writeErr("no key");
    process.exit(1);
  });
  const client = new ApiClient({ socketPath: context.files.socket });
  await client.call("createWorkload", { body: { image: "mcp/echo:1", name: "echo" } });
  await expect.poll(async () => (await thv(["status", "echo"])).stdout).toMatch(/^Status: +error: .*exited/m);

  const { stdout } = await thv(["inspect", "echo"]);

  expect(stdout).toMatch(/^Remedy: +\S/m);
});

test("of a server that is not there says so, with a supervisor and without", async () => {
  expect(await thv(["status", "nope"])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('There is no server "nope".'),
  });
});

test("goes on without an engine", async () => {
  await thv(["run", "--name", "echo", "mcp/echo:1"]);
  context.served.world.engine.goDown();
  await expect.poll(async () => (await thv(["status", "echo"])).stdout).toMatch(/^Status: +unknown/m);

  const { code, stdout } = await thv(["status", "echo", "--format", "json"]);

  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    name: "echo",
    status: "unknown",
    digests: [],
    run: { image: "mcp/echo:1" },
  });
  context.served.world.engine.comeUp();
});
