/** The log of a server on a disk in memory, which outlives the supervisors that write to it. */
import type { LogFile } from "../server-log/log-file.ts";

export class MemoryLogFile implements LogFile {
  readonly #workload: string;
  readonly #disk: Map<string, Buffer>;

  /** @param disk Contents by workload. */
  constructor(workload: string, disk: Map<string, Buffer>) {
    this.#workload = workload;
    this.#disk = disk;
  }

  async append(bytes: Buffer): Promise<void> {
    this.#disk.set(this.#workload, Buffer.concat([await this.readNewest(Number.POSITIVE_INFINITY), bytes]));
  }

  async readNewest(maxBytes: number): Promise<Buffer> {
    const all = this.#disk.get(this.#workload) ?? Buffer.alloc(0);
    return all.subarray(Math.max(0, all.length - maxBytes));
  }

  async remove(): Promise<void> {
    this.#disk.delete(this.#workload);
  }
}
