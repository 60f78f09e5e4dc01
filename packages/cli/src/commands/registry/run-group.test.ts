import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RegistryServer } from "@toolhive/core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ServedThv } from "../../testing/served-thv.ts";

let thv: ServedThv;
beforeEach(async () => {
  thv = await ServedThv.start();
});
afterEach(async () => {
  await thv[Symbol.asyncDispose]();
});

const entry = (members: Partial<RegistryServer> = {}): RegistryServer => ({
  name: "echo",
  image: "mcp/echo:1",
  description: "Says what it hears.",
  tier: "Community",
  status: "Active",
  transport: "stdio",
  tools: ["echo"],
  ...members,
});

/** The registry of the API and that of the supervisor are two in the simulated machine. */
async function offerGroup(...servers: readonly RegistryServer[]): Promise<void> {
  const file = join(thv.home, "registry.json");
  const members = Object.fromEntries(servers.map(({ name, ...rest }) => [name, rest]));
  const groups = [{ name: "travel", description: "What a journey needs.", servers: members }];
  const registry = { version: "1.0.0", last_updated: "2026-01-01T00:00:00Z", servers: {}, groups };
  await writeFile(file, JSON.stringify(registry));
  await thv.served.send("PUT", "/api/v1beta/registry/default", { body: JSON.stringify({ local_path: file }) });
  for (const server of servers) thv.served.world.registry.set(server.name, server);
}

const names = () => thv.served.supervisor.list().map(({ name }) => name);

test("puts its servers into one group, and says which did not start", async () => {
  const variable = { name: "TOKEN", description: "Token of the service.", required: true, secret: true };
  await offerGroup(
    entry({ name: "maps" }),
    entry({ name: "trains", env_vars: [variable] }),
    entry({ name: "weather" }),
  );

  const { code, stderr } = await thv.call(["registry", "run-group", "travel"]);

  expect(code).toBe(2);
  expect(names()).toEqual(["maps", "weather"]);
  expect(stderr).toContain('Warning: trains: "trains" cannot start without TOKEN');
  expect(stderr).toContain("Error: 1 of 3 servers were not started: trains");
  expect(stderr).toContain("thv run trains --group travel");
  const groups = JSON.parse((await thv.call(["group", "list", "--format", "json"])).stdout);
  const travel = groups.find(({ name }: { name: string }) => name === "travel");
  expect(travel.workloads.map(({ name }: { name: string }) => name)).toEqual(["maps", "weather"]);
});

test("uses a group that is there, and another one that is named", async () => {
  await offerGroup(entry({ name: "maps" }));
  await thv.call(["group", "create", "work"]);

  const { code, stderr } = await thv.call(["registry", "run-group", "default/travel", "--group", "work"]);

  expect([code, names()]).toEqual([0, ["maps"]]);
  expect(stderr).toContain("The one server of travel is in the group work.");
});

test("says which group was meant", async () => {
  await offerGroup(entry({ name: "maps" }));

  expect(await thv.call(["registry", "run-group", "travl"])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("Did you mean: thv registry run-group travel"),
  });
  expect(names()).toEqual([]);
});
