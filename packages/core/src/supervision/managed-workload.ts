/**
 * One workload under supervision: its settings, its status, its address for clients and its pinned tools, brought to the desired
 * state and kept there. Its place does what depends on where the server runs.
 */
import { pickPinSettings, pickToolSelection, type ToolMembers } from "../access/tool-selection.ts";
import { listMissingTools } from "../access/tool-states.ts";
import type { ContainerEngine, ContainerEvent } from "../ports/container-engine.ts";
import type { McpEndpoint, ObservedCall, PolicyQuestion, PolicyVerdict } from "../ports/mcp-endpoint.ts";
import { describeError, hasCode, ThvError } from "../support/errors.ts";
import { Remembered } from "../support/remembered.ts";
import type { AcceptedTool, PinReport } from "../tool-pins/pin-report.ts";
import { WorkloadPins } from "../tool-pins/workload-pins.ts";
import type { DesiredState, RunConfig } from "../workload/run-config.ts";
import { describeWorkload, type Workload } from "../workload/workload.ts";
import { canFollow, type WorkloadStatus } from "../workload/workload-status.ts";
import { ContainerPlace } from "./places/container-place.ts";
import type { WorkloadContext } from "./places/context.ts";
import { RemotePlace } from "./places/remote-place.ts";
import type { PlaceLogs, PlaceNetwork, PlaceParts, RemoveOptions, ServerPlace } from "./places/server-place.ts";
import { WorkloadEndpoint } from "./server/workload-endpoint.ts";
import { DesiredConfig } from "./state/desired-config.ts";
import { Operations } from "./state/operations.ts";
import { WorkloadState } from "./state/workload-state.ts";

/** Status of a workload read from disk, until the engine has answered. */
const STATUS_AT_FIRST = { running: "starting", stopped: "stopped", removed: "unknown" } as const;

interface RestartOptions {
  readonly endpoint?: McpEndpoint | undefined;
  readonly isRenewed?: boolean | undefined;
}

/** The desired state is saved; the work continues in the background. */
export interface BackgroundWork {
  /** Resolves when the work has ended; the status holds the result. Never rejects. */
  readonly done: Promise<void>;
}

export class ManagedWorkload {
  readonly #context: WorkloadContext;
  readonly #config: DesiredConfig;
  readonly #state: WorkloadState;
  readonly #operations: Operations;
  readonly #description = new Remembered<Workload>();
  readonly #endpoint: WorkloadEndpoint;
  readonly #pins: WorkloadPins;
  readonly #place: ServerPlace;
  #isGone = false;
  /** Aborted when it is released. */
  readonly #sideWork = new AbortController();
  /** Until its server was found or started, or its status changed otherwise. */
  #isTakenOver: boolean;

