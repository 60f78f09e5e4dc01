/**
 * Groups of workloads, and the one endpoint that each of them has. A workload may be in several; one that is in none is in
 * `default`, which is what commands without a group mean. `default` has no endpoint: its clients know each server by itself.
 */

import { isDeepStrictEqual } from "node:util";
import { listToolProblems, type ToolMembers } from "../access/tool-selection.ts";
import type { ToolState } from "../access/tool-states.ts";
import type { GroupNaming, GroupTools, OpenGroupEndpoint } from "../ports/group-endpoint.ts";
import type { Logger } from "../ports/log.ts";
import type { WorkloadChange } from "../supervision/workload-map.ts";
import { describeError, ThvError } from "../support/errors.ts";
import { listSentences } from "../support/located-problem.ts";
import type { Workload } from "../workload/workload.ts";
import { findNameProblem, isSameName } from "../workload/workload-name.ts";
import {
  describeGroup,
  describeMember,
  formatEntryName,
  formatGroupUrl,
  type Group,
  listGroupTools,
} from "./group-description.ts";
import { GroupEndpoints } from "./group-endpoints.ts";
import { type GroupStore, MAX_GROUP_MEMBERS, MAX_GROUPS } from "./group-store.ts";
import { bindAgain, bindGroupTools, dropChoice, NO_TOOL_NAMES, readChoice, withChoice } from "./group-tools.ts";
import { byName, DEFAULT_GROUP, type KeptGroup, KeptGroups } from "./kept-groups.ts";

export interface GroupManagerOptions {
  readonly store: Pick<GroupStore, keyof GroupStore>;
  readonly openEndpoint: OpenGroupEndpoint;
  readonly listWorkloads: () => readonly Workload[];
  readonly findWorkload: (name: string) => Workload | undefined;
  /** Called when the members or the address of a group are others, or a server in it can be reached or not. */
  readonly onChange?: () => void;
  readonly log: Logger;
}

/** What a group is created with. */
export interface GroupSettings extends ToolMembers {
  readonly naming?: GroupNaming | undefined;
  readonly port?: number | undefined;
}

/** A group's address as a server of a client's settings. */
export type ListedGroup = Pick<Workload, "name" | "url" | "status">;

/** Milliseconds between two attempts to save to which server a name belongs. */
const REBIND_MS = 1_000;

export class GroupManager {
  readonly #options: GroupManagerOptions;
  readonly #groups: KeptGroups;
  readonly #endpoints: GroupEndpoints;
  /** Names that existed before; those of workloads that are being put into a group are not among them yet. */
  readonly #seen = new Set<string>();
  #placing = 0;
  #isClosed = false;

