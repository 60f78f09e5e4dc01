/** A folder with Go source as entries of a build context. */
import { createReadStream } from "node:fs";
import { lstat, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { describeError, ThvError } from "../support/errors.ts";
import type { TarEntry } from "./tar.ts";

/** Largest source folder, in bytes and in files; more is a home directory given by mistake. */
const MAX_SOURCE_BYTES = 512 * 1024 * 1024;
const MAX_SOURCE_FILES = 20_000;
/** Not source, and often large. */
const LEFT_OUT = [".git", "node_modules"];

export interface SourceFolder {
  readonly entries: readonly TarEntry[];
  /** Whether it has its own Dockerfile. */
  readonly hasDockerfile: boolean;
}

/**
 * @param prefix Folder of the context that the entries go into; empty for its root.
 * @throws {ThvError} `INVALID_ARGUMENT` for a folder that cannot be read or is too large.
 */
export async function readSourceFolder(
  path: string,
  prefix: (hasDockerfile: boolean) => string,
  platform: NodeJS.Platform = process.platform,
): Promise<SourceFolder> {
  let names: string[];
  try {
    names = await readdir(path);
  } catch (error) {
    throw new ThvError("INVALID_ARGUMENT", `The folder ${path} cannot be read: ${describeError(error)}.`, {
      cause: error,
    });
  }
  const hasDockerfile = names.includes("Dockerfile");
  const found: TarEntry[] = [];
  let bytes = 0;
  const walk = async (folder: string, into: string): Promise<void> => {
    for (const name of (await readdir(folder)).sort()) {
      if (LEFT_OUT.includes(name)) continue;
      const from = join(folder, name);
      const to = into === "" ? name : `${into}/${name}`;
      const info = await lstat(from);
      if (info.isDirectory()) {
        found.push({ kind: "directory", path: to });
        await walk(from, to);
      } else if (info.isSymbolicLink())
        found.push({ kind: "link", path: to, target: toPosix(await readlink(from), platform) });
      else if (info.isFile()) {
        bytes += info.size;
        // Windows does not know which files are programs, so that all are, as with Docker's own builds there.
        const isExecutable = platform === "win32" || (info.mode & 0o100) !== 0;
        found.push({ kind: "file", path: to, isExecutable, size: info.size, content: () => createReadStream(from) });
      }
      if (bytes > MAX_SOURCE_BYTES || found.length > MAX_SOURCE_FILES) {
        throw new ThvError("INVALID_ARGUMENT", `The folder ${path} is too large to be the source of a server.`, {
          hint: `At most ${MAX_SOURCE_FILES} files and ${MAX_SOURCE_BYTES / 1024 / 1024} MiB are allowed.`,
        });
      }
    }
  };
  await walk(path, prefix(hasDockerfile));
  return { entries: found, hasDockerfile };
}

function toPosix(target: string, platform: NodeJS.Platform): string {
  return platform === "win32" ? target.replaceAll("\\", "/") : target;
}
