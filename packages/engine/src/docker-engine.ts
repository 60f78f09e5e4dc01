/**
 * Docker and Podman behind the domain's engine port, over the Docker Engine API 1.40 to 1.47.
 * https://docs.docker.com/reference/api/engine/
 */
import type { Duplex } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type {
  Container,
  ContainerEngine,
  ContainerEvent,
  ContainerSpec,
  ContainerStdio,
  EngineInfo,
  LogLine,
  LogOptions,
  LogPosition,
  UserMapping,
} from "@toolhive/core";
import { describeError, ThvError } from "@toolhive/core";
import { type EngineAddress, formatAddress, isRemoteAddress } from "./connection/engine-address.ts";
import { type EngineDeadlines, EngineHttp, EngineStatusError } from "./connection/engine-http.ts";
import { buildCreateBody } from "./create-body.ts";
import { DockerImages } from "./docker-images.ts";
import {
  createEngineError,
  createImageNotFoundError,
  createNameTakenError,
  ignoreAbsent,
  translate,
  withTranslatedErrors,
} from "./engine-failures.ts";
import {
  hasLabels,
  hasSecurityOption,
  listMissingLimits,
  parseEvent,
  parseInspectedContainer,
  parseListedContainer,
  parseNetworks,
  parsePodmanSelinux,
  parseSupportedLimits,
  parseUserMapping,
  parseVersion,
  readCreatedId,
  type SupportedLimits,
} from "./engine-json.ts";
import { readJsonLines } from "./json-lines.ts";
import { readExcerpt, readLogLines, skipOld } from "./log-lines.ts";
import { splitStdio } from "./stdio-frames.ts";

/** The newest API version these calls were written against. */
const NEWEST_API_VERSION = "1.47";

const REMOVE_ATTEMPTS = 10;
const REMOVE_RETRY_MS = 100;

/** Podman reports a stop while it is still cleaning up the container; on a busy machine that takes seconds. */
const ATTACH_ATTEMPTS = 100;
const ATTACH_RETRY_MS = 100;

interface Cancellable {
  readonly signal?: AbortSignal | undefined;
}

export class DockerEngine implements ContainerEngine {
  readonly info: EngineInfo;
  readonly #http: EngineHttp;
  readonly #images: DockerImages;
  /** An engine without the kernel's help for a limit refuses the container, or its start. */
  readonly #limits: SupportedLimits;

  private constructor(http: EngineHttp, info: EngineInfo, limits: SupportedLimits) {
    this.#http = http;
    this.#images = new DockerImages(http);
    this.info = info;
    this.#limits = limits;
  }

  /**
   * Connects and negotiates the API version.
   *
   * @param options `origin`: the source of the address, for people.
   * @throws {ThvError} `ENGINE_UNREACHABLE`, `ENGINE_PERMISSION`, `ENGINE_FAILED`, `INVALID_ARGUMENT`.
   */
  static async connect(
    address: EngineAddress,
    options: Cancellable & { readonly deadlines?: EngineDeadlines; readonly origin?: string } = {},
  ): Promise<DockerEngine> {
    const http = await EngineHttp.open(address, options.deadlines);
    const version = parseVersion(
      await withTranslatedErrors(http.fetchJson({ path: "/version", signal: options.signal })),
    );
    http.versionPrefix = `/v${negotiate(version.apiVersion, version.minApiVersion)}`;
    const [host, podman] = await Promise.all([
      readInfo(http, options),
      version.kind === "podman" ? readPodmanInfo(http, options) : undefined,
    ]);
    const limits = parseSupportedLimits(host, podman);
    const missingLimits = listMissingLimits(limits);
    const info: EngineInfo = {
      kind: version.kind,
      version: version.version,
      address: formatAddress(address),
      keepsStdin: version.kind === "docker",
      isRemote: isRemoteAddress(address),
      ...(options.origin !== undefined && { origin: options.origin }),
      ...(missingLimits.length > 0 && { missingLimits }),
    };
    return new DockerEngine(http, info, limits);
  }

