import { expect, test } from "vitest";
import { formatLocalAuthority, formatUrlHost, normalizeHost, parseAuthority } from "./authority.ts";

test.each([
  ["Example.COM", { name: "example.com", port: undefined }],
  ["127.0.0.1:8080", { name: "127.0.0.1", port: 8080 }],
  ["[::1]:4000", { name: "::1", port: 4000 }],
  ["[FD00::5]", { name: "fd00::5", port: undefined }],
  ["", undefined],
  ["::1", undefined],
  ["user@host", undefined],
  ["host/path", undefined],
  ["host:port", undefined],
  ["host:123456", undefined],
])("the authority %j", (text, expected) => {
  expect(parseAuthority(text)).toEqual(expected);
});

test.each([
  ["127.0.0.1", "127.0.0.1", "127.0.0.1"],
  ["LocalHost", "localhost", "LocalHost"],
  ["::1", "::1", "[::1]"],
  ["[::1]", "::1", "[::1]"],
  ["0:0:0:0:0:0:0:1", "::1", "[::1]"],
  ["FD00::0005", "fd00::5", "[fd00::5]"],
  ["fe80::1%eth0", "fe80::1%eth0", "[fe80::1%eth0]"],
])("the host %s is %s for programs, and %s in a URL", (host, bare, inUrl) => {
  expect(normalizeHost(host)).toBe(bare);
  expect(formatUrlHost(host)).toBe(inUrl);
});

test.each([
  ["127.0.0.1", "127.0.0.1:4000"],
  ["0.0.0.0", "127.0.0.1:4000"],
  ["box.lan", "box.lan:4000"],
  ["constructor", "constructor:4000"],
  ["::", "[::1]:4000"],
  ["0::0", "[::1]:4000"],
  ["fd00::5", "[fd00::5]:4000"],
])("what listens on %s is reached at %s", (host, authority) => {
  expect(formatLocalAuthority(host, 4000)).toBe(authority);
});
