/** `thv k8s import --file`: manifests of a cluster, also of strangers, become a project file, and what cannot move is named. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type CreateRequest, formatProject, type Project, readProject } from "@toolhive/core";
import {
  API_VERSION,
  type JsonObject,
  MCPGroupSpecSchema,
  MCPRemoteProxySpecSchema,
} from "@toolhive/operator/contract";
import { judgeManifest, ORIGINAL_MANIFESTS } from "@toolhive/operator/facts";
import {
  createManifest,
  parseManifest,
  printManifest,
  readManifest,
  readManifestSet,
} from "@toolhive/operator/manifest";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ServedThv } from "../../testing/served-thv.ts";

const write = (kind: string, name: string, spec: object): JsonObject => ({
  apiVersion: API_VERSION,
  kind,
  metadata: { name },
  spec,
});
const server = (name: string, spec: object = {}) =>
  write("MCPServer", name, { image: "mcp/everything:latest", ...spec });
const remote = (name: string, spec: object = {}) =>
  write("MCPRemoteProxy", name, { remoteURL: "https://tools.example.com/mcp", ...spec });
const group = (name: string, spec: object = {}) => write("MCPGroup", name, spec);
const FEW = write("MCPToolConfig", "few", { toolsFilter: ["echo"], toolsOverride: { echo: { name: "say" } } });

interface Carried {
  readonly project: Project;
  readonly leftOut: readonly string[];
  readonly text: string;
}

/** By way of the text of the manifest and of the project file. */
function carry(...objects: readonly JsonObject[]): Carried {
  const text = objects.map((object) => JSON.stringify(object)).join("\n---\n");
  const { set, leftOut: damaged } = readManifestSet(parseManifest(text, "it.yaml"), "it.yaml");
  const written = formatProject(set, damaged);
  const leftOut = written.leftOut.map(({ server: of, group: ofGroup, member, reason }) =>
    [of ?? ofGroup, member, reason].filter((part) => part !== undefined && part !== "").join(": "),
  );
  return { project: readProject(written.text, "/thv.yaml"), leftOut, text: written.text };
}

/** Without the label of the project. */
function pick({ project }: Carried, name: string): CreateRequest | undefined {
  const found = project.servers.find((each) => each.name === name)?.request;
  if (found === undefined) return undefined;
  const { "thv-project": _, ...labels } = found.labels ?? {};
  const { labels: _all, ...others } = found;
  return { ...others, ...(Object.keys(labels).length > 0 && { labels }) };
}

