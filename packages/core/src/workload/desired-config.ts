/** The run configuration of one workload, with its desired state on disk before anything acts on it. */
import type { DesiredState, RunConfig } from "../run-config.ts";
import type { RunConfigStore } from "../run-config-store.ts";

export class DesiredConfig {
  readonly #store: RunConfigStore;
  #config: RunConfig;
  /** What the disk holds, as far as writing has succeeded. */
  #saved: RunConfig;
  /** The newest write; rejects when it has failed. */
  #saving: Promise<void> = Promise.resolve();

  /** @param config As it is on disk. */
  constructor(config: RunConfig, store: RunConfigStore) {
    this.#config = config;
    this.#saved = config;
    this.#store = store;
  }

  /** Only its desired state ever changes. */
  get current(): RunConfig {
    return this.#config;
  }

  /** Writes happen in the order of the calls; one that fails leaves what was there before. */
  async save(desired: DesiredState): Promise<void> {
    const before = this.#config;
    if (before.desired_state === desired) return await this.#saving;
    const config: RunConfig = { ...before, desired_state: desired };
    this.#config = config;
    const previous = this.#saving.catch(() => undefined);
    this.#saving = previous.then(async () => {
      try {
        await this.#store.save(config);
        this.#saved = config;
      } catch (error) {
        if (this.#config === config) {
          this.#config = this.#saved;
          this.#saving = Promise.resolve();
        }
        throw error;
      }
    });
    await this.#saving;
  }

  async delete(): Promise<void> {
    await this.#store.delete(this.#config.name);
  }
}
