/**
 * Changes a client's file on disk. Backs its bytes up before the first change. When the last entry of thv goes and no
 * other program has changed the file since, it restores exactly those bytes.
 */
import { access, constants, realpath, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { atomicWrite } from "../files/atomic-write.ts";
import { readBoundedFile } from "../files/bounded-file.ts";
import { describeFileFailure } from "../files/file-failure.ts";
import { withFileLock } from "../files/file-lock.ts";
import { describeError, readSystemCode, ThvError } from "../support/errors.ts";
import { type Backup, ClientBackups, computeDigest, MAX_FILE_BYTES } from "./client-backups.ts";
import { type ClientDefinition, type ClientFile, type ClientPlaces, findDefaultFile } from "./client-types.ts";
import { editEntry, listEntries } from "./edit-file.ts";
import { resolvePlace } from "./resolve-place.ts";

const MIB = 1024 * 1024;
/** Bytes that are edited. Some programs keep their history beside their settings in JSON; the other formats take longer. */
const MAX_BYTES: Readonly<Record<ClientFile["format"], number>> = { json: 16 * MIB, toml: MIB, yaml: MIB };

interface Edit {
  /** `undefined` when there is no file. */
  readonly bytes: Buffer | undefined;
  readonly before: string;
  readonly after: string;
  readonly isChanged: boolean;
  /** Whether the file is unchanged since thv wrote it. */
  readonly isUntouched: boolean;
  readonly backup: Backup | undefined;
  /** Entries of thv after the edit, and those of them that replaced an entry of the user. */
  readonly entries: readonly string[];
  readonly replaced: readonly string[];
  /** The record whose bytes are restored, instead of the edited text. */
  readonly putsBack: Backup | undefined;
}

/** A file before and after; `undefined` where there is none. */
export interface ClientFileChange {
  readonly client: string;
  readonly path: string;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** Entries by name; `undefined` removes one. */
export type EntryChanges = ReadonlyMap<string, object | undefined>;

export class ClientFileEditor {
  readonly #places: ClientPlaces;
  readonly #backups: ClientBackups;

  /** @param backupDirectory Folder of the backups. */
  constructor(places: ClientPlaces, backupDirectory: string) {
    this.#places = places;
    this.#backups = new ClientBackups(backupDirectory);
  }

  /** Names of the entries that thv has put into the client's file. */
  async ownEntries(client: ClientDefinition): Promise<readonly string[]> {
    return (await this.#backups.read(client))?.entries ?? [];
  }

  /** The same of those that are still there: a user may have taken one out. */
  async presentEntries(client: ClientDefinition): Promise<readonly string[]> {
    const own = await this.ownEntries(client);
    if (own.length === 0) return [];
    const { path, file } = await this.#locate(client);
    const present = new Set(await listEntriesAt(path, file));
    return own.filter((name) => present.has(name));
  }

  /** Names of the entries that replaced an entry of the user. */
  async replacedEntries(client: ClientDefinition): Promise<readonly string[]> {
    return (await this.#backups.read(client))?.replaced ?? [];
  }

  /** @throws {ThvError} `CLIENT_FILE_INVALID`, `CLIENT_FILE_FAILED`; the file is then as it was. */
  async change(client: ClientDefinition, changes: EntryChanges): Promise<void> {
    const { path, file } = await this.#locate(client);
    try {
      const onTimeout = (lock: string) => createFileError(client, path, `another program is changing it (${lock})`);
      await withFileLock(this.#backups.locate(client).lock, { onTimeout }, () =>
        this.#change(client, path, file, changes),
      );
    } catch (error) {
      if (error instanceof ThvError) throw error;
      throw createFileError(client, path, describeFileFailure(error), error);
    }
  }

  /** The result that `change` would have; `undefined` when the file stays unchanged. @throws {ThvError} As `change`. */
  async preview(client: ClientDefinition, changes: EntryChanges): Promise<ClientFileChange | undefined> {
    const { path, file } = await this.#locate(client);
    try {
      const edit = await this.#edit(client, path, file, changes);
      if (!edit.isChanged) return undefined;
      const after = edit.putsBack ? await this.#readOriginalText(client, edit.putsBack) : edit.after;
      return { client: client.id, path, before: edit.bytes && edit.before, after };
    } catch (error) {
      throw error instanceof ThvError ? error : createFileError(client, path, describeFileFailure(error), error);
    }
  }

  /** Tries an edit without writing it. @throws {ThvError} As `change`. */
  async check(client: ClientDefinition): Promise<void> {
    const { path, file } = await this.#locate(client);
    try {
      await this.#edit(client, path, file, new Map([["thv-check", { url: "http://127.0.0.1:1/mcp" }]]));
      await assertWritable(path, await readMode(path));
    } catch (error) {
      throw error instanceof ThvError ? error : createFileError(client, path, describeFileFailure(error), error);
    }
  }

  /**
   * The result that `undo` would have. `isOnlyOurs`: no other program has changed the file since, so no change of
   * theirs would be lost.
   *
   * @returns `undefined` when thv has not changed the file, or has put it back already.
   */
  async previewUndo(client: ClientDefinition): Promise<{ file: ClientFileChange; isOnlyOurs: boolean } | undefined> {
    const backup = await this.#backups.read(client);
    if (!backup) return undefined;
    const bytes = await readIfThere(backup.path);
    const after = await this.#readOriginalText(client, backup);
    const file = { client: client.id, path: backup.path, before: bytes?.toString("utf8"), after };
    return { file, isOnlyOurs: backup.written === computeDigest(bytes) };
  }

  /**
   * Restores the bytes from before thv's first change, whatever has happened to the file since. Keeps a copy of the
   * present content.
   *
   * @returns Path of that copy. @throws {ThvError} `CLIENT_FILE_FAILED`; the file is then as it was.
   */
  async undo(client: ClientDefinition): Promise<string | undefined> {
    const onTimeout = (lock: string) => createFileError(client, lock, "another program is changing it");
    return await withFileLock(this.#backups.locate(client).lock, { onTimeout }, async () => {
      const backup = await this.#backups.read(client);
      if (!backup) return undefined;
      const bytes = await readIfThere(backup.path);
      const aside = bytes && (await this.#backups.keepAside(client, bytes));
      await this.#putBack(client, backup.path, backup);
      return aside;
    });
  }

  async #change(client: ClientDefinition, path: string, file: ClientFile, changes: EntryChanges): Promise<void> {
    const edit = await this.#edit(client, path, file, changes);
    const { backup, isUntouched, entries, replaced, bytes } = edit;
    if (!edit.isChanged) {
      if (bytes && backup && isUntouched) await this.#backups.write(client, { ...backup, entries, replaced });
      return;
    }
    if (edit.putsBack) return await this.#putBack(client, path, edit.putsBack);
    if (!isUntouched) await this.#backups.writeOriginal(client, bytes);
    const existed = isUntouched && backup ? backup.existed : bytes !== undefined;
    // Before the file itself: after a crash in between the record matches no file, and the next change makes a new
    // backup.
    await this.#backups.write(client, {
      path,
      existed,
      written: computeDigest(Buffer.from(edit.after)),
      entries,
      replaced,
    });
    await this.#write(client, path, edit.after);
  }

  /** Computes the edit of the file's present content. Writes nothing. */
  async #edit(client: ClientDefinition, path: string, file: ClientFile, changes: EntryChanges): Promise<Edit> {
    const bytes = await readIfThere(path, MAX_BYTES[file.format]);
    const before = decode(client, path, bytes);
    let after = before;
    const backup = await this.#backups.read(client);
    const entries = new Set(backup?.entries);
    const replaced = new Set(backup?.replaced);
    for (const [name, entry] of changes) {
      try {
        const isForeign =
          entry !== undefined && !entries.has(name) && editEntry(after, file, name, undefined) !== after;
        if (isForeign) replaced.add(name);
        else if (entry === undefined) replaced.delete(name);
        after = editEntry(after, file, name, entry);
      } catch (error) {
        throw new ThvError(
          "CLIENT_FILE_INVALID",
          `${path} of ${client.name} cannot be edited: ${describeError(error)}.`,
          {
            hint: "Correct the file. It was not changed.",
            cause: error,
          },
        );
      }
      if (entry) entries.add(name);
      else entries.delete(name);
    }
    const isUntouched = backup?.path === path && backup.written === computeDigest(bytes);
    const isChanged = after !== before;
    const putsBack = isChanged && isUntouched && entries.size === 0 ? backup : undefined;
    return {
      bytes,
      before,
      after,
      isChanged,
      isUntouched,
      backup,
      entries: [...entries],
      replaced: [...replaced],
      putsBack,
    };
  }

  async #readOriginalText(client: ClientDefinition, backup: Backup): Promise<string | undefined> {
    return (await this.#backups.readOriginal(client, backup))?.toString("utf8");
  }

  async #putBack(client: ClientDefinition, path: string, backup: Backup): Promise<void> {
    const original = await this.#backups.readOriginal(client, backup);
    if (original) await this.#write(client, path, original);
    else await rm(path, { force: true });
    await this.#backups.remove(client);
  }

  async #write(client: ClientDefinition, path: string, content: string | Uint8Array): Promise<void> {
    const mode = await readMode(path);
    try {
      await assertWritable(path, mode);
      await atomicWrite(path, content, { mode: mode ?? 0o600 });
    } catch (error) {
      throw createFileError(client, path, describeFileFailure(error), error);
    }
  }

  /** The first file that exists, else the last; where a link leads, so that the link itself stays. */
  async #locate(client: ClientDefinition): Promise<{ path: string; file: ClientFile }> {
    for (const file of client.files) {
      try {
        const path = await realpath(resolvePlace(file.path, this.#places));
        if (!file.isFormer || (await hasServers(path, file))) return { path, file };
      } catch (error) {
        if (readSystemCode(error) !== "ENOENT")
          throw createFileError(client, resolvePlace(file.path, this.#places), describeFileFailure(error), error);
      }
    }
    const file = findDefaultFile(client);
    if (!file) throw new ThvError("INTERNAL", `${client.id} has no file.`);
    return { path: resolvePlace(file.path, this.#places), file };
  }
}

async function readIfThere(path: string, maxBytes = MAX_FILE_BYTES): Promise<Buffer | undefined> {
  try {
    return await readBoundedFile(path, { maxBytes });
  } catch (error) {
    if (readSystemCode(error) !== "ENOENT") throw error;
    // Without its folder the client is not installed.
    await stat(dirname(path));
    return undefined;
  }
}

function decode(client: ClientDefinition, path: string, bytes: Buffer = Buffer.alloc(0)): string {
  const text = bytes.toString("utf8");
  if (Buffer.from(text).equals(bytes)) return text;
  throw new ThvError("CLIENT_FILE_INVALID", `${path} of ${client.name} is not UTF-8.`, {
    hint: "Save it as UTF-8. It was not changed.",
  });
}

/** A rename would replace a file that its owner has protected. */
async function assertWritable(path: string, mode: number | undefined): Promise<void> {
  if (mode === undefined) return;
  // Before the access, which root has always, and others get refused without this reason.
  if ((mode & 0o200) === 0) throw new Error("it is read-only");
  await access(path, constants.W_OK);
}

async function readMode(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mode & 0o777;
  } catch (error) {
    if (readSystemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function createFileError(client: ClientDefinition, path: string, reason: string, cause?: unknown): ThvError {
  return new ThvError("CLIENT_FILE_FAILED", `${path} of ${client.name} cannot be changed: ${reason}.`, {
    hint: "Check its permissions. The file was not changed.",
    cause,
  });
}

/** One that cannot be read has none that its client would see. */
async function hasServers(path: string, file: ClientFile): Promise<boolean> {
  try {
    return (await listEntriesAt(path, file)).length > 0;
  } catch {
    return false;
  }
}

async function listEntriesAt(path: string, file: ClientFile): Promise<string[]> {
  return listEntries((await readBoundedFile(path, { maxBytes: MAX_BYTES[file.format] })).toString("utf8"), file);
}
