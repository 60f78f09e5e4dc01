/** `thv up`, `thv up --check` and `thv down`, against a supervisor over a simulated machine. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { answeringServer, exitingServer } from "@toolhive/core/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServedThv } from "../../testing/served-thv.ts";

let thv: ServedThv;
beforeEach(async () => {
  thv = await ServedThv.start();
  thv.served.world.engine.registry.set("mcp/echo:2", answeringServer);
});
afterEach(async () => {
  await thv[Symbol.asyncDispose]();
});

const placeFile = (name: string) => join(thv.home, name);
const write = async (text: string) => await writeFile(placeFile("thv.yaml"), text);
const up = async (...more: readonly string[]) =>
  await thv.call(["up", "--file", placeFile("thv.yaml"), "--yes", ...more]);
const down = async (...more: readonly string[]) => await thv.call(["down", "--file", placeFile("thv.yaml"), ...more]);
const names = async () =>
  (JSON.parse((await thv.call(["list", "--all", "--format", "json"])).stdout) as { name: string }[]).map(
    ({ name }) => name,
  );
const findContainer = (name: string) => thv.served.world.engine.find(name);

const TWO = `
servers:
  first: { run: "mcp/echo:1", env: { UNITS: metric } }
  second: { run: "mcp/echo:1" }
`;

describe("up", () => {
  test("creates what is missing, and has nothing to do the second time", async () => {
    await write(TWO);

    const first = await up();
    expect(first.code).toBe(0);
    expect(first.stdout).toMatch(/^first is created: http:\S+\nsecond is created: http:\S+\n$/);
    expect(findContainer("first")?.spec.env).toMatchObject({ UNITS: "metric" });

    const before = findContainer("first");
    expect((await up()).stdout).toMatch(/^first matches the file: \S+\nsecond matches the file: \S+\n$/);
    expect(findContainer("first")).toBe(before);
  });

  test("changes in place what differs, keeps the address, and leaves the rest alone", async () => {
    await write(TWO);
    const [url] = /http:\S+/.exec((await up()).stdout) ?? [];
    const second = findContainer("second");
    await thv.call(["run", "--name", "other", "mcp/echo:1"]);
    const other = findContainer("other");

    await write(TWO.replace("metric", "imperial"));

    expect((await up()).stdout).toContain(`first is changed (env.UNITS): ${url}\n`);
    expect(findContainer("first")?.spec.env).toMatchObject({ UNITS: "imperial" });
    expect(findContainer("second")).toBe(second);
    expect(findContainer("other")).toBe(other);
  });

  test("starts what is stopped, with its new settings where it has some", async () => {
    await write(TWO);
    await up();
    await thv.call(["stop", "first", "second"]);
    await write(TWO.replace("metric", "imperial"));

    expect((await up()).stdout).toMatch(/^first is changed \(env\.UNITS\): .*\nsecond is started: /);
    expect((await thv.call(["list"])).stdout).toMatch(/first.*second/s);
    expect(findContainer("first")?.spec.env).toMatchObject({ UNITS: "imperial" });
  });

  test("undoes what another command changed, so that the file stays true", async () => {
    await write('servers:\n  first: { run: "mcp/echo:1", tools: [echo] }\n');
    await up();
    await thv.call(["tools", "allow", "first", "--all"]);

    expect((await up("--check")).stdout).toContain('~ first differs:\n    tools: (not set) → ["echo"]');
    expect((await up()).stdout).toContain("first is changed (tools)");
    expect((await up("--check")).code).toBe(0);
  });

  test("keeps the time to sleep after that the settings gave a server", async () => {
    await thv.call(["config", "set-sleep-after", "10m"]);
    await write(TWO);
    await up();

    expect((await up("--check")).code).toBe(0);
  });

  test("does not touch a server of the same name that it has not made", async () => {
    await thv.call(["run", "--name", "first", "mcp/echo:1"]);
    const own = findContainer("first");
    await write(TWO);

    const result = await up();

    expect(result.code).toBe(4);
    expect(result.stderr).toContain(
      `A server named "first" already exists, and ${placeFile("thv.yaml")} did not create it.`,
    );
    expect(result.stderr).toContain("thv rm first");
    expect(findContainer("first")).toBe(own);
    expect(await names()).toContain("second");
  });

  test("lets the others go on when one fails, leaves nothing of that one, and completes it the next time", async () => {
    const { images } = thv.served.world.engine;
    images.set("mcp/bad:1", exitingServer(3));
    await write(TWO.replace('second: { run: "mcp/echo:1"', 'second: { run: "mcp/bad:1"'));

    const failed = await up("--format", "json");
    expect(failed.code).toBe(8);
    expect(JSON.parse(failed.stdout)).toMatchObject({
      servers: [{ name: "first", action: "create" }],
      failed: [{ name: "second", code: "SERVER_EXITED" }],
    });
    expect(failed.stderr).toContain("1 of 2 servers failed.");
    expect(await names()).toEqual(["first"]);

    images.set("mcp/bad:1", answeringServer);
    expect((await up()).stdout).toMatch(/^first matches the file: .*\nsecond is created: /);
  });

  test("names a secret that is missing, before the server is created", async () => {
    await write('servers:\n  first: { run: "mcp/echo:1", secrets: { KEY: my-key } }\n');

    const result = await up();

    expect(result.code).not.toBe(0);
    expect(await names()).toEqual([]);
  });

  test("puts servers into groups that it creates, takes them out again, and leaves other groups alone", async () => {
    const grouped = (groups: string) => `servers:\n  first: { run: "mcp/echo:1", groups: ${groups} }\n`;
    const listServerGroups = async () =>
      (
        JSON.parse((await thv.call(["group", "list", "--format", "json"])).stdout) as {
          name: string;
          workloads: { name: string }[];
        }[]
      )
        .filter(({ workloads }) => workloads.some(({ name }) => name === "first"))
        .map(({ name }) => name);
    await write(grouped("[work, home]"));
    await up();
    expect(await listServerGroups()).toEqual(["home", "work"]);

    await write(grouped("[work]"));
    expect((await up("--check")).stdout).toContain("groups: home, work → work");
    expect((await up()).stdout).toContain("first is changed (groups)");
    expect(await listServerGroups()).toEqual(["work"]);

    await thv.call(["group", "add", "home", "first"]);
    await write('servers:\n  first: { run: "mcp/echo:1" }\n');
    expect((await up()).stdout).toContain("first matches the file");
    expect(await listServerGroups()).toEqual(["home", "work"]);
  });

  test("says which servers the file does not name any more, and leaves them running", async () => {
    await write(TWO);
    await up();
    await write('servers:\n  first: { run: "mcp/echo:1", env: { UNITS: metric } }\n');

    const result = await up();

    expect(result.code).toBe(0);
    expect(result.stderr).toContain("second is no longer in");
    expect(result.stderr).toContain("thv rm second");
    expect(await names()).toEqual(["first", "second"]);
    expect((await up("--check")).code).toBe(0);
  });

  test.each([
    ["absent.yaml", undefined, /absent\.yaml cannot be used: it does not exist\./],
    ["thv.yaml", "servers:\n  first: { run: 1 }\n", /line 2: servers\.first\.run is a number but must be a string/],
    ["thv.yaml", "x".repeat(1024 * 1024 + 1), /it is larger than 1048576 bytes/],
  ])("refuses %s when it is unusable", async (name, text, expected) => {
    if (text !== undefined) await write(text);

    const result = await thv.call(["up", "--file", placeFile(name)]);

    expect([result.code, result.stderr]).toEqual([2, expect.stringMatching(expected)]);
  });
});

describe("up --check", () => {
  test("changes nothing, shows the difference and exits with a code of its own", async () => {
    await write(TWO);
    await up();
    await thv.call(["stop", "second"]);
    await write(
      `${TWO.replace("metric", "imperial").replace('mcp/echo:1", env', 'mcp/echo:2", env')}  third: { run: "mcp/echo:1" }\n`,
    );
    const before = findContainer("first");

    const result = await up("--check");

    expect(result.code).toBe(26);
    expect(result.stdout).toBe(
      [
        "~ first differs:",
        "    env.UNITS has a different value",
        "    image: mcp/echo:1 → mcp/echo:2",
        "  thv up asks for your permission for:",
        "    + image:     mcp/echo:2",
        "      variables: UNITS",
        "      network:   Every host, on every port, because nothing limits its network.",
        "      user:      the image's own",
        "~ second is stopped.",
        "+ third is missing: mcp/echo:1",
        "  thv up asks for your permission for:",
        "    image:     mcp/echo:1",
        "    network:   Every host, on every port, because nothing limits its network.",
        "    user:      the image's own",
        "",
      ].join("\n"),
    );
    expect(result.stderr).toContain("3 of 3 servers differ from");
    expect(result.stdout + result.stderr).not.toContain("imperial");
    expect(findContainer("first")).toBe(before);
    expect(await names()).toEqual(["first", "second"]);
  });

  test("exits with the code of the reason when a server cannot be compared", async () => {
    await write(`${TWO}  third: { run: "mcp/echo:1", secrets: { KEY: my-key } }\n`);
    const [missing, check] = [await up(), await up("--check")];

    expect([missing.code, check.code]).toEqual([3, 3]);
    expect(check.stderr).toContain("my-key");
    expect(await names()).toEqual(["first", "second"]);
  });

  test("exits with 0 when all is as the file says", async () => {
    await write(TWO);
    await up();

    expect(await up("--check")).toEqual({
      code: 0,
      stdout: "  first matches the file.\n  second matches the file.\n",
      stderr: "",
    });
  });
});

describe("down", () => {
  test("removes what the file has made, also what it does not name any more, and nothing else", async () => {
    await write(TWO);
    await up();
    await thv.call(["run", "--name", "other", "mcp/echo:1"]);
    await write('servers:\n  first: { run: "mcp/echo:1" }\n');

    const result = await down();

    expect([result.code, result.stdout]).toEqual([0, "first is removed.\nsecond is removed.\n"]);
    expect(await names()).toEqual(["other"]);
  });

  test("does not remove what another file has made, and says when there is nothing", async () => {
    await writeFile(placeFile("other.yaml"), TWO);
    await thv.call(["up", "--file", placeFile("other.yaml"), "--yes"]);
    await write(TWO);

    const result = await down();

    expect(result).toEqual({
      code: 0,
      stdout: "",
      stderr: `No server from ${placeFile("thv.yaml")} exists.\n`,
    });
    expect(await names()).toEqual(["first", "second"]);
    expect((await down("--format", "json")).stdout).toBe("[]\n");
  });
});

describe("import", () => {
  const settings = {
    mcpServers: {
      first: {
        command: "docker",
        args: ["run", "-i", "--rm", "mcp/echo:1"],
        env: { KEY_TOKEN: "hunter2", UNITS: "metric" },
      },
      local: { command: "node", args: ["server.js"] },
    },
  };
  const run = async (...more: readonly string[]) =>
    await thv.call(["import", placeFile("mcp.json"), "--file", placeFile("thv.yaml"), ...more]);

  beforeEach(async () => {
    await writeFile(placeFile("mcp.json"), JSON.stringify(settings));
  });

  test("writes a file that up takes, without the secret, and says how to store that", async () => {
    const result = await run();

    expect([result.code, result.stdout]).toEqual([0, `${placeFile("thv.yaml")} lists first.\n`]);
    expect(result.stderr).toContain("local was left out: it is started by node");
    expect(result.stderr).toContain("thv secret set first-key-token   # KEY_TOKEN of first");
    const file = await readFile(placeFile("thv.yaml"), "utf8");
    expect(file).toMatch(/^servers:\n {2}first:\n/);
    expect(result.stderr).toContain(`thv up --file ${placeFile("thv.yaml")}`);
    expect(file + result.stdout + result.stderr).not.toContain("hunter2");
    expect(await readFile(placeFile("mcp.json"), "utf8")).toBe(JSON.stringify(settings));

    thv.served.world.secrets.set("first-key-token", "hunter2");
    expect(await up()).toMatchObject({ code: 0, stdout: expect.stringContaining("first is created") });
    expect(findContainer("first")?.spec.env).toMatchObject({ KEY_TOKEN: "hunter2", UNITS: "metric" });
  });

  test("does not replace a file without --force", async () => {
    await write("servers: {}\n");

    expect(await run()).toMatchObject({ code: 2, stderr: expect.stringContaining("already exists") });
    expect(await readFile(placeFile("thv.yaml"), "utf8")).toBe("servers: {}\n");
    expect((await run("--force")).code).toBe(0);
  });
});
