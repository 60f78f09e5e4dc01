/**
 * One workload under supervision: brings its container and endpoint to the desired state and keeps them there.
 * Its parts are in `workload/`: configuration, status, operations, image, container, server, and one run of them.
 */

import { pickPinSettings, pickToolSelection, type ToolMembers } from "../access/tool-selection.ts";
import { listMissingTools } from "../access/tool-states.ts";
import type { PackageImages } from "../images/package-images.ts";
import { readOutbound, resolveProfile } from "../permissions/permission-profile.ts";
import type { ContainerEngine, ContainerEvent, PullProgress } from "../ports/container-engine.ts";
import type { Logger } from "../ports/log.ts";
import type {
  McpEndpoint,
  ObservedCall,
  OpenMcpEndpoint,
  PolicyQuestion,
  PolicyVerdict,
} from "../ports/mcp-endpoint.ts";
import type { ResolveSecrets } from "../secrets/secret-reference.ts";
import type { OpenLogFile } from "../server-log/log-file.ts";
import type { StampedLine } from "../server-log/log-line.ts";
import { type Denial, isAllowedNow, summarizeDenials } from "../sidecar-rules/denials.ts";
import type { LearnedTarget } from "../sidecar-rules/learned.ts";
import { DENIAL_PREFIX } from "../sidecar-rules/sidecar-rules.ts";
import { computeBackoffMs, sleep } from "../support/backoff.ts";
import { Deferred } from "../support/deferred.ts";
import { hasCode, messageOf, ThvError } from "../support/errors.ts";
import { MAX_RESTARTS, RESTART_BACKOFF } from "../support/supervision-limits.ts";
import type { PinStore } from "../tool-pins/pin-record.ts";
import type { AcceptedTool, PinReport } from "../tool-pins/pin-report.ts";
import { WorkloadPins } from "../tool-pins/workload-pins.ts";
import type { TrustRootOptions } from "../verification/trust-root.ts";
import type { DesiredState, RunConfig } from "../workload/run-config.ts";
import type { RunConfigStore } from "../workload/run-config-store.ts";
import { describeWorkload, type Workload } from "../workload/workload.ts";
import { canFollow } from "../workload/workload-status.ts";
import { BoundsKeeper } from "./bounds/bounds-keeper.ts";
import { procFiles } from "./bounds/process-table.ts";
import { findContainerUser } from "./containers/container-user.ts";
import { WorkloadContainer } from "./containers/workload-container.ts";
import { WorkloadSidecar, type WorkloadSidecarOptions } from "./containers/workload-sidecar.ts";
import { listEngineWarnings } from "./engine-warnings.ts";
import type { ServerProcess } from "./server/server-process.ts";
import { SleepGate } from "./server/sleep-gate.ts";
import { WorkloadLogs } from "./server/workload-logs.ts";
import { WorkloadServer } from "./server/workload-server.ts";
import { DesiredConfig, type NetworkMembers } from "./state/desired-config.ts";
import { Operations } from "./state/operations.ts";
import { WorkloadState } from "./state/workload-state.ts";
import type { SupervisedWorkload } from "./supervised-workload.ts";
import { isExit, WorkloadRun } from "./workload-run.ts";

const RESTARTED_NOTE = "restarted with its supervisor: Podman closes a server's input when its supervisor goes away";
/** Milliseconds a server has to stay up for its earlier exits to be forgotten. */
const STABLE_AFTER_MS = 60_000;
/** Seconds that a server has to end when it falls asleep; a call may already wait. */
const SLEEP_GRACE_SECONDS = 5;

/** One for all workloads, because it looks at all processes of the machine at once. */
const BOUNDS = new BoundsKeeper(procFiles);

/** Status of a workload read from disk, until the engine has answered. */
const STATUS_AT_FIRST = { running: "starting", stopped: "stopped", removed: "unknown" } as const;

