import { resolveAccess } from "@toolhive/core";
import { describe, expect, test } from "vitest";
import { accessBody } from "./exported-access.ts";

const BODY = {
  oidc: {
    issuer: "https://login.example",
    audience: "weather",
    jwks_url: "https://login.example/keys",
    client_id: "thv",
    allow_opaque_tokens: true,
  },
  thv_ca_bundle: "/etc/ca.pem",
  jwks_auth_token_file: "/run/token",
  jwks_allow_private_ip: true,
};

describe("the access members of a create request", () => {
  test("come back from the run configuration that was made of them", async () => {
    expect(accessBody(await resolveAccess(BODY))).toEqual(BODY);
  });

  test("are none for a workload that everybody may use", () => {
    expect(accessBody({})).toEqual({});
  });
});
