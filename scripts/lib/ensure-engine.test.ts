import { describe, expect, test } from "vitest";
import { decideOnEngine } from "./ensure-engine.mjs";

const EMPTY = { env: {}, isInstalled: () => false, exists: () => false, canInstall: () => true };
const NOBODY = { isUnwanted: false, isInteractive: false };

describe("npm start on a machine without a container engine", () => {
  test("installs one where nobody can be asked, and asks where somebody can", () => {
    expect(decideOnEngine(NOBODY, EMPTY)).toBe("install");
    expect(decideOnEngine({ ...NOBODY, isInteractive: true }, EMPTY)).toBe("ask");
  });

  test.each([
    ["--no-engine was given", { ...NOBODY, isUnwanted: true }, {}],
    ["this user or system cannot install packages", NOBODY, { canInstall: () => false }],
    ["a variable names an engine", NOBODY, { env: { DOCKER_HOST: "tcp://10.0.0.1:2375" } }],
    ["a socket is there", NOBODY, { exists: (path: string) => path === "/var/run/docker.sock" }],
    ["Podman is installed, whose service thv starts", NOBODY, { isInstalled: (name: string) => name === "podman" }],
  ])("leaves the machine as it is when %s", (_why, wishes, machine) => {
    expect(decideOnEngine(wishes, { ...EMPTY, ...machine })).toBe("leave");
  });
});
