import { describe, expect, test } from "vitest";
import { explainPackageFailure } from "./package-failure.ts";

const explain = (text: string, target = "npx://@nosuch-scope/nothing") =>
  explainPackageFailure(target, text.split("\n"));

describe("the last output of a package manager", () => {
  test.each([
    [
      "npm",
      `npm error code E404
npm error 404 Not Found - GET https://registry.example/@nosuch-scope%2fnothing - Not found
npm error 404
npm error 404  '@nosuch-scope/nothing@*' is not in this registry.
npm error A complete log of this run can be found in: /home/toolhive/.npm/_logs/debug-0.log`,
    ],
    [
      "uv",
      `× No solution found when resolving tool dependencies:
╰─▶ Because nosuch-package was not found in the package
registry and you require nosuch-package, we can conclude that your
requirements are unsatisfiable.`,
    ],
    [
      "go",
      "go: example.com/nosuch@latest: module example.com/nosuch: reading https://proxy.example/nosuch/@v/list: 404 Not Found",
    ],
    [
      "go, of a repository",
      "go: github.com/a/nosuch@latest: module github.com/a/nosuch: git ls-remote: remote: Repository not found.",
    ],
  ])("of %s that says that there is none is told as that", (_who, text) => {
    expect(explain(text)).toMatchObject({
      code: "BUILD_FAILED",
      message: "The package npx://@nosuch-scope/nothing was not found.",
      hint: expect.stringContaining("name"),
      detail: expect.stringContaining("Its last output: "),
    });
  });

  test.each([
    [
      "npm",
      `npm error code ETARGET
npm error notarget No matching version found for mcp-hello-world@99.99.99.`,
    ],
    [
      "uv",
      "× No solution found when resolving tool dependencies:\n╰─▶ Because there is no version of mcp-server-time==9999.1.1 and you require",
    ],
    ["go", "go: example.com/tool@v9.9.9: invalid version: unknown revision v9.9.9"],
    ["go, of a query", 'go: example.com/tool@v9: no matching versions for query "v9"'],
  ])("of %s that says that there is no such version is told as that", (_who, text) => {
    expect(explain(text)).toMatchObject({ code: "BUILD_FAILED", message: expect.stringContaining("no such version") });
  });

  test.each([
    ["npm", "npm error code SELF_SIGNED_CERT_IN_CHAIN\nnpm error request to https://registry.example/x failed"],
    ["npm", "npm error code UNABLE_TO_GET_ISSUER_CERT_LOCALLY"],
    ["npm", "npm error code UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
    [
      "uv",
      "error: Request failed after 3 retries\nCaused by: Failed to fetch: `https://x/simple/mcp/`\nCaused by: invalid peer certificate: UnknownIssuer",
    ],
    [
      "go",
      'go: example.com/x@latest: Get "https://proxy.example/x": tls: failed to verify certificate: x509: certificate signed by unknown authority',
    ],
  ])("of %s behind a proxy that opens TLS names the setting for its certificate", (_who, text) => {
    expect(explain(text)).toMatchObject({
      code: "BUILD_FAILED",
      message: expect.stringContaining("is not trusted"),
      hint: expect.stringContaining("thv config set-ca-cert"),
    });
  });

  test.each([
    ["a server that found nothing", "error: repository not found\n404 Not Found"],
    ["a server behind such a proxy", "Error: self-signed certificate in certificate chain"],
    ["a server that was used wrongly", "Usage: server [options]"],
    ["npm, of something else", "npm error code ENOSPC"],
    ["nobody", ""],
  ])("of %s is left as it is", (_who, text) => {
    expect(explain(text)).toBeUndefined();
  });
});
