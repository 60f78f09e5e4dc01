/**
 * Where the server of a workload runs, as the difference that it makes: a container of this machine's engine, or elsewhere. What
 * all workloads have, such as settings, status, address and pins, a place gets from the workload and shares with it.
 *
 * Methods with a signal run within an operation of the workload, and what they throw becomes its status.
 */
import type { ContainerEngine, ContainerEvent } from "../../ports/container-engine.ts";
import type { LogSelection, StampedLine } from "../../server-log/log-line.ts";
import type { Denial } from "../../sidecar-rules/denials.ts";
import type { LearnedTarget } from "../../sidecar-rules/learned.ts";
import type { ThvError } from "../../support/errors.ts";
import type { WorkloadPins } from "../../tool-pins/workload-pins.ts";
import type { RunConfig } from "../../workload/run-config.ts";
import type { WorkloadEndpoint } from "../server/workload-endpoint.ts";
import type { DesiredConfig, NetworkMembers } from "../state/desired-config.ts";
import type { Operations } from "../state/operations.ts";
import type { WorkloadState } from "../state/workload-state.ts";
import type { WorkloadContext } from "./context.ts";

/** What a place shares with its workload. */
export interface PlaceParts {
  readonly config: DesiredConfig;
  readonly state: WorkloadState;
  readonly operations: Operations;
  readonly endpoint: WorkloadEndpoint;
  readonly pins: WorkloadPins;
  readonly context: WorkloadContext;
  /** Stops the workload as its user would. Resolves when that has ended. */
  readonly stop: () => Promise<void>;
  /** Whether its server is down until a user starts it again. */
  readonly isAtRest: () => boolean;
}

export interface PreparationOptions {
  /** True when everything is created again. */
  readonly isRenewed: boolean;
  readonly signal: AbortSignal;
}

export interface RemoveOptions {
  /** Seconds the server has to end by itself. Default 30. */
  readonly graceSeconds?: number | undefined;
  /** Kills the server at once. Default false. */
  readonly isForced?: boolean;
  /** Whether its start has failed, and what it wrote is kept for a while. Default false. */
  readonly keepsOutput?: boolean;
}

/** How a place ends and removes its server. */
export interface PlaceRemoval extends Omit<RemoveOptions, "keepsOutput"> {
  /** Why its start has failed, when what it wrote is kept. */
  readonly failure?: string | undefined;
  readonly signal: AbortSignal;
}

export interface PlaceLogs {
  /** The selected lines, oldest first. */
  read(selection: LogSelection, signal: AbortSignal): Promise<StampedLine[]>;
  /** The selected lines and later ones, over restarts, until the server is stopped, removed or has failed for good. */
  follow(selection: LogSelection, signal: AbortSignal): Promise<AsyncIterable<StampedLine>>;
}

/** The image that a server runs from. */
export interface PlaceImage {
  /** Settles once the image of the first start is available; rejects when that start failed before. */
  readonly ready: Promise<void>;
  /** Pulls it again, or builds that of a package again; a running server stays as it is. */
  pull(signal: AbortSignal): Promise<void>;
}

/** A network whose rules are ours. */
export interface PlaceNetwork {
  /** Whether a sidecar enforces rules. */
  readonly isFiltered: boolean;
  /** What the rules refused since the server was started, and still refuse, the newest target first. */
  listDenials(): Promise<Denial[]>;
  /** What the server has reached while its rules were learned, since its sidecar was made. */
  listLearned(): Promise<LearnedTarget[]>;
  /**
   * Other rules for a server that keeps its sidecar. A running server continues with them.
   *
   * @returns False when the running sidecar cannot take them; they are saved, and a restart is needed.
   * @throws The error of the write; then nothing has changed.
   */
  change(members: NetworkMembers): Promise<boolean>;
}

export interface ServerPlace {
  /** Whether nothing of it can run without a container engine. */
  readonly needsEngine: boolean;
  readonly logs: PlaceLogs;
  readonly image?: PlaceImage;
  readonly network?: PlaceNetwork;
  /** What to know of the server there, each a sentence. */
  readonly warnings?: readonly string[];

  /**
   * Reads and fetches what a start with these settings needs, while the server runs on.
   *
   * @throws {ThvError} What that start would fail with.
   */
  prepare(next: RunConfig, options: PreparationOptions): Promise<void>;
  /** Starts the server. The status holds the result, also a failure. @param note Shown while it runs. */
  bringUp(note: string, signal: AbortSignal): Promise<void>;
  /** Ends the server when it runs, and starts it. Runs its own operation, and never rejects. */
  restart(options: { readonly isRenewed: boolean }): Promise<void>;
  /**
   * Brings a workload that should run, or should not, to its desired state, after the supervisor or the engine returned. Runs its
   * own operations.
   *
   * @param engine Present where the place needs one.
   */
  restore(engine: ContainerEngine | undefined): Promise<void>;
  /** Closes the endpoint and ends the server. */
  stop(graceSeconds?: number): Promise<void>;
  /**
   * Ends the server, and removes everything that remains of it. @param forget Removes the workload's files; then it no longer
   * exists.
   */
  remove(forget: () => Promise<void>, options: PlaceRemoval): Promise<void>;
  /**
   * Ends the server for a successor, which has its containers from then on.
   *
   * @param closeEndpoint Closes the endpoint where the successor does not keep it.
   */
  retire(closeEndpoint: () => Promise<void>, options: { readonly keepsSidecar: boolean }): Promise<void>;
  /** Lets go of everything at shutdown. @param keepsContainer Whether the server runs on for the next supervisor. */
  release(options: { readonly keepsContainer: boolean }): Promise<void>;

  /** The status has changed. */
  onStatus?(): void;
  /** Called every few seconds. */
  checkHealth?(): Promise<void>;
  /** Ends the wait of a stop in progress for its server. */
  kill?(): Promise<void>;
  onContainerEvent?(event: ContainerEvent): void;
  onEngineLost?(reason: ThvError): void;
}
