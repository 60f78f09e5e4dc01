/** All workloads of one user by name: those that are supervised, those whose files are damaged, and names that are taken for a moment. */
import { Readable } from "node:stream";
import type { ContainerEngine } from "../ports/container-engine.ts";
import type { McpEndpoint } from "../ports/mcp-endpoint.ts";
import { type LogSelection, type StampedLine, selectLines } from "../server-log/log-line.ts";
import { ThvError } from "../support/errors.ts";
import { compareNames } from "../support/natural-order.ts";
import type { RunConfig } from "../workload/run-config.ts";
import type { Workload } from "../workload/workload.ts";
import { formatSidecarName } from "./containers/sidecar-spec.ts";
import { ManagedWorkload } from "./managed-workload.ts";
import { removeBuiltImage } from "./orphans.ts";
import type { WorkloadContext, WorkloadServices } from "./places/context.ts";
import type { PlaceLogs } from "./places/server-place.ts";
import { namePortOwner } from "./server/named-port.ts";
import { openOnFreePort } from "./server/open-on-free-port.ts";
import { buildEndpointOptions } from "./server/workload-endpoint.ts";
import { ChangeFeed } from "./state/change-feed.ts";
import { DamagedWorkloads } from "./state/damaged-workload.ts";

export interface WorkloadMapOptions extends WorkloadServices {
  /** Names the process that listens on a port, for messages. Default: none. */
  readonly describePortOwner?: (port: number) => Promise<string | undefined>;
  /** Called when a workload was added, removed, or has another status. */
  readonly onChange?: (change: WorkloadChange) => void;
}

/** What has changed, and not all workloads: what a change of one costs does not depend on how many others there are. */
export interface WorkloadChange {
  readonly name: string;
  /** As it is now; absent once it is removed. */
  readonly workload: Workload | undefined;
}

export class WorkloadMap {
  readonly context: WorkloadContext;
  readonly changes = new ChangeFeed();
  readonly damaged: DamagedWorkloads;
  readonly #options: WorkloadMapOptions;
  readonly #workloads = new Map<string, ManagedWorkload>();
  /** Those that are supervised, by name; absent when there are others than before. */
  #sorted: readonly ManagedWorkload[] | undefined;
  /** Those that may have a container, by its name and by that of its sidecar; absent when there are others than before. */
  #owners: ReadonlyMap<string, readonly ManagedWorkload[]> | undefined;
  /** Names of workloads whose settings are being replaced. */
  readonly #changing = new Set<string>();
  /** Names reserved by creates in progress. */
  readonly #reserved = new Set<string>();
  #isClosing = false;

  constructor(options: WorkloadMapOptions, requireEngine: () => Promise<ContainerEngine>) {
    this.#options = options;
    this.damaged = new DamagedWorkloads(options);
    this.context = {
      ...options,
      requireEngine,
      openEndpoint: namePortOwner({
        openEndpoint: options.openEndpoint,
        list: () => this.list(),
        describePortOwner: options.describePortOwner ?? (async () => undefined),
      }),
      onChange: (name) => this.announce(name),
      onProgress: () => this.changes.announceProgress(),
    };
  }

