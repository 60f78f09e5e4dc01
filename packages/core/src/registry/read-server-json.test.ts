import { describe, expect, test } from "vitest";
import { parseRegistry } from "./parse-registry.ts";
import { readServerJson } from "./read-server-json.ts";
import { compareEntryVersions } from "./read-upstream.ts";
import { MAX_ENTRIES, MAX_SKIPPED, MAX_VERSIONS } from "./registry-schema.ts";

const SERVER = { name: "com.example/server", description: "A server for tests.", version: "1.0.0" };
const NPM = { registryType: "npm", identifier: "@scope/server", version: "1.2.3", transport: { type: "stdio" } };
const readPack = (pack: object) => readServerJson({ ...SERVER, packages: [{ ...NPM, ...pack }] });

describe("a server with several ways to run it", () => {
  const IMAGE = { ...NPM, registryType: "oci", identifier: "ghcr.io/acme/server:1", version: undefined };
  const PYPI = { ...NPM, registryType: "pypi", identifier: "server" };
  const NUGET = { ...NPM, registryType: "nuget" };
  const remotes = [{ type: "streamable-http", url: "https://a.example/mcp" }];

  test.each([
    ["its image", [NPM, IMAGE], { image: "ghcr.io/acme/server:1" }],
    ["its first package that can run", [NUGET, NPM, PYPI], { image: "npx://@scope/server@1.2.3" }],
    ["the remote server when no package can run", [NUGET], { url: "https://a.example/mcp" }],
  ])("runs %s", (_what, packages, expected) => {
    expect(readServerJson({ ...SERVER, packages, remotes }).entry).toMatchObject(expected);
  });
});

