import { describe, expect, test } from "vitest";
import { type EngineAddress, formatAddress, isRemoteAddress, parseEngineAddress } from "./engine-address.ts";

const parse = (value: string) => parseEngineAddress(value, { origin: "DOCKER_HOST" });

describe("parseEngineAddress", () => {
  test.each([
    ["unix:///var/run/docker.sock", "/var/run/docker.sock"],
    ["unix:///tmp/with space/docker.sock", "/tmp/with space/docker.sock"],
    ["npipe:////./pipe/docker_engine", "\\\\.\\pipe\\docker_engine"],
    ["tcp://127.0.0.1:2375", "tcp://127.0.0.1:2375"],
    ["tcp://localhost", "tcp://localhost:2375"],
    ["tcp://localhost:80", "tcp://localhost:80"],
    ["tcp://localhost:2376/", "tcp://localhost:2376"],
    ["http://10.0.0.1:8080", "tcp://10.0.0.1:8080"],
    ["tcp://[::1]:2375", "tcp://[::1]:2375"],
    ["ssh://build.example.com", "ssh://build.example.com"],
    ["ssh://ada@build:2222", "ssh://ada@build:2222"],
    ["ssh://ada@build/run/user/1000/docker.sock", "ssh://ada@build/run/user/1000/docker.sock"],
  ])("understands %s", (value, expected) => {
    expect(formatAddress(parse(value))).toBe(expected);
  });

  test.each([
    ["ssh://-oProxyCommand=x", /not an engine's address/],
    ["ssh://-l@host", /not an engine's address/],
    ["ssh://ada:secret@host", /not an engine's address/],
    ["ssh:///run/docker.sock", /not an engine's address/],
    ["https://host:2376", /https:\/\/ is not supported/],
    ["/var/run/docker.sock", /not an engine's address/],
    ["unix:", /not an engine's address/],
    ["unix://", /not an engine's address/],
    ["npipe://", /not an engine's address/],
    ["tcp://", /not an engine's address/],
    ["tcp://host:port", /not an engine's address/],
    ["tcp://host:99999", /not an engine's address/],
    ["ftp://host", /not an engine's address/],
    [" ", /not an engine's address/],
  ])("refuses %j and says what to do", (value, message) => {
    expect(() => parse(value)).toThrow(
      expect.objectContaining({
        code: "INVALID_ARGUMENT",
        message: expect.stringMatching(message),
        hint: expect.any(String),
      }),
    );
  });
});

test("a port with TLS has another default", () => {
  const tls = { skipsVerification: false };
  const address = parseEngineAddress("tcp://build", { origin: "DOCKER_HOST", tls });

  expect(address).toEqual({ kind: "tcp", host: "build", port: 2376, tls });
});

test.each<[EngineAddress, boolean]>([
  [{ kind: "socket", path: "/run/docker.sock" }, false],
  [{ kind: "tcp", host: "127.0.0.1", port: 2375 }, false],
  [{ kind: "tcp", host: "::1", port: 2375 }, false],
  [{ kind: "tcp", host: "10.0.0.7", port: 2375 }, true],
  [{ kind: "ssh", host: "build", program: "docker" }, true],
  [{ kind: "ssh", host: "localhost", program: "podman" }, false],
])("the engine of %j is on another machine: %s", (address, isRemote) => {
  expect(isRemoteAddress(address)).toBe(isRemote);
});
