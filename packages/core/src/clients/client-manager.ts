/**
 * The MCP clients that the user has registered: their files list the running workloads and are updated when workloads
 * start and stop. Registering is all or nothing; a client that is not installed is only remembered until it is.
 */
import { access } from "node:fs/promises";
import { join } from "node:path";
import { DEFAULT_GROUP } from "../groups/kept-groups.ts";
import type { Logger } from "../ports/log.ts";
import { describeError, hasCode } from "../support/errors.ts";
import type { Workload } from "../workload/workload.ts";
import type { WorkloadStatus } from "../workload/workload-status.ts";
import { type ClientFailure, describeFailure, requireClient } from "./client-failure.ts";
import { type ClientFileChange, ClientFileEditor, type EntryChanges } from "./client-file.ts";
import { type ClientGroups, type ClientSettings, dropDefaults, listClientGroups } from "./client-settings.ts";
import { CLIENTS, type ClientDefinition, type ClientPlaces, findClient } from "./client-types.ts";
import { resolvePlace } from "./resolve-place.ts";

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

export interface ClientManagerOptions {
  readonly settings: ClientSettings;
  readonly places: ClientPlaces;
  /** Program and first arguments that start this tool, for clients that start their servers themselves. */
  readonly program: readonly [program: string, ...args: string[]];
  /** The `toolhive` directory below the user's state directory. */
  readonly stateDirectory: string;
  /** What a client of some groups finds in its settings. Default: every workload. */
  readonly selectFor?: (groups: readonly string[], workloads: readonly ListedWorkload[]) => readonly ListedWorkload[];
  readonly log: Logger;
}

/** The part of a workload that a client's file needs. */
type ListedWorkload = Pick<Workload, "name" | "url" | "status">;

export interface PreviewOptions {
  readonly register?: readonly string[];
  readonly unregister?: readonly string[];
  /** Which they join or leave. Default: registered clients keep their groups, others join `default`; leaving is for all. */
  readonly group?: string;
  /** A workload to treat as running. */
  readonly starting?: Pick<Workload, "name" | "url">;
}

export interface ClientPreview {
  readonly files: readonly ClientFileChange[];
  /** Clients that would miss a server that is starting, because their file cannot be changed. */
  readonly failures: readonly ClientFailure[];
}

/** A client that has an entry for a server. */
export interface EntryHolder {
  readonly client: string;
  /** Whose address the entry has; absent for the server's own. */
  readonly group?: string;
}

/** Whether a workload of this status is listed; for other statuses the present entry, if any, stays. */
const LISTED: Partial<Record<WorkloadStatus, boolean>> = {
  running: true,
  unhealthy: true,
  unauthenticated: true,
  stopped: false,
  error: false,
  removing: false,
};

