import { describe, expect, test } from "vitest";
import { pickAccess } from "./access-config.ts";
import { resolveAccess } from "./access-request.ts";

describe("a request for token checks", () => {
  test("is kept with the names of the run configuration", async () => {
    const access = await resolveAccess({
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
    });

    expect(access).toEqual({
      oidc_config: {
        Issuer: "https://login.example",
        Audience: "weather",
        JWKSURL: "https://login.example/keys",
        ClientID: "thv",
        AllowOpaqueTokens: true,
        CACertPath: "/etc/ca.pem",
        AuthTokenFile: "/run/token",
        AllowPrivateIP: true,
      },
    });
    expect(pickAccess({ ...access })).toEqual(access);
  });

  test.each([{}, { oidc: {} }, { oidc: { issuer: "", allow_opaque_tokens: false } }, { jwks_allow_private_ip: true }])(
    "is none when nothing is set: %j",
    async (request) => {
      const access = await resolveAccess(request);

      expect(access).toEqual({});
      expect(pickAccess(access)).toBeUndefined();
    },
  );

  test("needs no file for an audit of everything without content, and audits nothing unless it is asked to", async () => {
    expect(await resolveAccess({ enable_audit: true })).toEqual({ audit_config: {} });
    expect(await resolveAccess({ enable_audit: false })).toEqual({});
    expect(await resolveAccess({ enable_audit: true, audit_config: '{"max_data_size":9}' })).toMatchObject({
      audit_config: { max_data_size: 9 },
    });
  });

  test.each([{ audience: "weather" }, { client_id: "thv" }, { allow_opaque_tokens: true }])(
    "is refused when nobody could check a token: %j",
    async (oidc) => {
      await expect(resolveAccess({ oidc })).rejects.toMatchObject({
        code: "INVALID_ARGUMENT",
        message: "oidc needs issuer or jwks_url, and has neither",
      });
    },
  );

  test("is refused with all of its problems", async () => {
    const request = { oidc: { audience: "x" }, thv_ca_bundle: "ca.pem", jwks_auth_token_file: "token" };

    await expect(resolveAccess(request)).rejects.toMatchObject({
      message:
        'the CA bundle "ca.pem" is not an absolute path; the token file "token" is not an absolute path; oidc needs issuer or jwks_url, and has neither',
    });
  });
});
