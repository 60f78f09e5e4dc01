/** Where the page lies that leads a browser to an address with something secret in it: a folder of this user's that the browser can read. */
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { resolveHome } from "@toolhive/core/directories";
import { supervisorFiles } from "../../../supervisor/supervisor-files.ts";

/** Milliseconds for the desktop to name its browser. */
const ASK_TIMEOUT_MS = 2_000;

type Variables = Readonly<Record<string, string | undefined>>;

/** @returns `undefined` on Windows, where other users cannot read a program's arguments. */
export async function chooseRedirectPath(env: Variables): Promise<string | undefined> {
  if (process.platform === "win32") return undefined;
  const folder = (await findSnapFolder(env)) ?? supervisorFiles(env).directories.state;
  return join(folder, `open-${randomUUID()}.html`);
}

/**
 * A browser that is a snap reads no hidden folder of the home and no `/tmp`, but a folder of its own, which nobody else may
 * enter either. The desktop file of a snap is named after it: `firefox_firefox.desktop`.
 */
async function findSnapFolder(env: Variables): Promise<string | undefined> {
  if (process.platform !== "linux") return undefined;
  const desktopFile = await askBrowser(env);
  const [, snap] = /^([a-z0-9][a-z0-9-]*)_[\w.-]+\.desktop$/.exec(desktopFile) ?? [];
  if (snap === undefined) return undefined;
  const folder = join(resolveHome(env), "snap", snap, "common");
  const isThere = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isThere ? folder : undefined;
}

async function askBrowser(env: Variables): Promise<string> {
  return await new Promise((done) => {
    const options = { env: { ...env }, timeout: ASK_TIMEOUT_MS };
    execFile("xdg-settings", ["get", "default-web-browser"], options, (_error, stdout) => done(stdout.trim()));
  });
}
