/** Paths given to a command. */
import { resolve } from "node:path";

/** A path as the person meant it: npm runs a workspace's commands in its folder and tells in INIT_CWD where it was called. */
export function pathFromCaller(path: string, env: NodeJS.ProcessEnv = process.env): string {
  return resolve(env.INIT_CWD ?? process.cwd(), path);
}
