/**
 * The endpoint of a server that speaks HTTP itself (`sse`, `streamable-http`): a transparent proxy whose listener
 * outlives the server, with a health watch that warns and recovers.
 */
import { Agent, type IncomingMessage, type ServerResponse } from "node:http";
import { Agent as SecureAgent } from "node:https";
import type { McpEndpointCounts } from "@toolhive/core";
import { ThvError } from "@toolhive/core/errors";
import { loadAccess } from "../access/load-access.ts";
import { Inflow } from "../http/body-budget.ts";
import { answerHealth, Health, type ProbedServer } from "../http/health.ts";
import { HttpRefusal } from "../http/http-exchange.ts";
import { type Handle, openListener } from "../http/listener.ts";
import type { Caller } from "../messages/caller.ts";
import { RPC_ERRORS } from "../messages/json-rpc.ts";
import { DEFAULT_LIMITS } from "../options/limits.ts";
import { SILENT_LOG } from "../options/log.ts";
import type { EndpointOptions } from "../transports/stdio-endpoint.ts";
import { forward, type Ownership } from "./http-forward.ts";
import { admitMessages } from "./http-messages.ts";
import { HttpObservations } from "./http-observations.ts";
import { HttpSessions, type HttpTransport, transportAt } from "./http-sessions.ts";
import { type HttpTarget, HttpWatch, probeHttp } from "./http-watch.ts";

export interface HttpEndpointOptions extends Omit<EndpointOptions, "transport"> {
  readonly transport: HttpTransport;
  /** Told when the server stops answering and when it answers again. */
  readonly onHealth?: (isHealthy: boolean, reason: string) => void;
}

export interface HttpEndpoint extends AsyncDisposable {
  readonly port: number;
  /** Streams and requests that are being forwarded; sessions are the server's own and not counted. */
  readonly counts: McpEndpointCounts;
  /** Whether the connected server has answered and not failed since. */
  readonly isReady: boolean;
  /**
   * Sends further requests to a server; replaces the one before.
   *
   * @param options.resume It is the same server as before at the same address, which may still answer. Default false.
   */
  connect(target: HttpTarget, options?: { readonly resume?: boolean }): void;
  /** The server is gone: what is being forwarded ends, further requests wait a bounded time for the next one. */
  disconnect(reason: string): void;
  /** Measures one round trip to the server. @returns Milliseconds. */
  probe(signal: AbortSignal): Promise<number>;
  close(): Promise<void>;
}

/**
 * @throws {ThvError} `PORT_IN_USE`, `INVALID_ARGUMENT` when the address is not one of this machine or an access rule is
 * wrong, `ISSUER_UNAVAILABLE`.
 */
