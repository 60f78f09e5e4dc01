/** What clients' files held before thv changed them, and what thv wrote since: a record and a copy of the bytes for each client. */
import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { atomicWrite } from "../files/atomic-write.ts";
import { readBoundedFile, readBoundedText } from "../files/bounded-file.ts";
import { assertKnownVersion, STATE_VERSION } from "../files/state-version.ts";
import { hasCode } from "../support/errors.ts";
import type { ClientDefinition } from "./client-types.ts";

/** Bytes that are kept of a file. */
export const MAX_FILE_BYTES = 16 * 1024 * 1024;

export interface Backup {
  readonly path: string;
  /** Whether there was a file. Its bytes are next to this record. */
  readonly existed: boolean;
  /** SHA-256 of the text that thv wrote last. */
  readonly written: string;
  /** Entries that thv wrote. */
  readonly entries: readonly string[];
  /** Those that replaced an entry of the user. Absent in records of earlier versions. */
  readonly replaced?: readonly string[];
}

export class ClientBackups {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  locate({ id }: ClientDefinition) {
    const place = join(this.#directory, id);
    return { lock: place, record: `${place}.json`, original: `${place}.original`, undone: `${place}.undone` };
  }

  /** @throws {ThvError} `STATE_TOO_NEW`. */
  async read(client: ClientDefinition): Promise<Backup | undefined> {
    const path = this.locate(client).record;
    try {
      const backup = JSON.parse(await readBoundedText(path)) as Backup;
      assertKnownVersion(backup, path);
      return backup;
    } catch (error) {
      if (hasCode(error, "STATE_TOO_NEW")) throw error;
      // No record, or an unusable one: the next change makes a new backup, and no entry counts as written by thv.
      return undefined;
    }
  }

  async write(client: ClientDefinition, backup: Backup): Promise<void> {
    const record = { ...backup, state_version: STATE_VERSION };
    await atomicWrite(this.locate(client).record, `${JSON.stringify(record, null, 2)}\n`);
  }

  /** The bytes of the file before thv changed it; `undefined` when there was no file. */
  async readOriginal(client: ClientDefinition, { existed }: Backup): Promise<Buffer | undefined> {
    return existed ? await readBoundedFile(this.locate(client).original, { maxBytes: MAX_FILE_BYTES }) : undefined;
  }

  async writeOriginal(client: ClientDefinition, bytes: Buffer | undefined): Promise<void> {
    await atomicWrite(this.locate(client).original, bytes ?? "");
  }

  /** Keeps the present content of a file whose changes are undone. @returns Path of the copy. */
  async keepAside(client: ClientDefinition, bytes: Buffer): Promise<string> {
    const { undone } = this.locate(client);
    await atomicWrite(undone, bytes);
    return undone;
  }

  async remove(client: ClientDefinition): Promise<void> {
    const { record, original } = this.locate(client);
    await rm(record, { force: true });
    await rm(original, { force: true });
  }
}

export function computeDigest(bytes: Buffer | undefined): string {
  return createHash("sha256")
    .update(bytes ?? "")
    .digest("hex");
}
