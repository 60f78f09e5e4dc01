/** Outputs of failed starts in memory. */
import { type FailedOutputs, type FailedStart, formatFailedStart } from "../server-log/failed-outputs.ts";
import type { StampedLine } from "../server-log/log-line.ts";

export class MemoryFailedOutputs implements FailedOutputs {
  readonly #kept = new Map<string, readonly StampedLine[]>();

  async keep(workload: string, start: FailedStart): Promise<void> {
    this.#kept.set(workload, formatFailedStart(workload, start));
  }

  async read(workload: string): Promise<readonly StampedLine[] | undefined> {
    return this.#kept.get(workload);
  }

  async forget(workload: string): Promise<void> {
    this.#kept.delete(workload);
  }
}
