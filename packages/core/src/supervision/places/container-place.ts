/** A server in a container of this machine's engine: brought up and down, started again when it ends, and put to sleep. */
import type { ContainerEngine, ContainerEvent, PullProgress } from "../../ports/container-engine.ts";
import { computeBackoffMs, sleep } from "../../support/backoff.ts";
import { Deferred } from "../../support/deferred.ts";
import { describeError, hasCode, ThvError } from "../../support/errors.ts";
import { MAX_RESTARTS, RESTART_BACKOFF } from "../../support/supervision-limits.ts";
import type { RunConfig } from "../../workload/run-config.ts";
import { BoundsKeeper } from "../bounds/bounds-keeper.ts";
import { procFiles } from "../bounds/process-table.ts";
import { findContainerUser } from "../containers/container-user.ts";
import { WorkloadContainer } from "../containers/workload-container.ts";
import { buildImage } from "../containers/workload-image.ts";
import { WorkloadSidecar } from "../containers/workload-sidecar.ts";
import type { ServerProcess } from "../server/server-process.ts";
import { WorkloadLogs } from "../server/workload-logs.ts";
import { WorkloadServer } from "../server/workload-server.ts";
import { ContainerNetwork } from "./container-network.ts";
import { ContainerRun, isExit } from "./container-run.ts";
import { ContainerSleep } from "./container-sleep.ts";
import { listEngineWarnings } from "./engine-warnings.ts";
import type { PlaceImage, PlaceParts, PlaceRemoval, PreparationOptions, ServerPlace } from "./server-place.ts";

const RESTARTED_NOTE = "restarted with its supervisor: Podman closes a server's input when its supervisor goes away";
/** Milliseconds a server has to stay up for its earlier exits to be forgotten. */
const STABLE_AFTER_MS = 60_000;

/** One for all workloads, because it reads all processes of the machine at once. */
const BOUNDS = new BoundsKeeper(procFiles);

export class ContainerPlace implements ServerPlace {
  readonly needsEngine = true;
  readonly logs: WorkloadLogs;
  readonly image: PlaceImage;
  readonly network: ContainerNetwork;
  readonly #parts: PlaceParts;
  readonly #container: WorkloadContainer;
  readonly #sidecar: WorkloadSidecar;
  readonly #server: WorkloadServer;
  readonly #run: ContainerRun;
  /** Absent for one that never sleeps. */
  readonly #sleep: ContainerSleep | undefined;
  readonly #imageReady = new Deferred<void>();
  /** What the engine that runs it cannot bound, and which folders its user cannot use there, in sentences. */
  #warnings: readonly string[] = [];
  #restarts = 0;
  /** Whether a successor has its containers. */
  #isRetired = false;

