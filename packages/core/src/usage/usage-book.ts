/**
 * Counts what clients do with each server, and keeps it in files that are written now and then. Whatever is wrong with a file costs
 * what was counted, and never a call.
 */

import { Listeners } from "@toolhive/http/listeners";
import type { Logger } from "../ports/log.ts";
import type { UsageSink } from "../ports/usage-sink.ts";
import { describeError, hasCode } from "../support/errors.ts";
import type { UsageStore } from "./usage-files.ts";
import { readUsage, writeUsage } from "./usage-record.ts";
import { UsageRecorder } from "./usage-recorder.ts";

/** Milliseconds between two writes of what has changed. */
const SAVE_INTERVAL_MS = 60_000;
/** Milliseconds between two announcements of changes. */
const ANNOUNCE_INTERVAL_MS = 10_000;

export interface UsageBookOptions {
  readonly store: UsageStore;
  /** Whether calls are to be counted. Read at the start and before each write. @throws When the settings cannot be read. */
  readonly isWanted: () => Promise<boolean>;
  /** Saves that in the settings. */
  readonly setWanted: (isWanted: boolean) => Promise<void>;
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

interface Entry {
  readonly recorder: UsageRecorder;
  /** Settles when what an earlier process has counted is added. Never rejects. */
  loaded: Promise<void>;
  /** Whether its file may be written: not that of a newer version. */
  mayWrite: boolean;
  isChanged: boolean;
}

export class UsageBook {
  readonly #options: UsageBookOptions;
  readonly #entries = new Map<string, Entry>();
  /** Of the servers whose endpoints report here. */
  readonly #lives = new Map<string, { isOver: boolean }>();
  readonly #listeners = new Listeners();
  /** Names whose last write failed. */
  readonly #failed = new Set<string>();
  #isOn = true;
  #saveTimer: NodeJS.Timeout | undefined;
  #announceTimer: NodeJS.Timeout | undefined;
  #saving: Promise<void> = Promise.resolve();

  constructor(options: UsageBookOptions) {
    this.#options = options;
  }

  /** Whether calls are counted. */
  get isOn(): boolean {
    return this.#isOn;
  }

  /** Begins to write now and then, until it is closed. */
  async start(): Promise<void> {
    await this.refresh();
    this.#saveTimer = setInterval(() => void this.save(), SAVE_INTERVAL_MS);
    this.#saveTimer.unref();
  }

  /** Changes the settings, and follows them. @throws {ThvError} `CONFIG_INVALID`, `CONFIG_LOCKED`, `FILE_FAILED`. */
  async turn(isWanted: boolean): Promise<void> {
    await this.#options.setWanted(isWanted);
    await this.refresh();
  }

  /** Follows the settings. When calls are not to be counted any more, what was counted is deleted. @throws {ThvError} `FILE_FAILED`. */
  async refresh(): Promise<void> {
    const isWanted = await this.#options.isWanted().catch(() => this.#isOn);
    this.#isOn = isWanted;
    if (isWanted) return;
    this.#entries.clear();
    await this.#saving;
    await this.#options.store.deleteAll();
  }

  /** Where an endpoint reports what clients of a server do; without effect once that server is deleted. */
  forServer(name: string): UsageSink {
    const life = this.#lives.get(name) ?? { isOver: false };
    this.#lives.set(name, life);
    const find = () => (this.#isOn && !life.isOver ? this.#open(name).recorder : undefined);
    return {
      record: (call) => find()?.record(call),
      measure: (page) => find()?.measure(page),
    };
  }

  /** A client of a group has called a server, whose own endpoint knows the group alone. */
  recordClient(server: string, client: string, call: { readonly isFailure: boolean; readonly ms: number }): void {
    this.#entries.get(server)?.recorder.recordClient(client, call);
  }

  /** @returns What was counted of a server; `undefined` when nothing is counted. */
  async read(name: string): Promise<UsageRecorder | undefined> {
    if (!this.#isOn) return undefined;
    const entry = this.#open(name);
    await entry.loaded;
    return entry.recorder;
  }

  /** Calls back when something was counted, at most once in ten seconds. @returns Ends it. */
  follow(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Forgets a server; calls that end later are not counted. @throws {ThvError} `FILE_FAILED`. */
  async delete(name: string): Promise<void> {
    const life = this.#lives.get(name);
    if (life) life.isOver = true;
    this.#lives.delete(name);
    this.#entries.delete(name);
    await this.#saving;
    await this.#options.store.delete(name);
  }

  /** Writes what has changed. Never rejects. */
  save(): Promise<void> {
    this.#saving = this.#saving.then(async () => {
      try {
        await this.#save();
      } catch (error) {
        this.#options.log.warn({ reason: describeError(error) }, "usage could not be deleted");
      }
    });
    return this.#saving;
  }

  /** Writes the last changes. */
  async close(): Promise<void> {
    clearInterval(this.#saveTimer);
    clearTimeout(this.#announceTimer);
    this.#listeners.clear();
    await this.save();
  }

  async #save(): Promise<void> {
    const isWanted = await this.#options.isWanted().catch(() => this.#isOn);
    this.#isOn = isWanted;
    if (!isWanted) {
      this.#entries.clear();
      await this.#options.store.deleteAll();
      return;
    }
    for (const [name, entry] of [...this.#entries]) await this.#saveEntry(name, entry);
  }

  async #saveEntry(name: string, entry: Entry): Promise<void> {
    await entry.loaded;
    if (!entry.isChanged || !entry.mayWrite || this.#entries.get(name) !== entry) return;
    entry.isChanged = false;
    try {
      await this.#options.store.save(name, writeUsage(entry.recorder, this.#options.now()));
      this.#failed.delete(name);
    } catch (error) {
      entry.isChanged = true;
      if (!this.#failed.has(name))
        this.#options.log.warn({ workload: name, reason: describeError(error) }, "usage could not be saved");
      this.#failed.add(name);
    }
    // It was removed meanwhile, and the write has brought its file back.
    if (this.#entries.get(name) !== entry) await this.#options.store.delete(name);
  }

  #open(name: string): Entry {
    const found = this.#entries.get(name);
    if (found !== undefined) return found;
    const recorder = new UsageRecorder(this.#options.now, () => this.#onChange(name));
    const entry: Entry = { recorder, loaded: Promise.resolve(), mayWrite: true, isChanged: false };
    this.#entries.set(name, entry);
    entry.loaded = this.#load(name, entry);
    return entry;
  }

  async #load(name: string, entry: Entry): Promise<void> {
    const { store, log, now } = this.#options;
    try {
      const record = await store.read(name);
      if (record) entry.recorder.add(readUsage(record, now));
    } catch (error) {
      if (hasCode(error, "STATE_TOO_NEW")) entry.mayWrite = false;
      log.warn({ workload: name, reason: describeError(error) }, "earlier usage could not be read");
    }
  }

  #onChange(name: string): void {
    const entry = this.#entries.get(name);
    if (entry) entry.isChanged = true;
    if (this.#listeners.size === 0 || this.#announceTimer !== undefined) return;
    this.#announceTimer = setTimeout(() => {
      this.#announceTimer = undefined;
      this.#listeners.notify();
    }, ANNOUNCE_INTERVAL_MS);
    this.#announceTimer.unref();
  }
}
