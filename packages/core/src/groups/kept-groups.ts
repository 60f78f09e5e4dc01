/** The groups in memory and on disk: changes follow each other, and one that cannot be written has not happened. */

import { KeptWrite } from "../files/kept-write.ts";
import type { GroupEndpoint } from "../ports/group-endpoint.ts";
import { ThvError } from "../support/errors.ts";
import { compareNames } from "../support/natural-order.ts";
import type { GroupRecord, GroupStore } from "./group-store.ts";

/** The group of workloads that are in no other. It has no endpoint. */
export const DEFAULT_GROUP = "default";

export interface KeptGroup {
  record: GroupRecord;
  endpoint: GroupEndpoint | undefined;
  /** Why it has no endpoint now. */
  problem: string | undefined;
}

export class KeptGroups {
  readonly #store: Pick<GroupStore, "load" | "save">;
  readonly #groups = new Map<string, KeptGroup>();
  /** Serializes changes of the file. */
  #queue: Promise<unknown> = Promise.resolve();
  /** Retries failed writes that no caller waits for. */
  readonly #unsaved = new KeptWrite({
    write: () => this.enqueue(() => this.save()),
    onFailed: () => undefined,
  });

  constructor(store: Pick<GroupStore, "load" | "save">) {
    this.#store = store;
  }

  /** @throws {ThvError} `STATE_CORRUPT`, `STATE_TOO_NEW`. */
  async load(): Promise<void> {
    for (const record of await this.#store.load()) {
      this.#groups.set(record.name, { record, endpoint: undefined, problem: undefined });
    }
  }

  get all(): readonly KeptGroup[] {
    return [...this.#groups.values()];
  }

  /** Those that have an address: all but `default`. */
  get named(): readonly KeptGroup[] {
    return this.all.filter(({ record }) => record.name !== DEFAULT_GROUP);
  }

  find(name: string): KeptGroup | undefined {
    return this.#groups.get(name);
  }

  /** @throws {ThvError} `GROUP_NOT_FOUND`. */
  get(name: string): KeptGroup {
    const group = this.#groups.get(name);
    if (group !== undefined) return group;
    throw new ThvError("GROUP_NOT_FOUND", `There is no group "${name.slice(0, 100)}".`, {
      hint: `See all groups: thv group list. Create it: thv group create ${name.slice(0, 100)}`,
    });
  }

  /** The same, and `default` also before anything was put into it. */
  getOrDefault(name: string): KeptGroup {
    if (name !== DEFAULT_GROUP || this.#groups.has(name)) return this.get(name);
    const group: KeptGroup = { record: { name, members: [] }, endpoint: undefined, problem: undefined };
    this.#groups.set(name, group);
    return group;
  }

  /** Runs a change after those before it. */
  async enqueue<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(work);
    this.#queue = turn.catch(() => undefined);
    return await turn;
  }

  /** @throws {ThvError} `FILE_FAILED`; then it is not there. */
  async add(group: KeptGroup): Promise<void> {
    const { name } = group.record;
    this.#groups.set(name, group);
    await this.#saveOr(() => this.#groups.delete(name));
  }

  /** @throws {ThvError} `FILE_FAILED`; then it is still there. */
  async delete(group: KeptGroup): Promise<void> {
    const { name } = group.record;
    this.#groups.delete(name);
    await this.#saveOr(() => this.#groups.set(name, group));
  }

  /** @throws {ThvError} `FILE_FAILED`, `INVALID_ARGUMENT`; then it is as before. */
  async change(group: KeptGroup, record: GroupRecord): Promise<void> {
    const before = group.record;
    group.record = record;
    await this.#saveOr(() => {
      group.record = before;
    });
  }

  async save(): Promise<void> {
    await this.#store.save(this.all.map(({ record }) => record).sort(byName));
  }

  /** No caller waits for it: it is retried until it succeeds. */
  saveLater(): void {
    void this.#unsaved.save();
  }

  /** Settles when nothing is written any more. */
  async close(): Promise<void> {
    await this.#unsaved.close();
    await this.#queue;
  }

  async #saveOr(undo: () => unknown): Promise<void> {
    try {
      await this.save();
    } catch (error) {
      undo();
      throw error;
    }
  }
}

export function byName(left: { readonly name: string }, right: { readonly name: string }): number {
  return compareNames(left.name, right.name);
}
