/** Asks proxies that are not ready for the problem of their remote server: a pod's status has no room for that. */
import { REMOTE_FAILURES, REMOTE_REPORT_PATH, type RemoteReport } from "../../../contract/index.ts";
import { askRunner } from "../../status/ask-runner.ts";
import type { PodSummary } from "../../status/pod-summary.ts";

const MAX_ANSWER_CHARACTERS = 4_000;
const MAX_MESSAGE = 600;
/** Proxies that are asked of one MCPRemoteProxy. */
const MAX_ASKED = 3;
/** Milliseconds until they are asked again: one that does not listen yet, and one that has answered. */
const STARTING_MS = 1_000;
const AGAIN_MS = 10_000;

interface AskedProxies {
  readonly pods: ReadonlyMap<string, PodSummary>;
  /** What they said last. */
  remoteReports: readonly RemoteReport[];
}

/** Writes their answers into the record. @returns Milliseconds until they are asked again; `undefined`: all are ready. */
export async function askProxies(record: AskedProxies, signal: AbortSignal): Promise<number | undefined> {
  const waiting = [...record.pods.values()].filter(
    ({ isReady, isEnding, address }) => !isReady && !isEnding && address,
  );
  if (waiting.length === 0) {
    record.remoteReports = [];
    return undefined;
  }
  const asked = waiting
    .slice(0, MAX_ASKED)
    .map(async ({ address = "" }) => await askRunner({ ...QUESTION, address }, signal));
  record.remoteReports = (await Promise.all(asked)).filter((report) => report !== undefined);
  return record.remoteReports.length === 0 || record.remoteReports.some(({ isReady }) => isReady)
    ? STARTING_MS
    : AGAIN_MS;
}

const QUESTION = { path: REMOTE_REPORT_PATH, maxCharacters: MAX_ANSWER_CHARACTERS, check: checkReport };

function checkReport(value: unknown): RemoteReport | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { isReady, problem } = value as Partial<RemoteReport>;
  if (typeof isReady !== "boolean") return undefined;
  const reason = REMOTE_FAILURES.find((failure) => failure === problem?.reason);
  if (reason === undefined || typeof problem?.message !== "string") return { isReady };
  return { isReady, problem: { reason, message: problem.message.slice(0, MAX_MESSAGE) } };
}
