import { describe, expect, test } from "vitest";
import { findRefusal } from "./allowed-callers.ts";

const RULES = { siteUrl: "https://docs.example.org", hosts: ["intranet.example.org"] };

describe("lets in", () => {
  test.each([
    ["a program", { host: "docs.example.org" }],
    ["a program on this machine", { host: "localhost:3000" }],
    ["a program that knows the number", { host: "192.168.1.5:3000" }],
    ["a program under another name that was allowed", { host: "intranet.example.org" }],
    ["the Inspector, which is a page of this machine", { host: "localhost:3000", origin: "http://localhost:6274" }],
    ["the Inspector at the public site", { host: "docs.example.org", origin: "http://127.0.0.1:6274" }],
    ["a client that is a web page", { host: "docs.example.org", origin: "https://chat.example.com" }],
    ["the site's own pages", { host: "docs.example.org", origin: "https://docs.example.org" }],
    ["the number in IPv6", { host: "[::1]:3000", origin: "http://[::1]:3000" }],
  ])("%s", (_who, headers) => {
    expect(findRefusal(headers, RULES)).toBeUndefined();
  });
});

describe("keeps out", () => {
  test.each([
    [
      "a page that has a name of its own for this machine",
      { host: "evil.example:3000", origin: "http://evil.example:3000" },
      "evil.example",
    ],
    ["the same without an origin", { host: "evil.example:3000" }, "MCP_HOSTS"],
    [
      "a web page that asks a site on its reader's machine",
      { host: "localhost:3000", origin: "https://evil.example" },
      "https://evil.example",
    ],
    ["a page without encryption", { host: "docs.example.org", origin: "http://evil.example" }, "http://evil.example"],
    ["a frame without an origin", { host: "docs.example.org", origin: "null" }, '"null"'],
    ["a page of a file", { host: "docs.example.org", origin: "file://" }, "file://"],
    ["a request without a host", {}, "MCP_HOSTS"],
    ["a host that is none", { host: "a b" }, "MCP_HOSTS"],
  ])("%s", (_who, headers, named) => {
    expect(findRefusal(headers, RULES)).toContain(named);
  });
});