  async ping(options: Cancellable = {}): Promise<void> {
    await withTranslatedErrors(this.#http.send({ path: "/_ping", signal: options.signal }));
  }

  readonly hasImage: ContainerEngine["hasImage"] = (...args) => this.#images.hasImage(...args);
  readonly imageDigests: ContainerEngine["imageDigests"] = (...args) => this.#images.imageDigests(...args);
  readonly pullImage: ContainerEngine["pullImage"] = (...args) => this.#images.pullImage(...args);
  readonly buildImage: ContainerEngine["buildImage"] = (...args) => this.#images.buildImage(...args);
  readonly removeImage: ContainerEngine["removeImage"] = (...args) => this.#images.removeImage(...args);

  async createContainer(spec: ContainerSpec, options: Cancellable = {}): Promise<string> {
    const create = (init: boolean) =>
      this.#http.fetchJson({
        method: "POST",
        path: "/containers/create",
        query: { name: spec.name },
        body: buildCreateBody(spec, { init, limits: this.#limits, hasSelinux }),
        signal: options.signal,
      });
    const hasSelinux = (spec.mounts ?? []).length > 0 && (await this.#hasSelinux(options));
    try {
      return readCreatedId(await create(true));
    } catch (error) {
      if (!(error instanceof EngineStatusError)) throw translate(error);
      if (error.status === 409 || /already in use/i.test(error.message)) throw createNameTakenError(spec.name);
      if (error.status === 404) throw createImageNotFoundError(spec.image, error.message);
      // Without an init process a server that ignores SIGTERM only stops slowly, so its absence is no reason to refuse.
      if (/init|catatonit/i.test(error.message)) return readCreatedId(await withTranslatedErrors(create(false)));
      throw createEngineError(error);
    }
  }

  async readUserMapping(options: Cancellable = {}): Promise<UserMapping> {
    return parseUserMapping(await readInfo(this.#http, options), process.platform);
  }

  async #hasSelinux(options: Cancellable): Promise<boolean> {
    if (this.info.kind === "docker") return hasSecurityOption(await readInfo(this.#http, options), "selinux");
    return parsePodmanSelinux(await readPodmanInfo(this.#http, options));
  }

  async startContainer(id: string, options: Cancellable = {}): Promise<void> {
    await withTranslatedErrors(
      this.#http.send({ method: "POST", path: `/containers/${id}/start`, signal: options.signal }),
    );
  }

  async stopContainer(id: string, options: Cancellable & { graceSeconds: number }): Promise<void> {
    const call = this.#http.stream({
      method: "POST",
      path: `/containers/${id}/stop`,
      query: { t: options.graceSeconds },
      extraMs: options.graceSeconds * 1000,
      signal: options.signal,
    });
    (await ignoreAbsent(call))?.resume();
  }

  async removeContainer(id: string, options: Cancellable = {}): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const call = this.#http.stream({
          method: "DELETE",
          path: `/containers/${id}`,
          query: { force: true, v: true },
          signal: options.signal,
        });
        (await ignoreAbsent(call))?.resume();
        return;
      } catch (error) {
        const reason = error instanceof ThvError ? describeError(error.cause) : "";
        // Somebody else is already removing it.
        if (/already in progress/i.test(reason)) return;
        // Podman gives up when the container exits by itself between its check and its kill.
        if (attempt === REMOVE_ATTEMPTS || !/state improper|could not be stopped/i.test(reason)) throw error;
        await delay(REMOVE_RETRY_MS, undefined, options.signal ? { signal: options.signal } : {});
      }
    }
  }

