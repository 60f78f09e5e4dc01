import { describe, expect, test } from "vitest";
import { formatAddress, listEngineCandidates, parseDockerHost } from "./engine-address.ts";

describe("parseDockerHost", () => {
  test.each([
    ["unix:///var/run/docker.sock", "/var/run/docker.sock"],
    ["unix:///tmp/with space/docker.sock", "/tmp/with space/docker.sock"],
    ["npipe:////./pipe/docker_engine", "\\\\.\\pipe\\docker_engine"],
    ["tcp://127.0.0.1:2375", "tcp://127.0.0.1:2375"],
    ["tcp://localhost", "tcp://localhost:2375"],
    ["tcp://localhost:80", "tcp://localhost:80"],
    ["tcp://localhost:2376/", "tcp://localhost:2376"],
    ["http://10.0.0.1:8080", "tcp://10.0.0.1:8080"],
    ["tcp://[::1]:2375", "tcp://::1:2375"],
  ])("understands %s", (value, expected) => {
    expect(formatAddress(parseDockerHost(value))).toBe(expected);
  });

  test.each([
    ["ssh://user@host", /ssh:\/\/ is not supported/],
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
    expect(() => parseDockerHost(value)).toThrow(
      expect.objectContaining({
        code: "INVALID_ARGUMENT",
        message: expect.stringMatching(message),
        hint: expect.any(String),
      }),
    );
  });
});

const candidates = (env: Record<string, string>, platform: NodeJS.Platform, home = "/home/ada") =>
  listEngineCandidates({ env, home, platform }).map(({ address, explicit }) => [formatAddress(address), explicit]);

describe("listEngineCandidates", () => {
  test("on Linux looks for Podman before Docker, and for the system's before the user's", () => {
    expect(candidates({ XDG_RUNTIME_DIR: "/run/user/1000" }, "linux").map(([address]) => address)).toEqual([
      "/var/run/podman/podman.sock",
      "/run/user/1000/podman/podman.sock",
      "/home/ada/.local/share/containers/podman/machine/podman.sock",
      "/var/run/docker.sock",
      "/run/user/1000/docker.sock",
      "/home/ada/.docker/run/docker.sock",
      "/home/ada/.docker/desktop/docker.sock",
      "/home/ada/.rd/docker.sock",
      "/home/ada/.colima/default/docker.sock",
      "/home/ada/.config/colima/default/docker.sock",
    ]);
  });

  test("without a runtime directory leaves the rootless sockets out", () => {
    const addresses = candidates({}, "darwin", "/Users/ada").map(([address]) => address);

    expect(addresses).toContain("/Users/ada/.colima/default/docker.sock");
    expect(addresses.some((address) => String(address).includes("/user/"))).toBe(false);
  });

  test("on Windows looks for the two named pipes", () => {
    expect(candidates({}, "win32")).toEqual([
      ["\\\\.\\pipe\\podman-api", false],
      ["\\\\.\\pipe\\docker_engine", false],
    ]);
  });

  test.each([
    [{ DOCKER_HOST: "tcp://10.0.0.1:2375" }, "tcp://10.0.0.1:2375"],
    [{ TOOLHIVE_DOCKER_SOCKET: "/d.sock", DOCKER_HOST: "tcp://10.0.0.1:2375" }, "/d.sock"],
    [{ TOOLHIVE_PODMAN_SOCKET: "/p.sock", TOOLHIVE_DOCKER_SOCKET: "/d.sock" }, "/p.sock"],
    [{ TOOLHIVE_PODMAN_SOCKET: "", DOCKER_HOST: "unix:///d.sock" }, "/d.sock"],
  ])("with %j tries that one only", (env, expected) => {
    expect(candidates(env as Record<string, string>, "linux")).toEqual([[expected, true]]);
  });

  test("takes an empty DOCKER_HOST as none", () => {
    expect(candidates({ DOCKER_HOST: "" }, "linux").length).toBeGreaterThan(1);
  });
});
