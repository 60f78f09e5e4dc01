/** The command that installs a newer version on this machine, by the channel of the present one. */
import { dirname, join, resolve } from "node:path";
import { BRAND } from "@toolhive/core/brand";
import type { Installation } from "./find-installation.ts";
import { formatSudo, quotePath } from "./quote-path.ts";

const { command, packages } = BRAND;

/** Processors, as packages of Debian and of Fedora name them. */
const PROCESSORS: Readonly<Record<string, readonly [deb: string, rpm: string]>> = {
  x64: ["amd64", "x86_64"],
  arm64: ["arm64", "aarch64"],
};

export interface Target {
  /** The newer version, with or without a `v` before it. */
  readonly version: string;
  /** Address below which the files of every release lie; empty while nothing is published. Default the brand's. */
  readonly downloads?: string;
  readonly platform?: NodeJS.Platform;
  /** As `process.arch`. */
  readonly processor?: string;
}

/** @returns Whole sentences: what to run, and where a file that it needs is to be had. */
export function describeUpdate({ channel, path }: Installation, target: Target): string {
  const { downloads = BRAND.links.downloads, platform = process.platform, processor = process.arch } = target;
  const version = target.version.replace(/^v/, "");
  const place = downloads === "" ? "" : `${downloads}/v${version}`;
  const [deb, rpm] = PROCESSORS[processor] ?? [processor, processor];
  const fromFile = (file: string, install: string) =>
    `Update it: ${install} ./${file}${place === "" ? "" : ` after downloading ${place}/${file}`}`;
  switch (channel) {
    case "npm":
      return `Update it: npm install --global ${packages.npm}@latest`;
    case "npx":
      return `Update it: npx --yes ${packages.npm}@latest`;
    case "deb":
      return fromFile(`${command}_${version}_${deb}.deb`, "sudo apt-get install");
    case "rpm":
      return fromFile(`${command}-${version}-1.${rpm}.rpm`, "sudo dnf install");
    case "homebrew":
      return `Update it: brew upgrade ${command}`;
    case "scoop":
      return `Update it: scoop update ${command}`;
    case "winget":
      return `Update it: winget upgrade --id ${packages.winget}`;
    case "image":
      return `Update it: docker pull ${packages.image}:${version}`;
    case "install-script":
      return `Update it: ${formatScript(path, place, platform)}`;
    case "file":
      return `Update it: replace ${path} by the file of ${version}${place === "" ? "" : ` from ${place}`}`;
    case "source":
      return `Update it: ${formatBuild(path)}`;
  }
}

function formatScript(path: string, place: string, platform: NodeJS.Platform): string {
  if (platform === "win32") return place === "" ? ".\\install.ps1" : `irm ${place}/install.ps1 | iex`;
  // The executable is in PREFIX/lib/thv.
  const prefix = quotePath(resolve(dirname(path), "../.."));
  const sudo = formatSudo(path);
  return place === ""
    ? `${sudo}sh install.sh --prefix ${prefix}`
    : `curl -fsSL ${place}/install.sh | ${sudo}sh -s -- --prefix ${prefix}`;
}

function formatBuild(path: string): string {
  const isCheckout = /[\\/]packages[\\/]cli[\\/]dist$/.test(dirname(path));
  const folder = isCheckout ? `cd ${quotePath(join(dirname(path), "../../.."))} && ` : "";
  return `${folder}git pull && npm start`;
}
