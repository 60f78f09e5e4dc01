/** Ends a root command with a message for people: no stack, an exit code, what to do next. */
export class CommandFailure extends Error {
  /**
   * @param {string} message
   * @param {{ hint?: string, exitCode?: number, cause?: unknown }} [options]
   */
  constructor(message, { hint, exitCode = 1, cause } = {}) {
    super(message, { cause });
    this.hint = hint;
    this.exitCode = exitCode;
  }
}

/** @param {unknown} error */
export function describeError(error) {
  return error instanceof Error ? error.message : String(error);
}

/**
 * @param {unknown} error
 * @returns {string | undefined} The `code` of a system error: `ENOENT`, `ESRCH`, …
 */
export function readSystemCode(error) {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
