/** A team's file and a person's own: what they say together, and what is refused. */
import { access, mkdir, realpath, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServedThv } from "../../testing/served-thv.ts";

let thv: ServedThv;
let home: string;
beforeEach(async () => {
  thv = await ServedThv.start();
  home = await realpath(thv.home);
});
afterEach(async () => {
  await thv[Symbol.asyncDispose]();
});

const placeFile = (name: string) => join(home, name);
async function write(name: string, text: string): Promise<void> {
  await mkdir(dirname(placeFile(name)), { recursive: true });
  await writeFile(placeFile(name), text);
}
const up = async (...more: readonly string[]) => await thv.call(["up", "--file", placeFile("thv.yaml"), ...more]);
const readConfig = (name: string) => thv.served.supervisor.getUsable(name).config;

const TEAM = `name: shop
servers:
  first: { run: "mcp/echo:1", env: { UNITS: metric, LEVEL: info }, args: [--all, -v], permission_profile: none }
  second: { run: "mcp/echo:1", groups: [work] }
groups:
  work: { find_tools: true }
`;

describe("extends", () => {
  test("takes what the other file has; the own file wins member by member, and a list is replaced whole", async () => {
    await write("team/base.yaml", TEAM);
    await write(
      "thv.yaml",
      `extends: [team/base.yaml]
servers:
  first: { env: { LEVEL: debug }, args: [--few], permissions: { network: { outbound: { allow_host: [a.example] } } } }
  third: { run: "mcp/echo:1" }
`,
    );

    const { code, stdout } = await up("--yes");

    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^first is .*\nsecond is .*\nthird is .*\ngroup work is/),
    ]);
    expect(readConfig("first")).toMatchObject({
      env_vars: { UNITS: "metric", LEVEL: "debug" },
      cmd_args: ["--few"],
      permission_profile: { network: { outbound: { allow_host: ["a.example"] } } },
      container_labels: { "thv-project": "shop" },
    });
    expect((await up("--check")).code).toBe(0);
  });

  test("of several files the later wins, and paths begin at the file that has them", async () => {
    await mkdir(placeFile("team/maps"), { recursive: true });
    await write(
      "team/a.yaml",
      'servers:\n  first: { run: "mcp/echo:1", volumes: ["./maps:/maps:ro"], memory: 512m }\n',
    );
    await write("team/b.yaml", "extends: [a.yaml]\nservers:\n  first: { memory: 256m, cpus: 1 }\n");
    await write("c.yaml", "servers:\n  first: { cpus: 0.5 }\n");
    await write("thv.yaml", "extends: [team/b.yaml, c.yaml]\n");

    expect((await up("--yes")).code).toBe(0);
    expect(readConfig("first")).toMatchObject({
      volumes: [`${placeFile("team/maps")}:/maps:ro`],
      limits: { memory_bytes: 256 * 1024 * 1024, cpus: 0.5 },
    });
  });

  test("names the file and the line of a mistake", async () => {
    await write("base.yaml", "servers:\n  first:\n    run: mcp/echo:1\n    memory: much\n");
    await write("thv.yaml", "extends: [base.yaml]\nservers:\n  first: { cpus: few }\n");

    const { code, stderr } = await up();

    expect(code).toBe(2);
    expect(stderr).toContain(`${placeFile("base.yaml")}, line 4: servers.first.memory is "much"`);
    expect(stderr).toContain("line 3: servers.first.cpus");
  });

  test.each([
    ["itself", ["thv.yaml"], {}, "it extends"],
    ["a file that extends it", ["a.yaml"], { "a.yaml": "extends: [thv.yaml]\n" }, "in turn"],
    ["a file that is not there", ["absent.yaml"], {}, "absent.yaml: it does not exist"],
    ["an absolute path", ["/etc/hosts"], {}, "write it as a relative path"],
    ["a folder", ["."], {}, "extends .: "],
    [
      "a file without servers",
      ["a.yaml"],
      { "a.yaml": "password: hunter2\n" },
      'a.yaml, line 1: the file is missing "servers"',
    ],
    ["a file that is no YAML", ["a.yaml"], { "a.yaml": "servers: [\n" }, "a.yaml, line"],
    ["a file that is too large", ["a.yaml"], { "a.yaml": `servers: {}\n#${"x".repeat(2_000_000)}` }, "is larger than"],
    [
      "a chain that is too long",
      ["f0.yaml"],
      Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`f${n}.yaml`, `extends: [f${n + 1}.yaml]\n`])),
      "more than 5 files extend each other",
    ],
  ])("%s is refused with the reason", async (_what, extended, files, reason) => {
    for (const [name, text] of Object.entries(files)) await write(name, text);
    await write("thv.yaml", `extends: ${JSON.stringify(extended)}\nservers:\n  first: { run: "mcp/echo:1" }\n`);

    const { code, stderr } = await up("--yes");

    expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
    expect(stderr).not.toContain("hunter2");
  });

  test("a link that leads out of its folder is refused, without a word of what it holds", async () => {
    await write("private.yaml", "servers: { hunter2: {} }\n");
    await mkdir(placeFile("team"));
    await symlink(placeFile("private.yaml"), placeFile("team/base.yaml"));
    await write("thv.yaml", "extends: [team/base.yaml]\nservers: {}\n");

    const { code, stderr } = await up("--yes");

    expect([code, stderr]).toEqual([2, expect.stringContaining("outside its folder")]);
    expect(stderr).not.toContain("hunter2");
  });

  test("is asked about when another file brings more", async () => {
    await write("base.yaml", 'servers:\n  first: { run: "mcp/echo:1" }\n');
    await write("thv.yaml", "extends: [base.yaml]\n");
    await up("--yes");
    await write("base.yaml", 'servers:\n  first: { run: "mcp/echo:1", args: [--all] }\n');

    expect(await up()).toMatchObject({ code: 27, stderr: expect.stringContaining("+ arguments: --all") });
  });

  test("is not for a text without a folder: a push is refused, and names the way to one file", async () => {
    await write("base.yaml", 'servers:\n  first: { run: "mcp/echo:1" }\n');
    await write("thv.yaml", "extends: [base.yaml]\n");

    const { code, stderr } = await thv.call(["push", "oci://localhost:1/a/b", "--file", placeFile("thv.yaml")]);

    expect([code, stderr]).toEqual([2, expect.stringContaining("thv export --all")]);
  });
});

