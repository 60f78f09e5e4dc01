/** How the program that runs was installed: what its package says beside it, else what its path says. */
import { realpath } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { readBoundedText } from "@toolhive/core/bounded-file";
import { BRAND } from "@toolhive/core/brand";
import { type Channel, isChannel } from "./channels.ts";

/** Lies beside the program where a package put both: `{ "channel": "deb" }`. Other members are for later. */
const MARKER = "installation.json";
const MAX_MARKER_BYTES = 4096;

/** The part of a path that only one channel has. The first that fits counts: Homebrew may keep an npm package in its cellar. */
const FOLDERS: readonly (readonly [pattern: RegExp, channel: Channel])[] = [
  [new RegExp(`/Cellar/${BRAND.command}/`), "homebrew"],
  [new RegExp(`/scoop/apps/${BRAND.command}/`, "i"), "scoop"],
  [/\/WinGet\/Packages\//i, "winget"],
  [new RegExp(`/_npx/.+/node_modules/${BRAND.packages.npm}/`), "npx"],
  [new RegExp(`/node_modules/${BRAND.packages.npm}/`), "npm"],
  [/\/packages\/cli\/dist\/[^/]+$/, "source"],
];

export interface Program {
  /** Path of what is started: the bundle, or the executable that holds it. Links in it are followed. */
  readonly path: string;
  /** Whether it is one executable that needs no Node.js. */
  readonly isSingleFile: boolean;
}

export interface Installation {
  readonly channel: Channel;
  /** Where the program really is. */
  readonly path: string;
}

/** The program of this process. */
export function findProgram(): Program {
  const isSingleFile = process.getBuiltinModule("node:sea").isSea();
  return { path: isSingleFile ? process.execPath : (process.argv[1] ?? ""), isSingleFile };
}

/** Where the program of this process really is. */
export async function resolveProgram({ path }: Program = findProgram()): Promise<string> {
  return await realpath(path).catch(() => path);
}

/** Never throws: a marker that is damaged or too large counts as none. */
export async function findInstallation(program: Program = findProgram()): Promise<Installation> {
  const path = await resolveProgram(program);
  const found = (await readMarker(dirname(path))) ?? findChannel(path);
  return { channel: found ?? (program.isSingleFile ? "file" : "source"), path };
}

async function readMarker(folder: string): Promise<Channel | undefined> {
  try {
    const marker: unknown = JSON.parse(await readBoundedText(join(folder, MARKER), { maxBytes: MAX_MARKER_BYTES }));
    const channel = typeof marker === "object" && marker !== null && "channel" in marker ? marker.channel : undefined;
    return isChannel(channel) ? channel : undefined;
  } catch {
    // None, or one that cannot be understood.
    return undefined;
  }
}

/** @param path Without links. */
function findChannel(path: string): Channel | undefined {
  const unified = path.replaceAll(sep, "/");
  return FOLDERS.find(([pattern]) => pattern.test(unified))?.[1];
}
