/** What programs get of commands that act: pure JSON on standard output, and everything else on standard error. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ServedThv } from "../src/testing/served-thv.ts";

const WAIT = { timeout: 20_000 };

let world: ServedThv;
beforeEach(async () => {
  world = await ServedThv.start();
});
afterEach(() => world[Symbol.asyncDispose]());

const json = (...argv: readonly string[]) => world.call([...argv, "--format", "json"]);

/** The last line, which is the error: what comes before it may be the server's own words. */
const errorIn = (stderr: string): unknown => JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "");

/** An installed client with settings of its own. @returns Where they are. */
async function installCursor(content = "{}\n"): Promise<string> {
  const path = join(world.served.home, ".cursor/mcp.json");
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, content);
  return path;
}

describe("run --format json", () => {
  test("prints what status prints, once the server runs", async () => {
    const run = await json("run", "--name", "echo", "-l", "team=maps", "mcp/echo:1");
    const status = await json("status", "echo");

    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject({ name: "echo", status: "running", labels: { team: "maps" } });
    expect(JSON.parse(run.stdout)).toEqual(JSON.parse(status.stdout));
  });

  test("prints nothing of a server that does not come up, and the error as JSON last", async () => {
    const { code, stdout, stderr } = await json("run", "no/such:1");

    expect([code, stdout]).toEqual([3, ""]);
    expect(errorIn(stderr)).toMatchObject({ code: "IMAGE_NOT_FOUND" });
  });

  test("stays in the foreground with nothing but the JSON on standard output", async () => {
    await using stays = world.begin(["run", "--name", "echo", "--foreground", "--format", "json", "mcp/echo:1"]);

    await vi.waitFor(() => expect(stays.output.stderr).toContain("Its output follows"), WAIT);

    expect(JSON.parse(stays.output.stdout)).toMatchObject({ name: "echo", status: "running" });
  });

  test("as a dry run prints the plan and the changes to clients' files, and does nothing", async () => {
    const path = await installCursor();
    await world.call(["client", "register", "cursor"]);

    const { stdout } = await json("run", "--dry-run", "--name", "echo", "mcp/echo:1");

    const { run, files } = JSON.parse(stdout);
    expect(run).toMatchObject({ name: "echo", image_from: "engine" });
    expect(files).toEqual([{ client: "cursor", path, diff: expect.stringContaining('+    "echo": {') }]);
    expect(world.served.supervisor.list()).toEqual([]);
  });
});

test("export --format json into a file says which, and to standard output is the configuration itself", async () => {
  await world.call(["run", "--name", "echo", "mcp/echo:1"]);
  await mkdir(world.files.runConfigs, { recursive: true });
  await writeFile(join(world.files.runConfigs, "echo.json"), world.served.world.disk.get("echo") ?? "");
  const path = join(world.home, "echo.json");

  expect(JSON.parse((await json("export", "echo", path)).stdout)).toEqual({ name: "echo", path });
  expect((await json("export", "echo")).stdout).toBe(await readFile(path, "utf8"));
});

