/** What the reference says about JSON output, beside what the commands print. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { COMMANDS } from "./commands.ts";
import { JSON_SAMPLES, type JsonSample } from "./definitions/json-samples.ts";
import { McpFixture } from "./testing/mcp-fixture.ts";
import { ServedThv } from "./testing/served-thv.ts";

let context: ServedThv;
let server: McpFixture;

const SCHEMA = { type: "object", properties: { message: { type: "string" } } };
const ANSWERS = {
  "tools/list": () => ({ tools: [{ name: "echo", inputSchema: SCHEMA }] }),
  "resources/list": () => ({ resources: [{ name: "a", uri: "file:///a", mimeType: "text/plain" }] }),
  "prompts/list": () => ({ prompts: [{ name: "p", arguments: [{ name: "city", required: true }] }] }),
};

beforeEach(async () => {
  context = await ServedThv.start();
  server = await McpFixture.start({ answers: ANSWERS, capabilities: { tools: {}, resources: {}, prompts: {} } });
});
afterEach(async () => {
  await context[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** What has to be there before, so that there is something to print. */
async function prepare(): Promise<void> {
  const value = join(context.home, "value");
  await writeFile(value, "v");
  await mkdir(dirname(context.files.log), { recursive: true });
  await writeFile(join(dirname(context.files.log), "gone.log"), "");
  const password = { env: { TOOLHIVE_SECRETS_PASSWORD: "correct horse" } };
  for (const [argv, options] of [
    [["run", "--name", "echo", "-l", "team=maps", "mcp/echo:1"]],
    [["client", "register", "vscode"]],
    [["secret", "provider", "encrypted"], password],
    [["secret", "set", "github-token", "--file", value], password],
    [["config", "otel", "set-endpoint", "localhost:4318"]],
    [["config", "otel", "set-env-vars", "HOSTNAME"]],
    [["config", "otel", "set-sampling-rate", "0.25"]],
  ] as const) {
    const { code, stderr } = await context.call(argv, options);
    expect([argv, code, stderr]).toEqual([argv, 0, expect.any(String)]);
  }
}

const ARGUMENTS: Readonly<Record<string, () => readonly string[]>> = {
  status: () => ["echo"],
  "logs prune": () => ["--dry-run"],
  ...Object.fromEntries(["restart", "stop", "rm"].map((words) => [words, () => ["echo"]])),
  "registry info": () => ["everything"],
  search: () => ["everything"],
  "secret get": () => ["github-token"],
  ...Object.fromEntries(
    ["mcp list", "mcp list prompts", "mcp list resources", "mcp list tools"].map((words) => [
      words,
      () => ["--server", `${server.origin}/mcp`],
    ]),
  ),
};

/** Answered by a whole supervisor on its private socket only; `secrets.e2e.test.ts` compares it. */
const ELSEWHERE = ["secret get"];

/** Where a value differs from the example: members that are new, missing or of another type. */
function differences(sample: unknown, actual: unknown, optional: readonly string[], path = "$"): string[] {
  if (actual === null || sample === null) return [];
  if (Array.isArray(sample) || Array.isArray(actual)) {
    if (!Array.isArray(sample) || !Array.isArray(actual)) return [`${path} is not the list it should be, or is one`];
    if (sample.length === 0) return [];
    return actual.flatMap((item, index) => differences(sample[0], item, optional, `${path}[${index}]`));
  }
  if (typeof sample !== typeof actual) return [`${path} is a ${typeof actual}`];
  if (typeof sample !== "object") return [];
  // What stands in these is the server's or the user's own.
  if (/\.(labels|permissions|metadata|provenance|inputSchema)$/.test(path)) return [];
  const [expected, given] = [sample as Record<string, unknown>, actual as Record<string, unknown>];
  const missing = Object.keys(expected).filter((key) => !(key in given) && !optional.includes(key));
  const unknown = Object.keys(given).filter((key) => !(key in expected));
  return [
    ...missing.map((key) => `${path}.${key} is missing`),
    ...unknown.map((key) => `${path}.${key} is not in the example`),
    ...Object.keys(expected)
      .filter((key) => key in given)
      .flatMap((key) => differences(expected[key], given[key], optional, `${path}.${key}`)),
  ];
}

describe("--format json", () => {
  const withJson = COMMANDS.filter(
    ({ flags, replacedBy }) => replacedBy === undefined && flags.some(({ values }) => values?.includes("json")),
  ).map(({ path }) => path.join(" "));

  test("has an example for every command that prints JSON, and for no other", () => {
    expect(Object.keys(JSON_SAMPLES).sort()).toEqual([...withJson].sort());
  });

  test("prints what the examples show, of every command", async () => {
    await prepare();
    const found: string[] = [];
    for (const [words, { value, optional = [] }] of Object.entries<JsonSample>(JSON_SAMPLES)) {
      if (ELSEWHERE.includes(words)) continue;
      const argv = [...words.split(" "), ...(ARGUMENTS[words]?.() ?? []), "--format", "json"];
      const { stdout, stderr } = await context.call(argv);
      expect(stdout, `${words}: ${stderr}`).not.toBe("");
      const actual: unknown = JSON.parse(stdout);
      if (Array.isArray(actual)) expect(actual.length, words).toBeGreaterThan(0);
      found.push(...differences(value, actual, optional, words));
    }

    expect(found).toEqual([]);
  });
});
