import { expect, test } from "vitest";
import { createImageNotFoundError, createPullError } from "./engine-failures.ts";

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
