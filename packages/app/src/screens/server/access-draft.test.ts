import { listSettingChanges } from "@toolhive/core/setting-changes";
import { describe, expect, it } from "vitest";
import type { CreateRequest } from "../pasted/source.ts";
import { toAccessDraft, toAccessRequest } from "./access-draft.ts";

const REQUEST: CreateRequest = {
  image: "example/server",
  oidc: { issuer: "https://login.example.com", jwks_url: "https://login.example.com/keys" },
  authz_config: "/etc/policies.json",
  audit_config: "/etc/audit.json",
};

describe("the form about access", () => {
  it("changes nothing when it is left as it was", () => {
    expect(listSettingChanges(REQUEST, toAccessRequest(REQUEST, toAccessDraft(REQUEST)))).toEqual([]);
  });

  it("takes away what is emptied, and keeps members that it does not show", () => {
    const changed = toAccessRequest(REQUEST, { issuer: "", audience: "mine", policies: " ", isAudited: false });
    expect(changed).toEqual({
      image: "example/server",
      oidc: { audience: "mine", jwks_url: "https://login.example.com/keys" },
    });
  });

  it("turns the audit on with its defaults", () => {
    const draft = { ...toAccessDraft({ image: "x" }), isAudited: true };
    expect(toAccessRequest({ image: "x" }, draft)).toEqual({ image: "x", enable_audit: true });
  });
});
