/** What a sidecar's log says that it refused. */
import type { Outbound } from "../permissions/permission-profile.ts";
import { allowsTarget } from "../permissions/profile-changes.ts";
import { DENIAL_PREFIX, LOOKED_UP } from "./sidecar-rules.ts";

/** Connections to one target that were refused. */
export interface Denial {
  readonly host: string;
  /** Absent if the server only looked up the name. */
  readonly port: number | undefined;
  /** Times that it was logged, which is once a minute at most. */
  readonly count: number;
  /** Of the last time, milliseconds since 1970. */
  readonly lastAt: number | undefined;
}

/** A report contains at most this many targets of one workload. */
const MAX_DENIALS = 100;

/** Whether a line names a target that the rules allow by now. */
export function isAllowedNow(line: string, outbound: Outbound): boolean {
  const target = parseDenial(line);
  if (target === undefined || !allowsTarget(outbound, target)) return false;
  const [before = "", ...behind] = line.split("). To allow it:");
  const reason = behind.length === 0 ? undefined : before.slice(before.lastIndexOf(" (") + 2);
  // An address that was refused because of its kind has to be allowed by name.
  return reason === undefined || reason === LOOKED_UP || outbound.hosts.includes(target.host);
}

/** @returns The target of a line about something that was refused; `undefined` for any other line. */
export function parseDenial(line: string): Pick<Denial, "host" | "port"> | undefined {
  if (!line.startsWith(DENIAL_PREFIX)) return undefined;
  const [target = ""] = line.slice(DENIAL_PREFIX.length).split(/\. To allow it:| \(/, 1);
  const colon = target.lastIndexOf(":");
  const digits = target.slice(colon + 1);
  if (colon === -1 || !/^\d{1,5}$/.test(digits)) return { host: target, port: undefined };
  return { host: target.slice(0, colon), port: Number(digits) };
}

/** @param lines Oldest first. @returns One for each target, the newest first; at most 100. */
export function summarizeDenials(
  lines: readonly { readonly text: string; readonly at?: number | undefined }[],
): Denial[] {
  const found = new Map<string, Denial>();
  for (const { text, at } of lines) {
    const target = parseDenial(text);
    if (target === undefined) continue;
    const key = JSON.stringify(target);
    const count = (found.get(key)?.count ?? 0) + 1;
    // A target that is set again becomes the last one.
    found.delete(key);
    found.set(key, { ...target, count, lastAt: at });
  }
  return [...found.values()].reverse().slice(0, MAX_DENIALS);
}
