/** Asks the endpoint of a group how its servers are, and sees to it that the endpoint gets the newest file. */
import type { ClusterClient } from "../../../cluster/index.ts";
import { GROUP_REPORT_PATH, type GroupReport, type Proxied } from "../../../contract/index.ts";
import { askRunner } from "../../status/ask-runner.ts";
import type { PodSummary } from "../../status/pod-summary.ts";
import { type Refreshed, refreshMountedFile } from "../../status/refresh-pods.ts";

/** Two hundred servers with a sentence each. */
const MAX_ANSWER_CHARACTERS = 256 * 1024;
/** Pods that are asked: that of the newest template, and the one before it. */
const MAX_ASKED = 2;
/** Milliseconds until it is asked again: while something is expected to change, and otherwise. */
const SOON_MS = 1_000;
const AGAIN_MS = 10_000;

interface AskedGroup {
  readonly server: Pick<Proxied, "metadata">;
  readonly pods: ReadonlyMap<string, PodSummary>;
  readonly refreshedPods: Map<string, Refreshed>;
  /** What was said last. */
  groupReport: GroupReport | undefined;
}

interface AskOptions {
  readonly client: ClusterClient;
  /** Of the file that the operator wrote. */
  readonly version: string | undefined;
  readonly signal: AbortSignal;
}

/** Writes the answer into the record. @returns Milliseconds until it is asked again; `undefined`: it has no pod. */
export async function askEndpoint(
  group: AskedGroup,
  { client, version, signal }: AskOptions,
): Promise<number | undefined> {
  const there = [...group.pods].filter(([, { isEnding, address }]) => !isEnding && address);
  // A pod that is not ready yet serves no clients.
  const asked = there.sort(([, left], [, right]) => Number(right.isReady) - Number(left.isReady)).slice(0, MAX_ASKED);
  const answers = await Promise.all(
    asked.map(async ([name, { address = "" }]) => {
      const report = await askRunner({ ...QUESTION, address }, signal);
      return report && { name, report };
    }),
  );
  const answered = answers.filter((answer) => answer !== undefined);
  const report = answered[0]?.report;
  group.groupReport = report;
  if (version !== undefined) {
    const late = answered.filter((answer) => answer.report.version !== version).map(({ name }) => name);
    const { namespace } = group.server.metadata;
    await refreshMountedFile(late, version, {
      ...{ client, namespace, refreshed: group.refreshedPods, now: performance.now(), signal },
    });
  }
  if (asked.length === 0) return undefined;
  const isSettled = report?.version === version && report?.members.every(({ state }) => state !== "starting") === true;
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