  /** @param endpoint Already listening on the configuration's port, for a workload that is being created. */
  constructor(config: RunConfig, context: WorkloadContext, endpoint?: McpEndpoint) {
    const { name } = config;
    const { log, runConfigs, toolPins, openEndpoint, onProgress } = context;
    this.#context = context;
    this.#config = new DesiredConfig(config, runConfigs);
    this.#isTakenOver = !endpoint && config.desired_state === "running";
    this.#state = new WorkloadState({
      name,
      ...describeAtFirst(config, endpoint),
      onChange: () => this.#onStatus(),
      onProgress,
      log,
    });
    this.#operations = new Operations(name, this.#state, log);
    const settings = pickPinSettings(config);
    this.#pins = new WorkloadPins({ name, store: toolPins, log, settings, onChange: onProgress });
    this.#endpoint = new WorkloadEndpoint({ config: this.#config, pins: this.#pins, openEndpoint }, endpoint);
    const parts: PlaceParts = {
      config: this.#config,
      state: this.#state,
      operations: this.#operations,
      endpoint: this.#endpoint,
      pins: this.#pins,
      context,
      stop: async () => await (await this.stop()).done,
      isAtRest: () => this.#isAtRest,
    };
    this.#place = config.remote_url === undefined ? new ContainerPlace(parts) : new RemotePlace(parts);
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

  /** Whether nothing of it can run without a container engine. */
  get needsEngine(): boolean {
    return this.#place.needsEngine;
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

  /** True once it is removed completely. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** Whether it is not in its desired state, no operation is under way, and another try may help. */
  get needsReconcile(): boolean {
    const isOff = this.#state.status === "unknown" || this.desired === "removed";
    return !this.#operations.isWorking && !this.#isGone && isOff;
  }

  /** Whether its server runs, healthy or not, or sleeps. */
  get isRunning(): boolean {
    return this.#state.isUp || this.#state.isAsleep;
  }

  /** Whether its server runs, or is about to, or sleeps. */
  get isUp(): boolean {
    return this.isRunning || this.#state.status === "starting";
  }

  /**
   * Why its server does not run, or does not answer; absent while it does, and while it is not known. A sign-in that is missing is
   * no failure of the settings: somebody signs in, and it runs.
   */
  get failure(): ThvError | undefined {
    const { status, error, reason } = this.#state;
    if (status === "unauthenticated") return undefined;
    if (error === undefined && status === "unhealthy") return new ThvError("SERVER_NOT_READY", `${reason}.`);
    return error;
  }

  /** Settles once the image of its first start is available; rejects when that failed before. Absent where there is no image. */
  get imageReady(): Promise<void> | undefined {
    return this.#place.image?.ready;
  }

  get logs(): PlaceLogs {
    return this.#place.logs;
  }

  /** Absent where no rules of ours can be in force. */
  get network(): PlaceNetwork | undefined {
    return this.#place.network;
  }

  /** The newest calls of clients, newest first; `undefined` where none are kept. */
  get recentCalls(): readonly ObservedCall[] | undefined {
    return this.#endpoint.current?.recentCalls;
  }

  /** The server's own names of its tools, as they were listed last; see `McpEndpoint`. */
  get listedTools(): readonly string[] | undefined {
    return this.#endpoint.current?.listedTools;
  }

  /** The policies' verdict on a call; `undefined` without policies. */
  judge(question: PolicyQuestion): PolicyVerdict | undefined {
    return this.#endpoint.current?.judge?.(question);
  }

  /** The same object as before while nothing of it has changed: all workloads are described at each change of one. */
  describe(): Workload {
    const { current: config } = this.#config;
    const { status, isAsleep, reason, error, pull, startedAt } = this.#state;
    const { warnings = [] } = this.#place;
    const { differenceCount: toolDifferences, warnings: toolWarnings } = this.#pins;
    const { listedTools } = this;
    const isTakenOver = this.#isTakenOver;
    const state = [config, status, isAsleep, reason, error, pull, startedAt, isTakenOver, listedTools, toolDifferences];
    // Most have none.
    const sources = warnings.length + toolWarnings.length === 0 ? state : [...state, ...warnings, "", ...toolWarnings];
    return this.#description.get(sources, () =>
      describeWorkload(config, this.#state, {
        ...{ isTakenOver, warnings, toolDifferences, toolWarnings },
        missingTools: listMissingTools(listedTools, pickToolSelection(config)),
      }),
    );
  }

  /**
   * Starts it for the first time. Resolves when it runs or has failed; the status holds the failure.
   *
   * @param note Shown while it runs.
   */
  async start(note = ""): Promise<void> {
    await this.#operations.run("starting", (signal) => this.#place.bringUp(note, signal));
  }

  /** @param graceSeconds Time the server has to end by itself. */
  async stop(graceSeconds?: number): Promise<BackgroundWork> {
    const unsaved = await this.#config.keep("stopped");
    const note = unsaved && `the next supervisor starts it again, because this could not be saved: ${unsaved.message}`;
    const done = this.#operations.run("stopping", async (signal) => {
      await this.#onceEngineAnswers("stop", signal, async () => {
        await this.#place.stop(graceSeconds);
        this.#state.set("stopped", note ?? "", signal);
      });
    });
    return { done };
  }

  /** @param endpoint Already listening on the new port. @param isRenewed True when its container is created again. */
  async restart({ endpoint, isRenewed = false }: RestartOptions = {}): Promise<BackgroundWork> {
    await this.#config.save("running");
    if (endpoint) {
      await this.#config.moveTo(endpoint.port);
      await this.#endpoint.moveTo(endpoint);
    }
    return { done: this.#place.restart({ isRenewed }) };
  }

  /** Ends the server, then removes everything that belongs to it; afterwards `isGone` shows whether all of it was removed. */
  async remove({ graceSeconds, isForced = false, keepsOutput = false }: RemoveOptions = {}): Promise<BackgroundWork> {
    const failure = keepsOutput ? (this.#state.error?.message ?? this.#state.reason) : undefined;
    await this.#config.keep("removed");
    if (isForced && this.#operations.isWorking) void this.#place.kill?.();
    const forget = async () => {
      await this.#pins.delete();
      await this.#context.usage?.delete(this.name);
      await this.#config.delete();
      this.#isGone = true;
    };
    const done = this.#operations.run("removing", async (signal) => {
      // A second removal that waited for this one could remove a new workload of the same name.
      if (this.#isGone) return;
      await this.#onceEngineAnswers("remove", signal, async () => {
        await this.#place.remove(forget, { graceSeconds, isForced, failure, signal });
      });
    });
    return { done };
  }

  /**
   * Reads and fetches what a start with these settings needs, while the server runs on, and shows how far it is.
   *
   * @param isRenewed True when its container is created again.
   * @param what Begins the message of one that runs, without its period.
   * @throws {ThvError} What that start would fail with.
   */
  async prepareStart(
    next: RunConfig,
    { isRenewed = false, what }: { readonly isRenewed?: boolean; readonly what: string },
  ): Promise<void> {
    try {
      await this.#place.prepare(next, { isRenewed, signal: this.#sideWork.signal });
    } catch (error) {
      if (!(error instanceof ThvError) || !this.isRunning) throw error;
      const { code, message, hint, detail } = error;
      throw new ThvError(code, `${what}: ${message}`, { hint, detail, cause: error });
    }
  }

  /** Pulls the image again, or builds that of a package again; its server stays as it is. @throws {ThvError} `INVALID_ARGUMENT` where there is no image to pull. */
  async pullImage(): Promise<void> {
    const { image } = this.#place;
    if (image) return await image.pull(this.#sideWork.signal);
    throw new ThvError("INVALID_ARGUMENT", `"${this.name}" runs elsewhere and has no image to pull`, {
      hint: `Connect to it anew: thv restart ${this.name}`,
    });
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
    const endpoint = this.#endpoint.release("the server is being changed");
    const closeEndpoint = async () => {
      if (!keepsEndpoint) await endpoint?.close();
    };
    const done = this.#operations.close(async () => {
      await this.#place.retire(closeEndpoint, { keepsSidecar });
      this.#isGone = true;
    });
    return { kept: keepsEndpoint ? endpoint : undefined, done };
  }

  /** Other tools, at once; its server and the sessions of clients stay. @throws What the write fails with; then nothing has changed. */
  async changeTools(members: Pick<RunConfig, keyof ToolMembers>): Promise<void> {
    await this.#config.changeTools(members);
    this.#endpoint.current?.chooseTools(pickToolSelection(members));
    if (await this.#pins.turn(pickPinSettings(members))) this.#endpoint.applyPins();
  }

  /** What of its tools is pinned, and how they differ; `undefined` when they are not. @throws {ThvError} `STATE_CORRUPT`, `STATE_TOO_NEW`. */
  async describePins(): Promise<PinReport | undefined> {
    return await this.#pins.describe();
  }

  /** See `ToolPins`. The endpoint notifies clients that the list has changed. */
  async acceptTools(asked: readonly AcceptedTool[] | undefined): Promise<PinReport> {
    const report = await this.#pins.accept(asked);
    this.#endpoint.applyPins();
    return report;
  }

  /**
   * Brings it to its desired state after the supervisor or the engine returned. Never rejects.
   *
   * @param engine Without one, nothing happens to a workload that needs it.
   */
  async reconcile(engine: ContainerEngine | undefined): Promise<void> {
    if (this.#operations.isWorking || (this.needsEngine && !engine)) return;
    try {
      if (this.desired === "removed") await (await this.remove()).done;
      else await this.#place.restore(engine);
    } catch (error) {
      this.#context.log.warn({ workload: this.name, reason: describeError(error) }, "workload could not be looked at");
    }
  }

  async checkHealth(): Promise<void> {
    if (this.#config.isUnsaved) await this.#saveAgain();
    await this.#place.checkHealth?.();
  }

  onContainerEvent(event: ContainerEvent): void {
    this.#place.onContainerEvent?.(event);
  }

  onEngineLost(reason: ThvError): void {
    this.#place.onEngineLost?.(reason);
  }

  /** Releases the workload at shutdown. The desired state stays, so the next supervisor restores it. */
  async release({ keepContainer }: { keepContainer: boolean }): Promise<void> {
    this.#sideWork.abort();
    await this.#operations.close(async (signal) => {
      await this.#onceEngineAnswers("stop", signal, async () => {
        await this.#place.release({ keepsContainer: keepContainer });
      });
    });
  }

  /** Whether its server is down until a user starts it again. */
  get #isAtRest(): boolean {
    const { status } = this.#state;
    return this.#isGone || status === "error" || (status === "stopped" && this.desired !== "running");
  }

  #onStatus(): void {
    if (this.#state.status !== "starting") this.#isTakenOver = false;
    this.#place.onStatus?.();
    this.#context.onChange(this.name);
  }

  async #saveAgain(): Promise<void> {
    const failure = await this.#config.keep(this.desired);
    if (!failure && this.#state.status === "stopped") this.#state.set("stopped", "");
  }

  /** Runs what ends a server. While the engine is away the workload waits for it; any other failure becomes the status. */
  async #onceEngineAnswers(verb: string, signal: AbortSignal, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      if (signal.aborted) return;
      this.#context.log.warn({ workload: this.name, reason: describeError(error) }, `cannot ${verb} the workload`);
      const isAway = hasCode(error, "ENGINE_UNREACHABLE");
      // The command that waits for the end says itself what it could not do.
      if (isAway && canFollow(this.#state.status, "unknown")) this.#state.set("unknown", error.message, signal);
      else this.#state.fail(error, `cannot ${verb}: `, signal);
    }
  }
}

/** The status of a workload before its engine was asked, or its remote server. */
function describeAtFirst(
  { desired_state: desired, remote_url }: RunConfig,
  endpoint: McpEndpoint | undefined,
): { readonly status: WorkloadStatus; readonly reason: string } {
  if (endpoint) return { status: "starting", reason: "" };
  if (remote_url !== undefined) return { status: desired === "stopped" ? "stopped" : "starting", reason: "" };
  return {
    status: STATUS_AT_FIRST[desired],
    reason: desired === "stopped" ? "" : "waiting for the container engine",
  };
}
