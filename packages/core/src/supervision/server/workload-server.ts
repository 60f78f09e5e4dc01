/** The server of one workload: the process that is connected to its endpoint, and the watch over both. */
import type { ContainerEngine, ContainerEvent } from "../../ports/container-engine.ts";
import type { Logger } from "../../ports/log.ts";
import type { HttpConnection, StdioConnection } from "../../ports/mcp-endpoint.ts";
import type { ServerLog } from "../../server-log/server-log.ts";
import { describeError, ThvError } from "../../support/errors.ts";
import { READY_TIMEOUT_MS, UNHEALTHY_AFTER_PINGS } from "../../support/supervision-limits.ts";
import { startTimeout } from "../../support/timeout-signal.ts";
import type { WorkloadPins } from "../../tool-pins/workload-pins.ts";
import type { BoundsKeeper } from "../bounds/bounds-keeper.ts";
import { pickOwnLimits } from "../bounds/unkept-limits.ts";
import type { DesiredConfig } from "../state/desired-config.ts";
import type { WorkloadState } from "../state/workload-state.ts";
import { describeExit, readOutput } from "./describe-exit.ts";
import { explainUnreachable, explainUnreadableOutput, explainWrongTransport } from "./explain-silence.ts";
import { untilAnswered } from "./first-answer.ts";
import { ServerProcess } from "./server-process.ts";
import type { WorkloadEndpoint } from "./workload-endpoint.ts";

/** Milliseconds a running server has to answer a ping. */
const PING_TIMEOUT_MS = 10_000;

interface WorkloadServerOptions {
  /** @throws {ThvError} `ENGINE_UNREACHABLE`, `ENGINE_PERMISSION`. */
  readonly requireEngine: () => Promise<ContainerEngine>;
  /** Receives the output of a server on stdio that is not a message. */
  readonly serverLog: ServerLog | undefined;
  /** Keeps limits that the engine cannot. */
  readonly bounds: BoundsKeeper;
  readonly pins: WorkloadPins;
  /** Called when the connected server has exited on its own. */
  readonly onGone: (server: ServerProcess) => void;
  readonly log: Logger;
}

interface PublishedAddress {
  readonly containerId: string;
  readonly connection: HttpConnection;
  /** Address behind the published port; connections to an earlier one hang without an error. */
  readonly networkAddress: string | undefined;
}

interface LaunchOptions {
  /** The container runs already and its server holds a session. */
  readonly resume: boolean;
  /** Shown while it runs. */
  readonly note: string;
  /** Container that has the server's published port, when it is not the server's own. */
  readonly sidecarId: string | undefined;
  readonly signal: AbortSignal;
}

export class WorkloadServer {
  readonly #config: DesiredConfig;
  readonly #state: WorkloadState;
  readonly #endpoint: WorkloadEndpoint;
  readonly #options: WorkloadServerOptions;
  #server: ServerProcess | undefined;
  /** Where a server that speaks HTTP is reached, and the container that publishes its port. */
  #publishedAddress: PublishedAddress | undefined;
  #runningSince = 0;
  #missedPings = 0;

  constructor(config: DesiredConfig, state: WorkloadState, endpoint: WorkloadEndpoint, options: WorkloadServerOptions) {
    this.#config = config;
    this.#state = state;
    this.#endpoint = endpoint;
    this.#options = options;
  }

  get isConnected(): boolean {
    return this.#server !== undefined && !this.#server.gone.aborted;
  }

  /** Milliseconds since its start was done. */
  get uptimeMs(): number {
    return Date.now() - this.#runningSince;
  }

  /** Hands the process over to the caller, who ends it and detaches. Its exit is no longer reported. */
  release(): ServerProcess | undefined {
    const server = this.#server;
    this.#server = undefined;
    return server;
  }

  async detach(): Promise<void> {
    await this.release()?.detach();
  }