export interface ManagedWorkloadContext {
  /** @throws {ThvError} `ENGINE_UNREACHABLE`, `ENGINE_PERMISSION`. */
  readonly requireEngine: () => Promise<ContainerEngine>;
  readonly openEndpoint: OpenMcpEndpoint;
  readonly runConfigs: RunConfigStore;
  /** Keeps pinned definitions of tools. */
  readonly toolPins: PinStore;
  readonly resolveSecrets: ResolveSecrets;
  /** Called after the status has changed. */
  readonly onChange: () => void;
  /** Called after something else has changed that callers see. */
  readonly onProgress: () => void;
  /** Opens the log file for standard error of servers on stdio. */
  readonly openLogFile: OpenLogFile;
  /** Builds the images of workloads that are given as a package. */
  readonly packages: PackageImages | undefined;
  /** Makes the sidecars of workloads whose network is filtered. */
  readonly sidecars: WorkloadSidecarOptions["sidecars"];
  /** Trust roots for image signatures. */
  readonly trustRoots: TrustRootOptions;
  readonly instanceId: string;
  readonly log: Logger;
}

export interface RemoveOptions {
  /** Seconds the server has to end by itself. Default 30. */
  readonly graceSeconds?: number | undefined;
  /** Kills the server at once. Default false. */
  readonly isForced?: boolean;
}

interface RestartOptions {
  readonly endpoint?: McpEndpoint | undefined;
  readonly isRenewed?: boolean | undefined;
}

/** The desired state is saved; the work goes on in the background. */
export interface BackgroundWork {
  /** Resolves when the work has ended; the status holds the result. Never rejects. */
  readonly done: Promise<void>;
}

export class ManagedWorkload implements SupervisedWorkload {
  readonly needsEngine = true;
  readonly #context: ManagedWorkloadContext;
  readonly #config: DesiredConfig;
  readonly #state: WorkloadState;
  readonly #operations: Operations;
  readonly #container: WorkloadContainer;
  readonly #sidecar: WorkloadSidecar;
  readonly #server: WorkloadServer;
  readonly #run: WorkloadRun;
  readonly #logs: WorkloadLogs;
  readonly #pins: WorkloadPins;
  /** Absent for one that never sleeps. */
  readonly #gate: SleepGate | undefined;
  /** What the engine that runs it cannot bound, and which folders its user cannot use there, in sentences. */
  #engineWarnings: readonly string[] = [];
  #restarts = 0;
  #imageReady = new Deferred<void>();
  #isGone = false;
  /** Aborted when it is released. */
  readonly #sideWork = new AbortController();
  /** Until its container was found or started, or its status changed otherwise. */
  #isTakenOver: boolean;

