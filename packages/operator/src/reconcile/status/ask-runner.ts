/** Asks the runner in a pod, on the port of its health: a pod's status has no room for what it knows. */

import { startTimeout } from "@toolhive/core/timeout-signal";
import { formatUrlHost } from "@toolhive/http";
import { RUNNER_HEALTH_PORT } from "../../contract/index.ts";

/** Milliseconds for an answer in addition to the time that the runner may wait with it; it has a report ready. */
const REPORT_MS = 1_000;
const ANSWER_MS = 3_000;

interface RunnerQuestion<Report> {
  /** Of the pod. */
  readonly address: string;
  readonly path: string;
  /** Of the answer; a longer one, or one without a length, is not read. */
  readonly maxCharacters: number;
  /** Shows the runner that the operator asks; the request is a POST then. Absent: a report that anybody may read. */
  readonly token?: string;
  /** Milliseconds that the runner may wait with its answer. Default: 0. */
  readonly waitMs?: number;
  /** @returns The report that the JSON is; `undefined` when it is none. */
  readonly check: (value: unknown) => Report | undefined;
}

/** @returns What the runner says; `undefined` when there is no such answer in time. */
export async function askRunner<Report>(
  { address, path, maxCharacters, token, waitMs = 0, check }: RunnerQuestion<Report>,
  signal: AbortSignal,
): Promise<Report | undefined> {
  try {
    const response = await fetch(`http://${formatUrlHost(address)}:${RUNNER_HEALTH_PORT}${path}`, {
      ...(token && { method: "POST", headers: { authorization: `Bearer ${token}` } }),
      redirect: "error",
      signal: AbortSignal.any([signal, startTimeout(token ? waitMs + ANSWER_MS : REPORT_MS)]),
    });
    const length = Number(response.headers.get("content-length") ?? Number.POSITIVE_INFINITY);
    if (!response.ok || length > maxCharacters) {
      await response.body?.cancel();
      return undefined;
    }
    return check(await response.json());
  } catch {
    return undefined;
  }
}
