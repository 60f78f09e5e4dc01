import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readOidcOptions } from "../access/oidc-options.ts";
import { startHttpsServer, TEST_CA } from "../registry/testing/https-server.ts";
import { TestIssuer } from "../testing/test-issuer.ts";
import { TokenVerifier } from "./token-verifier.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "issuer-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

describe("an issuer with a certificate that nobody else trusts", () => {
  test("is reached with its CA bundle, and refused without", async () => {
    await using server = await startHttpsServer((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end('{"keys":[]}');
    });
    const config = { JWKSURL: `${server.origin}/keys`, AllowPrivateIP: true };
    const CACertPath = await file("ca.pem", TEST_CA);

    const opened = await TokenVerifier.open(await readOidcOptions({ ...config, CACertPath }));
    const refused = TokenVerifier.open(await readOidcOptions(config));

    expect(opened.issuer).toBeUndefined();
    await expect(refused).rejects.toMatchObject({
      code: "ISSUER_UNAVAILABLE",
      message: expect.stringContaining("self-signed certificate"),
    });
  });

  test("needs a CA bundle that holds a certificate", async () => {
    const CACertPath = await file("not-a-ca.pem", "marker-of-a-file-that-is-something-else");

    const error = await readOidcOptions({ CACertPath }).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(String(error)).not.toContain("marker-of-a-file");
  });
});

describe("an issuer that asks for a token", () => {
  test("gets the one in the file, which is read anew each time", async () => {
    await using issuer = await TestIssuer.start();
    const AuthTokenFile = await file("token", "first\n");
    const options = await readOidcOptions({ Issuer: issuer.url, AuthTokenFile, AllowPrivateIP: true });

    await TokenVerifier.open(options);
    await file("token", "second\n");
    await TokenVerifier.open(options);

    expect(issuer.authorizations).toEqual(["Bearer first", "Bearer first", "Bearer second", "Bearer second"]);
  });

  test.each([
    ["two lines", "one\ntwo"],
    ["nothing", ""],
    ["something else", "-----BEGIN KEY-----"],
  ])("is not sent a file that holds %s, nor is that repeated", async (_what, text) => {
    const AuthTokenFile = await file("odd", text);

    const error = await readOidcOptions({ AuthTokenFile }).catch((thrown: unknown) => thrown);

    expect(String(error)).toContain("does not hold a bearer token");
    if (text !== "") expect(String(error)).not.toContain(text);
  });
});

describe("addresses of this machine and of private networks", () => {
  test.each([
    "https://127.0.0.1:1/",
    "https://[::1]:1/",
    "https://10.0.0.8/",
    "https://localhost:1/",
    "https://169.254.169.254/",
  ])("are not asked: %s", async (issuer) => {
    const opening = TokenVerifier.open(await readOidcOptions({ Issuer: issuer }));

    await expect(opening).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining("is at the private address"),
    });
  });
});

test("an issuer that gives its keys under their own media type only, as Kubernetes does, is understood", async () => {
  await using server = await startHttpsServer((request, response) => {
    const isAsked = request.headers.accept?.includes("application/jwk-set+json") === true;
    response.writeHead(isAsked ? 200 : 406, { "content-type": "application/jwk-set+json" }).end('{"keys":[]}');
  });
  const CACertPath = await file("ca-of-keys.pem", TEST_CA);
  const options = await readOidcOptions({ JWKSURL: `${server.origin}/keys`, AllowPrivateIP: true, CACertPath });

  await expect(TokenVerifier.open(options)).resolves.toBeInstanceOf(TokenVerifier);
});
