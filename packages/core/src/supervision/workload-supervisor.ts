/**
 * Every workload of one user: creates, finds and removes them, and reconciles them with their desired state. Desired
 * state is on disk before anything starts; actual state is read from the engine's labelled containers.
 */
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { type AccessConfig, pickAccess } from "../access/access-config.ts";
import { resolveAccess } from "../access/access-request.ts";
import type { TelemetryDefaults } from "../access/telemetry-config.ts";
import type { Container, ContainerEngine, ContainerEvent, EngineInfo } from "../ports/container-engine.ts";
import type { McpEndpoint, ObservedCall, PolicyQuestion, PolicyVerdict } from "../ports/mcp-endpoint.ts";
import type { RegistryEntry, RegistryServer } from "../registry/registry-schema.ts";
import { listRemoteSecrets } from "../remote/remote-schema.ts";
import { parseSecretReference, type SecretReference } from "../secrets/secret-reference.ts";
import type { LogSelection, StampedLine } from "../server-log/log-line.ts";
import { ServerLog } from "../server-log/server-log.ts";
import type { Denial } from "../sidecar-rules/denials.ts";
import { type ErrorCode, hasCode, ThvError } from "../support/errors.ts";
import { compareNames } from "../support/natural-order.ts";
import { HEALTH_INTERVAL_MS } from "../support/supervision-limits.ts";
import type { AcceptedTool, PinReport } from "../tool-pins/pin-report.ts";
import { draftRunConfig, type ResolvedRequest } from "../workload/create-request.ts";
import type { CreateRequest } from "../workload/create-request-schema.ts";
import { buildInstanceLabels, isServerOf } from "../workload/labels.ts";
import { readRealSources } from "../workload/mounts.ts";
import type { RunConfig } from "../workload/run-config.ts";
import type { DamagedRunConfig } from "../workload/run-config-store.ts";
import type { Workload } from "../workload/workload.ts";
import { generateWorkloadName, isSameName } from "../workload/workload-name.ts";
import { findContainerUser } from "./containers/container-user.ts";
import { CreateChecks } from "./create-checks.ts";
import { EngineLink } from "./engine-link.ts";
import { type BackgroundWork, ManagedWorkload } from "./managed-workload.ts";
import {
  allowInConfig,
  describeNetwork,
  enforceLearned,
  type NetworkChange,
  type NetworkState,
  type NetworkTarget,
} from "./network-changes.ts";
import { removeBuiltImage, removeOrphans } from "./orphans.ts";
import type { WorkloadContext, WorkloadServices } from "./places/context.ts";
import type { RemoveOptions } from "./places/server-place.ts";
import { differsInToolsOnly, replaceWorkload } from "./replacement.ts";
import { buildRemotePlan, buildRunPlan, type RunPlan } from "./run-plan.ts";
import { namePortOwner } from "./server/named-port.ts";
import { openOnFreePort } from "./server/open-on-free-port.ts";
import { buildEndpointOptions } from "./server/workload-endpoint.ts";
import {
  assertUpgradeRequest,
  buildUpgradedConfig,
  checkUpgrade,
  type UpgradeCheck,
  type UpgradeRequest,
} from "./server-upgrade.ts";
import { ChangeFeed } from "./state/change-feed.ts";
import { createDamagedError, describeDamaged } from "./state/damaged-workload.ts";
import type { NetworkMembers } from "./state/desired-config.ts";

/** Milliseconds a create waits for an early "no such image" before it answers; spec §8 wants a 404 for it. */
const EARLY_FAILURE_WINDOW_MS = 2_000;

/** Failures that a create returns as its answer, leaving nothing behind. */
const EARLY_FAILURES: readonly ErrorCode[] = ["IMAGE_NOT_FOUND", "IMAGE_REGISTRY_UNREACHABLE"];
/** Why a start waits for the secrets. */
const CLOSED_SECRETS: readonly ErrorCode[] = [
  "SECRETS_LOCKED",
  "SECRETS_NOT_SET_UP",
  "SECRETS_NOT_READABLE",
  "SECRETS_FAILED",
];
/** Foreign container names that are skipped in the search for a free one. */
const MAX_FOREIGN_NAMES = 50;

export interface WorkloadSupervisorOptions extends WorkloadServices {
  readonly discoverEngine: (signal: AbortSignal) => Promise<ContainerEngine>;
  /** Names the process that listens on a port, for messages. Default: none. */
  readonly describePortOwner?: (port: number) => Promise<string | undefined>;
  /** Called with all workloads when one is added, removed or changes its status. */
  readonly onChange?: (workloads: readonly Workload[]) => void;
  /** The registry for server names. Default: none, every name is an image. */
  readonly registry?: {
    find(name: string): Promise<RegistryEntry | undefined>;
    /** The entry with this image, whatever the tag. */
    findByImage(image: string): Promise<RegistryServer | undefined>;
  };
  /** Telemetry defaults of the settings. Default: none. */
  readonly telemetryDefaults?: () => Promise<TelemetryDefaults>;
  /** Seconds without a call after which new servers sleep that do not say. Default: they do not. */
  readonly sleepDefault?: () => Promise<number | undefined>;
}

