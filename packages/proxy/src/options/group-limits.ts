/** Bounds of a group's endpoint beside those of every endpoint: what one of its servers may take. */
import { DEFAULT_BOUNDS, type Limits } from "./limits.ts";

export interface GroupLimits extends Limits {
  /** Milliseconds to connect to a server and initialize a session: as long as clients wait for an answer. */
  readonly openMs: number;
  /** Milliseconds a server may take for one page of a list. */
  readonly listMs: number;
  /** Milliseconds after which a server that has not listed its offers counts as not answering. The group still waits for it. */
  readonly slowMs: number;
  /** Milliseconds a call may take without an answer, progress or a question to the client. */
  readonly callMs: number;
  /** Milliseconds after a server has joined during which the first lists wait for it, once. */
  readonly firstListMs: number;
  /** Failures in a row after which a server is not asked for a while. */
  readonly maxFailures: number;
  /** Milliseconds until a failed server is tried again; doubles with each failure. */
  readonly firstPauseMs: number;
  /** The longest of these. */
  readonly maxPauseMs: number;
  /** Requests in flight at one server: a slow one must not take the table of all. */
  readonly maxServerCalls: number;
  /** Bytes of requests in flight at one server. */
  readonly maxServerBytes: number;
  /** Tools, prompts, resources or templates of one server. */
  readonly maxDefinitions: number;
  /** Bytes of all definitions of one server. */
  readonly maxDefinitionBytes: number;
  /** Pages of one list. */
  readonly maxPages: number;
  /** Characters of the instructions of all servers together. */
  readonly maxInstructions: number;
}

const MiB = 1024 * 1024;
const SECOND = 1000;

export const GROUP_BOUNDS: GroupLimits = {
  ...DEFAULT_BOUNDS,
  openMs: 60 * SECOND,
  listMs: 60 * SECOND,
  slowMs: 5 * SECOND,
  callMs: 5 * 60 * SECOND,
  firstListMs: SECOND,
  maxFailures: 3,
  firstPauseMs: SECOND / 2,
  maxPauseMs: 30 * SECOND,
  maxServerCalls: 512,
  maxServerBytes: 64 * MiB,
  maxDefinitions: 5000,
  maxDefinitionBytes: 8 * MiB,
  maxPages: 100,
  maxInstructions: 16 * 1024,
};
