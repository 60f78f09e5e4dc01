import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ThvError } from "../support/errors.ts";
import { buildRegistryJsonSchema } from "./json-schema.ts";
import { listRegistryProblems } from "./map-problems.ts";
import { parseRegistry } from "./parse-registry.ts";

const WEATHER = {
  image: "ghcr.io/acme/weather-mcp:1.4.0",
  description: "Tells the weather of any place.",
  tier: "Community",
  status: "Active",
  transport: "stdio",
  tools: ["get_weather"],
};

function registryWith(server: object, name = "weather"): object {
  return { version: "1.0.0", last_updated: "2025-07-17T00:23:12Z", servers: { [name]: { ...WEATHER, ...server } } };
}

function variable(members: object) {
  return registryWith({
    env_vars: [{ name: "UNITS", description: "metric or imperial", required: false, ...members }],
  });
}

describe("listRegistryProblems", () => {
  test("finds nothing wrong with a small registry", () => {
    expect(listRegistryProblems(registryWith({}))).toEqual([]);
  });

  test.each([
    ["a missing member", registryWith({ image: undefined }), 'servers.weather is missing "image"'],
    ["a member that is not known", registryWith({ colour: 1 }), 'servers.weather has the unknown member "colour"'],
    [
      "a short description",
      registryWith({ description: "short" }),
      "servers.weather.description has 5 characters but must have at least 10",
    ],
    [
      "an unknown tier",
      registryWith({ tier: "Gold" }),
      'servers.weather.tier is "Gold" but must be one of Official, Community',
    ],
    [
      "an unknown status",
      registryWith({ status: "active" }),
      'servers.weather.status is "active" but must be one of Active, Deprecated',
    ],
    [
      "an unknown transport",
      registryWith({ transport: "inspector" }),
      'servers.weather.transport is "inspector" but must be one of stdio, sse, streamable-http',
    ],
    ["no tools", registryWith({ tools: undefined }), 'servers.weather is missing "tools"'],
    ["a tool twice", registryWith({ tools: ["a", "a"] }), 'servers.weather.tools names "a" more than once'],
    [
      "a tool with a space",
      registryWith({ tools: ["a b"] }),
      'servers.weather.tools[0] is "a b" but must be letters, digits, hyphens and underscores',
    ],
    [
      "a tag that is too short",
      registryWith({ tags: ["a"] }),
      'servers.weather.tags[0] is "a" but must be at least two small letters, digits, hyphens and underscores',
    ],
    [
      "a port that is too large",
      registryWith({ transport: "sse", target_port: 70000 }),
      "servers.weather.target_port is 70000 but must be at most 65535",
    ],
    [
      "a port for stdio",
      registryWith({ target_port: 8000 }),
      "servers.weather.target_port is set, but a stdio server has no port",
    ],
    [
      "an address that is none",
      registryWith({ repository_url: "not a url" }),
      'servers.weather.repository_url is "not a url" but must be an address such as https://example.com',
    ],
    [
      "an image that is none",
      registryWith({ image: "Not An Image" }),
      'servers.weather.image is "Not An Image", which is not an image reference',
    ],
    [
      "a variable's name",
      variable({ name: "1UNITS" }),
      'servers.weather.env_vars[0].name is "1UNITS" but must be letters, digits and underscores, with no digit at the beginning',
    ],
    [
      "a variable's description",
      variable({ description: "x" }),
      "servers.weather.env_vars[0].description has 1 character but must have at least 5",
    ],
    [
      "a variable's type",
      variable({ required: "yes" }),
      "servers.weather.env_vars[0].required is a string but must be a boolean",
    ],
    [
      "a host with a line break",
      registryWith({ permissions: { network: { outbound: { allow_host: ["a\nb"] } } } }),
      'servers.weather.permissions.network.outbound.allow_host[0] is "a\\nb" but must be a host without scheme, port and path: api.example.com, .example.com, *.example.com or 192.0.2.1',
    ],
    [
      "negative stars",
      registryWith({ metadata: { stars: -1 } }),
      "servers.weather.metadata.stars is -1 but must be at least 0",
    ],
    ["a list", [], "the file is a list but must be an object"],
  ])("names the path, what is there and what is expected: %s", (_what, value, expected) => {
    expect(listRegistryProblems(JSON.parse(JSON.stringify(value)))).toContain(expected);
  });

  test.each(["UPPER", "ab", "-abc", "abc-", "a b c", "a/b"])("refuses %j as the name of a server", (name) => {
    expect(listRegistryProblems(registryWith({}, name))).toEqual([
      `servers has "${name}" but names there must be at least three small letters, digits and hyphens, with no hyphen at either end`,
    ]);
  });

  test("refuses a variable that is declared twice", () => {
    const [first] = (variable({}) as { servers: { weather: { env_vars: object[] } } }).servers.weather.env_vars;

    expect(listRegistryProblems(registryWith({ env_vars: [first, first] }))).toEqual([
      'servers.weather.env_vars names "UNITS" more than once',
    ]);
  });

  test("lists every problem of a file with many, not the first few", () => {
    const servers = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`server-${index}`, { ...WEATHER, tier: "Gold" }]),
    );

    const problems = listRegistryProblems({ version: "1", last_updated: "never", servers });

    expect(problems).toHaveLength(42);
  });
});

describe("parseRegistry", () => {
  test("sorts the servers and gives each the name of its key", () => {
    const { servers } = JSON.parse(JSON.stringify(registryWith({ name: "something else" }))) as { servers: object };
    const text = JSON.stringify({ ...registryWith({}), servers: { zebra: WEATHER, ...servers, ant: WEATHER } });

    expect(parseRegistry(text, "x").servers.map(({ name }) => name)).toEqual(["ant", "weather", "zebra"]);
  });

  test("says where the text is from, how many problems there are, and what to do", () => {
    const parse = () => parseRegistry(JSON.stringify(registryWith({ tier: "Gold", status: "Gone" })), "/tmp/r.json");

    expect(parse).toThrow(ThvError);
    expect(parse).toThrow(
      expect.objectContaining({
        code: "REGISTRY_INVALID",
        message: expect.stringMatching(/^The registry \/tmp\/r\.json has 2 problems: .*Gold.*; .*Gone.*\.$/),
        hint: expect.stringContaining("thv config unset-registry-url"),
      }),
    );
  });

  test("leaves out a damaged entry with its reason, as long as another one can be used", () => {
    const servers = { ...(registryWith({}) as { servers: object }).servers, gold: { ...WEATHER, tier: "Gold" } };
    const registry = parseRegistry(JSON.stringify({ ...registryWith({}), servers }), "x");

    expect(registry.servers.map(({ name }) => name)).toEqual(["weather"]);
    expect(registry.skipped).toEqual([{ name: "gold", reason: expect.stringContaining('"Gold"') }]);
  });

  test("says that a text is not JSON", () => {
    expect(() => parseRegistry("<html>", "x")).toThrow(/The registry x has a problem: the file is not JSON/);
  });
});

test("the schema that the site publishes is the one that validates (node scripts/write-schemas.mjs writes it)", () => {
  const published = new URL("../../../../website/static/schemas/registry.schema.json", import.meta.url);

  expect(JSON.parse(readFileSync(published, "utf8"))).toEqual(buildRegistryJsonSchema());
});
