/**
 * Groups of workloads, and the one endpoint that each of them has. A workload may be in several; one that is in none is in
 * `default`, which is what commands without a group mean. `default` has no endpoint: its clients know each server by itself.
 */

import { isDeepStrictEqual } from "node:util";
import { listToolProblems, type ToolMembers } from "../access/tool-selection.ts";
import { listMissing, type ToolState } from "../access/tool-states.ts";
import type {
  GroupEndpoint,
  GroupMember,
  GroupMemberStatus,
  GroupNaming,
  GroupTools,
  OpenGroupEndpoint,
} from "../ports/group-endpoint.ts";
import type { Logger } from "../ports/log.ts";
import { openOnFreePort } from "../supervision/server/open-on-free-port.ts";
import { messageOf, ThvError } from "../support/errors.ts";
import { KeptWrite } from "../support/kept-write.ts";
import { listSentences } from "../support/located-problem.ts";
import { compareNames } from "../support/natural-order.ts";
import type { Workload } from "../workload/workload.ts";
import { findNameProblem, isSameName } from "../workload/workload-name.ts";
import type { WorkloadStatus } from "../workload/workload-status.ts";
import { type GroupRecord, type GroupStore, MAX_GROUP_MEMBERS, MAX_GROUPS } from "./group-store.ts";
import { bindAgain, bindGroupTools, dropServers, NO_TOOL_NAMES, showGroupTools } from "./group-tools.ts";
import { listGroupWarnings } from "./group-warnings.ts";

export const DEFAULT_GROUP = "default";
const HOST = "127.0.0.1";
/** Milliseconds until a port that somebody else has is asked for again. */
const RETRY_MS = 10_000;

type StoredGroups = Pick<GroupStore, keyof GroupStore>;

export interface GroupManagerOptions {
  readonly store: StoredGroups;
  readonly openEndpoint: OpenGroupEndpoint;
  readonly listWorkloads: () => readonly Workload[];
  /** Called when the members or the address of a group are others, or a server in it can be reached or not. */
  readonly onChange?: () => void;
  readonly log: Logger;
}

/** What a group is created with. */
export interface GroupSettings extends ToolMembers {
  readonly naming?: GroupNaming | undefined;
  readonly port?: number | undefined;
}

/** A group as callers see it. The names of tools are those that clients of the group see now. */
export interface Group extends ToolMembers {
  readonly name: string;
  /** Address for MCP clients; absent for `default`. */
  readonly url?: string;
  readonly port?: number;
  readonly naming?: GroupNaming;
  /** Why it has no endpoint now, for people. */
  readonly problem?: string;
  /** Sorted by name. */
  readonly members: readonly GroupMemberStatus[];
  /** What to know of the names in it, and of what it does not offer, each a sentence. */
  readonly warnings: readonly string[];
}

/** A group's address as a server of a client's settings. */
export type ListedGroup = Pick<Workload, "name" | "url" | "status">;

interface ManagedGroup {
  record: GroupRecord;
  endpoint: GroupEndpoint | undefined;
  problem: string | undefined;
}

/** Statuses in which a server should answer; a start may take a moment, and calls wait for it. */
const ANSWERING: ReadonlySet<WorkloadStatus> = new Set(["running", "unhealthy", "starting"]);

/** Between two tries to keep for which server a name stands. */
const REBIND_MS = 1_000;

