/** What a sidecar's log says that the server has reached while its rules were learned. */
import { LEARNED_PREFIX } from "./sidecar-rules.ts";

/** Something that a server connects to. */
export interface LearnedTarget {
  readonly host: string;
  readonly port: number;
}

/** A report contains at most this many targets of one workload. */
export const MAX_LEARNED = 1_000;

/** @param lines Of the log. @returns Each target once, by host and port; at most 1,000. */
export function collectLearned(lines: readonly { readonly text: string }[]): LearnedTarget[] {
  const found = new Map<string, LearnedTarget>();
  for (const { text } of lines) {
    if (!text.startsWith(LEARNED_PREFIX) || found.size >= MAX_LEARNED) continue;
    const [, host, port] = /^(\S+):(\d{1,5})$/.exec(text.slice(LEARNED_PREFIX.length)) ?? [];
    if (host !== undefined) found.set(`${host}:${port}`, { host, port: Number(port) });
  }
  return [...found.values()].sort((left, right) =>
    left.host === right.host ? left.port - right.port : left.host < right.host ? -1 : 1,
  );
}
