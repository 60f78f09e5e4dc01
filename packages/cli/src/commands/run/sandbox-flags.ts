/** The part of a create request that bounds what the server may do, from the flags of `thv run`. */
import type { RunInput } from "./definition.ts";

export function readSandbox({ memory, cpus, pidsLimit, readOnly, user }: RunInput) {
  const limits = {
    ...(memory !== undefined && { memory_bytes: memory }),
    ...(cpus !== undefined && { cpus }),
    ...(pidsLimit !== undefined && { pids: pidsLimit }),
  };
  return {
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(user !== undefined && { user }),
    ...(readOnly && { read_only: true }),
  };
}
