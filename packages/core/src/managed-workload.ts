/**
 * One workload under supervision: brings its container and endpoint to the desired state and keeps them there.
 * One operation at a time: a newer one cancels the one before and waits for it, so nothing acts on stale ground.
 */
import { createHash } from "node:crypto";
import { backoffMs, sleep } from "./backoff.ts";
import type { Container, ContainerEngine, ContainerEvent, ContainerSpec, PullProgress } from "./container-engine.ts";
import { Deferred } from "./deferred.ts";
import { messageOf, ThvError } from "./errors.ts";
import type { PackageImages } from "./image-build/package-images.ts";
import { isFloating, parseImageReference } from "./image-reference.ts";
import { containerLabels, isMadeFrom, isOwnedBy } from "./labels.ts";
import type { Logger } from "./log.ts";
import type { HttpConnection, McpEndpoint, McpEndpointOptions, OpenMcpEndpoint } from "./mcp-endpoint.ts";
import type { DesiredState, RunConfig } from "./run-config.ts";
import type { RunConfigStore } from "./run-config-store.ts";
import { parseSecretReference, type ResolveSecrets } from "./secrets/secret-reference.ts";
import { describeExit, ServerProcess } from "./server-process.ts";
import { userLabels } from "./user-labels.ts";
import { type Workload, workloadUrl } from "./workload.ts";
import { canFollow, type WorkloadStatus } from "./workload-status.ts";

/** Seconds between SIGTERM and SIGKILL. */
const STOP_GRACE_SECONDS = 10;
/** Milliseconds a starting server has to answer its first ping before it counts as unhealthy. */
const READY_TIMEOUT_MS = 60_000;
/** Milliseconds a running server has to answer a ping. */
const PING_TIMEOUT_MS = 10_000;
const UNHEALTHY_AFTER_PINGS = 3;
const REMOVAL_POLL_MS = 50;
/** Milliseconds between two looks at an HTTP server that does not listen yet. */
const HTTP_PROBE_INTERVAL_MS = 100;
const RESTARTED_NOTE = "restarted with its supervisor: Podman closes a server's input when its supervisor goes away";
/** Waits between restarts of a server that exits. */
const RESTART_BACKOFF = { firstMs: 250, maxMs: 30_000 };
/** Restarts in a row that did not last; then the workload is in error until somebody restarts it. */
const MAX_RESTARTS = 6;
/** Milliseconds a server has to stay up for its earlier exits to be forgotten. */
const STABLE_AFTER_MS = 60_000;

export interface ManagedWorkloadContext {
  /** @throws {ThvError} `ENGINE_UNREACHABLE`, `ENGINE_PERMISSION`. */
  readonly requireEngine: () => Promise<ContainerEngine>;
  readonly openEndpoint: OpenMcpEndpoint;
  readonly runConfigs: RunConfigStore;
  readonly resolveSecrets: ResolveSecrets;
  /** Called after the status has changed. */
  readonly onChange: () => void;
  /** Builds the images of workloads that are given as a package. */
  readonly packages: PackageImages | undefined;
  readonly instanceId: string;
  readonly log: Logger;
}

/** The desired state is saved; the work goes on in the background. */
export interface Accepted {
  /** Settles when the work has ended, well or not; the status tells. Never rejects. */
  readonly done: Promise<void>;
}

interface Operation {
  readonly abort: AbortController;
  readonly settled: Promise<void>;
  /** Works towards the desired state, as opposed to waiting for the engine. */
  readonly isWork: boolean;
}

export class ManagedWorkload {
  readonly #context: ManagedWorkloadContext;
  #config: RunConfig;
  #status: WorkloadStatus;
  #statusContext: string;
  #error: ThvError | undefined;
  /** While an image is pulled. */
  #pull: PullProgress | undefined;
  #endpoint: McpEndpoint | undefined;
  #server: ServerProcess | undefined;
  #operation: Operation | undefined;
  #restarts = 0;
  #runningSince = 0;
  #missedPings = 0;
  #imageReady = new Deferred<void>();
  /** Which secret values the newest container was made with; known to the process that made it only. */
  #madeWith: { readonly containerId: string; readonly digest: string } | undefined;
  /** What the disk holds, as far as writing has succeeded. */
  #saved: RunConfig;
  /** The newest write; rejects when it has failed. */
  #saving: Promise<void> = Promise.resolve();
  #isReleased = false;
  #isGone = false;