interface RestartRequest {
  readonly proxyPort?: number | undefined;
  readonly pull?: boolean | undefined;
}

export interface WorkloadDetails {
  readonly workload: Workload;
  /** How it is run; its image counts as present. Absent for a damaged run configuration. */
  readonly plan?: RunPlan;
  /** Absent for a damaged one. */
  readonly config?: RunConfig;
  /** `repository@sha256:…` of the image that the engine has; none for one that was built here or is gone. */
  readonly digests?: readonly string[];
  readonly container?: Container;
}

export class WorkloadSupervisor {
  readonly #options: WorkloadSupervisorOptions;
  readonly #link: EngineLink;
  readonly #checks: CreateChecks;
  readonly #workloads = new Map<string, ManagedWorkload>();
  readonly #damaged = new Map<string, DamagedRunConfig>();
  /** Names of workloads whose settings are being replaced. */
  readonly #changing = new Set<string>();
  /** Names reserved by creates in progress. */
  readonly #reserved = new Set<string>();
  readonly #changes = new ChangeFeed();
  readonly #context: WorkloadContext;
  #healthTimer: NodeJS.Timeout | undefined;
  #isClosing = false;

  constructor(options: WorkloadSupervisorOptions) {
    this.#options = options;
    this.#checks = new CreateChecks(options);
    this.#link = new EngineLink({
      discover: options.discoverEngine,
      labels: buildInstanceLabels(options.instanceId),
      onUp: (engine) => this.#reconcile(engine),
      onDown: (reason) => {
        for (const workload of this.#workloads.values()) workload.onEngineLost(reason);
      },
      onEvent: (event) => this.#onContainerEvent(event),
      log: options.log,
    });
    this.#context = {
      ...options,
      requireEngine: () => this.#link.require(),
      openEndpoint: namePortOwner({
        openEndpoint: options.openEndpoint,
        list: () => this.list(),
        describePortOwner: options.describePortOwner ?? (async () => undefined),
      }),
      onChange: () => this.#announceChange(),
      onProgress: () => this.#changes.announceProgress(),
    };
  }

  /** Loads desired state from disk; callers may use the supervisor afterwards. */
  async load(): Promise<void> {
    const { configs, damaged } = await this.#options.runConfigs.load();
    for (const config of configs) this.#workloads.set(config.name, this.#manage(config));
    for (const file of damaged) {
      this.#options.log.error({ ...file }, "run configuration cannot be read");
      this.#damaged.set(file.name, file);
    }
  }

  /** Starts reconciling. Resolves after the first attempt to reach the engine. */
  async start(): Promise<void> {
    // Those that run elsewhere wait for no engine.
    for (const workload of this.#workloads.values()) {
      if (!workload.needsEngine) void workload.reconcile(undefined).then(() => this.#forgetIfGone(workload));
    }
    await this.#link.start();
    if (this.#isClosing) return;
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

  /** Whether any workload should run; a background supervisor exits when none should. */
  get isIdle(): boolean {
    return (
      this.#reserved.size === 0 &&
      [...this.#workloads.values()].every((workload) => workload.desired === "stopped" && !workload.isUnsaved)
    );
  }

  /** Sorted by name. */
  list(): Workload[] {
    const workloads = [...this.#workloads.values()].map((workload) => workload.describe());
    return [...workloads, ...[...this.#damaged.values()].map(describeDamaged)].sort((left, right) =>
      compareNames(left.name, right.name),
    );
  }

  /**
   * Yields at once, then whenever callers see a change of a workload, until the signal is aborted or the supervisor ends.
   * Changes that happen while the reader is busy count as one.
   */
  followChanges(signal: AbortSignal): AsyncIterable<void> {
    return this.#changes.follow(signal);
  }

  /** @throws {ThvError} `WORKLOAD_NOT_FOUND`. */
  get(name: string): Workload {
    const damaged = this.#damaged.get(name);
    return damaged ? describeDamaged(damaged) : this.#find(name).describe();
  }

  /**
   * Saves the workload and starts it in the background. Resolves when the image is known to exist, at the latest after
   * 2 s.
   *
   * @throws {ThvError} `INVALID_ARGUMENT`, `INVALID_WORKLOAD_NAME`, `WORKLOAD_EXISTS`, `CONTAINER_NAME_TAKEN`,
   * `IMAGE_NOT_FOUND`, `IMAGE_REGISTRY_UNREACHABLE`, `PORT_IN_USE`, `ENGINE_UNREACHABLE`, `REGISTRY_UNAVAILABLE`,
   * `REGISTRY_INVALID`, `CONFIG_INVALID`, `SECRETS_LOCKED`, `SECRETS_FAILED`. Then nothing is left behind.
   */
  async create(asked: CreateRequest): Promise<Workload> {
    this.#assertOpen();
    const sleepAfter = await this.#options.sleepDefault?.();
    const request = {
      ...(sleepAfter !== undefined && { sleep_after_seconds: sleepAfter }),
      ...(await this.#checks.resolve(asked)),
    };
    const access = await resolveAccess(request, await this.#options.telemetryDefaults?.());
    this.#assertOpen();
    return await this.#withDraft(request, access, async (draft) => {
      this.#reserved.add(draft.name);
      try {
        await this.#checks.checkSecrets(listSecretsOf(request));
        await this.#checkEngine(draft);
        return await this.#createFromDraft(draft, request.proxy_port || undefined);
      } finally {
        this.#reserved.delete(draft.name);
      }
    });
  }

  /**
   * Replaces the settings of a workload. Its name, its port where none is asked for, and its desired state stay. Settles when
   * the server runs with them; a server that ran runs as before when it does not.
   *
   * @throws {ThvError} As `create`, then nothing has changed; and what a server fails with, then the settings before are in
   * use again. `WORKLOAD_NOT_FOUND`; `WORKLOAD_BUSY` while it is being changed or removed.
   */
  async edit(name: string, asked: CreateRequest): Promise<Workload> {
    this.#assertOpen();
    const { present, next } = await this.#draftEdit(name, asked);
    if (differsInToolsOnly(present, next)) return await this.#changeTools(name, next);
    return await this.#change(name, next, "The new settings");
  }

  /** How a workload is run, and how it would be after `edit`. @throws {ThvError} As `edit`, before anything changes. */
  async compare(
    name: string,
    asked: CreateRequest,
  ): Promise<{ readonly present: RunConfig; readonly next: RunConfig }> {
    return await this.#draftEdit(name, asked);
  }

  async #draftEdit(name: string, asked: CreateRequest) {
    const { config: present } = this.#findUsable(name);
    const resolved = await this.#checks.resolve(keepServerPort(nameAs(name, asked), present));
    // Once more, because the transport may be the registry's.
    const request = keepServerPort(resolved, present);
    const access = await resolveAccess(request, await this.#options.telemetryDefaults?.());
    const draft = draftRunConfig(request, new Date(present.created_at), keepHeaders(access, present));
    await this.#checks.checkSecrets(listSecretsOf(request));
    assertSamePlace(present, draft);
    return { present, next: { ...draft, port: request.proxy_port || present.port } };
  }

  /** At once: neither its server nor the sessions of its clients end. */
  async #changeTools(name: string, next: RunConfig): Promise<Workload> {
    const workload = this.#findUsable(name);
    if (this.#changing.has(name)) throw beingChanged(name);
    this.#changing.add(name);
    try {
      await workload.changeTools(next);
      this.#changes.announceProgress();
      return workload.describe();
    } finally {
      this.#changing.delete(name);
    }
  }

  /** What of its tools is pinned; `undefined` when they are not. @throws {ThvError} As `readConfig`. */
  async describePins(name: string): Promise<PinReport | undefined> {
    return await this.#findUsable(name).describePins();
  }

  /**
   * Pins what the server offers now.
   *
   * @param asked Differences as they were shown. Default: all.
   * @throws {ThvError} As `readConfig`; `INVALID_ARGUMENT` when its tools are not pinned, `TOOLS_CHANGED`, `FILE_FAILED`.
   */
  async acceptTools(name: string, asked?: readonly AcceptedTool[]): Promise<PinReport> {
    this.#assertOpen();
    const workload = this.#findUsable(name);
    if (this.#changing.has(name)) throw beingChanged(name);
    return await workload.acceptTools(asked);
  }

  /** @throws {ThvError} `WORKLOAD_NOT_FOUND`, `WORKLOAD_BUSY`; and why the registry cannot be read. */
  async checkUpgrade(name: string): Promise<UpgradeCheck> {
    const { config } = this.#findUsable(name);
    return checkUpgrade(config, await this.#findEntry(config));
  }

  /** Of every workload whose configuration can be read, sorted by name. @throws {ThvError} Why the registry cannot be read. */
  async checkUpgrades(): Promise<UpgradeCheck[]> {
    const checks: UpgradeCheck[] = [];
    for (const { name } of this.list()) {
      const config = this.#workloads.get(name)?.config;
      if (config && config.desired_state !== "removed")
        checks.push(checkUpgrade(config, await this.#findEntry(config)));
    }
    return checks;
  }

  /**
   * Runs a workload from the image that the registry lists now. Without one that differs nothing happens. A server that ran
   * runs as before when the new one does not answer.
   *
   * @throws {ThvError} As `edit`.
   */
  async upgrade(name: string, request: UpgradeRequest): Promise<Workload> {
    this.#assertOpen();
    assertUpgradeRequest(request);
    const { config } = this.#findUsable(name);
    const server = await this.#findEntry(config);
    if (!server || !checkUpgrade(config, server).isAvailable) return this.get(name);
    await this.#checks.checkSecrets(request.secrets);
    return await this.#change(name, buildUpgradedConfig(config, server, request), "The upgrade");
  }

  /** @param next Of which its port may be taken. */
  async #change(name: string, next: RunConfig, what: string): Promise<Workload> {
    this.#assertOpen();
    const old = this.#findUsable(name);
    if (this.#changing.has(name)) throw beingChanged(name);
    this.#changing.add(name);
    let endpoint: McpEndpoint | undefined;
    try {
      await this.#checkEngine(next);
      await this.#prepareStart(old, next, { what: `${what} of "${name}" did not work. It runs on with those before` });
      if (next.port !== old.config.port) endpoint = await this.#openEndpoint(next, next.port);
      // An issuer that cannot be reached is known before the endpoint of now is given up.
      else if (!isDeepStrictEqual(pickAccess(next), pickAccess(old.config)))
        await (await this.#openEndpoint(next, undefined)).close();
      this.#assertOpen();
      // It may have gone meanwhile.
      if (this.#findUsable(name) !== old) throw workloadNotFound(name);
      const before = old.builtImage;
      const opened = endpoint;
      endpoint = undefined;
      const successor = await replaceWorkload(
        old,
        { next, endpoint: opened, what },
        {
          manage: (config, kept) => this.#manage(config, kept),
          install: (workload) => {
            this.#workloads.set(name, workload);
            this.#announceChange();
          },
          isInstalled: (workload) => this.#workloads.get(name) === workload,
          log: this.#options.log,
        },
      );
      if (before !== successor.builtImage) this.#removeUnusedImage(before);
      return successor.describe();
    } finally {
      this.#changing.delete(name);
      await endpoint?.close();
    }
  }

  /**
   * The plan that `create` would follow, checked as far as possible without creating anything.
   *
   * @param replace Name of the workload whose settings these would be. @throws {ThvError} As `create`, and for that
   * workload `WORKLOAD_NOT_FOUND`, `WORKLOAD_BUSY`, `STATE_CORRUPT`, `STATE_TOO_NEW`.
   */
  async plan(asked: CreateRequest, { replace }: { readonly replace?: string | undefined } = {}): Promise<RunPlan> {
    const replaced = replace === undefined ? undefined : this.#findUsable(replace);
    const request = await this.#checks.resolve(replaced ? nameAs(replaced.name, asked) : asked);
    const plan = async (draft: Omit<RunConfig, "port">) => {
      await this.#checks.checkSecrets(listSecretsOf(request));
      if (replaced) assertSamePlace(replaced.config, draft);
      const engine = await this.#checkEngine(draft);
      const presentPort = replaced?.config.port;
      const proxyPort = request.proxy_port || presentPort;
      if (proxyPort !== undefined && proxyPort !== presentPort)
        await (await this.#openEndpoint(draft, proxyPort)).close();
      if (engine === undefined) return buildRemotePlan(draft, proxyPort);
      const user = await findContainerUser(engine, draft);
      const isImageThere = await engine.hasImage(draft.image);
      const realSources = await readRealSources(draft);
      return buildRunPlan(draft, { proxyPort, isImageThere, user, engine: engine.info, realSources });
    };
    const access = await resolveAccess(request);
    return replaced
      ? await plan(draftRunConfig(request, new Date(), access))
      : await this.#withDraft(request, access, plan);
  }

  /** How it is run. @throws {ThvError} `WORKLOAD_NOT_FOUND`, `WORKLOAD_BUSY`, `STATE_CORRUPT`, `STATE_TOO_NEW`. */
  readConfig(name: string): RunConfig {
    return this.#findUsable(name).config;
  }

  /** Names of workloads, sorted, by the name of each secret that they have. */
  listSecretUsers(): ReadonlyMap<string, readonly string[]> {
    const users = new Map<string, string[]>();
    for (const name of [...this.#workloads.keys()].sort()) {
      const { config } = this.#find(name);
      const secrets = new Set(listSecretsOfConfig(config).map((secret) => secret.name));
      for (const secret of secrets) users.set(secret, [...(users.get(secret) ?? []), name]);
    }
    return users;
  }

  /**
   * Everything about one server: its status, its plan, and its container and image in the engine. For a damaged one
   * only the status.
   *
   * @throws {ThvError} `WORKLOAD_NOT_FOUND`, `ENGINE_FAILED`.
   */
  async inspect(name: string): Promise<WorkloadDetails> {
    const workload = this.get(name);
    const config = this.#workloads.get(name)?.config;
    if (config === undefined) return { workload };
    if (config.remote_url !== undefined) return { workload, config, plan: buildRemotePlan(config, config.port) };
    const { engine } = this.#link;
    const user = engine && (await findContainerUser(engine, config));
    const realSources = await readRealSources(config);
    const given = { proxyPort: config.port, isImageThere: true, user, engine: engine?.info, realSources };
    const plan = buildRunPlan(config, given);
    if (engine === undefined) return { workload, config, plan };
    const [container, digests] = await Promise.all([engine.findContainer(name), engine.imageDigests(config.image)]);
    const isOurs = container !== undefined && isServerOf(container, this.#options.instanceId);
    return { workload, config, plan, digests, ...(isOurs && { container }) };
  }

  /**
   * @param graceSeconds Time the server has to end by itself. Default 30.
   * @throws {ThvError} `WORKLOAD_NOT_FOUND`, `WORKLOAD_BUSY` while it is being removed.
   */
  async stop(name: string, graceSeconds?: number): Promise<BackgroundWork> {
    this.#assertOpen();
    return await this.#findUsable(name).stop(graceSeconds);
  }

  /**
   * Stops it when it runs, then starts it.
   *
   * @param proxyPort The port it is offered on from now on. Default: the one it has.
   * @param pull Pulls the image first and makes the container anew; settles once that is pulled.
   * @throws {ThvError} `WORKLOAD_NOT_FOUND`, `WORKLOAD_BUSY`, `PORT_IN_USE`, `IMAGE_NOT_FOUND`, `INVALID_ARGUMENT` for the
   * image of a package; of one that runs, everything that would keep it from starting again. Then nothing has changed.
   */
  async restart(name: string, { proxyPort, pull = false }: RestartRequest = {}): Promise<BackgroundWork> {
    this.#assertOpen();
    const workload = this.#findUsable(name);
    const what = `"${name}" was not restarted, and runs on`;
    if (isRunning(workload)) {
      await this.#checkEngine(workload.config);
      await this.#prepareStart(workload, workload.config, { what });
    }
    if (pull) await workload.pullImage();
    if (pull && isRunning(workload)) await this.#prepareStart(workload, workload.config, { isRenewed: true, what });
    const isMoved = proxyPort !== undefined && proxyPort !== workload.config.port;
    const endpoint = isMoved ? await this.#openEndpoint(workload.config, proxyPort) : undefined;
    try {
      // It may have gone meanwhile.
      if (this.#findUsable(name) !== workload) throw workloadNotFound(name);
      return await workload.restart({ endpoint, isRenewed: pull });
    } catch (error) {
      await endpoint?.close();
      throw error;
    }
  }

  /** @param what Begins the message, without its period. @throws {ThvError} What a start with these settings would fail with. */
  async #prepareStart(
    workload: ManagedWorkload,
    next: RunConfig,
    { isRenewed, what }: { readonly isRenewed?: boolean; readonly what: string },
  ): Promise<void> {
    try {
      await workload.prepareStart(next, { isRenewed });
    } catch (error) {
      if (!(error instanceof ThvError) || !isRunning(workload)) throw error;
      const { code, message, hint, detail } = error;
      throw new ThvError(code, `${what}: ${message}`, { hint, detail, cause: error });
    }
  }

  /** Starts what waits for the secrets: they were opened. */
  startWaiting(): void {
    const { engine } = this.#link;
    for (const workload of this.#listWaiting()) {
      void workload.reconcile(engine);
    }
  }

  /** Those that a start has failed of because the secrets could not be read. */
  #listWaiting(): ManagedWorkload[] {
    return [...this.#workloads.values()].filter(
      ({ desired, failure }) => desired === "running" && hasCode(failure, ...CLOSED_SECRETS),
    );
  }

  /** A keyring may have been opened by somebody else. */
  async #tryWaiting(): Promise<void> {
    const [reference] = this.#listWaiting().flatMap(({ config }) => listSecretsOfConfig(config));
    if (!reference) return;
    try {
      await this.#options.resolveSecrets([reference]);
    } catch (error) {
      // Still closed. With any other failure a start has something to say.
      if (hasCode(error, ...CLOSED_SECRETS)) return;
    }
    this.startWaiting();
  }

  /** Stops it when it runs, then removes it. @throws {ThvError} `WORKLOAD_NOT_FOUND`. */
  async delete(name: string, options: RemoveOptions = {}): Promise<BackgroundWork> {
    this.#assertOpen();
    if (this.#damaged.has(name)) {
      await this.#logOfDamaged(name).remove();
      await this.#options.toolPins.delete(name);
      await this.#options.runConfigs.delete(name);
      this.#damaged.delete(name);
      this.#changes.announce();
      const engine = this.#link.engine;
      // If the engine has just been lost, the container is removed when it returns.
      return { done: engine ? this.#removeOrphans(engine).catch(() => undefined) : Promise.resolve() };
    }
    return await this.#remove(this.#find(name), options);
  }

  /** The selected lines of a server's output, oldest first. @throws {ThvError} `WORKLOAD_NOT_FOUND`. */
  async readLogs(name: string, selection: LogSelection, signal: AbortSignal): Promise<StampedLine[]> {
    if (this.#damaged.has(name)) return await this.#logOfDamaged(name).read(selection);
    return await this.#find(name).logs.read(selection, signal);
  }

  /**
   * The selected lines and those that come, over restarts, until the server is stopped, removed or has failed for good.
   *
   * @throws {ThvError} `WORKLOAD_NOT_FOUND`.
   */
  async followLogs(name: string, selection: LogSelection, signal: AbortSignal): Promise<AsyncIterable<StampedLine>> {
    if (this.#damaged.has(name)) return Readable.from(await this.#logOfDamaged(name).read(selection));
    return await this.#find(name).logs.follow(selection, signal);
  }

  /**
   * What the network rules of a workload refused since it was started, the newest target first.
   *
   * @throws {ThvError} `WORKLOAD_NOT_FOUND`, `ENGINE_UNREACHABLE`.
   */
  async listDenials(name: string): Promise<Denial[]> {
    return (await this.#find(name).network?.listDenials()) ?? [];
  }

  /** What a workload may do on the network, and what was learned of it. @throws {ThvError} As `readConfig`; `ENGINE_UNREACHABLE`. */
  async readNetwork(name: string): Promise<NetworkState> {
    const workload = this.#findUsable(name);
    return describeNetwork(workload.config, (await workload.network?.listLearned()) ?? []);
  }

  /**
   * Lets a workload reach one more host. Its server goes on where its sidecar can take the rule, and is started anew elsewhere.
   *
   * @throws {ThvError} As `edit`; `INVALID_ARGUMENT` for what is no target, and when nothing is enforced.
   */
  async allowTarget(name: string, target: NetworkTarget): Promise<NetworkChange> {
    this.#assertOpen();
    return await this.#changeNetwork(name, allowInConfig(this.#findUsable(name).config, target));
  }

  /** Enforces the smallest profile that allows what was learned. @throws {ThvError} As `edit`; `INVALID_ARGUMENT` when nothing was. */
  async applyLearned(name: string): Promise<NetworkChange> {
    this.#assertOpen();
    const workload = this.#findUsable(name);
    return await this.#changeNetwork(
      name,
      enforceLearned(workload.config, (await workload.network?.listLearned()) ?? []),
    );
  }

  async #changeNetwork(name: string, members: NetworkMembers | undefined): Promise<NetworkChange> {
    const workload = this.#findUsable(name);
    const { config, network } = workload;
    if (!members) return { profile: config.permission_profile ?? {}, isRestarted: false };
    const profile = members.permission_profile ?? {};
    // Without a sidecar until now, its container has to be made anew.
    if (!network?.isFiltered) {
      const { learn_network: _learn, ...others } = config;
      await this.#change(name, { ...others, ...members }, "The new permissions");
      return { profile, isRestarted: workload.desired === "running" };
    }
    if (this.#changing.has(name)) throw beingChanged(name);
    this.#changing.add(name);
    try {
      const isDone = await network.change(members);
      if (!isDone) {
        await this.#prepareStart(workload, workload.config, {
          what: `The new permissions of "${name}" are saved, and in force from its next start. It runs on with those before`,
        });
        await (await workload.restart()).done;
      }
      this.#changes.announceProgress();
      return { profile, isRestarted: !isDone };
    } finally {
      this.#changing.delete(name);
    }
  }

  /** The newest calls of clients, newest first; `undefined` where none are kept. @throws {ThvError} `WORKLOAD_NOT_FOUND`. */
  listRecentCalls(name: string): readonly ObservedCall[] | undefined {
    return this.#find(name).recentCalls;
  }

  /** The server's own names of its tools, as they were listed last; see `McpEndpoint`. @throws {ThvError} `WORKLOAD_NOT_FOUND`. */
  readListedTools(name: string): readonly string[] | undefined {
    return this.#find(name).listedTools;
  }

  /** What the policies of a workload say of a call; `undefined` without policies. @throws {ThvError} `WORKLOAD_NOT_FOUND`. */
  judge(name: string, question: PolicyQuestion): PolicyVerdict | undefined {
    return this.#find(name).judge(question);
  }

  /**
   * Releases all workloads; the desired states stay on disk.
   *
   * @param keepContainers For a successor that takes over at once; otherwise the containers are stopped, because a
   * server without an endpoint is only a leak.
   */
  async close({ keepContainers }: { keepContainers: boolean }): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#healthTimer);
    await Promise.all(
      [...this.#workloads.values()].map((workload) => workload.release({ keepContainer: keepContainers })),
    );
    await this.#link.close();
    this.#changes.close();
  }

  async #createFromDraft(draft: Omit<RunConfig, "port">, proxyPort: number | undefined): Promise<Workload> {
    const endpoint = await this.#openEndpoint(draft, proxyPort);
    const config: RunConfig = { ...draft, port: endpoint.port };
    try {
      await this.#options.runConfigs.save(config);
    } catch (error) {
      await endpoint.close();
      throw error;
    }
    if (this.#isClosing) {
      await endpoint.close();
      await this.#options.runConfigs.delete(config.name);
    }
    this.#assertOpen();
    const workload = this.#manage(config, endpoint);
    this.#workloads.set(config.name, workload);
    void workload.start();
    await this.#throwEarlyFailure(workload);
    return workload.describe();
  }

  /**
   * A missing image is usually known within a moment; then the caller gets it as the answer, and no workload is
   * created.
   */
  async #throwEarlyFailure(workload: ManagedWorkload): Promise<void> {
    const window = new AbortController();
    try {
      await Promise.race([
        workload.imageReady,
        delay(EARLY_FAILURE_WINDOW_MS, undefined, { signal: window.signal, ref: false }),
      ]);
    } catch (error) {
      if (!hasCode(error, ...EARLY_FAILURES)) return;
      await (await this.#remove(workload)).done;
      throw error;
    } finally {
      window.abort();
    }
  }

  async #openEndpoint(draft: Omit<RunConfig, "port">, proxyPort: number | undefined): Promise<McpEndpoint> {
    const open = (port: number) => this.#context.openEndpoint(buildEndpointOptions({ ...draft, port }));
    if (proxyPort !== undefined) return await open(proxyPort);
    // One that is stopped does not listen, and would not come back if its port were given away.
    return await openOnFreePort(new Set(this.list().map(({ port }) => port)), open);
  }

  /** A generated name changes when it is taken, by a workload or by a foreign container. */
  async #withDraft<T>(
    request: ResolvedRequest,
    access: AccessConfig,
    use: (draft: Omit<RunConfig, "port">) => Promise<T>,
  ): Promise<T> {
    for (let number = 1; ; number += 1) {
      const name = request.name || generateWorkloadName(request.package_target ?? request.image, number);
      const all = [...this.#workloads.keys(), ...this.#damaged.keys(), ...this.#reserved];
      const holder = all.find((each) => isSameName(each, name));
      if (holder !== undefined && request.name) throw workloadExists(holder);
      if (holder !== undefined) continue;
      try {
        return await use(draftRunConfig({ ...request, name }, new Date(), access));
      } catch (error) {
        const isForeign = hasCode(error, "CONTAINER_NAME_TAKEN");
        if (!isForeign || request.name || number > MAX_FOREIGN_NAMES) throw error;
      }
    }
  }

  async #remove(workload: ManagedWorkload, options: RemoveOptions = {}): Promise<BackgroundWork> {
    const { done } = await workload.remove(options);
    return { done: done.then(() => this.#forgetIfGone(workload)) };
  }

  /** Periodic check for changes that engines do not report as events. */
  #tend(): void {
    const { engine } = this.#link;
    void this.#tryWaiting();
    for (const workload of this.#workloads.values()) {
      void workload.checkHealth();
      if (workload.needsReconcile) void workload.reconcile(engine).then(() => this.#forgetIfGone(workload));
    }
  }

  #assertOpen(): void {
    if (!this.#isClosing) return;
    throw new ThvError("SUPERVISOR_UNREACHABLE", "The supervisor is shutting down.", {
      hint: "Try again in a moment.",
    });
  }

  /** @returns The engine that it would run on; nothing for a server that runs elsewhere. @throws {ThvError} As `create`. */
  async #checkEngine(draft: Omit<RunConfig, "port">): Promise<ContainerEngine | undefined> {
    if (draft.remote_url !== undefined) return undefined;
    const engine = await this.#link.require();
    await this.#checks.checkAgainst(engine, draft);
    return engine;
  }

  async #findEntry({ image, remote_url }: RunConfig): Promise<RegistryServer | undefined> {
    return remote_url === undefined ? await this.#options.registry?.findByImage(image) : undefined;
  }

  #manage(config: RunConfig, endpoint?: McpEndpoint): ManagedWorkload {
    return new ManagedWorkload(config, this.#context, endpoint);
  }

  async #reconcile(engine: ContainerEngine): Promise<void> {
    await this.#removeOrphans(engine);
    for (const workload of this.#workloads.values()) {
      // Not awaited: a slow workload must not delay the others or the events.
      if (workload.needsEngine) void workload.reconcile(engine).then(() => this.#forgetIfGone(workload));
    }
  }

  async #removeOrphans(engine: ContainerEngine): Promise<void> {
    const { instanceId, log } = this.#options;
    await removeOrphans(engine, {
      instanceId,
      isNeeded: (name, { isSidecar }) => {
        const workload = this.#workloads.get(name);
        const isUseless = isSidecar && workload !== undefined && !workload.network?.isFiltered;
        const isOurs = workload?.needsEngine === true;
        return !isUseless && (isOurs || this.#reserved.has(name) || this.#damaged.has(name));
      },
      log,
    });
  }

  #onContainerEvent(event: ContainerEvent): void {
    this.#options.log.debug({ ...event }, "container event");
    for (const workload of this.#workloads.values()) workload.onContainerEvent(event);
  }

  #forgetIfGone(workload: ManagedWorkload): void {
    if (!workload.isGone || this.#workloads.get(workload.name) !== workload) return;
    this.#workloads.delete(workload.name);
    this.#announceChange();
    this.#removeUnusedImage(workload.builtImage);
  }

  #removeUnusedImage(image: string | undefined): void {
    if (image === undefined || [...this.#workloads.values()].some(({ builtImage }) => builtImage === image)) return;
    void removeBuiltImage(image, { requireEngine: () => this.#link.require(), log: this.#options.log });
  }

  #announceChange(): void {
    this.#options.onChange?.(this.list());
    this.#changes.announce();
  }

  #find(name: string): ManagedWorkload {
    const workload = this.#workloads.get(name);
    if (!workload) throw workloadNotFound(name);
    return workload;
  }

  #findUsable(name: string): ManagedWorkload {
    const damaged = this.#damaged.get(name);
    if (damaged) throw createDamagedError(damaged);
    const workload = this.#find(name);
    if (workload.desired === "removed") {
      throw new ThvError("WORKLOAD_BUSY", `The workload "${name}" is being removed.`, {
        hint: "Wait until it is gone, then create it again.",
      });
    }
    return workload;
  }

  /** A damaged workload does not run, so nothing writes to its log. */
  #logOfDamaged(name: string): ServerLog {
    const { openLogFile, log } = this.#options;
    return new ServerLog({ workload: name, file: openLogFile(name), log });
  }
}

/** @throws {ThvError} `INVALID_ARGUMENT` for a request with another name. */
function nameAs(name: string, request: CreateRequest): CreateRequest {
  if (!request.name || request.name === name) return { ...request, name };
  throw new ThvError("INVALID_ARGUMENT", `"${name}" cannot be renamed to "${request.name.slice(0, 100)}"`, {
    hint: `Start another one with these settings, then remove this one: thv rm ${name}`,
  });
}

/** Of the variables and headers that a server would get. */
function listSecretsOf(request: CreateRequest): SecretReference[] {
  return [...(request.secrets ?? []), ...listRemoteSecrets(request)];
}

/** The same of what it is run with. */
function listSecretsOfConfig(config: RunConfig): SecretReference[] {
  return [...(config.secrets ?? []).map(parseSecretReference), ...listRemoteSecrets(config)];
}

/** @throws {ThvError} `INVALID_ARGUMENT` for a server that would move out of its container, or into one. */
function assertSamePlace(present: RunConfig, next: Omit<RunConfig, "port">): void {
  const { name } = present;
  if ((present.remote_url === undefined) === (next.remote_url === undefined)) return;
  const place = present.remote_url === undefined ? "in a container" : "elsewhere";
  throw new ThvError("INVALID_ARGUMENT", `"${name}" runs ${place}, and cannot become a server that does not`, {
    hint: `Start another one with these settings, then remove this one: thv rm ${name}`,
  });
}

/** A server that speaks HTTP keeps the port in its container, unless another one is asked for. */
function keepServerPort<T extends CreateRequest>(request: T, { transport, target_port }: RunConfig): T {
  return { ...(request.transport === transport && target_port !== undefined && { target_port }), ...request };
}

/** Headers for the receiver of telemetry are in no answer: who sends settings back did not mean to leave them out. */
function keepHeaders(access: AccessConfig, { telemetry_config: before }: RunConfig): AccessConfig {
  const { telemetry_config: telemetry } = access;
  const isSameReceiver = telemetry !== undefined && telemetry.Endpoint === before?.Endpoint;
  if (!isSameReceiver || telemetry.Headers || !before?.Headers) return access;
  return { ...access, telemetry_config: { ...telemetry, Headers: before.Headers } };
}

/** Whether its server is there, whether or not it does its work; or sleeps. */
function isRunning(workload: ManagedWorkload): boolean {
  return ["running", "unhealthy", "unauthenticated"].includes(workload.describe().status);
}

function beingChanged(name: string): ThvError {
  return new ThvError("WORKLOAD_BUSY", `The settings of "${name}" are being changed.`, {
    hint: `Wait until that is done: thv status ${name}`,
  });
}

function workloadExists(name: string): ThvError {
  return new ThvError("WORKLOAD_EXISTS", `A workload named "${name}" already exists.`, {
    hint: `Choose another name with --name, or remove it: thv rm ${name}`,
  });
}

function workloadNotFound(name: string): ThvError {
  return new ThvError("WORKLOAD_NOT_FOUND", `Workload "${name}" not found.`, {
    hint: "See all servers: thv list --all",
  });
}
