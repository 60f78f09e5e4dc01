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
      "uv 0.13",
      "error: No solution found when resolving dependencies\n  cause: Because nosuch-package was not found in the package registry and you require nosuch-package, we can conclude that your requirements are unsatisfiable.",
    ],
    [
      "go",
      "go: example.com/nosuch@latest: module example.com/nosuch: reading https://proxy.example/nosuch/@v/list: 404 Not Found",
    ],
    [
      "go, of a repository",
      "go: github.com/a/nosuch@latest: module github.com/a/nosuch: git ls-remote: remote: Repository not found.",
    ],
  ])("of %s for a package that does not exist becomes PACKAGE_NOT_FOUND", (_who, text) => {
    expect(explain(text)).toMatchObject({
      code: "PACKAGE_NOT_FOUND",
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
    [
      "uv 0.13",
      "error: No solution found when resolving dependencies\ncause: Because there is no version of mcp-server-time==9999.1.1 and you require mcp-server-time==9999.1.1, we can conclude",
    ],
    ["go", "go: example.com/tool@v9.9.9: invalid version: unknown revision v9.9.9"],
    ["go, of a query", 'go: example.com/tool@v9: no matching versions for query "v9"'],
  ])("of %s for a version that does not exist becomes PACKAGE_NOT_FOUND with the version", (_who, text) => {
    expect(explain(text)).toMatchObject({
      code: "PACKAGE_NOT_FOUND",
      message: expect.stringContaining("no such version"),
    });
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
      "uv 0.13",
      "error: Failed to fetch: https://x/simple/mcp/\ncause: error sending request for url (https://x/simple/mcp/)\ncause: client error (Connect)\ncause: invalid peer certificate: UnknownIssuer",
    ],
    [
      "go",
      'go: example.com/x@latest: Get "https://proxy.example/x": tls: failed to verify certificate: x509: certificate signed by unknown authority',
    ],
  ])("of %s behind a proxy that opens TLS names the setting for its certificate", (_who, text) => {
    expect(explain(text)).toMatchObject({
      code: "PACKAGE_REGISTRY_UNREACHABLE",
      message: expect.stringContaining("is not trusted"),
      hint: expect.stringContaining("thv config set-ca-cert"),
    });
  });

  test.each([
    [
      "npm",
      "npm error code EAI_AGAIN\nnpm error syscall getaddrinfo\nnpm error request to https://registry.example/x failed",
    ],
    [
      "npm",
      "npm error code ENOTFOUND\nnpm error network request to https://registry.example/x failed, reason: getaddrinfo",
    ],
    ["npm", "npm error code ECONNREFUSED"],
    [
      "uv",
      "error: Request failed after 3 retries\nCaused by: Failed to fetch: `https://x/simple/mcp/`\nCaused by: error sending request for url (https://x/simple/mcp/)\nCaused by: client error (Connect)\nCaused by: dns error: failed to lookup address information: Name or service not known",
    ],
    ["pip", "ERROR: Could not install packages due to an OSError: temporary failure in name resolution"],
    ["go", 'go: example.com/x@latest: Get "https://proxy.example/x": dial tcp 10.0.0.1:443: i/o timeout'],
    ["go", 'go: example.com/x@latest: Get "https://proxy.example/x": dial tcp: lookup proxy.example: no such host'],
  ])("of %s without a network says so", (_who, text) => {
    expect(explain(text)).toMatchObject({
      code: "PACKAGE_REGISTRY_UNREACHABLE",
      message: expect.stringContaining("cannot be reached"),
    });
  });

  test.each([
    [
      "npm",
      "npm error code E403\nnpm error 403 403 Forbidden - GET https://registry.example/mcp-hello-world\nnpm error 403 In most cases, you or one of your dependencies are requesting a package version that is forbidden by your security policy, or on a server you do not have access to.",
    ],
    [
      "uv",
      "error: Request failed after 3 retries\nCaused by: Failed to fetch: `https://x/simple/mcp/`\nCaused by: error sending request for url\nCaused by: tunnel error: unsuccessful",
    ],
  ])("of %s in network isolation names it", (_who, text) => {
    expect(explain(text)).toMatchObject({
      code: "PACKAGE_REGISTRY_UNREACHABLE",
      message: expect.stringContaining("network isolation"),
    });
  });

  test("of a script that npm runs names the script, also when a website is missing to it", () => {
    const text = `npm error code 1
npm error path /opt/toolhive/node_modules/@playwright/browser-chromium
npm error command failed
npm error command sh -c node install.js
npm error Error: getaddrinfo ENOTFOUND cdn.playwright.dev`;

    expect(explain(text)).toMatchObject({
      code: "BUILD_FAILED",
      message: expect.stringContaining("a script of it, or of a package that it needs, failed"),
    });
  });

  test("of git that npm runs stays a failure of the connection", () => {
    const text = `npm error code 128
npm error An unknown git error occurred
npm error command git --no-replace-objects ls-remote https://git.example/x.git
npm error fatal: unable to access: getaddrinfo ENOTFOUND git.example`;

    expect(explain(text)).toMatchObject({ code: "PACKAGE_REGISTRY_UNREACHABLE" });
  });

  test.each([["toolhive: the programs of the package are echo,other", "npx://@acme/many@1#echo"]])(
    "of our installer, %s, says how to name a program",
    (text, named) => {
      expect(explain(text, "npx://@acme/many@1#nope")).toMatchObject({
        code: "BUILD_FAILED",
        message: expect.stringMatching(/which of them .*: echo, other\.$/),
        hint: `Name its program: thv run '${named}'`,
      });
    },
  );

  test("of uv that wants another program says how thv writes it", () => {
    const text = `Installed 72 packages in 1.20s
An executable named \`office-word-mcp-server\` is not provided by package \`office-word-mcp-server\`.
The following executables are available:
- word_mcp_server

Use \`uvx --from office-word-mcp-server word_mcp_server\` instead.`;

    expect(explain(text, "uvx://office-word-mcp-server")).toMatchObject({
      code: "BUILD_FAILED",
      message: "The package uvx://office-word-mcp-server has no program of its own name.",
      hint: "Name its program: thv run 'uvx://office-word-mcp-server#word_mcp_server'",
    });
  });

  test.each([
    ["npm", "npm error could not determine executable to run", "no program"],
    ["our installer", "toolhive: the package has no program", "no program"],
    [
      "npm",
      "npm error code 1\nnpm error path /opt/node_modules/keytar\nnpm error command failed\nnpm error command sh -c prebuild-install",
      "a script",
    ],
    ["uv", "  × Failed to build `pyodbc==5.1.0`\n  ├─▶ The build backend returned an error", "a script"],
    ["pip", "error: subprocess-exited-with-error\n× Building wheel did not run successfully", "a script"],
    [
      "uv",
      "× No solution found when resolving tool dependencies:\n╰─▶ Because the current Python version (3.12.1) does not satisfy Python>=3.13",
      "fit together",
    ],
    ["go", "go: go.mod requires go >= 1.99 (running go 1.26.8; GOTOOLCHAIN=local)", "fit together"],
    ["npm", "npm error code E401\nnpm error Incorrect or missing password.", "sign-in"],
  ])("of %s that says why it cannot install is called that", (_who, text, said) => {
    expect(explain(text)?.message).toContain(said);
  });

  test.each([
    ["a server that found nothing", "error: repository not found\n404 Not Found"],
    ["a server behind such a proxy", "Error: self-signed certificate in certificate chain"],
    ["a server that cannot reach its database", "error: Failed to connect to the database: connect ECONNREFUSED"],
    ["a server whose website is away", "ERROR: Could not reach api.example: getaddrinfo EAI_AGAIN"],
    ["a server that was used wrongly", "Usage: server [options]"],
    ["npm, of something else", "npm error code ENOSPC"],
    ["nobody", ""],
  ])("of %s is left as it is", (_who, text) => {
    expect(explain(text)).toBeUndefined();
  });
});
