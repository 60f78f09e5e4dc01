/** A browser for `thv` to open, and the person before it. */
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The person: follows the address to its end, as a browser does, and agrees to everything. */
const BROWSER = '#!/bin/sh\nexec curl --silent --location --cookie "" --output /dev/null "$1"\n';

/** @returns The variables of somebody who sits before a screen. @param folder Is on the `PATH`. */
export async function installBrowser(folder: string): Promise<Record<string, string>> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "xdg-open"), BROWSER);
  await chmod(join(folder, "xdg-open"), 0o755);
  return { DISPLAY: ":0" };
}
