/** The part of a create request that bounds what the server may do, from the flags of `thv run`. */
import { parseMemory } from "@toolhive/core/resource-limits";
import type { ParsedInput } from "../../command-line/parse.ts";

export function readSandbox(input: ParsedInput, problems: string[]) {
  const limits = readLimits(input, problems);
  return {
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(input.bool("read-only") && { read_only: true }),
  };
}

function readLimits(input: ParsedInput, problems: string[]) {
  const memory = input.string("memory");
  const memoryBytes = memory === undefined ? undefined : parseMemory(memory);
  if (memory !== undefined && memoryBytes === undefined) {
    problems.push(`--memory is "${memory}", but has to be a size as 512m or 2g, or 0 for no limit`);
  }
  const cpus = input.float("cpus");
  const pids = input.int("pids-limit");
  return {
    ...(memoryBytes !== undefined && { memory_bytes: memoryBytes }),
    ...(cpus !== undefined && { cpus }),
    ...(pids !== undefined && { pids }),
  };
}
