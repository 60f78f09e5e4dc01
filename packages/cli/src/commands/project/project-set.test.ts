/** A set as one file: its groups with choices and clients, and its name instead of its path. */
import { mkdir, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServedThv } from "../../testing/served-thv.ts";

let thv: ServedThv;
let home: string;
beforeEach(async () => {
  thv = await ServedThv.start();
  home = await realpath(thv.home);
  thv.served.world.secrets.set("github-token", "hunter2");
});
afterEach(async () => {
  await thv[Symbol.asyncDispose]();
});

const placeFile = (name: string) => join(home, name);
async function write(text: string, name = "thv.yaml"): Promise<void> {
  await mkdir(dirname(placeFile(name)), { recursive: true });
  await writeFile(placeFile(name), text);
}
const up = async (name = "thv.yaml", ...more: readonly string[]) =>
  await thv.call(["up", "--file", placeFile(name), ...more]);
const down = async (name: string) => await thv.call(["down", "--file", placeFile(name)]);
const listNames = async (of = thv) =>
  (JSON.parse((await of.call(["list", "--all", "--format", "json"])).stdout) as { name: string }[]).map(
    ({ name }) => name,
  );
async function readGroup(name: string, of = thv) {
  const groups = JSON.parse((await of.call(["group", "list", "--format", "json"])).stdout) as { name: string }[];
  return groups.find((group) => group.name === name) as Record<string, unknown> | undefined;
}

const GROUP = `servers:
  first: { run: "mcp/echo:1", groups: [work] }
groups:
  work: { naming: always, tools: [first__add], find_tools: true, clients: [cursor] }
`;

describe("a group of the file", () => {
  test("is shown, created with its choices before its servers, and given to its clients after a yes", async () => {
    await write(GROUP);

    const asked = await up();
    expect(asked.code).toBe(27);
    expect(asked.stderr).toContain(
      "group work would get:\n    client:    cursor gets its URL\n    tools:     first__add\n",
    );
    expect(await readGroup("work")).toBeUndefined();

    const { code, stdout } = await up("thv.yaml", "--yes");
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^first is created: .*\ngroup work is created: http/)]);
    expect(await readGroup("work")).toMatchObject({
      naming: "always",
      tools: ["first__add"],
      find_tools: true,
      registered_clients: ["cursor"],
      workloads: [{ name: "first" }],
    });
    expect(await up("thv.yaml", "--check")).toMatchObject({
      code: 0,
      stdout: "  first matches the file.\n  group work matches the file.\n",
    });
  });

  test("that was changed is a difference, asked about when it gets more, and as the file says afterwards", async () => {
    await write(GROUP);
    await up("thv.yaml", "--yes");
    await write(GROUP.replace("[first__add]", "[first__add, first__rm]").replace("[cursor]", "[cursor, vscode]"));

    const checked = await up("thv.yaml", "--check");
    expect(checked.code).toBe(26);
    expect(checked.stdout).toContain("~ group work differs:\n");
    expect(checked.stdout).toContain("thv up asks for your permission for:");
    expect(checked.stderr).toContain("1 of the servers and groups differs");
    expect((await up()).code).toBe(27);
    expect(await readGroup("work")).toMatchObject({ tools: ["first__add"], registered_clients: ["cursor"] });

    expect((await up("thv.yaml", "--yes")).stdout).toContain("group work is changed (tools, clients): http");
    expect(await readGroup("work")).toMatchObject({ registered_clients: ["cursor", "vscode"] });
    expect((await up("thv.yaml", "--check")).code).toBe(0);
  });

  test("keeps what the file leaves out, also clients of others", async () => {
    await write(GROUP);
    await up("thv.yaml", "--yes");
    await thv.call(["client", "register", "vscode", "--group", "work"]);
    await write("servers:\n  first: { run: 'mcp/echo:1' }\ngroups:\n  work: { clients: [cursor] }\n");

    expect(await up("thv.yaml", "--check")).toMatchObject({ code: 0 });
    expect(await readGroup("work")).toMatchObject({ tools: ["first__add"], registered_clients: ["cursor", "vscode"] });
  });

  test("with another naming than the group that is there is a difference, and nothing of it is changed", async () => {
    await thv.call(["group", "create", "work"]);
    await write(GROUP);

    const checked = await up("thv.yaml", "--check");
    expect([checked.code, checked.stderr]).toEqual([26, expect.stringContaining("naming is auto and not always")]);
    const { code, stderr } = await up("thv.yaml", "--yes");
    expect(code).not.toBe(0);
    expect(stderr).toContain("thv group rm work");
    expect(await readGroup("work")).toMatchObject({ naming: "auto", workloads: [], registered_clients: [] });
  });

  test("default has clients, and nothing else", async () => {
    await write("servers:\n  first: { run: 'mcp/echo:1' }\ngroups:\n  default: { clients: [cursor] }\n");
    expect((await up("thv.yaml", "--yes")).code).toBe(0);
    expect(await readGroup("default")).toMatchObject({ registered_clients: ["cursor"] });

    await write("servers: {}\ngroups:\n  default: { tools: [a] }\n");
    expect((await up()).stderr).toContain("line 3: groups.default.tools: this group has no URL of its own");
  });
});

const NAMED = `name: shop
servers:
  first: { run: "mcp/echo:1", secrets: { TOKEN: github-token } }
`;

