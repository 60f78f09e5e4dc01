import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ConfigFile } from "./config-file.ts";
import { type Config, DEFAULT_CONFIG } from "./config-schema.ts";
import { readConfig, writeConfig } from "./parse-config.ts";

let directory: string;
let file: ConfigFile;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "thv-config-"));
  file = new ConfigFile(directory);
});

afterEach(async () => {
  await rm(directory, { recursive: true });
});

const withRegistry = (url: string) => (config: Config) => ({ ...config, registry_url: url });

describe("reading", () => {
  test("gives the defaults where there is no file, and makes none", async () => {
    expect(await file.read()).toEqual({ ok: true, config: DEFAULT_CONFIG, warnings: [] });
    expect(await readdir(directory)).toEqual([]);
  });

  test("gives the defaults for what the file leaves out or sets to nothing", async () => {
    await writeFile(file.path, "registry_url:\nclients:\n    registered_clients: [cursor]\n");

    expect(await file.load()).toEqual({
      ...DEFAULT_CONFIG,
      clients: { registered_clients: ["cursor"], auto_discovery: false },
    });
  });

  test("reads the file that the reference writes", async () => {
    await writeFile(
      file.path,
      [
        "secrets:",
        "    provider_type: encrypted",
        "    setup_completed: true",
        "clients:",
        "    registered_clients:",
        "        - vscode",
        "        - cursor",
        "    auto_discovery: false",
        'registry_url: ""',
        "allow_private_registry_ip: false",
        "otel:",
        "    endpoint: localhost:4318",
        "    sampling-rate: 0.5",
        "    env-vars:",
        "        - USER",
        "",
      ].join("\n"),
    );

    expect(await file.load()).toEqual({
      secrets: { provider_type: "encrypted", setup_completed: true },
      clients: { registered_clients: ["vscode", "cursor"], auto_discovery: false },
      registry_url: "",
      allow_private_registry_ip: false,
      ca_certificate_path: "",
      otel: { endpoint: "localhost:4318", "sampling-rate": 0.5, "env-vars": ["USER"] },
    });
  });

  test.each([
    ["the first name of the encrypted provider", "secrets: {provider_type: basic}", "encrypted"],
    ["a provider from before setting up was recorded", "secrets: {provider_type: 1password}", "1password"],
  ])("takes %s for what it was, set up", async (_what, text, provider_type) => {
    await writeFile(file.path, text);

    expect((await file.load()).secrets).toEqual({ provider_type, setup_completed: true });
  });

  test.each([
    [
      "a bracket that is not closed",
      "secrets: [",
      [/^line 1: the indentation does not fit the lines above, or a closing bracket is missing$/],
    ],
    ["a tab", "otel:\n\tendpoint: x\n", [/^line 2: it is indented with a tab: use spaces$/]],
    ["a name that is there twice", 'registry_url: ""\nregistry_url: x\n', [/^line 2: the same name is there twice$/]],
    ["a list", "- a\n", [/^the file is a list but must be an object$/]],
    [
      "several wrong members",
      "registry_url: 5\nallow_private_registry_ip: maybe\nsecrets: {provider_type: vault}\notel: {sampling-rate: 2}\n",
      [
        /^line 3: secrets\.provider_type is "vault" but must be one of , encrypted, 1password, none$/,
        /^line 1: registry_url is a number but must be a string$/,
        /^line 2: allow_private_registry_ip is a string but must be a boolean$/,
        /^line 4: otel\.sampling-rate is 2 but must be at most 1$/,
      ],
    ],
  ])("names every problem of %s as a value", async (_what, text, expected) => {
    await writeFile(file.path, text);

    const reading = await file.read();

    expect(reading).toEqual({
      ok: false,
      problems: expect.arrayContaining(
        expected.map((each) => ({ path: expect.any(Array), sentence: expect.stringMatching(each) })),
      ),
    });
    await expect(file.load()).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });

  test("gives each problem its place, as a path and as a line", async () => {
    await writeFile(file.path, "registry_url: 5\notel:\n    sampling-rate: 2\n");

    const error = await file.load().catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringContaining("line 3: otel.sampling-rate is 2"),
      problems: expect.arrayContaining([
        { path: ["registry_url"], sentence: "line 1: registry_url is a number but must be a string" },
        { path: ["otel", "sampling-rate"], sentence: "line 3: otel.sampling-rate is 2 but must be at most 1" },
      ]),
    });
    await writeFile(file.path, "secrets: [");
    expect(await file.read()).toMatchObject({ ok: false, problems: [{ path: [] }] });
  });

  test.each([3, 9])("refuses a file whose aliases would grow beyond measure: %d times three", async (length) => {
    const levels = Array.from(
      { length },
      (_, level) => `l${level + 1}: &l${level + 1} [*l${level},*l${level},*l${level}]`,
    );
    await writeFile(file.path, ["l0: &l0 [x,x,x]", ...levels].join("\n"));

    expect(await file.read()).toMatchObject({ ok: false });
  });
});

