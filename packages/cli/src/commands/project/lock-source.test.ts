/** The lock names the registry source of an entry, so that a machine with other sources does not run another one of that name. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ConfigFile } from "@toolhive/core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ServedThv } from "../../testing/served-thv.ts";

let thv: ServedThv;
beforeEach(async () => {
  thv = await ServedThv.start();
});
afterEach(async () => {
  await thv[Symbol.asyncDispose]();
});

/** What the registry of the simulated machine has under a name, and of which source that is. */
function setEntry(reference: string, source: string): void {
  const { world } = thv.served;
  const entry = { image: "mcp/echo:1", description: "Tells the weather.", transport: "stdio" as const, tools: [] };
  world.registry.set(reference, { name: "forecast", tier: "Community", status: "Active", ...entry });
  world.origins.set(reference, { name: source, location: `https://${source}.example.com/registry.json` });
}

test("an entry of a further source is locked with it, and another source's entry of that name is refused", async () => {
  const file = join(thv.home, "thv.yaml");
  await writeFile(file, "servers:\n  first: { run: forecast }\n");
  const up = async (...more: readonly string[]) => await thv.call(["up", "--file", file, ...more]);
  setEntry("forecast", "team");

  const created = await up("--yes");
  expect(created.code, created.stderr).toBe(0);
  expect(JSON.parse(await readFile(join(thv.home, "thv.lock"), "utf8"))).toMatchObject({
    servers: {
      first: { run: "forecast", registry_source: { name: "team", url: "https://team.example.com/registry.json" } },
    },
  });
  expect((await up("--check")).code).toBe(0);
  await thv.call(["down", "--file", file]);
  setEntry("forecast", "other");
  setEntry("team/forecast", "team");

  const refused = await up("--yes");
  expect(refused).toMatchObject({
    code: expect.any(Number),
    stderr: expect.stringContaining('of "other" (https://other.example.com/registry.json), but the lock file'),
  });
  expect(refused.stderr).toContain("run: SOURCE/forecast");
  await writeFile(file, "servers:\n  first: { run: team/forecast }\n");
  const named = await up("--yes");
  expect(named.code, named.stderr).toBe(0);
});

test("an entry is looked up in the source that the lock records, where this machine has that one", async () => {
  const file = join(thv.home, "thv.yaml");
  await writeFile(file, "servers:\n  first: { run: forecast }\n");
  setEntry("forecast", "team");
  await thv.call(["up", "--yes", "--file", file]);
  await thv.call(["down", "--file", file]);
  const lock = await readFile(join(thv.home, "thv.lock"), "utf8");
  const list = join(thv.home, "team.json");
  await writeFile(list, JSON.stringify({ version: "1.0.0", last_updated: "2026-01-01T00:00:00Z", servers: {} }));
  const sources = [{ name: "team", url: list }];
  await new ConfigFile(thv.served.home).update((old) => ({ ...old, registry_sources: sources }));
  setEntry("forecast", "other");
  setEntry("team/forecast", "team");

  const up = await thv.call(["up", "--yes", "--file", file]);

  expect(up.code, up.stderr).toBe(0);
  expect(await readFile(join(thv.home, "thv.lock"), "utf8")).toBe(lock);
  expect((await thv.call(["up", "--check", "--file", file])).code).toBe(0);
});

test("an export says which source a server is from, without the sign-in of its address", async () => {
  setEntry("forecast", "team");
  thv.served.world.origins.set("forecast", { name: "team", location: "https://me:hunter2@team.example.com/r.json" });
  await thv.call(["run", "forecast", "--yes"]);
  const file = join(thv.home, "set.yaml");

  const exported = await thv.call(["export", "--all", file]);

  const said = 'forecast: registry source: it is from "team" (https://team.example.com/r.json)';
  expect(exported.code, exported.stderr).toBe(0);
  expect(exported.stdout + exported.stderr).toContain(said);
  const text = await readFile(file, "utf8");
  expect(text).toContain(
    `#   ${said}; a server of this file gets no upgrades from there: for these, write run: team/NAME`,
  );
  expect(text).not.toContain("hunter2");
});