describe("--file, written several times", () => {
  const files = (...names: readonly string[]) => names.flatMap((name) => ["--file", placeFile(name)]);
  const OWN = "servers:\n  first: { env: { LEVEL: debug }, args: [--few] }\n  second: { memory: 256m }\n";

  test("says what the last file says with the others in its extends, and both find the same servers", async () => {
    await write("team/base.yaml", TEAM);
    await write("own.yaml", OWN);
    await write("extending.yaml", `extends: [team/base.yaml]\n${OWN}`);

    const { code, stderr } = await thv.call(["up", ...files("team/base.yaml", "own.yaml"), "--yes"]);

    expect(code, stderr).toBe(0);
    expect(readConfig("first")).toMatchObject({
      env_vars: { UNITS: "metric", LEVEL: "debug" },
      cmd_args: ["--few"],
      container_labels: { "thv-project": "shop" },
    });
    expect(readConfig("second").limits).toMatchObject({ memory_bytes: 256 * 1024 * 1024 });
    expect((await thv.call(["up", ...files("team/base.yaml", "own.yaml"), "--check"])).code).toBe(0);
    const extending = await thv.call(["up", ...files("extending.yaml"), "--adopt", "--check"]);
    expect([extending.code, extending.stdout]).toEqual([0, expect.stringContaining("first matches the file")]);
    // The lock is the last file's, and the team's folder stays as it was.
    await expect(access(placeFile("own.lock"))).resolves.toBeUndefined();
    await expect(access(placeFile("team/base.lock"))).rejects.toThrow();
    const down = await thv.call(["down", ...files("team/base.yaml", "own.yaml")]);
    expect([down.code, down.stdout]).toEqual([0, "first is removed.\nsecond is removed.\n"]);
  });

  test("lets a file win with what it extends over the files before it, whose paths begin at their folders", async () => {
    await mkdir(placeFile("team/maps"), { recursive: true });
    await write("team/base.yaml", 'servers:\n  first: { run: "mcp/echo:1", volumes: ["./maps:/maps:ro"], cpus: 1 }\n');
    await write("mine/less.yaml", "servers:\n  first: { cpus: 0.5, memory: 256m }\n");
    await write("mine/own.yaml", "extends: [less.yaml]\nservers:\n  first: { memory: 512m }\n");

    const { code, stderr } = await thv.call(["up", ...files("team/base.yaml", "mine/own.yaml"), "--yes"]);

    expect(code, stderr).toBe(0);
    expect(readConfig("first")).toMatchObject({
      volumes: [`${placeFile("team/maps")}:/maps:ro`],
      limits: { memory_bytes: 512 * 1024 * 1024, cpus: 0.5 },
    });
  });

  test("names the file and the line of a mistake, and every file in the next command", async () => {
    await write("base.yaml", "servers:\n  first:\n    run: mcp/echo:1\n    memory: much\n");
    await write("own.yaml", "servers:\n  first: { cpus: 1 }\n");

    const wrong = await thv.call(["up", ...files("base.yaml", "own.yaml")]);
    const absent = await thv.call(["up", ...files("absent.yaml", "own.yaml")]);
    await write("base.yaml", 'servers:\n  first: { run: "mcp/echo:1" }\n');
    const unasked = await thv.call(["up", ...files("base.yaml", "own.yaml")]);

    expect(wrong).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${placeFile("base.yaml")}, line 4: servers.first.memory is "much"`),
    });
    expect(absent).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${placeFile("absent.yaml")} cannot be used: it does not exist`),
    });
    expect(unasked).toMatchObject({
      code: 27,
      stderr: expect.stringContaining(`thv up ${files("base.yaml", "own.yaml").join(" ")} --yes`),
    });
  });

  test("is refused for more than 20 files, beside a reference, and for a link that leads out of its folder", async () => {
    const names = Array.from({ length: 22 }, (_, n) => `f${n}.yaml`);
    for (const name of names) await write(name, 'servers:\n  first: { run: "mcp/echo:1" }\n');
    await mkdir(placeFile("team"));
    await symlink(placeFile("f0.yaml"), placeFile("team/linked.yaml"));

    const many = await thv.call(["up", ...files(...names)]);
    const both = await thv.call(["up", "oci://localhost:1/a/b", ...files("f0.yaml", "f1.yaml")]);
    const linked = await thv.call(["up", ...files("team/linked.yaml", "f1.yaml")]);

    expect(many).toMatchObject({ code: 2, stderr: expect.stringContaining("at most 20") });
    expect(both).toMatchObject({ code: 64, stderr: expect.stringContaining("only one can be") });
    expect(linked).toMatchObject({ code: 2, stderr: expect.stringContaining("outside its folder") });
  });
});