  /** Those that are supervised. */
  get all(): readonly ManagedWorkload[] {
    return [...this.#workloads.values()];
  }

  /** Names that no other workload may have. */
  get names(): readonly string[] {
    return [...this.#workloads.keys(), ...this.damaged.names(), ...this.#reserved];
  }

  /** Whether a workload is being created that has its name already. */
  isReserved(name: string): boolean {
    return this.#reserved.has(name);
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Whether nothing is created and no workload should run. */
  get isIdle(): boolean {
    return this.#reserved.size === 0 && this.all.every(({ desired, isUnsaved }) => desired === "stopped" && !isUnsaved);
  }

  /** Sorted by name. */
  list(): Workload[] {
    this.#sorted ??= this.all.toSorted(byName);
    const sound = this.#sorted.map((workload) => workload.describe());
    const damaged = this.damaged.list();
    return damaged.length === 0 ? sound : [...sound, ...damaged].sort(byName);
  }

  find(name: string): ManagedWorkload | undefined {
    return this.#workloads.get(name);
  }

  /** Those that an event of the container with this name may be about: all for a name that somebody has changed. */
  listOwners(container: string): readonly ManagedWorkload[] {
    this.#owners ??= groupByContainer(this.all);
    return this.#owners.get(container) ?? this.all;
  }

  /** How a workload is, damaged or not. */
  findDescribed(name: string): Workload | undefined {
    return this.damaged.find(name) ?? this.find(name)?.describe();
  }

  /** @throws {ThvError} `WORKLOAD_NOT_FOUND`, also for one whose file is damaged. */
  get(name: string): ManagedWorkload {
    const workload = this.#workloads.get(name);
    if (!workload) throw createNotFound(name);
    return workload;
  }

  /** One that can be changed. @throws {ThvError} `WORKLOAD_NOT_FOUND`, `WORKLOAD_BUSY`, `STATE_CORRUPT`, `STATE_TOO_NEW`. */
  getUsable(name: string): ManagedWorkload {
    this.damaged.assertSound(name);
    const workload = this.get(name);
    if (workload.desired !== "removed") return workload;
    throw new ThvError("WORKLOAD_BUSY", `The server "${name}" is being removed.`, {
      hint: "Wait until it is gone, then create it again.",
    });
  }

  /** @throws {ThvError} `WORKLOAD_NOT_FOUND`. */
  describe(name: string): Workload {
    return this.damaged.find(name) ?? this.get(name).describe();
  }

  /** Also of one that was removed because its start failed. What they return throws `WORKLOAD_NOT_FOUND`. */
  getLogs(name: string): PlaceLogs {
    return this.damaged.findLogs(name) ?? this.find(name)?.logs ?? this.#openFailedLogs(name);
  }

  #openFailedLogs(name: string): PlaceLogs {
    const read = async (selection: LogSelection): Promise<StampedLine[]> => {
      const kept = await this.context.failedOutputs?.read(name);
      if (!kept) throw createNotFound(name);
      const [header, ...lines] = kept;
      return [...(header ? [header] : []), ...selectLines(lines, selection)];
    };
    return { read, follow: async (selection) => Readable.from(await read(selection)) };
  }

  /** @param endpoint Already listening on the configuration's port. */
  manage(config: RunConfig, endpoint?: McpEndpoint): ManagedWorkload {
    return new ManagedWorkload(config, this.context, endpoint);
  }

  /** From now on this one has the name. */
  add(workload: ManagedWorkload): void {
    this.#workloads.set(workload.name, workload);
    this.#forgetOrder();
  }

  /** Takes it out once it is removed completely, and the image that was built for it alone. */
  forgetIfGone(workload: ManagedWorkload): void {
    if (!workload.isGone || this.#workloads.get(workload.name) !== workload) return;
    this.#workloads.delete(workload.name);
    this.#forgetOrder();
    this.announce(workload.name);
    this.removeUnusedImage(workload.builtImage);
  }

  removeUnusedImage(image: string | undefined): void {
    if (image === undefined || this.all.some(({ builtImage }) => builtImage === image)) return;
    void removeBuiltImage(image, this.context);
  }

  /** A workload was added, removed, or has another status. */
  announce(name: string): void {
    this.#options.onChange?.({ name, workload: this.findDescribed(name) });
    this.changes.announce();
  }

  #forgetOrder(): void {
    this.#sorted = undefined;
    this.#owners = undefined;
  }

  /** No other workload gets the name meanwhile. */
  async whileReserved<T>(name: string, run: () => Promise<T>): Promise<T> {
    this.#reserved.add(name);
    try {
      return await run();
    } finally {
      this.#reserved.delete(name);
    }
  }

  /** No other operation changes the settings meanwhile. @throws {ThvError} `WORKLOAD_BUSY` while another one does. */
  async whileChanging<T>(name: string, run: () => Promise<T>): Promise<T> {
    this.assertUnchanging(name);
    this.#changing.add(name);
    try {
      return await run();
    } finally {
      this.#changing.delete(name);
    }
  }

  /** @throws {ThvError} `WORKLOAD_BUSY` while its settings are being changed. */
  assertUnchanging(name: string): void {
    if (!this.#changing.has(name)) return;
    throw new ThvError("WORKLOAD_BUSY", `The settings of "${name}" are being changed.`, {
      hint: `Wait until that is done: thv status ${name}`,
    });
  }

  /** It may have been removed meanwhile, or another one has its name. @throws {ThvError} As `getUsable`. */
  assertSame(workload: ManagedWorkload): void {
    if (this.getUsable(workload.name) !== workload) throw createNotFound(workload.name);
  }

  /** @param proxyPort Default: one that is free. @throws {ThvError} `PORT_IN_USE`, and what the endpoint throws. */
  async openEndpoint(draft: Omit<RunConfig, "port">, proxyPort: number | undefined): Promise<McpEndpoint> {
    const open = (port: number) => this.context.openEndpoint(buildEndpointOptions({ ...draft, port }));
    if (proxyPort !== undefined) return await open(proxyPort);
    // A stopped workload does not listen, and could not start again if another one had its port.
    const ports = [...this.all.map(({ config }) => config.port), ...this.damaged.list().map(({ port }) => port)];
    return await openOnFreePort(new Set(ports), open);
  }

  /** @throws {ThvError} `SUPERVISOR_UNREACHABLE` once it is being closed. */
  assertOpen(): void {
    if (!this.#isClosing) return;
    throw new ThvError("SUPERVISOR_UNREACHABLE", "The supervisor is shutting down.", {
      hint: "Try again in a moment.",
    });
  }

  /** Nothing is changed from now on. */
  beginClose(): void {
    this.#isClosing = true;
  }
}

/** By the name of each container that a workload may have. A sidecar's may be that of another one's server. */
function groupByContainer(workloads: readonly ManagedWorkload[]): ReadonlyMap<string, readonly ManagedWorkload[]> {
  const owners = new Map<string, ManagedWorkload[]>();
  for (const workload of workloads) {
    const { config } = workload;
    for (const name of [config.container_name, formatSidecarName(config)]) {
      const known = owners.get(name);
      if (known) known.push(workload);
      else owners.set(name, [workload]);
    }
  }
  return owners;
}

function byName(left: { readonly name: string }, right: { readonly name: string }): number {
  return compareNames(left.name, right.name);
}

function createNotFound(name: string): ThvError {
  return new ThvError("WORKLOAD_NOT_FOUND", `There is no server "${name}".`, {
    hint: "See all servers: thv list --all",
  });
}
