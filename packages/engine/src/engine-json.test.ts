import { expect, test } from "vitest";
import { hasSecurityOption, parsePodmanSelinux, parseUserMapping } from "./engine-json.ts";

test.each([
  ["an engine that runs as root", { SecurityOptions: ["name=seccomp,profile=default"] }, "linux", "same"],
  ["one that says nothing", undefined, "linux", "same"],
  ["rootless Docker", { SecurityOptions: ["name=seccomp,profile=default", "name=rootless"] }, "linux", "engine-user"],
  ["rootless Podman", { SecurityOptions: ["name=seccomp,profile=default"], Rootless: true }, "linux", "engine-user"],
  ["Podman as root", { SecurityOptions: [], Rootless: false }, "linux", "same"],
  ["Docker with userns-remap", { SecurityOptions: ["name=userns"] }, "linux", "shifted"],
  ["Docker Desktop on Linux", { OperatingSystem: "Docker Desktop", SecurityOptions: [] }, "linux", "virtual-machine"],
  ["Colima on macOS", { OperatingSystem: "Ubuntu 24.04 LTS", SecurityOptions: [] }, "darwin", "virtual-machine"],
  ["Docker Desktop on Windows", { OperatingSystem: "Docker Desktop" }, "win32", "virtual-machine"],
] as const)("users of %s", (_, info, platform, mapping) => {
  expect(parseUserMapping(info, platform)).toBe(mapping);
});

test("SELinux is read from Docker's security options, and from Podman's own answer", () => {
  expect(hasSecurityOption({ SecurityOptions: ["name=selinux"] }, "selinux")).toBe(true);
  expect(hasSecurityOption({ SecurityOptions: ["name=selinux-like"] }, "selinux")).toBe(false);
  expect(hasSecurityOption(null, "selinux")).toBe(false);
  expect(parsePodmanSelinux({ host: { security: { selinuxEnabled: true } } })).toBe(true);
  expect(parsePodmanSelinux({ host: { security: { selinuxEnabled: false } } })).toBe(false);
  expect(parsePodmanSelinux(undefined)).toBe(false);
});
