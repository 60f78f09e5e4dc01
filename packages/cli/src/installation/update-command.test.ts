import { BRAND } from "@toolhive/core/brand";
import { expect, test } from "vitest";
import { CHANNELS } from "./channels.ts";
import { describeUpdate } from "./update-command.ts";

const downloads = "https://downloads.example.com/thv";
const { npm, winget, image } = BRAND.packages;
const linux = { version: "v1.3.0", downloads, platform: "linux", processor: "x64" } as const;

test.each([
  ["npm", `npm install --global ${npm}@latest`],
  ["npx", `npx --yes ${npm}@latest`],
  ["deb", `sudo apt-get install ./thv_1.3.0_amd64.deb after downloading ${downloads}/v1.3.0/thv_1.3.0_amd64.deb`],
  ["rpm", `sudo dnf install ./thv-1.3.0-1.x86_64.rpm after downloading ${downloads}/v1.3.0/thv-1.3.0-1.x86_64.rpm`],
  ["homebrew", "brew upgrade thv"],
  ["scoop", "scoop update thv"],
  ["winget", `winget upgrade --id ${winget}`],
  ["image", `docker pull ${image}:1.3.0`],
  ["install-script", `curl -fsSL ${downloads}/v1.3.0/install.sh | sh -s -- --prefix /opt/ada`],
  ["file", `replace /opt/ada/lib/thv/thv by the file of 1.3.0 from ${downloads}/v1.3.0`],
  ["source", "git pull && npm start"],
] as const)("thv from %s is updated by its own means", (channel, command) => {
  expect(describeUpdate({ channel, path: "/opt/ada/lib/thv/thv" }, linux)).toBe(`Update it: ${command}`);
});

test("a build in a checkout is updated there", () => {
  const installation = { channel: "source", path: "/home/ada/toolhive/packages/cli/dist/thv.mjs" } as const;

  expect(describeUpdate(installation, linux)).toBe("Update it: cd /home/ada/toolhive && git pull && npm start");
});

test("packages for another processor have its name", () => {
  const arm = { ...linux, processor: "arm64" };

  expect(describeUpdate({ channel: "deb", path: "/usr/lib/thv/thv" }, arm)).toContain("./thv_1.3.0_arm64.deb");
  expect(describeUpdate({ channel: "rpm", path: "/usr/lib/thv/thv" }, arm)).toContain("./thv-1.3.0-1.aarch64.rpm");
});

test("the script needs root for a folder of the system", () => {
  expect(describeUpdate({ channel: "install-script", path: "/usr/local/lib/thv/thv" }, linux)).toBe(
    `Update it: curl -fsSL ${downloads}/v1.3.0/install.sh | sudo sh -s -- --prefix /usr/local`,
  );
});

test("Windows has a script of its own", () => {
  const windows = { ...linux, platform: "win32" } as const;

  expect(describeUpdate({ channel: "install-script", path: "C:\\thv\\thv.exe" }, windows)).toBe(
    `Update it: irm ${downloads}/v1.3.0/install.ps1 | iex`,
  );
});

test.each(CHANNELS)("of %s names no address while nothing is published", (channel) => {
  const said = describeUpdate({ channel, path: "/opt/ada/lib/thv/thv" }, { ...linux, downloads: "" });

  expect(said).toMatch(/^Update it: \S/);
  expect(said).not.toMatch(/https?:|undefined|\/v1/);
});