  constructor(parts: PlaceParts) {
    const { config, state, endpoint, pins, context, isAtRest } = parts;
    this.#parts = parts;
    this.#container = new WorkloadContainer(config, {
      ...context,
      onBuildOutput: (line) => this.logs.noteBuildOutput(line),
    });
    this.#sidecar = new WorkloadSidecar(config, context);
    this.logs = new WorkloadLogs(config.current, {
      ...context,
      findContainer: (engine) => this.#container.find(engine),
      readDenials: (engine) => this.#sidecar.readDenials(engine),
      isOver: () => this.#isRetired || isAtRest(),
    });
    const { serverLog } = this.logs;
    const onGone = (server: ServerProcess) => this.#onServerGone(server);
    this.#server = new WorkloadServer(config, state, endpoint, { ...context, bounds: BOUNDS, serverLog, pins, onGone });
    this.#run = new ContainerRun({
      ...parts,
      container: this.#container,
      sidecar: this.#sidecar,
      server: this.#server,
      onImageReady: () => {
        this.logs.noteBuilt();
        this.#imageReady.resolve();
      },
    });
    this.network = new ContainerNetwork({
      ...parts,
      sidecar: this.#sidecar,
      onSidecarEnded: () => this.#server.onSidecarEnded(),
    });
    this.#sleep = this.#createSleep((config.current.sleep_after_seconds ?? 0) * 1_000);
    this.image = { ready: this.#imageReady.promise, pull: async (signal) => await this.#pullImage(signal) };
    // Only a create awaits it; otherwise the status reports the failure.
    this.#imageReady.promise.catch(() => undefined);
  }

  get warnings(): readonly string[] {
    return this.#warnings;
  }

  async prepare(next: RunConfig, { isRenewed, signal }: PreparationOptions): Promise<void> {
    const engine = await this.#requireEngine();
    const onProgress = (message: string, pull?: PullProgress) => this.#parts.state.showSideWork(message, pull);
    try {
      await this.#container.prepare(engine, next, { isRenewed, onProgress, signal });
      await this.#sidecar.prepare(engine, next, { onProgress, signal });
    } finally {
      onProgress("");
    }
  }

  async bringUp(note: string, signal: AbortSignal): Promise<void> {
    await this.#attempt(signal, async (engine) => await this.#run.bringUp(engine, { note, signal }));
  }

  async restart({ isRenewed }: { readonly isRenewed: boolean }): Promise<void> {
    const { state, operations, endpoint } = this.#parts;
    this.#restarts = 0;
    // A stop in progress counts as up: the restart may cancel it before it has done anything.
    const isOrWasUp = state.isUp || state.status === "starting" || state.status === "stopping";
    await operations.run(isOrWasUp ? "stopping" : "starting", async (signal) => {
      await this.#attempt(signal, async (engine) => {
        // The endpoint stays, so that clients keep their sessions over the restart.
        endpoint.disconnect("the server is being restarted");
        await this.#run.stop(engine);
        if (isRenewed) await this.#container.remove(engine);
        if (state.status === "stopping") state.set("stopped", "", signal);
        state.set("starting", "", signal);
        await this.#run.bringUp(engine, { isRestart: true, signal });
      });
    });
  }

  async restore(engine: ContainerEngine): Promise<void> {
    const { config, operations } = this.#parts;
    if (config.current.desired_state !== "running") {
      await this.#endLeftOver(engine);
      return;
    }
    if (this.#server.isConnected) return;
    if (config.current.asleep && this.#sleep) {
      if (await this.#sleep.stayAsleep(engine)) return;
      await config.wake();
    }
    await operations.run("starting", async (signal) => {
      await this.#attempt(signal, async () => await this.#run.takeOver(engine, signal, RESTARTED_NOTE));
    });
  }

  async stop(graceSeconds?: number): Promise<void> {
    await this.#parts.endpoint.close();
    await this.#run.stop(await this.#requireEngine(), { graceSeconds });
  }

  async remove(
    forget: () => Promise<void>,
    { graceSeconds, isForced = false, failure, signal }: PlaceRemoval,
  ): Promise<void> {
    await this.#parts.endpoint.close();
    const engine = await this.#requireEngine();
    // Only another removal may follow, and it need not wait for the server.
    if (!isForced) await this.#run.stop(engine, { graceSeconds, signal });
    const server = this.#server.release();
    if (failure === undefined) await this.logs.forgetFailed();
    else await this.logs.keepFailed(failure);
    await this.#container.remove(engine);
    // Only now: on Podman the server would exit by itself in the middle of its removal.
    await server?.finish();
    await this.#sidecar.remove(engine);
    await this.logs.remove();
    await forget();
    this.logs.notifyChange();
  }

  async retire(
    closeEndpoint: () => Promise<void>,
    { keepsSidecar }: { readonly keepsSidecar: boolean },
  ): Promise<void> {
    await closeEndpoint();
    try {
      const engine = await this.#requireEngine();
      await this.#run.stop(engine);
      if (this.#sidecar.isNeeded && !keepsSidecar) {
        await this.#container.remove(engine);
        await this.#sidecar.remove(engine);
      }
    } catch (error) {
      // The start of the successor has the same problem, and reports it.
      this.#parts.context.log.debug(
        { workload: this.#name, reason: describeError(error) },
        "server could not be ended",
      );
    }
    await this.#server.detach();
    this.#isRetired = true;
    this.logs.notifyChange();
  }

  async release({ keepsContainer }: { readonly keepsContainer: boolean }): Promise<void> {
    await this.#parts.endpoint.close();
    if (keepsContainer) await this.#server.detach();
    else if (this.#parts.state.status !== "stopped") await this.#run.stop(await this.#requireEngine());
  }

  onStatus(): void {
    this.#sleep?.onStatus();
    if (this.#parts.state.status === "running") void this.logs.noteRun();
    this.logs.notifyChange();
  }

  async checkHealth(): Promise<void> {
    await this.#server.checkHealth();
    await this.network.tend();
  }

  async kill(): Promise<void> {
    try {
      await this.#container.remove(await this.#requireEngine());
    } catch (error) {
      // The removal that follows reports the problem.
      this.#parts.context.log.debug(
        { workload: this.#name, reason: describeError(error) },
        "container could not be killed",
      );
    }
  }

  onContainerEvent(event: ContainerEvent): void {
    this.#server.onContainerEvent(event);
    this.network.onContainerEvent(event);
  }

  onEngineLost(reason: ThvError): void {
    const { config, state, operations, endpoint } = this.#parts;
    const { status } = state;
    // A stopped one that should run is about to start, and that start reports that the engine is away.
    if (config.current.desired_state !== "running" || status === "error" || status === "stopped") return;
    // One that sleeps needs no engine before it is woken.
    if (state.isAsleep) return;
    void operations.run("unknown", async () => {
      state.set("unknown", reason.message);
      endpoint.disconnect("the container engine does not answer");
      await this.#server.detach();
    });
  }

  get #name(): string {
    return this.#parts.config.current.name;
  }

  async #requireEngine(): Promise<ContainerEngine> {
    return await this.#parts.context.requireEngine();
  }

  #createSleep(afterMs: number): ContainerSleep | undefined {
    if (afterMs <= 0) return undefined;
    return new ContainerSleep({
      ...this.#parts,
      afterMs,
      run: this.#run,
      attempt: (signal, run) => this.#attempt(signal, run),
      onWake: () => {
        this.#restarts = 0;
      },
    });
  }

  async #pullImage(signal: AbortSignal): Promise<void> {
    const { config, state, context } = this.#parts;
    const engine = await this.#requireEngine();
    const { package_target } = config.current;
    if (package_target === undefined) return await engine.pullImage(config.current.image, { signal });
    const onProgress = (message: string) => state.showSideWork(message, undefined);
    await buildImage(engine, { ...config.current, package_target }, { packages: context.packages, signal, onProgress });
  }

  /** It should be stopped, and a supervisor that was killed may have left its containers running. */
  async #endLeftOver(engine: ContainerEngine): Promise<void> {
    const { config, state, operations, stop } = this.#parts;
    const isAnyUp = await this.#run.isAnyUp(engine);
    // Another operation may have begun during the call to the engine.
    if (config.current.desired_state !== "stopped" || operations.isWorking) return;
    if (isAnyUp || state.status !== "stopped") await stop();
  }

  /** Runs a start. A failure becomes the status; while the engine is away the workload waits for it. */
  async #attempt(signal: AbortSignal, run: (engine: ContainerEngine) => Promise<void>): Promise<void> {
    const { config, state, endpoint, context } = this.#parts;
    try {
      const engine = await this.#requireEngine();
      const user = await findContainerUser(engine, config.current);
      this.#warnings = listEngineWarnings({ engine: engine.info, user }, config.current);
      await run(engine);
    } catch (error) {
      this.#imageReady.reject(error);
      if (signal.aborted) return;
      this.#sleep?.refuse(error);
      endpoint.disconnect(describeError(error));
      await this.#server.detach();
      if (hasCode(error, "ENGINE_UNREACHABLE")) {
        state.set("unknown", error.message);
        return;
      }
      await endpoint.close();
      await this.#stopSidecarOfFailed();
      context.log.warn({ workload: this.#name, reason: describeError(error) }, "workload failed");
      state.fail(error, "", signal);
    }
  }

  /** Best effort: report the original failure, not this one. */
  async #stopSidecarOfFailed(): Promise<void> {
    try {
      await this.#sidecar.stop(await this.#requireEngine());
    } catch (error) {
      this.#parts.context.log.warn(
        { workload: this.#name, reason: describeError(error) },
        "sidecar could not be stopped",
      );
    }
  }

  /** Restarts a server that exited on its own. */
  #onServerGone(server: ServerProcess): void {
    const { operations } = this.#parts;
    if (operations.isClosed) return;
    if (this.#server.uptimeMs > STABLE_AFTER_MS) this.#restarts = 0;
    void operations.run("starting", async (signal) => {
      await this.#attempt(signal, async (engine) => await this.#recover(engine, server, signal));
    });
  }

  async #recover(engine: ContainerEngine, server: ServerProcess, signal: AbortSignal): Promise<void> {
    const { state, endpoint, context } = this.#parts;
    let reason = await this.#run.describeEnd(engine, server);
    endpoint.disconnect(reason.message);
    await this.#server.detach();
    while (this.#restarts < MAX_RESTARTS) {
      this.#restarts += 1;
      const attempt = this.#restarts;
      const waitMs = computeBackoffMs(attempt, RESTART_BACKOFF);
      context.log.warn({ workload: this.#name, reason: reason.message, attempt }, "server restarts");
      const plan = `Restarting in ${waitMs / 1000} s, attempt ${attempt} of ${MAX_RESTARTS}.`;
      state.set("starting", `${reason.message} ${plan}`, signal);
      await sleep(waitMs, signal);
      try {
        await this.#run.takeOver(engine, signal);
        return;
      } catch (error) {
        if (signal.aborted || !isExit(error)) throw error;
        reason = error;
        await this.#server.detach();
      }
    }
    throw new ThvError("SERVER_EXITED", `${reason.message} Gave up after ${MAX_RESTARTS} restarts.`, {
      hint: `Read its output with: thv logs ${this.#name}`,
      detail: reason.detail,
    });
  }
}
