/**
 * Opens the MCP endpoint of a stdio server: its routes, and the sweep that applies every deadline.
 */

import { randomInt } from "node:crypto";
import type { CallGate, Logger, McpEndpoint, McpEndpointCounts, McpEndpointOptions } from "@toolhive/core";
import { loadAccess } from "../access/load-access.ts";
import { LiveRules } from "../authz/live-rules.ts";
import { FindingRelay } from "../find/finding-relay.ts";
import { Health, type HealthVersion } from "../http/health.ts";
import { openListener } from "../http/listener.ts";
import { DEFAULT_BOUNDS, type Limits } from "../options/limits.ts";
import { SILENT_LOG } from "../options/log.ts";
import type { ReplicaOptions } from "../options/replica-options.ts";
import { createPinLayer } from "../pins/pin-rules.ts";
import type { OpenRelays } from "../relay/relay.ts";
import { StdioRelay } from "../relay/stdio-relay.ts";
import { createRelayRoutes } from "./relay-routes.ts";
import { SseTransport } from "./sse.ts";
import { StreamableHttp } from "./streamable-http.ts";

export interface EndpointOptions extends McpEndpointOptions {
  readonly log?: Logger;
  /** Shown by `/health`. */
  readonly version?: HealthVersion;
  /** Replaces single bounds. */
  readonly limits?: Partial<Limits>;
  /** For a server that speaks HTTP and has replicas, or whose proxies are several. Default: it is one process at its address. */
  readonly replicas?: ReplicaOptions | undefined;
  /** Entered by every call. Default: none. */
  readonly gate?: CallGate | undefined;
  /** Where groups of this process find the server without a connection, while it asks nothing of a caller. Default: nowhere. */
  readonly relays?: OpenRelays | undefined;
}

/** First ids are below this, so that they and many after them fit the 32-bit integers some servers use. */
const FIRST_ID_RANGE = 2 ** 30;

/**
 * Serves `/mcp` (streamable HTTP), `/sse` with `/messages` (HTTP with SSE) and `/health`.
 *
 * @throws {ThvError} `PORT_IN_USE`, `INVALID_ARGUMENT` when the address is not one of this machine or an access rule is
 * wrong, `ISSUER_UNAVAILABLE`.
 */
export async function openMcpEndpoint(options: EndpointOptions): Promise<McpEndpoint> {
  const limits = { ...DEFAULT_BOUNDS, ...options.limits };
  const log = options.log ?? SILENT_LOG;
  const now = (): number => performance.now();
  const { mayWaitForIssuer } = options;
  const access = await loadAccess({
    name: options.name,
    transport: "stdio",
    config: options.access,
    mayWaitForIssuer,
    log,
  });
  const rules = new LiveRules(options, access?.rules);
  const relay = new StdioRelay({
    limits,
    log,
    now,
    rules,
    observer: access?.observer,
    callersAreApart: access?.needsToken ?? false,
    firstRequestId: randomInt(1, FIRST_ID_RANGE),
  });
  const finding = new FindingRelay({ relay, isFinding: () => rules.isFinding });
  const sse = new SseTransport({ relay: finding, limits });
  const streamable = new StreamableHttp({ relay: finding, limits, now });
  const counts = (): McpEndpointCounts => ({
    sessions: relay.sessions.size,
    streams: relay.sessions.attached.size,
    pendingRequests: relay.pendingCount,
  });
  const { version } = options;
  const health = new Health({
    server: relay,
    limits,
    version,
    transport: "stdio",
    counts,
    now,
    date: () => new Date(),
  });

  const handle = createRelayRoutes({ sse, streamable, health });

  const listener = await openListener({ ...options, access, limits, log, handle });
  /** Whoever comes by the relay itself passes neither token nor gate, so it is open only where there are none. */
  const offerRelay = (isOpen: boolean): void => {
    if (isOpen) options.relays?.add(options.host, listener.port, relay);
    else options.relays?.delete(options.host, listener.port, relay);
  };
  offerRelay(options.access === undefined && options.gate === undefined);
  const sweeper = setInterval(() => {
    relay.sweep();
    streamable.sweep(now());
  }, limits.sweepMs);

  const close = async (): Promise<void> => {
    clearInterval(sweeper);
    offerRelay(false);
    await listener.close(() => relay.close());
    await access?.observer?.close?.();
  };

  return {
    port: listener.port,
    get counts() {
      return counts();
    },
    get isReady() {
      return relay.hasServerSpoken;
    },
    get recentCalls() {
      return access?.recentCalls?.list();
    },
    get listedTools() {
      return rules.listedTools;
    },
    judge: access?.judge,
    connect: (connection, connectOptions) => {
      if (!("stdin" in connection)) throw new TypeError("a stdio endpoint needs the server's stdin and stdout");
      relay.connect(connection, connectOptions);
    },
    disconnect: (reason) => relay.disconnect(reason),
    chooseTools: (selection) => {
      rules.choose(selection);
      relay.announceTools();
    },
    pinTools: (pins) => {
      if (rules.pin(pins && createPinLayer(pins))) relay.announceTools();
    },
    guard: (gate) => {
      offerRelay(options.access === undefined && gate === undefined);
      listener.guard(gate);
    },
    get hasSubscribers() {
      return relay.hasSubscribers;
    },
    probe: (signal) => relay.probe(signal),
    leave: () => listener.leave(),
    close,
    [Symbol.asyncDispose]: close,
  };
}
