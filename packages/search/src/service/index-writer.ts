/**
 * Uploads: the provider's write operations on named indexes. The served index is one of them and is replaced on disk as a
 * whole; the others are temporary, live in memory, and exist to be filled and moved over the served one.
 */
import { isRecord } from "@toolhive/http/values";
import { buildIndexSteps } from "../engine/index/build-index-data.ts";
import type { IndexData } from "../engine/index/index-format.ts";
import { OwnEngine } from "../engine/memory/memory-engine.ts";
import { type SearchRecord, toSearchRecord } from "../records/search-record.ts";
import { runInSlices } from "../support/in-slices.ts";
import { unescapeHtml } from "../wire/escape.ts";
import { escapeTexts } from "../wire/escape-record.ts";
import { WireError } from "../wire/wire-error.ts";
import type { IndexStore } from "./index-store.ts";

/** Temporary indexes at a time. */
const MAX_TEMPORARY = 8;
/** Records of all temporary indexes together. */
const MAX_TEMPORARY_RECORDS = 250_000;
/** Operations of one batch. */
const MAX_BATCH = 10_000;

type Fields = Readonly<Record<string, unknown>>;

interface Draft {
  readonly records: Map<string, Fields>;
  settings: Fields;
  /** Made when the draft is searched, dropped when it changes. */
  engine: Promise<OwnEngine> | undefined;
  updatedAt: Date;
}

export interface IndexSummary {
  readonly name: string;
  readonly entries: number;
  readonly updatedAt: string;
}

/** Whether the texts of uploaded records are HTML already; see `IndexSettings.userData`. */
export function isTextHtml(settings: Fields): boolean {
  const { userData } = settings;
  return typeof userData === "object" && userData !== null && "textIsHtml" in userData && userData.textIsHtml === true;
}

export class IndexWriter {
  readonly #servedName: string;
  readonly #store: IndexStore;
  readonly #today: () => Date;
  readonly #drafts = new Map<string, Draft>();
  #queue: Promise<unknown> = Promise.resolve();
  #taskID = 0;

  constructor(servedName: string, store: IndexStore, today: () => Date) {
    this.#servedName = servedName;
    this.#store = store;
    this.#today = today;
  }

  get lastTaskID(): number {
    return this.#taskID;
  }

  /** The engine of a temporary index; undefined when there is none. */
  buildEngine(name: string): Promise<OwnEngine> | undefined {
    const draft = this.#drafts.get(name);
    if (draft === undefined) return undefined;
    draft.engine ??= this.#build(name, draft).then((data) => new OwnEngine({ data }));
    return draft.engine;
  }