  /** @param endpoint Already listening on the configuration's port, for a workload that is being created. */
  constructor(config: RunConfig, context: ManagedWorkloadContext, endpoint?: McpEndpoint) {
    this.#config = config;
    this.#saved = config;
    this.#context = context;
    this.#endpoint = endpoint;
    const isStopped = config.desired_state === "stopped";
    this.#status = endpoint ? "starting" : isStopped ? "stopped" : "unknown";
    this.#statusContext = endpoint || isStopped ? "" : "waiting for the container engine";
    this.#expectImage();
  }

  get name(): string {
    return this.#config.name;
  }

  get desired(): DesiredState {
    return this.#config.desired_state;
  }

  /** The image that was built for it, and that nobody needs once no workload does. */
  get builtImage(): string | undefined {
    return this.#config.package_target === undefined ? undefined : this.#config.image;
  }

  /** True once nothing of it is left. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** Whether it is neither where it should be nor on its way there, and trying again may help. */
  get isStuck(): boolean {
    return !this.#operation?.isWork && !this.#isGone && (this.#status === "unknown" || this.desired === "removed");
  }

  /** Settles once the image is there; rejects when the start failed before that. */
  get imageReady(): Promise<void> {
    return this.#imageReady.promise;
  }

  describe(): Workload {
    const { name, image, port, transport, created_at, container_labels } = this.#config;
    const labels = userLabels(container_labels);
    return {
      name,
      package: image,
      url: workloadUrl(this.#config),
      port,
      toolType: "mcp",
      transportType: transport,
      status: this.#status,
      statusContext: this.#statusContext,
      ...(this.#error && { error: this.#error }),
      ...(this.#pull?.layers && { pull: this.#pull.layers }),
      createdAt: new Date(created_at),
      ...(Object.keys(labels).length > 0 && { labels }),
    };
  }

  /** Starts it for the first time. Settles when it runs or has failed; a failure is told by the status. */
  async start(): Promise<void> {
    this.#expectImage();
    await this.#begin("starting", async (signal) => {
      await this.#attempt(signal, async (engine) => {
        await this.#bringUp(engine, signal);
      });
    });
  }

  async stop(): Promise<Accepted> {
    await this.#save("stopped");
    const done = this.#begin("stopping", async (signal) => {
      await this.#closeEndpoint();
      await this.#whenEngineAnswers("stop", signal, async (engine) => {
        await this.#stopContainer(engine);
        this.#set("stopped", "", signal);
      });
    });
    return { done };
  }

  async restart(): Promise<Accepted> {
    await this.#save("running");
    this.#restarts = 0;
    // A stop that is still going on counts as up: it may be overtaken before it has done anything.
    const isUp = this.#isUp || this.#status === "starting" || this.#status === "stopping";
    this.#expectImage();
    const done = this.#begin(isUp ? "stopping" : "starting", async (signal) => {
      await this.#attempt(signal, async (engine) => {
        // The endpoint stays, so that clients keep their sessions over the restart.
        this.#endpoint?.disconnect("the workload is being restarted");
        await this.#stopContainer(engine);
        if (this.#status === "stopping") this.#set("stopped", "", signal);
        this.#set("starting", "", signal);
        await this.#bringUpAgain(engine, signal);
      });
    });
    return { done };
  }

  /** Removes container, endpoint and configuration; when `done` settles, `isGone` tells whether all of it went. */
  async remove(): Promise<Accepted> {
    await this.#save("removed");
    const done = this.#begin("removing", async (signal) => {
      // A removal that waited for this one would take its successor of the same name.
      if (this.#isGone) return;
      await this.#closeEndpoint();
      await this.#whenEngineAnswers("remove", signal, async (engine) => {
        const server = this.#server;
        this.#server = undefined;
        const container = await this.#findOwnContainer(engine);
        if (container) await engine.removeContainer(container.id);
        // Only now: on Podman the server would exit by itself in the middle of its removal.
        await server?.detach();
        await this.#context.runConfigs.delete(this.name);
        this.#isGone = true;
      });
    });
    return { done };
  }

  /** Brings it to its desired state after the supervisor or the engine came back. Never rejects. */
  async reconcile(engine: ContainerEngine): Promise<void> {
    if (this.#operation?.isWork) return;
    try {
      await this.#reconcile(engine);
    } catch (error) {
      this.#context.log.warn({ workload: this.name, reason: messageOf(error) }, "workload could not be looked at");
    }
  }

  async #reconcile(engine: ContainerEngine): Promise<void> {
    switch (this.desired) {
      case "removed":
        await (await this.remove()).done;
        return;
      case "stopped": {
        const container = await this.#findOwnContainer(engine);
        // Somebody may have asked for something else while the engine was asked.
        if (this.desired !== "stopped" || this.#operation?.isWork) return;
        if (container?.state === "running" || this.#status !== "stopped") await (await this.stop()).done;
        return;
      }
      case "running":
        if (this.#server && !this.#server.gone.aborted) return;
        await this.#begin("starting", async (signal) => {
          await this.#attempt(signal, async () => {
            await this.#takeOver(engine, signal, RESTARTED_NOTE);
          });
        });
    }
  }

  /** Asks the server for a sign of life; several missed pings make it unhealthy, one answer makes it well again. */
  async checkHealth(): Promise<void> {
    const endpoint = this.#endpoint;
    if (!endpoint || !this.#isUp) return;
    try {
      await endpoint.probe(AbortSignal.timeout(PING_TIMEOUT_MS));
      this.#missedPings = 0;
      if (this.#status === "unhealthy") this.#set("running", "");
    } catch {
      // The reason is always the same: no answer in time.
      this.#missedPings += 1;
      if (this.#missedPings < UNHEALTHY_AFTER_PINGS || !this.#isUp) return;
      this.#set("unhealthy", `the server runs but has not answered ${this.#missedPings} pings in a row`);
      if (this.#server) await this.#confirmGone(this.#server);
    }
  }

  onEngineLost(reason: ThvError): void {
    // One that is stopped here is about to be started, which tells by itself that the engine is away.
    if (this.desired !== "running" || this.#status === "error" || this.#status === "stopped") return;
    void this.#begin("unknown", async () => {
      this.#set("unknown", reason.message);
      this.#endpoint?.disconnect("the container engine does not answer");
      await this.#detachServer();
    });
  }

  onContainerEvent(event: ContainerEvent): void {
    const server = this.#server;
    if (event.action === "start" || server?.containerId !== event.containerId || !server.hasStarted) return;
    void this.#confirmGone(server);
  }

  /** Events come late: one may tell of the end of an earlier run of the same container. */
  async #confirmGone(server: ServerProcess): Promise<void> {
    try {
      const engine = await this.#context.requireEngine();
      const container = await engine.findContainer(server.containerId);
      if (container?.state !== "running") server.markGone();
    } catch (error) {
      // The end of its attachment and the loss of the engine tell the same, later.
      this.#context.log.debug({ workload: this.name, reason: messageOf(error) }, "container could not be looked at");
    }
  }

  /** Lets go at shutdown. The desired state stays, so the next supervisor brings it back. */
  async release({ keepContainer }: { keepContainer: boolean }): Promise<void> {
    this.#isReleased = true;
    await this.#begin(undefined, async (signal) => {
      await this.#closeEndpoint();
      if (keepContainer) await this.#detachServer();
      else if (this.#status !== "stopped") {
        await this.#whenEngineAnswers("stop", signal, (engine) => this.#stopContainer(engine));
      }
    });
  }

  #expectImage(): void {
    this.#imageReady = new Deferred();
    // Only a create waits for it; without one a failure is told by the status.
    this.#imageReady.promise.catch(() => undefined);
  }

  /** @param status Shown from now on, also while the operation before is still winding down. */
  async #begin(status: WorkloadStatus | undefined, run: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (this.#isReleased && status) return;
    const previous = this.#operation;
    previous?.abort.abort();
    if (status) this.#set(status, "");
    const abort = new AbortController();
    const settled = (async () => {
      await previous?.settled;
      if (abort.signal.aborted) return;
      try {
        await run(abort.signal);
      } catch (error) {
        this.#context.log.error({ workload: this.name, err: error }, "operation broke off");
        this.#fail(error, "", abort.signal);
      }
    })();
    const operation = { abort, settled, isWork: status !== "unknown" };
    this.#operation = operation;
    await settled;
    if (this.#operation === operation) this.#operation = undefined;
  }

  /** Runs a start; a failure becomes the status, an engine that is away becomes a wait for it. */
  async #attempt(signal: AbortSignal, run: (engine: ContainerEngine) => Promise<void>): Promise<void> {
    try {
      await run(await this.#context.requireEngine());
    } catch (error) {
      this.#imageReady.reject(error);
      if (signal.aborted) return;
      this.#endpoint?.disconnect(messageOf(error));
      await this.#detachServer();
      if (error instanceof ThvError && error.code === "ENGINE_UNREACHABLE") {
        this.#set("unknown", error.message);
        return;
      }
      await this.#closeEndpoint();
      this.#context.log.warn({ workload: this.name, reason: messageOf(error) }, "workload failed");
      this.#fail(error, "", signal);
    }
  }

  async #whenEngineAnswers(
    verb: string,
    signal: AbortSignal,
    run: (engine: ContainerEngine) => Promise<void>,
  ): Promise<void> {
    try {
      await run(await this.#context.requireEngine());
    } catch (error) {
      this.#context.log.warn({ workload: this.name, reason: messageOf(error) }, `cannot ${verb} the workload`);
      const isAway = error instanceof ThvError && error.code === "ENGINE_UNREACHABLE";
      if (isAway && canFollow(this.#status, "unknown"))
        this.#set("unknown", `cannot ${verb}: ${error.message}`, signal);
      else this.#fail(error, `cannot ${verb}: `, signal);
    }
  }

  async #bringUp(engine: ContainerEngine, signal: AbortSignal, note = ""): Promise<void> {
    await this.#ensureEndpoint();
    const containerId = await this.#ensureContainer(engine, signal);
    signal.throwIfAborted();
    await this.#launch(engine, containerId, signal, { resume: false, note });
  }

  /** Seen with Docker and Podman, now and then: what is started right after its earlier run ends at once. Then once more. */
  async #bringUpAgain(engine: ContainerEngine, signal: AbortSignal): Promise<void> {
    try {
      await this.#bringUp(engine, signal);
    } catch (error) {
      if (signal.aborted || !(error instanceof ThvError) || error.code !== "SERVER_EXITED") throw error;
      this.#context.log.warn({ workload: this.name, reason: error.message }, "server is started once more");
      await this.#bringUp(engine, signal);
    }
  }

  /** Carries on with the container that is there where the engine allows it, else starts the server again. */
  async #takeOver(engine: ContainerEngine, signal: AbortSignal, note = ""): Promise<void> {
    const container = await this.#findOwnContainer(engine);
    const isRunning = container?.state === "running";
    const canCarryOn = engine.info.keepsStdin || !this.#isStdio;
    if (isRunning && canCarryOn && isMadeFrom(container, this.#config)) {
      await this.#ensureEndpoint();
      this.#imageReady.resolve();
      try {
        await this.#launch(engine, container.id, signal, { resume: true, note: "" });
        return;
      } catch (error) {
        // One that ended while it was taken over is started again.
        if (signal.aborted || !(error instanceof ThvError) || error.code !== "SERVER_EXITED") throw error;
      }
    } else if (isRunning) await engine.stopContainer(container.id, { graceSeconds: STOP_GRACE_SECONDS });
    await this.#bringUp(engine, signal, container && !canCarryOn ? note : "");
  }

  async #ensureEndpoint(): Promise<void> {
    this.#endpoint ??= await this.#context.openEndpoint(endpointOptions(this.#config));
  }

  async #closeEndpoint(): Promise<void> {
    const endpoint = this.#endpoint;
    this.#endpoint = undefined;
    await endpoint?.close();
  }

  /** The container to start: the one that is there when it was made from this configuration, else a new one. */
  async #ensureContainer(engine: ContainerEngine, signal: AbortSignal): Promise<string> {
    const secrets = await this.#context.resolveSecrets((this.#config.secrets ?? []).map(parseSecretReference));
    const existing = await this.#findOwnContainer(engine);
    const isLeaving = existing?.state === "removing" || existing?.state === "dead";
    if (existing && !isLeaving && isMadeFrom(existing, this.#config) && this.#holds(existing, secrets)) {
      this.#imageReady.resolve();
      return existing.id;
    }
    if (existing) await this.#removeContainer(engine, existing.id, signal);
    await this.#ensureImage(engine, signal);
    this.#imageReady.resolve();
    signal.throwIfAborted();
    // Not cancelled by the signal: an abandoned call might still make the container.
    const containerId = await this.#createContainer(engine, this.#containerSpec(secrets), signal);
    this.#madeWith = { containerId, digest: digestOf(secrets) };
    return containerId;
  }

  /** An image of ours may be cleared away with another workload between the look at it and here. */
  async #createContainer(engine: ContainerEngine, spec: ContainerSpec, signal: AbortSignal): Promise<string> {
    try {
      return await engine.createContainer(spec);
    } catch (error) {
      const isCleared = error instanceof ThvError && error.code === "IMAGE_NOT_FOUND" && this.builtImage !== undefined;
      if (!isCleared) throw error;
      await this.#ensureImage(engine, signal);
      signal.throwIfAborted();
      return await engine.createContainer(spec);
    }
  }

  /** A container keeps the values it was made with, so that changed ones need a new container. */
  #holds(container: Container, secrets: Readonly<Record<string, string>>): boolean {
    if (Object.keys(secrets).length === 0) return true;
    return this.#madeWith?.containerId === container.id && this.#madeWith.digest === digestOf(secrets);
  }

  /** Settles once the name is free: engines answer before that while somebody else removes the container too. */
  async #removeContainer(engine: ContainerEngine, containerId: string, signal: AbortSignal): Promise<void> {
    await engine.removeContainer(containerId);
    while (await engine.findContainer(containerId)) await sleep(REMOVAL_POLL_MS, signal);
  }

  async #ensureImage(engine: ContainerEngine, signal: AbortSignal): Promise<void> {
    const { image, package_target } = this.#config;
    const isLocal = await engine.hasImage(image, { signal });
    if (package_target !== undefined) {
      if (!isLocal) await this.#buildImage(engine, package_target, signal);
      return;
    }
    if (isLocal && !isFloating(parseImageReference(image))) return;
    this.#set("starting", "pulling the image", signal);
    try {
      await engine.pullImage(image, {
        signal,
        onProgress: (progress) => {
          if (this.#set("starting", `pulling the image: ${progress.message}`, signal)) this.#pull = progress;
        },
      });
    } catch (error) {
      if (!isLocal || signal.aborted) throw error;
      this.#context.log.warn({ workload: this.name, reason: messageOf(error) }, "using the local copy of the image");
    }
    this.#set("starting", "", signal);
  }

  async #buildImage(engine: ContainerEngine, target: string, signal: AbortSignal): Promise<void> {
    const { packages } = this.#context;
    if (!packages) throw new ThvError("INTERNAL", `Nothing here can build the image of "${this.name}".`);
    this.#set("starting", `building the image for ${target}`, signal);
    const onProgress = (message: string) =>
      this.#set("starting", `building the image for ${target}: ${message}`, signal);
    await packages.build(engine, target, this.#config.image, { signal, onProgress });
    this.#set("starting", "", signal);
  }

  #containerSpec(secrets: Readonly<Record<string, string>>): ContainerSpec {
    const { container_name, image, cmd_args, env_vars, target_port } = this.#config;
    return {
      name: container_name,
      image,
      args: cmd_args,
      env: { ...env_vars, ...secrets, ...transportEnv(this.#config) },
      labels: containerLabels(this.#config, this.#context.instanceId),
      stdio: this.#isStdio,
      ...(!this.#isStdio && target_port !== undefined && { publish: target_port }),
    };
  }

  get #isStdio(): boolean {
    return this.#config.transport === "stdio";
  }

  async #launch(
    engine: ContainerEngine,
    containerId: string,
    signal: AbortSignal,
    { resume, note }: { resume: boolean; note: string },
  ): Promise<void> {
    // Of a start that was overtaken: with two attachments each would miss what the other reads.
    await this.#detachServer();
    const server = this.#isStdio
      ? await ServerProcess.attach(engine, containerId)
      : ServerProcess.unattached(containerId);
    this.#server = server;
    this.#missedPings = 0;
    if (!resume) await engine.startContainer(containerId);
    server.hasStarted = true;
    // Attaching to what has just ended succeeds, and nothing would ever come of it.
    if (resume) await this.#confirmGone(server);
    const endpoint = this.#endpoint;
    if (!endpoint) throw new ThvError("INTERNAL", `The endpoint of "${this.name}" is not open.`);
    endpoint.connect(server.stdio ?? (await publishedAddress(engine, containerId)), { resume });
    server.gone.addEventListener("abort", () => this.#onServerGone(server), { once: true });
    if (await this.#hasAnswered(engine, endpoint, server, signal)) this.#set("running", note);
    this.#runningSince = Date.now();
    // It may have ended between its answer and here.
    if (server.gone.aborted) this.#onServerGone(server);
  }

  /** Waits for the first answer; without one in time the workload is unhealthy. @throws {ThvError} `SERVER_EXITED`. */
  async #hasAnswered(
    engine: ContainerEngine,
    endpoint: McpEndpoint,
    server: ServerProcess,
    signal: AbortSignal,
  ): Promise<boolean> {
    const timeout = AbortSignal.timeout(READY_TIMEOUT_MS);
    try {
      await this.#probeUntilAnswered(endpoint, AbortSignal.any([signal, server.gone, timeout]));
    } catch {
      signal.throwIfAborted();
      // Its output has ended; that it is gone follows within a moment.
      if (!timeout.aborted) await server.untilGone(AbortSignal.any([signal, timeout]));
      signal.throwIfAborted();
      if (!server.gone.aborted) {
        this.#set("unhealthy", `the server runs but has not answered a ping within ${READY_TIMEOUT_MS / 1000} s`);
        return false;
      }
    }
    signal.throwIfAborted();
    if (server.gone.aborted) throw await describeExit(engine, server.containerId);
    return true;
  }

  /** On stdio a ping waits in the pipe until the server reads it; over HTTP it is refused until the server listens. */
  async #probeUntilAnswered(endpoint: McpEndpoint, signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        await endpoint.probe(signal);
        return;
      } catch (error) {
        if (this.#isStdio || signal.aborted) throw error;
        await sleep(HTTP_PROBE_INTERVAL_MS, signal);
      }
    }
  }

  /** The server of a workload that was up has ended without being asked to: bring it back. */
  #onServerGone(server: ServerProcess): void {
    if (this.#server !== server || !this.#isUp || this.#isReleased) return;
    if (Date.now() - this.#runningSince > STABLE_AFTER_MS) this.#restarts = 0;
    void this.#begin("starting", async (signal) => {
      await this.#attempt(signal, async (engine) => {
        await this.#recover(engine, server, signal);
      });
    });
  }

  async #recover(engine: ContainerEngine, server: ServerProcess, signal: AbortSignal): Promise<void> {
    let reason = await describeExit(engine, server.containerId);
    this.#endpoint?.disconnect(reason.message);
    await this.#detachServer();
    while (this.#restarts < MAX_RESTARTS) {
      this.#restarts += 1;
      const waitMs = backoffMs(this.#restarts, RESTART_BACKOFF);
      this.#context.log.warn(
        { workload: this.name, reason: reason.message, attempt: this.#restarts },
        "server restarts",
      );
      const plan = `Restarting in ${waitMs / 1000} s, attempt ${this.#restarts} of ${MAX_RESTARTS}.`;
      this.#set("starting", `${reason.message} ${plan}`, signal);
      await sleep(waitMs, signal);
      try {
        await this.#takeOver(engine, signal);
        return;
      } catch (error) {
        if (signal.aborted || !(error instanceof ThvError) || error.code !== "SERVER_EXITED") throw error;
        reason = error;
        await this.#detachServer();
      }
    }
    throw new ThvError("SERVER_EXITED", `${reason.message} Gave up after ${MAX_RESTARTS} restarts.`, {
      hint: `Read its output with: thv logs ${this.name}`,
      detail: reason.detail,
    });
  }

  async #stopContainer(engine: ContainerEngine): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    try {
      const container = await this.#findOwnContainer(engine);
      if (container && container.state !== "exited" && container.state !== "created") {
        await engine.stopContainer(container.id, { graceSeconds: STOP_GRACE_SECONDS });
      }
    } finally {
      await server?.detach();
    }
  }

  async #detachServer(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    await server?.detach();
  }

  /** @throws {ThvError} `CONTAINER_NAME_TAKEN` when the name belongs to somebody else's container. */
  async #findOwnContainer(engine: ContainerEngine): Promise<Container | undefined> {
    const container = await engine.findContainer(this.#config.container_name);
    if (container && !isOwnedBy(container, this.#context.instanceId)) throw foreignContainer(container.name);
    return container;
  }

  /** Writes the desired state before anything acts on it; writes happen in the order of the calls. */
  async #save(desired: DesiredState): Promise<void> {
    const before = this.#config;
    if (before.desired_state === desired) return await this.#saving;
    const config: RunConfig = { ...before, desired_state: desired };
    this.#config = config;
    const previous = this.#saving.catch(() => undefined);
    this.#saving = previous.then(async () => {
      try {
        await this.#context.runConfigs.save(config);
        this.#saved = config;
      } catch (error) {
        if (this.#config === config) {
          this.#config = this.#saved;
          this.#saving = Promise.resolve();
        }
        throw error;
      }
    });
    await this.#saving;
  }

  get #isUp(): boolean {
    return this.#status === "running" || this.#status === "unhealthy";
  }

  #fail(error: unknown, prefix: string, signal?: AbortSignal): void {
    if (signal?.aborted) return;
    const known = error instanceof ThvError ? error : new ThvError("INTERNAL", messageOf(error), { cause: error });
    if (this.#set("error", [`${prefix}${known.message}`, known.detail].filter(Boolean).join(" "))) this.#error = known;
  }

  /**
   * @param signal Of the operation that sets it: one that was superseded has no say any more.
   * @returns Whether it is set now.
   */
  #set(status: WorkloadStatus, statusContext: string, signal?: AbortSignal): boolean {
    if (signal?.aborted) return false;
    if (!canFollow(this.#status, status)) {
      this.#context.log.error({ workload: this.name, from: this.#status, to: status }, "impossible status change");
      return false;
    }
    const before = this.#status;
    if (before !== status) {
      this.#context.log.info({ workload: this.name, from: this.#status, to: status, reason: statusContext }, "status");
    }
    this.#status = status;
    const hasChanged = this.#status !== before;
    this.#statusContext = statusContext;
    this.#error = undefined;
    this.#pull = undefined;
    if (hasChanged) this.#context.onChange();
    return true;
  }
}

