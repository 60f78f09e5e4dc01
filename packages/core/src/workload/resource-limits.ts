/** How much of the machine one server may take: bounded by default, so that a runaway server harms only itself. */

import type { ResourceLimits } from "../ports/container-engine.ts";
import { type LocatedProblem, type NameMember, nameInWords } from "../support/located-problem.ts";

const MIB = 1024 * 1024;

/** Enough for a browser automation server; what engines give without being asked is everything. */
export const DEFAULT_RESOURCES: ResourceLimits = { memoryBytes: 2048 * MIB, cpus: 2, pids: 1024 };

/** Engines refuse less than 6 MiB. */
const SMALLEST_MEMORY_BYTES = 6 * MIB;
const SMALLEST_CPUS = 0.01;

interface RequestedLimits {
  readonly memory_bytes?: number;
  readonly cpus?: number;
  readonly pids?: number;
}

/** @returns None for limits that engines take. Paths begin at the limits; `name` gets those of the request. */
export function listLimitProblems(
  { memory_bytes: memoryBytes, cpus, pids }: RequestedLimits,
  name: NameMember = nameInWords,
): LocatedProblem[] {
  const problems: LocatedProblem[] = [];
  const add = (member: keyof RequestedLimits, words: string, rest: string) =>
    problems.push({ path: [member], sentence: `${name(["limits", member], words)} ${rest}` });
  if (memoryBytes !== undefined && memoryBytes !== 0 && !(memoryBytes >= SMALLEST_MEMORY_BYTES)) {
    add("memory_bytes", "memory limit", `${memoryBytes} is below 6 MiB (0: no limit)`);
  }
  if (cpus !== undefined && cpus !== 0 && !(cpus >= SMALLEST_CPUS)) {
    add("cpus", "CPU limit", `${cpus} is below ${SMALLEST_CPUS} (0: no limit)`);
  }
  if (pids !== undefined && (!Number.isInteger(pids) || pids < 0)) {
    add("pids", "process limit", `${pids} is not a whole number of 0 or more (0: no limit)`);
  }
  return problems;
}

const UNITS: Readonly<Record<string, number>> = { "": 1, b: 1, k: 1024, m: MIB, g: 1024 * MIB };

/** Reads `512m`, `2g` or a number of bytes, as engines' command lines take it. @returns `undefined` for anything else. */
export function parseMemory(text: string): number | undefined {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)([bkmg]?)$/i.exec(text.trim()) ?? [];
  const factor = UNITS[(unit ?? "").toLowerCase()];
  return amount === undefined || factor === undefined ? undefined : Math.floor(Number(amount) * factor);
}

/** Writes a size as `parseMemory` reads it, in the largest unit that gives a whole number. */
export function formatMemory(bytes: number): string {
  if (bytes === 0) return "0";
  const unit = ["g", "m", "k"].find((each) => bytes % (UNITS[each] ?? 1) === 0) ?? "b";
  return `${bytes / (UNITS[unit] ?? 1)}${unit}`;
}
