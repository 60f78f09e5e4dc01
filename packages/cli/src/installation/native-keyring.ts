/**
 * The system's keyring for the single file, in place of the package `@napi-rs/keyring`: a system loads a library from a file
 * only, so it is unpacked into a folder of the user's, once for each version.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { resolveDirectories } from "@toolhive/core/directories";

const ASSET = "keyring.node";

/** What is used of the package. */
interface Library {
  readonly AsyncEntry: unknown;
}

/** @throws {Error} Where there is none for this system, or no file can be written. */
function load(): Library {
  const { getRawAsset } = process.getBuiltinModule("node:sea");
  const library = brotliDecompressSync(Buffer.from(getRawAsset(ASSET) as ArrayBuffer));
  const digest = createHash("sha256").update(library).digest("hex");
  const folder = join(resolveDirectories().state, "native");
  const path = join(folder, `${digest}.node`);
  if (!holds(path, digest)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const temporary = `${path}.${process.pid}`;
    try {
      writeFileSync(temporary, library, { mode: 0o500, flag: "wx" });
      renameSync(temporary, path);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
  }
  const module = { exports: { AsyncEntry: undefined } as Library };
  process.dlopen(module, path);
  return module.exports;
}

function holds(path: string, digest: string): boolean {
  try {
    return createHash("sha256").update(readFileSync(path)).digest("hex") === digest;
  } catch {
    return false; // it was not unpacked yet
  }
}

export const { AsyncEntry } = load();