  async findContainer(nameOrId: string, options: Cancellable = {}): Promise<Container | undefined> {
    const path = `/containers/${encodeURIComponent(nameOrId)}/json`;
    const raw = await ignoreAbsent(this.#http.fetchJson({ path, signal: options.signal }));
    if (raw === undefined) return undefined;
    const container = parseInspectedContainer(raw);
    // Engines also resolve an unambiguous prefix of an id, which is not what was asked.
    return container.name === nameOrId || container.id === nameOrId ? container : undefined;
  }

  async listContainers(labels: Readonly<Record<string, string>>, options: Cancellable = {}): Promise<Container[]> {
    const raw = await withTranslatedErrors(
      this.#http.fetchJson({
        path: "/containers/json",
        query: { all: true, filters: JSON.stringify({ label: formatLabelFilters(labels) }) },
        signal: options.signal,
      }),
    );
    return Array.isArray(raw) ? raw.map(parseListedContainer) : [];
  }

  async attach(id: string, options: Cancellable = {}): Promise<ContainerStdio> {
    const socket = await this.#openAttachment(id, options);
    const { stdout, stderr } = splitStdio(socket);
    const closed = new Promise<void>((resolve) => {
      socket.once("close", () => resolve());
    });
    const close = async () => {
      socket.destroy();
      await closed;
    };
    return { stdin: socket, stdout, stderr, closed, close, [Symbol.asyncDispose]: close };
  }

  async #openAttachment(id: string, { signal }: Cancellable): Promise<Duplex> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const query = { stream: true, stdin: true, stdout: true, stderr: true };
        return await this.#http.upgrade({ method: "POST", path: `/containers/${id}/attach`, query, signal });
      } catch (error) {
        // Neither running nor stopped, but on its way.
        const isBetween = error instanceof EngineStatusError && isAttachTooEarly(error.message.toLowerCase());
        if (attempt === ATTACH_ATTEMPTS || !isBetween) throw translate(error);
        await delay(ATTACH_RETRY_MS, undefined, signal ? { signal } : {});
      }
    }
  }

  async listNetworks({ signal }: Cancellable = {}): Promise<string[]> {
    return parseNetworks(await withTranslatedErrors(this.#http.fetchJson({ path: "/networks", signal })));
  }

  async runInContainer(id: string, command: readonly string[], { signal }: Cancellable = {}): Promise<string[]> {
    const body = { AttachStdout: true, AttachStderr: true, Cmd: command };
    const path = `/containers/${id}/exec`;
    const execution = readCreatedId(
      await withTranslatedErrors(this.#http.fetchJson({ method: "POST", path, body, signal })),
    );
    const start = { method: "POST", path: `/exec/${execution}/start`, signal } as const;
    const lines: string[] = [];
    for await (const { text } of readLogLines(
      await withTranslatedErrors(this.#http.stream({ ...start, body: { Detach: false, Tty: false } })),
    ))
      lines.push(text);
    return lines;
  }

  async readLogs(id: string, options: LogOptions): Promise<LogLine[]> {
    const { newest } = await readExcerpt(this.#readLogLines(id, options, { follow: false }), options.tail);
    return newest;
  }

  async *followLogs(
    id: string,
    { position = { count: 0 }, ...options }: LogOptions & { readonly position?: LogPosition },
  ): AsyncGenerator<LogLine> {
    try {
      if (position.count === 0) {
        const { count, first } = await readExcerpt(this.#readLogLines(id, options, { follow: false }), 0);
        Object.assign(position, { count: Math.max(0, count - options.tail), first });
      }
    } catch (error) {
      if (options.signal?.aborted) return;
      throw error;
    }
    yield* skipOld(this.#readLogLines(id, options, { follow: true }), position);
  }

  async *watchEvents(
    labels: Readonly<Record<string, string>>,
    { since, signal }: { since: Date; signal: AbortSignal },
  ): AsyncGenerator<ContainerEvent> {
    const filters = JSON.stringify({ type: ["container"], label: formatLabelFilters(labels) });
    try {
      // Podman sends not even the headers before there is an event.
      const answer = await this.#http.stream({
        path: "/events",
        query: { filters, since: Math.floor(since.getTime() / 1000) },
        patience: "none",
        signal,
      });
      for await (const message of readJsonLines(answer)) {
        const event = parseEvent(message);
        // Podman sends what has any of the labels; asked for is what has all of them.
        if (event && hasLabels(message, labels)) yield event;
      }
    } catch (error) {
      if (signal.aborted) return;
      throw this.#createLostError(error);
    }
    if (!signal.aborted) throw this.#createLostError(undefined);
  }

  #createLostError(cause: unknown): ThvError {
    return new ThvError("ENGINE_UNREACHABLE", `The container engine at ${this.info.address} went away.`, {
      hint: "Start it again; workloads come back by themselves.",
      cause,
    });
  }

  /**
   * The whole log, which is bounded (see createBody). Asked for a number of lines, Docker counts the 16 KiB pieces of long
   * lines, and Podman 4 gives pieces of stdout as stderr.
   */
  async *#readLogLines(
    id: string,
    { since, isStamped = false, signal }: LogOptions,
    { follow }: { follow: boolean },
  ): AsyncGenerator<LogLine> {
    const answer = await withTranslatedErrors(
      this.#http.stream({
        path: `/containers/${id}/logs`,
        query: {
          stdout: true,
          stderr: true,
          tail: "all",
          follow,
          ...(since && { since: (since.getTime() / 1_000).toFixed(3) }),
          ...(isStamped && { timestamps: true }),
        },
        patience: follow ? "none" : "answer",
        signal,
      }),
    );
    try {
      yield* readLogLines(answer, { isStamped });
    } catch (error) {
      if (signal?.aborted && follow) return;
      throw signal?.aborted ? error : createEngineError(error);
    }
  }
}

async function readInfo(http: EngineHttp, { signal }: Cancellable): Promise<unknown> {
  return await ignoreAbsent(http.fetchJson({ path: "/info", signal }));
}

async function readPodmanInfo(http: EngineHttp, { signal }: Cancellable): Promise<unknown> {
  return await ignoreAbsent(http.fetchJson({ path: "/libpod/info", signal }));
}

function negotiate(newest: string, oldest: string): string {
  if (compareVersions(newest, NEWEST_API_VERSION) <= 0) return newest;
  return compareVersions(oldest, NEWEST_API_VERSION) > 0 ? oldest : NEWEST_API_VERSION;
}

function compareVersions(left: string, right: string): number {
  const [leftMajor = 0, leftMinor = 0] = left.split(".").map(Number);
  const [rightMajor = 0, rightMinor = 0] = right.split(".").map(Number);
  return leftMajor - rightMajor || leftMinor - rightMinor;
}

function formatLabelFilters(labels: Readonly<Record<string, string>>): string[] {
  return Object.entries(labels).map(([key, value]) => `${key}=${value}`);
}

/** @param message In lower case. */
function isAttachTooEarly(message: string): boolean {
  return message.includes("only attach to ") && message.includes("state improper");
}
