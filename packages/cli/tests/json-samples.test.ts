/**
 * Compares the examples of JSON output in the reference with what the commands print. With `UPDATE_SAMPLES=1` it records them in
 * `json-samples.json` instead; `npx biome check --write` then formats the file.
 */
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { TestPushRegistry } from "@toolhive/core/testing";
import { encodeTestPack } from "@toolhive/docs/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WITHOUT_JSON } from "../src/commands/shared/flags/format-flag.ts";
import { JSON_SAMPLES, type JsonSample } from "../src/commands/shared/json-samples.ts";
import { COMMANDS, isShown } from "../src/commands.ts";
import { McpFixture } from "../src/testing/mcp-fixture.ts";
import { ServedThv } from "../src/testing/served-thv.ts";

let context: ServedThv;
let server: McpFixture;
let images: TestPushRegistry;

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
  images = await TestPushRegistry.start();
  server = await McpFixture.start({ answers: ANSWERS, capabilities: { tools: {}, resources: {}, prompts: {} } });
});
afterEach(async () => {
  await context[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  await images[Symbol.asyncDispose]();
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
  push: () => [`oci://${images.host}/acme/tools:1.0`, "--file", inHome("thv.yaml")],
  pull: () => [`oci://${images.host}/acme/tools:1.0`, inHome("tools")],
  "logs prune": () => ["--dry-run"],
  ...Object.fromEntries(["restart", "stop", "rm"].map((words) => [words, () => ["echo"]])),
  "registry info": () => ["everything"],
  search: () => ["everything"],
  run: () => ["--name", "second", "mcp/echo:1"],
  "k8s import": () => [inHome("third.yaml")],
  edit: () => ["second", "--cpus", "1"],
  export: () => ["echo"],
  ...Object.fromEntries(["register", "remove", "undo"].map((word) => [`client ${word}`, () => ["cursor"]])),
  ...Object.fromEntries(["create", "rm"].map((word) => [`group ${word}`, () => ["work"]])),
  ...Object.fromEntries(["add", "remove"].map((word) => [`group ${word}`, () => ["work", "second"]])),
  "group show": () => ["default"],
  "client setup": () => ["--all"],
  "config get": () => ["sleep-after"],
  "config set": () => ["sleep-after", "10m"],
  "config unset": () => ["sleep-after"],
  "config set-engine": () => [`unix://${inHome("engine.sock")}`],
  "config set-sleep-after": () => ["10m"],
  "config set-usage": () => ["on"],
  "config set-ca-cert": () => [inHome("ca.pem")],
  "config set-registry-url": () => [inHome("registry.json")],
  "registry source add": () => ["team", inHome("registry.json")],
  "registry source remove": () => ["team"],
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

/** What stands in these is the server's or the user's own, and the example says nothing about it. */
const OPEN = ["labels", "permissions", "metadata", "provenance", "inputSchema", "structuredContent", "tools_override"];

type Json = Readonly<Record<string, unknown>>;

/**
 * The example as it should be after a command printed these values in its place. Values that vary from run to run or from machine
 * to machine (ports, folders, times) stay as the example has them: a member gets a printed value only when it is new or its type
 * has changed, and a member that is not always printed goes unless it is optional.
 */
function record(sample: unknown, printed: readonly unknown[], optional: readonly string[], name = ""): unknown {
  const values: readonly unknown[] = printed.filter((value) => value !== null);
  if (sample === undefined) return printed[0];
  if (sample === null) return sample;
  const kind = nameKind(sample);
  const other = values.find((value) => nameKind(value) !== kind);
  if (other !== undefined) return other;
  if (Array.isArray(sample)) {
    const [first, ...others] = sample;
    return first === undefined ? sample : [record(first, values.flat(1), optional), ...others];
  }
  if (kind !== "object" || OPEN.includes(name)) return sample;
  const [example, objects] = [sample as Json, values as readonly Json[]];
  const kept = Object.entries(example)
    .filter(([key]) => optional.includes(key) || objects.every((object) => key in object))
    .map(([key, value]) => {
      const given = objects.filter((object) => key in object).map((object) => object[key]);
      return [key, record(value, given, optional, key)] as const;
    });
  const added = objects.flatMap((object) => Object.entries(object)).filter(([key]) => !(key in example));
  return Object.fromEntries([...kept, ...added]);
}

function nameKind(value: unknown): string {
  return Array.isArray(value) ? "list" : typeof value;
}

describe("recording an example", () => {
  const sample = { port: 29182, list: [{ id: "a", note: "n" }], empty: [], labels: { team: "maps" }, gone: null };

  test("keeps values of the same type, so that it does not change from machine to machine", () => {
    const printed = { port: 8080, list: [{ id: "b" }, { id: "c", note: "x" }], empty: [1], labels: {}, gone: 1 };

    expect(record(sample, [printed], ["note"])).toEqual(sample);
  });

  test("adds what is new, drops what is not always printed, and takes a value of another type", () => {
    const printed = { port: "8080", list: [{ id: "b" }, { id: "c", note: "x" }], empty: {}, labels: {}, added: [true] };

    expect(record(sample, [printed], [])).toEqual({
      port: "8080",
      list: [{ id: "a" }],
      empty: {},
      labels: { team: "maps" },
      added: [true],
    });
  });

  test("takes everything of a command without an example", () => {
    expect(record(undefined, [{ added: [true] }], [])).toEqual({ added: [true] });
  });
});

describe("--format json", () => {
  const shown = COMMANDS.filter(isShown).map(({ path, flags }) => ({ words: path.join(" "), flags }));
  const withJson = shown
    .filter(({ flags }) => Object.values(flags).some(({ values }) => values?.includes("json")))
    .map(({ words }) => words);

  test("is a flag of every command, but for those that say why not", () => {
    const others = shown.map(({ words }) => words).filter((words) => !withJson.includes(words));

    expect(others.sort()).toEqual(Object.keys(WITHOUT_JSON).sort());
  });

  test("prints what the examples show, of every command that prints JSON and of no other", async () => {
    await prepare();
    const print = async (words: string, ...more: string[]): Promise<unknown> => {
      const argv = [...words.split(" "), ...(ARGUMENTS[words]?.() ?? []), "--format", "json", ...more];
      const answers = ANSWERED[words];
      // Commands that search an engine by themselves find this one, which is none, and not the machine's.
      const env = { DOCKER_HOST: `unix://${inHome("engine.sock")}` };
      const { stdout, stderr } = await context.call(argv, { env, ...(answers && { isTty: true, answers }) });
      expect(stdout, `${words}: ${stderr}`).not.toBe("");
      const printed: unknown = JSON.parse(stdout.replaceAll(context.home, "/home/me"));
      if (Array.isArray(printed)) expect(printed.length, words).toBeGreaterThan(0);
      return printed;
    };
    // In the order of the file: some commands need what the ones before them left.
    const known = Object.keys(JSON_SAMPLES).filter((words) => withJson.includes(words));
    const recorded: Record<string, JsonSample> = {};
    for (const words of new Set([...known, ...withJson])) {
      const { value, optional = [], dryRun }: JsonSample = JSON_SAMPLES[words] ?? { value: undefined };
      const tried = dryRun === undefined ? undefined : record(dryRun, [await print(words, "--dry-run")], optional);
      recorded[words] = {
        value: ELSEWHERE.includes(words) ? value : record(value, [await print(words)], optional),
        ...(optional.length > 0 && { optional }),
        ...(tried !== undefined && { dryRun: tried }),
      };
    }

    if (process.env.UPDATE_SAMPLES === "1") await save(recorded);
    else expect(recorded).toEqual(JSON_SAMPLES);
  });
});

async function save(samples: Readonly<Record<string, JsonSample>>): Promise<void> {
  const file = join(import.meta.dirname, "../src/commands/shared/json-samples.json");
  await writeFile(file, `${JSON.stringify({ $schema: "./json-samples.schema.json", samples }, null, 2)}\n`);
}