  list(): IndexSummary[] {
    const served = this.#store.engine?.data.meta;
    const items = [...this.#drafts].map(([name, { records, updatedAt }]) => ({
      name,
      entries: records.size,
      updatedAt: updatedAt.toISOString(),
    }));
    if (served === undefined) return items;
    return [{ name: this.#servedName, entries: served.recordCount, updatedAt: this.#today().toISOString() }, ...items];
  }

  /** `POST …/batch`. @returns the ids of the records, in order. */
  batch(name: string, operations: unknown): Promise<string[]> {
    if (!Array.isArray(operations)) throw new WireError(400, "requests must be an array");
    if (operations.length > MAX_BATCH)
      throw new WireError(400, `Too many operations in one batch, at most ${MAX_BATCH}`);
    return this.#change(name, (draft) => {
      const ids: string[] = [];
      for (const operation of operations) ids.push(applyOperation(draft, operation));
      return ids;
    });
  }

  /** `PUT …/settings`: only the given settings change. */
  async setSettings(name: string, settings: Fields): Promise<void> {
    await this.#change(name, (draft) => {
      draft.settings = { ...draft.settings, ...settings };
    });
  }

  /** `POST …/clear`. */
  async clear(name: string): Promise<void> {
    await this.#change(name, (draft) => draft.records.clear());
  }

  /** `DELETE …`. The served index can be replaced and cleared but not deleted: its file belongs to the site. */
  async delete(name: string): Promise<void> {
    if (name === this.#servedName)
      throw new WireError(400, "The served index cannot be deleted; move another one over it");
    await this.#enqueue(async () => {
      this.#drafts.delete(name);
    });
  }

  /**
   * `POST …/operation`: a move or a copy of everything, or of the settings alone.
   *
   * @param scope What a copy takes; undefined for all. Only `settings` means something here.
   */
  async operate(kind: unknown, from: string, to: string, scope: readonly unknown[] | undefined): Promise<void> {
    if (kind !== "move" && kind !== "copy") throw new WireError(400, 'operation must be "move" or "copy"');
    await this.#enqueue(async () => {
      const source = await this.#findDraft(from);
      if (scope !== undefined) {
        if (source === undefined || !scope.includes("settings")) return;
        const target = (await this.#findDraft(to)) ?? this.#emptyDraft();
        target.settings = source.settings;
        await this.#publish(to, target);
        return;
      }
      if (source === undefined) throw new WireError(404, `Index ${from.slice(0, 100)} does not exist`);
      await this.#publish(to, { ...source, records: new Map(source.records), engine: undefined });
      if (kind === "move" && from !== this.#servedName) this.#drafts.delete(from);
    });
  }

  #change<Result>(name: string, change: (draft: Draft) => Result): Promise<Result> {
    return this.#enqueue(async () => {
      const known = (await this.#findDraft(name)) ?? this.#emptyDraft();
      // On a copy, so that an operation that fails half way leaves the index as it was.
      const draft: Draft = { ...known, records: new Map(known.records) };
      const result = change(draft);
      await this.#publish(name, draft);
      return result;
    });
  }

  /** One write at a time, in the order of their arrival. */
  #enqueue<Result>(write: () => Promise<Result>): Promise<Result> {
    const done = this.#queue.then(write);
    this.#queue = done.catch(() => undefined);
    this.#taskID += 1;
    return done;
  }

  async #publish(name: string, draft: Draft): Promise<void> {
    if (name === this.#servedName) {
      await this.#store.replace(await this.#build(name, draft));
      return;
    }
    const others = [...this.#drafts].filter(([other]) => other !== name);
    if (others.length >= MAX_TEMPORARY)
      throw new WireError(400, `Too many temporary indexes, at most ${MAX_TEMPORARY}`);
    const records = others.reduce((sum, [, other]) => sum + other.records.size, draft.records.size);
    if (records > MAX_TEMPORARY_RECORDS) {
      throw new WireError(400, `Too many records in temporary indexes, at most ${MAX_TEMPORARY_RECORDS}`);
    }
    this.#drafts.set(name, { ...draft, engine: undefined, updatedAt: this.#today() });
  }

  async #build(name: string, { records, settings }: Draft): Promise<IndexData> {
    const decode = isTextHtml(settings) ? unescapeHtml : undefined;
    function* searchRecords(): Generator<SearchRecord> {
      for (const record of records.values()) yield toSearchRecord(record, decode);
    }
    try {
      return await runInSlices(buildIndexSteps({ indexName: name, records: searchRecords(), settings }));
    } catch (error) {
      if (error instanceof RangeError) throw new WireError(400, error.message);
      throw error;
    }
  }

  #emptyDraft(): Draft {
    return { records: new Map(), settings: {}, engine: undefined, updatedAt: this.#today() };
  }

  async #findDraft(name: string): Promise<Draft | undefined> {
    if (name !== this.#servedName) return this.#drafts.get(name);
    const engine = this.#store.engine;
    if (engine === undefined) return undefined;
    const { settings } = engine.data.meta;
    return { ...this.#emptyDraft(), records: await runInSlices(readRecords(engine)), settings };
  }
}

/** The records of an index as they were uploaded, so that the settings still say the truth about the texts. */
function* readRecords(engine: OwnEngine): Generator<void, Map<string, Fields>> {
  const { recordCount, settings } = engine.data.meta;
  const encode = isTextHtml(settings) ? escapeTexts : (record: SearchRecord) => record;
  const records = new Map<string, Fields>();
  for (let number = 0; number < recordCount; number++) {
    const record = engine.recordAt(number);
    records.set(record.objectID, encode(record));
    yield;
  }
  return records;
}

function applyOperation(draft: Draft, operation: unknown): string {
  if (!isRecord(operation)) throw new WireError(400, "every operation must be an object");
  const { action } = operation;
  const body = isRecord(operation.body) ? operation.body : {};
  if (action === "clear" || action === "delete") {
    draft.records.clear();
    return "";
  }
  const given = body.objectID;
  if (given === undefined || given === "") throw new WireError(400, "objectID is missing");
  const objectID = String(given);
  switch (action) {
    case "addObject":
    case "updateObject":
      draft.records.set(objectID, body);
      return objectID;
    case "partialUpdateObject":
    case "partialUpdateObjectNoCreate": {
      const known = draft.records.get(objectID);
      if (known !== undefined || action === "partialUpdateObject") draft.records.set(objectID, { ...known, ...body });
      return objectID;
    }
    case "deleteObject":
      draft.records.delete(objectID);
      return objectID;
    default:
      throw new WireError(400, `Unknown action ${JSON.stringify(action)?.slice(0, 60)}`);
  }
}
