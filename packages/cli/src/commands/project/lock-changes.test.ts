/** What the lock of a project file holds, compares and refuses, against a supervisor over a simulated machine. */
import { readFile, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { McpFixture } from "../../testing/mcp-fixture.ts";
import {
  up as askUp,
  createEchoEntry,
  names,
  placeFile,
  startWithProject,
  stopWithProject,
  thv,
  write,
} from "../../testing/project-folder.ts";

const DIGEST = `sha256:${"a1".repeat(32)}`;
const OTHER_DIGEST = `sha256:${"b2".repeat(32)}`;

beforeEach(startWithProject);
afterEach(stopWithProject);

const up = async (...more: readonly string[]) => await askUp("--yes", ...more);
const down = async () => await thv.call(["down", "--file", placeFile("thv.yaml")]);

describe("the lock", () => {
  const lock = async () => JSON.parse(await readFile(placeFile("thv.lock"), "utf8")) as { servers: unknown };
  const ONE = 'servers:\n  first: { run: "mcp/echo:1" }\n';

  beforeEach(async () => {
    thv.served.world.engine.digests.set("mcp/echo:1", [`mcp/echo@${DIGEST}`]);
    await write(ONE);
  });

  test("has the digest that each server runs from, and changes nothing the second time", async () => {
    await up();

    expect((await lock()).servers).toEqual({ first: { run: "mcp/echo:1", image: "mcp/echo:1", digest: DIGEST } });
    expect((await up()).stdout).toContain("first matches the file");
  });

  test("refuses an image with another digest, and takes it with --update-lock", async () => {
    await up();
    await down();
    thv.served.world.engine.digests.set("mcp/echo:1", [`mcp/echo@${OTHER_DIGEST}`]);

    const refused = await up();
    expect(refused.code).toBe(19);
    expect(refused.stderr).toContain(`has ${OTHER_DIGEST}, and ${DIGEST} is wanted`);
    expect(refused.stderr).toContain("thv up --update-lock");
    expect(await names()).toEqual([]);
    expect((await lock()).servers).toMatchObject({ first: { digest: DIGEST } });

    expect((await up("--update-lock")).code).toBe(0);
    expect((await lock()).servers).toMatchObject({ first: { digest: OTHER_DIGEST } });
    expect((await up("--check")).code).toBe(0);
  });

  test("holds the hashes of tools, which a check compares, and --update-lock accepts", async () => {
    let tools = [{ name: "add", description: "Adds." }];
    // The simulated proxy passes no list by itself.
    const passList = () => {
      const offered = tools.map((definition) => ({ name: definition.name, definition }));
      thv.served.world.network.endpoints.get(port)?.pins?.review({ tools: offered, next: undefined });
      return { tools: tools.map((tool) => ({ ...tool, inputSchema: { type: "object" } })) };
    };
    await using server = await McpFixture.start({ answers: { "tools/list": passList }, capabilities: { tools: {} } });
    const port = Number(new URL(server.origin).port);
    await write(`servers:\n  first: { run: "mcp/echo:1", proxy_port: ${port} }\n`);
    const read = async () => (await lock()).servers as { first: { tools: Record<string, string> } };

    expect((await up()).code).toBe(0);
    const before = (await read()).first.tools;
    expect(before).toEqual({ add: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(await up("--check")).toMatchObject({ code: 0 });

    tools = [
      { name: "add", description: "Adds, and more." },
      { name: "new", description: "Is new." },
    ];
    const checked = await up("--check");
    expect(checked.code).toBe(26);
    expect(checked.stdout).toMatch(/~ first differs:\n +tool add: \w{12} → \w{12}\n +tool new: \(not set\) → \w{12}/);
    expect(checked.stderr).toContain("first (tool add, tool new)");
    expect(checked.stderr).toContain("thv tools accept first");
    expect((await up()).stderr).toContain("Tools of first differ from the lock file: new.");
    expect((await read()).first.tools).toEqual(before);

    await thv.call(["tools", "accept", "first", "--yes"]);
    expect((await up("--update-lock")).code).toBe(0);
    const after = (await read()).first.tools;
    expect(Object.keys(after)).toEqual(["add", "new"]);
    expect(after.add).not.toBe(before.add);
    expect((await up("--check")).code).toBe(0);
  });

  test("refuses another image of the registry, and a damaged lock", async () => {
    thv.served.world.registry.set("echo", createEchoEntry("mcp/echo:1"));
    await write("servers:\n  first: { run: echo }\n");
    await up();
    thv.served.world.registry.set("echo", createEchoEntry("mcp/echo:2"));

    const refused = await up();
    expect([refused.code, refused.stderr]).toEqual([
      19,
      expect.stringContaining('"first" would run mcp/echo:2, but the lock file records mcp/echo:1'),
    ]);

    await writeFile(placeFile("thv.lock"), "{");
    expect(await up()).toMatchObject({ code: 2, stderr: expect.stringContaining("thv.lock cannot be used") });
    expect((await up("--update-lock")).code).toBe(0);
    expect((await lock()).servers).toMatchObject({ first: { image: "mcp/echo:2" } });
  });

  test("does not hold what the file runs otherwise now", async () => {
    await up();
    await write(ONE.replace("echo:1", "echo:2"));

    expect((await up()).code).toBe(0);
    expect((await lock()).servers).toEqual({ first: { run: "mcp/echo:2", image: "mcp/echo:2" } });
  });
});
