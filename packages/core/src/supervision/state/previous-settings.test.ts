import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { RunConfig } from "../../workload/run-config.ts";
import { RunConfigStore } from "../../workload/run-config-store.ts";
import { PreviousSettingsStore } from "./previous-settings.ts";

const BASE: RunConfig = {
  name: "first",
  container_name: "first",
  base_name: "first",
  image: "mcp/echo:1",
  cmd_args: ["--key", "sk-hunter2hunter2", "-v"],
  transport: "stdio",
  proxy_mode: "streamable-http",
  host: "127.0.0.1",
  port: 12_345,
  env_vars: { UNITS: "metric", API_TOKEN: "hunter2", KEPT_TOKEN: "hunter3" },
  desired_state: "running",
  created_at: "2026-11-20T12:00:00.000Z",
};

let state: string;
let runConfigs: RunConfigStore;
beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), "thv-previous-"));
  runConfigs = new RunConfigStore(state);
});
afterEach(() => rm(state, { recursive: true, force: true }));

const path = () => runConfigs.placePrevious("first");

test("the settings before a change are whole in memory, and no file has values that look secret and that the workload has no more", async () => {
  const after = { ...BASE, cmd_args: ["-q"], env_vars: { UNITS: "imperial", KEPT_TOKEN: "hunter3" }, port: 12_346 };
  const store = new PreviousSettingsStore(runConfigs);

  await store.save(BASE, after);

  expect(await store.find(after)).toMatchObject({ config: BASE, portAfter: 12_346, omitted: [] });
  const text = await readFile(path(), "utf8");
  expect(text).not.toContain("hunter2");
  expect((await stat(path())).mode & 0o777).toBe(0o600);
  expect(await new PreviousSettingsStore(runConfigs).find(after)).toMatchObject({
    config: { env_vars: { UNITS: "metric", KEPT_TOKEN: "hunter3" }, cmd_args: [] },
    omitted: ["env.API_TOKEN", "args"],
  });
});

test.each<[string, Partial<RunConfig>, string[]]>([
  ["arguments", { cmd_args: ["--units", "metric"] }, []],
  ["an argument with a key", { cmd_args: ["sk-hunter2hunter2"] }, ["args"]],
  ["a URL", { remote_url: "https://a.example.com/mcp?team=maps" }, []],
  ["a URL with a password", { remote_url: "https://me:hunter2@a.example.com/mcp" }, ["run"]],
  ["a URL with a token", { remote_url: "https://a.example.com/mcp?token=hunter2" }, ["run"]],
  ["a header", { header_forward: { add_plaintext_headers: { "X-Team": "maps" } } }, []],
  [
    "a header with a token",
    { header_forward: { add_plaintext_headers: { Authorization: "hunter2" } } },
    ["remote_forward_headers.Authorization"],
  ],
])("%s can be had back after a restart unless it looks secret", async (_what, members, omitted) => {
  const before = { ...BASE, cmd_args: [], ...members };
  await new PreviousSettingsStore(runConfigs).save(before, { ...BASE, cmd_args: ["-q"] });

  const found = await new PreviousSettingsStore(runConfigs).find(BASE);

  expect(found?.omitted).toEqual(omitted);
  if (omitted.length === 0) expect(found?.config).toEqual(before);
  expect(await readFile(path(), "utf8")).not.toMatch(
    /hunter2hunter2|me:hunter2|token=hunter2|"Authorization": "hunter2"/,
  );
});

test("those of another workload of the same name do not count, and go with the configuration", async () => {
  const store = new PreviousSettingsStore(runConfigs);
  await store.save(BASE, { ...BASE, image: "mcp/echo:2" });

  expect(await store.find({ ...BASE, created_at: "2026-11-21T12:00:00.000Z" })).toBeUndefined();

  await runConfigs.save(BASE);
  await runConfigs.delete("first");
  await expect(readFile(path())).rejects.toMatchObject({ code: "ENOENT" });
  store.retain(() => false);
  expect(await store.find(BASE)).toBeUndefined();
});

test.each(["", "{", "[]", '{"config":{}}', '{"config":null,"omitted":[]}'])(
  "a file with %j counts as none",
  async (text) => {
    const store = new PreviousSettingsStore(runConfigs);
    await store.save(BASE, { ...BASE, image: "mcp/echo:2" });
    await writeFile(path(), text);

    expect(await new PreviousSettingsStore(runConfigs).find(BASE)).toBeUndefined();
  },
);
