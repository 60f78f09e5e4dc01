import { expect, test } from "vitest";
import { parseAuthority } from "./authority.ts";

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