export class ClientManager {
  readonly #options: ClientManagerOptions;
  readonly #editor: ClientFileEditor;
  /** Of the last attempt for each client. */
  readonly #failures = new Map<string, ClientFailure>();
  #workloads: readonly Workload[] = [];
  /** Serializes work on files. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: ClientManagerOptions) {
    this.#options = options;
    this.#editor = new ClientFileEditor(options.places, join(options.stateDirectory, "client-backups"));
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
        const failure = this.#failures.get(client.id);
        return {
          id: client.id,
          isInstalled: await this.#isInstalled(client),
          isRegistered: registered.includes(client.id),
          ...(failure && { failure: failure.reason }),
        };
      }),
    );
  }

  /** Clients whose file could not be changed at the last attempt; a later success forgets that. */
  listFailures(): readonly ClientFailure[] {
    return [...this.#failures.values()];
  }

  /**
   * Puts the running workloads into the clients' files, then remembers the clients.
   *
   * @returns The ids, in the order of the names.
   * @throws {ThvError} `CLIENT_UNKNOWN`, `CLIENT_FILE_INVALID`, `CLIENT_FILE_FAILED`; then nothing has changed.
   */
  async register(names: readonly string[], group: string = DEFAULT_GROUP): Promise<string[]> {
    const clients = names.map(requireClient);
    await this.#enqueue(async () => {
      const before = await this.list();
      const groupsBefore = await this.#options.settings.readGroups();
      const done: ClientDefinition[] = [];
      try {
        await this.#joinGroup(clients, group, before);
        for (const client of new Set(clients)) {
          await this.#assertEditable(client);
          await this.#follow(client);
          done.push(client);
        }
        await this.#options.settings.update((now) => [...new Set([...now, ...clients.map(({ id }) => id)])]);
      } catch (error) {
        await this.#options.settings.updateGroups(() => groupsBefore);
        for (const client of done) {
          if (before.includes(client.id)) await this.#followOrReport(client);
          else await this.#leave(client);
        }
        throw error;
      }
    });
    return clients.map(({ id }) => id);
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
        if (client) await this.#followOrReport(client);
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
      await this.#forgetGroups(ids);
      await this.#options.settings.update((now) => now.filter((id) => !ids.includes(id)));
      for (const client of new Set(ids.map(findClient))) if (client) await this.#leave(client);
    });
  }

  /** Updates the files in the background. Never rejects: a file that cannot be changed must not delay a workload. */
  async follow(workloads: readonly Workload[]): Promise<void> {
    this.#workloads = workloads;
    await this.#enqueue(async () => {
      // A later call has newer workloads and does this work.
      if (this.#workloads !== workloads) return;
      const registered = await this.list();
      // A client that is no longer registered has failed for as long as entries of ours are in its file.
      for (const id of [...this.#failures.keys()]) if (!registered.includes(id)) await this.#forgetIfLeft(id);
      for (const id of registered) {
        const client = findClient(id);
        if (client) await this.#followOrReport(client);
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
    return [...this.#options.program, "proxy", "stdio"];
  }

  /**
   * Computes the files' new content without writing.
   *
   * @throws {ThvError} As `register`.
   */
  async preview({ register = [], unregister = [], group, starting }: PreviewOptions): Promise<ClientPreview> {
    const joining = register.map(requireClient);
    const staying = (await this.list()).flatMap((id) => findClient(id) ?? []);
    const workloads = starting ? [...this.#workloads, { ...starting, status: "running" as const }] : this.#workloads;
    const now = await this.listGroups();
    const files: (ClientFileChange | undefined)[] = [];
    const failures: ClientFailure[] = [];
    for (const client of new Set(starting ? staying : joining)) {
      if (!(await this.#isInstalled(client))) continue;
      try {
        await this.#editor.check(client);
        const groups = group === undefined ? undefined : [...new Set([...(now[client.id] ?? []), group])];
        files.push(await this.#editor.preview(client, await this.#listChanges(client, workloads, groups)));
      } catch (error) {
        // A server starts without the clients whose file cannot be changed.
        if (!starting) throw error;
        failures.push(describeFailure(client, error));
      }
    }
    for (const client of new Set(unregister.flatMap((name) => findClient(name) ?? []))) {
      const own = await this.#editor.ownEntries(client);
      if (own.length === 0 || !(await this.#isInstalled(client))) continue;
      // Of a client that stays in other groups, only the entries of this one go.
      const rest = group === undefined ? [] : (now[client.id] ?? []).filter((each) => each !== group);
      const removed = new Map(own.map((name) => [name, undefined]));
      const changes = rest.length > 0 ? await this.#listChanges(client, workloads, rest) : removed;
      files.push(await this.#editor.preview(client, changes));
    }
    return { files: files.filter((file) => file !== undefined), failures };
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
      this.#failures.delete(client.id);
      await this.#forgetGroups([client.id]);
      await this.#options.settings.update((now) => now.filter((id) => id !== client.id));
      const keptAt = await this.#editor.undo(client);
      return { file, ...(keptAt !== undefined && { keptAt }) };
    });
  }

  async #follow(client: ClientDefinition): Promise<void> {
    const changes = (await this.#isInstalled(client)) ? await this.#listChanges(client, this.#workloads) : new Map();
    if (changes.size > 0) await this.#editor.change(client, changes);
    this.#failures.delete(client.id);
  }

  async #followOrReport(client: ClientDefinition): Promise<void> {
    await this.#follow(client).catch((error) => this.#report(client, error));
  }

  /** Runs before the first server does, so that the command that registers a client names a file that it cannot change. */
  async #assertEditable(client: ClientDefinition): Promise<void> {
    if (await this.#isInstalled(client)) await this.#editor.check(client);
  }

  async #listChanges(
    client: ClientDefinition,
    all: readonly ListedWorkload[],
    asked?: readonly string[],
  ): Promise<EntryChanges> {
    const own = await this.#editor.ownEntries(client);
    const groups = asked ?? listClientGroups(await this.#options.settings.readGroups(), client.id);
    const workloads = this.#options.selectFor?.(groups, all) ?? all;
    const changes = new Map<string, object | undefined>();
    for (const name of own) if (!workloads.some((workload) => workload.name === name)) changes.set(name, undefined);
    for (const { name, url, status } of workloads) {
      const isListed = LISTED[status];
      if (isListed === undefined || url === "") continue;
      const transport = new URL(url).pathname.endsWith("/sse") ? "sse" : "streamable-http";
      // By its name a server is found wherever it listens; a group has no name as a server.
      const target = all.some((workload) => workload.name === name) ? name : url;
      const [program, ...rest] = this.bridge;
      const bridge = [program, ...rest, target] as const;
      const entry = isListed ? client.entry({ name, url, transport, bridge }) : undefined;
      if (entry || own.includes(name)) changes.set(name, entry);
      else if (isListed)
        this.#options.log.info({ client: client.id, workload: name }, "client cannot use this transport");
    }
    return changes;
  }

  /** A client that is in no group yet joins this one alone. */
  async #joinGroup(clients: readonly ClientDefinition[], group: string, registered: readonly string[]): Promise<void> {
    await this.#options.settings.updateGroups((now) => {
      const next: Record<string, readonly string[]> = { ...now };
      for (const { id } of clients) {
        const groups = registered.includes(id) ? listClientGroups(now, id) : [];
        next[id] = [...new Set([...groups, group])];
      }
      return dropDefaults(next);
    });
  }

  async #forgetGroups(ids: readonly string[]): Promise<void> {
    await this.#options.settings.updateGroups((now) =>
      Object.fromEntries(Object.entries(now).filter(([id]) => !ids.includes(id))),
    );
  }

  async #leave(client: ClientDefinition): Promise<void> {
    this.#failures.delete(client.id);
    const own = await this.#editor.ownEntries(client);
    // Without its folder there is no entry to remove.
    if (own.length === 0 || !(await this.#isInstalled(client))) return;
    const changes = new Map(own.map((name) => [name, undefined]));
    await this.#editor.change(client, changes).catch((error) => this.#report(client, error));
  }

  async #forgetIfLeft(id: string): Promise<void> {
    const client = findClient(id);
    if (!client || (await this.#editor.ownEntries(client)).length === 0) this.#failures.delete(id);
  }

  async #isInstalled(client: ClientDefinition): Promise<boolean> {
    try {
      await access(resolvePlace(client.mark, this.#options.places));
      return true;
    } catch {
      // Whatever the reason: a file that cannot be reached cannot be edited.
      return false;
    }
  }

  #report(client: ClientDefinition, error: unknown): void {
    this.#failures.set(client.id, describeFailure(client, error));
    this.#options.log.warn({ client: client.id, reason: describeError(error) }, "client file left as it is");
  }

  async #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(work);
    this.#queue = turn.catch(() => undefined);
    return await turn;
  }
}
