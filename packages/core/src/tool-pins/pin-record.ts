/** The pinned definitions of the tools of one workload, and what its server offers instead, in a file of their own. */
import { join } from "node:path";
import { parseJson } from "@toolhive/http/values";
import * as Type from "typebox";
import { atomicWrite } from "../files/atomic-write.ts";
import { readTextIfPresent } from "../files/bounded-file.ts";
import { removeFile } from "../files/remove-file.ts";
import { assertKnownVersion, STATE_VERSION } from "../files/state-version.ts";
import { assertMatches } from "../schemas/schema-problems.ts";
import { describeError, hasCode, ThvError } from "../support/errors.ts";
import { hashDefinition, hashText } from "./tool-definition.ts";

/** Tools of one server whose whole definitions are pinned, and new ones that are held back. */
export const MAX_PINNED_TOOLS = 1_000;
/** Tools beyond these bounds, of which hashes are pinned: of the name and of the definition. */
export const MAX_HASHED_TOOLS = 20_000;
/** Characters of all their definitions together, and as many of those that are held back. */
export const MAX_PINNED_CHARACTERS = 4 * 1024 * 1024;
/** Escapes and indents make more of the characters. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

const HASH = Type.String({ pattern: "^[0-9a-f]{64}$" });
const DefinitionSchema = Type.Object({ name: Type.String() });

const PinRecordSchema = Type.Object({
  pinned_at: Type.String({ minLength: 1 }),
  pinned: Type.Array(
    Type.Object({
      name: Type.String(),
      sha256: HASH,
      definition: Type.Optional(DefinitionSchema),
      /** In the place of a definition that two readers could take for different ones. */
      text: Type.Optional(Type.String()),
      /** When it was recorded. Default: `pinned_at`. */
      at: Type.Optional(Type.String({ minLength: 1 })),
      /** Identifier of the image whose server offered exactly this last. */
      image: Type.Optional(Type.String()),
      /** Hash of what the newest process of the server said first. */
      said: Type.Optional(HASH),
      /** Whether the page that a client draws is part of the definition. Default: it was recorded before that was. */
      has_interface: Type.Optional(Type.Boolean()),
    }),
    { maxItems: MAX_PINNED_TOOLS },
  ),
  /** Hashes of names and definitions of the tools for which there is no room above. */
  hashed: Type.Optional(Type.Array(Type.Object({ name: HASH, sha256: HASH }), { maxItems: MAX_HASHED_TOOLS })),
  /** Hashes of the names of those among them that are held back. */
  held_hashes: Type.Optional(Type.Array(HASH, { maxItems: MAX_HASHED_TOOLS })),
  held: Type.Array(
    Type.Object({
      name: Type.String(),
      /** All three are absent for one that cannot be read or shown. */
      sha256: Type.Optional(HASH),
      definition: Type.Optional(DefinitionSchema),
      text: Type.Optional(Type.String()),
    }),
    // Every pinned one may have changed, and as many may be new or known by their hashes.
    { maxItems: 2 * MAX_PINNED_TOOLS },
  ),
  removed: Type.Array(Type.String(), { maxItems: MAX_PINNED_TOOLS }),
});

/** What was pinned, what is held back, and which pinned tools the server had no more when it was asked last. */
export type PinRecord = Readonly<Type.Static<typeof PinRecordSchema>>;

/** Keeps one record a workload. */
export interface PinStore {
  /** @returns `undefined` when nothing was recorded. @throws {ThvError} `STATE_CORRUPT`, `STATE_TOO_NEW`. */
  read(name: string): Promise<PinRecord | undefined>;
  /** @throws {ThvError} `FILE_FAILED`. */
  save(name: string, record: PinRecord): Promise<void>;
  /** Deleting what is not there succeeds. @throws {ThvError} `FILE_FAILED`. */
  delete(name: string): Promise<void>;
}

export class PinFiles implements PinStore {
  readonly #directory: string;

  /** @param stateDirectory The `toolhive` directory below the user's state directory. */
  constructor(stateDirectory: string) {
    this.#directory = join(stateDirectory, "toolpins");
  }

  async read(name: string): Promise<PinRecord | undefined> {
    const path = this.#formatPath(name);
    try {
      const text = await readTextIfPresent(path, { maxBytes: MAX_FILE_BYTES });
      return text === undefined ? undefined : parseRecord(text, path);
    } catch (error) {
      if (hasCode(error, "STATE_TOO_NEW")) throw error;
      throw new ThvError("STATE_CORRUPT", `The pinned tools of "${name}" cannot be read: ${describeError(error)}`, {
        hint: `Fix ${path}, or forget them and pin its tools anew: thv tools pin ${name} --off, then thv tools pin ${name}`,
        cause: error,
      });
    }
  }

  async save(name: string, record: PinRecord): Promise<void> {
    await atomicWrite(
      this.#formatPath(name),
      `${JSON.stringify({ state_version: STATE_VERSION, ...record }, null, 2)}\n`,
    );
  }

  async delete(name: string): Promise<void> {
    await removeFile(this.#formatPath(name));
  }

  #formatPath(name: string): string {
    return join(this.#directory, `${name}.json`);
  }
}

/** @throws {ThvError} `STATE_TOO_NEW`, and an `Error` with the problem. */
function parseRecord(text: string, path: string): PinRecord {
  const value = parseJson(text);
  if (value === undefined) throw new Error("it is not JSON");
  assertKnownVersion(value, path);
  assertMatches(PinRecordSchema, value);
  const record = value as PinRecord;
  const wrong = record.pinned.find(
    ({ name, sha256, definition, text = "" }) =>
      (definition ? hashDefinition({ ...definition, name }) : hashText(text)) !== sha256,
  );
  // Somebody has edited a definition, and a client would see a text that no user has accepted.
  if (wrong) throw new Error(`the definition of the tool ${JSON.stringify(wrong.name)} is not the one of its hash`);
  return record;
}
