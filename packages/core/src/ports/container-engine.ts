/**
 * The container engine as a port: the calls that the domain needs from Docker or Podman. Adapters throw `ThvError`
 * only: `ENGINE_UNREACHABLE`, `ENGINE_PERMISSION`, `ENGINE_FAILED`, `IMAGE_NOT_FOUND`, `CONTAINER_NAME_TAKEN`.
 */
import type { Readable, Writable } from "node:stream";

/** How much of the machine one container may use. */
export interface ResourceLimits {
  /** Bytes; swap counts as memory. 0: no limit. */
  readonly memoryBytes: number;
  /** Processors, for example 1.5. 0: no limit. */
  readonly cpus: number;
  /** Processes and threads. 0: no limit. */
  readonly pids: number;
}

/** What an engine may be unable to bound: a rootless one without the kernel's control groups bounds nothing. */
export type LimitName = "memory" | "cpus" | "pids";

export interface EngineInfo {
  readonly kind: "docker" | "podman";
  /** Engine version as the engine reports it, for example `20.10.24`. */
  readonly version: string;
  /** Socket path, pipe name or URL that answered. */
  readonly address: string;
  /**
   * True when a container's stdin stays open after its attachment is lost, so that a new supervisor can carry on the
   * same MCP session. Docker: yes. Podman 4: no, the server sees end of input and exits.
   */
  readonly keepsStdin: boolean;
  /** Why this engine was chosen, for people: a variable, a Docker context, a product. */
  readonly origin?: string;
  /** Whether it runs on another machine, so that its files and ports are not this machine's. */
  readonly isRemote: boolean;
  /** Limits that it leaves out without an error. Absent: none. */
  readonly missingLimits?: readonly LimitName[];
}

/**
 * Who a container's users are on the engine's machine. `same`: user 1000 is user 1000. `engine-user`: 0 is the user who started
 * the engine, all others are nobody. `shifted`: all are nobody. `virtual-machine`: mounted folders are another machine's, whose
 * files belong to the engine's user.
 */
export type UserMapping = "same" | "engine-user" | "shifted" | "virtual-machine";

export interface ContainerSpec {
  readonly name: string;
  readonly image: string;
  /** Replaces the image's CMD; its ENTRYPOINT is kept. Empty keeps both. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  /** Keep stdin open and let the supervisor attach to it. */
  readonly stdio: boolean;
  /** Whether the engine keeps stdout and stderr in a bounded log. Default true. */
  readonly isLogged?: boolean;
  /** TCP port in the container, 1–65535, that is published on 127.0.0.1 at a port of the engine's choice. */
  readonly publish?: number;
  /** Loopback address that it is published on instead of 127.0.0.1. */
  readonly publishAddress?: string;
  readonly mounts?: readonly ContainerMount[];
  /** `none`: the loopback interface only; or the network of another container. Default: the engine's own network. */
  readonly network?: "none" | { readonly joins: string };
  /** Linux capabilities without `CAP_`. Default: none. */
  readonly capabilities?: readonly string[];
  /** Addresses by name, for its hosts file. */
  readonly hosts?: Readonly<Record<string, string>>;
  /**
   * Whether process 1 is the engine's init process, which passes signals on and collects ended processes, where the engine
   * has one. Default true. It has no capability either, so it cannot signal a program that runs as another user.
   */
  readonly init?: boolean;
  /** Default: none. */
  readonly limits?: ResourceLimits;
  /** The image is read-only; `/tmp` is writable, in memory and bounded. Default false. */
  readonly readOnlyRoot?: boolean;
  /** `UID` or `UID:GID`. Default: the image's. */
  readonly user?: string;
  /** Supplementary groups, as numbers. Default: none. */
  readonly groups?: readonly string[];
  /** Absolute path of an empty folder that everybody can write, in memory and bounded. Default: none. */
  readonly scratch?: string;
}

