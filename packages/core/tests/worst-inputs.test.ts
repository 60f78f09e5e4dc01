/**
 * What the worst files and answers cost those who read them, against plain ones of the same size. Each is read at two
 * sizes: what grows faster than its input stops the supervisor once the input is as large as it may be.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readAuditConfig } from "../src/access/audit-config.ts";
import { readAuthzConfig } from "../src/access/authz-config.ts";
import { editEntry } from "../src/clients/edit-file.ts";
import { readConfig, writeConfig } from "../src/config/parse-config.ts";
import { parseRegistry } from "../src/registry/parse-registry.ts";
import { PermissionProfileSchema } from "../src/registry/registry-schema.ts";
import { listProblems } from "../src/schemas/schema-problems.ts";
import { EncryptedSecrets } from "../src/secrets/encrypted-secrets.ts";
import { createSealingKey, seal } from "../src/secrets/sealed-file.ts";
import { listSentences } from "../src/support/located-problem.ts";
import {
  compareGrowth,
  type GrowingWork,
  numberedTo,
  plainText,
  repeatTo,
  WORST_JSON,
  WORST_TOML,
  WORST_YAML,
  type WorstText,
} from "../src/testing/index.ts";
import { RunConfigStore } from "../src/workload/run-config-store.ts";

const BYTES = Number(process.env.COSTS_BYTES ?? 128 * 1024);
/** Names that are all different cost the JSON parser itself a hundred times what a text costs. */
const MAX_PROCESSOR_RATIO = 400;
const MAX_GROWTH = 3;
const MAX_MEMORY_RATIO = 4;
const LIMITS = { processor: MAX_PROCESSOR_RATIO, memory: MAX_MEMORY_RATIO };
/** The least counts: other work on the machine only adds. */
const MAX_TRIES = 3;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "costs-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function expectBounded(work: Omit<GrowingWork, "bytes">): Promise<void> {
  let { processor, growth, memory } = await compareGrowth({ bytes: BYTES, limits: LIMITS, ...work });
  for (let tries = 1; tries < MAX_TRIES; tries += 1) {
    if (processor < MAX_PROCESSOR_RATIO && growth < MAX_GROWTH && memory < MAX_MEMORY_RATIO) break;
    const again = await compareGrowth({ bytes: BYTES, limits: LIMITS, ...work });
    processor = Math.min(processor, again.processor);
    growth = Math.min(growth, again.growth);
    memory = Math.min(memory, again.memory);
  }

  expect.soft(processor, "times the plain input").toBeLessThan(MAX_PROCESSOR_RATIO);
  expect.soft(growth, "times the smaller input, for each byte").toBeLessThan(MAX_GROWTH);
  expect.soft(memory, "times its size").toBeLessThan(MAX_MEMORY_RATIO);
}

/** Of files that are read as others are, what is not the parser's alone. */
const COMMON = ["many members", "one member many times", "lists in each other", "aliases of many", "a bomb of aliases"];
const isCommon = ([name]: WorstText): boolean => COMMON.includes(name);

/** The text in a larger one. */
const around = (texts: readonly WorstText[], wrap: (text: string) => string): WorstText[] =>
  texts.map(([name, make]) => [name, (bytes) => wrap(make(bytes))]);

const inFile = (name: string) => async (text: string) => {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
};

describe("a registry", () => {
  const server = (more: string, name = "a") =>
    `{"version":"1.0.0","last_updated":"2025-01-01T00:00:00Z","servers":{"${name}":{"image":"a","description":"0123456789","tier":"Community","status":"Active","transport":"stdio",${more}}}}`;
  const tools = '"tools":["a"]';
  const texts: readonly WorstText[] = [
    ...WORST_JSON,
    ...around(WORST_JSON, (text) => server(`${tools},"metadata":${text}`)),
    ...around(WORST_JSON.filter(isCommon), (text) =>
      server(`${tools},"provenance":{"attestation":{"predicate":${text}}}`),
    ),
    ["many servers", (bytes) => server(tools).replace('"a":{', `${numberedTo(bytes, (i) => `"a${i}":{}`)},"a":{`)],
    ["many tools", (bytes) => server(`"tools":[${numberedTo(bytes, (i) => `"a${i}"`)}]`)],
    ["one tool many times", (bytes) => server(`"tools":[${repeatTo(bytes, '"a",')}"a"]`)],
    ["many tags", (bytes) => server(`${tools},"docker_tags":[${numberedTo(bytes, (i) => `"${i}"`)}]`)],
    [
      "variables",
      (bytes) =>
        server(
          `${tools},"env_vars":[${numberedTo(bytes, (i) => `{"name":"A${i}","description":"abcdef","required":true}`)}]`,
        ),
    ],
    [
      "one variable many times",
      (bytes) =>
        server(
          `${tools},"env_vars":[${repeatTo(bytes, '{"name":"A","description":"abcdef","required":true},')}{"name":"A","description":"abcdef","required":true}]`,
        ),
    ],
    [
      "images that are none",
      (bytes) =>
        server(tools).replace(
          '"a":{',
          `${numberedTo(bytes, (i) => `"a${i}":${JSON.stringify(JSON.parse(server(tools)).servers.a).replace('"image":"a"', '"image":"::"')}`)},"a":{`,
        ),
    ],
    ["a long name above many mistakes", (bytes) => server(`"tools":[${repeatTo(1000, "1,")}1]`, repeatTo(bytes, "a"))],
    ["a long image", (bytes) => server(tools).replace('"image":"a"', `"image":"${repeatTo(bytes, "a/")}"`)],
    ["a long version", (bytes) => server(tools).replace("1.0.0", repeatTo(bytes, "1."))],
    ["a long address", (bytes) => server(`${tools},"repository_url":"https://a/${repeatTo(bytes, "%")}"`)],
    [
      "a long host",
      (bytes) => server(`${tools},"permissions":{"network":{"outbound":{"allow_host":["${repeatTo(bytes, "a.")}"]}}}`),
    ],
  ];

  test.each(texts)("with %s", async (input, worst) => {
    await expectBounded({
      entrance: "registry",
      input,
      plain: (bytes) => server(`${tools},"args":["${plainText(bytes)}"]`),
      worst,
      read: (text) => parseRegistry(String(text), "it"),
    });
  });
});

