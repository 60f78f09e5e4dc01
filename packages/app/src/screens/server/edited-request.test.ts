import { listSettingChanges } from "@toolhive/core/setting-changes";
import { describe, expect, it } from "vitest";
import { toDraft, toEdited } from "../add/draft.ts";
import type { CreateRequest } from "../pasted/source.ts";

const REQUEST: CreateRequest = {
  image: "example/server:1",
  name: "server",
  transport: "streamable-http",
  target_port: 8080,
  cmd_arguments: ["--level", "high"],
  env_vars: ["PLAIN=1", "EQUALS=a=b", "EMPTY="],
  secrets: [{ name: "stored", target: "TOKEN" }],
  volumes: ["/here:/there:ro"],
  network_isolation: true,
  permission_profile: {
    read: ["/data"],
    network: { outbound: { insecure_allow_all: false, allow_host: ["api.example.com"], allow_port: [443] } },
  },
  limits: { cpus: 1 },
};

describe("changing a server's settings", () => {
  it("changes nothing when the form is left as it was", () => {
    expect(listSettingChanges(REQUEST, toEdited(REQUEST, toDraft(REQUEST)))).toEqual([]);
  });

  it("takes away what the form does not have any more, and keeps what it does not show", () => {
    const draft = { ...toDraft(REQUEST), args: "", volumes: "", secrets: [] };
    const edited = toEdited(REQUEST, draft);
    expect(edited.limits).toEqual({ cpus: 1 });
    expect(edited.permission_profile?.read).toEqual(["/data"]);
    expect(listSettingChanges(REQUEST, edited).map(({ member }) => member)).toEqual([
      "cmd_arguments",
      "secrets.TOKEN",
      "volumes./there",
    ]);
  });

  it("says what a member was and will be", () => {
    const edited = toEdited(REQUEST, { ...toDraft(REQUEST), args: "--level\nlow" });
    expect(listSettingChanges(REQUEST, edited)).toEqual([
      { member: "cmd_arguments", kind: "changed", before: '["--level","high"]', after: '["--level","low"]' },
    ]);
  });

  it("does not care about the order of members", () => {
    const other = { ...REQUEST, permission_profile: { network: REQUEST.permission_profile?.network, read: ["/data"] } };
    expect(listSettingChanges(REQUEST, other as CreateRequest)).toEqual([]);
  });
});
