/**
 * Changes a client's file on disk. Before the first change its bytes are kept aside; when our last entry goes and nobody
 * else has changed the file since, exactly those bytes are put back.
 */
import { createHash } from "node:crypto";
import { access, constants, readFile, realpath, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { atomicWrite } from "../atomic-write.ts";
import { messageOf, systemCodeOf, ThvError } from "../errors.ts";
import { withFileLock } from "../file-lock.ts";
import { type ClientDefinition, type ClientFile, type ClientPlaces, placeOf } from "./client-types.ts";
import { editEntry } from "./edit-file.ts";

/** Bytes; editors' settings are far smaller. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

interface Backup {
  readonly path: string;
  /** Whether there was a file. Its bytes are next to this record. */
  readonly existed: boolean;
  /** SHA-256 of what was last written here. */
  readonly written: string;
  /** Entries that are ours. */
  readonly entries: readonly string[];
}

/** Entries by name; `undefined` removes one. */
export type EntryChanges = ReadonlyMap<string, object | undefined>;

export class ClientFileEditor {
  readonly #places: ClientPlaces;
  readonly #backups: string;

  /** @param backupDirectory Where the bytes of before are kept. */
  constructor(places: ClientPlaces, backupDirectory: string) {
    this.#places = places;
    this.#backups = backupDirectory;
  }

  /** Names of the entries that thv has put into the client's file. */
  async ownEntries(client: ClientDefinition): Promise<readonly string[]> {
    return (await this.#readBackup(client))?.entries ?? [];
  }

  /** @throws {ThvError} `CLIENT_FILE_INVALID`, `CLIENT_FILE_FAILED`; the file is then as it was. */
  async change(client: ClientDefinition, changes: EntryChanges): Promise<void> {
    const { path, file } = await this.#locate(client);
    try {
      const onTimeout = (lock: string) => failed(client, path, `another program is changing it (${lock})`);
      await withFileLock(join(this.#backups, client.id), { onTimeout }, () =>
        this.#change(client, path, file, changes),
      );
    } catch (error) {
      if (error instanceof ThvError) throw error;
      throw failed(client, path, messageOf(error), error);
    }
  }

  async #change(client: ClientDefinition, path: string, file: ClientFile, changes: EntryChanges): Promise<void> {
    const bytes = await readIfThere(path);
    const text = decode(client, path, bytes);
    let edited = text;
    const backup = await this.#readBackup(client);
    const entries = new Set(backup?.entries);
    for (const [name, entry] of changes) {
      try {
        edited = editEntry(edited, file, name, entry);
      } catch (error) {
        throw new ThvError("CLIENT_FILE_INVALID", `${path} of ${client.name} cannot be edited: ${messageOf(error)}.`, {
          hint: "Correct the file. It was left as it is.",
          cause: error,
        });
      }
      if (entry) entries.add(name);
      else entries.delete(name);
    }
    const isUntouched = backup?.path === path && backup.written === digest(bytes);
    if (edited === text && bytes !== undefined) {
      if (backup && isUntouched) await this.#writeBackup(client, { ...backup, entries: [...entries] });
      return;
    }
    if (edited === text) return;
    if (isUntouched && entries.size === 0) return await this.#putBack(client, path, backup);
    if (!isUntouched) await atomicWrite(this.#originalOf(client), bytes ?? "");
    const existed = isUntouched ? backup.existed : bytes !== undefined;
    // Before the file itself: a crash in between leaves a record that fits no file, and the original is taken anew.
    await this.#writeBackup(client, { path, existed, written: digest(Buffer.from(edited)), entries: [...entries] });
    await this.#write(client, path, edited);
  }

  async #putBack(client: ClientDefinition, path: string, backup: Backup): Promise<void> {
    if (backup.existed) await this.#write(client, path, await readFile(this.#originalOf(client)));
    else await rm(path, { force: true });
    await rm(this.#recordOf(client), { force: true });
    await rm(this.#originalOf(client), { force: true });
  }

  async #write(client: ClientDefinition, path: string, content: string | Uint8Array): Promise<void> {
    const mode = await modeOf(path);
    try {
      // A rename would replace a file that its owner has protected.
      if (mode !== undefined) await access(path, constants.W_OK);
      if (mode !== undefined && (mode & 0o200) === 0) throw new Error("it is read-only");
      await atomicWrite(path, content, { mode: mode ?? 0o600 });
    } catch (error) {
      throw failed(client, path, messageOf(error), error);
    }
  }

  /** The first file that exists, else the last; where a link leads, so that the link itself stays. */
  async #locate(client: ClientDefinition): Promise<{ path: string; file: ClientFile }> {
    for (const file of client.files) {
      try {
        return { path: await realpath(placeOf(file.path, this.#places)), file };
      } catch (error) {
        if (systemCodeOf(error) !== "ENOENT")
          throw failed(client, placeOf(file.path, this.#places), messageOf(error), error);
      }
    }
    const file = client.files.at(-1);
    if (!file) throw new ThvError("INTERNAL", `${client.id} has no file.`);
    return { path: placeOf(file.path, this.#places), file };
  }

  async #readBackup(client: ClientDefinition): Promise<Backup | undefined> {
    try {
      return JSON.parse(await readFile(this.#recordOf(client), "utf8")) as Backup;
    } catch {
      // None yet, or unusable: then the bytes of before are taken anew, and nothing counts as ours.
      return undefined;
    }
  }

  async #writeBackup(client: ClientDefinition, backup: Backup): Promise<void> {
    await atomicWrite(this.#recordOf(client), `${JSON.stringify(backup, null, 2)}\n`);
  }

  #recordOf({ id }: ClientDefinition): string {
    return join(this.#backups, `${id}.json`);
  }

  #originalOf({ id }: ClientDefinition): string {
    return join(this.#backups, `${id}.original`);
  }
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    const { size } = await stat(path);
    if (size > MAX_FILE_BYTES) throw new Error(`it is larger than ${MAX_FILE_BYTES} bytes`);
    return await readFile(path);
  } catch (error) {
    if (systemCodeOf(error) !== "ENOENT") throw error;
    // Its folder has to be there, or the client is not.
    await stat(dirname(path));
    return undefined;
  }
}

function decode(client: ClientDefinition, path: string, bytes: Buffer = Buffer.alloc(0)): string {
  const text = bytes.toString("utf8");
  if (Buffer.from(text).equals(bytes)) return text;
  throw new ThvError("CLIENT_FILE_INVALID", `${path} of ${client.name} is not UTF-8.`, {
    hint: "Save it as UTF-8. It was left as it is.",
  });
}

async function modeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mode & 0o777;
  } catch (error) {
    if (systemCodeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function digest(bytes: Buffer | undefined): string {
  return createHash("sha256")
    .update(bytes ?? "")
    .digest("hex");
}

function failed(client: ClientDefinition, path: string, reason: string, cause?: unknown): ThvError {
  return new ThvError("CLIENT_FILE_FAILED", `${path} of ${client.name} cannot be changed: ${reason}.`, {
    hint: "Check its rights. It was left as it is.",
    cause,
  });
}
