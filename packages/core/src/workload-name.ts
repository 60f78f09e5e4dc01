/** The rules for a workload's name, which is also its container's name and part of file names. */
import { posix } from "node:path";
import { ThvError } from "./errors.ts";

/** Characters. */
export const MAX_WORKLOAD_NAME_LENGTH = 100;

const PATTERN = /^[a-zA-Z0-9._-]+$/;

/** @throws {ThvError} `INVALID_WORKLOAD_NAME` saying which rule is broken. */
export function assertWorkloadName(name: string): void {
  const problem = problemWithName(name);
  if (problem) {
    throw new ThvError("INVALID_WORKLOAD_NAME", `invalid workload name: ${problem}`, {
      hint: "Use letters, digits, dots, hyphens and underscores, starting with a letter or digit, at most 100 of them.",
    });
  }
}

/** Which rule a name breaks. The texts are part of the wire (api-behaviour 2.2): existing clients match on them. */
export function problemWithName(name: string): string | undefined {
  if (name === "") return "workload name cannot be empty";
  if (posix.normalize(name).startsWith("..") || name.startsWith("/")) {
    return "workload name contains path traversal";
  }
  if (/[$&;|`]/.test(name)) return "workload name contains potentially dangerous characters";
  if (name.includes("\0")) return "workload name contains null bytes";
  if (!PATTERN.test(name)) {
    return "workload name can only contain alphanumeric characters, dots, hyphens, and underscores";
  }
  if (name.length > MAX_WORKLOAD_NAME_LENGTH) return "workload name too long (max 100 characters)";
  // Engines require this of container names.
  if (!/^[a-zA-Z0-9]/.test(name) || name.length < 2)
    return "workload name must be at least two characters and start with a letter or digit";
  return undefined;
}

/** A name for a workload created without one: the image's repository, dashes for what names cannot hold, Unix seconds. */
export function generateWorkloadName(repository: string, now: Date): string {
  const seconds = Math.floor(now.getTime() / 1000);
  const base = repository.replace(/[^A-Za-z0-9-]/g, "-").replace(/^-+/, "");
  return `${base.slice(0, MAX_WORKLOAD_NAME_LENGTH - 1 - String(seconds).length)}-${seconds}`;
}
