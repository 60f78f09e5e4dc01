/** What files and registries bring with a server: shown, asked about, and never taken in silence. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RegistryServer } from "@toolhive/core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServedThv } from "../../testing/served-thv.ts";

let thv: ServedThv;
beforeEach(async () => {
  thv = await ServedThv.start();
  thv.served.world.secrets.set("github-token", "hunter2");
});
afterEach(async () => {
  await thv[Symbol.asyncDispose]();
});

const REMOTE_WITH_SECRET = {
  image: "https://mcp.example.com/mcp",
  header_forward: { add_headers_from_secret: { "X-Key": "github-token" } },
};
const names = () => thv.served.supervisor.list().map(({ name }) => name);
const entry = (members: Partial<RegistryServer>): RegistryServer => ({
  name: "echo",
  image: "mcp/echo:1",
  description: "Says what it hears.",
  tier: "Community",
  status: "Active",
  transport: "stdio",
  tools: ["echo"],
  ...members,
});

/** The registry of the API and that of the supervisor are two in the simulated machine. */
async function offer(server: RegistryServer): Promise<string> {
  const { name, ...members } = server;
  const file = join(thv.home, "registry.json");
  const registry = { version: "1.0.0", last_updated: "2026-01-01T00:00:00Z", servers: { [name]: members } };
  await writeFile(file, JSON.stringify(registry));
  const body = JSON.stringify({ local_path: file });
  await thv.served.send("PUT", "/api/v1beta/registry/default", { body });
  thv.served.world.registry.set(name, server);
  return file;
}

describe("an entry of a registry", () => {
  test("with the whole machine among its folders is not started before somebody allows that", async () => {
    await offer(entry({ permissions: { read: ["/:/host"] } }));

    const refused = await thv.call(["run", "echo"]);
    expect(refused.code).toBe(27);
    expect(refused.stderr).toContain("folder:    /:/host (read)");
    expect(refused.stderr).toContain('The server gets "/", the whole file system');
    expect(refused.stderr).toContain("thv run --yes echo");
    expect(names()).toEqual([]);
    const no = await thv.call(["run", "echo"], { isTty: true, answers: [["Allow it", "n"]] });
    expect([no.code, names()]).toEqual([130, []]);

    expect((await thv.call(["run", "--yes", "echo"])).code).toBe(0);
  });

  test("with a folder is started, and the folder is shown", async () => {
    await mkdir(join(thv.home, "maps"));
    await offer(entry({ permissions: { write: [`${join(thv.home, "maps")}:/maps`] } }));

    const { code, stderr } = await thv.call(["run", "echo"]);

    expect(code).toBe(0);
    expect(stderr).toContain(`folder:    ${join(thv.home, "maps")}:/maps (write)`);
  });

  test("of a registry of somebody else's does not get what was stored for another server", async () => {
    await thv.served.send("POST", "/api/v1beta/secrets", {
      body: JSON.stringify({ provider_type: "encrypted", password: "a password" }),
    });
    thv.served.world.secrets.set("registry-user-token", "hunter2");
    const file = await offer(
      entry({ env_vars: [{ name: "TOKEN", description: "A token", required: true, secret: true }] }),
    );
    expect((await thv.call(["config", "set-registry-url", file])).code).toBe(0);
    const run = async (name: string, answers: readonly (readonly [string, string])[]) =>
      await thv.call(["run", "--name", name, "echo"], { isTty: true, answers });
    expect((await run("first", [["TOKEN (", "hunter2"]])).code).toBe(0);

    const second = await run("second", [["stored secret", "n"]]);

    expect(second.code).toBe(130);
    expect(second.stderr).toMatch(
      /Give echo of \S+registry\.json the stored secret[\s│]+registry-user-token, as TOKEN\?/,
    );
    expect(names()).toEqual(["first"]);
  });
});

describe("a file of thv export", () => {
  const run = async (body: object, ...more: readonly string[]) => {
    const file = join(thv.home, "server.json");
    await writeFile(file, JSON.stringify({ name: "echo", image: "mcp/echo:1", ...body }));
    return await thv.call(["run", "--from-config", file, ...more]);
  };

  test("without anything beyond a container of its own is run as it is", async () => {
    expect(await run({ env_vars: ["A=b"] })).toMatchObject({ code: 0, stderr: "" });
  });

  test.each([
    ["a secret", { secrets: [{ name: "github-token", target: "STOLEN" }] }, "secret:    github-token as STOLEN"],
    ["a folder", { volumes: ["/:/host"] }, "folder:    / at /host (write)"],
    ["other machines", { host: "0.0.0.0" }, "off:       other machines can call it, at 0.0.0.0"],
    ["foreign names", { allowed_hosts: ["evil.example"] }, "off:       clients may call it as evil.example"],
    ["pins that are off", { pin_tools: "off" }, "off:       tools that change later are not held back"],
    ["the secret of a header", REMOTE_WITH_SECRET, "secret:    github-token as X-Key"],
  ])("with %s asks first", async (_what, body, line) => {
    const result = await run(body);

    expect(result.code).toBe(27);
    expect(result.stderr).toContain(line);
    expect(thv.served.supervisor.list()).toEqual([]);
  });

  test("is asked about once at a terminal", async () => {
    const file = join(thv.home, "server.json");
    await writeFile(file, JSON.stringify({ name: "echo", image: "mcp/echo:1", volumes: ["/srv:/srv:ro"] }));
    await mkdir("/srv", { recursive: true });

    const yes = await thv.call(["run", "--from-config", file], { isTty: true, answers: [["Allow it", "y"]] });

    expect(yes.code).toBe(0);
    expect(names()).toEqual(["echo"]);
  });
});

describe("two folders at one path", () => {
  test.each([
    ["different ones", ["-v", "/srv:/x", "-v", "/opt:/x"], '"/srv" and "/opt" are both mounted at /x'],
    [
      "the same one to read and to write",
      ["-v", "/srv:/x:ro", "-v", "/srv:/x"],
      '"/srv:/x:ro" and "/srv:/x" contradict',
    ],
  ])("are refused: %s", async (_what, flags, sentence) => {
    const result = await thv.call(["run", ...flags, "mcp/echo:1"]);

    expect(result.code).not.toBe(0);
    expect(result.stderr).toContain(sentence);
  });
});