  constructor(options: GroupManagerOptions) {
    this.#options = options;
    this.#groups = new KeptGroups(options.store);
    this.#endpoints = new GroupEndpoints({
      ...options,
      groups: this.#groups,
      onOffer: (group) => {
        void this.#bindTools(group);
        this.#announce();
      },
      onOpen: () => this.#announce(),
    });
  }

  /** Reads the groups. @throws {ThvError} `STATE_CORRUPT`, `STATE_TOO_NEW`. */
  async load(): Promise<void> {
    await this.#groups.load();
    for (const { name } of this.#options.listWorkloads()) this.#seen.add(name);
  }

  /** Opens the endpoints. One whose port is taken is tried again whenever workloads change. */
  async start(): Promise<void> {
    await this.#endpoints.start();
  }

  /** Sorted by name, `default` first. */
  list(): Group[] {
    return [this.#describeDefault(), ...this.#groups.named.map((group) => this.#describe(group)).sort(byName)];
  }

  /** @throws {ThvError} `GROUP_NOT_FOUND`. */
  get(name: string): Group {
    return name === DEFAULT_GROUP ? this.#describeDefault() : this.#describe(this.#groups.get(name));
  }

  /** Names of the workloads in a group, sorted. @throws {ThvError} `GROUP_NOT_FOUND`. */
  listMembers(name: string): string[] {
    return this.get(name).members.map((member) => member.name);
  }

  /** Each tool of a group, and whether its clients see it. @throws {ThvError} `GROUP_NOT_FOUND`. */
  listTools(name: string): ToolState[] {
    return listGroupTools(this.#groups.get(name));
  }

  /** Names of the groups of every workload, by its name. */
  mapGroups(): ReadonlyMap<string, readonly string[]> {
    const found = new Map<string, string[]>();
    for (const { name, members } of this.list())
      for (const member of members) found.set(member.name, [...(found.get(member.name) ?? []), name]);
    return found;
  }

  /** Names of the groups that a workload is in. */
  listGroupsWith(workload: string): string[] {
    if (this.#options.findWorkload(workload) === undefined) return [];
    const named = this.#groups.named.map(({ record }) => record).filter(({ members }) => members.includes(workload));
    const names = named.sort(byName).map(({ name }) => name);
    return this.#isInDefault(workload) ? [DEFAULT_GROUP, ...names] : names;
  }

  /** @throws {ThvError} `INVALID_ARGUMENT`, `GROUP_EXISTS`, `PORT_IN_USE`, `FILE_FAILED`; then nothing remains. */
  async create(name: string, { naming, port, ...chosen }: GroupSettings = {}): Promise<Group> {
    const problem = findNameProblem(name, process.platform, "group");
    if (problem !== undefined) {
      throw new ThvError("INVALID_ARGUMENT", problem, {
        hint: "Use 2 to 100 letters, digits, dots, dashes and underscores, beginning with a letter or a digit.",
      });
    }
    assertTools(chosen);
    return await this.#groups.enqueue(async () => {
      const names = this.#groups.all.map(({ record }) => record.name);
      const holder = [DEFAULT_GROUP, ...names].find((each) => isSameName(each, name));
      if (holder !== undefined) {
        throw new ThvError("GROUP_EXISTS", `A group named "${holder}" already exists.`, {
          hint: "Choose another name, or see it: thv group list",
        });
      }
      if (names.length >= MAX_GROUPS) {
        throw new ThvError("INVALID_ARGUMENT", `There are ${MAX_GROUPS} groups already, and no more can be created.`, {
          hint: "Remove one that is not needed: thv group list",
        });
      }
      const choice = bindGroupTools(chosen, {}, NO_TOOL_NAMES);
      const draft = withChoice({ name, members: [], ...(naming && { naming }) }, choice);
      const endpoint = await this.#endpoints.open(draft, port);
      const group: KeptGroup = { record: { ...draft, port: endpoint.port }, endpoint, problem: undefined };
      try {
        await this.#groups.add(group);
      } catch (error) {
        await endpoint.close();
        throw error;
      }
      this.#announce();
      return this.#describe(group);
    });
  }

  /** Its workloads stay; those that are in no other group are in `default` from now on. @throws {ThvError} `GROUP_NOT_FOUND`, `INVALID_ARGUMENT`, `FILE_FAILED`. */
  async remove(name: string): Promise<void> {
    if (name === DEFAULT_GROUP) {
      throw new ThvError("INVALID_ARGUMENT", `The group "${DEFAULT_GROUP}" cannot be removed.`, {
        hint: "Every server that is in no other group is in it.",
      });
    }
    await this.#groups.enqueue(async () => {
      const group = this.#groups.get(name);
      await this.#groups.delete(group);
      await group.endpoint?.close();
      this.#announce();
    });
  }

  /** @throws {ThvError} `GROUP_NOT_FOUND`, `WORKLOAD_NOT_FOUND`, `INVALID_ARGUMENT`, `FILE_FAILED`. */
  async addMember(name: string, workload: string): Promise<void> {
    if (this.#options.findWorkload(workload) === undefined) {
      throw new ThvError("WORKLOAD_NOT_FOUND", `There is no server "${workload}".`, {
        hint: "See all servers: thv list --all",
      });
    }
    await this.#changeMembers(name, (members) => [...new Set([...members, workload])].sort());
  }

  /** A workload that is not in it is no error. @throws {ThvError} `GROUP_NOT_FOUND`, `INVALID_ARGUMENT`, `FILE_FAILED`. */
  async removeMember(name: string, workload: string): Promise<void> {
    if (name === DEFAULT_GROUP && !this.#listGrouped().has(workload)) {
      throw new ThvError("INVALID_ARGUMENT", `"${workload}" is in no other group than "${DEFAULT_GROUP}".`, {
        hint: `Put it into another one first: thv group add NAME ${workload}`,
      });
    }
    await this.#changeMembers(name, (members) => members.filter((each) => each !== workload), new Set([workload]));
  }

  /**
   * From now on clients of the group see and call these tools, and no others; their sessions stay.
   *
   * @throws {ThvError} `GROUP_NOT_FOUND`, `INVALID_ARGUMENT`, `FILE_FAILED`; then nothing has changed.
   */
  async chooseTools(name: string, chosen: ToolMembers): Promise<Group> {
    if (name === DEFAULT_GROUP) {
      throw new ThvError("INVALID_ARGUMENT", `The group "${DEFAULT_GROUP}" has no address, and offers no tools.`, {
        hint: "Choose the tools of each server: thv tools allow SERVER TOOL",
      });
    }
    assertTools(chosen);
    return await this.#groups.enqueue(async () => {
      const group = this.#groups.get(name);
      const names = group.endpoint?.toolNames ?? NO_TOOL_NAMES;
      await this.#setChoice(group, bindGroupTools(chosen, readChoice(group.record), names));
      this.#announce();
      return this.#describe(group);
    });
  }

  /**
   * Runs what creates a workload, then puts it into a group. Until then it is in no group, so that clients of `default` are never
   * notified of it. @returns The name.
   *
   * @throws {ThvError} `GROUP_NOT_FOUND`, before anything is created; and what `create` throws.
   */
  async place<T extends { readonly name: string }>(name: string, create: () => Promise<T>): Promise<T> {
    if (name === DEFAULT_GROUP) return await create();
    this.#groups.get(name);
    if (this.#placing === 0) for (const { name: known } of this.#options.listWorkloads()) this.#seen.add(known);
    this.#placing += 1;
    try {
      const created = await create();
      await this.addMember(name, created.name);
      return created;
    } finally {
      this.#placing -= 1;
      this.follow(this.#options.listWorkloads());
    }
  }

  /** One has changed: removes it from its groups if it no longer exists. */
  followOne({ name, workload }: WorkloadChange): void {
    if (workload === undefined) this.#forget(new Set([name]));
    else {
      this.#endpoints.countRun(workload);
      if (this.#placing === 0) this.#seen.add(name);
    }
    this.#endpoints.follow(name);
  }

  /** Any may have changed: removes members that no longer exist from their groups. */
  follow(workloads: readonly Workload[]): void {
    const gone = this.#endpoints.countRuns(workloads);
    if (gone.size > 0) this.#forget(gone);
    if (this.#placing === 0) for (const { name } of workloads) this.#seen.add(name);
    this.#endpoints.follow();
  }

  #forget(gone: ReadonlySet<string>): void {
    for (const name of gone) {
      this.#seen.delete(name);
      this.#endpoints.forgetRuns(name);
    }
    void this.#dropMembers(gone);
  }

  /** By the groups that a workload is in, what clients call the entry of each. `default` has none. */
  listEntryNames(workload: string): ReadonlyMap<string, string> {
    const named = this.#groups.named.filter(({ record }) => record.members.includes(workload));
    return new Map(named.map(({ record }) => [record.name, formatEntryName(record.name)]));
  }

  /** What a client that is registered for some groups finds in its settings: servers of `default`, addresses of others. */
  selectFor(groups: readonly string[], workloads: readonly ListedGroup[]): ListedGroup[] {
    const listed: ListedGroup[] = [];
    const elsewhere = this.#listGrouped();
    if (groups.includes(DEFAULT_GROUP))
      listed.push(...workloads.filter(({ name }) => this.#isInDefault(name, elsewhere)));
    for (const { record, endpoint } of this.#groups.all) {
      if (!groups.includes(record.name) || record.port === undefined || endpoint === undefined) continue;
      listed.push({ name: formatEntryName(record.name), url: formatGroupUrl(record.port), status: "running" });
    }
    return listed;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#endpoints.beginClose();
    await this.#groups.close();
    await this.#endpoints.close();
  }

  /** @param gone Servers to remove. */
  async #changeMembers(
    name: string,
    change: (members: readonly string[]) => string[],
    gone: ReadonlySet<string> = new Set(),
  ): Promise<void> {
    await this.#groups.enqueue(async () => {
      const group = this.#groups.getOrDefault(name);
      const members = change(group.record.members);
      if (members.length > MAX_GROUP_MEMBERS) {
        throw new ThvError("INVALID_ARGUMENT", `The group "${name}" has ${MAX_GROUP_MEMBERS} servers already.`, {
          hint: "Put the others into another one: thv group create NAME",
        });
      }
      await this.#groups.change(group, dropChoice({ ...group.record, members }, gone));
      if (gone.size > 0) group.endpoint?.chooseTools(readChoice(group.record));
      this.#endpoints.update();
      this.#announce();
    });
  }

  /** Workloads were removed. */
  async #dropMembers(gone: ReadonlySet<string>): Promise<void> {
    const { store, log } = this.#options;
    try {
      await this.#groups.enqueue(async () => {
        let isChanged = false;
        for (const group of this.#groups.all) {
          const members = group.record.members.filter((name) => !gone.has(name));
          if (members.length === group.record.members.length) continue;
          group.record = dropChoice({ ...group.record, members }, gone);
          group.endpoint?.chooseTools(readChoice(group.record));
          isChanged = true;
        }
        for (const name of gone) await store.forgetLists(name);
        if (isChanged) await this.#groups.save();
      });
    } catch (error) {
      // They are no members any more either way. Else a new workload of the name would be one after the next start.
      log.warn({ reason: describeError(error) }, "groups could not be saved");
      this.#groups.saveLater();
    }
  }

  #describeDefault(): Group {
    const elsewhere = this.#listGrouped();
    const members = this.#options
      .listWorkloads()
      .filter(({ name }) => this.#isInDefault(name, elsewhere))
      .map((workload) => describeMember(workload))
      .sort(byName);
    return { name: DEFAULT_GROUP, members, warnings: [] };
  }

  #describe(group: KeptGroup): Group {
    return describeGroup(group, this.#options.listWorkloads());
  }

  /** @param elsewhere Those in groups with an address; who asks for many lists them once. */
  #isInDefault(workload: string, elsewhere = this.#listGrouped()): boolean {
    if (this.#placing > 0 && !this.#seen.has(workload)) return false;
    return !elsewhere.has(workload) || this.#groups.find(DEFAULT_GROUP)?.record.members.includes(workload) === true;
  }

  /** Names of those in groups that have an address. */
  #listGrouped(): ReadonlySet<string> {
    return new Set(this.#groups.named.flatMap(({ record }) => record.members));
  }

  /** A name that was chosen before any server had it belongs from now on to the first one that has it. */
  async #bindTools(name: string): Promise<void> {
    const group = this.#groups.find(name);
    const names = group?.endpoint?.toolNames;
    if (group === undefined || names === undefined || this.#isClosed) return;
    const bind = (): GroupTools => bindAgain(readChoice(group.record), names);
    const isBound = (): boolean => isDeepStrictEqual(bind(), readChoice(group.record));
    if (isBound()) return;
    try {
      await this.#groups.enqueue(async () => {
        if (this.#groups.find(name) === group && !isBound()) await this.#setChoice(group, bind());
      });
    } catch (error) {
      this.#options.log.warn({ group: name, reason: describeError(error) }, "the tools of a group could not be kept");
      // The same change may be the last one.
      setTimeout(() => void this.#bindTools(name), REBIND_MS).unref();
    }
  }

  async #setChoice(group: KeptGroup, choice: GroupTools): Promise<void> {
    await this.#groups.change(group, withChoice(group.record, choice));
    group.endpoint?.chooseTools(choice);
  }

  #announce(): void {
    this.#options.onChange?.();
  }
}

/** @throws {ThvError} `INVALID_ARGUMENT`. */
function assertTools(chosen: ToolMembers): void {
  const problems = listToolProblems(chosen);
  if (problems.length === 0) return;
  throw new ThvError("INVALID_ARGUMENT", `${listSentences(problems).join("; ")}.`, {
    problems,
    hint: "See the tools of a group: thv tools list --group NAME",
  });
}
