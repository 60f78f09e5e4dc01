/** Run configurations on a disk in memory, which outlives the supervisors that write to it. */
import type { RunConfig } from "../workload/run-config.ts";
import { type DamagedRunConfig, type LoadedRunConfigs, RunConfigStore } from "../workload/run-config-store.ts";
import { Life } from "./life.ts";

/** File contents by workload name. */
export type MemoryDisk = Map<string, string>;

export class MemoryRunConfigStore extends RunConfigStore {
  readonly #disk: MemoryDisk;
  readonly #life: Life;
  readonly #wait: () => Promise<void>;
  readonly #previous = new Map<string, string>();
  /** Thrown by the next writes, one each. */
  readonly failures: Error[] = [];

  constructor(disk: MemoryDisk, life: Life = new Life(), wait: () => Promise<void> = async () => undefined) {
    super("/dev/null/no-folder");
    this.#disk = disk;
    this.#life = life;
    this.#wait = wait;
  }

  override async load(): Promise<LoadedRunConfigs> {
    return await this.#life.step(async () => {
      const configs: RunConfig[] = [];
      const damaged: DamagedRunConfig[] = [];
      for (const [name, text] of this.#disk) {
        try {
          configs.push(JSON.parse(text) as RunConfig);
        } catch (error) {
          damaged.push({ name, path: `/state/${name}.json`, code: "STATE_CORRUPT", reason: String(error) });
        }
      }
      return { configs, damaged };
    });
  }

  override async save(config: RunConfig): Promise<void> {
    await this.#life.step(async () => {
      await this.#wait();
      // Unlike a call to the engine, a write that was not done when its process was killed is never done.
      if (this.#life.isDead) return;
      const failure = this.failures.shift();
      if (failure) throw failure;
      this.#disk.set(config.name, JSON.stringify(config));
    });
  }

  override async savePrevious(name: string, text: string): Promise<void> {
    await this.#life.step(async () => {
      this.#previous.set(name, text);
    });
  }

  override async readPrevious(name: string): Promise<string> {
    const text = this.#previous.get(name);
    if (text === undefined) throw new Error(`Nothing is kept of ${name}.`);
    return text;
  }

  override async delete(name: string): Promise<void> {
    await this.#life.step(async () => {
      await this.#wait();
      // Unlike a call to the engine, a write that was not done when its process was killed is never done.
      if (this.#life.isDead) return;
      this.#disk.delete(name);
      this.#previous.delete(name);
    });
  }
}