describe("a project with a name", () => {
  test("keeps its servers when its folder moves, and asks for all that they get in the new place", async () => {
    await write(NAMED, "a/thv.yaml");
    await up("a/thv.yaml", "--yes");
    const container = thv.served.world.engine.find("first");
    await rename(placeFile("a"), placeFile("b"));

    const asked = await up("b/thv.yaml");
    expect(asked.code).toBe(27);
    expect(asked.stderr).toContain("secret:    github-token as TOKEN");

    expect((await up("b/thv.yaml", "--yes")).stdout).toMatch(/^first matches the file/);
    expect(thv.served.world.engine.find("first")).toBe(container);
    expect((await up("b/thv.yaml")).code).toBe(0);
    expect((await down("b/thv.yaml")).code).toBe(0);
    expect(await listNames()).toEqual([]);
  });

  test("in two checkouts belongs to one of them, until the other takes it over", async () => {
    await write(NAMED, "a/thv.yaml");
    await write(NAMED.replace("shop", "shop # a clone"), "b/thv.yaml");
    await up("a/thv.yaml", "--yes");

    for (const command of [up("b/thv.yaml", "--yes"), up("b/thv.yaml", "--check"), down("b/thv.yaml")]) {
      const { code, stderr } = await command;
      expect(code).toBe(4);
      expect(stderr).toContain(`The servers of the project "shop" belong to ${placeFile("a/thv.yaml")}`);
    }
    expect(await listNames()).toEqual(["first"]);

    expect((await up("b/thv.yaml", "--adopt")).code).toBe(27);
    expect((await up("b/thv.yaml", "--adopt", "--yes")).code).toBe(0);
    expect((await up("a/thv.yaml", "--yes")).stderr).toContain(`belong to ${placeFile("b/thv.yaml")}`);
  });

  test("does not lend what was allowed to a stranger's file of the same name", async () => {
    await write(NAMED, "a/thv.yaml");
    await up("a/thv.yaml", "--yes");
    await down("a/thv.yaml");
    await write(NAMED, "stranger/thv.yaml");

    const { code, stderr } = await up("stranger/thv.yaml");

    expect([code, stderr]).toEqual([27, expect.stringContaining("secret:    github-token as TOKEN")]);
    expect(await listNames()).toEqual([]);
  });

  test("keeps its servers when its file gets a name, another one, or none any more", async () => {
    const text = (name: string) => `${name}servers:\n  first: { run: "mcp/echo:1" }\n`;
    await write(text(""));
    await up("thv.yaml", "--yes");
    for (const name of ["name: shop\n", "name: store\n", ""]) {
      await write(text(name));

      const changed = await up();
      expect([name, changed.stderr]).toEqual([name, ""]);
      expect(changed.stdout).toContain("first is changed (labels.thv-project)");
      expect((await up("thv.yaml", "--check")).code).toBe(0);
    }
    await write(text("name: shop\n"));
    await up();
    await rm(placeFile("thv.yaml"));
    expect((await down("thv.yaml")).stdout).toContain("first");
    expect(await listNames()).toEqual([]);
  });

  test.each(["0123456789abcdef", "a.0123456789abcdef", "A1", "a", "a_b", "../a"])(
    "cannot be called %s, which another file's label could be",
    async (name) => {
      await write(NAMED.replace("shop", JSON.stringify(name)));

      expect((await up("thv.yaml", "--yes")).stderr).toContain("line 1: name");
    },
  );
});

describe("two people", () => {
  test("who change one server at once: the second change is refused, and the first stays", async () => {
    await write('servers:\n  first: { run: "mcp/echo:1" }\n');
    await up("thv.yaml", "--yes");
    await write('servers:\n  first: { run: "mcp/echo:1", memory: 512m }\n');
    const { plans, edits } = thv.served.supervisor;
    const inspect = plans.inspect.bind(plans);
    plans.inspect = async (name) => {
      plans.inspect = inspect;
      const found = await inspect(name);
      await edits.edit(name, { image: "mcp/echo:1", name, env_vars: ["OF=another"] });
      return found;
    };

    const result = await up("thv.yaml", "--yes");

    expect([result.code, result.stderr]).toEqual([
      expect.any(Number),
      expect.stringContaining('"first" was changed by somebody else after it was compared'),
    ]);
    expect(result.code).not.toBe(0);
    expect(thv.served.world.engine.find("first")?.spec.env).toMatchObject({ OF: "another" });
    expect((await up("thv.yaml", "--check")).code).toBe(26);
  });
});

test("what runs on one home, exported and brought up on another, is the same set, and its export the same text", async () => {
  await write(GROUP.replace("[cursor] }", "[cursor] }\n  default: { clients: [vscode] }"));
  await write(
    (await readFile(placeFile("thv.yaml"), "utf8")).replace(
      "groups:\n",
      '  second: { run: "mcp/echo:1", memory: 512m, sleep_after: 10m, access: { enable_audit: true } }\ngroups:\n',
    ),
  );
  expect((await up("thv.yaml", "--yes")).code).toBe(0);
  const { stdout: first } = await thv.call(["export", "--all"]);
  await using other = await ServedThv.start();
  const file = join(other.home, "set.yaml");
  await writeFile(file, first.replace(/^ *(?:proxy_)?port: \d+\n/gm, ""));

  expect((await other.call(["up", "--file", file, "--yes"])).code).toBe(0);

  const { stdout: second } = await other.call(["export", "--all"]);
  const compared = (text: string) => text.replace(/^ *(?:proxy_)?port: \d+\n/gm, "");
  expect(compared(second)).toBe(compared(first));
  expect(await listNames(other)).toEqual(await listNames());
});