/** A file or folder of the host in the container. */
export interface ContainerMount {
  /** Absolute; has to exist. */
  readonly source: string;
  /** Absolute path in the container. */
  readonly target: string;
  readonly readOnly: boolean;
  /** SELinux: lets any container use it (`shared`), or this one only. */
  readonly relabel?: "shared" | "private";
}

export type ContainerState = "created" | "running" | "paused" | "restarting" | "removing" | "exited" | "dead";

export interface Container {
  /** Full id, 64 hexadecimal digits. */
  readonly id: string;
  /** Without a leading slash. */
  readonly name: string;
  readonly image: string;
  readonly state: ContainerState;
  readonly labels: Readonly<Record<string, string>>;
  readonly createdAt: Date;
  /** Port on 127.0.0.1 behind which the published port is, while it runs; only from `findContainer`. */
  readonly publishedPort?: number;
  /** Its address on its network, while it has one; of an inspected container only. */
  readonly networkAddress?: string;
  /** Identifier of the image that it was made from, which no other image has; only from `findContainer`. */
  readonly imageId?: string;
  /** When it was started last; only from `findContainer`. */
  readonly startedAt?: Date;
  /** Its first process, in the numbers of the engine's machine, while it runs; only from `findContainer`. */
  readonly pid?: number;
  /** Only meaningful once exited. */
  readonly exitCode?: number;
}

/** The attached stdio of one container. Bytes pass unchanged. The opener calls `close`. */
export interface ContainerStdio extends AsyncDisposable {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Settles when the attachment has ended: the container exited, the engine went away, or `close` was called. */
  readonly closed: Promise<void>;
  /** Drops the attachment; the container runs on where the engine allows it. */
  close(): Promise<void>;
}

export interface PullLayer {
  /** The engine's short id. */
  readonly id: string;
  readonly state: "waiting" | "downloading" | "unpacking" | "done";
  readonly currentBytes: number;
  /** 0 while it is not known. */
  readonly totalBytes: number;
}

/** Characters of a build's line that a progress message shows; the engine gives more, as the cause of a failure may stand behind them. */
export const MAX_SHOWN_BUILD_LINE = 200;

export interface PullProgress {
  /** One line for a person, for example `12.3 of 40.1 MB at 5.0 MB/s, 1 of 4 layers`. */
  readonly message: string;
  /** Of a pull, in the engine's order; a build has none. */
  readonly layers?: readonly PullLayer[];
  /** Over the last seconds; absent at first. */
  readonly bytesPerSecond?: number;
}

export interface LogLine {
  readonly stream: "stdout" | "stderr";
  /** Without its newline. */
  readonly text: string;
  /** Milliseconds since the epoch, when it was asked for; Podman counts in seconds. */
  readonly at?: number;
  /** A further piece of a line that is too long to be held; the earlier pieces are from the same stream. */
  readonly isContinued?: true;
}

export interface ContainerEvent {
  readonly action: "start" | "die" | "destroy";
  readonly containerId: string;
  readonly containerName: string;
  readonly exitCode?: number;
}

interface Cancellable {
  readonly signal?: AbortSignal | undefined;
}

/** How far a reader is in the log of one container. Begins as `{ count: 0 }`, and following the log moves it on. */
export interface LogPosition {
  /** Lines of the selection that the reader is past, from the log's first. */
  count: number;
  /** Text of the first. A log that begins otherwise was rotated. */
  first?: string | undefined;
  /** Moment of the newest of them. */
  newest?: number | undefined;
}

export interface LogOptions extends Cancellable {
  /** The newest so many lines, 0 or more; `Infinity` for all that are kept. */
  readonly tail: number;
  /** No line that is older. */
  readonly since?: Date | undefined;
  /** Each line with the moment it was written. Default false. */
  readonly isStamped?: boolean;
}

export interface BuildImageOptions extends Cancellable {
  /** One call for each line that is worth showing, without control characters. */
  readonly onProgress?: ((progress: PullProgress) => void) | undefined;
  /** Values of the Dockerfile's `ARG` instructions. */
  readonly args?: Readonly<Record<string, string>> | undefined;
  /** `NAME=VALUE`, a label that stages of this build have: their images are removed when the build ends. */
  readonly stageLabel?: string | undefined;
}

