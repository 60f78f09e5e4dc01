/**
 * Every workload of one user: creates, finds and removes them, and reconciles them with their desired state. Desired
 * state is on disk before anything starts; actual state is read from the engine's labelled containers.
 */
import type { ContainerEngine, ContainerEvent, EngineInfo } from "../ports/container-engine.ts";
import type { EntryOrigin } from "../registry/catalog/named-sources.ts";
import type { LocatedEntry } from "../registry/catalog/registry-catalog.ts";
import type { RegistryServer } from "../registry/registry-schema.ts";
import { listRemoteSecrets } from "../remote/remote-schema.ts";
import { parseSecretReference, type SecretReference } from "../secrets/secret-reference.ts";
import { type ErrorCode, hasCode } from "../support/errors.ts";
import { HEALTH_INTERVAL_MS } from "../support/supervision-limits.ts";
import type { CreateRequest } from "../workload/create-request-schema.ts";
import { buildInstanceLabels } from "../workload/labels.ts";
import type { RunConfig } from "../workload/run-config.ts";
import type { Workload } from "../workload/workload.ts";
import { CreateChecks } from "./create-checks.ts";
import { type CreateDefaults, WorkloadCreation } from "./create-workload.ts";
import { WorkloadEdits } from "./edit-workload.ts";
import { EngineLink } from "./engine-link.ts";
import type { BackgroundWork, ManagedWorkload } from "./managed-workload.ts";
import { removeOrphans } from "./orphans.ts";
import type { PlaceLogs, RemoveOptions } from "./places/server-place.ts";
import { WorkloadPlans } from "./plan-workload.ts";
import { WorkloadMap, type WorkloadMapOptions } from "./workload-map.ts";

/** Why a start waits for the secrets. */
const CLOSED_SECRETS: readonly ErrorCode[] = [
  "SECRETS_LOCKED",
  "SECRETS_NOT_SET_UP",
  "SECRETS_NOT_READABLE",
  "SECRETS_FAILED",
];

export interface WorkloadSupervisorOptions extends WorkloadMapOptions, CreateDefaults {
  readonly discoverEngine: (signal: AbortSignal) => Promise<ContainerEngine>;
  /** The registry for server names. Default: none, every name is an image. */
  readonly registry?: {
    locate(reference: string): Promise<Pick<LocatedEntry, "entry" | "origin"> | undefined>;
    /** The entry with this image, whatever the tag, in the source that a workload was made from. */
    findByImage(image: string, origin?: EntryOrigin): Promise<RegistryServer | undefined>;
  };
}

interface RestartRequest {
  readonly proxyPort?: number | undefined;
  readonly pull?: boolean | undefined;
}

export class WorkloadSupervisor {
  /** Other settings for workloads that exist. */
  readonly edits: WorkloadEdits;
  /** How workloads are run, and would be run. */
  readonly plans: WorkloadPlans;
  readonly #options: WorkloadSupervisorOptions;
  readonly #link: EngineLink;
  readonly #map: WorkloadMap;
  readonly #checks: CreateChecks;
  readonly #creation: WorkloadCreation;
  #healthTimer: NodeJS.Timeout | undefined;

