/**
 * What this process holds right now: memory after a forced collection, file descriptors, children.
 */
import { existsSync, readdirSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
/** Collections in a row: finalizers of the first free what the second one finds. */
const COLLECTIONS = 4;

/** Bytes of heap and buffers that are reachable. */
export async function reachableBytes(): Promise<number> {
  for (let n = 0; n < COLLECTIONS; n++) {
    collect();
    await new Promise(setImmediate);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Open file descriptors; 0 where the system does not report them. */
export function countDescriptors(): number {
  return existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd").length : 0;
}

/** Handles of one kind that keep the process alive, such as `ProcessWrap` for a child. */
export function countHandles(kind: string): number {
  return process.getActiveResourcesInfo().filter((name) => name === kind).length;
}
