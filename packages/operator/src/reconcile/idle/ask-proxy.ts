/** One question to one proxy. */
import { isIPv6 } from "node:net";
import { startTimeout } from "@toolhive/core/timeout-signal";
import {
  deriveIdleToken,
  IDLE_PATH,
  type IdleAnswer,
  type IdleQuestion,
  RUNNER_HEALTH_PORT,
} from "../../contract/index.ts";

/** Milliseconds for an answer beside the time that was asked for. */
const ANSWER_MS = 3_000;
const MAX_ANSWER_CHARACTERS = 1_000;

export interface AskedProxy {
  /** Of its pod. */
  readonly address: string;
  /** Of the sessions, in Base64. */
  readonly key: string;
}

/** @returns `undefined` when it does not answer, or answers something else. */
export async function askProxy(
  { address, key }: AskedProxy,
  { phase, afterMs, waitMs, servers }: IdleQuestion,
  signal: AbortSignal,
): Promise<IdleAnswer | undefined> {
  const host = isIPv6(address) ? `[${address}]` : address;
  const query = new URLSearchParams({
    phase,
    afterMs: String(afterMs),
    waitMs: String(waitMs),
    servers: servers.join(),
  });
  try {
    const response = await fetch(`http://${host}:${RUNNER_HEALTH_PORT}${IDLE_PATH}?${query}`, {
      method: "POST",
      headers: { authorization: `Bearer ${deriveIdleToken(Buffer.from(key, "base64"))}` },
      redirect: "error",
      signal: AbortSignal.any([signal, startTimeout(waitMs + ANSWER_MS)]),
    });
    const length = Number(response.headers.get("content-length") ?? Number.POSITIVE_INFINITY);
    if (!response.ok || length > MAX_ANSWER_CHARACTERS) {
      await response.body?.cancel();
      return undefined;
    }
    const answer = (await response.json()) as Partial<IdleAnswer>;
    const isWhole =
      typeof answer.idleForMs === "number" &&
      typeof answer.isHolding === "boolean" &&
      typeof answer.isWanted === "boolean";
    return isWhole ? (answer as IdleAnswer) : undefined;
  } catch {
    return undefined;
  }
}
