/** What the reference says about JSON output, beside what the commands print. */
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { encodeTestPack } from "@toolhive/docs/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WITHOUT_JSON } from "../src/commands/shared/flags/format-flag.ts";
import { JSON_SAMPLES, type JsonSample } from "../src/commands/shared/json-samples.ts";
import { COMMANDS, isShown } from "../src/commands.ts";
import { McpFixture } from "../src/testing/mcp-fixture.ts";
import { ServedThv } from "../src/testing/served-thv.ts";

let context: ServedThv;
let server: McpFixture;

const SCHEMA = { type: "object", properties: { message: { type: "string" } } };
const ANSWERS = {
  "tools/list": () => ({ tools: [{ name: "echo", inputSchema: SCHEMA }] }),
  "resources/list": () => ({ resources: [{ name: "a", uri: "file:///a", mimeType: "text/plain" }] }),
  "tools/call": () => ({ content: [{ type: "text", text: "Echo: hello" }], structuredContent: {}, isError: false }),
  "prompts/get": () => ({ messages: [{ role: "user", content: { type: "text", text: "Hello" } }] }),
  "resources/read": () => ({ contents: [{ uri: "file:///a", text: "hello" }] }),
  ping: () => ({}),
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
  await writeFile(inHome("docs.pack"), await encodeTestPack());
  await writeFile(inHome("password"), "correct horse");
  const manifest = { apiVersion: "toolhive.stacklok.dev/v1alpha1", kind: "MCPServer", metadata: { name: "third" } };
  await writeFile(inHome("third.yaml"), JSON.stringify({ ...manifest, spec: { image: "mcp/echo:1" } }));
  await writeFile(inHome("new-password"), "battery staple");
  const client = { github: { command: "npx", args: ["github"], env: { TOKEN: "x" } }, local: { command: "node" } };
  await writeFile(inHome("mcp.json"), JSON.stringify({ mcpServers: client }));
  await writeFile(inHome("thv.yaml"), "servers:\n  project: { run: mcp/echo:1 }\n");
  await writeFile(
    inHome("registry.json"),
    JSON.stringify({ version: "1.0.0", last_updated: "2026-01-01T00:00:00Z", servers: {} }),
  );
  await mkdir(join(context.served.home, ".cursor"), { recursive: true });
  await writeFile(join(context.served.home, ".cursor/mcp.json"), "{}");
  await promisify(execFile)("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"],
    ...["-subj", "/CN=Corporate CA", "-keyout", inHome("key.pem"), "-out", inHome("ca.pem")],
  ]);
  const password = { env: { TOOLHIVE_SECRETS_PASSWORD: "correct horse" } };
  for (const [argv, options] of [
    [["run", "--name", "echo", "-l", "team=maps", "mcp/echo:1"]],
    [["run", "--name", "learner", "--learn", "mcp/echo:1"]],
    [["run", "--name", "pinned", "--pin-tools", "all", "mcp/echo:1"]],
    // Where the simulated machine listens, a server of ours answers.
    [["run", "--name", "chooser", "--proxy-port", new URL(server.origin).port, "--tools", "add,echo", "mcp/echo:1"]],
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
  // `thv export` reads the disk; the simulated machine's is in memory.
  context.served.world.engine
    .find("learner.network")
    ?.log.push({ stream: "stdout", text: "network: learned api.github.com:443" });
  await mkdir(context.files.runConfigs, { recursive: true });
  await writeFile(join(context.files.runConfigs, "echo.json"), context.served.world.disk.get("echo") ?? "");
}

const inHome = (name: string) => join(context.home, name);

const ARGUMENTS: Readonly<Record<string, () => readonly string[]>> = {
  docs: () => ["network"],
  status: () => ["echo"],
  "upgrade apply": () => ["echo"],
  import: () => [inHome("mcp.json"), "--file", inHome("imported.yaml")],
  up: () => ["--file", inHome("thv.yaml"), "--yes"],
  down: () => ["--file", inHome("thv.yaml")],
  "logs prune": () => ["--dry-run"],
  ...Object.fromEntries(["restart", "stop", "rm"].map((words) => [words, () => ["echo"]])),
  "registry info": () => ["everything"],
  search: () => ["everything"],
  run: () => ["--name", "second", "mcp/echo:1"],
  "k8s import": () => [inHome("third.yaml")],
  export: () => ["echo"],
  ...Object.fromEntries(["register", "remove", "undo"].map((word) => [`client ${word}`, () => ["cursor"]])),
  ...Object.fromEntries(["create", "rm"].map((word) => [`group ${word}`, () => ["work"]])),
  ...Object.fromEntries(["add", "remove"].map((word) => [`group ${word}`, () => ["work", "second"]])),
  "client setup": () => ["--all"],
  "config set-engine": () => [`unix://${inHome("engine.sock")}`],
  "config set-sleep-after": () => ["10m"],
  "config set-ca-cert": () => [inHome("ca.pem")],
  "config set-registry-url": () => [inHome("registry.json")],
  "config otel set-endpoint": () => ["localhost:4318"],
  "config otel set-env-vars": () => ["HOSTNAME"],
  "config otel set-insecure": () => ["true"],
  "config otel set-sampling-rate": () => ["0.25"],
  "secret get": () => ["github-token"],
  "secret set": () => ["fresh", "--file", inHome("value")],
  "secret delete": () => ["fresh"],
  "secret provider": () => ["encrypted"],
  "secret change-password": () => [
    ...["--password-file", inHome("password"), "--new-password-file", inHome("new-password")],
  ],
  "secret reset-keyring": () => ["--yes"],
  "permission allow": () => ["learner", "192.0.2.7"],
  "permission learn": () => ["learner"],
  "permission show": () => ["learner"],
  "tools list": () => ["chooser"],
  "tools allow": () => ["chooser", "get-env"],
  "tools deny": () => ["chooser", "echo"],
  "tools rename": () => ["chooser", "add", "plus"],
  "tools find": () => ["chooser"],
  "tools pin": () => ["chooser"],
  "tools accept": () => ["pinned"],
  "mcp call": () => [`${server.origin}/mcp`, "echo"],
  "mcp get": () => [`${server.origin}/mcp`, "p"],
  "mcp ping": () => [`${server.origin}/mcp`],
  "mcp read": () => [`${server.origin}/mcp`, "file:///a"],
  ...Object.fromEntries(
    ["mcp list", "mcp list prompts", "mcp list resources", "mcp list tools"].map((words) => [
      words,
      () => ["--server", `${server.origin}/mcp`],
    ]),
  ),
};

/** Change what starts with a session, or need somebody who signs in; `service.e2e.test.ts` and `auth.test.ts` compare what they print. */
const ELSEWHERE = ["service install", "service uninstall", "auth login", "auth status", "auth logout"];

/** What a person chooses, of commands that ask. */
const ANSWERED: Readonly<Record<string, readonly (readonly [question: string, typed: string])[]>> = {
  "secret setup": [["Where should secrets be kept?", ""]],
};

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
  if (/\.(labels|permissions|metadata|provenance|inputSchema|structuredContent|tools_override)$/.test(path)) return [];
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
  const shown = COMMANDS.filter(isShown).map(({ path, flags }) => ({ words: path.join(" "), flags }));
  const withJson = shown
    .filter(({ flags }) => Object.values(flags).some(({ values }) => values?.includes("json")))
    .map(({ words }) => words);

  test("is a flag of every command, but for those that say why not", () => {
    const others = shown.map(({ words }) => words).filter((words) => !withJson.includes(words));

    expect(others.sort()).toEqual(Object.keys(WITHOUT_JSON).sort());
  });

  test("has an example for every command that prints JSON, and for no other", () => {
    expect(Object.keys(JSON_SAMPLES).sort()).toEqual([...withJson].sort());
  });

  test("prints what the examples show, of every command", async () => {
    await prepare();
    const found: string[] = [];
    const compare = async (words: string, sample: unknown, optional: readonly string[], ...more: string[]) => {
      const argv = [...words.split(" "), ...(ARGUMENTS[words]?.() ?? []), "--format", "json", ...more];
      const answers = ANSWERED[words];
      // Commands that look for an engine by themselves find this one, which is none, and not the machine's.
      const env = { DOCKER_HOST: `unix://${inHome("engine.sock")}` };
      const { stdout, stderr } = await context.call(argv, { env, ...(answers && { isTty: true, answers }) });
      expect(stdout, `${words}: ${stderr}`).not.toBe("");
      const actual: unknown = JSON.parse(stdout);
      if (Array.isArray(actual)) expect(actual.length, words).toBeGreaterThan(0);
      found.push(...differences(sample, actual, optional, [words, ...more].join(" ")));
    };
    for (const [words, { value, optional = [], dryRun }] of Object.entries<JsonSample>(JSON_SAMPLES)) {
      if (dryRun !== undefined) await compare(words, dryRun, optional, "--dry-run");
      if (!ELSEWHERE.includes(words)) await compare(words, value, optional);
    }

    expect(found).toEqual([]);
  });
});
