/** What servers wrote whose start failed and that were removed because of it: kept for a while, bounded in size, number and age. */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { atomicWrite } from "../files/atomic-write.ts";
import { readBoundedText } from "../files/bounded-file.ts";
import { readSystemCode } from "../support/errors.ts";
import { FAILED_OUTPUT_DAYS, MAX_FAILED_OUTPUT_BYTES, MAX_FAILED_OUTPUTS } from "./log-limits.ts";
import { decodeLine, encodeLine, type StampedLine } from "./log-line.ts";

export interface FailedStart {
  readonly at: Date;
  /** A sentence. */
  readonly reason: string;
  /** What the server wrote, oldest first. */
  readonly lines: readonly StampedLine[];
}

/** Its methods are called with valid names of workloads. */
export interface FailedOutputs {
  /** Keeps the output of a failed start in the place of an earlier one of this name. */
  keep(workload: string, start: FailedStart): Promise<void>;
  /** @returns The lines, with one about the start before them; `undefined` when none are kept. */
  read(workload: string): Promise<readonly StampedLine[] | undefined>;
  /** Forgetting what is not there succeeds. */
  forget(workload: string): Promise<void>;
}

const MAX_AGE_MS = FAILED_OUTPUT_DAYS * 24 * 60 * 60 * 1_000;
/** The part of the bytes that is for the beginning, where the cause often is. */
const FIRST_PART = 0.5;
const SUFFIX = ".log";

/** Files in the folder `logs/failed` of the data directory, mode 0600: `NAME.log`. */
export function openFailedOutputs(dataDirectory: string, now: () => number = Date.now): FailedOutputs {
  return new FailedOutputFiles(join(dataDirectory, "logs", "failed"), now);
}

class FailedOutputFiles implements FailedOutputs {
  readonly #folder: string;
  readonly #now: () => number;

  constructor(folder: string, now: () => number) {
    this.#folder = folder;
    this.#now = now;
  }

  async keep(workload: string, start: FailedStart): Promise<void> {
    await atomicWrite(this.#path(workload), Buffer.concat(formatFailedStart(workload, start).map(encode)));
    await this.#prune();
  }

  async read(workload: string): Promise<readonly StampedLine[] | undefined> {
    const path = this.#path(workload);
    try {
      const { mtimeMs } = await stat(path);
      if (this.#now() - mtimeMs > MAX_AGE_MS) {
        await this.forget(workload);
        return undefined;
      }
      const lines = (await readBoundedText(path)).split("\n").slice(0, -1);
      return lines.map((line) => decodeLine(Buffer.from(line)));
    } catch (error) {
      if (readSystemCode(error) === "ENOENT") return undefined;
      throw error;
    }
  }

  async forget(workload: string): Promise<void> {
    await rm(this.#path(workload), { force: true });
  }

  #path(workload: string): string {
    return join(this.#folder, `${workload}${SUFFIX}`);
  }

  /** Removes those that are too old, and the oldest of those that are too many. */
  async #prune(): Promise<void> {
    const files: { readonly path: string; readonly mtimeMs: number }[] = [];
    for (const name of await readdir(this.#folder)) {
      const path = join(this.#folder, name);
      // Another removal may have been faster.
      const found = await stat(path).catch(() => undefined);
      if (found) files.push({ path, mtimeMs: found.mtimeMs });
    }
    files.sort((one, other) => other.mtimeMs - one.mtimeMs);
    const isOver = (mtimeMs: number, index: number) =>
      index >= MAX_FAILED_OUTPUTS || this.#now() - mtimeMs > MAX_AGE_MS;
    for (const [index, { path, mtimeMs }] of files.entries())
      if (isOver(mtimeMs, index)) await rm(path, { force: true });
  }
}

/** @returns The lines that are kept: the first and the last ones where there are too many, and one about the start before them. */
export function formatFailedStart(workload: string, { at, reason, lines }: FailedStart): StampedLine[] {
  const header = {
    at: at.getTime(),
    text: `thv: of the start of ${workload} that failed at ${at.toISOString()}: ${reason}`,
  };
  const first = countFitting(lines, MAX_FAILED_OUTPUT_BYTES * FIRST_PART);
  const rest = lines.slice(first);
  const last = countFitting([...rest].reverse(), MAX_FAILED_OUTPUT_BYTES * (1 - FIRST_PART));
  const left = rest.length - last;
  const note = left > 0 ? [{ at: at.getTime(), text: `thv: left out ${left} ${left === 1 ? "line" : "lines"}` }] : [];
  return [header, ...lines.slice(0, first), ...note, ...rest.slice(left)];
}

function countFitting(lines: readonly StampedLine[], bytes: number): number {
  let left = bytes;
  const end = lines.findIndex((line) => {
    left -= encode(line).length;
    return left < 0;
  });
  return end < 0 ? lines.length : end;
}

/** A line of which the engine did not say when it was written has the time of none. */
function encode({ at, text }: StampedLine): Buffer {
  return at === undefined ? Buffer.from(`${text}\n`) : encodeLine(at, text);
}
