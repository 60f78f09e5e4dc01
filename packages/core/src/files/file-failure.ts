/** Turns system errors about files into errors that a person can act on. */
import { messageOf, systemCodeOf, ThvError } from "../support/errors.ts";

interface Reason {
  readonly text: string;
  readonly hint: string;
}

const WHOSE = (path: string) => `Check its owner and permissions: ls -ld ${path}`;

function findReason(code: string | undefined, path: string): Reason | undefined {
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return { text: "the disk is full", hint: "Free some space, then try again. Nothing was changed." };
    case "EACCES":
    case "EPERM":
      return { text: "no permission", hint: WHOSE(path) };
    case "EROFS":
      return {
        text: "the file system is read-only",
        hint: "Use another place: XDG_STATE_HOME, XDG_DATA_HOME, XDG_CONFIG_HOME",
      };
    case "ENOTDIR":
    case "EEXIST":
    case "EISDIR":
      return { text: "a file exists where a folder is expected, or a folder where a file is", hint: WHOSE(path) };
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
  return findReason(systemCodeOf(error), "")?.text ?? messageOf(error);
}

/** @returns `FILE_FAILED` for a system error about a path; `undefined` for any other error. */
export function createFileError(error: unknown): ThvError | undefined {
  const path = error instanceof Error && "path" in error && typeof error.path === "string" ? error.path : undefined;
  const reason = path === undefined ? undefined : findReason(systemCodeOf(error), path);
  if (path === undefined || !reason) return undefined;
  return new ThvError("FILE_FAILED", `${path} cannot be used: ${reason.text}.`, { hint: reason.hint, cause: error });
}

/**
 * The same for a file that was being written, whose temporary sibling the system names.
 *
 * @param what The action that failed.
 */
export function createWriteError(error: unknown, path: string, what: "written" | "removed" = "written"): unknown {
  if (error instanceof ThvError) return error;
  const code = systemCodeOf(error);
  if (code === undefined) return error;
  const { text, hint } = findReason(code, path) ?? { text: messageOf(error), hint: "Find out more: thv doctor" };
  return new ThvError("FILE_FAILED", `${path} cannot be ${what}: ${text}.`, { hint, cause: error });
}