  /** Starts the container, or carries on with it, and settles once it has answered or is unhealthy. @throws {ThvError} `SERVER_EXITED`. */
  async launch(
    engine: ContainerEngine,
    containerId: string,
    { resume, note, sidecarId, signal }: LaunchOptions,
  ): Promise<void> {
    // Left from a cancelled start: with two attachments, each would miss what the other reads.
    await this.detach();
    // What a new process of the same image words in another order is no change.
    const container = await engine.findContainer(containerId);
    await this.#options.pins.load({ image: container?.imageId, isNew: !resume });
    const server =
      this.#config.current.transport === "stdio"
        ? await ServerProcess.attach(engine, containerId, this.#options.serverLog)
        : ServerProcess.createUnattached(containerId);
    server.packageTarget = this.#config.current.package_target;
    this.#server = server;
    this.#missedPings = 0;
    if (!resume) await engine.startContainer(containerId);
    this.#state.markStart(resume ? container?.startedAt : undefined);
    server.hasStarted = true;
    await this.#keepBounds(engine, server);
    // Attaching to a container that has just exited succeeds, but never yields output.
    if (resume) await this.#confirmGone(server);
    const endpoint = this.#endpoint.current;
    if (!endpoint) throw new ThvError("INTERNAL", `The endpoint of "${this.#config.current.name}" is not open.`);
    endpoint.connect(await this.#connect(server, engine, sidecarId ?? containerId), { resume });
    server.gone.addEventListener("abort", () => this.#onGone(server), { once: true });
    if (await untilAnswered(engine, endpoint, server, signal)) {
      // It may have other tools than before: clients that stayed list them again, and pins see the list.
      this.#endpoint.applyPins();
      this.#state.set("running", note);
    } else {
      this.#state.report("unhealthy", await this.#explainSilence(engine, server));
    }
    this.#runningSince = Date.now();
    // It may have ended between its answer and here.
    if (server.gone.aborted) this.#onGone(server);
  }

  /** It runs, and has not answered in time. */
  async #explainSilence(engine: ContainerEngine, server: ServerProcess): Promise<ThvError> {
    const { target_port: port } = this.#config.current;
    const { lastLines } = server.output ?? (await readOutput(engine, server.containerId));
    const found = server.stdio
      ? (explainUnreadableOutput(server.strays.lastLines) ?? explainWrongTransport(lastLines))
      : explainUnreachable(lastLines, port);
    const seconds = READY_TIMEOUT_MS / 1000;
    const why = found === undefined ? "" : `: ${found.what}`;
    return new ThvError(
      "SERVER_NOT_READY",
      `the server runs but has not answered as an MCP server within ${seconds} s${why}`,
      { hint: found?.hint },
    );
  }

  /** Asks the server for a sign of life; several missed pings make it unhealthy, one answer makes it well again. */
  async checkHealth(): Promise<void> {
    const endpoint = this.#endpoint.current;
    if (!endpoint || !this.#state.isUp) return;
    if (this.#server && !this.#server.stdio) await this.#followNetwork(this.#server);
    try {
      await endpoint.probe(startTimeout(PING_TIMEOUT_MS));
      this.#missedPings = 0;
      if (this.#state.status === "unhealthy") this.#state.set("running", "");
    } catch {
      // The reason is always the same: no answer in time.
      this.#missedPings += 1;
      if (this.#missedPings < UNHEALTHY_AFTER_PINGS || !this.#state.isUp) return;
      this.#state.set("unhealthy", `the server runs but has not answered ${this.#missedPings} pings in a row`);
      if (this.#server) await this.#confirmGone(this.#server);
    }
  }

  /** Its sidecar has ended, so the server has no network: treats it as ended. */
  onSidecarEnded(): void {
    if (this.#server?.hasStarted) this.#server.markGone();
  }

  onContainerEvent(event: ContainerEvent): void {
    const server = this.#server;
    if (event.action === "start" || server?.containerId !== event.containerId || !server.hasStarted) return;
    void this.#confirmGone(server);
  }

  /** Until it has ended; the reason becomes the reason of its end. */
  async #keepBounds(engine: ContainerEngine, server: ServerProcess): Promise<void> {
    const limits = pickOwnLimits(engine.info, this.#config.current);
    if (!limits) return;
    const pid = (await engine.findContainer(server.containerId))?.pid;
    if (pid === undefined) return;
    const workload = this.#config.current.name;
    const isKept = this.#options.bounds.keep({
      pid,
      limits,
      signal: server.gone,
      onReached: (reason) => {
        server.endReason = reason;
        this.#options.log.warn({ workload, reason }, "server is ended at its bound");
      },
      end: () => engine.stopContainer(server.containerId, { graceSeconds: 0 }),
    });
    if (!isKept)
      this.#options.log.warn({ workload, pid }, "processes of the server cannot be found; nothing bounds it");
  }

  async #connect(
    server: ServerProcess,
    engine: ContainerEngine,
    containerId: string,
  ): Promise<StdioConnection | HttpConnection> {
    if (!server.stdio) return await this.#findPublishedAddress(engine, containerId);
    const { stdin, stdout } = server.stdio;
    return { stdin, stdout, onStrayLine: (text) => server.addStrayLine(text) };
  }

  async #findPublishedAddress(engine: ContainerEngine, containerId: string): Promise<HttpConnection> {
    const container = await engine.findContainer(containerId);
    if (container?.publishedPort === undefined)
      throw await describeExit(engine, ServerProcess.createUnattached(containerId));
    const { target_host: host = "127.0.0.1" } = this.#config.current;
    const connection = { host, port: container.publishedPort };
    this.#publishedAddress = { containerId, connection, networkAddress: container.networkAddress };
    return connection;
  }

  /** An engine publishes another port, or gives another address, when a container is connected to its network again. */
  async #followNetwork(server: ServerProcess): Promise<void> {
    const before = this.#publishedAddress;
    if (!before) return;
    const { name } = this.#config.current;
    try {
      const engine = await this.#options.requireEngine();
      const { publishedPort, networkAddress } = (await engine.findContainer(before.containerId)) ?? {};
      const isSame = publishedPort === before.connection.port && networkAddress === before.networkAddress;
      const isCurrent = this.#server === server && this.#publishedAddress === before;
      // Without a network the server cannot be reached; the next check finds the new one.
      if (isSame || !isCurrent || publishedPort === undefined || networkAddress === undefined) return;
      this.#options.log.info({ workload: name, publishedPort, networkAddress }, "server has moved");
      // Requests to the old address would wait forever.
      this.#endpoint.current?.connect(await this.#findPublishedAddress(engine, before.containerId), { resume: false });
    } catch (error) {
      // The next periodic check tries again; events report the end of the container and the loss of the engine.
      this.#options.log.debug({ workload: name, reason: describeError(error) }, "network could not be looked at");
    }
  }

  /** Events arrive late: this one may be about an earlier run of the same container. */
  async #confirmGone(server: ServerProcess): Promise<void> {
    try {
      const engine = await this.#options.requireEngine();
      const container = await engine.findContainer(server.containerId);
      if (container?.state !== "running") server.markGone();
    } catch (error) {
      // The end of its attachment or the loss of the engine will report the same.
      const { name } = this.#config.current;
      this.#options.log.debug({ workload: name, reason: describeError(error) }, "container could not be looked at");
    }
  }

  #onGone(server: ServerProcess): void {
    if (this.#server === server && this.#state.isUp) this.#options.onGone(server);
  }
}
