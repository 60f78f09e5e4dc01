/**
 * What an endpoint has whose messages a relay forwards, whatever is behind the relay: its routes, its health, and the sweep
 * that applies every deadline.
 */

import { randomInt } from "node:crypto";
import type { Logger, McpEndpointCounts, ToolSelection, UsageSink } from "@toolhive/core";
import type { PreparedEndpoint } from "../access/prepare-endpoint.ts";
import { LiveRules } from "../authz/live-rules.ts";
import { FindingRelay, type FindingRelayOptions } from "../find/finding-relay.ts";
import { meterUsage } from "../find/meter-usage.ts";
import { Health, type HealthOptions } from "../http/health.ts";
import { type Listener, type ListenerOptions, openListener } from "../http/listener.ts";
import type { Observer } from "../observe/observer.ts";
import type { Limits } from "../options/limits.ts";
import type { Relay } from "../relay/relay.ts";
import { createRelayRoutes } from "./relay-routes.ts";
import { SseTransport } from "./sse.ts";
import { StreamableHttp } from "./streamable-http.ts";

/** First ids are below this, so that they and many after them fit the 32-bit integers some servers use. */
const FIRST_ID_RANGE = 2 ** 30;

/** What a relay of either kind is made with. */
interface RelayParts<Bounds> {
  readonly limits: Bounds;
  readonly log: Logger;
  readonly now: () => number;
  readonly rules: LiveRules;
  readonly observer: Observer | undefined;
  readonly callersAreApart: boolean;
  readonly firstRequestId: number;
}

/** A relay that an endpoint sweeps, counts and closes. */
interface ServedRelay extends Relay {
  readonly pendingCount: number;
  sweep(): void;
  close(): void;
}

interface RelayEndpointOptions
  extends Omit<ListenerOptions, "handle">,
    Pick<HealthOptions, "version" | "transport" | "server">,
    Pick<FindingRelayOptions, "findServer"> {
  readonly relay: ServedRelay;
  readonly rules: LiveRules;
  /** The clock of its parts. */
  readonly now: () => number;
}

interface OwnParts {
  readonly usage?: UsageSink | undefined;
  /** Milliseconds, of which every deadline is counted. Default: those of the process. */
  readonly now?: (() => number) | undefined;
}

interface RelayEndpoint extends Pick<Listener, "port" | "guard" | "leave"> {
  readonly counts: McpEndpointCounts;
  /** @param release Called when everything is answered, before the observer closes. */
  close(release?: () => void): Promise<void>;
}

export function createRelayParts<Bounds extends Limits>(
  { limits, log, access }: PreparedEndpoint<Bounds>,
  { usage, now = readClock, ...selection }: ToolSelection & OwnParts,
): RelayParts<Bounds> {
  const rules = new LiveRules(selection, access?.rules);
  return {
    limits,
    log,
    now,
    rules,
    observer: meterUsage(access?.observer, usage, rules),
    callersAreApart: access?.needsToken ?? false,
    firstRequestId: randomInt(1, FIRST_ID_RANGE),
  };
}

/** @throws {ThvError} `PORT_IN_USE`, `INVALID_ARGUMENT` when the address is not one of this machine. */
export async function openRelayEndpoint(options: RelayEndpointOptions): Promise<RelayEndpoint> {
  const { relay, rules, findServer, limits, server, version, transport, now } = options;
  const finding = new FindingRelay({ relay, isFinding: () => rules.isFinding, findServer });
  const sse = new SseTransport({ relay: finding, limits });
  const streamable = new StreamableHttp({ relay: finding, limits, now });
  const counts = (): McpEndpointCounts => ({
    sessions: relay.sessions.size,
    streams: relay.sessions.attached.size,
    pendingRequests: relay.pendingCount,
  });
  const health = new Health({ server, limits, version, transport, counts, now, date: () => new Date() });
  const listener = await openListener({ ...options, handle: createRelayRoutes({ sse, streamable, health }) });
  const sweeper = setInterval(() => {
    relay.sweep();
    streamable.sweep(now());
  }, limits.sweepMs);
  return {
    port: listener.port,
    get counts() {
      return counts();
    },
    guard: (gate) => listener.guard(gate),
    leave: () => listener.leave(),
    close: async (release) => {
      clearInterval(sweeper);
      await listener.close(() => relay.close(), release);
    },
  };
}

function readClock(): number {
  return performance.now();
}
