/** Which entries of ours a client's file should have: those of the workloads, or of the groups, that the client is for. */
import { access } from "node:fs/promises";
import type { Logger } from "../ports/log.ts";
import type { Workload } from "../workload/workload.ts";
import type { WorkloadStatus } from "../workload/workload-status.ts";
import type { ClientFileEditor, EntryChanges } from "./client-file.ts";
import { type ClientSettings, listClientGroups } from "./client-settings.ts";
import type { ClientDefinition, ClientPlaces } from "./client-types.ts";
import { resolvePlace } from "./resolve-place.ts";

/** The part of a workload that a client's file needs. */
export type ListedWorkload = Pick<Workload, "name" | "url" | "status">;

export interface ClientEntriesOptions {
  readonly settings: ClientSettings;
  readonly places: ClientPlaces;
  /** Program and first arguments that start this tool, for clients that start their servers themselves. */
  readonly program: readonly [program: string, ...args: string[]];
  /** What a client of some groups finds in its settings. Default: every workload. */
  readonly selectFor?: (groups: readonly string[], workloads: readonly ListedWorkload[]) => readonly ListedWorkload[];
  readonly log: Logger;
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

export class ClientEntries {
  readonly #editor: ClientFileEditor;
  readonly #options: ClientEntriesOptions;

  constructor(editor: ClientFileEditor, options: ClientEntriesOptions) {
    this.#editor = editor;
    this.#options = options;
  }

  /** What an entry starts that hands a server on; the server's name or its address follows. */
  get bridge(): readonly [program: string, ...args: string[]] {
    return [...this.#options.program, "proxy", "stdio"];
  }

  /**
   * The changes after which the client's file lists these workloads.
   *
   * @param asked The client's groups. Default: those in the settings.
   */
  async listChanges(
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

  async isInstalled(client: ClientDefinition): Promise<boolean> {
    try {
      await access(resolvePlace(client.mark, this.#options.places));
      return true;
    } catch {
      // Whatever the reason: a file that cannot be reached cannot be edited.
      return false;
    }
  }
}
