import { expect, test } from "vitest";
import { createEngineError, createImageNotFoundError, createPullError } from "./engine-failures.ts";

test.each(["gihtub", "mcp-fetch", "server.v2"])(
  "the hint for %s, which may be a server's name, is a search",
  (name) => {
    expect(createImageNotFoundError(name, "no such host").hint).toContain(`thv search ${name}`);
  },
);

test.each(["mcp/fetch", "fetch:latest", "ghcr.io/a/b:1", "fetch@sha256:00"])(
  "the hint for %s, which is an image's name, is about images",
  (name) => {
    expect(createImageNotFoundError(name, "no such host").hint).toMatch(/^Check the name and the tag, /);
  },
);

test.each([
  'Get "https://registry-1.docker.io/v2/": dial tcp: lookup registry-1.docker.io on 10.0.0.1:53: no such host',
  "dial tcp 127.0.0.1:1: connect: connection refused",
  'Get "https://ghcr.io/v2/": net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)',
  "initializing source docker://mcp/fetch:latest: pinging container registry docker.io: dial tcp: lookup docker.io: Temporary failure in name resolution",
  'Get "https://ghcr.io/v2/": x509: certificate signed by unknown authority',
])("a pull that ends in %j has not reached the image registry", (reason) => {
  expect(createPullError("mcp/fetch", reason)).toMatchObject({ code: "IMAGE_REGISTRY_UNREACHABLE", exitCode: 21 });
});

test.each([
  "manifest for mcp/fetch:nope not found: manifest unknown: manifest unknown",
  "pull access denied for mcp/fetch, repository does not exist or may require 'docker login': denied: requested access to the resource is denied",
  "reading manifest nope in docker.io/mcp/fetch: unauthorized: authentication required",
])("a pull that ends in %j has asked it", (reason) => {
  expect(createPullError("mcp/fetch", reason)).toMatchObject({ code: "IMAGE_NOT_FOUND", exitCode: 3 });
});

test.each([
  "failed to register layer: Error processing tar file(exit status 1): write /app/big: no space left on device",
  'writing blob: adding layer with blob "sha256:00": processing tar file(write /app/big: no space left on device): exit status 1',
  "write /var/lib/docker/tmp/GetImageBlob1: disk quota exceeded",
])("a pull that ends in %j found the engine's disk full, and the name of the image is not to blame", (reason) => {
  const error = createPullError("mcp/fetch", reason);
  expect(error).toMatchObject({ code: "ENGINE_FAILED", exitCode: 6, message: expect.stringContaining('"mcp/fetch"') });
  expect(error.message).toContain(reason);
  expect(error.hint).toContain("system prune");
});

test("a call that ends because the engine's disk is full says how to free some", () => {
  const error = createEngineError(new Error("mkdir /var/lib/docker/overlay2/1: no space left on device"));
  expect(error).toMatchObject({ code: "ENGINE_FAILED", hint: expect.stringContaining("system prune") });
});

test("a name that could be a package's has a hint how packages are written", () => {
  const { hint } = createPullError("mcp-server-git", "pull access denied for mcp-server-git");

  expect(hint).toContain("npx://mcp-server-git or uvx://mcp-server-git");
});
