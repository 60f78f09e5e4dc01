import type { HostGuard } from "@toolhive/api";
import type { TokenVerifier } from "@toolhive/core";
import { expect, test } from "vitest";
import { checkAddressFlags, listenForPrograms, readPageOrigins } from "./public-address.ts";

const check = (socket: string, platform: NodeJS.Platform) => checkAddressFlags({ allowedOrigin: [], socket }, platform);

test.each(["\\\\.\\pipe\\mine", "\\\\?\\pipe\\mine"])("%s is a socket on Windows", (socket) => {
  expect(() => check(socket, "win32")).not.toThrow();
});

test.each(["C:\\Users\\ada\\thv.sock", "/tmp/thv.sock", "thv.sock"])("%s is none on Windows", (socket) => {
  expect(() => check(socket, "win32")).toThrow(
    expect.objectContaining({ code: "USAGE", hint: expect.stringContaining("\\\\.\\pipe\\") }),
  );
});

test.each([
  ["no page from a file where callers need no token", false, []],
  ["pages from files where each caller has a token", true, ["null", "file://"]],
])("lets in %s: %s", async (_who, hasTokens, expected) => {
  const tokens = hasTokens ? ({} as TokenVerifier) : undefined;
  let origins: readonly string[] = [];
  const api = {
    listenOnPath: async () => undefined,
    listenOnPort: async (_host: string, port: number, guard: HostGuard) => {
      origins = guard.origins;
      return port;
    },
  };

  await listenForPrograms(api, { host: "127.0.0.1", port: 8080, socket: undefined, allowedOrigin: [] }, tokens);

  expect(origins.filter((origin) => !origin.startsWith("http"))).toEqual(expected);
});

test.each([
  ["127.0.0.1", "http://127.0.0.1:8080", "127.0.0.1"],
  ["::1", "http://[::1]:8080", "::1"],
  ["[::1]", "http://[::1]:8080", "::1"],
  ["FD00:0::5", "http://[fd00::5]:8080", "fd00::5"],
])("with --host %s the address is %s", async (host, expected, name) => {
  const seen: unknown[] = [];
  const api = {
    listenOnPath: async () => undefined,
    listenOnPort: async (on: string, port: number, { hosts }: HostGuard) => {
      seen.push(on, ...hosts);
      return port;
    },
  };

  const address = await listenForPrograms(api, { host, port: 8080, socket: undefined, allowedOrigin: [] }, undefined);

  expect(address).toBe(expected);
  expect(seen).toEqual([name, name]);
});

test.each(["*", "https://*.example.com", "http://localhost:5173/page", "localhost:5173"])(
  "%s is no origin, because an origin has neither a wildcard nor a path",
  (allowedOrigin) => {
    expect(() => checkAddressFlags({ allowedOrigin: [allowedOrigin], socket: undefined })).toThrow(
      expect.objectContaining({
        code: "USAGE",
        message: `--allowed-origin is "${allowedOrigin}" but must be an origin.`,
      }),
    );
  },
);

test("pages from files call no endpoint of a server, however often their origin is allowed for the API", () => {
  const origins = ["null", "file://", "http://localhost:5173"];

  expect(() => checkAddressFlags({ allowedOrigin: origins, socket: undefined })).not.toThrow();
  expect(readPageOrigins(origins)).toEqual(["http://localhost:5173"]);
});
