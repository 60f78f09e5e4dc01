/**
 * The error catalogue: one stable code per thing that can go wrong, its HTTP status and its exit code.
 * Messages say what happened with the value in hand; hints say what to do next, as a command where possible.
 */
import { BRAND } from "./brand.ts";
import type { LocatedProblem } from "./located-problem.ts";

/** Exit codes follow sysexits.h where it has one (64 usage, 70 internal error). */
export const ERRORS = {
  INVALID_ARGUMENT: { status: 400, exit: 2 },
  USAGE: { status: 400, exit: 64 },
  INVALID_WORKLOAD_NAME: { status: 400, exit: 2 },
  WORKLOAD_NOT_FOUND: { status: 404, exit: 3 },
  IMAGE_NOT_FOUND: { status: 404, exit: 3 },
  IMAGE_REGISTRY_UNREACHABLE: { status: 500, exit: 21 },
  IMAGE_REGISTRY_REFUSED: { status: 500, exit: 15 },
  PACKAGE_NOT_FOUND: { status: 404, exit: 3 },
  PACKAGE_REGISTRY_UNREACHABLE: { status: 500, exit: 21 },
  WORKLOAD_EXISTS: { status: 409, exit: 4 },
  GROUP_NOT_FOUND: { status: 404, exit: 3 },
  GROUP_EXISTS: { status: 409, exit: 4 },
  CONTAINER_NAME_TAKEN: { status: 409, exit: 4 },
  WORKLOAD_BUSY: { status: 409, exit: 4 },
  ENGINE_UNREACHABLE: { status: 500, exit: 6 },
  ENGINE_PERMISSION: { status: 500, exit: 6 },
  ENGINE_FAILED: { status: 500, exit: 6 },
  PORT_IN_USE: { status: 500, exit: 7 },
  SERVER_EXITED: { status: 500, exit: 8 },
  SERVER_NOT_READY: { status: 500, exit: 8 },
  CALL_FAILED: { status: 500, exit: 23 },
  CLUSTER_UNREACHABLE: { status: 500, exit: 24 },
  LIMIT_REACHED: { status: 429, exit: 22 },
  SUPERVISOR_RUNNING: { status: 409, exit: 9 },
  SUPERVISOR_UNREACHABLE: { status: 500, exit: 9 },
  STATE_CORRUPT: { status: 500, exit: 10 },
  STATE_TOO_NEW: { status: 500, exit: 10 },
  SECRETS_NOT_SET_UP: { status: 404, exit: 5 },
  SECRET_NOT_FOUND: { status: 404, exit: 3 },
  SECRET_EXISTS: { status: 409, exit: 4 },
  SECRETS_READ_ONLY: { status: 405, exit: 5 },
  SECRETS_NOT_READABLE: { status: 405, exit: 5 },
  SECRETS_NO_KEYRING: { status: 400, exit: 5 },
  SECRETS_WRONG_PASSWORD: { status: 400, exit: 5 },
  SECRETS_LOCKED: { status: 500, exit: 5 },
  SECRETS_FAILED: { status: 500, exit: 5 },
  CLIENT_UNKNOWN: { status: 400, exit: 2 },
  CLIENT_FILE_INVALID: { status: 500, exit: 14 },
  CLIENT_FILE_FAILED: { status: 500, exit: 14 },
  REGISTRY_NOT_FOUND: { status: 404, exit: 3 },
  REGISTRY_SERVER_NOT_FOUND: { status: 404, exit: 3 },
  REGISTRY_UNAVAILABLE: { status: 500, exit: 11 },
  REGISTRY_INVALID: { status: 500, exit: 11 },
  CONFIG_INVALID: { status: 500, exit: 12 },
  CONFIG_LOCKED: { status: 500, exit: 12 },
  BUILD_FAILED: { status: 500, exit: 13 },
  NOT_SUPPORTED: { status: 501, exit: 2 },
  UNAUTHENTICATED: { status: 401, exit: 15 },
  ISSUER_UNAVAILABLE: { status: 500, exit: 15 },
  FILE_FAILED: { status: 500, exit: 16 },
  CHECKS_FAILED: { status: 500, exit: 17 },
  TOOLS_CHANGED: { status: 409, exit: 25 },
  PROJECT_DIFFERS: { status: 500, exit: 26 },
  NOT_CONFIRMED: { status: 409, exit: 27 },
  ISOLATION_FAILED: { status: 500, exit: 18 },
  IMAGE_NOT_VERIFIED: { status: 500, exit: 19 },
  SERVICE_FAILED: { status: 500, exit: 20 },
  INTERRUPTED: { status: 500, exit: 130 },
  INTERNAL: { status: 500, exit: 70 },
} as const satisfies Record<string, { status: number; exit: number }>;

export type ErrorCode = keyof typeof ERRORS;

/** Path of the documentation page that explains a code, for example `/toolhive/reference/errors/workload-not-found`. */
export function getErrorPage(code: string): string {
  return `/${BRAND.docsSegment}/reference/errors/${code.toLowerCase().replaceAll("_", "-")}`;
}

interface ThvErrorOptions {
  readonly problems?: readonly LocatedProblem[] | undefined;
  readonly hint?: string | undefined;
  readonly detail?: string | undefined;
  readonly cause?: unknown;
}

export class ThvError extends Error {
  override readonly name = "ThvError";
  readonly code: ErrorCode;
  /** What to do next; one sentence or a command. */
  readonly hint: string | undefined;
  /** Evidence that does not belong into the message, for example the last output of a server. */
  readonly detail: string | undefined;
  /** What the message says, each with its place in the request; empty when it is about none. */
  readonly problems: readonly LocatedProblem[];

  constructor(code: ErrorCode, message: string, { hint, detail, problems = [], cause }: ThvErrorOptions = {}) {
    super(message, { cause });
    this.code = code;
    this.hint = hint;
    this.detail = detail;
    this.problems = problems;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  get exitCode(): number {
    return ERRORS[this.code].exit;
  }
}

/** Whether an error is ours and has one of the codes. */
export function hasCode(error: unknown, ...codes: readonly ErrorCode[]): error is ThvError {
  return error instanceof ThvError && codes.includes(error.code);
}

/** The text of anything thrown, for logs and for `cause` chains. */
export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The `code` of a Node system error (`ECONNREFUSED`, `ENOENT`, …), or `undefined`. */
export function readSystemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
