/**
 * The MCP clients that the user has registered: their files list the running workloads and are updated when workloads
 * start and stop. Registering is all or nothing; a client that is not installed is only remembered until it is.
 */
import { join } from "node:path";
import { DEFAULT_GROUP } from "../groups/kept-groups.ts";
import { describeError, hasCode } from "../support/errors.ts";
import type { Workload } from "../workload/workload.ts";
import { ClientEntries, type ClientEntriesOptions } from "./client-entries.ts";
import { type ClientFailure, requireClient } from "./client-failure.ts";
import { type ClientFileChange, ClientFileEditor } from "./client-file.ts";
import { type ClientPreview, type PreviewOptions, previewClients } from "./client-preview.ts";
import { type ClientGroups, forgetClients, joinGroup, listClientGroups } from "./client-settings.ts";
import { CLIENTS, type ClientDefinition, findClient } from "./client-types.ts";
import { ClientUpdates } from "./client-updates.ts";

export interface ClientStatus {
  readonly id: string;
  readonly isInstalled: boolean;
  readonly isRegistered: boolean;
  /** Why its file could not be changed last. */
  readonly failure?: string;
}

export interface ReplacedEntry {
  readonly client: string;
  readonly workload: string;
}

export interface ClientManagerOptions extends ClientEntriesOptions {
  /** The `toolhive` directory below the user's state directory. */
  readonly stateDirectory: string;
}

/** A client that has an entry for a server. */
export interface EntryHolder {
  readonly client: string;
  /** Whose address the entry has; absent for the server's own. */
  readonly group?: string;
}

export class ClientManager {
  readonly #options: ClientManagerOptions;
  readonly #editor: ClientFileEditor;
  readonly #entries: ClientEntries;
  readonly #updates: ClientUpdates;
  #followCalls = 0;
  /** Serializes work on files. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: ClientManagerOptions) {
    this.#options = options;
    this.#editor = new ClientFileEditor(options.places, join(options.stateDirectory, "client-backups"));
    this.#entries = new ClientEntries(this.#editor, options);
    this.#updates = new ClientUpdates(this.#editor, this.#entries, options.log);
  }

  /** Ids in the order of registration. */
  async list(): Promise<readonly string[]> {
    return await this.#options.settings.read();
  }

  /** Every supported client, the specification's six first. */
  async status(): Promise<ClientStatus[]> {
    const registered = await this.list();
    return await Promise.all(
      CLIENTS.map(async (client) => {
        const failure = this.#updates.findFailure(client.id);
        return {
          id: client.id,
          isInstalled: await this.#entries.isInstalled(client),
          isRegistered: registered.includes(client.id),
          ...(failure && { failure: failure.reason }),
        };
      }),
    );
  }

  /** Clients whose file could not be changed at the last attempt; a later success forgets that. */
  listFailures(): readonly ClientFailure[] {
    return this.#updates.listFailures();
  }