describe("what nobody reads", () => {
  test("is said once with its line and what was meant, and stays in the file", async () => {
    const text = "registry_urll: x\nsleep_after: banana\nclients:\n    registred_clients: []\notel: { colour: blue }\n";
    await writeFile(file.path, text);
    const told: string[] = [];
    const noted = new ConfigFile(directory, { onWarning: (warning) => told.push(warning) });

    await noted.load();
    await noted.update(withRegistry("/srv/registry.json"));

    expect(told).toEqual([
      `${file.path}, line 1: registry_urll is no setting, and is ignored (did you mean registry_url?).`,
      `${file.path}, line 2: sleep_after is no setting, and is ignored (did you mean sleep_after_seconds?).`,
      `${file.path}, line 4: clients.registred_clients is no setting, and is ignored (did you mean clients.registered_clients?).`,
      `${file.path}, line 5: otel.colour is no setting, and is ignored.`,
    ]);
    expect(await readFile(file.path, "utf8")).toContain("sleep_after: banana\n");
  });

  test("is nothing of what this program or its first versions write", async () => {
    await file.update(withRegistry("/srv/registry.json"));

    expect(await file.read()).toMatchObject({ ok: true, warnings: [] });
    await writeFile(file.path, "state_version: 1\nclients: { groups: { cursor: [work] } }\notel: { insecure: true }\n");
    expect(await file.read()).toMatchObject({ ok: true, warnings: [] });
  });
});

describe("settings of a newer version", () => {
  const NEWER = "state_version: 2\nregistry_url: https://registry.example.com/list.json\n";

  test("are refused, and stay as they are", async () => {
    await writeFile(file.path, NEWER);
    const refusal = {
      code: "STATE_TOO_NEW",
      message: `${file.path} was written by a newer thv: it is of version 2, and this thv reads up to 1.`,
    };

    expect(await file.read()).toMatchObject({ ok: false, problems: [{ path: [], sentence: refusal.message }] });
    await expect(file.load()).rejects.toMatchObject(refusal);
    await expect(file.update(withRegistry("https://other.example.com"))).rejects.toMatchObject(refusal);
    expect(await readFile(file.path, "utf8")).toBe(NEWER);
  });

  test("are not confused with settings whose version is no number", async () => {
    await writeFile(file.path, "state_version: later\n");

    await expect(file.load()).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringContaining("state_version must be a whole number of at least 1"),
    });
  });
});

describe("changing", () => {
  test("makes a private file with the defaults and the change", async () => {
    await file.update(withRegistry("https://registry.example/r.json"));

    expect(await readFile(file.path, "utf8")).toContain("registry_url: https://registry.example/r.json\n");
    expect((await stat(file.path)).mode & 0o777).toBe(0o600);
    expect(await readdir(directory)).toEqual(["config.yaml"]);
  });

  test("keeps comments, order and members that it does not know", async () => {
    const text = [
      "# mine",
      "future_member: {a: [1, 2]} # keep",
      'registry_url: "" # the catalogue',
      "clients:",
      "    # by hand",
      "    registered_clients: [cursor]",
      "    colour: blue",
      "",
    ].join("\n");
    await writeFile(file.path, text);

    await file.update(withRegistry("/srv/registry.json"));

    expect(await readFile(file.path, "utf8")).toBe(
      text
        .replace('""', '"/srv/registry.json"')
        .replace("{a: [1, 2]}", "{ a: [ 1, 2 ] }")
        .replace("[cursor]", "[ cursor ]"),
    );
  });

  test("fills a section that is there without content", async () => {
    await writeFile(file.path, "otel:\nclients: # none yet\n");

    await file.update((config) => ({
      ...config,
      otel: { ...config.otel, "sampling-rate": 0 },
      clients: { ...config.clients, registered_clients: ["zed"] },
    }));

    expect(await file.load()).toMatchObject({
      otel: { "sampling-rate": 0 },
      clients: { registered_clients: ["zed"] },
    });
  });

  test("removes a member that the change leaves out", async () => {
    await writeFile(file.path, "otel: {sampling-rate: 0.5}\n");

    await file.update((config) => ({ ...config, otel: { endpoint: "", "env-vars": [] } }));

    expect((await file.load()).otel).toEqual({ endpoint: "", "env-vars": [] });
    expect(await readFile(file.path, "utf8")).not.toContain("sampling-rate");
  });

  test("leaves a file that cannot be understood as it is", async () => {
    await writeFile(file.path, "registry_url: [\n");

    await expect(file.update(withRegistry("x"))).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      hint: expect.stringContaining(file.path),
    });

    expect(await readFile(file.path, "utf8")).toBe("registry_url: [\n");
  });

  test("refuses a change that makes it invalid", async () => {
    await file.update(withRegistry("/before"));

    const change = file.update((config) => ({ ...config, otel: { ...config.otel, "sampling-rate": 7 } }));

    await expect(change).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    expect((await file.load()).registry_url).toBe("/before");
  });

  test("loses none of many changes at once", async () => {
    const names = Array.from({ length: 8 }, (_, index) => `client-${index}`);

    await Promise.all(
      names.map((name) =>
        new ConfigFile(directory).update((config) => {
          const registered_clients = [...config.clients.registered_clients, name];
          return { ...config, clients: { ...config.clients, registered_clients } };
        }),
      ),
    );

    expect((await file.load()).clients.registered_clients.sort()).toEqual([...names].sort());
  });
});

test("whatever configuration is written over whatever other one is read back", () => {
  const text = fc.string({ unit: "grapheme-ascii" });
  const config: fc.Arbitrary<Config> = fc.record({
    secrets: fc.record({
      provider_type: fc.constantFrom("encrypted", "1password", "none"),
      setup_completed: fc.constant(true),
    }),
    clients: fc.record({ registered_clients: fc.array(text), auto_discovery: fc.boolean() }),
    registry_url: text,
    allow_private_registry_ip: fc.boolean(),
    ca_certificate_path: text,
    otel: fc.record({ endpoint: text, "env-vars": fc.array(text) }),
  });
  fc.assert(
    fc.property(config, config, (before, after) => {
      const first = writeConfig("", DEFAULT_CONFIG, before);

      const second = writeConfig(first, before, after);

      expect(readConfig(second)).toEqual({ ok: true, config: after, warnings: [] });
    }),
  );
});
