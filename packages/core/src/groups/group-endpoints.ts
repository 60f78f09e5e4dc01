/** The endpoints of groups: opened on ports that stay theirs, and kept up to date with the servers behind them. */
import type { GroupEndpoint, GroupMember, OpenGroupEndpoint } from "../ports/group-endpoint.ts";
import type { Logger } from "../ports/log.ts";
import { openOnFreePort } from "../supervision/server/open-on-free-port.ts";
import { describeError } from "../support/errors.ts";
import type { Workload } from "../workload/workload.ts";
import type { WorkloadStatus } from "../workload/workload-status.ts";
import { describeStatus, GROUP_HOST } from "./group-description.ts";
import type { GroupRecord, GroupStore } from "./group-store.ts";
import { readChoice } from "./group-tools.ts";
import type { KeptGroup, KeptGroups } from "./kept-groups.ts";

/** Milliseconds until a port that somebody else has is asked for again. */
const RETRY_MS = 10_000;

/** Statuses in which a server should answer; a start may take a moment, and calls wait for it. */
const ANSWERING: ReadonlySet<WorkloadStatus> = new Set(["running", "unhealthy", "starting"]);

interface GroupEndpointsOptions {
  readonly groups: KeptGroups;
  readonly store: Pick<GroupStore, "loadLists" | "saveLists">;
  readonly openEndpoint: OpenGroupEndpoint;
  readonly listWorkloads: () => readonly Workload[];
  readonly findWorkload: (name: string) => Workload | undefined;
  /** Called when a group's servers offer something else. */
  readonly onOffer: (group: string) => void;
  /** Called when an endpoint was opened that had been missing. */
  readonly onOpen: () => void;
  readonly log: Logger;
}

export class GroupEndpoints {
  readonly #options: GroupEndpointsOptions;
  /** Counts the starts of each workload. */
  readonly #runs = new Map<string, { status: WorkloadStatus; count: number }>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: GroupEndpointsOptions) {
    this.#options = options;
  }

  /** Opens all. One whose port is taken is tried again from time to time. */
  async start(): Promise<void> {
    const openAll = () => Promise.all(this.#options.groups.all.map((group) => this.#openAgain(group)));
    this.#timer = setInterval(() => void openAll(), RETRY_MS);
    this.#timer.unref();
    await openAll();
    this.update();
  }

  /** Counts the workloads that were started since the last call. @returns Names of those that no longer exist. */
  countRuns(workloads: readonly Workload[]): ReadonlySet<string> {
    for (const workload of workloads) this.countRun(workload);
    const names = new Set(workloads.map(({ name }) => name));
    const gone = new Set([...this.#runs.keys()].filter((name) => !names.has(name)));
    return gone;
  }

  /** Counts it as one of those that were started, if its server runs and did not when it was counted last. */
  countRun({ name, status }: Workload): void {
    const run = this.#runs.get(name);
    if (run === undefined) this.#runs.set(name, { status, count: 0 });
    else if (run.status !== status) {
      if (status === "running" && run.status !== "unhealthy") run.count += 1;
      run.status = status;
    }
  }

  /** It no longer exists. */
  forgetRuns(name: string): void {
    this.#runs.delete(name);
  }

  /**
   * Workloads have changed: opens the endpoints that are missing, and passes their servers to those behind which they are.
   *
   * @param changed The only one that has changed. Default: any may have.
   */
  follow(changed?: string): void {
    if (!this.#isClosed) for (const group of this.#options.groups.named) void this.#openAgain(group);
    this.update(changed);
  }

  /** Passes to each endpoint the servers behind it. @param changed Only to those behind which this one is. */
  update(changed?: string): void {
    const { groups, findWorkload } = this.#options;
    for (const { record, endpoint } of groups.all) {
      if (endpoint === undefined || (changed !== undefined && !record.members.includes(changed))) continue;
      endpoint.update(record.members.flatMap((name) => this.#describeBackend(findWorkload(name)) ?? []));
    }
  }

  /** @param wanted The port. Default: one that is free. @throws {ThvError} `PORT_IN_USE`. */
  async open(record: GroupRecord, wanted: number | undefined): Promise<GroupEndpoint> {
    const { store, openEndpoint, onOffer, log } = this.#options;
    const { name, naming } = record;
    const known = await this.#loadKnown();
    const onKnown = (server: string, lists: unknown): void => {
      store.saveLists(server, lists).catch((error) => {
        log.warn({ server, reason: describeError(error) }, "what a server offers could not be kept");
      });
    };
    const onChange = () => onOffer(name);
    const choice = readChoice(record);
    const open = async (port: number) =>
      await openEndpoint({ name, host: GROUP_HOST, port, naming, choice, known, onKnown, onChange });
    return wanted === undefined ? await openOnFreePort(this.#listPorts(), open) : await open(wanted);
  }

  /** None is opened from now on. */
  beginClose(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
  }

  async close(): Promise<void> {
    await Promise.all(this.#options.groups.all.map(({ endpoint }) => endpoint?.close()));
  }

  /** Ports that must not be given away, whether somebody listens on them now or not. */
  #listPorts(): ReadonlySet<number> {
    const own = this.#options.groups.all.flatMap(({ record }) => record.port ?? []);
    return new Set([...own, ...this.#options.listWorkloads().map(({ port }) => port)]);
  }

  async #loadKnown(): Promise<Record<string, unknown>> {
    const { store, listWorkloads } = this.#options;
    const entries = await Promise.all(
      listWorkloads().map(async ({ name }) => [name, await store.loadLists(name)] as const),
    );
    return Object.fromEntries(entries.filter(([, lists]) => lists !== undefined));
  }

  /** Its address stays: while another program has the port, it stays closed and is tried again. */
  async #openAgain(group: KeptGroup): Promise<void> {
    const { groups, onOpen, log } = this.#options;
    if (group.record.port === undefined || group.endpoint !== undefined || this.#isClosed) return;
    await groups.enqueue(async () => {
      // What was enqueued before may have changed it.
      const { record } = group;
      if (group.endpoint !== undefined || this.#isClosed || groups.find(record.name) !== group) return;
      try {
        group.endpoint = await this.open(record, record.port);
        group.problem = undefined;
        this.update();
        onOpen();
      } catch (error) {
        if (group.problem === undefined) {
          log.warn({ group: record.name, reason: describeError(error) }, "endpoint of a group is not open");
        }
        group.problem = describeError(error);
      }
    });
  }

  #describeBackend(workload: Workload | undefined): GroupMember | undefined {
    if (workload === undefined || workload.url === "") return undefined;
    const { name, url, status, statusContext } = workload;
    const run = String(this.#runs.get(name)?.count ?? 0);
    if (ANSWERING.has(status)) return { name, url, isRunning: true, run };
    return { name, url, isRunning: false, run, reason: describeStatus(status, statusContext) };
  }
}