  /** @param endpoint Already listening on the configuration's port, for a workload that is being created. */
  constructor(config: RunConfig, context: ManagedWorkloadContext, endpoint?: McpEndpoint) {
    const { name } = config;
    const { log } = context;
    const onChange = () => {
      this.#logs.notifyChange();
      context.onChange();
    };
    this.#context = context;
    this.#config = new DesiredConfig(config, context.runConfigs);
    this.#isTakenOver = !endpoint && config.desired_state === "running";
    const status = endpoint ? "starting" : STATUS_AT_FIRST[config.desired_state];
    const reason = endpoint || status === "stopped" ? "" : "waiting for the container engine";
    const { onProgress } = context;
    this.#state = new WorkloadState({
      name,
      status,
      reason,
      onChange: () => this.#onStatus(onChange),
      onProgress,
      log,
    });
    this.#operations = new Operations(name, this.#state, log);
    this.#container = new WorkloadContainer(this.#config, context);
    this.#sidecar = new WorkloadSidecar(this.#config, context);
    this.#logs = new WorkloadLogs(config, {
      ...context,
      findContainer: (engine) => this.#container.find(engine),
      readDenials: (engine) => this.#sidecar.readDenials(engine),
      isOver: () => this.#isAtRest,
    });
    this.#pins = new WorkloadPins({
      name,
      store: context.toolPins,
      log,
      settings: pickPinSettings(config),
      onChange: context.onProgress,
    });
    const { serverLog } = this.#logs;
    if (this.#sleepAfterMs > 0) {
      this.#gate = new SleepGate({
        name,
        onIdle: () => this.#fallAsleep(),
        onWanted: () => this.#wakeUp(),
      });
    }
    const gate = this.#gate;
    const onGone = (server: ServerProcess) => this.#onServerGone(server);
    this.#server = new WorkloadServer(
      this.#config,
      this.#state,
      { ...context, bounds: BOUNDS, serverLog, gate, pins: this.#pins, onGone },
      endpoint,
    );
    this.#run = new WorkloadRun({
      config: this.#config,
      state: this.#state,
      container: this.#container,
      sidecar: this.#sidecar,
      server: this.#server,
      onImageReady: () => this.#imageReady.resolve(),
      log,
    });
    this.#expectImage();
  }

  get name(): string {
    return this.#config.current.name;
  }

  get config(): RunConfig {
    return this.#config.current;
  }

  get desired(): DesiredState {
    return this.#config.current.desired_state;
  }

  /** Whether its desired state on disk is outdated because a write failed. */
  get isUnsaved(): boolean {
    return this.#config.isUnsaved;
  }

  /** The image that was built for it; removed with the last workload that uses it. */
  get builtImage(): string | undefined {
    const { package_target, image } = this.#config.current;
    return package_target === undefined ? undefined : image;
  }

  /** Whether it has a sidecar. */
  get isFiltered(): boolean {
    return this.#sidecar.isNeeded;
  }

  /** True once it is removed completely. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** Whether it is not in its desired state, no operation is under way, and another try may help. */
  get needsReconcile(): boolean {
    const isOff = this.#state.status === "unknown" || this.desired === "removed";
    return !this.#operations.isWorking && !this.#isGone && isOff;
  }

  /** Whether its server runs, or is about to, or sleeps. */
  get isUp(): boolean {
    return this.#state.isUp || this.#state.isAsleep || this.#state.status === "starting";
  }

  /** Why its server does not run, or does not answer; absent while it does, and while it is not known. */
  get failure(): ThvError | undefined {
    const { status, error, reason } = this.#state;
    if (status === "unhealthy") return new ThvError("SERVER_NOT_READY", `${reason}.`);
    return error;
  }

  /** Settles once the image is there; rejects when the start failed before that. */
  get imageReady(): Promise<void> {
    return this.#imageReady.promise;
  }

  describe(): Workload {
    return describeWorkload(this.#config.current, this.#state, {
      isTakenOver: this.#isTakenOver,
      warnings: this.#engineWarnings,
      toolDifferences: this.#pins.differenceCount,
      missingTools: listMissingTools(this.listedTools, pickToolSelection(this.#config.current)),
      toolWarnings: this.#pins.warnings,
    });
  }

  /**
   * Starts it for the first time. Resolves when it runs or has failed; the status holds the failure.
   *
   * @param note Shown while it runs.
   */
  async start(note = ""): Promise<void> {
    this.#expectImage();
    await this.#operations.run("starting", async (signal) => {
      await this.#attempt(signal, async (engine) => {
        await this.#run.bringUp(engine, signal, note);
      });
    });
  }

  /** @param graceSeconds Time the server has to end by itself. */
  async stop(graceSeconds?: number): Promise<BackgroundWork> {
    const unsaved = await this.#config.keep("stopped");
    const done = this.#operations.run("stopping", async (signal) => {
      await this.#server.closeEndpoint();
      await this.#runOnceEngineAnswers("stop", signal, async (engine) => {
        await this.#run.stop(engine, { graceSeconds });
        const note =
          unsaved && `the next supervisor starts it again, because this could not be saved: ${unsaved.message}`;
        this.#state.set("stopped", note ?? "", signal);
      });
    });
    return { done };
  }

  /**
   * Reads and fetches what a start with these settings needs, while the server runs on, and shows how far it is.
   *
   * @param isRenewed True when its container is created again.
   * @throws {ThvError} What that start would fail with.
   */
  async prepareStart(next: RunConfig, { isRenewed = false } = {}): Promise<void> {
    const engine = await this.#context.requireEngine();
    const onProgress = (message: string, pull?: PullProgress) => this.#state.showSideWork(message, pull);
    const { signal } = this.#sideWork;
    try {
      await this.#container.prepare(engine, next, { isRenewed, onProgress, signal });
      await this.#sidecar.prepare(engine, next, { onProgress, signal });
    } finally {
      onProgress("");
    }
  }

  /** Saves what a successor is run with in its place. @throws What the write fails with; then nothing has changed. */
  async saveSuccessor(next: RunConfig): Promise<void> {
    await this.#config.saveSuccessor(next);
  }

  /**
   * Ends its server for a successor, which has the containers from then on.
   *
   * @returns At once the endpoint, when it is kept; everything else is over with `done`, which never rejects.
   */
  retire({ keepsEndpoint, keepsSidecar }: { readonly keepsEndpoint: boolean; readonly keepsSidecar: boolean }): {
    readonly kept: McpEndpoint | undefined;
    readonly done: Promise<void>;
  } {
    const endpoint = this.#server.releaseEndpoint("the workload is being changed");
    const done = this.#operations.close(async () => {
      if (!keepsEndpoint) await endpoint?.close();
      try {
        const engine = await this.#context.requireEngine();
        await this.#run.stop(engine);
        if (this.#sidecar.isNeeded && !keepsSidecar) {
          await this.#container.remove(engine);
          await this.#sidecar.remove(engine);
        }
      } catch (error) {
        // The start of the successor meets the same problem, and reports it.
        this.#context.log.debug({ workload: this.name, reason: messageOf(error) }, "server could not be ended");
      }
      await this.#server.detach();
      this.#isGone = true;
      this.#logs.notifyChange();
    });
    return { kept: keepsEndpoint ? endpoint : undefined, done };
  }

  /** The image, pulled anew; the container stays as it is. @throws {ThvError} `INVALID_ARGUMENT` for a package. */
  async pullImage(): Promise<void> {
    const { name, image, package_target } = this.#config.current;
    if (package_target !== undefined) {
      throw new ThvError("INVALID_ARGUMENT", `"${name}" runs from ${package_target}, which has no image to pull`, {
        hint: `A package without a version is fetched anew at each start: thv restart ${name}`,
      });
    }
    await (await this.#context.requireEngine()).pullImage(image);
  }

  /** @param endpoint Already listening on the new port. @param isRenewed True when its container is created again. */
  async restart({ endpoint, isRenewed = false }: RestartOptions = {}): Promise<BackgroundWork> {
    await this.#config.save("running");
    if (endpoint) {
      await this.#config.moveTo(endpoint.port);
      await this.#server.moveTo(endpoint);
    }
    this.#restarts = 0;
    // A stop in progress counts as up: the restart may cancel it before it has done anything.
    const { isUp, status } = this.#state;
    const isOrWasUp = isUp || status === "starting" || status === "stopping";
    this.#expectImage();
    const done = this.#operations.run(isOrWasUp ? "stopping" : "starting", async (signal) => {
      await this.#attempt(signal, async (engine) => {
        // The endpoint stays, so that clients keep their sessions over the restart.
        this.#server.disconnect("the workload is being restarted");
        await this.#run.stop(engine);
        if (isRenewed) await this.#container.remove(engine);
        if (this.#state.status === "stopping") this.#state.set("stopped", "", signal);
        this.#state.set("starting", "", signal);
        await this.#run.bringUpAgain(engine, signal);
      });
    });
    return { done };
  }

  /** Ends the server, then removes container, endpoint and configuration; afterwards `isGone` tells whether all of it went. */
  async remove({ graceSeconds, isForced = false }: RemoveOptions = {}): Promise<BackgroundWork> {
    await this.#config.keep("removed");
    if (isForced && this.#operations.isWorking) void this.#kill();
    const done = this.#operations.run("removing", async (signal) => {
      // A second removal that waited for this one could remove a new workload of the same name.
      if (this.#isGone) return;
      await this.#server.closeEndpoint();
      await this.#runOnceEngineAnswers("remove", signal, async (engine) => {
        // Only another removal may follow, and it need not wait for the server.
        if (!isForced) await this.#run.stop(engine, { graceSeconds, signal });
        const server = this.#server.release();
        await this.#container.remove(engine);
        // Only now: on Podman the server would exit by itself in the middle of its removal.
        await server?.finish();
        await this.#sidecar.remove(engine);
        await this.#logs.remove();
        await this.#pins.delete();
        await this.#config.delete();
        this.#isGone = true;
        this.#logs.notifyChange();
      });
    });
    return { done };
  }

  #onStatus(onChange: () => void): void {
    if (this.#state.status !== "starting") this.#isTakenOver = false;
    if (this.#state.isUp) this.#gate?.watch(this.#sleepAfterMs);
    onChange();
  }

  get #sleepAfterMs(): number {
    return (this.#config.current.sleep_after_seconds ?? 0) * 1_000;
  }

  /** Stops the server until the next call. Its endpoint, and the sessions there, stay. */
  #fallAsleep(): void {
    const gate = this.#gate;
    const isQuiet = this.#state.status === "running" && this.#state.isUp && !this.#operations.isWorking;
    if (!gate || !isQuiet || this.#operations.isClosed || this.#server.hasSubscribers || !gate.hold()) return;
    void this.#operations.run("running", async (signal) => {
      try {
        await this.#config.sleep();
      } catch (error) {
        // Without a word of it on disk the next supervisor would wake it: it stays awake until that can be written.
        this.#context.log.warn({ workload: this.name, reason: messageOf(error) }, "server cannot fall asleep");
        gate.watch(this.#sleepAfterMs);
        return;
      }
      await this.#sleep(gate, signal);
    });
  }

  async #sleep(gate: SleepGate, signal: AbortSignal): Promise<void> {
    this.#server.disconnect("nobody has called for a while");
    await this.#attempt(signal, async (engine) => {
      await this.#run.stop(engine, { graceSeconds: SLEEP_GRACE_SECONDS });
      if (this.#state.sleep(signal) && gate.isWanted) this.#wakeUp();
    });
  }

  #wakeUp(): void {
    if (!this.#state.isAsleep) return;
    this.#restarts = 0;
    void this.#operations.run("starting", async (signal) => {
      await this.#config.wake();
      await this.#attempt(signal, async (engine) => {
        await this.#run.bringUpAgain(engine, signal);
      });
    });
  }

  /** One that slept under the supervisor before, or while the engine was away. @returns False when it has to be woken. */
  async #stayAsleep(engine: ContainerEngine, gate: SleepGate): Promise<boolean> {
    const container = await this.#container.find(engine);
    const isAnyUp = container?.state === "running" || (await this.#sidecar.isRunning(engine));
    // Another operation may have begun during the call to the engine.
    if (this.#operations.isWorking || !this.#config.current.asleep) return true;
    if (this.#state.isAsleep && !isAnyUp) return true;
    if (!gate.hold()) return false;
    await this.#operations.run("starting", async (signal) => {
      await this.#attempt(signal, async () => {
        await this.#server.ensureEndpoint();
        await this.#sleep(gate, signal);
      });
    });
    return true;
  }

  async #saveAgain(): Promise<void> {
    const failure = await this.#config.keep(this.desired);
    if (!failure && this.#state.status === "stopped") this.#state.set("stopped", "");
  }

  /** Ends the wait of a stop in progress for its server. */
  async #kill(): Promise<void> {
    try {
      await this.#container.remove(await this.#context.requireEngine());
    } catch (error) {
      // The removal that follows reports the problem.
      this.#context.log.debug({ workload: this.name, reason: messageOf(error) }, "container could not be killed");
    }
  }

  /** Brings it to its desired state after the supervisor or the engine came back. Never rejects. */
  async reconcile(engine: ContainerEngine): Promise<void> {
    if (this.#operations.isWorking) return;
    try {
      await this.#reconcile(engine);
    } catch (error) {
      this.#context.log.warn({ workload: this.name, reason: messageOf(error) }, "workload could not be looked at");
    }
  }

  async checkHealth(): Promise<void> {
    if (this.#config.isUnsaved) await this.#saveAgain();
    await this.#server.checkHealth();
    await this.#refreshSidecar();
    await this.#showDenials();
  }

  onContainerEvent(event: ContainerEvent): void {
    this.#server.onContainerEvent(event);
    if (event.action !== "start" && this.#sidecar.isNamed(event.containerName)) void this.#checkSidecar();
  }

  /** The log of its server. */
  get logs(): Pick<WorkloadLogs, "read" | "follow"> {
    return this.#logs;
  }

  /** Whether its server is down until a user starts it again. */
  get #isAtRest(): boolean {
    const { status } = this.#state;
    return this.#isGone || status === "error" || (status === "stopped" && this.desired !== "running");
  }

  onEngineLost(reason: ThvError): void {
    const { status } = this.#state;
    // A stopped one that should run is about to start, and that start reports that the engine is away.
    if (this.desired !== "running" || status === "error" || status === "stopped") return;
    // One that sleeps needs no engine before it is woken.
    if (this.#state.isAsleep) return;
    void this.#operations.run("unknown", async () => {
      this.#state.set("unknown", reason.message);
      this.#server.disconnect("the container engine does not answer");
      await this.#server.detach();
    });
  }

  /** Releases the workload at shutdown. The desired state stays, so the next supervisor restores it. */
  async release({ keepContainer }: { keepContainer: boolean }): Promise<void> {
    this.#sideWork.abort();
    await this.#operations.close(async (signal) => {
      await this.#server.closeEndpoint();
      if (keepContainer) await this.#server.detach();
      else if (this.#state.status !== "stopped") {
        await this.#runOnceEngineAnswers("stop", signal, (engine) => this.#run.stop(engine));
      }
    });
  }

  async #reconcile(engine: ContainerEngine): Promise<void> {
    switch (this.desired) {
      case "removed":
        await (await this.remove()).done;
        return;
      case "stopped": {
        const container = await this.#container.find(engine);
        const isAnyUp = container?.state === "running" || (await this.#sidecar.isRunning(engine));
        // Another operation may have begun during the call to the engine.
        if (this.desired !== "stopped" || this.#operations.isWorking) return;
        if (isAnyUp || this.#state.status !== "stopped") await (await this.stop()).done;
        return;
      }
      case "running":
        if (this.#server.isConnected) return;
        if (this.#config.current.asleep && this.#gate) {
          if (await this.#stayAsleep(engine, this.#gate)) return;
          await this.#config.wake();
        }
        await this.#operations.run("starting", async (signal) => {
          await this.#attempt(signal, async () => {
            await this.#run.takeOver(engine, signal, RESTARTED_NOTE);
          });
        });
    }
  }

  /** Networks that came since it was started are closed as well. */
  async #refreshSidecar(): Promise<void> {
    if (!this.#state.isUp || this.#operations.isWorking || !this.#sidecar.isNeeded) return;
    try {
      await this.#sidecar.refresh(await this.#context.requireEngine());
    } catch (error) {
      // The next periodic check tries again.
      this.#context.log.warn({ workload: this.name, reason: messageOf(error) }, "new networks could not be closed");
    }
  }

  /** What its network rules refused since it was started, and still refuse, the newest target first. */
  async listDenials(): Promise<Denial[]> {
    return summarizeDenials(await this.#readDenials());
  }

  async #readDenials(): Promise<StampedLine[]> {
    if (!this.#sidecar.isNeeded) return [];
    const lines = await this.#sidecar.readDenials(await this.#context.requireEngine());
    const outbound = readOutbound(this.config.permission_profile && resolveProfile(this.config.permission_profile));
    return lines.filter(({ text }) => !isAllowedNow(text, outbound));
  }

  /** What it has reached while its network rules were learned, since its sidecar was made. */
  async listLearned(): Promise<LearnedTarget[]> {
    if (!this.#sidecar.isNeeded) return [];
    return await this.#sidecar.readLearned(await this.#context.requireEngine());
  }

  /**
   * Other network rules for a server that keeps its sidecar. One that runs goes on with them.
   *
   * @returns False when the sidecar that runs cannot take them; they are saved, and a restart is needed.
   * @throws What the write fails with; then nothing has changed.
   */
  async changeNetwork(members: NetworkMembers): Promise<boolean> {
    await this.#config.changeNetwork(members);
    // One that sleeps or is stopped starts with them.
    if (!this.#state.isUp && this.#state.status !== "starting") return true;
    try {
      const isDone = await this.#sidecar.adoptRules(await this.#context.requireEngine());
      if (isDone) await this.#showDenials();
      return isDone;
    } catch (error) {
      // A restart brings the rules into force, or says what is wrong.
      this.#context.log.warn({ workload: this.name, reason: messageOf(error) }, "sidecar did not take new rules");
      return false;
    }
  }

  /** Other tools, at once; its server and the sessions of clients stay. @throws What the write fails with; then nothing has changed. */
  async changeTools(members: Pick<RunConfig, keyof ToolMembers>): Promise<void> {
    await this.#config.changeTools(members);
    this.#server.chooseTools(pickToolSelection(members));
    if (await this.#pins.turn(pickPinSettings(members))) this.#server.applyPins();
  }

  /** What of its tools is pinned, and how they differ; `undefined` when they are not. @throws {ThvError} `STATE_CORRUPT`, `STATE_TOO_NEW`. */
  async describePins(): Promise<PinReport | undefined> {
    return await this.#pins.describe();
  }

  /** See `ToolPins`; clients hear that the list has changed. */
  async acceptTools(asked: readonly AcceptedTool[] | undefined): Promise<PinReport> {
    const report = await this.#pins.accept(asked);
    this.#server.applyPins();
    return report;
  }

  /** Since the endpoint was opened; see `McpEndpoint`. */
  get recentCalls(): readonly ObservedCall[] | undefined {
    return this.#server.recentCalls;
  }

  /** See `McpEndpoint`. */
  get listedTools(): readonly string[] | undefined {
    return this.#server.listedTools;
  }

  /** What the policies say; `undefined` without policies. */
  judge(question: PolicyQuestion): PolicyVerdict | undefined {
    return this.#server.judge(question);
  }

  /** The newest denial often explains why a tool of the server fails. */
  async #showDenials(): Promise<void> {
    if (this.#state.status !== "running" || !this.#state.isUp || !this.#sidecar.isNeeded) return;
    try {
      const newest = (await this.#readDenials()).at(-1)?.text;
      const shown = this.#state.reason.startsWith(DENIAL_PREFIX) ? "" : undefined;
      const reason = newest ?? shown;
      if (reason !== undefined && this.#state.status === "running" && this.#state.isUp)
        this.#state.set("running", reason);
    } catch (error) {
      this.#context.log.debug({ workload: this.name, reason: messageOf(error) }, "denials could not be read");
    }
  }

  /** Events arrive late: this one may be about an earlier run. */
  async #checkSidecar(): Promise<void> {
    try {
      const engine = await this.#context.requireEngine();
      if (!(await this.#sidecar.isRunning(engine))) this.#server.onSidecarEnded();
    } catch (error) {
      // The loss of the engine will report the same.
      this.#context.log.debug({ workload: this.name, reason: messageOf(error) }, "sidecar could not be looked at");
    }
  }

  #expectImage(): void {
    this.#imageReady = new Deferred();
    // Only a create awaits it; otherwise the status reports the failure.
    this.#imageReady.promise.catch(() => undefined);
  }

  /** Runs a start; a failure becomes the status, an engine that is away becomes a wait for it. */
  async #attempt(signal: AbortSignal, run: (engine: ContainerEngine) => Promise<void>): Promise<void> {
    try {
      const engine = await this.#context.requireEngine();
      const user = await findContainerUser(engine, this.#config.current);
      this.#engineWarnings = listEngineWarnings({ engine: engine.info, user }, this.#config.current);
      await run(engine);
    } catch (error) {
      this.#imageReady.reject(error);
      if (signal.aborted) return;
      this.#gate?.refuse(cannotWake(this.name, error));
      this.#server.disconnect(messageOf(error));
      await this.#server.detach();
      if (hasCode(error, "ENGINE_UNREACHABLE")) {
        this.#state.set("unknown", error.message);
        return;
      }
      await this.#server.closeEndpoint();
      await this.#stopSidecarOfFailed();
      this.#context.log.warn({ workload: this.name, reason: messageOf(error) }, "workload failed");
      this.#state.fail(error, "", signal);
    }
  }

  /** Best effort: report the original failure, not this one. */
  async #stopSidecarOfFailed(): Promise<void> {
    try {
      await this.#sidecar.stop(await this.#context.requireEngine());
    } catch (error) {
      this.#context.log.warn({ workload: this.name, reason: messageOf(error) }, "sidecar could not be stopped");
    }
  }

  async #runOnceEngineAnswers(
    verb: string,
    signal: AbortSignal,
    run: (engine: ContainerEngine) => Promise<void>,
  ): Promise<void> {
    try {
      await run(await this.#context.requireEngine());
    } catch (error) {
      if (signal.aborted) return;
      this.#context.log.warn({ workload: this.name, reason: messageOf(error) }, `cannot ${verb} the workload`);
      const isAway = hasCode(error, "ENGINE_UNREACHABLE");
      if (isAway && canFollow(this.#state.status, "unknown"))
        this.#state.set("unknown", `cannot ${verb}: ${error.message}`, signal);
      else this.#state.fail(error, `cannot ${verb}: `, signal);
    }
  }

  /** Restarts a server that exited on its own. */
  #onServerGone(server: ServerProcess): void {
    if (this.#operations.isClosed) return;
    if (this.#server.uptimeMs > STABLE_AFTER_MS) this.#restarts = 0;
    void this.#operations.run("starting", async (signal) => {
      await this.#attempt(signal, async (engine) => {
        await this.#recover(engine, server, signal);
      });
    });
  }

  async #recover(engine: ContainerEngine, server: ServerProcess, signal: AbortSignal): Promise<void> {
    let reason = await this.#run.describeEnd(engine, server);
    this.#server.disconnect(reason.message);
    await this.#server.detach();
    while (this.#restarts < MAX_RESTARTS) {
      this.#restarts += 1;
      const attempt = this.#restarts;
      const waitMs = computeBackoffMs(attempt, RESTART_BACKOFF);
      this.#context.log.warn({ workload: this.name, reason: reason.message, attempt }, "server restarts");
      const plan = `Restarting in ${waitMs / 1000} s, attempt ${attempt} of ${MAX_RESTARTS}.`;
      this.#state.set("starting", `${reason.message} ${plan}`, signal);
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
      hint: `Read its output with: thv logs ${this.name}`,
      detail: reason.detail,
    });
  }
}

/** What a call is told that has waited for a server in vain. */
function cannotWake(name: string, error: unknown): ThvError {
  return new ThvError("SERVER_NOT_READY", `"${name}" slept and could not be started: ${messageOf(error)}`, {
    hint: `Find the reason, then start it: thv status ${name}, thv restart ${name}`,
    cause: error,
  });
}
