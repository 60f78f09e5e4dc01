/** The part of a create request that bounds what the server may do, from the flags of `thv run`. */
import type { RunInput } from "./definition.ts";

/** @param problems Gets a sentence for what is no time to sleep after. */
export function readSandbox({ sleepAfter, memory, cpus, pidsLimit, readOnly, user }: RunInput, problems: string[]) {
  if (sleepAfter !== undefined && (sleepAfter < 0 || sleepAfter % 1_000 !== 0))
    problems.push("--sleep-after must be whole seconds, such as 90s or 10m, or 0 for never");
  const limits = {
    ...(memory !== undefined && { memory_bytes: memory }),
    ...(cpus !== undefined && { cpus }),
    ...(pidsLimit !== undefined && { pids: pidsLimit }),
  };
  return {
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(user !== undefined && { user }),
    ...(readOnly && { read_only: true }),
    ...(sleepAfter !== undefined && { sleep_after_seconds: Math.round(sleepAfter / 1_000) }),
  };
}
