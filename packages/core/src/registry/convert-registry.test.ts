import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { convertRegistry } from "./convert-registry.ts";
import { parseEmbeddedRegistry } from "./embedded.ts";

const key = fc.stringMatching(/^[a-z][a-z0-9]{2,8}(-[a-z0-9]{1,5})?$/);
const words = fc.stringMatching(/^[A-Za-z]{5}[A-Za-z ]{5,60}[a-z]$/);
const variable = fc.record(
  {
    name: fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,12}$/),
    description: words,
    required: fc.constant(false),
    default: fc.stringMatching(/^[a-z0-9/]{1,12}$/),
    secret: fc.constant(true),
    choices: fc.uniqueArray(fc.stringMatching(/^[a-z]{1,6}$/), { minLength: 1, maxLength: 3 }),
  },
  { requiredKeys: ["name", "description", "required"] },
);
const variables = fc.uniqueArray(variable, { selector: ({ name }) => name, minLength: 1, maxLength: 4 });
const COMMON = {
  description: words,
  tier: fc.constantFrom("Official", "Community"),
  status: fc.constantFrom("Active", "Deprecated"),
  tools: fc.uniqueArray(fc.stringMatching(/^[a-z_]{1,12}$/), { minLength: 1, maxLength: 4 }),
};
const COMMON_OPTIONAL = {
  title: words,
  overview: words,
  version: fc.constantFrom("2.0.0", "0.1.0-rc.1"),
  tags: fc.uniqueArray(fc.stringMatching(/^[a-z-]{3,9}$/), { minLength: 1, maxLength: 3 }),
  repository_url: fc.constantFrom("https://github.com/acme/server", "https://git.example/x"),
  metadata: fc.record({ stars: fc.nat(), pulls: fc.nat() }),
  name: fc.constant("com.example/long-name"),
};
const image = fc.constantFrom(
  "mcp/echo:1",
  "ghcr.io/acme/x@sha256:".padEnd(86, "a"),
  "npx://@a/b@1.2.3",
  "uvx://server",
);
const server = fc.oneof(
  fc.record(
    {
      ...COMMON,
      ...COMMON_OPTIONAL,
      image,
      transport: fc.constant("stdio"),
      env_vars: variables,
      args: fc.array(words, { minLength: 1, maxLength: 3 }),
      needed_args: fc.constant([
        { name: "directory", description: "Where to look." },
        { name: "--root", description: "Top." },
      ]),
      permissions: fc.constant({
        read: ["/srv"],
        network: { outbound: { allow_host: ["a.example"], allow_port: [443] } },
      }),
      provenance: fc.constant({ runner_environment: "github-hosted" }),
    },
    { requiredKeys: ["description", "tier", "status", "tools", "image", "transport"] },
  ),
  fc
    .record({
      ...COMMON,
      image,
      transport: fc.constantFrom("sse", "streamable-http"),
      target_port: fc.integer({ min: 1, max: 65535 }),
    })
    .filter(({ target_port }) => target_port !== 80),
);
const remote = fc.record(
  {
    ...COMMON,
    ...COMMON_OPTIONAL,
    url: fc.constantFrom("https://a.example/mcp", "https://b.example/sse?x=1"),
    transport: fc.constantFrom("sse", "streamable-http"),
    headers: variables.map((list) => list.map((each) => ({ ...each, name: each.name.replace(/^_/, "X") }))),
    oauth_config: fc.constant({ issuer: "https://auth.example", scopes: ["openid"] }),
  },
  { requiredKeys: ["description", "tier", "status", "tools", "url", "transport"] },
);

describe("convertRegistry", () => {
  test("there and back gives the same map", () => {
    fc.assert(
      fc.property(fc.dictionary(key, server, { maxKeys: 5 }), remote, (servers, there) => {
        // A long name is of one server only.
        const own = Object.fromEntries(
          Object.entries(servers as Record<string, { name?: string }>).map(
            ([name, { name: _long, ...rest }], index) => [
              name,
              { ...rest, ...(_long && index === 0 && { name: `com.example/${name}` }) },
            ],
          ),
        );
        const remote_servers = { "the-remote": { ...there, ...(there.name && { name: "com.example/the-remote" }) } };
        const { "the-remote": _taken, ...rest } = own;
        const map = { version: "1.0.0", last_updated: "2026-01-01T00:00:00Z", servers: rest, remote_servers };
        const plain = JSON.parse(JSON.stringify(map));

        const upstream = convertRegistry(plain, "upstream", "x");
        const back = convertRegistry(JSON.parse(JSON.stringify(upstream.value)), "toolhive", "x");

        expect(upstream.losses).toEqual([]);
        expect(back.losses).toEqual([]);
        expect(JSON.parse(JSON.stringify(back.value))).toEqual(plain);
      }),
      { numRuns: 150 },
    );
  });

  test("keeps every server that comes with the tool", () => {
    const text = readFileSync(new URL("embedded-registry.json", import.meta.url), "utf8");
    const upstream = convertRegistry(JSON.parse(text), "upstream", "x");
    const back = convertRegistry(JSON.parse(JSON.stringify(upstream.value)), "toolhive", "x");

    expect(back.registry.servers.map(({ name }) => name.split("/").at(-1))).toEqual(
      parseEmbeddedRegistry().servers.map(({ name }) => name),
    );
    expect(back.losses).toEqual([]);
  });

  test("says what is lost", () => {
    const text = readFileSync(new URL("testing/official-list.json", import.meta.url), "utf8");
    const { losses, value } = convertRegistry(JSON.parse(text), "toolhive", "x");

    expect(Object.keys((value as { servers: object }).servers)).toEqual(["airtable-mcp-server", "time-mcp-pypi"]);
    expect(losses.map(({ name, what }) => `${name.split("/")[1]}: ${what}`)).toEqual([
      "time-mcp-nuget: it is left out: packages of NuGet need .NET, for which no image is built here",
      "airtable-mcp-server: not kept: 2 further ways to run it",
      "airtable-mcp-server: version 1.7.2 is left out: there each server is listed once",
    ]);
  });

  test("says what the official form cannot hold", () => {
    const entry = {
      ...{ description: "long ".repeat(30), tier: "Community", status: "Active", transport: "stdio", tools: ["a"] },
      env_vars: [{ name: "A", description: "A variable.", required: true, default: "x" }],
    };
    const servers = {
      "in-go": { ...entry, image: "go://example.com/server@v1.0.0" },
      other: { ...entry, image: "mcp/x" },
    };
    const map = { version: "1.0.0", last_updated: "2026-01-01T00:00:00Z", servers };

    expect(convertRegistry(map, "upstream", "x").losses.map(({ what }) => what)).toEqual([
      expect.stringContaining("no kind of package for go://"),
      expect.stringContaining("A is required and has a default"),
      expect.stringContaining("at most 100 characters"),
    ]);
  });
});
