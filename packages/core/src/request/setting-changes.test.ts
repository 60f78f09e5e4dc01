import { expect, test } from "vitest";
import { describeSettingChange, listSettingChanges } from "./setting-changes.ts";

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
    { member: "env_vars.TOKEN", kind: "added" },
    { member: "env_vars.UNITS", kind: "changed" },
    { member: "header_forward.add_plaintext_headers.Key", kind: "added" },
    { member: "image", kind: "changed", before: "mcp/echo:1", after: "mcp/echo:2" },
    { member: "labels.team", kind: "added", after: "maps" },
    { member: "limits.cpus", kind: "added", after: "1" },
    { member: "secrets.KEY", kind: "added", after: "key" },
  ]);
  expect(JSON.stringify(changes)).not.toContain("hunter2");
});

test("an order of members makes no difference", () => {
  const profile = (network: object, read: string[]) => ({ network, read });
  const before = { image: "a", permission_profile: { read: ["/a"], network: {} } };
  const after = { image: "a", permission_profile: profile({}, ["/a"]) };

  expect(listSettingChanges(before, after)).toEqual([]);
});

test("a difference is a line in the words of the project file", () => {
  const before = {
    image: "a",
    env_vars: ["GONE=1", "KEPT=1"],
    volumes: ["/x:/data"],
    limits: { memory_bytes: 2 ** 31 },
  };
  const after = {
    image: "b",
    env_vars: ["KEPT=2", "NEW=1"],
    volumes: ["/y:/data:ro"],
    limits: { memory_bytes: 512 * 1024 * 1024, pids: 10 },
    header_forward: { add_headers_from_secret: { "X-Key": "stored" } },
    sleep_after_seconds: 90,
    host: "0.0.0.0",
    cmd_arguments: ["-v"],
    oidc: { issuer: "https://a.example" },
    authz_config: "{}",
    oauth_config: { client_id: "me" },
  };

  expect(listSettingChanges(before, after).map(describeSettingChange)).toEqual([
    "access.authz_config: (not set) → {}",
    'args: (not set) → ["-v"]',
    "env.GONE is removed",
    "env.KEPT has a different value",
    "env.NEW is added",
    "remote_forward_headers_secret.X-Key is added",
    "host: (not set) → 0.0.0.0",
    "image: a → b",
    "memory: 2g → 512m",
    "pids_limit: (not set) → 10",
    "remote_auth.client_id is added",
    "access.oidc.issuer: (not set) → https://a.example",
    "sleep_after: (not set) → 1m30s",
    "volumes./data: /x:/data → /y:/data:ro",
  ]);
});
