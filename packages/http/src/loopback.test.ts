import { describe, expect, test } from "vitest";
import { isLoopback, isSecureUrl } from "./loopback.ts";

describe("isLoopback", () => {
  test.each([
    "localhost",
    "LocalHost",
    "127.0.0.1",
    "127.0.0.2",
    "127.255.255.254",
    "::1",
    "[::1]",
    "0:0:0:0:0:0:0:1",
    "::ffff:127.0.0.1",
    "[::ffff:7f00:2]",
  ])("%s is this machine", (host) => {
    expect(isLoopback(host)).toBe(true);
  });

  test.each([
    "",
    "0.0.0.0",
    "128.0.0.1",
    "10.0.0.1",
    "127.evil.example",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "::",
    "::2",
    "fe80::1",
    "::ffff:8.8.8.8",
    "[127.0.0.1",
  ])("%j is not", (host) => {
    expect(isLoopback(host)).toBe(false);
  });
});

test.each([
  ["https://example.com/", true],
  ["http://127.0.0.2:8080/", true],
  ["http://[::ffff:127.0.0.1]/", true],
  ["http://example.com/", false],
  ["ftp://127.0.0.1/", false],
])("%s is secure: %s", (url, expected) => {
  expect(isSecureUrl(new URL(url))).toBe(expected);
});