describe("a package", () => {
  test.each([
    ["npm", {}, "npx://@scope/server@1.2.3"],
    ["PyPI", { registryType: "pypi", identifier: "server" }, "uvx://server@1.2.3"],
    [
      "an image",
      { registryType: "oci", identifier: "ghcr.io/acme/server:1", version: undefined },
      "ghcr.io/acme/server:1",
    ],
    [
      "an image with registry and version in members of their own",
      { registryType: "oci", identifier: "acme/server", registryBaseUrl: "https://ghcr.io" },
      "ghcr.io/acme/server:1.2.3",
    ],
    [
      "an image by its digest",
      { registryType: "oci", identifier: `acme/server@sha256:${"a".repeat(64)}` },
      `acme/server@sha256:${"a".repeat(64)}`,
    ],
  ])("of %s becomes what runs", (_what, pack, image) => {
    expect(readPack(pack).entry).toMatchObject({ image, name: SERVER.name, version: "1.0.0" });
  });

  test.each([
    ["nuget", { registryType: "nuget" }, /NuGet need \.NET/],
    ["mcpb", { registryType: "mcpb" }, /bundles \(mcpb\)/],
    ["another kind", { registryType: "gem" }, /kind "gem" are not known/],
    [
      "another registry",
      { registryBaseUrl: "https://npm.acme.example" },
      /npm package is at https:\/\/npm\.acme\.example/,
    ],
    ["a name that is a flag", { identifier: "--call" }, /does not name a package/],
    ["a name with a command in it", { identifier: "x; rm -rf /" }, /does not name a package/],
    ["another transport", { transport: { type: "websocket" } }, /transport is "websocket"/],
    [
      "a runtime's argument that it needs",
      { runtimeArguments: [{ type: "named", name: "--mount", value: "type=bind,src={a}", isRequired: true }] },
      /runtime's argument --mount/,
    ],
    ["a variable's name", { environmentVariables: [{ name: "A B" }] }, /env_vars\[0\]\.name is "A B"/],
    ["a variable twice", { environmentVariables: [{ name: "A", value: 1 }, { name: "1" }] }, /env_vars/],
    ["what is no package", { identifier: 7 }, /packages/],
  ])("of %s is refused with the reason", (_what, pack, reason) => {
    expect(readPack(pack)).toMatchObject({ name: SERVER.name, reason: expect.stringMatching(reason) });
  });

  test("has what its package manager installs: another package, packages with it, and a version of Python", () => {
    const { entry } = readPack({
      registryType: "pypi",
      identifier: "word_mcp_server",
      version: "1.0.0",
      runtimeArguments: [
        { type: "named", name: "--from", value: "office-word-mcp-server==1.2" },
        { type: "named", name: "--with", value: "mcp<2" },
        { type: "named", name: "--python", value: "3.11" },
      ],
    });

    expect(entry).toMatchObject({
      image: "uvx://office-word-mcp-server==1.2#word_mcp_server",
      with: ["mcp<2"],
      base_image: "python:3.11-slim",
    });
  });

  test("is refused when its package manager would be given something else", () => {
    const read = (name: string, value: string) =>
      readPack({ registryType: "pypi", identifier: "a", runtimeArguments: [{ type: "named", name, value }] });

    expect(read("--from", "x; rm -rf /")).toMatchObject({ reason: expect.stringContaining("does not name a package") });
    expect(read("--with", "--index-url=x")).toMatchObject({
      reason: expect.stringContaining("to install with another"),
    });
    expect(read("--python", "/usr/bin/evil")).toMatchObject({ reason: expect.stringContaining("--python") });
    expect(read("--index-url", "https://x.example")).toMatchObject({ reason: expect.stringContaining("--index-url") });
  });

  test("has arguments, variables with choices, and a port", () => {
    const { entry } = readPack({
      transport: { type: "streamable-http", url: "http://localhost:{port}/mcp" },
      runtimeArguments: [
        { type: "named", name: "-y" },
        { type: "named", name: "-e", value: "REGION={region}", variables: { region: { isRequired: true } } },
      ],
      packageArguments: [
        { type: "positional", value: "start" },
        { type: "named", name: "--port", value: "{port}", variables: { port: { default: "8080" } } },
        { type: "named", name: "--level", default: "info" },
        { type: "positional", valueHint: "directory", description: "Where to look.", isRequired: true },
      ],
      environmentVariables: [
        { name: "MODE", description: "How to look.", choices: ["fast", "slow"], default: "fast", isRequired: true },
        { name: "port", value: "8080" },
        { name: "TOKEN", description: "Key", isRequired: true, isSecret: true },
      ],
    });

    expect(entry).toMatchObject({
      target_port: 8080,
      args: ["start", "--port", "8080"],
      needed_args: [{ name: "directory", description: "Where to look." }],
      env_vars: [
        { name: "REGION", required: true },
        { name: "MODE", required: false, default: "fast", choices: ["fast", "slow"] },
        { name: "port", required: false, default: "8080" },
        { name: "TOKEN", description: "Key (TOKEN)", required: true, secret: true },
      ],
    });
  });
});

describe("a remote server", () => {
  test("has its variables filled in, and headers with a form", () => {
    const { entry } = readServerJson({
      ...SERVER,
      remotes: [
        { type: "sse", url: "https://a.example/sse" },
        {
          type: "streamable-http",
          url: "https://{region}.example/mcp",
          variables: { region: { default: "eu" } },
          headers: [
            { name: "Authorization", value: "Bearer {key}", variables: { key: { isRequired: true, isSecret: true } } },
          ],
        },
      ],
    });

    expect(entry).toMatchObject({
      url: "https://eu.example/mcp",
      transport: "streamable-http",
      headers: [
        {
          name: "Authorization",
          description: "Value of Authorization Form: Bearer {key}",
          required: true,
          secret: true,
        },
      ],
    });
  });

  test.each([
    ["https://{tenant}.example/mcp", /parts that only you know/],
    ["file:///etc/passwd", /url is/],
    ["", /url is/],
  ])("at %j is refused", (url, reason) => {
    const value = { ...SERVER, remotes: [{ type: "sse", url, variables: { tenant: { isRequired: true } } }] };

    expect(readServerJson(value).reason).toMatch(reason);
  });
});

