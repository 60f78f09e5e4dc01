/** Pinned tools on a disk in memory, which outlives the supervisors that write to it. */
import { ThvError } from "../support/errors.ts";
import type { PinRecord, PinStore } from "../tool-pins/pin-record.ts";
import { Life } from "./life.ts";

/** File contents by workload name. */
export type MemoryPins = Map<string, string>;

export class MemoryPinStore implements PinStore {
  readonly #disk: MemoryPins;
  readonly #life: Life;
  readonly #findProblem: () => Error | undefined;
  /** Thrown by the next writes, one each. */
  readonly failures: Error[] = [];

  /** @param findProblem Why nothing can be written at this moment. Default: it can. */
  constructor(disk: MemoryPins, life: Life = new Life(), findProblem: () => Error | undefined = () => undefined) {
    this.#disk = disk;
    this.#findProblem = findProblem;
    this.#life = life;
  }

  async read(name: string): Promise<PinRecord | undefined> {
    return await this.#life.step(async () => {
      const text = this.#disk.get(name);
      try {
        return text === undefined ? undefined : (JSON.parse(text) as PinRecord);
      } catch (error) {
        throw new ThvError("STATE_CORRUPT", `The pinned tools of "${name}" cannot be read: ${String(error)}`);
      }
    });
  }

  async save(name: string, record: PinRecord): Promise<void> {
    await this.#life.step(async () => {
      if (this.#life.isDead) return;
      const failure = this.failures.shift() ?? this.#findProblem();
      if (failure) throw failure;
      this.#disk.set(name, JSON.stringify(record));
    });
  }

  async delete(name: string): Promise<void> {
    await this.#life.step(async () => {
      if (!this.#life.isDead) this.#disk.delete(name);
    });
  }
}
