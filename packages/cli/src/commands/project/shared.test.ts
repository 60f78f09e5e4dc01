/** `thv push`, `thv pull`, and `thv up` and `down` of a project at an image registry; the registry is one of the tests. */
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { answeringServer, TestPushRegistry } from "@toolhive/core/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServedThv } from "../../testing/served-thv.ts";

const ONE = 'servers:\n  first: { run: "mcp/echo:1", env: { UNITS: metric } }\n';

let thv: ServedThv;
let registry: TestPushRegistry;
beforeEach(async () => {
  thv = await ServedThv.start();
  registry = await TestPushRegistry.start();
  thv.served.world.engine.registry.set("mcp/echo:2", answeringServer);
});
afterEach(async () => {
  await registry[Symbol.asyncDispose]();
  await thv[Symbol.asyncDispose]();
});

const place = (...names: readonly string[]) => join(thv.home, ...names);
const write = async (text: string) => await writeFile(place("thv.yaml"), text);
const name = (tag = "1") => `oci://${registry.host}/acme/tools:${tag}`;
const push = async (...more: readonly string[]) =>
  await thv.call(["push", name(), "--file", place("thv.yaml"), ...more]);
const up = async (...more: readonly string[]) => await thv.call(["up", name(), ...more]);
const find = (server: string) => thv.served.world.engine.find(server);
const findTag = (tag = "1") => JSON.parse(registry.manifests.get(tag)?.toString() ?? "{}") as { layers: unknown[] };

