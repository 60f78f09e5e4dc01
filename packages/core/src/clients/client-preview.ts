/** What registering and unregistering clients, or starting a server, would change in clients' files. */
import type { Workload } from "../workload/workload.ts";
import type { ClientEntries, ListedWorkload } from "./client-entries.ts";
import { type ClientFailure, describeFailure, requireClient } from "./client-failure.ts";
import type { ClientFileChange, ClientFileEditor } from "./client-file.ts";
import type { ClientGroups } from "./client-settings.ts";
import { type ClientDefinition, findClient } from "./client-types.ts";

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

interface PreviewContext {
  readonly editor: ClientFileEditor;
  readonly entries: ClientEntries;
  readonly workloads: readonly ListedWorkload[];
  /** Of each registered client. */
  readonly groups: ClientGroups;
}

/**
 * Computes the files' new content without writing.
 *
 * @throws {ThvError} `CLIENT_UNKNOWN`, `CLIENT_FILE_INVALID`, `CLIENT_FILE_FAILED`.
 */
export async function previewClients(options: PreviewOptions, context: PreviewContext): Promise<ClientPreview> {
  const { register = [], unregister = [], starting } = options;
  const joining = register.map(requireClient);
  const staying = Object.keys(context.groups).flatMap((id) => findClient(id) ?? []);
  const files: (ClientFileChange | undefined)[] = [];
  const failures: ClientFailure[] = [];
  for (const client of new Set(starting ? staying : joining)) {
    if (!(await context.entries.isInstalled(client))) continue;
    try {
      files.push(await previewEntries(client, options, context));
    } catch (error) {
      // A server starts without the clients whose file cannot be changed.
      if (!starting) throw error;
      failures.push(describeFailure(client, error));
    }
  }
  for (const client of new Set(unregister.flatMap((name) => findClient(name) ?? []))) {
    files.push(await previewLeaving(client, options, context));
  }
  return { files: files.filter((file) => file !== undefined), failures };
}

async function previewEntries(
  client: ClientDefinition,
  { group, starting }: PreviewOptions,
  { editor, entries, workloads, groups }: PreviewContext,
): Promise<ClientFileChange | undefined> {
  const all = starting ? [...workloads, { ...starting, status: "running" as const }] : workloads;
  const joined = group === undefined ? undefined : [...new Set([...(groups[client.id] ?? []), group])];
  await editor.check(client);
  return await editor.preview(client, await entries.listChanges(client, all, joined));
}

async function previewLeaving(
  client: ClientDefinition,
  { group }: PreviewOptions,
  { editor, entries, workloads, groups }: PreviewContext,
): Promise<ClientFileChange | undefined> {
  const own = await editor.ownEntries(client);
  if (own.length === 0 || !(await entries.isInstalled(client))) return undefined;
  // Of a client that stays in other groups, only the entries of this one go.
  const rest = group === undefined ? [] : (groups[client.id] ?? []).filter((each) => each !== group);
  const removed = new Map(own.map((name) => [name, undefined]));
  return await editor.preview(client, rest.length > 0 ? await entries.listChanges(client, workloads, rest) : removed);
}