describe("client … --format json", () => {
  test("says of a client what status says of it", async () => {
    await installCursor();

    const registered = JSON.parse((await json("client", "register", "cursor")).stdout);
    const removed = JSON.parse((await json("client", "remove", "cursor")).stdout);

    expect(registered).toEqual({ client_type: "cursor", title: "Cursor", installed: true, registered: true });
    expect(removed).toEqual({ ...registered, registered: false });
  });

  test("setup lists those that were registered, also none, and names the others in the error", async () => {
    expect(await json("client", "setup", "--all")).toMatchObject({ code: 0, stdout: "[]\n" });
    await installCursor("{ not json");
    await writeFile(join(world.served.home, ".claude.json"), "{}");
    await world.call(["run", "--name", "echo", "mcp/echo:1"]);

    const { code, stdout, stderr } = await json("client", "setup", "--all");

    expect(code).toBe(14);
    expect(JSON.parse(stdout)).toEqual([
      { client_type: "claude-code", title: "Claude Code", installed: true, registered: true },
    ]);
    expect(errorIn(stderr)).toMatchObject({ code: "CLIENT_FILE_INVALID" });
  });

  test("undo shows changes of others on standard error, and its outcome alone on standard output", async () => {
    const path = await installCursor();
    await world.call(["client", "register", "cursor"]);
    await world.call(["run", "--name", "echo", "mcp/echo:1"]);
    await writeFile(path, `${(await readFile(path, "utf8")).trimEnd()}\n\n// mine\n`);

    const { stdout, stderr } = await json("client", "undo", "cursor", "--yes");

    const outcome = JSON.parse(stdout);
    expect(outcome).toEqual({ client_type: "cursor", undone: true, path, kept_at: expect.any(String) });
    expect(await readFile(outcome.kept_at, "utf8")).toContain("// mine");
    expect(stderr).toContain("-// mine");
    expect(JSON.parse((await json("client", "undo", "cursor")).stdout)).toEqual({
      client_type: "cursor",
      undone: false,
    });
    expect(JSON.parse((await json("client", "undo", "cursor", "--dry-run")).stdout)).toEqual({ files: [] });
  });
});

describe("secret … --format json", () => {
  test("distinguishes a new secret from a new value", async () => {
    const value = join(world.home, "value");
    await writeFile(value, "v");
    const password = { env: { TOOLHIVE_SECRETS_PASSWORD: "correct horse" } };
    const secret = async (...argv: readonly string[]) =>
      JSON.parse((await world.call(["secret", ...argv, "--format", "json"], password)).stdout);

    expect(await secret("provider", "encrypted")).toMatchObject({ name: "default", provider_type: "encrypted" });
    expect(await secret("set", "token", "--file", value)).toEqual({ key: "token", status: "created" });
    expect(await secret("set", "token", "--file", value)).toEqual({ key: "token", status: "updated" });
    expect(await secret("delete", "token")).toEqual({ key: "token", status: "deleted" });
    expect(await secret("reset-keyring", "--yes")).toEqual({ status: "forgotten" });
    expect(await secret("reset-keyring", "--yes")).toEqual({ status: "not found" });
  });

  test("that does not exist is the same error of secret get, secret delete and run", async () => {
    await world.call(["secret", "provider", "encrypted"], { env: { TOOLHIVE_SECRETS_PASSWORD: "correct horse" } });

    const tried = [
      await json("secret", "get", "nope"),
      await json("secret", "delete", "nope"),
      await json("run", "--name", "echo", "--secret", "nope,target=TOKEN", "mcp/echo:1"),
    ];

    for (const { code, stdout, stderr } of tried) {
      expect([code, stdout]).toEqual([3, ""]);
      expect(errorIn(stderr)).toMatchObject({ code: "SECRET_NOT_FOUND" });
    }
  });
});

test("config … --format json prints the setting as it is now, also when there was nothing to unset", async () => {
  const registry = join(world.home, "registry.json");
  await writeFile(registry, JSON.stringify({ version: "1.0.0", last_updated: "2026-01-01T00:00:00Z", servers: {} }));
  const config = async (...argv: readonly string[]) => JSON.parse((await json("config", ...argv)).stdout);

  expect(await config("unset-ca-cert")).toEqual({ ca_certificate_path: "" });
  expect(await config("otel", "unset-sampling-rate")).toEqual({ "sampling-rate": null });
  expect(await config("otel", "set-sampling-rate", "0.25")).toEqual(await config("otel", "get-sampling-rate"));
  expect(await config("set-registry-url", registry)).toEqual(await config("get-registry-url"));
  expect(await config("unset-registry-url")).toEqual({ registry_url: "", allow_private_registry_ip: false });
  expect(await config("unset-registry-url")).toEqual({ registry_url: "", allow_private_registry_ip: false });
});
