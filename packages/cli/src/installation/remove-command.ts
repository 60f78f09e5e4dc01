/** The command that removes a thv from this machine, by the channel of its installation. Servers, settings and secrets stay. */
import { dirname, join, resolve } from "node:path";
import { BRAND } from "@toolhive/core/brand";
import type { Installation } from "./find-installation.ts";
import { formatSudo, quotePath } from "./quote-path.ts";

const { command, packages } = BRAND;

/** @param found Where the `PATH` has it, which may be a link. */
export function formatRemoval(
  { channel, path }: Installation,
  found: string,
  platform: NodeJS.Platform = process.platform,
): string {
  const remove = platform === "win32" ? "del" : "rm";
  switch (channel) {
    case "npm":
      return `npm uninstall --global ${packages.npm}`;
    case "deb":
      return `sudo apt-get remove ${command}`;
    case "rpm":
      return `sudo dnf remove ${command}`;
    case "homebrew":
      return `brew uninstall ${command}`;
    case "scoop":
      return `scoop uninstall ${command}`;
    case "winget":
      return `winget uninstall --id ${packages.winget}`;
    case "install-script": {
      if (platform === "win32") return ".\\install.ps1 -Uninstall";
      // The executable is in PREFIX/lib/thv, and a link to it in PREFIX/bin.
      const prefix = resolve(dirname(path), "../..");
      return `${formatSudo(path)}rm -r ${quotePath(join(prefix, "lib", command))} ${quotePath(join(prefix, "bin", command))}`;
    }
    case "npx":
    case "image":
    case "file":
    case "source":
      // Of a build only the link goes: the checkout is the user's.
      return `${formatSudo(found)}${remove} ${quotePath(found, platform)}`;
  }
}