describe("an entry", () => {
  test.each([
    ["no object", 7, /the entry/],
    ["null", null, /the entry/],
    ["no version", { ...SERVER, version: undefined }, /missing "version"|version/],
    ["a name without a slash", { ...SERVER, name: "server" }, /a namespace and a name/],
    ["nothing to run", SERVER, /neither a package nor a remote server/],
    ["the form of before", { ...SERVER, version: undefined, version_detail: {} }, /before September 2025/],
    [
      "a registry that says it is deleted",
      { server: SERVER, _meta: { "io.modelcontextprotocol.registry/official": { status: "deleted" } } },
      /is deleted/,
    ],
  ])("with %s is none", (_what, value, reason) => {
    expect(readServerJson(JSON.parse(JSON.stringify(value))).reason).toMatch(reason);
  });

  test("that asks for privileges does not run with fewer of them unseen", () => {
    const extension = { "@scope/server": { status: "active", permissions: { privileged: true } } };
    const meta = { "io.modelcontextprotocol.registry/publisher-provided": { "io.github.stacklok": extension } };

    expect(readServerJson({ ...SERVER, packages: [NPM], _meta: meta }).reason).toMatch(/privileged/);
  });

  test("is deprecated or the latest when its registry says so", () => {
    const official = { status: "deprecated", isLatest: true };
    const value = {
      server: { ...SERVER, packages: [NPM] },
      _meta: { "io.modelcontextprotocol.registry/official": official },
    };

    expect(readServerJson(value)).toMatchObject({ isLatest: true, entry: { status: "Deprecated" } });
  });
});

describe("a registry of too much", () => {
  const entry = (index: number) => ({ ...SERVER, name: `com.example/server-${index}`, packages: [NPM] });

  test("keeps what it can, and says what is left out", () => {
    const many = Array.from({ length: MAX_ENTRIES + 5 }, (_, index) => entry(index));
    const { servers, skipped } = parseRegistry(JSON.stringify(many), "x");

    expect(servers).toHaveLength(MAX_ENTRIES);
    expect(skipped).toEqual([expect.objectContaining({ reason: expect.stringContaining(`first ${MAX_ENTRIES}`) })]);
  });

  test("keeps the newest versions of a server", () => {
    const versions = Array.from({ length: MAX_VERSIONS + 9 }, (_, index) => ({ ...entry(0), version: `1.${index}.0` }));
    const { servers, olderVersions, skipped } = parseRegistry(JSON.stringify(versions), "x");

    expect(servers[0]?.version).toBe(`1.${MAX_VERSIONS + 8}.0`);
    expect(olderVersions).toHaveLength(MAX_VERSIONS - 1);
    expect(skipped[0]?.reason).toContain(`${MAX_VERSIONS + 9} versions`);
  });

  test("is not searched for mistakes without end", () => {
    const damaged = Array.from({ length: MAX_SKIPPED * 3 }, () => ({ ...SERVER, name: "x" }));

    expect(parseRegistry(JSON.stringify([entry(0), ...damaged]), "x").skipped).toHaveLength(MAX_SKIPPED);
  });

  test("of entries that cannot run only is refused", () => {
    const nuget = { ...SERVER, packages: [{ ...NPM, registryType: "nuget" }] };

    expect(() => parseRegistry(JSON.stringify([nuget]), "x")).toThrow(/packages of NuGet need \.NET/);
  });

  test("of damaged entries only is refused", () => {
    expect(() => parseRegistry(JSON.stringify([{ ...SERVER, name: "x" }]), "x")).toThrow(/has a problem: x: name /);
  });
});

test.each([
  ["1.0.0", "1.0.0", 0],
  ["1.10.0", "1.9.0", 1],
  ["1.0.0", "1.0.0-rc.1", 1],
  ["1.0.0-rc.2", "1.0.0-rc.10", -1],
  ["v2.0", "1.9.9", 1],
  ["1.0.0-alpha", "1.0.0-1", 1],
])("of %s and %s the newer is known", (left, right, sign) => {
  expect(Math.sign(compareEntryVersions(left, right))).toBe(sign);
  expect(Math.sign(compareEntryVersions(right, left))).toBe(sign === 0 ? 0 : -sign);
});
