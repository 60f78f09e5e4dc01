/** How servers are used: in `thv list`, `status` and `tools list`, and the setting that turns counting off. */
import { readFile } from "node:fs/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { describeUnused, formatDuration } from "../src/terminal/usage-words.ts";
import { McpFixture } from "../src/testing/mcp-fixture.ts";
import { ServedThv } from "../src/testing/served-thv.ts";

let context: ServedThv;
let server: McpFixture;
const TOOLS = ["add", "get-env", "sub"].map((name) => ({ name, inputSchema: { type: "object" } }));

beforeEach(async () => {
  context = await ServedThv.start();
  server = await McpFixture.start({ answers: { "tools/list": () => ({ tools: TOOLS }) }, capabilities: { tools: {} } });
  const { openMcp } = await import("../src/mcp/open-mcp.ts");
  context.served.mcp.open = openMcp;
  // Where the simulated machine listens, a server of ours answers.
  await thv("run", "--name", "calc", "--proxy-port", new URL(server.origin).port, "mcp/echo:1");
  await thv("run", "--name", "quiet", "mcp/echo:1");
  const running = () => expect(context.served.supervisor.describe("calc").status).toBe("running");
  await vi.waitFor(running, { timeout: 10_000, interval: 5 });
});
afterEach(async () => {
  await context[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const thv = (...argv: string[]) => context.call(argv);

function use(): void {
  const sink = context.served.usage.forServer("calc");
  sink.measure({ tools: TOOLS.map(({ name }) => ({ name, bytes: 400 })), isFirst: true, isLast: true });
  sink.record({ tool: "add", client: "cursor", isFailure: false, ms: 20 });
  sink.record({ tool: "add", client: "cursor", isFailure: false, ms: 20 });
  sink.record({ tool: "sub", client: "\u001b[31mred", isFailure: true, ms: 45_000 });
}

test("the list shows how servers are used, and one that is not", async () => {
  use();

  const { code, stdout } = await thv("list", "--usage");
  expect(code).toBe(0);
  const [header, calc, quiet] = stdout.split("\n").map((line) => line.split(/ {3,}/));
  expect(header).toEqual([
    "NAME",
    "STATUS",
    "CALLS",
    "FAILED",
    "P95",
    "LAST USED",
    "TOOLS",
    "UNUSED",
    "TOKENS",
    "CLIENTS",
  ]);
  expect(calc).toEqual([
    ...[
      "calc",
      "running",
      "3",
      "1",
      "over 30 s",
      expect.stringMatching(/^now|ago$/),
      "3",
      "1",
      "300",
      "cursor, \ufffd[31mred",
    ],
  ]);
  expect(quiet).toEqual(["quiet", "running", "0", "0", "-", "never", "-", "-", "-", "-"]);
  const json = JSON.parse((await thv("list", "--usage", "--format", "json")).stdout);
  expect(json).toEqual([
    expect.objectContaining({ name: "calc", usage: expect.objectContaining({ calls: 3, clients: expect.any(Array) }) }),
    expect.objectContaining({ name: "quiet", usage: expect.objectContaining({ calls: 0 }) }),
  ]);
  expect(await thv("list", "--usage", "--format", "mcpservers")).toMatchObject({ code: 64 });
});

test("the status of a server shows its calls, clients and context", async () => {
  use();

  const { stdout } = await thv("status", "calc");
  expect(stdout).toMatch(/Calls:? +3 in 30 days, 1 failed/);
  expect(stdout).toContain("cursor (2)");
  expect(stdout).toContain("3 tools, about 300 tokens (1200 bytes)");
  expect((await thv("status", "quiet")).stdout).toContain("none in 30 days");
  const { usage } = JSON.parse((await thv("status", "calc", "--format", "json")).stdout);
  expect(usage).toMatchObject({ is_recorded: true, calls: 3, tools: expect.any(Array), days: expect.any(Array) });
});

test("the tools show which were never called, what hiding them saves, and the command that hides them", async () => {
  use();

  const { code, stdout, stderr } = await thv("tools", "list", "calc", "--usage");
  expect([code, stdout]).toEqual([0, expect.stringMatching(/get-env +offered +0 +0 +- +never +100/)]);
  expect(stderr).toContain(
    "1 of 3 tools were not called in the day since counting began. Hiding them saves about 100 tokens",
  );
  expect(stderr).toContain("thv tools deny calc get-env");
  const json = JSON.parse((await thv("tools", "list", "calc", "--usage", "--format", "json")).stdout);
  expect(json.tools).toEqual(
    expect.arrayContaining([expect.objectContaining({ name: "add", usage: expect.objectContaining({ calls: 2 }) })]),
  );
  expect(await thv("tools", "list", "--group", "default", "--usage")).toMatchObject({ code: 64 });
});

test("calls are not counted any more once that is turned off, and nothing is kept", async () => {
  use();
  expect(await thv("config", "get-usage")).toMatchObject({ stdout: "on\n" });

  expect(await thv("config", "set-usage", "off")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("not counted"),
  });
  use();
  expect(JSON.parse((await thv("config", "get-usage", "--format", "json")).stdout)).toEqual({ record_usage: false });
  expect((await thv("status", "calc")).stdout).toContain(
    "Calls are not counted. To count them: thv config set-usage on",
  );
  expect((await thv("list", "--usage")).stderr).toContain("thv config set-usage on");
  expect(await readFile(`${context.home}/c/toolhive/config.yaml`, "utf8")).toContain("record_usage: false");
  expect(await thv("config", "set-usage", "maybe")).toMatchObject({ code: 64 });

  await thv("config", "set-usage", "on");
  expect((await thv("status", "calc")).stdout).toContain("none in 30 days");
});

test.each([
  [undefined, "-"],
  [7, "7 ms"],
  [1_234, "1.2 s"],
  [30_000, "over 30 s"],
])("a duration of %s ms is written %j", (ms, expected) => {
  expect(formatDuration(ms)).toBe(expected);
});

test.each([
  [40, "in 30 days"],
  [7, "in the 7 days since counting began"],
  [1, "in the 1 day since counting began"],
])("tools that were not called in %i days are named so", (days, expected) => {
  const usage = {
    ...{ name: "calc", is_recorded: true, calls: 0, failures: 0, days: [], clients: [] },
    since: new Date(Date.now() - days * 86_400_000).toISOString(),
    tools: [{ name: "a", calls: 0, failures: 0, context_tokens: 5 }],
  };
  expect(describeUnused("calc", usage)).toContain(expected);
});
