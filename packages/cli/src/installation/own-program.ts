/** How this program is started once more, for a supervisor in the background or a service. */

import { findProgram, type Program } from "./find-installation.ts";
import NODE_FLAGS from "./node-flags.json" with { type: "json" };

export interface OwnProgram {
  /** The words before thv's own arguments. */
  readonly command: readonly [program: string, ...args: string[]];
  /** What has to be in its environment besides. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * The flags of Node.js bound the young generation of its heap, MiB: nearly all that is made for a call is garbage right after
 * it. A single file reads none from its command line, so it gets them by `NODE_OPTIONS`, behind those of the user.
 */
export function describeOwnProgram(
  env: Readonly<Record<string, string | undefined>>,
  { path, isSingleFile }: Program = findProgram(),
): OwnProgram {
  if (!isSingleFile) return { command: [process.execPath, ...NODE_FLAGS, path], env: {} };
  const options = (env.NODE_OPTIONS ?? "").split(" ").filter((option) => option !== "" && !NODE_FLAGS.includes(option));
  return { command: [path], env: { NODE_OPTIONS: [...options, ...NODE_FLAGS].join(" ") } };
}

/** How another program starts this one, with nothing but these words in its settings. */
export function describeOwnCommand({ path, isSingleFile }: Program = findProgram()): readonly [string, ...string[]] {
  return isSingleFile ? [path] : [process.execPath, path];
}