export async function openHttpEndpoint(options: HttpEndpointOptions): Promise<HttpEndpoint> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const log = options.log ?? SILENT_LOG;
  const { name, transport } = options;
  const { mayWaitForIssuer } = options;
  const access = await loadAccess({ name, transport, config: options.access, mayWaitForIssuer, log });
  const open = new Set<ServerResponse>();
  const streams = new Set<ServerResponse>();
  const waiting = new Set<() => void>();
  const agent = new Agent({ keepAlive: true });
  const secureAgent = new SecureAgent({ keepAlive: true });
  let target: HttpTarget | undefined;
  let watch: HttpWatch | undefined;
  const cutOffs = new Set<(reason: string) => void>();

  const counts = (): McpEndpointCounts => ({
    sessions: 0,
    streams: streams.size,
    pendingRequests: open.size - streams.size,
  });
  const server: ProbedServer = {
    get isConnected() {
      return target !== undefined;
    },
    isInitialized: true,
    probe: async (signal) => {
      if (target === undefined) throw new ThvError("SERVER_NOT_READY", "The server is not connected.");
      return await probeHttp(target, signal);
    },
  };
  const health = new Health({
    server,
    limits,
    version: options.version,
    transport: transport === "any" ? "streamable-http" : transport,
    counts,
    now: () => performance.now(),
    date: () => new Date(),
  });

  const inflow = new Inflow({ maxBytes: limits.maxInflowBytes, backlogBytes: () => 0 });
  const observations = new HttpObservations();
  const sessions = new HttpSessions(transport);
  const ownershipFor = (request: IncomingMessage, caller: Caller): Ownership => ({
    learn: (answer) => sessions.learn(request, answer, caller),
    announce: (address) => sessions.announce(address, caller),
  });

  const targetOrWait = async (response: ServerResponse): Promise<HttpTarget> => {
    if (target === undefined) await waitForTarget(response, waiting, limits.queueWaitMs);
    if (target !== undefined) return target;
    throw new HttpRefusal(502, RPC_ERRORS.SERVER_UNAVAILABLE, "No server is running behind this endpoint.");
  };

  const handle: Handle = async (request, response, path, caller) => {
    if (path === "/health") {
      await answerHealth(request, response, health);
      return;
    }
    if (access?.isRestricted) sessions.check(request, path, caller);
    if (open.size >= limits.maxRequests) {
      throw new HttpRefusal(503, RPC_ERRORS.TOO_MANY, "Too many requests are open.", { "retry-after": "5" });
    }
    open.add(response);
    try {
      const { policy, observer } = access ?? {};
      const observed = observer && observations.begin(request, response);
      const mustRead = (policy !== undefined || observer !== undefined) && request.method === "POST";
      const admitted = mustRead
        ? await admitMessages(request, response, {
            inflow,
            limits,
            hasMirrorHeaders: transportAt(transport, path) !== "sse",
            refusalOf: (message) => {
              const isAnswer = message.envelope.kind === "response";
              const observation = isAnswer ? undefined : observer?.begin(caller, message);
              const refusal = policy?.refusalOf(caller, message);
              if (observation !== undefined) observed?.take(message, observation, refusal !== undefined);
              return refusal;
            },
          })
        : undefined;
      if (mustRead && admitted === undefined) return;
      const to = await targetOrWait(response);
      await forward(request, response, {
        body: admitted?.bytes,
        change:
          policy || observed
            ? (message) => {
                const shown = policy?.filter(caller, message) ?? message;
                observed?.answer(shown);
                return shown;
              }
            : undefined,
        maxMessageBytes: limits.maxLineBytes,
        target: to,
        agent: to.remote?.isSecure ? secureAgent : agent,
        maxBodyBytes: limits.maxBodyBytes,
        hasEndpointEvent: transport === "sse" || (transport === "any" && request.method === "GET" && path !== "/mcp"),
        onStream: () => streams.add(response),
        connectMs: limits.connectMs,
        cutOffs,
        ownership: access?.isRestricted ? ownershipFor(request, caller) : undefined,
        keepsAuthorization: access?.needsToken !== true,
        onAddress: observed?.announce,
        log,
      });
    } finally {
      streams.delete(response);
      open.delete(response);
    }
  };

  const listener = await openListener({ ...options, access, limits, log, handle });

  const disconnect = (reason: string): void => {
    if (target === undefined) return;
    log.info({ workload: name, reason }, "server disconnected");
    target = undefined;
    watch?.[Symbol.dispose]();
    watch = undefined;
    for (const response of open) if (response.headersSent) response.destroy();
  };

  const close = async (): Promise<void> => {
    await listener.close(() => {
      disconnect("the endpoint is closing");
      for (const wake of [...waiting]) wake();
      for (const response of open) if (response.headersSent) response.destroy();
    });
    agent.destroy();
    await access?.observer?.close?.();
    secureAgent.destroy();
  };

  return {
    port: listener.port,
    get counts() {
      return counts();
    },
    get isReady() {
      return watch?.isHealthy === true;
    },
    connect: (next, { resume = false } = {}) => {
      const reason = "another server took its place";
      disconnect(reason);
      // The connections of an earlier one may not have noticed; those of the same one go on.
      if (!resume) for (const cutOff of [...cutOffs]) cutOff(reason);
      target = next;
      watch = new HttpWatch({
        target: next,
        limits,
        now: () => performance.now(),
        onChange: (isHealthy, reason) => {
          log.info({ workload: name, isHealthy, reason }, "server health changed");
          options.onHealth?.(isHealthy, reason);
        },
        onCutOff: (reason) => {
          if (cutOffs.size === 0) return;
          log.warn({ workload: name, reason, exchanges: cutOffs.size }, "server is cut off");
          for (const cutOff of [...cutOffs]) cutOff(`it takes no connections: ${reason}`);
        },
      });
      for (const wake of [...waiting]) wake();
    },
    disconnect,
    probe: (signal) => server.probe(signal),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Settles when a server is connected, the time is over, the client has gone, or the endpoint closes. */
function waitForTarget(response: ServerResponse, waiting: Set<() => void>, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      clearTimeout(timer);
      waiting.delete(wake);
      response.off("close", wake);
      resolve();
    };
    const timer = setTimeout(wake, timeoutMs);
    waiting.add(wake);
    response.on("close", wake);
  });
}
