/**
 * What is read of public registries: entries of `modelcontextprotocol/registry` (data/seed.json), of `stacklok/toolhive-registry`
 * (registry-upstream.json, registry-legacy.json) and the remote example of `stacklok/toolhive-core`, as facts; texts are ours.
 */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseTarget } from "../target/target.ts";
import { findEntry, getEntry } from "./find-server.ts";
import { parseRegistry } from "./parse-registry.ts";
import type { Registry } from "./registry-schema.ts";

function read(file: string): Registry {
  return parseRegistry(readFileSync(new URL(`testing/${file}`, import.meta.url), "utf8"), file);
}

const summarize = ({ servers, remoteServers, olderVersions, groups, skipped }: Registry) => ({
  servers: servers.map(({ name, image }) => `${name}: ${image}`),
  remotes: remoteServers.map(({ name, url }) => `${name}: ${url}`),
  older: olderVersions.map(({ name, version }) => `${name}@${version}`),
  groups: groups.map(({ name, servers: members }) => `${name}: ${members.map((each) => each.name)}`),
  skipped: skipped.map(({ name, reason }) => `${name}: ${reason}`),
});

describe("public registries", () => {
  test("a list of server.json files: images go before packages, an unsupported kind is said", () => {
    expect(summarize(read("official-list.json"))).toEqual({
      servers: [
        "io.github.domdomegg/airtable-mcp-server: docker.io/domdomegg/airtable-mcp-server:1.7.3",
        "io.github.domdomegg/time-mcp-pypi: uvx://time-mcp-pypi@1.0.6",
      ],
      remotes: ["io.github.getcyphrex/cyphrex-mcp: https://mcp.cyphrex.io/mcp"],
      older: ["io.github.domdomegg/airtable-mcp-server@1.7.2"],
      groups: [],
      skipped: ["io.github.domdomegg/time-mcp-nuget: packages of NuGet need .NET, for which no image is built here"],
    });
  });

  test("a file of them with members of ours: permissions, tools, sign-in", () => {
    const registry = read("toolhive-upstream.json");

    expect(summarize(registry)).toMatchObject({ skipped: [], remotes: [expect.stringContaining("api.example.com")] });
    expect(registry.servers).toHaveLength(3);
    expect(registry.lastUpdated).toBe("2026-04-10T00:50:30Z");
    expect(getEntry(registry, "agentql-mcp")).toMatchObject({
      tier: "Official",
      tags: expect.arrayContaining(["ai"]),
      permissions: { network: { outbound: { allow_host: ["api.agentql.com"] } } },
      provenance: { runner_environment: "github-hosted" },
      env_vars: [{ name: "AGENTQL_API_KEY", required: true, secret: true }],
    });
    expect(getEntry(registry, "apollo-mcp-server")).toMatchObject({ transport: "streamable-http", target_port: 5000 });
    expect(getEntry(registry, "arxiv-mcp-server")).toMatchObject({
      args: ["--storage-path", "/arxiv-papers"],
      env_vars: [{ name: "ARXIV_STORAGE_PATH", required: false, default: "/arxiv-papers" }],
    });
    expect(getEntry(registry, "example-remote")).toMatchObject({
      transport: "sse",
      headers: [
        { name: "Authorization", required: true, secret: true },
        { name: "X-API-Version", required: false },
      ],
      oauth_config: { issuer: "https://auth.example.com", client_id: "example-client" },
    });
  });

  test("our map with remote servers and groups", () => {
    expect(summarize(read("toolhive-map.json"))).toEqual({
      servers: [
        "agentql-mcp: ghcr.io/stacklok/dockyard/npx/agentql-mcp:1.0.1",
        "apollo-mcp-server: ghcr.io/apollographql/apollo-mcp-server:v1.12.0",
      ],
      remotes: ["example-remote: https://api.example.com/mcp"],
      older: [],
      groups: ["research: arxiv-mcp-server"],
      skipped: [],
    });
  });
});

describe("a server by name and version", () => {
  const registry = read("official-list.json");

  test.each([
    ["io.github.domdomegg/airtable-mcp-server", "1.7.3"],
    ["airtable-mcp-server", "1.7.3"],
    ["airtable-mcp-server@1.7.3", "1.7.3"],
    ["airtable-mcp-server@1.7.2", "1.7.2"],
    ["io.github.domdomegg/airtable-mcp-server@1.7.2", "1.7.2"],
  ])("%s is version %s", (text, version) => {
    expect(findEntry(registry, text)?.version).toBe(version);
  });

  test("says which versions there are, and why an entry cannot be used", () => {
    expect(() => findEntry(registry, "airtable-mcp-server@9")).toThrow(
      expect.objectContaining({ code: "REGISTRY_SERVER_NOT_FOUND", hint: "It has 1.7.3, 1.7.2." }),
    );
    expect(() => getEntry(registry, "time-mcp-nuget")).toThrow(
      expect.objectContaining({ hint: expect.stringContaining("NuGet") }),
    );
  });

  test("names the candidates of a last part that several have", () => {
    const entry = { description: "A server for tests.", version: "1.0.0" };
    const remotes = [{ type: "sse", url: "https://a.example/sse" }];
    const text = JSON.stringify(["com.one/fetch", "com.two/fetch"].map((name) => ({ ...entry, name, remotes })));

    expect(() => findEntry(parseRegistry(text, "x"), "fetch")).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENT", hint: "Give the whole name: com.one/fetch, com.two/fetch" }),
    );
  });

  test.each([
    `mcp/echo@sha256:${"a".repeat(64)}`,
    `echo@sha256:${"a".repeat(64)}`,
    "npx://@scope/name@1.2.3",
    "uvx://name@1.2.3",
    "mcp/everything",
    "mcp/everything@1.0.0",
    "ghcr.io/acme/weather",
    "everything:latest",
    "localhost:5000/everything",
    "https://mcp.example.com/mcp",
    "",
  ])("%s is not a name with a version", (text) => {
    expect(parseTarget(text).kind).not.toBe("entry");
  });
});
