/** A team's file and a person's own: what they say together, and what is refused. */
import { mkdir, realpath, symlink, writeFile } from "node:fs/promises";
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
