/** Groups on disk: one small file for all of them, written atomically. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { parseJson } from "@toolhive/http/values";
import * as Type from "typebox";
import { atomicWrite } from "../files/atomic-write.ts";
import { readBoundedText, readTextIfPresent } from "../files/bounded-file.ts";
import { describeJsonFault } from "../files/json-fault.ts";
import { assertKnownVersion, STATE_VERSION } from "../files/state-version.ts";
import { GROUP_NAMINGS } from "../ports/group-endpoint.ts";
import { assertMatches } from "../schemas/schema-problems.ts";
import { describeError, hasCode, ThvError } from "../support/errors.ts";

/** Groups of one user, and workloads of one group. */
export const MAX_GROUPS = 100;
export const MAX_GROUP_MEMBERS = 1000;
/**
 * Bytes of the file; a hundred groups of a thousand names of a hundred letters are ten million. Descriptions of tools add to
 * that.
 */
const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** Bytes of what one server offers, as it is kept. */
const MAX_LIST_BYTES = 32 * 1024 * 1024;

const GroupToolSchema = Type.Object({
  /** The server that has it; absent where none had it when it was chosen. */
  server: Type.Optional(Type.String({ minLength: 1 })),
  /** The server's own name; without a server the one that clients see. */
  name: Type.String({ minLength: 1 }),
});

const GroupRecordSchema = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 100 }),
  /** Names of workloads, sorted. */
  members: Type.Array(Type.String({ minLength: 1 }), { maxItems: MAX_GROUP_MEMBERS }),
  /** Of its endpoint; absent for `default`, which has none. */
  port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65535 })),
  naming: Type.Optional(Type.Enum([...GROUP_NAMINGS])),
  /** Absent: all. */
  tools: Type.Optional(Type.Array(GroupToolSchema)),
  tool_overrides: Type.Optional(
    Type.Array(
      Type.Object({
        ...GroupToolSchema.properties,
        override: Type.Object({
          name: Type.Optional(Type.String({ minLength: 1 })),
          description: Type.Optional(Type.String()),
        }),
      }),
    ),
  ),
  /** Absent: no. */
  find_tools: Type.Optional(Type.Boolean()),
});
export type GroupRecord = Readonly<Type.Static<typeof GroupRecordSchema>>;

const GroupFileSchema = Type.Object({ groups: Type.Array(GroupRecordSchema, { maxItems: MAX_GROUPS }) });

export class GroupStore {
  readonly #path: string;
  readonly #listDirectory: string;

  /** @param stateDirectory The `toolhive` directory below the user's state directory. */
  constructor(stateDirectory: string) {
    this.#path = join(stateDirectory, "groups.json");
    this.#listDirectory = join(stateDirectory, "server-lists");
  }

  /** @throws {ThvError} `STATE_CORRUPT`, `STATE_TOO_NEW`. */
  async load(): Promise<readonly GroupRecord[]> {
    try {
      const text = await readTextIfPresent(this.#path, { maxBytes: MAX_FILE_BYTES });
      if (text === undefined) return [];
      const value = parseJson(text);
      if (value === undefined) throw new Error(describeJsonFault(text));
      assertKnownVersion(value, this.#path);
      assertMatches(GroupFileSchema, value);
      return (value as Type.Static<typeof GroupFileSchema>).groups;
    } catch (error) {
      if (hasCode(error, "STATE_TOO_NEW")) throw error;
      throw new ThvError("STATE_CORRUPT", `The groups in ${this.#path} cannot be read: ${describeError(error)}`, {
        hint: `Correct the file, or remove it: servers stay, groups have to be created again.`,
        cause: error,
      });
    }
  }

  /** @throws {ThvError} `FILE_FAILED`, `INVALID_ARGUMENT` when they are too large to be read again. */
  async save(groups: readonly GroupRecord[]): Promise<void> {
    const text = `${JSON.stringify({ state_version: STATE_VERSION, groups }, null, 2)}\n`;
    if (Buffer.byteLength(text) > MAX_FILE_BYTES) {
      throw new ThvError("INVALID_ARGUMENT", `All groups together would take more than ${MAX_FILE_BYTES} bytes.`, {
        hint: "Shorten descriptions of tools, or remove a group: thv group list",
      });
    }
    await atomicWrite(this.#path, text);
  }

  /** What a server offered when it was last seen; `undefined` when that is not known, or not legible. */
  async loadLists(server: string): Promise<unknown> {
    try {
      return JSON.parse(await readBoundedText(this.#formatListPath(server), { maxBytes: MAX_LIST_BYTES }));
    } catch {
      // It is asked again as soon as it runs.
      return undefined;
    }
  }

  /** @throws {ThvError} `FILE_FAILED`. */
  async saveLists(server: string, lists: unknown): Promise<void> {
    await atomicWrite(this.#formatListPath(server), `${JSON.stringify(lists)}\n`);
  }

  async forgetLists(server: string): Promise<void> {
    await rm(this.#formatListPath(server), { force: true });
  }

  #formatListPath(server: string): string {
    return join(this.#listDirectory, `${server}.json`);
  }
}
