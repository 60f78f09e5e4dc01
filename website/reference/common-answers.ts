/** Failures that every operation of the API may return: the reference says them once, and each operation its own. */

/** 413 and 415 are of operations with a body or a change; what they say is the same for each. */
const COMMON_STATUSES: ReadonlySet<string> = new Set(["401", "403", "413", "415", "500"]);

export function isCommonAnswer(status: string): boolean {
  return COMMON_STATUSES.has(status);
}
