/**
 * The lines that `thv` itself writes about each workload: about its proxy, and about starts and stops. They are in memory only and
 * bounded; the supervisor's log has all of them.
 */
import { Listeners } from "@toolhive/http/listeners";
import type { Logger } from "../ports/log.ts";
import { type LogSelection, MAX_LINE_BYTES, type StampedLine } from "./log-line.ts";

/** Lines that are kept of one workload. */
const MAX_LINES = 500;
/** Characters of all kept lines of one workload. */
const MAX_CHARACTERS = 128 * 1024;
/** Workloads whose lines are kept; the one that was silent for longest is dropped. */
const MAX_WORKLOADS = 512;
/** Names of fields whose values are never shown. */
const HIDDEN = /password|token|authorization|secret|^env/i;

export interface ProxyLine extends StampedLine {
  readonly at: number;
  readonly level: "info" | "warn" | "error";
}

interface Kept {
  readonly lines: ProxyLine[];
  characters: number;
  /** Number of the newest line; they count from 1. */
  newest: number;
  /** Each wakes a reader. */
  readonly readers: Listeners;
}

export class ProxyLogs {
  readonly #kept = new Map<string, Kept>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** A log that writes to another one, and keeps here what is about a workload. @param workload Of all lines. Default: each says its own. */
  wrap(log: Logger, workload?: string): Logger {
    const keep =
      (level: ProxyLine["level"]): Logger[typeof level] =>
      (fields, message) => {
        log[level](fields, message);
        const name = workload ?? fields.workload;
        if (typeof name === "string") this.#add(name, level, formatText(fields, message));
      };
    const debug: Logger["debug"] = (fields, message) => log.debug(fields, message);
    return { error: keep("error"), warn: keep("warn"), info: keep("info"), debug };
  }

  /** Oldest first. */
  read(workload: string, { tail, since }: LogSelection): ProxyLine[] {
    const lines = this.#kept.get(workload)?.lines ?? [];
    const wanted = since === undefined ? lines : lines.filter(({ at }) => at >= since);
    return wanted.slice(Math.max(0, wanted.length - tail));
  }

  /** The selected lines and later ones, until the signal fires. A reader that is too slow misses lines. */
  async *follow(workload: string, selection: LogSelection, signal: AbortSignal): AsyncGenerator<ProxyLine> {
    const kept = this.#open(workload);
    let wake: () => void = () => undefined;
    const onLine = () => wake();
    const leave = kept.readers.add(onLine);
    signal.addEventListener("abort", onLine, { once: true });
    try {
      let last = kept.newest - this.read(workload, selection).length;
      for (;;) {
        while (last < kept.newest && !signal.aborted) {
          last = Math.max(last + 1, kept.newest - kept.lines.length + 1);
          yield kept.lines[kept.lines.length - 1 - (kept.newest - last)] as ProxyLine;
        }
        if (signal.aborted) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      leave();
      signal.removeEventListener("abort", onLine);
    }
  }

  /** Forgets removed workloads. @param names Of those that exist. */
  retain(names: readonly string[]): void {
    const present = new Set(names);
    for (const [name, { readers }] of this.#kept) {
      if (!present.has(name) && readers.size === 0) this.#kept.delete(name);
    }
  }

  #open(workload: string): Kept {
    const kept = this.#kept.get(workload) ?? { lines: [], characters: 0, newest: 0, readers: new Listeners() };
    // The last of the map is the one that was used last.
    this.#kept.delete(workload);
    this.#kept.set(workload, kept);
    if (this.#kept.size > MAX_WORKLOADS) this.#kept.delete(this.#kept.keys().next().value ?? "");
    return kept;
  }

  #add(workload: string, level: ProxyLine["level"], text: string): void {
    const kept = this.#open(workload);
    kept.lines.push({ at: this.#now(), level, text });
    kept.characters += text.length;
    kept.newest += 1;
    while (kept.lines.length > MAX_LINES || kept.characters > MAX_CHARACTERS) {
      kept.characters -= kept.lines.shift()?.text.length ?? 0;
    }
    kept.readers.notify();
  }
}

/** For example `status from=starting to=running`, on one line. */
function formatText({ workload: _known, ...fields }: Readonly<Record<string, unknown>>, message: string): string {
  const shown = Object.entries(fields)
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([name, value]) => `${name}=${HIDDEN.test(name) ? "[redacted]" : formatValue(value)}`);
  return [message, ...shown]
    .join(" ")
    .replace(/[\r\n]+/g, " ")
    .slice(0, MAX_LINE_BYTES);
}

function formatValue(value: unknown): string {
  if (value instanceof Error) return JSON.stringify(value.message);
  if (typeof value === "string") return /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
  return JSON.stringify(value, (name, inner: unknown) => (HIDDEN.test(name) ? "[redacted]" : inner)) ?? "";
}
