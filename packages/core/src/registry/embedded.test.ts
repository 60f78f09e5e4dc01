import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseEmbeddedRegistry } from "./embedded.ts";
import { findEntry } from "./find-server.ts";
import { listRegistryProblems } from "./map-problems.ts";

describe("the embedded registry", () => {
  test("is what the schema asks for", () => {
    const text = readFileSync(new URL("embedded-registry.json", import.meta.url), "utf8");

    expect(listRegistryProblems(JSON.parse(text))).toEqual([]);
  });

  test("lists the 29 servers by name, with the counts of the reference", () => {
    const { servers, version, lastUpdated } = parseEmbeddedRegistry();

    const names = servers.map(({ name }) => name);
    const count = (transport: string) => servers.filter((server) => server.transport === transport).length;
    expect(names).toHaveLength(29);
    expect(names).toEqual([...names].sort());
    expect([count("stdio"), count("sse"), count("streamable-http")]).toEqual([19, 8, 2]);
    expect(servers.filter(({ tier }) => tier === "Official")).toHaveLength(15);
    expect(servers.filter(({ provenance }) => provenance).map(({ name }) => name)).toEqual([
      "fetch",
      "github",
      "k8s",
      "oci-registry",
      "osv",
    ]);
    expect({ version, lastUpdated }).toEqual({ version: "1.0.0", lastUpdated: "2025-07-17T00:23:12Z" });
  });

  test("holds the facts that a start depends on", () => {
    const registry = parseEmbeddedRegistry();

    expect(findEntry(registry, "netbird")).toMatchObject({
      image: "aantti/mcp-netbird:latest",
      transport: "sse",
      target_port: 8001,
      args: ["--transport", "sse", "--sse-address", ":8001"],
    });
    expect(findEntry(registry, "github")?.env_vars).toContainEqual(
      expect.objectContaining({ name: "GITHUB_PERSONAL_ACCESS_TOKEN", required: true, secret: true }),
    );
    expect(findEntry(registry, "aws-cost-analysis")?.env_vars).toContainEqual(
      expect.objectContaining({ name: "AWS_REGION", default: "us-east-1", required: false }),
    );
  });

  test("describes every server in words of its own", () => {
    const descriptions = parseEmbeddedRegistry().servers.map(({ description }) => description);

    expect(new Set(descriptions).size).toBe(descriptions.length);
  });
});