describe("a project file of manifests", () => {
  /** No letters of `key`, `pwd` or `token`: a variable of such a name is left out of a file. */
  const word = fc.stringMatching(/^[a-f][a-f0-9]{0,11}$/);
  const text = fc.string({ unit: fc.constantFrom("$", "(", "A", "b", " ", ":", "#", "'", "\n", "ü", "-", "1") });
  const request: fc.Arbitrary<CreateRequest> = fc
    .record(
      {
        cmd_arguments: fc.array(text, { minLength: 1, maxLength: 3 }),
        env_vars: fc.dictionary(word, text, { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
        secrets: fc.uniqueArray(word, { minLength: 1, maxLength: 3 }),
        limits: fc.constantFrom({ memory_bytes: 536_870_912 }, { cpus: 0.5 }, { memory_bytes: 1e9, cpus: 1.001 }),
        tools: fc.array(word, { minLength: 1, maxLength: 3 }),
        sleep_after_seconds: fc.constantFrom(60, 600, 86_400),
        user: fc.constantFrom("0", "1000", "1000:2000"),
        permission_profile: fc.constantFrom({ name: "none" }, { name: "network" }),
        oidc: fc.constant({ issuer: "https://login.example.com", audience: "tools" }),
        authz_config: fc.constant(
          '{"version":"1.0","type":"cedarv1","cedar":{"policies":["permit(principal, action, resource);"],"entities_json":"[]"}}',
        ),
      },
      { requiredKeys: [] },
    )
    .map(({ env_vars, secrets, ...others }) => ({
      ...others,
      image: "mcp/everything:latest",
      transport: "stdio",
      read_only: true,
      ...(env_vars && { env_vars: Object.entries(env_vars).map(([name, value]) => `${name}=${value}`) }),
      ...(secrets && { secrets: secrets.map((name) => ({ name, target: name.toUpperCase() })) }),
    }));

  test("has any set of servers that thv export --format k8s has written, each as it was", () => {
    fc.assert(
      fc.property(fc.uniqueArray(request, { minLength: 1, maxLength: 4 }), (requests) => {
        // Manifests have a Secret for each server: one name in two of them becomes two names.
        const named = requests.map(({ secrets, ...each }, index) => ({
          ...each,
          name: `server-${index}`,
          ...(secrets && { secrets: secrets.map((secret) => ({ ...secret, name: `${secret.name}-${index}` })) }),
        }));
        const file = named.map((each) => printManifest(createManifest(each))).join("---\n");
        const { set, leftOut } = readManifestSet(parseManifest(file, "it"), "it");
        const written = formatProject(set, leftOut);
        const project = readProject(written.text, "/thv.yaml");
        for (const each of named) expect(pick({ project, leftOut: [], text: "" }, each.name)).toEqual(each);
      }),
      { numRuns: 60 },
    );
  });

  test("has groups with their choices, servers in them, and the way to remote servers with secrets by name", () => {
    const carried = carry(
      group("work", { naming: "always", toolConfigRef: { name: "few" } }),
      server("one", { groupRef: { name: "work" }, secrets: [{ name: "keys", key: "token", targetEnvName: "TOKEN" }] }),
      remote("two", {
        groupRef: { name: "work" },
        transport: "sse",
        headers: [
          { name: "X-Team", value: "maps" },
          { name: "X-Key", secretKeyRef: { name: "keys", key: "header" } },
        ],
        auth: { type: "bearer", bearerToken: { name: "keys", key: "bearer" } },
        tools: ["echo"],
      }),
      FEW,
    );

    expect(carried.leftOut).toEqual([]);
    expect(carried.project.groups).toEqual([
      { name: "work", naming: "always", tools: ["echo"], tools_override: { echo: { name: "say" } } },
    ]);
    expect(carried.project.servers.map(({ name, groups }) => [name, groups])).toEqual([
      ["one", ["work"]],
      ["two", ["work"]],
    ]);
    expect(pick(carried, "two")).toEqual({
      name: "two",
      image: "https://tools.example.com/mcp",
      transport: "sse",
      header_forward: { add_plaintext_headers: { "X-Team": "maps" }, add_headers_from_secret: { "X-Key": "header" } },
      oauth_config: { bearer_token: { name: "bearer" } },
      tools: ["echo"],
    });
  });

  test("gives keys of one name in several Secrets names of their own, also of one server that is run", () => {
    const secrets = [
      { name: "github", key: "token", targetEnvName: "GITHUB_TOKEN" },
      { name: "gitlab", key: "token", targetEnvName: "GITLAB_TOKEN" },
    ];
    const named = [
      { name: "github-token", target: "GITHUB_TOKEN" },
      { name: "gitlab-token", target: "GITLAB_TOKEN" },
    ];

    expect(pick(carry(server("one", { secrets })), "one")?.secrets).toEqual(named);
    expect(readManifest([server("one", { secrets })], "it").request.secrets).toEqual(named);
  });

  test("says of a remote server that signs in by itself on the cluster that a person signs in here", () => {
    const clientCredentials = { clientID: "tools", clientSecret: { name: "keys", key: "secret" }, scopes: ["read"] };
    const carried = carry(remote("two", { auth: { type: "clientCredentials", clientCredentials } }));

    expect(pick(carried, "two")?.oauth_config).toEqual({
      required: true,
      client_id: "tools",
      client_secret: { name: "secret" },
      scopes: ["read"],
    });
    expect(carried.leftOut).toEqual([expect.stringMatching(/^two: auth\.type: .*thv auth login/)]);
  });

  test("leaves out what would be open to more callers here, or cannot be read, and has the rest", () => {
    const carried = carry(
      server("good"),
      server("of-the-cluster", { oidcConfig: { type: "kubernetes" } }),
      server("lost", { toolConfigRef: { name: "absent" } }),
      server("odd", { egress: "none" }),
      server("policies", { authzConfig: { type: "configMap", configMap: { name: "map" } } }),
      server("member", { groupRef: { name: "guarded" } }),
      group("guarded", { oidcConfig: { type: "inline", inline: { issuer: "https://login.example.com" } } }),
      server("good", { transport: "sse" }),
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "map" }, data: { "authz.json": "/etc/passwd" } },
      { apiVersion: "v1", kind: "Secret", metadata: { name: "keys" }, stringData: { token: "hunter2" } },
    );

    expect(carried.project.servers.map(({ name }) => name)).toEqual(["good", "member"]);
    expect(carried.project.servers.map(({ groups }) => groups)).toEqual([undefined, undefined]);
    expect(carried.project.groups).toEqual([]);
    expect(carried.text).not.toContain("hunter2");
    expect(carried.leftOut).toEqual([
      expect.stringMatching(/^guarded: oidcConfig limit who may call it/),
      expect.stringMatching(/^of-the-cluster: .*service accounts only/),
      expect.stringMatching(/^lost: .*lacks the MCPToolConfig absent/),
      expect.stringMatching(/^odd: .*egress/),
      expect.stringMatching(/^policies: The ConfigMap map has no JSON/),
      expect.stringMatching(/^good: another MCPServer or MCPRemoteProxy of it\.yaml has this name$/),
      "Secret keys: its values are not read",
    ]);
    // Whoever opens the file reads it, too.
    for (const line of carried.leftOut) expect(carried.text).toContain(line.slice(0, 40));
  });

  test("reads lists that kubectl prints, and refuses a file without a server", () => {
    const { apiVersion: _version, kind: _kind, ...item } = server("one");
    const list = { apiVersion: "v1", kind: "List", items: [server("two"), null, "text"] };

    expect(carry(list).project.servers.map(({ name }) => name)).toEqual(["two"]);
    expect(carry({ apiVersion: API_VERSION, kind: "MCPServerList", items: [item] }).project.servers).toHaveLength(1);
    expect(() => carry({ kind: "Pod" })).toThrow("it.yaml has no MCPServer or MCPRemoteProxy");
    expect(() => carry(...Array.from({ length: 101 }, (_, index) => server(`s${index}`)))).toThrow("101 servers");
  });
});

