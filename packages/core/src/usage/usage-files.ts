/**
 * What was counted of each server, in a small file of its own: numbers, dates, and names of tools and clients, and nothing of what
 * was sent or answered.
 */
import { join } from "node:path";
import { isRecord, parseJson } from "@toolhive/http/values";
import * as Type from "typebox";
import { atomicWrite } from "../files/atomic-write.ts";
import { readTextIfPresent } from "../files/bounded-file.ts";
import { removeFile } from "../files/remove-file.ts";
import { assertKnownVersion, STATE_VERSION } from "../files/state-version.ts";
import { listProblems } from "../schemas/schema-problems.ts";
import { listSentences } from "../support/located-problem.ts";
import { LATENCY_BUCKETS } from "./latency.ts";
import { MAX_NAME_LENGTH } from "./usage-names.ts";
import { MAX_USED_CLIENTS, MAX_USED_TOOLS } from "./usage-recorder.ts";
import { USAGE_DAYS } from "./usage-series.ts";

/** Bytes; each series has at most 31 counts of 15 numbers. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;

const Whole = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const CountSchema = Type.Object({
  calls: Whole,
  failures: Whole,
  /** Calls by duration; zeros at the end are left out. */
  latency: Type.Array(Whole, { maxItems: LATENCY_BUCKETS }),
});
const SERIES = {
  last_used_at: Type.Optional(Type.String({ maxLength: 40 })),
  total: CountSchema,
  sum_ms: Whole,
  days: Type.Array(Type.Object({ date: Type.String({ maxLength: 10 }), ...CountSchema.properties }), {
    // A clock that was set back leaves days of the future.
    maxItems: 2 * USAGE_DAYS,
  }),
};
const NamedSchema = Type.Object({ name: Type.String({ maxLength: MAX_NAME_LENGTH }), ...SERIES });
const SeriesSchema = Type.Object(SERIES);

const UsageRecordSchema = Type.Object({
  since: Type.String({ maxLength: 40 }),
  all: SeriesSchema,
  tools: Type.Array(NamedSchema, { maxItems: MAX_USED_TOOLS }),
  other_tools: Type.Optional(SeriesSchema),
  clients: Type.Array(NamedSchema, { maxItems: MAX_USED_CLIENTS }),
  other_clients: Type.Optional(SeriesSchema),
  context: Type.Optional(
    Type.Object({
      measured_at: Type.String({ maxLength: 40 }),
      bytes: Whole,
      tool_count: Whole,
      tools: Type.Array(Type.Object({ name: Type.String({ maxLength: MAX_NAME_LENGTH }), bytes: Whole }), {
        maxItems: MAX_USED_TOOLS,
      }),
    }),
  ),
});

export type UsageRecord = Readonly<Type.Static<typeof UsageRecordSchema>>;
export type SeriesRecord = Readonly<Type.Static<typeof SeriesSchema>>;

/** Keeps one record a server. */
export interface UsageStore {
  /** @returns `undefined` when nothing was recorded. @throws {ThvError} `STATE_TOO_NEW`. @throws {Error} when it cannot be used. */
  read(name: string): Promise<UsageRecord | undefined>;
  /** @throws {ThvError} `FILE_FAILED`. */
  save(name: string, record: UsageRecord): Promise<void>;
  /** Deleting what is not there succeeds. @throws {ThvError} `FILE_FAILED`. */
  delete(name: string): Promise<void>;
  /** Deletes the records of all servers. @throws {ThvError} `FILE_FAILED`. */
  deleteAll(): Promise<void>;
}

export class UsageFiles implements UsageStore {
  readonly #directory: string;

  /** @param stateDirectory The `toolhive` directory below the user's state directory. */
  constructor(stateDirectory: string) {
    this.#directory = join(stateDirectory, "usage");
  }

  async read(name: string): Promise<UsageRecord | undefined> {
    const path = this.#formatPath(name);
    const text = await readTextIfPresent(path, { maxBytes: MAX_FILE_BYTES });
    if (text === undefined) return undefined;
    const value = parseJson(text);
    if (!isRecord(value)) throw new Error(`${path} is not a JSON object`);
    assertKnownVersion(value, path);
    const problems = listSentences(listProblems(UsageRecordSchema, value));
    if (problems.length > 0) throw new Error(`${path}: ${problems.slice(0, 3).join("; ")}`);
    return value as UsageRecord;
  }

  async save(name: string, record: UsageRecord): Promise<void> {
    await atomicWrite(this.#formatPath(name), `${JSON.stringify({ state_version: STATE_VERSION, ...record })}\n`);
  }

  async delete(name: string): Promise<void> {
    await removeFile(this.#formatPath(name));
  }

  async deleteAll(): Promise<void> {
    await removeFile(this.#directory, { recursive: true });
  }

  #formatPath(name: string): string {
    return join(this.#directory, `${name}.json`);
  }
}
