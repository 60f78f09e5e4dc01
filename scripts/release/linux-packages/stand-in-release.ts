/** A release whose thv is a small program of this system, so that its packages are built in a moment. */
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { STRONG } from "../compression.mjs";
import type { ReleaseContext } from "../context.mjs";
import { findExecutable, PROCESSORS } from "../executables.mjs";
import { programFolder } from "../program.mjs";

export const EPOCH = 1_750_000_000;
/** Prints its arguments, so `thv 1.2.3` answers like a thv that knows its version. */
const STAND_IN = "/bin/echo";

export interface StandInOptions {
  readonly version: string;
  /** Names of manual pages; a package drops those that a newer version no longer has. */
  readonly pages?: readonly string[];
}

/** Its folders are removed by `close`. */
export function openStandIn({ version, pages = ["thv.1"] }: StandInOptions): ReleaseContext {
  const folder = mkdtempSync(join(tmpdir(), "thv-stand-in-"));
  const release: ReleaseContext = {
    root: fileURLToPath(new URL("../../..", import.meta.url)),
    version,
    out: join(folder, "out"),
    work: join(folder, "work"),
    epoch: EPOCH,
    downloads: "",
    compression: STRONG,
    run: async (command, args, { cwd, env } = {}) => {
      const variables = { ...process.env, SOURCE_DATE_EPOCH: `${EPOCH}`, TZ: "UTC", LC_ALL: "C.UTF-8", ...env };
      return (await promisify(execFile)(command, args, { cwd, env: variables })).stdout.trimEnd();
    },
    ensureProgram: async () => undefined,
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
  const program = programFolder(release);
  for (const path of [release.out, join(program, "man")]) mkdirSync(path, { recursive: true });
  writeFileSync(join(program, "thv.mjs"), 'console.log("# completion for", process.argv[3]);\n');
  writeFileSync(join(program, "THIRD-PARTY-NOTICES.txt"), "None.\n");
  for (const page of pages) writeFileSync(join(program, "man", page), `.TH THV 1\n.SH NAME\nthv \\- ${version}\n`);
  for (const processor of PROCESSORS) {
    const executable = findExecutable(release, processor);
    mkdirSync(join(executable, ".."), { recursive: true });
    copyFileSync(STAND_IN, executable);
  }
  return release;
}