const ISSUER = { type: "inline", inline: { issuer: "https://login.example.com" } };
const REMOTE_SPECS: Readonly<Record<string, object>> = {
  remoteURL: { remoteURL: "https://other.example.com/mcp" },
  allowInsecureHTTP: { allowInsecureHTTP: true },
  transport: { transport: "sse" },
  headers: { headers: [{ name: "X-Team", value: "maps" }] },
  auth: { auth: { type: "bearer", bearerToken: { name: "keys", key: "token" } } },
  caBundle: { caBundle: { name: "map" } },
  oidcConfig: { oidcConfig: ISSUER },
  authzConfig: { authzConfig: { type: "inline", inline: { policies: ["permit(principal, action, resource);"] } } },
  audit: { audit: { enabled: true } },
  telemetry: { telemetry: { serviceName: "tools" } },
  tools: { tools: ["echo"] },
  toolConfigRef: { toolConfigRef: { name: "few" } },
  groupRef: { groupRef: { name: "work" } },
  resources: { resources: { limits: { cpu: "1" } } },
  resourceOverrides: { resourceOverrides: { proxyDeployment: { labels: { team: "tools" } } } },
  replicas: { replicas: 2 },
  serviceAccount: { serviceAccount: "tools" },
};
const GROUP_SPECS: Readonly<Record<string, object>> = {
  description: { description: "For work" },
  naming: { naming: "never" },
  toolConfigRef: { toolConfigRef: { name: "few" } },
  oidcConfig: { oidcConfig: ISSUER },
  authzConfig: REMOTE_SPECS.authzConfig ?? {},
  audit: { audit: { enabled: true } },
  telemetry: { telemetry: { serviceName: "tools" } },
  resources: { resources: { limits: { cpu: "1" } } },
  resourceOverrides: REMOTE_SPECS.resourceOverrides ?? {},
};
/** Of the Service: the proxy on this machine has its own. */
const PORTS = ["port", "proxyPort"];

describe("every member of the other kinds", () => {
  test("is in a table", () => {
    const sort = (names: readonly string[]) => names.filter((name) => !PORTS.includes(name)).sort();

    expect(sort(Object.keys(REMOTE_SPECS))).toEqual(sort(Object.keys(MCPRemoteProxySpecSchema.properties)));
    expect(sort(Object.keys(GROUP_SPECS))).toEqual(sort(Object.keys(MCPGroupSpecSchema.properties)));
  });

  test.each(Object.entries(REMOTE_SPECS))("MCPRemoteProxy spec.%s is in the file, or is named", (_member, spec) => {
    expect(carry(remote("it", spec), FEW)).not.toEqual(carry(remote("it"), FEW));
  });

  test.each(Object.entries(GROUP_SPECS))("MCPGroup spec.%s is in the file, or is named", (_member, spec) => {
    expect(carry(server("it"), group("work", spec), FEW)).not.toEqual(carry(server("it"), group("work"), FEW));
  });
});

