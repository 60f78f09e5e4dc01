/** One request to one proxy. */
import { deriveIdleToken, IDLE_PATH, type IdleAnswer, type IdleQuestion } from "../../contract/index.ts";
import { askRunner } from "../status/ask-runner.ts";

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
  const numbers = { afterMs: String(afterMs), waitMs: String(waitMs) };
  const question = {
    address,
    path: `${IDLE_PATH}?${new URLSearchParams({ phase, ...numbers, servers: servers.join() })}`,
    token: deriveIdleToken(Buffer.from(key, "base64")),
    waitMs,
    maxCharacters: MAX_ANSWER_CHARACTERS,
    check: checkAnswer,
  };
  return await askRunner(question, signal);
}

function checkAnswer(value: unknown): IdleAnswer | undefined {
  const { idleForMs, isHolding, isWanted } = value as Partial<IdleAnswer>;
  const isWhole = typeof idleForMs === "number" && typeof isHolding === "boolean" && typeof isWanted === "boolean";
  return isWhole ? (value as IdleAnswer) : undefined;
}