/** What the proxy has to know to open the endpoint of a workload. */
export function endpointOptions({ name, host, transport, port }: RunConfig): McpEndpointOptions {
  return { name, host, port, ...(transport !== "inspector" && { transport }) };
}

/** Tells the server how to talk (api-behaviour 4.8). It has to listen on every address of its container to be reached. */
function transportEnv({ transport, target_port }: RunConfig): Record<string, string> {
  if (transport === "stdio" || target_port === undefined) return { MCP_TRANSPORT: transport };
  const port = String(target_port);
  return { MCP_TRANSPORT: transport, MCP_PORT: port, FASTMCP_PORT: port, MCP_HOST: "0.0.0.0" };
}

async function publishedAddress(engine: ContainerEngine, containerId: string): Promise<HttpConnection> {
  const container = await engine.findContainer(containerId);
  if (container?.publishedPort === undefined) throw await describeExit(engine, containerId);
  return { host: "127.0.0.1", port: container.publishedPort };
}

function digestOf(secrets: Readonly<Record<string, string>>): string {
  return createHash("sha256").update(JSON.stringify(secrets)).digest("hex");
}

export function foreignContainer(name: string): ThvError {
  return new ThvError("CONTAINER_NAME_TAKEN", `A container named "${name}" exists and is not one of yours.`, {
    hint: "Choose another name with --name. The existing container was left as it is.",
  });
}
