import { expect, test } from "vitest";
import { listSettingChanges } from "./setting-changes.ts";

const BASE = { image: "mcp/echo:1", env_vars: ["UNITS=metric"], tools: [], read_only: false };

test("the same settings have no changes, whatever is left empty", () => {
  expect(listSettingChanges(BASE, { image: "mcp/echo:1", env_vars: ["UNITS=metric"] })).toEqual([]);
});

test("names each member that differs, with its values where they are no secret", () => {
  const next = {
    image: "mcp/echo:2",
    env_vars: ["UNITS=imperial", "TOKEN=hunter2"],
    secrets: [{ name: "key", target: "KEY" }],
    labels: { team: "maps" },
    limits: { cpus: 1 },
    header_forward: { add_plaintext_headers: { Key: "hunter2" } },
  };

  const changes = listSettingChanges(BASE, next);

  expect(changes).toEqual([
    { member: "env_vars.TOKEN" },
    { member: "env_vars.UNITS" },
    { member: "header_forward" },
    { member: "image", before: "mcp/echo:1", after: "mcp/echo:2" },
    { member: "labels.team", after: "maps" },
    { member: "limits", after: '{"cpus":1}' },
    { member: "secrets.KEY", after: "key" },
  ]);
  expect(JSON.stringify(changes)).not.toContain("hunter2");
});
