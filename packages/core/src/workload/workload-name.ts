/** The rules for a workload's name, which is also its container's name and part of file names. */
import { posix } from "node:path";
import { parseImageReference } from "../images/image-reference.ts";
import { getPackageName, parsePackageTarget } from "../images/package-target.ts";
import { ThvError } from "../support/errors.ts";
import { isRemoteTarget } from "../target/target.ts";

/** Characters. */
export const MAX_WORKLOAD_NAME_LENGTH = 100;

/** Windows gives such a file to a device, whatever comes behind a dot. */
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

const PATTERN = /^[a-zA-Z0-9._-]+$/;

/** @throws {ThvError} `INVALID_WORKLOAD_NAME` saying which rule is broken. */
export function assertWorkloadName(name: string, platform?: NodeJS.Platform): void {
  const problem = findNameProblem(name, platform);
  if (problem) {
    throw new ThvError("INVALID_WORKLOAD_NAME", `invalid workload name: ${problem}`, {
      hint: "Use 2 to 100 letters, digits, dots, dashes and underscores, beginning with a letter or a digit.",
      problems: [{ path: ["name"], sentence: problem }],
    });
  }
}

/**
 * Which rule a name breaks. The texts are part of the wire (api-behaviour 2.2): existing clients match on them.
 *
 * @param platform Of the machine where files are named after it. Default: this one's.
 * @param owner Whose name it is.
 */
export function findNameProblem(
  name: string,
  platform: NodeJS.Platform = process.platform,
  owner: "workload" | "group" = "workload",
): string | undefined {
  const what = `${owner} name`;
  if (name === "") return `${what} cannot be empty`;
  if (posix.normalize(name).startsWith("..") || name.startsWith("/")) {
    return `${what} contains path traversal`;
  }
  if (/[$&;|`]/.test(name)) return `${what} contains potentially dangerous characters`;
  if (name.includes("\0")) return `${what} contains null bytes`;
  if (!PATTERN.test(name)) {
    return `${what} can only contain alphanumeric characters, dots, hyphens, and underscores`;
  }
  if (name.length > MAX_WORKLOAD_NAME_LENGTH) return `${what} too long (max 100 characters)`;
  // Engines require this of container names.
  if (!/^[a-zA-Z0-9]/.test(name) || name.length < 2)
    return `${what} must be at least two characters and start with a letter or digit`;
  if (platform === "win32" && WINDOWS_DEVICE.test(name)) return `${what} is the name of a device on Windows`;
  return undefined;
}

/** Whether files of two workloads would have the same name: only Linux distinguishes capitals from small letters. */
export function isSameName(left: string, right: string, platform: NodeJS.Platform = process.platform): boolean {
  return left === right || (platform !== "linux" && left.toLowerCase() === right.toLowerCase());
}

/**
 * A name for a workload that is created without one: what a person would call it, `server-memory` for
 * `npx://@modelcontextprotocol/server-memory@1.2.3`, `memory` for `mcp/memory:latest`.
 *
 * @param source An image reference, a package (`npx://`, `uvx://`, `go://`), or the address of a remote server.
 * @param number 1 for the first, more for those whose name is taken: `memory-2`.
 */
export function generateWorkloadName(source: string, number = 1): string {
  const suffix = number === 1 ? "" : `-${number}`;
  const base = getLastPart(source)
    .toLowerCase()
    .replace(/[^a-z0-9._-]/g, "-")
    .replace(/^[^a-z0-9]+/, "");
  const whole = base.length < 2 ? `server-${base}`.replace(/-$/, "") : base;
  return `${whole.slice(0, MAX_WORKLOAD_NAME_LENGTH - suffix.length)}${suffix}`;
}

/** Without registry, scope, version, tag and digest; of a remote server its host. */
function getLastPart(source: string): string {
  if (isRemoteTarget(source)) return new URL(source).hostname;
  const target = parsePackageTarget(source);
  if (!target) return parseImageReference(source).repository.split("/").at(-1) ?? "";
  if (target.kind === "folder") return posix.basename(target.path);
  const parts = getPackageName(target)
    .replace(/\.git$/, "")
    .split("/");
  // Go modules carry their major version as the last part.
  return (parts.length > 1 && /^v\d+$/.test(parts.at(-1) ?? "") ? parts.at(-2) : parts.at(-1)) ?? "";
}
