import { BRAND } from "@toolhive/core/brand";
import { expect, test } from "vitest";
import { formatRemoval } from "./remove-command.ts";

const { npm, winget } = BRAND.packages;
const path = "/opt/my tools/lib/thv/thv";
const found = "/opt/my tools/bin/thv";

test.each([
  ["npm", `npm uninstall --global ${npm}`],
  ["deb", "sudo apt-get remove thv"],
  ["rpm", "sudo dnf remove thv"],
  ["homebrew", "brew uninstall thv"],
  ["scoop", "scoop uninstall thv"],
  ["winget", `winget uninstall --id ${winget}`],
  ["install-script", "rm -r '/opt/my tools/lib/thv' '/opt/my tools/bin/thv'"],
  ["file", "rm '/opt/my tools/bin/thv'"],
  ["source", "rm '/opt/my tools/bin/thv'"],
] as const)("thv from %s is removed by its own means", (channel, command) => {
  expect(formatRemoval({ channel, path }, found, "linux")).toBe(command);
});

test("what is in a folder of the system needs root", () => {
  const installed = { channel: "install-script", path: "/usr/local/lib/thv/thv" } as const;

  expect(formatRemoval(installed, "/usr/local/bin/thv", "linux")).toBe(
    "sudo rm -r /usr/local/lib/thv /usr/local/bin/thv",
  );
  expect(formatRemoval({ ...installed, channel: "file" }, "/usr/local/bin/thv", "linux")).toBe(
    "sudo rm /usr/local/bin/thv",
  );
});

test("Windows has commands of its own", () => {
  const file = "C:\\my tools\\thv.exe";

  expect(formatRemoval({ channel: "file", path: file }, file, "win32")).toBe('del "C:\\my tools\\thv.exe"');
  expect(formatRemoval({ channel: "install-script", path: file }, file, "win32")).toBe(".\\install.ps1 -Uninstall");
});