describe("a permission profile", () => {
  const texts: readonly WorstText[] = [
    ...WORST_JSON,
    ...around(WORST_JSON.filter(isCommon), (text) => `{"network":${text}}`),
    ["ports", (bytes) => `{"network":{"outbound":{"allow_port":[${repeatTo(bytes, "1,")}1]}}}`],
    ["hosts", (bytes) => `{"network":{"outbound":{"allow_host":[${numberedTo(bytes, (i) => `"a${i}"`)}]}}}`],
    ["a long host", (bytes) => `{"network":{"outbound":{"allow_host":["${repeatTo(bytes, "a.")}"]}}}`],
    ["mounts", (bytes) => `{"read":[${repeatTo(bytes, '"/",')}"/"]}`],
    ["mounts that are none", (bytes) => `{"read":[${repeatTo(bytes, '"",')}""]}`],
  ];

  test.each(texts)("with %s", async (input, worst) => {
    await expectBounded({
      entrance: "permission profile",
      input,
      plain: (bytes) => `{"name":"${plainText(bytes)}"}`,
      worst,
      read: (text) => listSentences(listProblems(PermissionProfileSchema, JSON.parse(String(text)))),
    });
  });
});

test.each(WORST_JSON.filter(isCommon))("a run configuration on disk with %s", async (input, worst) => {
  const store = new RunConfigStore(folder);
  await store.load();
  const path = join(folder, "runconfigs", "a.json");
  const read = async (text: unknown) => {
    await writeFile(path, String(text));
    return await store.load();
  };

  await expectBounded({
    entrance: "run configuration",
    input,
    plain: (bytes) => `{"name":"${plainText(bytes)}"}`,
    worst,
    read,
  });
});

test.each(WORST_JSON.filter(isCommon))("an audit configuration with %s", async (input, worst) => {
  const put = inFile("audit.json");

  await expectBounded({
    entrance: "audit configuration",
    input,
    plain: (bytes) => `{"component":"${plainText(bytes)}"}`,
    worst,
    read: async (text) => await readAuditConfig(await put(String(text))),
  });
});

test.each([
  ...WORST_JSON.filter(isCommon).map(([name, make]) => [name, make, ".json"] as const),
  ...WORST_YAML.filter(isCommon).map(([name, make]) => [name, make, ".yaml"] as const),
])("an authorisation file with %s (%s)", async (input, worst, extension) => {
  const put = inFile(`authz${extension}`);

  await expectBounded({
    entrance: `authorisation file ${extension}`,
    input,
    plain: (bytes) => `{"version":"${plainText(bytes)}"}`,
    worst,
    read: async (text) => await readAuthzConfig(await put(String(text))),
  });
});

test.each([...WORST_YAML, ...WORST_JSON.filter(isCommon)])("settings with %s", async (input, worst) => {
  const config = readConfig("");

  await expectBounded({
    entrance: "settings",
    input,
    plain: (bytes) => `registry_url: "${plainText(bytes)}"\n`,
    worst,
    read: (text) => {
      readConfig(String(text));
      if (config.ok) writeConfig(String(text), config.config, { ...config.config, registry_url: "https://a" });
    },
  });
});

describe.each([
  ["json", WORST_JSON, (text: string) => `{"a":"${text}"}`],
  ["yaml", WORST_YAML, (text: string) => `a: "${text}"\n`],
  ["toml", WORST_TOML, (text: string) => `a = "${text}"\n`],
] as const)("a client's file in %s", (format, texts, wrap) => {
  test.each(texts)("with %s", async (input, worst) => {
    await expectBounded({
      entrance: `client's file, ${format}`,
      input,
      plain: (bytes) => wrap(plainText(bytes)),
      worst,
      read: (text) => {
        const file = { format, servers: ["a"] } as never;
        const added = editEntry(String(text), file, "ours", { url: "http://127.0.0.1:1/mcp" });
        editEntry(added, file, "ours", undefined);
      },
    });
  });
});

describe("secrets", () => {
  const texts: readonly WorstText[] = [
    ...WORST_JSON.filter(isCommon),
    ...around(WORST_JSON, (text) => `{"secrets":${text}}`),
    ["many secrets", (bytes) => `{"secrets":{${numberedTo(bytes, (i) => `"a${i}":""`)}}}`],
  ];

  test.each(texts)("with %s", async (input, worst) => {
    const path = join(folder, "secrets_encrypted");
    const cost = { log2N: 1, r: 1, p: 1 };
    const log = { error() {}, warn() {}, info() {}, debug() {} };
    const key = await createSealingKey("a password", cost);
    const store = new EncryptedSecrets({ path, cost, log, passwords: async () => ["a password"] });
    const read = async (text: unknown) => {
      await writeFile(path, seal(Buffer.from(String(text)), key));
      return await store.list();
    };

    await expectBounded({
      entrance: "secrets",
      input,
      plain: (bytes) => `{"secrets":{"a":"${plainText(bytes)}"}}`,
      worst,
      read,
    });
  });
});
