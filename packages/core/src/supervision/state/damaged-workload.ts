/** Workloads whose configurations on disk cannot be read: they are listed, and can be removed. */
import { Readable } from "node:stream";
import type { Logger } from "../../ports/log.ts";
import type { OpenLogFile } from "../../server-log/log-file.ts";
import type { LogSelection, StampedLine } from "../../server-log/log-line.ts";
import { ServerLog } from "../../server-log/server-log.ts";
import { ThvError } from "../../support/errors.ts";
import type { PinStore } from "../../tool-pins/pin-record.ts";
import type { DamagedRunConfig, RunConfigStore } from "../../workload/run-config-store.ts";
import type { Workload } from "../../workload/workload.ts";

interface DamagedWorkloadsOptions {
  readonly runConfigs: RunConfigStore;
  readonly toolPins: PinStore;
  readonly usage?: { delete(name: string): Promise<void> } | undefined;
  readonly openLogFile: OpenLogFile;
  readonly log: Logger;
}

export class DamagedWorkloads {
  readonly #options: DamagedWorkloadsOptions;
  readonly #files = new Map<string, DamagedRunConfig>();

  constructor(options: DamagedWorkloadsOptions) {
    this.#options = options;
  }

  add(file: DamagedRunConfig): void {
    this.#options.log.error({ ...file }, "run configuration cannot be read");
    this.#files.set(file.name, file);
  }

  has(name: string): boolean {
    return this.#files.has(name);
  }

  names(): Iterable<string> {
    return this.#files.keys();
  }

  list(): Workload[] {
    return [...this.#files.values()].map(describeDamaged);
  }

  find(name: string): Workload | undefined {
    const file = this.#files.get(name);
    return file && describeDamaged(file);
  }

  /** @throws {ThvError} `STATE_CORRUPT`, `STATE_TOO_NEW` for one that is damaged. */
  assertSound(name: string): void {
    const file = this.#files.get(name);
    if (file) throw createDamagedError(file);
  }

  /** What its server wrote when it ran; `undefined` for one that is not damaged. */
  findLogs(name: string) {
    if (!this.#files.has(name)) return undefined;
    const log = this.#openLog(name);
    return {
      read: async (selection: LogSelection): Promise<StampedLine[]> => await log.read(selection),
      // It does not run, so nothing writes to its log.
      follow: async (selection: LogSelection): Promise<AsyncIterable<StampedLine>> =>
        Readable.from(await log.read(selection)),
    };
  }

  /** Removes all that is on disk of it. @throws {ThvError} `FILE_FAILED`. */
  async delete(name: string): Promise<void> {
    await this.#openLog(name).remove();
    await this.#options.toolPins.delete(name);
    await this.#options.usage?.delete(name);
    await this.#options.runConfigs.delete(name);
    this.#files.delete(name);
  }

  #openLog(name: string): ServerLog {
    const { openLogFile, log } = this.#options;
    return new ServerLog({ workload: name, file: openLogFile(name), log });
  }
}

export function describeDamaged({ name, path, code, reason }: DamagedRunConfig): Workload {
  const isTooNew = code === "STATE_TOO_NEW";
  const message = isTooNew ? reason : `its configuration ${path} cannot be read: ${reason}`;
  const hint = isTooNew
    ? formatTooNewHint(name)
    : `Fix the file and restart the supervisor, or remove the server: thv rm ${name}`;
  return {
    name,
    package: "",
    url: "",
    port: 0,
    toolType: "mcp",
    transportType: "stdio",
    status: "error",
    statusContext: message,
    error: { code, message, hint },
    createdAt: new Date(0),
  };
}

/** The error for every operation except removal. */
export function createDamagedError({ name, path, code, reason }: DamagedRunConfig): ThvError {
  if (code === "STATE_TOO_NEW") return new ThvError(code, reason, { hint: formatTooNewHint(name) });
  return new ThvError("STATE_CORRUPT", `The configuration of "${name}" cannot be read: ${reason}`, {
    hint: `Fix ${path} and restart the supervisor, or remove the server: thv rm ${name}`,
  });
}

function formatTooNewHint(name: string): string {
  return `Install that newer thv again, or remove the server: thv rm ${name}`;
}
