/** Entries in the public format with everything that it allows: icons, publishers, dates, inputs and groups. */
import { describe, expect, test } from "vitest";
import { describePublisher } from "./catalog/describe-publisher.ts";
import { findEntry, getEntry } from "./find-server.ts";
import { parseRegistry } from "./parse-registry.ts";
import type { RegistryServer } from "./registry-schema.ts";

const OFFICIAL = "io.modelcontextprotocol.registry/official";
const base = { description: "A server that is used in the tests.", version: "1.2.0" };
const npm = { registryType: "npm", identifier: "@acme/maps", version: "1.2.0", transport: { type: "stdio" } };

function read(server: object, meta: object = {}) {
  return parseRegistry(JSON.stringify([{ server, _meta: { [OFFICIAL]: meta } }]), "the test");
}

describe("an entry of a server.json", () => {
  test.each([
    ["a PNG", [{ src: "https://a.example/i.png", mimeType: "image/png" }], "https://a.example/i.png"],
    [
      "the one for light pages",
      [
        { src: "https://a.example/dark.png", theme: "dark" },
        { src: "https://a.example/light.webp", theme: "light", sizes: ["48x48"] },
      ],
      "https://a.example/light.webp",
    ],
    [
      "not an SVG",
      [{ src: "https://a.example/i.svg" }, { src: "https://a.example/j", mimeType: "image/svg+xml" }],
      undefined,
    ],
    ["not over http", [{ src: "http://a.example/i.png" }], undefined],
    ["not a program", [{ src: "javascript:alert(1)" }, { src: "data:image/png;base64,AA" }, {}], undefined],
  ])("shows %s as its icon", (_what, icons, icon) => {
    const [entry] = read({ name: "io.github.acme/maps", ...base, icons, packages: [npm] }).servers;

    expect(entry?.icon).toBe(icon);
  });

  test("has the date of its registry, and the publisher that its name says", () => {
    const [entry] = read(
      { name: "io.github.acme/maps", ...base, packages: [npm] },
      { updatedAt: "2026-09-01T10:00:00.5Z", isLatest: true },
    ).servers;

    expect(entry?.metadata).toEqual({ last_updated: "2026-09-01T10:00:00.5Z" });
    expect(entry && describePublisher(entry)).toEqual({ name: "github.com/acme", basis: "namespace" });
  });

  test("runs elsewhere with the headers and variables that it asks for, and is left out where only the user knows the address", () => {
    const remotes = [
      {
        type: "streamable-http",
        url: "https://{region}.acme.example/mcp",
        variables: { region: { default: "eu", choices: ["eu", "us"] } },
        headers: [
          { name: "Authorization", description: "Token of the service", isRequired: true, isSecret: true },
          { name: "X-Team", value: "{team}", variables: { team: { default: "maps" } } },
        ],
      },
    ];
    const { remoteServers, skipped } = parseRegistry(
      JSON.stringify([
        { name: "com.acme/maps", ...base, remotes },
        { name: "com.acme/own", ...base, remotes: [{ type: "sse", url: "https://{tenant}.acme.example/" }] },
        {
          name: "com.acme/bundle",
          ...base,
          packages: [{ registryType: "mcpb", identifier: "https://a.example/x.mcpb" }],
        },
      ]),
      "the test",
    );

    expect(remoteServers).toMatchObject([
      { name: "com.acme/maps", url: "https://eu.acme.example/mcp", headers: [{ secret: true, required: true }, {}] },
    ]);
    expect(skipped.map(({ name }) => name)).toEqual(["com.acme/own", "com.acme/bundle"]);
    expect(remoteServers[0] && describePublisher(remoteServers[0])).toEqual({ name: "acme.com", basis: "namespace" });
  });
});

test("a publisher is who signs the image, then who the name names, then the owner of the repository", () => {
  const server: RegistryServer = {
    name: "maps",
    image: "ghcr.io/acme/maps:1",
    description: "Places on a map.",
    tier: "Community",
    status: "Active",
    transport: "stdio",
    tools: [],
    repository_url: "https://github.com/acme/maps",
  };

  expect(describePublisher(server)).toEqual({ name: "github.com/acme", basis: "repository" });
  expect(describePublisher({ ...server, provenance: { repository_uri: "https://github.com/signer/x" } })).toEqual({
    name: "github.com/signer",
    basis: "signature",
  });
  expect(describePublisher({ ...server, longName: "io.gitlab.team/maps" })).toEqual({
    name: "gitlab.com/team",
    basis: "namespace",
  });
  for (const repository_url of ["javascript:alert(1)", "http://github.com/acme", "https://github.com/", "x"]) {
    expect(describePublisher({ ...server, repository_url })).toBeUndefined();
  }
});

test("a server that only a group has is found by its name", () => {
  const value = {
    version: "1.0.0",
    meta: { last_updated: "2026-01-01T00:00:00Z" },
    data: {
      servers: [{ name: "io.github.acme/maps", ...base, packages: [npm] }],
      groups: [
        {
          name: "travel",
          description: "For a journey.",
          servers: [{ name: "io.github.acme/trains", ...base, packages: [npm] }],
        },
      ],
    },
  };
  const registry = parseRegistry(JSON.stringify(value), "the test");

  expect(findEntry(registry, "trains")?.name).toBe("io.github.acme/trains");
  expect(getEntry(registry, "io.github.acme/maps").name).toBe("io.github.acme/maps");
});
