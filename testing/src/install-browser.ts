/** A browser for `thv` to open, and the person before it. */
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * The person: follows the address to its end, as a browser does, and agrees to everything. A page of this machine leads on by
 * its script, which has the same address as its link.
 */
const BROWSER = `#!/bin/sh
case "$1" in
file:*) address=$(curl --silent "$1" | sed -n 's/.*<a href="\\([^"]*\\)".*/\\1/p' | sed 's/&amp;/\\&/g') ;;
*) address=$1 ;;
esac
exec curl --silent --location --cookie "" --output /dev/null "$address"
`;

/** @returns The variables of somebody who sits before a screen. @param folder Is on the `PATH`. */
export async function installBrowser(folder: string): Promise<Record<string, string>> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "xdg-open"), BROWSER);
  await chmod(join(folder, "xdg-open"), 0o755);
  return { DISPLAY: ":0" };
}