export interface ContainerEngine {
  readonly info: EngineInfo;
  /** @throws {ThvError} `ENGINE_UNREACHABLE` without an answer. */
  ping(options?: Cancellable): Promise<void>;
  /** Whether the image is already there; never contacts an image registry. */
  hasImage(reference: string, options?: Cancellable): Promise<boolean>;
  /** The image as image registries know it, `repository@sha256:…`; none for one that is not there, or was made here. */
  imageDigests(reference: string, options?: Cancellable): Promise<string[]>;
  /** @throws {ThvError} `IMAGE_NOT_FOUND`, `IMAGE_REGISTRY_UNREACHABLE` when the image registry cannot be reached. */
  pullImage(
    reference: string,
    options?: Cancellable & { onProgress?: ((progress: PullProgress) => void) | undefined },
  ): Promise<void>;
  /**
   * Builds an image for this machine's processor from a tar archive with a `Dockerfile` in its root.
   *
   * @param readContext Opens the archive; called once more when the engine has lost a layer and the build begins anew.
   * @throws {ThvError} `BUILD_FAILED` with the last lines of the build in `detail`.
   */
  buildImage(
    reference: string,
    readContext: () => AsyncIterable<Uint8Array>,
    options?: BuildImageOptions,
  ): Promise<void>;
  /** Succeeds for an image that does not exist. @returns False when a container still uses the image; then it stays. */
  removeImage(reference: string, options?: Cancellable): Promise<boolean>;
  /** @returns The container's id. It is not started. @throws {ThvError} `CONTAINER_NAME_TAKEN`. */
  createContainer(spec: ContainerSpec, options?: Cancellable): Promise<string>;
  startContainer(id: string, options?: Cancellable): Promise<void>;
  /** Succeeds for a container that is stopped or removed. @param graceSeconds Time between SIGTERM and SIGKILL. */
  stopContainer(id: string, options: Cancellable & { graceSeconds: number }): Promise<void>;
  /** Kills a running container first. Succeeds for one that does not exist. */
  removeContainer(id: string, options?: Cancellable): Promise<void>;
  /** By exact name or by id. */
  findContainer(nameOrId: string, options?: Cancellable): Promise<Container | undefined>;
  /** All containers, running or not, that carry every given label. */
  listContainers(labels: Readonly<Record<string, string>>, options?: Cancellable): Promise<Container[]>;
  /** Attaches to stdin, stdout and stderr. The container must have been created with `stdio`. */
  attach(id: string, options?: Cancellable): Promise<ContainerStdio>;
  readUserMapping(options?: Cancellable): Promise<UserMapping>;
  /** IPv4 networks that containers of the engine are in, `address/prefix`. */
  listNetworks(options?: Cancellable): Promise<string[]>;
  /** Runs a command in a running container until it has ended. @returns The lines it wrote, both streams. */
  runInContainer(id: string, command: readonly string[], options?: Cancellable): Promise<string[]>;
  /** Newest lines, oldest first and whole, both streams merged in engine order. @throws {ThvError} for one that is not logged. */
  readLogs(id: string, options: LogOptions): Promise<LogLine[]>;
  /**
   * Lines as they are written, starting with the newest `tail`, or behind a position that an earlier call has moved; ends with
   * the container or the signal. Where a container is started again at once, lines of its next run may follow.
   */
  followLogs(id: string, options: LogOptions & { readonly position?: LogPosition }): AsyncIterable<LogLine>;
  /**
   * Life-cycle events of containers with the given labels, beginning with those since a moment in the past, so that
   * nothing is missed while the subscription is set up. Ends with the signal; throws `ENGINE_UNREACHABLE` when the
   * engine is lost.
   */
  watchEvents(
    labels: Readonly<Record<string, string>>,
    options: { since: Date; signal: AbortSignal },
  ): AsyncIterable<ContainerEvent>;
}