describe("manifests of strangers", () => {
  const named = ORIGINAL_MANIFESTS.map((manifest) => ({
    ...manifest,
    objects: manifest.objects.map((object, index) => ({
      ...object,
      metadata: { name: `it-${index}`, ...object.metadata },
    })),
  }));

  test.each(named.map((each) => [each.what, each] as const))(
    "%s: in the file, or named with the reason",
    (_what, manifest) => {
      const isServer = ({ kind }: JsonObject) => kind === "MCPServer" || kind === "MCPRemoteProxy";
      const servers = manifest.objects.filter(isServer);
      if (servers.length === 0) {
        expect(() => carry(...manifest.objects)).toThrow("has no MCPServer or MCPRemoteProxy");
        return;
      }
      const { project, leftOut } = carry(...manifest.objects);
      const inFile = project.servers.map(({ name }) => name);
      for (const { metadata } of servers)
        if (!inFile.includes(metadata.name))
          expect(leftOut).toContainEqual(expect.stringContaining(`${metadata.name}: `));
      const { outcome } = judgeManifest({ ...manifest, objects: servers });
      if (outcome === "refused") expect(leftOut).not.toEqual([]);
    },
  );

  test("of any form are read or refused with a sentence, and give no more than what was said", () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    const spec = fc.dictionary(
      fc.constantFrom(
        "image",
        "secrets",
        "headers",
        "auth",
        "groupRef",
        "env",
        "podTemplateSpec",
        "remoteURL",
        "oidcConfig",
      ),
      value,
      { noNullPrototype: true },
    );
    const object = fc.record({
      apiVersion: fc.constantFrom<unknown>(API_VERSION, 1, null),
      kind: fc.constantFrom<unknown>("MCPServer", "MCPRemoteProxy", "MCPGroup", "MCPToolConfig", "List", 7),
      metadata: fc.oneof(value, fc.record({ name: value })),
      spec: fc.oneof(spec, value),
      items: value,
    });
    fc.assert(
      fc.property(fc.array(object, { maxLength: 4 }), (objects) => {
        try {
          carry(...(objects as JsonObject[]));
        } catch (error) {
          expect(error).toMatchObject({ code: expect.stringMatching(/^INVALID_ARGUMENT$/) });
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("the command", () => {
  let thv: ServedThv;
  beforeAll(async () => {
    thv = await ServedThv.start();
    const objects = [
      server("one", { secrets: [{ name: "keys", key: "token" }], replicas: 2 }),
      remote("two"),
      group("work"),
    ];
    await writeFile(place("tools.yaml"), objects.map((each) => JSON.stringify(each)).join("\n---\n"));
  });
  afterAll(async () => await thv[Symbol.asyncDispose]());

  const place = (name: string) => join(thv.home, name);
  const call = async (...argv: string[]) => await thv.call(["k8s", "import", ...argv]);

  test("writes the file, names what it left out and the secrets to store, and replaces nothing", async () => {
    const file = place("thv.yaml");

    const first = await call(place("tools.yaml"), "--file", file);
    const again = await call(place("tools.yaml"), "--file", file);
    const forced = await call(place("tools.yaml"), "--file", file, "--force", "--format", "json");

    expect(first).toMatchObject({ code: 0, stdout: `${file} lists one, two.\n` });
    expect(first.stderr).toBe(
      `Left out: one: replicas: it is for a cluster.\nStore these secrets, whose values are on the cluster:\n  thv secret set token\nReview the file, then start its servers: thv up --file ${file}\n`,
    );
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining("already exists") });
    expect(JSON.parse(forced.stdout)).toEqual({
      file,
      servers: ["one", "two"],
      groups: ["work"],
      secrets: ["token"],
      left_out: [{ server: "one", member: "replicas", reason: "it is for a cluster" }],
      notes: [],
    });
    expect(await readFile(file, "utf8")).toMatch(/^# Not in this file:\n# {3}one: replicas/m);
  });

  test("prints the file with --dry-run, and writes none", async () => {
    const before = await readdir(thv.home);

    const { code, stdout } = await call(place("tools.yaml"), "--file", place("other.yaml"), "--dry-run");

    expect([code, stdout]).toEqual([0, expect.stringContaining("  two:\n    run: https://tools.example.com/mcp\n")]);
    expect(await readdir(thv.home)).toEqual(before);
  });

  test.each([
    [[], "needs FILE_OR_NAME, or --all"],
    [["--all"], "--all writes a project file"],
    [["a", "--all", "--file", "x.yaml"], "and not also a"],
    [["a.yaml", "--file", "x.yaml", "--name", "b"], "--name is for one server"],
    [["a.yaml", "--force"], "there is no --file"],
  ])("%j is refused", async (argv, message) => {
    expect(await call(...argv)).toMatchObject({ code: 64, stderr: expect.stringContaining(message) });
  });
});