export class GroupManager {
  readonly #options: GroupManagerOptions;
  readonly #groups = new Map<string, ManagedGroup>();
  /** Counts the starts of each workload. */
  readonly #runs = new Map<string, { status: WorkloadStatus; count: number }>();
  /** Names that were there before; those of workloads that are being put into a group are not among them yet. */
  readonly #seen = new Set<string>();
  #placing = 0;
  #isClosed = false;
  /** Tries again what could not be written and nobody waits for. */
  readonly #unsaved = new KeptWrite({
    write: () => this.#enqueue(() => this.#save()),
    onFailed: () => undefined,
  });
  #timer: NodeJS.Timeout | undefined;
  /** Serializes changes of the file. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: GroupManagerOptions) {
    this.#options = options;
  }

  /** Reads the groups. @throws {ThvError} `STATE_CORRUPT`, `STATE_TOO_NEW`. */
  async load(): Promise<void> {
    for (const record of await this.#options.store.load()) {
      this.#groups.set(record.name, { record, endpoint: undefined, problem: undefined });
    }
    for (const { name } of this.#options.listWorkloads()) this.#seen.add(name);
  }

  /** Opens the endpoints. One whose port is taken is tried again whenever workloads change. */
  async start(): Promise<void> {
    const openAll = () => Promise.all([...this.#groups.values()].map((group) => this.#openAgain(group)));
    this.#timer = setInterval(() => void openAll(), RETRY_MS);
    this.#timer.unref();
    await openAll();
    this.#updateEndpoints();
  }

  /** Sorted by name, `default` first. */
  list(): Group[] {
    const named = [...this.#groups.values()].filter(({ record }) => record.name !== DEFAULT_GROUP);
    return [this.#describeDefault(), ...named.map((group) => this.#describe(group)).sort(byName)];
  }

  /** @throws {ThvError} `GROUP_NOT_FOUND`. */
  get(name: string): Group {
    return name === DEFAULT_GROUP ? this.#describeDefault() : this.#describe(this.#find(name));
  }

  /** Names of the workloads in a group, sorted. @throws {ThvError} `GROUP_NOT_FOUND`. */
  listMembers(name: string): string[] {
    return this.get(name).members.map((member) => member.name);
  }

  /**
   * Each tool of a group, and whether its clients see it: those that they see first, then those that are hidden, then those
   * that were chosen and that nobody has. @throws {ThvError} `GROUP_NOT_FOUND`.
   */
  listTools(name: string): ToolState[] {
    const { endpoint, record } = this.#find(name);
    const tools = (endpoint?.listTools() ?? []).map(({ server, name: own, shown, isOffered, description }) => ({
      name: shown,
      own,
      server,
      state: isOffered ? ("offered" as const) : ("hidden" as const),
      description,
    }));
    const { tools: chosen } = showGroupTools(readChoice(record), endpoint?.toolNames ?? NO_TOOL_NAMES);
    const offered = tools.filter(({ state }) => state === "offered");
    const hidden = tools.filter(({ state }) => state === "hidden");
    return [...offered, ...hidden, ...listMissing(chosen, new Set(tools.map((tool) => tool.name)))];
  }

  /** Names of the groups that a workload is in. */
  listGroupsOf(workload: string): string[] {
    return this.list()
      .filter(({ members }) => members.some(({ name }) => name === workload))
      .map(({ name }) => name);
  }

  /** @throws {ThvError} `INVALID_ARGUMENT`, `GROUP_EXISTS`, `PORT_IN_USE`, `FILE_FAILED`; then nothing is left behind. */
  async create(name: string, { naming, port, ...chosen }: GroupSettings = {}): Promise<Group> {
    const problem = findNameProblem(name, process.platform, "group");
    if (problem !== undefined) {
      throw new ThvError("INVALID_ARGUMENT", problem, {
        hint: "Use 2 to 100 letters, digits, dots, dashes and underscores, beginning with a letter or a digit.",
      });
    }
    assertTools(chosen);
    return await this.#enqueue(async () => {
      const holder = [DEFAULT_GROUP, ...this.#groups.keys()].find((each) => isSameName(each, name));
      if (holder !== undefined) {
        throw new ThvError("GROUP_EXISTS", `A group named "${holder}" already exists.`, {
          hint: "Choose another name, or see it: thv group list",
        });
      }
      if (this.#groups.size >= MAX_GROUPS) {
        throw new ThvError("INVALID_ARGUMENT", `There are ${MAX_GROUPS} groups already, and no more can be created.`, {
          hint: "Remove one that is not needed: thv group list",
        });
      }
      const choice = bindGroupTools(chosen, {}, NO_TOOL_NAMES);
      const draft = withChoice({ name, members: [], ...(naming && { naming }) }, choice);
      const endpoint = await this.#openEndpoint(draft, port);
      const group: ManagedGroup = { record: { ...draft, port: endpoint.port }, endpoint, problem: undefined };
      this.#groups.set(name, group);
      try {
        await this.#save();
      } catch (error) {
        this.#groups.delete(name);
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
    await this.#enqueue(async () => {
      const group = this.#find(name);
      this.#groups.delete(name);
      try {
        await this.#save();
      } catch (error) {
        this.#groups.set(name, group);
        throw error;
      }
      await group.endpoint?.close();
      this.#announce();
    });
  }

  /** @throws {ThvError} `GROUP_NOT_FOUND`, `WORKLOAD_NOT_FOUND`, `INVALID_ARGUMENT`, `FILE_FAILED`. */
  async addMember(name: string, workload: string): Promise<void> {
    if (!this.#options.listWorkloads().some((each) => each.name === workload)) {
      throw new ThvError("WORKLOAD_NOT_FOUND", `Workload "${workload}" not found.`, {
        hint: "See all servers: thv list --all",
      });
    }
    await this.#changeMembers(name, (members) => [...new Set([...members, workload])].sort());
  }

  /** A workload that is not in it is no error. @throws {ThvError} `GROUP_NOT_FOUND`, `INVALID_ARGUMENT`, `FILE_FAILED`. */
  async removeMember(name: string, workload: string): Promise<void> {
    if (name === DEFAULT_GROUP && this.#isInNoOther(workload)) {
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
    return await this.#enqueue(async () => {
      const group = this.#find(name);
      const names = group.endpoint?.toolNames ?? NO_TOOL_NAMES;
      await this.#setChoice(group, bindGroupTools(chosen, readChoice(group.record), names));
      this.#announce();
      return this.#describe(group);
    });
  }

  /**
   * Runs what creates a workload, then puts it into a group. Until then it is in none, so that clients of `default` never
   * hear of it. @returns The name.
   *
   * @throws {ThvError} `GROUP_NOT_FOUND`, before anything is created; and what `create` throws.
   */
  async place<T extends { readonly name: string }>(name: string, create: () => Promise<T>): Promise<T> {
    if (name === DEFAULT_GROUP) return await create();
    this.#find(name);
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

  /** Workloads have changed: members that are gone leave their groups. */
  follow(workloads: readonly Workload[]): void {
    for (const { name, status } of workloads) {
      const run = this.#runs.get(name);
      if (run === undefined) this.#runs.set(name, { status, count: 0 });
      else if (run.status !== status) {
        if (status === "running" && run.status !== "unhealthy") run.count += 1;
        run.status = status;
      }
    }
    const names = new Set(workloads.map(({ name }) => name));
    const gone = [...this.#runs.keys()].filter((name) => !names.has(name));
    for (const name of gone) {
      this.#runs.delete(name);
      this.#seen.delete(name);
    }
    if (this.#placing === 0) for (const name of names) this.#seen.add(name);
    if (gone.length > 0) void this.#dropMembers(new Set(gone));
    for (const group of this.#groups.values()) {
      if (group.endpoint === undefined && group.record.name !== DEFAULT_GROUP && !this.#isClosed)
        void this.#openAgain(group);
    }
    this.#updateEndpoints();
  }

  /** By the groups that a workload is in, what clients call the entry of each. `default` has none. */
  listEntryNames(workload: string): ReadonlyMap<string, string> {
    const groups = [...this.#groups.values()].map(({ record }) => record);
    const named = groups.filter(({ name, members }) => name !== DEFAULT_GROUP && members.includes(workload));
    return new Map(named.map(({ name }) => [name, formatEntryName(name)]));
  }

  /** What a client that is registered for some groups finds in its settings: servers of `default`, addresses of others. */
  selectFor(groups: readonly string[], workloads: readonly ListedGroup[]): ListedGroup[] {
    const listed: ListedGroup[] = [];
    if (groups.includes(DEFAULT_GROUP)) listed.push(...workloads.filter(({ name }) => this.#isInDefault(name)));
    for (const { record, endpoint } of this.#groups.values()) {
      if (!groups.includes(record.name) || record.port === undefined || endpoint === undefined) continue;
      listed.push({ name: formatEntryName(record.name), url: formatUrl(record.port), status: "running" });
    }
    return listed;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#unsaved.close();
    clearInterval(this.#timer);
    await this.#queue;
    await Promise.all([...this.#groups.values()].map(({ endpoint }) => endpoint?.close()));
  }

  /** @param gone Servers that leave. */
  async #changeMembers(
    name: string,
    change: (members: readonly string[]) => string[],
    gone: ReadonlySet<string> = new Set(),
  ): Promise<void> {
    await this.#enqueue(async () => {
      const group = this.#findOrDefault(name);
      const before = group.record;
      const members = change(before.members);
      if (members.length > MAX_GROUP_MEMBERS) {
        throw new ThvError("INVALID_ARGUMENT", `The group "${name}" has ${MAX_GROUP_MEMBERS} servers already.`, {
          hint: "Put the others into another one: thv group create NAME",
        });
      }
      group.record = withoutChoiceOf({ ...before, members }, gone);
      try {
        await this.#save();
      } catch (error) {
        group.record = before;
        throw error;
      }
      if (gone.size > 0) group.endpoint?.chooseTools(readChoice(group.record));
      this.#updateEndpoints();
      this.#announce();
    });
  }

  /** Workloads were removed. */
  async #dropMembers(gone: ReadonlySet<string>): Promise<void> {
    const { store, log } = this.#options;
    try {
      await this.#enqueue(async () => {
        let isChanged = false;
        for (const group of this.#groups.values()) {
          const members = group.record.members.filter((name) => !gone.has(name));
          if (members.length === group.record.members.length) continue;
          group.record = withoutChoiceOf({ ...group.record, members }, gone);
          group.endpoint?.chooseTools(readChoice(group.record));
          isChanged = true;
        }
        for (const name of gone) await store.forgetLists(name);
        if (isChanged) await this.#save();
      });
    } catch (error) {
      // They are no members any more either way. Else a new workload of the name would be one after the next start.
      log.warn({ reason: messageOf(error) }, "groups could not be saved");
      void this.#unsaved.save();
    }
  }

  #describeDefault(): Group {
    const members = this.#options
      .listWorkloads()
      .filter(({ name }) => this.#isInDefault(name))
      .map((workload) => describeMember(workload))
      .sort(byName);
    return { name: DEFAULT_GROUP, members, warnings: [] };
  }

  #describe({ record, endpoint, problem }: ManagedGroup): Group {
    const { name, port, naming } = record;
    const workloads = new Map(this.#options.listWorkloads().map((workload) => [workload.name, workload]));
    const statuses = new Map(endpoint?.members.map((member) => [member.name, member]));
    const isChosen = record.tools !== undefined;
    const members = record.members.flatMap((member) => {
      const workload = workloads.get(member);
      return statuses.get(member) ?? (workload === undefined ? [] : describeMember(workload));
    });
    members.sort(byName);
    return {
      name,
      ...(port !== undefined && { url: formatUrl(port), port }),
      naming: naming ?? "auto",
      ...showGroupTools(readChoice(record), endpoint?.toolNames ?? NO_TOOL_NAMES),
      ...(problem !== undefined && { problem }),
      members,
      warnings: listGroupWarnings({ name, isChosen, members, imitated: endpoint?.imitated ?? [] }),
    };
  }

  #isInDefault(workload: string): boolean {
    if (this.#placing > 0 && !this.#seen.has(workload)) return false;
    const isAdded = this.#groups.get(DEFAULT_GROUP)?.record.members.includes(workload) === true;
    return isAdded || this.#isInNoOther(workload);
  }

  #isInNoOther(workload: string): boolean {
    return ![...this.#groups.values()].some(
      ({ record }) => record.name !== DEFAULT_GROUP && record.members.includes(workload),
    );
  }

  #find(name: string): ManagedGroup {
    const group = this.#groups.get(name);
    if (group !== undefined) return group;
    throw new ThvError("GROUP_NOT_FOUND", `There is no group "${name.slice(0, 100)}".`, {
      hint: `See all groups: thv group list. Create it: thv group create ${name.slice(0, 100)}`,
    });
  }

  #findOrDefault(name: string): ManagedGroup {
    if (name !== DEFAULT_GROUP || this.#groups.has(name)) return this.#find(name);
    const group: ManagedGroup = { record: { name, members: [] }, endpoint: undefined, problem: undefined };
    this.#groups.set(name, group);
    return group;
  }

  async #save(): Promise<void> {
    await this.#options.store.save([...this.#groups.values()].map(({ record }) => record).sort(byName));
  }

  async #openEndpoint(record: GroupRecord, wanted: number | undefined): Promise<GroupEndpoint> {
    const { store, openEndpoint, log } = this.#options;
    const { name, naming } = record;
    const known = await this.#loadKnown();
    const onKnown = (server: string, lists: unknown): void => {
      store.saveLists(server, lists).catch((error) => {
        log.warn({ server, reason: messageOf(error) }, "what a server offers could not be kept");
      });
    };
    const open = async (port: number) =>
      await openEndpoint({
        name,
        host: HOST,
        port,
        naming,
        choice: readChoice(record),
        known,
        onKnown,
        onChange: () => {
          void this.#bindTools(name);
          this.#options.onChange?.();
        },
      });
    return wanted === undefined ? await openOnFreePort(this.#listPorts(), open) : await open(wanted);
  }

  /** A name that was chosen before any server had it stands from now on for the one that has it first. */
  async #bindTools(name: string): Promise<void> {
    const group = this.#groups.get(name);
    const names = group?.endpoint?.toolNames;
    if (group === undefined || names === undefined || this.#isClosed) return;
    const bind = (): GroupTools => bindAgain(readChoice(group.record), names);
    const isBound = (): boolean => isDeepStrictEqual(bind(), readChoice(group.record));
    if (isBound()) return;
    try {
      await this.#enqueue(async () => {
        if (this.#groups.get(name) === group && !isBound()) await this.#setChoice(group, bind());
      });
    } catch (error) {
      this.#options.log.warn({ group: name, reason: messageOf(error) }, "the tools of a group could not be kept");
      // The same change may be the last one.
      setTimeout(() => void this.#bindTools(name), REBIND_MS).unref();
    }
  }

  async #setChoice(group: ManagedGroup, choice: GroupTools): Promise<void> {
    const before = group.record;
    group.record = withChoice(before, choice);
    try {
      await this.#save();
    } catch (error) {
      group.record = before;
      throw error;
    }
    group.endpoint?.chooseTools(choice);
  }

  /** Ports that must not be given away, whether somebody listens on them now or not. */
  #listPorts(): ReadonlySet<number> {
    const own = [...this.#groups.values()].flatMap(({ record }) => record.port ?? []);
    return new Set([...own, ...this.#options.listWorkloads().map(({ port }) => port)]);
  }

  async #loadKnown(): Promise<Record<string, unknown>> {
    const entries = await Promise.all(
      this.#options.listWorkloads().map(async ({ name }) => [name, await this.#options.store.loadLists(name)] as const),
    );
    return Object.fromEntries(entries.filter(([, lists]) => lists !== undefined));
  }

  /** Its address stays: when somebody else has the port, it waits until they let go of it. */
  async #openAgain(group: ManagedGroup): Promise<void> {
    if (group.record.port === undefined || group.endpoint !== undefined || this.#isClosed) return;
    await this.#enqueue(async () => {
      // What was enqueued before may have changed it.
      const { record } = group;
      if (group.endpoint !== undefined || this.#isClosed || this.#groups.get(record.name) !== group) return;
      try {
        group.endpoint = await this.#openEndpoint(record, record.port);
        group.problem = undefined;
        this.#updateEndpoints();
        this.#announce();
      } catch (error) {
        if (group.problem === undefined) {
          this.#options.log.warn({ group: record.name, reason: messageOf(error) }, "endpoint of a group is not open");
        }
        group.problem = messageOf(error);
      }
    });
  }

  #updateEndpoints(): void {
    const workloads = new Map(this.#options.listWorkloads().map((workload) => [workload.name, workload]));
    for (const { record, endpoint } of this.#groups.values()) {
      endpoint?.update(record.members.flatMap((name) => this.#describeBackend(workloads.get(name)) ?? []));
    }
  }

  #describeBackend(workload: Workload | undefined): GroupMember | undefined {
    if (workload === undefined || workload.url === "") return undefined;
    const { name, url, status, statusContext } = workload;
    const run = String(this.#runs.get(name)?.count ?? 0);
    if (ANSWERING.has(status)) return { name, url, isRunning: true, run };
    return { name, url, isRunning: false, run, reason: describeStatus(status, statusContext) };
  }

  #announce(): void {
    this.#options.onChange?.();
  }

  async #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(work);
    this.#queue = turn.catch(() => undefined);
    return await turn;
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

function readChoice({ tools, tool_overrides: overrides, find_tools: isFinding }: GroupRecord): GroupTools {
  return { ...(tools && { tools }), ...(overrides && { overrides }), ...(isFinding && { isFinding }) };
}

function withChoice(record: GroupRecord, { tools, overrides, isFinding }: GroupTools): GroupRecord {
  const { tools: _tools, tool_overrides: _overrides, find_tools: _finds, ...others } = record;
  return {
    ...others,
    ...(tools && { tools: [...tools] }),
    ...(overrides && { tool_overrides: [...overrides] }),
    ...(isFinding && { find_tools: true }),
  };
}

function withoutChoiceOf(record: GroupRecord, gone: ReadonlySet<string>): GroupRecord {
  return withChoice(record, dropServers(readChoice(record), gone));
}

function describeMember({ name, status, statusContext }: Workload): GroupMemberStatus {
  if (status === "running") return { name, state: "ready" };
  const reason = describeStatus(status, statusContext);
  if (status === "starting") return { name, state: "starting", reason };
  return { name, state: status === "stopped" ? "stopped" : "unavailable", reason };
}

function describeStatus(status: WorkloadStatus, context: string): string {
  return context === "" ? `it is ${status}` : `it is ${status}: ${context}`;
}

/** How clients' settings call a group, among servers that may have any name. */
export function formatEntryName(group: string): string {
  return `thv-${group}`;
}

function formatUrl(port: number): string {
  return `http://${HOST}:${port}/mcp`;
}

function byName(left: { readonly name: string }, right: { readonly name: string }): number {
  return compareNames(left.name, right.name);
}
