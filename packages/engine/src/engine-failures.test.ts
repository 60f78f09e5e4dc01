import { expect, test } from "vitest";
import { imageNotFound } from "./engine-failures.ts";

test.each(["gihtub", "mcp-fetch", "server.v2"])(
  "the hint for %s, which may be a server's name, is a search",
  (name) => {
    expect(imageNotFound(name, "no such host").hint).toContain(`thv search ${name}`);
  },
);

test.each(["mcp/fetch", "fetch:latest", "ghcr.io/a/b:1", "fetch@sha256:00"])(
  "the hint for %s, which is an image's name, is about images",
  (name) => {
    expect(imageNotFound(name, "no such host").hint).toMatch(/^Check the name and the tag, /);
  },
);
