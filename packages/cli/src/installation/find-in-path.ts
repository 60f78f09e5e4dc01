/** Every thv that a shell would find, in the order of the `PATH`. */
import { access, constants, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { BRAND } from "@toolhive/core/brand";
import { findInstallation, type Installation } from "./find-installation.ts";

/** The search reads at most this many folders of a `PATH`, and reports at most this many programs; a longer one is a mistake. */
const MAX_FOLDERS = 500;
const MAX_FOUND = 8;
/** Windows starts a file by its ending. npm writes three for one command. */
const WINDOWS_ENDINGS = [".exe", ".cmd", ".bat", ".ps1"];

export interface Place {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** What relative folders begin at. */
  readonly workDirectory: string;
}

export interface FoundProgram {
  /** Where the `PATH` has it. */
  readonly found: string;
  readonly installation: Installation;
}

/** @returns The first is the one that runs. Two names of one file are one program. Folders that cannot be read have none. */
export async function findInPath({ env, platform, workDirectory }: Place): Promise<readonly FoundProgram[]> {
  const isWindows = platform === "win32";
  // Windows writes the name in other letters, which only process.env itself forgives.
  const path = env.PATH ?? (isWindows ? env.Path : undefined) ?? "";
  const entries = path === "" ? [] : path.split(isWindows ? ";" : ":").slice(0, MAX_FOLDERS);
  const programs = new Map<string, FoundProgram>();
  for (const entry of entries) {
    // An empty one is the folder that a shell is in. On Windows it is nothing.
    if (entry === "" && isWindows) continue;
    const found = await findProgramIn(resolve(workDirectory, entry), isWindows);
    if (found === undefined) continue;
    const real = await realpath(found).catch(() => found);
    if (programs.has(real)) continue;
    const installation = await identify(real);
    // Only there for what npx started.
    if (installation.channel === "npx") continue;
    programs.set(real, { found, installation });
    if (programs.size === MAX_FOUND) break;
  }
  return [...programs.values()];
}

async function findProgramIn(folder: string, isWindows: boolean): Promise<string | undefined> {
  for (const ending of isWindows ? WINDOWS_ENDINGS : [""]) {
    const path = join(folder, `${BRAND.command}${ending}`);
    try {
      await access(path, constants.X_OK);
      if ((await stat(path)).isFile()) return path;
    } catch {
      // Not there, or in a folder that this user may not read: a shell does not find it either.
    }
  }
  return undefined;
}

async function identify(path: string): Promise<Installation> {
  const isScript = /\.(?:mjs|cmd|ps1)$/.test(path);
  const installation = await findInstallation({ path, isSingleFile: !isScript });
  if (/[\\/]scoop[\\/]shims[\\/]/i.test(path)) return { ...installation, channel: "scoop" };
  // On Windows, npm puts a script that starts the package beside the folder of packages.
  const nearby = join(dirname(path), "node_modules", BRAND.packages.npm);
  const isNpm = isScript && (await stat(nearby).catch(() => undefined))?.isDirectory() === true;
  return isNpm ? { ...installation, channel: "npm" } : installation;
}
