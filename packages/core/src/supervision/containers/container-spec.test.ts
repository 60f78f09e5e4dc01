import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { RunConfig } from "../../workload/run-config.ts";
import { buildContainerSpec } from "./container-spec.ts";

const PAGE = new URL("../../../../../website/docs/toolhive/guides-cli/custom-permissions.mdx", import.meta.url);

const CONFIG = {
  ...{ name: "a", container_name: "a", base_name: "a", image: "mcp/echo:1", proxy_mode: "sse" },
  ...{ host: "127.0.0.1", port: 4000, target_port: 5000, env_vars: { MINE: "1" }, desired_state: "running" },
  created_at: "2026-01-01T00:00:00Z",
} as const;

function listVariables(transport: RunConfig["transport"], sidecarId?: string): string[] {
  const config = { ...CONFIG, cmd_args: [], transport } as RunConfig;
  return Object.keys(buildContainerSpec(config, { secrets: { KEY: "2" }, instanceId: "i", sidecarId }).env);
}

test("a server gets its own variables and those that the guide to permissions names", () => {
  const lines = readFileSync(PAGE, "utf8").split("\n");
  const row = lines.find((line) => line.startsWith("| Environment variables |")) ?? "";
  const named = [...row.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name);

  expect(listVariables("stdio")).toEqual(["MINE", "KEY", "MCP_TRANSPORT"]);
  expect(listVariables("sse").slice(2).sort()).toEqual([...named].sort());
  const proxies = listVariables("sse", "sidecar").filter((name) => !listVariables("sse").includes(name));
  expect(proxies.every((name) => name.toUpperCase().endsWith("_PROXY"))).toBe(true);
  expect(row).toContain("proxy variables");
});

test("a server has the files and folders that were given to it, and no others", () => {
  const listMounts = (given: Partial<RunConfig>) =>
    buildContainerSpec({ ...CONFIG, cmd_args: [], transport: "stdio", ...given } as RunConfig, {
      ...{ secrets: {}, instanceId: "i", sidecarId: "sidecar" },
      user: { id: "7:7", groups: [], description: "", warnings: [] },
    }).mounts?.map(({ source, target }) => [source, target]);

  expect(listMounts({})).toEqual([]);
  expect(listMounts({ permission_profile: { name: "network" } })).toEqual([]);
  expect(listMounts({ permission_profile: { read: ["/r:/a"], write: ["/w:/b"] }, volumes: ["/v:/c:ro"] })).toEqual([
    ["/r", "/a"],
    ["/w", "/b"],
    ["/v", "/c"],
  ]);
});

test("a server has a port of its own where it speaks HTTP, and none on stdio", () => {
  const specFor = (transport: RunConfig["transport"]) =>
    buildContainerSpec({ ...CONFIG, cmd_args: [], transport } as RunConfig, {
      ...{ secrets: {}, instanceId: "i", sidecarId: undefined },
    });

  expect(specFor("streamable-http")).toMatchObject({ publish: 5000 });
  expect(specFor("sse")).toMatchObject({ publish: 5000 });
  expect(specFor("stdio")).not.toHaveProperty("publish");
});

test("a user whom the image does not know gets a home, unless the server has one already", () => {
  const config = { ...CONFIG, cmd_args: [], transport: "stdio" } as RunConfig;
  const specFor = (id: string | undefined, env_vars: Record<string, string> = {}) =>
    buildContainerSpec(
      { ...config, env_vars },
      {
        secrets: {},
        instanceId: "i",
        sidecarId: undefined,
        user: { ...(id !== undefined && { id }), groups: [], description: "", warnings: [] },
      },
    );

  expect(specFor("7:7")).toMatchObject({ user: "7:7", scratch: "/thv-home", env: { HOME: "/thv-home" } });
  expect(specFor("7:7", { HOME: "/data" }).env).toMatchObject({ HOME: "/data" });
  expect(specFor("0:0")).not.toHaveProperty("scratch");
  expect(specFor(undefined)).not.toHaveProperty("user");
});
