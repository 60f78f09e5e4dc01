/** Opens the MCP endpoint of a stdio server. */
import type { CallGate, Logger, McpEndpoint, McpEndpointOptions, UsageSink } from "@toolhive/core";
import { prepareEndpoint } from "../access/prepare-endpoint.ts";
import type { HealthVersion } from "../http/health.ts";
import { DEFAULT_BOUNDS, type Limits } from "../options/limits.ts";
import type { ReplicaOptions } from "../options/replica-options.ts";
import { createPinLayer } from "../pins/pin-rules.ts";
import type { OpenRelays } from "../relay/relay.ts";
import { StdioRelay } from "../relay/stdio-relay.ts";
import { createRelayParts, openRelayEndpoint } from "./relay-endpoint.ts";

export interface EndpointOptions extends McpEndpointOptions {
  readonly log?: Logger;
  /** Shown by `/health`. */
  readonly version?: HealthVersion;
  /** Replaces single bounds. */
  readonly limits?: Partial<Limits>;
  /** For a server that speaks HTTP and has replicas, or whose proxies are several. Default: it is one process at its address. */
  readonly replicas?: ReplicaOptions | undefined;
  /** Where calls are counted, without what they say. Default: nowhere. */
  readonly usage?: UsageSink | undefined;
  /** Entered by every call. Default: none. */
  readonly gate?: CallGate | undefined;
  /** Where groups of this process find the server without a connection, while it asks nothing of a caller. Default: nowhere. */
  readonly relays?: OpenRelays | undefined;
  /** Milliseconds, of which every deadline is counted, so that tests can let time pass. Default: those of the process. */
  readonly now?: () => number;
}

/**
 * Serves `/mcp` (streamable HTTP), `/sse` with `/messages` (HTTP with SSE) and `/health`.
 *
 * @throws {ThvError} `PORT_IN_USE`, `INVALID_ARGUMENT` when the address is not one of this machine or an access rule is
 * wrong, `ISSUER_UNAVAILABLE`.
 */
export async function openMcpEndpoint(options: EndpointOptions): Promise<McpEndpoint> {
  const prepared = await prepareEndpoint(options, "stdio", DEFAULT_BOUNDS);
  const { access } = prepared;
  const parts = createRelayParts(prepared, options);
  const { rules } = parts;
  const relay = new StdioRelay(parts);
  const facts = { server: relay, version: options.version, transport: "stdio" };
  const served = await openRelayEndpoint({ ...options, ...prepared, ...facts, relay, rules, now: parts.now });
  /** Requests that use the relay directly pass neither token nor gate, so it is open only where there are none. */
  const offerRelay = (isOpen: boolean): void => {
    if (isOpen) options.relays?.add(options.host, served.port, relay);
    else options.relays?.delete(options.host, served.port, relay);
  };
  offerRelay(options.access === undefined && options.gate === undefined);
  const close = async (): Promise<void> => {
    offerRelay(false);
    await served.close();
  };

  return {
    port: served.port,
    get counts() {
      return served.counts;
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
      served.guard(gate);
    },
    get hasSubscribers() {
      return relay.hasSubscribers;
    },
    probe: (signal) => relay.probe(signal),
    leave: () => served.leave(),
    close,
    [Symbol.asyncDispose]: close,
  };
}
