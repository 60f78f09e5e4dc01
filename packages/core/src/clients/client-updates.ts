/** Writes the entries of the running workloads into clients' files, and remembers which files could not be changed. */
import type { Logger } from "../ports/log.ts";
import { describeError } from "../support/errors.ts";
import type { Workload } from "../workload/workload.ts";
import type { ClientEntries } from "./client-entries.ts";
import { type ClientFailure, describeFailure } from "./client-failure.ts";
import type { ClientFileEditor } from "./client-file.ts";
import { type ClientDefinition, findClient } from "./client-types.ts";

export class ClientUpdates {
  readonly #editor: ClientFileEditor;
  readonly #entries: ClientEntries;
  readonly #log: Logger;
  /** Of the last attempt for each client. */
  readonly #failures = new Map<string, ClientFailure>();
  /** Those of now. */
  listWorkloads: () => readonly Workload[] = () => [];

  constructor(editor: ClientFileEditor, entries: ClientEntries, log: Logger) {
    this.#editor = editor;
    this.#entries = entries;
    this.#log = log;
  }

  listFailures(): readonly ClientFailure[] {
    return [...this.#failures.values()];
  }

  findFailure(id: string): ClientFailure | undefined {
    return this.#failures.get(id);
  }

  forgetFailure(id: string): void {
    this.#failures.delete(id);
  }

  /** A client that is no longer registered has failed for as long as entries of ours are in its file. */
  async forgetFailures(registered: readonly string[]): Promise<void> {
    for (const id of [...this.#failures.keys()]) {
      if (registered.includes(id)) continue;
      const client = findClient(id);
      if (!client || (await this.#editor.ownEntries(client)).length === 0) this.#failures.delete(id);
    }
  }

  /** Runs before the first server does, so that the command that registers a client names a file that it cannot change. */
  async assertEditable(client: ClientDefinition): Promise<void> {
    if (await this.#entries.isInstalled(client)) await this.#editor.check(client);
  }

  /** @throws {ThvError} `CLIENT_FILE_INVALID`, `CLIENT_FILE_FAILED`; the file is then as it was. */
  async update(client: ClientDefinition): Promise<void> {
    if (await this.#entries.isInstalled(client)) {
      const changes = await this.#entries.listChanges(client, this.listWorkloads());
      if (changes.size > 0) await this.#editor.change(client, changes);
    }
    this.#failures.delete(client.id);
  }

  async updateOrReport(client: ClientDefinition): Promise<void> {
    await this.update(client).catch((error) => this.#report(client, error));
  }

  /** Takes every entry of ours out of the client's file. */
  async removeEntries(client: ClientDefinition): Promise<void> {
    this.#failures.delete(client.id);
    const own = await this.#editor.ownEntries(client);
    // Without its folder there is no entry to remove.
    if (own.length === 0 || !(await this.#entries.isInstalled(client))) return;
    const changes = new Map(own.map((name) => [name, undefined]));
    await this.#editor.change(client, changes).catch((error) => this.#report(client, error));
  }

  #report(client: ClientDefinition, error: unknown): void {
    this.#failures.set(client.id, describeFailure(client, error));
    this.#log.warn({ client: client.id, reason: describeError(error) }, "client file left as it is");
  }
}
