/** Turns system errors about files into errors that a person can act on. */
import { describeError, readSystemCode, ThvError } from "../support/errors.ts";

interface Reason {
  readonly text: string;
  readonly hint: string;
}

/** The command that shows who may use a file. @param platform Default: this machine's. */
export function suggestLookingAt(path: string, platform: NodeJS.Platform = process.platform): string {
  return `Check its owner and permissions: ${platform === "win32" ? `icacls "${path}"` : `ls -ld ${path}`}`;
}

function findReason(
  code: string | undefined,
  path: string,
  platform: NodeJS.Platform = process.platform,
): Reason | undefined {
  // Windows has one word for both.
  if (platform === "win32" && (code === "EACCES" || code === "EPERM" || code === "EBUSY")) {
    return {
      text: "another program has it open, or you have no permission",
      hint: `Close it in the other program, then try again. See who may change it: icacls "${path}"`,
    };
  }
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return { text: "the disk is full", hint: "Free some space, then try again. Nothing was changed." };
    case "EACCES":
    case "EPERM":
      return { text: "no permission", hint: suggestLookingAt(path) };
    case "EROFS":
      return {
        text: "the file system is read-only",
        hint: "Use another place: XDG_STATE_HOME, XDG_DATA_HOME, XDG_CONFIG_HOME",
      };
    case "ENOTDIR":
    case "EEXIST":
    case "EISDIR":
      return {
        text: "a file exists where a folder is expected, or a folder where a file is",
        hint: suggestLookingAt(path),
      };
    case "EIO":
    case "EMFILE":
    case "ENFILE":
    case "ELOOP":
    case "ENAMETOOLONG":
      return { text: code, hint: "Find out more: thv doctor" };
    default:
      return undefined;
  }
}

/** The reason in plain words. */
export function describeFileFailure(error: unknown): string {
  if (readSystemCode(error) === "ENOENT") return "it does not exist";
  return findReason(readSystemCode(error), "")?.text ?? describeError(error);
}

/** @returns `FILE_FAILED` for a system error about a path; `undefined` for any other error. */
export function createFileError(error: unknown): ThvError | undefined {
  const path = error instanceof Error && "path" in error && typeof error.path === "string" ? error.path : undefined;
  const reason = path === undefined ? undefined : findReason(readSystemCode(error), path);
  if (path === undefined || !reason) return undefined;
  return new ThvError("FILE_FAILED", `${path} cannot be used: ${reason.text}.`, { hint: reason.hint, cause: error });
}

/**
 * The same for a file that was being written, whose temporary sibling the system names.
 *
 * @param what The action that failed.
 * @param platform Default: this machine's.
 */
export function createWriteError(
  error: unknown,
  path: string,
  what: "written" | "removed" = "written",
  platform?: NodeJS.Platform,
): unknown {
  if (error instanceof ThvError) return error;
  const code = readSystemCode(error);
  if (code === undefined) return error;
  const { text, hint } = findReason(code, path, platform) ?? {
    text: describeError(error),
    hint: "Find out more: thv doctor",
  };
  return new ThvError("FILE_FAILED", `${path} cannot be ${what}: ${text}.`, { hint, cause: error });
}
