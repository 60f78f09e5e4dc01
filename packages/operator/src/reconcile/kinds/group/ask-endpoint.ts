/** Asks the endpoint of a group how its servers are. */
import { GROUP_REPORT_PATH, type GroupReport } from "../../../contract/index.ts";
import { askRunner } from "../../status/ask-runner.ts";
import type { PodSummary } from "../../status/pod-summary.ts";

/** Two hundred servers with a sentence each. */
const MAX_ANSWER_CHARACTERS = 256 * 1024;
/** Pods that are asked: that of the newest template, and the one before it. */
const MAX_ASKED = 2;
/** Milliseconds until it is asked again: while something is expected to change, and otherwise. */
const SOON_MS = 1_000;
const AGAIN_MS = 10_000;

interface AskedGroup {
  readonly pods: ReadonlyMap<string, PodSummary>;
  /** What was said last. */
  groupReport: GroupReport | undefined;
}

/**
 * Writes the answer into the record.
 *
 * @param version Of the file that the operator wrote. @returns Milliseconds until it is asked again; `undefined`: it has no pod.
 */
export async function askEndpoint(
  group: AskedGroup,
  version: string | undefined,
  signal: AbortSignal,
): Promise<number | undefined> {
  const there = [...group.pods.values()].filter(({ isEnding, address }) => !isEnding && address);
  // A pod that is not ready yet serves no clients.
  const asked = there.sort((left, right) => Number(right.isReady) - Number(left.isReady)).slice(0, MAX_ASKED);
  const answers = await Promise.all(
    asked.map(async ({ address = "" }) => await askRunner({ ...QUESTION, address }, signal)),
  );
  const reports = answers.filter((report) => report !== undefined);
  group.groupReport = reports[0];
  if (asked.length === 0) return undefined;
  const isSettled =
    reports[0]?.version === version && reports[0]?.members.every(({ state }) => state !== "starting") === true;
  return isSettled ? AGAIN_MS : SOON_MS;
}

const QUESTION = { path: GROUP_REPORT_PATH, maxCharacters: MAX_ANSWER_CHARACTERS, check: checkReport };

function checkReport(value: unknown): GroupReport | undefined {
  const { version, members } = (value ?? {}) as Partial<GroupReport>;
  if (typeof version !== "string" || !Array.isArray(members)) return undefined;
  const isWhole = members.every(
    ({ name, state, tools }) => typeof name === "string" && typeof state === "string" && Number.isSafeInteger(tools),
  );
  return isWhole ? { version, members } : undefined;
}
