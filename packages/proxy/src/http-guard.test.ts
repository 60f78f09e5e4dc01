import { describe, expect, test } from "vitest";
import { isHostAllowed, isOriginAllowed } from "./http-guard.ts";

const LOOPBACK = { host: "127.0.0.1", port: 4000 };
const EVERYWHERE = { host: "0.0.0.0", port: 4000 };
const NAMED = { host: "box.lan", port: 4000 };

describe("isHostAllowed", () => {
  test.each([
    ["localhost:4000", LOOPBACK, true],
    ["LocalHost:4000", LOOPBACK, true],
    ["127.0.0.1:4000", LOOPBACK, true],
    ["127.8.9.10:4000", LOOPBACK, true],
    ["[::1]:4000", LOOPBACK, true],
    ["localhost", { host: "127.0.0.1", port: 80 }, true],
    ["box.lan:4000", NAMED, true],
    ["localhost", LOOPBACK, false],
    ["localhost:4001", LOOPBACK, false],
    ["evil.example:4000", LOOPBACK, false],
    ["localhost.evil.example:4000", LOOPBACK, false],
    ["127.0.0.1.evil.example:4000", LOOPBACK, false],
    ["user@localhost:4000", LOOPBACK, false],
    ["192.168.1.5:4000", LOOPBACK, false],
    ["192.168.1.5:4000", EVERYWHERE, true],
    ["[2001:db8::5]:4000", EVERYWHERE, true],
    ["evil.example:4000", EVERYWHERE, false],
    ["", LOOPBACK, false],
    [undefined, LOOPBACK, false],
  ])("takes the Host %s at %o: %s", (header, options, expected) => {
    expect(isHostAllowed(header, options)).toBe(expected);
  });
});

describe("isOriginAllowed", () => {
  test.each([
    [undefined, true],
    ["http://localhost:6274", true],
    ["https://127.0.0.1", true],
    ["http://[::1]:3000", true],
    ["http://box.lan:4000", true],
    ["http://box.lan:4001", false],
    ["https://evil.example", false],
    ["http://localhost.evil.example", false],
    ["http://localhost@evil.example", false],
    ["http://localhost:4000/path", false],
    ["vscode-webview://x", false],
    ["null", false],
    ["", false],
  ])("takes the Origin %s at box.lan:4000: %s", (origin, expected) => {
    expect(isOriginAllowed(origin, "box.lan:4000")).toBe(expected);
  });
});