describe("a project at an image registry", () => {
  test("runs from there without a folder, is allowed once, and goes with down", async () => {
    await write(ONE);
    expect((await push()).code).toBe(0);

    const refused = await up();
    expect(refused).toMatchObject({ code: 27, stdout: "" });
    expect(refused.stderr).toContain("image:     mcp/echo:1");
    expect(refused.stderr).toContain(`${name()}@sha256:`);
    expect(refused.stderr).toContain(`then allow them: thv up ${name()} --yes`);
    expect(find("first")).toBeUndefined();

    expect((await up("--yes")).stdout).toMatch(/^first is created: http:/);
    expect((await up()).stdout).toMatch(/^first matches the file: /);
    expect((await up("--check")).code).toBe(0);

    expect((await thv.call(["down", `oci://${registry.host}/acme/tools`])).stdout).toContain("first");
    expect(find("first")).toBeUndefined();
  });

  test("whose tag names another one now is a difference, and is asked about also where no server gets more", async () => {
    await write(ONE);
    await push();
    await up("--yes");
    await write(ONE.replace("metric", "imperial"));
    await push();

    const checked = await up("--check");
    expect([checked.code, checked.stdout]).toEqual([26, expect.stringContaining("~ first differs")]);
    const refused = await up();
    expect(refused.code).toBe(27);
    expect(refused.stderr).toMatch(/is another project now: sha256:[0-9a-f]{64} → sha256:[0-9a-f]{64}\./);
    expect(find("first")?.spec.env).toMatchObject({ UNITS: "metric" });

    expect((await up("--yes")).stdout).toContain("first is changed (env.UNITS)");
    expect((await up()).code).toBe(0);
  });

  test("whose tag was moved to a file with the same servers differs, too", async () => {
    await write(ONE);
    await push();
    await up("--yes");
    await write(`${ONE}# changed\n`);
    await push();

    const checked = await up("--check");
    expect([checked.code, checked.stderr]).toEqual([26, expect.stringContaining("is another project now")]);
    const answered = await thv.call(["up", name()], { isTty: true, answers: [["as it is now?", "y"]] });
    expect(answered.code).toBe(0);
    expect((await up("--check")).code).toBe(0);
  });

  test("stays the one that a digest names, whatever the tag says", async () => {
    await write(ONE);
    const { digest } = JSON.parse((await push("--format", "json")).stdout) as { digest: string };
    await write(ONE.replace("echo:1", "echo:2"));
    await push();

    const pinned = await thv.call(["up", `oci://${registry.host}/acme/tools@${digest}`, "--yes", "--format", "json"]);
    expect(JSON.parse(pinned.stdout)).toMatchObject({
      file: `oci://${registry.host}/acme/tools`,
      from: { reference: `oci://${registry.host}/acme/tools@${digest}`, digest },
      servers: [{ name: "first", action: "create" }],
    });
    expect(find("first")?.spec.image).toBe("mcp/echo:1");
  });

  test("brings its lock, and the digest in it counts", async () => {
    await write(ONE);
    const entry = { run: "mcp/echo:1", image: "mcp/echo:1", digest: `sha256:${"a1".repeat(32)}` };
    await writeFile(place("thv.lock"), JSON.stringify({ lock_version: 1, servers: { first: entry } }));
    expect((await push()).stdout).toContain("thv.yaml, thv.lock");

    const result = await up("--yes");
    expect(result.code).toBe(19);
    expect(find("first")).toBeUndefined();
  });

  test("does not become another project by its name, and does not touch its servers", async () => {
    await write(`name: team\n${ONE}`);
    await thv.call(["up", "--file", place("thv.yaml"), "--yes"]);
    const own = find("first");
    await write(`name: team\n${ONE.replace("metric", "imperial")}`);
    await push();

    const result = await up("--yes");
    expect(result.code).toBe(4);
    expect(result.stderr).toContain("did not create it");
    expect((await up("--yes", "--adopt")).code).toBe(4);
    expect(find("first")).toBe(own);
  });

  test("with a relative folder is refused, and says where it can run", async () => {
    await write('servers:\n  first: { run: "mcp/echo:1", volumes: ["./maps:/maps"] }\n');
    const pushed = await push();
    expect(pushed.stderr).toContain("Not shared: servers.first.volumes: maps is a folder.");
    expect(pushed.stderr).toContain(`thv pull ${name()} FOLDER`);

    const result = await up("--yes");
    expect(result.code).toBe(2);
    expect(result.stderr).toContain("servers.first.volumes: maps");
    expect(result.stderr).toContain(`thv pull ${name()} FOLDER`);
  });

  test("names its mistakes by its reference", async () => {
    const text = "servers: { first: { run: 7 } }";
    const digest = registry.addBlob(text);
    const layer = { digest, size: text.length, annotations: { "org.opencontainers.image.title": "thv.yaml" } };
    const type = "application/vnd.dev.toolhive.project.v1";
    registry.addManifest("1", {
      schemaVersion: 2,
      artifactType: type,
      layers: [{ ...layer, mediaType: `${type}+yaml` }],
    });

    const result = await up("--yes");
    expect([result.code, result.stderr]).toEqual([2, expect.stringContaining(`${name()} cannot be used: line 1: `)]);
  });

  test("gives a server its policies, and other policies are a difference", async () => {
    await mkdir(place("policies"));
    const policies = (action: string) =>
      writeFile(
        place("policies", "p.json"),
        JSON.stringify({
          version: "1.0",
          type: "cedarv1",
          cedar: { policies: [`permit(principal, action == Action::"${action}", resource);`], entities_json: "[]" },
        }),
      );
    await policies("call_tool");
    await write('servers:\n  first: { run: "mcp/echo:1", access: { authz_config: policies/p.json } }\n');
    expect((await push()).stdout).toContain("thv.yaml, policies/p.json");

    expect((await up("--yes")).code).toBe(0);
    expect((await up("--check")).code).toBe(0);
    await policies("get_prompt");
    await push();
    expect((await up("--check")).stdout).toContain("~ first differs");
  });

  test.each([
    [["up", "thv.yaml"], "--file thv.yaml"],
    [["up", "oci://127.0.0.1/a", "--file", "a.yaml"], "only one can be"],
    [["down", "tools"], "--file tools"],
    [["pull", "alpine"], "thv restart NAME --pull"],
    [["push", "alpine"], "oci://"],
  ])("%j says what to type", async (argv, hint) => {
    const { code, stderr } = await thv.call(argv);
    expect([64, 2]).toContain(code);
    expect(stderr).toContain(hint);
  });
});