  /**
   * Puts the running workloads into the clients' files, then remembers the clients.
   *
   * @returns The ids, in the order of the names.
   * @throws {ThvError} `CLIENT_UNKNOWN`, `CLIENT_FILE_INVALID`, `CLIENT_FILE_FAILED`; then nothing has changed.
   */
  async register(names: readonly string[], group: string = DEFAULT_GROUP): Promise<string[]> {
    const clients = names.map(requireClient);
    const ids = clients.map(({ id }) => id);
    await this.#enqueue(async () => {
      const before = await this.list();
      const groupsBefore = await this.#options.settings.readGroups();
      const done: ClientDefinition[] = [];
      try {
        await joinGroup(this.#options.settings, ids, group);
        for (const client of new Set(clients)) {
          await this.#updates.assertEditable(client);
          await this.#updates.update(client);
          done.push(client);
        }
        await this.#options.settings.update((now) => [...new Set([...now, ...ids])]);
      } catch (error) {
        await this.#options.settings.updateGroups(() => groupsBefore);
        for (const client of done) {
          if (before.includes(client.id)) await this.#updates.updateOrReport(client);
          else await this.#updates.removeEntries(client);
        }
        throw error;
      }
    });
    return ids;
  }

  /** Entries of the user that a workload of the same name has replaced, in the files of registered clients. */
  async listReplaced(): Promise<ReplacedEntry[]> {
    const clients = (await this.list()).flatMap((id) => findClient(id) ?? []);
    const lists = await Promise.all(
      clients.map(async (client) => {
        // A list of servers ignores a record that it cannot read; a change of that client's file reports it.
        const names = await this.#editor.replacedEntries(client).catch((error) => {
          if (hasCode(error, "STATE_TOO_NEW")) return [];
          throw error;
        });
        return names.map((workload) => ({ client: client.id, workload }));
      }),
    );
    return lists.flat();
  }

  /**
   * Registered clients whose file has an entry of ours for a server, or for a group that it is in. Sorted.
   *
   * @param groups Entries by the group that each is for.
   */
  async listHolders(workload: string, groups: ReadonlyMap<string, string>): Promise<EntryHolder[]> {
    const clients = (await this.list()).flatMap((id) => findClient(id) ?? []);
    const lists = await Promise.all(
      clients.map(async (client) => {
        // A record that cannot be read names no entry.
        const own = new Set(await this.#editor.presentEntries(client).catch(() => []));
        const direct = own.has(workload) ? [{ client: client.id }] : [];
        const held = [...groups].filter(([, entry]) => entry !== workload && own.has(entry));
        return [...direct, ...held.map(([group]) => ({ client: client.id, group }))];
      }),
    );
    return lists.flat().sort((left, right) => (left.client < right.client ? -1 : 1));
  }

  /** Groups of each registered client. */
  async listGroups(): Promise<ClientGroups> {
    const [ids, groups] = [await this.list(), await this.#options.settings.readGroups()];
    return Object.fromEntries(ids.map((id) => [id, listClientGroups(groups, id)]));
  }

  /** Takes clients out of one group; those that are in no other are unregistered. */
  async leaveGroup(names: readonly string[], group: string): Promise<void> {
    const ids = names.map((name) => findClient(name)?.id ?? name);
    const groups = await this.listGroups();
    // An id may be any word, also one that every object has a member for.
    const isRegistered = (id: string) => Object.hasOwn(groups, id);
    const rest = (id: string) => (isRegistered(id) ? (groups[id] ?? []) : []).filter((each) => each !== group);
    const staying = ids.filter((id) => rest(id).length > 0);
    await this.unregister(ids.filter((id) => isRegistered(id) && rest(id).length === 0));
    if (staying.length === 0) return;
    await this.#enqueue(async () => {
      await this.#options.settings.updateGroups((now) => ({
        ...now,
        ...Object.fromEntries(staying.map((id) => [id, rest(id)])),
      }));
      for (const client of new Set(staying.map(findClient))) {
        if (client) await this.#updates.updateOrReport(client);
      }
    });
  }

  /** A group was removed. */
  async forgetGroup(group: string): Promise<void> {
    const groups = await this.listGroups();
    await this.leaveGroup(
      Object.keys(groups).filter((id) => groups[id]?.includes(group)),
      group,
    );
  }

  /** Removes the entries of thv. A client that is not registered, or not known, is no error. */
  async unregister(names: readonly string[]): Promise<void> {
    const ids = names.map((name) => findClient(name)?.id ?? name);
    await this.#enqueue(async () => {
      await forgetClients(this.#options.settings, ids);
      for (const client of new Set(ids.map(findClient))) if (client) await this.#updates.removeEntries(client);
    });
  }

  /**
   * Updates the files in the background. Never rejects: a file that cannot be changed must not delay a workload.
   *
   * @param listWorkloads Those of now: none are listed while no client is registered.
   */
  async follow(listWorkloads: () => readonly Workload[]): Promise<void> {
    this.#updates.listWorkloads = listWorkloads;
    const call = ++this.#followCalls;
    await this.#enqueue(async () => {
      // A later call does this work.
      if (this.#followCalls !== call) return;
      const registered = await this.list();
      await this.#updates.forgetFailures(registered);
      for (const id of registered) {
        const client = findClient(id);
        if (client) await this.#updates.updateOrReport(client);
      }
    }).catch((error) => {
      this.#options.log.warn({ reason: describeError(error) }, "clients could not be brought up to date");
    });
  }

  /** Resolves once the files list the workloads of the newest `follow` call. */
  async settle(): Promise<void> {
    await this.#queue;
  }

  /** What an entry starts that hands a server on; the server's name or its address follows. */
  get bridge(): readonly [program: string, ...args: string[]] {
    return this.#entries.bridge;
  }

  /**
   * Computes the files' new content without writing.
   *
   * @throws {ThvError} As `register`.
   */
  async preview(options: PreviewOptions): Promise<ClientPreview> {
    return await previewClients(options, {
      editor: this.#editor,
      entries: this.#entries,
      workloads: this.#updates.listWorkloads(),
      groups: await this.listGroups(),
    });
  }

  /** Whether an entry could be written into the client's file now. @throws {ThvError} saying why not. */
  async check(name: string): Promise<void> {
    await this.#editor.check(requireClient(name));
  }

  /** @throws {ThvError} `CLIENT_UNKNOWN`. */
  async previewUndo(name: string): Promise<{ file?: ClientFileChange | undefined; isOnlyOurs?: boolean }> {
    return (await this.#editor.previewUndo(requireClient(name))) ?? {};
  }

  /**
   * Puts the client's file back as it was before thv, and forgets the client, so that it stays so.
   *
   * @returns The restored file, and the path of the copy of its last content. @throws {ThvError} `CLIENT_UNKNOWN`,
   * `CLIENT_FILE_FAILED`.
   */
  async undo(name: string): Promise<{ file?: ClientFileChange | undefined; keptAt?: string }> {
    const client = requireClient(name);
    return await this.#enqueue(async () => {
      const { file } = (await this.#editor.previewUndo(client)) ?? {};
      this.#updates.forgetFailure(client.id);
      await forgetClients(this.#options.settings, [client.id]);
      const keptAt = await this.#editor.undo(client);
      return { file, ...(keptAt !== undefined && { keptAt }) };
    });
  }

  async #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(work);
    this.#queue = turn.catch(() => undefined);
    return await turn;
  }
}
