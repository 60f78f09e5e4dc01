/** Paths given to a command. */
import { resolve } from "node:path";

/**
 * A path as the person meant it: npm runs the commands of a workspace in its folder, and INIT_CWD contains the folder where it
 * was called.
 */
export function pathFromCaller(path: string, env: NodeJS.ProcessEnv = process.env): string {
  return resolve(env.INIT_CWD ?? process.cwd(), path);
}
