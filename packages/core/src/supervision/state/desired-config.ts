/** The run configuration of one workload, with its desired state on disk before anything acts on it. */
import { isDeepStrictEqual } from "node:util";
import { omitTools, pickTools, type ToolMembers } from "../../access/tool-selection.ts";
import { describeError, ThvError } from "../../support/errors.ts";
import type { DesiredState, RunConfig } from "../../workload/run-config.ts";
import type { RunConfigStore } from "../../workload/run-config-store.ts";

/** An absent `learn_network` ends the learning. */
export type NetworkMembers = Pick<RunConfig, "permission_profile" | "isolate_network" | "learn_network">;

export class DesiredConfig {
  readonly #store: RunConfigStore;
  #config: RunConfig;
  /** The configuration as last written. */
  #saved: RunConfig;
  /** What another one is run with in the place of this one; on disk, it is the only one. */
  #successor: RunConfig | undefined;
  /** The newest write; rejects when it has failed. */
  #saving: Promise<void> = Promise.resolve();

  /** @param config As it is on disk. */
  constructor(config: RunConfig, store: RunConfigStore) {
    this.#config = config;
    this.#saved = config;
    this.#store = store;
  }

  /** Only its desired state, whether it sleeps, its port, its tools and its network rules ever change. */
  get current(): RunConfig {
    return this.#config;
  }

  /** Whether the disk is outdated, because a write has failed. */
  get isUnsaved(): boolean {
    return !isDeepStrictEqual(this.#saved, this.#config);
  }

  /** Writes happen in the order of the calls; one that fails leaves the earlier file. */
  async save(desired: DesiredState): Promise<void> {
    const { asleep, ...before } = this.#config;
    if (before.desired_state === desired && !asleep) return await this.#saving;
    await this.#write({ ...before, desired_state: desired }, { isKept: false });
  }

  /** @throws What the write fails with; then it is as before. */
  async sleep(): Promise<void> {
    await this.#write({ ...this.#config, asleep: true }, { isKept: false });
  }

  /** Applies at once, written or not. */
  async wake(): Promise<void> {
    await this.keep(this.#config.desired_state);
  }

  /** Changes the port. */
  async moveTo(port: number): Promise<void> {
    await this.#write({ ...this.#config, port }, { isKept: false });
  }

  /** Changes what it may do on the network. */
  async changeNetwork(members: NetworkMembers): Promise<void> {
    const { learn_network: _learn, ...others } = this.#config;
    await this.#write({ ...others, ...members }, { isKept: false });
  }

  /** Changes which tools are offered. Members that are absent are taken away. */
  async changeTools(members: Pick<RunConfig, keyof ToolMembers>): Promise<void> {
    await this.#write({ ...omitTools(this.#config), ...pickTools(members) }, { isKept: false });
  }

  /**
   * For changes that must not fail on a full disk: the state applies at once, written or not.
   *
   * @returns The error when it could not be written.
   */
  async keep(desired: DesiredState): Promise<ThvError | undefined> {
    const { asleep, ...before } = this.#config;
    if (before.desired_state === desired && !asleep && !this.isUnsaved) return undefined;
    try {
      await this.#write({ ...before, desired_state: desired }, { isKept: true });
      return undefined;
    } catch (error) {
      return error instanceof ThvError
        ? error
        : new ThvError("FILE_FAILED", describeError(error), { hint: "Find out more: thv doctor", cause: error });
    }
  }

  async #write(config: RunConfig, { isKept }: { isKept: boolean }): Promise<void> {
    this.#config = config;
    const previous = this.#saving.catch(() => undefined);
    this.#saving = previous.then(async () => {
      try {
        // After a failed write the disk may already hold it.
        if (!isDeepStrictEqual(this.#saved, config)) await this.#store.save(this.#asOnDisk(config));
        this.#saved = config;
      } catch (error) {
        if (this.#config === config) {
          if (!isKept) this.#config = this.#saved;
          this.#saving = Promise.resolve();
        }
        throw error;
      }
    });
    await this.#saving;
  }

  /**
   * Writes the configuration of a successor, with the present desired state, to disk. A state that is saved later is saved for
   * the successor.
   *
   * @throws The error of the write; then the disk has the earlier file.
   */
  async saveSuccessor(next: RunConfig): Promise<void> {
    this.#successor = next;
    const saving = this.#saving
      .catch(() => undefined)
      .then(async () => await this.#store.save(this.#asOnDisk(this.#config)));
    this.#saving = saving;
    try {
      await saving;
    } catch (error) {
      this.#successor = undefined;
      if (this.#saving === saving) this.#saving = Promise.resolve();
      throw error;
    }
  }

  #asOnDisk(config: RunConfig): RunConfig {
    // A successor is started: it does not sleep.
    return this.#successor ? { ...this.#successor, desired_state: config.desired_state } : config;
  }

  async delete(): Promise<void> {
    await this.#store.delete(this.#config.name);
  }
}