describe("a push", () => {
  test("of a value that looks secret needs a yes, and nothing is sent before", async () => {
    await write(
      'servers:\n  first: { run: "mcp/echo:1", env: { API_TOKEN: ghp_16C7e42F292c6912E7710c838347Ae178B4a } }\n',
    );

    const refused = await push();
    expect(refused.code).toBe(27);
    expect(refused.stderr).toContain("API_TOKEN of first looks secret");
    expect(`${refused.stderr}${refused.stdout}`).not.toContain("ghp_");
    expect(registry.requests).toEqual([]);
    expect((await push("--yes")).code).toBe(0);
  });

  test("over what somebody else has pushed needs a yes", async () => {
    await write(ONE);
    registry.addManifest("1", { artifactType: "application/vnd.dev.toolhive.project.v1", layers: [] });

    const refused = await push();
    expect(refused.code).toBe(27);
    expect(findTag().layers).toEqual([]);
    const answered = await thv.call(["push", name(), "--file", place("thv.yaml")], {
      isTty: true,
      answers: [["Replace it?", "y"]],
    });
    expect(answered.code).toBe(0);
    expect(findTag().layers).toHaveLength(1);
    await write(`${ONE}# changed\n`);
    expect((await push()).code).toBe(0);
  });

  test("takes no file through a link out of the folder, and none that is missing", async () => {
    await write('servers:\n  first: { run: "mcp/echo:1", access: { authz_config: p.json } }\n');
    expect((await push()).stderr).toContain("it does not exist");

    await symlink("/etc/passwd", place("p.json"));
    const result = await push();
    expect(result.code).toBe(2);
    expect(result.stderr).toContain("is a link to /etc/passwd, outside the folder");
    expect(registry.requests).toEqual([]);
  });
});

describe("a pull", () => {
  test("writes the files and starts nothing", async () => {
    await write(ONE);
    await push();

    const result = await thv.call(["pull", name(), place("new"), "--format", "json"]);
    expect(JSON.parse(result.stdout)).toMatchObject({ reference: name(), folder: place("new"), files: ["thv.yaml"] });
    expect(await readFile(place("new", "thv.yaml"), "utf8")).toBe(ONE);
    expect(result.stderr).toContain(`thv up --file ${place("new", "thv.yaml")}`);
    expect(find("first")).toBeUndefined();
  });

  test("replaces nothing without --force, and writes nothing then", async () => {
    await mkdir(place("policies"));
    await writeFile(place("policies", "p.json"), "{}");
    await write('servers:\n  first: { run: "mcp/echo:1", access: { authz_config: policies/p.json } }\n');
    await push();
    await mkdir(place("old"));
    await writeFile(place("old", "thv.yaml"), "mine");

    const refused = await thv.call(["pull", name(), place("old")]);
    expect(refused.code).toBe(2);
    expect(await readdir(place("old"))).toEqual(["thv.yaml"]);
    expect(await readFile(place("old", "thv.yaml"), "utf8")).toBe("mine");
    expect((await thv.call(["pull", name(), place("old"), "--force"])).code).toBe(0);
    expect((await readdir(place("old"))).sort()).toEqual(["policies", "thv.yaml"]);
    expect((await thv.call(["pull", name(), place("old")])).code).toBe(0);
  });

  test("follows no link in the folder", async () => {
    await mkdir(place("policies"));
    await writeFile(place("policies", "p.json"), "{}");
    await write('servers:\n  first: { run: "mcp/echo:1", access: { authz_config: policies/p.json } }\n');
    await push();
    await mkdir(place("into"));
    await mkdir(place("elsewhere"));
    await symlink(place("elsewhere"), place("into", "policies"));

    const result = await thv.call(["pull", name(), place("into"), "--force"]);
    expect([result.code, result.stderr]).toEqual([2, expect.stringContaining("through a link")]);
    expect(await readdir(place("elsewhere"))).toEqual([]);
    expect(await readdir(place("into"))).toEqual(["policies"]);
  });

  test("of what does not exist names it", async () => {
    const result = await thv.call(["pull", name("9")]);
    expect([result.code, result.stderr]).toEqual([3, expect.stringContaining(`${name("9")} does not exist`)]);
  });
});