  constructor(options: WorkloadSupervisorOptions) {
    this.#options = options;
    this.#link = new EngineLink({
      discover: options.discoverEngine,
      labels: buildInstanceLabels(options.instanceId),
      onUp: (engine) => this.#onEngineUp(engine),
      onDown: (reason) => {
        for (const workload of this.#map.all) workload.onEngineLost(reason);
      },
      onEvent: (event) => this.#onContainerEvent(event),
      log: options.log,
    });
    const requireEngine = () => this.#link.require();
    this.#map = new WorkloadMap(options, requireEngine);
    this.#checks = new CreateChecks({ ...options, requireEngine });
    this.#creation = new WorkloadCreation(this.#map, this.#checks, options);
    this.edits = new WorkloadEdits(this.#map, this.#checks, options);
    this.plans = new WorkloadPlans(this.#map, this.#checks, () => this.#link.engine);
  }

  /** Loads desired state from disk; callers may use the supervisor afterwards. */
  async load(): Promise<void> {
    const { configs, damaged } = await this.#options.runConfigs.load();
    for (const config of configs) this.#map.add(this.#map.manage(config));
    for (const file of damaged) this.#map.damaged.add(file);
  }

  /** Starts reconciling. Resolves after the first attempt to reach the engine. */
  async start(): Promise<void> {
    // Those that run elsewhere wait for no engine.
    for (const workload of this.#map.all) if (!workload.needsEngine) this.#reconcile(workload, undefined);
    await this.#link.start();
    if (this.#map.isClosing) return;
    this.#healthTimer = setInterval(() => this.#tend(), HEALTH_INTERVAL_MS);
    this.#healthTimer.unref();
  }

  /** @throws {ThvError} `ENGINE_UNREACHABLE`, `ENGINE_PERMISSION`; and what the signal is aborted with, at once. */
  async pingEngine(signal: AbortSignal): Promise<void> {
    const aborted = new Promise<never>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    const answered = this.#link.require().then((engine) => engine.ping({ signal }));
    // The background search waits for a silent engine as long as it takes; this caller does not.
    await Promise.race([answered, aborted]);
  }

  /** The engine it is connected to, if any. */
  get engine(): EngineInfo | undefined {
    return this.#link.engine?.info;
  }

  /** Whether no workload should run; a background supervisor exits then. */
  get isIdle(): boolean {
    return this.#map.isIdle;
  }

  /** Sorted by name. */
  list(): Workload[] {
    return this.#map.list();
  }

  /**
   * Yields at once, then whenever callers see a change of a workload, until the signal is aborted or the supervisor ends.
   * Changes that happen while the reader is busy count as one.
   */
  followChanges(signal: AbortSignal): AsyncIterable<void> {
    return this.#map.changes.follow(signal);
  }

  /** The same, `undefined` where there is none of that name. */
  find(name: string): Workload | undefined {
    return this.#map.findDescribed(name);
  }

  /** How a workload is, damaged or not. @throws {ThvError} `WORKLOAD_NOT_FOUND`. */
  describe(name: string): Workload {
    return this.#map.describe(name);
  }

  /** The log of its server. @throws {ThvError} `WORKLOAD_NOT_FOUND`. */
  getLogs(name: string): PlaceLogs {
    return this.#map.getLogs(name);
  }

  /** To be asked, not to be changed. @throws {ThvError} `WORKLOAD_NOT_FOUND`, also for one whose configuration is damaged. */
  get(name: string): ManagedWorkload {
    return this.#map.get(name);
  }

  /** The same of one that may be changed now. @throws {ThvError} `WORKLOAD_NOT_FOUND`, `WORKLOAD_BUSY`, `STATE_CORRUPT`, `STATE_TOO_NEW`. */
  getUsable(name: string): ManagedWorkload {
    return this.#map.getUsable(name);
  }

  /** Names of workloads, sorted, by the name of each secret that they have. */
  listSecretUsers(): ReadonlyMap<string, readonly string[]> {
    const users = new Map<string, string[]>();
    for (const { name, config } of this.#map.all.toSorted(byName)) {
      const secrets = new Set(listSecrets(config).map((secret) => secret.name));
      for (const secret of secrets) users.set(secret, [...(users.get(secret) ?? []), name]);
    }
    return users;
  }

  /**
   * Saves the workload and starts it in the background. Resolves when the image is known to exist, at the latest after 2 s.
   *
   * @throws {ThvError} `INVALID_ARGUMENT`, `INVALID_WORKLOAD_NAME`, `WORKLOAD_EXISTS`, `CONTAINER_NAME_TAKEN`, `IMAGE_NOT_FOUND`,
   * `IMAGE_REGISTRY_UNREACHABLE`, `PORT_IN_USE`, `ENGINE_UNREACHABLE`, `REGISTRY_UNAVAILABLE`, `REGISTRY_INVALID`,
   * `CONFIG_INVALID`, `SECRETS_LOCKED`, `SECRETS_FAILED`. Then nothing remains.
   */
  async create(asked: CreateRequest): Promise<Workload> {
    return await this.#creation.create(asked);
  }

  /**
   * @param graceSeconds Time the server has to end by itself. Default 30.
   * @throws {ThvError} `WORKLOAD_NOT_FOUND`, `WORKLOAD_BUSY` while it is being removed.
   */
  async stop(name: string, graceSeconds?: number): Promise<BackgroundWork> {
    this.#map.assertOpen();
    return await this.#map.getUsable(name).stop(graceSeconds);
  }

  /**
   * Stops it when it runs, then starts it.
   *
   * @param proxyPort The port it is offered on from now on. Default: the one it has.
   * @param pull Pulls the image first, or builds that of a package again, and creates the container again; settles once the image
   * is there.
   * @throws {ThvError} `WORKLOAD_NOT_FOUND`, `WORKLOAD_BUSY`, `PORT_IN_USE`, `IMAGE_NOT_FOUND`, `BUILD_FAILED`, `INVALID_ARGUMENT`
   * for a server that runs elsewhere; for a running workload, every error that would prevent its next start. Then nothing has changed.
   */
  async restart(name: string, { proxyPort, pull = false }: RestartRequest = {}): Promise<BackgroundWork> {
    this.#map.assertOpen();
    const workload = this.#map.getUsable(name);
    const what = `"${name}" was not restarted, and runs on`;
    if (workload.isRunning) {
      await this.#checks.checkEngine(workload.config);
      await workload.prepareStart(workload.config, { what });
    }
    if (pull) await workload.pullImage();
    if (pull && workload.isRunning) await workload.prepareStart(workload.config, { isRenewed: true, what });
    const isMoved = proxyPort !== undefined && proxyPort !== workload.config.port;
    const endpoint = isMoved ? await this.#map.openEndpoint(workload.config, proxyPort) : undefined;
    try {
      this.#map.assertSame(workload);
      return await workload.restart({ endpoint, isRenewed: pull });
    } catch (error) {
      await endpoint?.close();
      throw error;
    }
  }

  /** Stops it when it runs, then removes it. @throws {ThvError} `WORKLOAD_NOT_FOUND`. */
  async delete(name: string, options: RemoveOptions = {}): Promise<BackgroundWork> {
    this.#map.assertOpen();
    const { damaged, changes } = this.#map;
    if (damaged.has(name)) {
      await damaged.delete(name);
      changes.announce();
      const { engine } = this.#link;
      // If the engine has just been lost, the container is removed when it returns.
      return { done: engine ? this.#removeOrphans(engine).catch(() => undefined) : Promise.resolve() };
    }
    const workload = this.#map.get(name);
    const { done } = await workload.remove(options);
    return { done: done.then(() => this.#map.forgetIfGone(workload)) };
  }

  /** Starts what waits for the secrets: they were opened. */
  startWaiting(): void {
    for (const workload of this.#listWaiting()) void workload.reconcile(this.#link.engine);
  }

  /**
   * Releases all workloads; the desired states stay on disk.
   *
   * @param keepContainers For a successor that takes over at once; otherwise the containers are stopped, because a
   * server without an endpoint is only a leak.
   */
  async close({ keepContainers }: { keepContainers: boolean }): Promise<void> {
    this.#map.beginClose();
    clearInterval(this.#healthTimer);
    await Promise.all(this.#map.all.map((workload) => workload.release({ keepContainer: keepContainers })));
    await this.#link.close();
    this.#map.changes.close();
  }

  /** Those that a start has failed of because the secrets could not be read. */
  #listWaiting(): ManagedWorkload[] {
    return this.#map.all.filter(({ desired, failure }) => desired === "running" && hasCode(failure, ...CLOSED_SECRETS));
  }

  /** A keyring may have been opened by somebody else. */
  async #tryWaiting(): Promise<void> {
    const [reference] = this.#listWaiting().flatMap(({ config }) => listSecrets(config));
    if (!reference) return;
    try {
      await this.#options.resolveSecrets([reference]);
    } catch (error) {
      // Still closed. With any other failure a start has something to say.
      if (hasCode(error, ...CLOSED_SECRETS)) return;
    }
    this.startWaiting();
  }

  /** Periodic check for changes that engines do not report as events. */
  #tend(): void {
    void this.#tryWaiting();
    for (const workload of this.#map.all) {
      void workload.checkHealth();
      if (workload.needsReconcile) this.#reconcile(workload, this.#link.engine);
    }
  }

  async #onEngineUp(engine: ContainerEngine): Promise<void> {
    await this.#removeOrphans(engine);
    for (const workload of this.#map.all) if (workload.needsEngine) this.#reconcile(workload, engine);
  }

  /** Not awaited: a slow workload must not delay the others or the events. */
  #reconcile(workload: ManagedWorkload, engine: ContainerEngine | undefined): void {
    void workload.reconcile(engine).then(() => this.#map.forgetIfGone(workload));
  }

  async #removeOrphans(engine: ContainerEngine): Promise<void> {
    const { instanceId, log } = this.#options;
    await removeOrphans(engine, {
      instanceId,
      isNeeded: (name, { isSidecar }) => {
        const workload = this.#map.find(name);
        const isUseless = isSidecar && workload !== undefined && !workload.network?.isFiltered;
        const isOurs = workload?.needsEngine === true;
        return !isUseless && (isOurs || this.#map.isReserved(name) || this.#map.damaged.has(name));
      },
      log,
    });
  }

  #onContainerEvent(event: ContainerEvent): void {
    this.#options.log.debug({ ...event }, "container event");
    for (const workload of this.#map.listOwners(event.containerName)) workload.onContainerEvent(event);
  }
}

/** References to the secrets that a workload is run with. */
function listSecrets(config: RunConfig): SecretReference[] {
  return [...(config.secrets ?? []).map(parseSecretReference), ...listRemoteSecrets(config)];
}

/** In the order of their bytes, as lists of names are. */
function byName(left: { readonly name: string }, right: { readonly name: string }): number {
  return left.name < right.name ? -1 : 1;
}
