/** Opens the one endpoint of a group: its routes, the servers behind it, and the sweep that applies every deadline. */

import { randomInt } from "node:crypto";
import type {
  GroupEndpoint,
  GroupEndpointOptions,
  GroupMember,
  GroupMemberStatus,
  Logger,
  McpEndpointCounts,
} from "@toolhive/core";
import { loadAccess } from "../access/load-access.ts";
import { LiveRules } from "../authz/live-rules.ts";
import { FindingRelay } from "../find/finding-relay.ts";
import { Health, type HealthVersion } from "../http/health.ts";
import { openListener } from "../http/listener.ts";
import { GROUP_BOUNDS, type GroupLimits } from "../options/group-limits.ts";
import { SILENT_LOG } from "../options/log.ts";
import type { Relay } from "../relay/relay.ts";
import { createRelayRoutes } from "../transports/relay-routes.ts";
import { SseTransport } from "../transports/sse.ts";
import { StreamableHttp } from "../transports/streamable-http.ts";
import { Backend } from "./backend.ts";
import { packDefinitions, unpackDefinitions } from "./catalog/definitions.ts";
import { GroupRelay } from "./group-relay.ts";

export interface GroupOptions extends GroupEndpointOptions {
  readonly log?: Logger;
  /** Shown by `/health`. */
  readonly version?: HealthVersion;
  /** Replaces single bounds. */
  readonly limits?: Partial<GroupLimits>;
  /** The relay of this process behind a server's address. Default: every server is reached over HTTP. */
  readonly findRelay?: (url: URL) => Relay | undefined;
}

/** First ids are below this, so that they and many after them fit the 32-bit integers some servers use. */
const FIRST_ID_RANGE = 2 ** 30;

/**
 * Serves `/mcp` (streamable HTTP), `/sse` with `/messages` (HTTP with SSE) and `/health`, with no server behind it until
 * `update` names some.
 *
 * @throws {ThvError} `PORT_IN_USE`, `INVALID_ARGUMENT` when the address is not one of this machine or an access rule is
 * wrong, `ISSUER_UNAVAILABLE`.
 */
export async function openGroupEndpoint(options: GroupOptions): Promise<GroupEndpoint> {
  const limits = { ...GROUP_BOUNDS, ...options.limits };
  const log = options.log ?? SILENT_LOG;
  const now = (): number => performance.now();
  const {
    name,
    naming = "auto",
    access: config,
    known = {},
    choice = {},
    version,
    findRelay = () => undefined,
  } = options;
  const facts = { name, transport: "streamable-http", config, mayWaitForIssuer: true, log };
  const access = await loadAccess(facts);
  const rules = new LiveRules({}, access?.rules);
  const relay = new GroupRelay({
    name,
    naming,
    limits,
    log,
    now,
    rules,
    choice,
    observer: access?.observer,
    callersAreApart: access?.needsToken ?? false,
    firstRequestId: randomInt(1, FIRST_ID_RANGE),
  });
  const finding = new FindingRelay({
    relay,
    isFinding: () => rules.isFinding,
    findServer: (tool) => relay.toolNames.find(tool)?.server,
  });
  const sse = new SseTransport({ relay: finding, limits });
  const streamable = new StreamableHttp({ relay: finding, limits, now });
  const counts = (): McpEndpointCounts => ({
    sessions: relay.sessions.size,
    streams: relay.sessions.attached.size,
    pendingRequests: relay.pendingCount,
  });
  const health = new Health({
    // Its servers have their own health; this one is well while it listens.
    server: { isConnected: true, isInitialized: false, probe: async () => 0 },
    limits,
    version,
    transport: "group",
    counts,
    now,
    date: () => new Date(),
  });
  const handle = createRelayRoutes({ sse, streamable, health });
  const listener = await openListener({ ...options, access, limits, log, handle });
  const sweeper = setInterval(() => {
    relay.sweep();
    streamable.sweep(now());
  }, limits.sweepMs);

  const backends = new Map<string, Backend>();
  const addresses = new Map<string, string>();
  let isClosed = false;
  const onChange = (backend: Backend, change: "definitions" | "state"): void => {
    if (isClosed || backends.get(backend.name) !== backend) return;
    relay.refreshCatalog();
    if (backend.state === "ready") relay.restoreSubscriptions(backend);
    if (change === "definitions") options.onKnown?.(backend.name, packDefinitions(backend.definitions));
    options.onChange?.();
  };
  const add = (member: GroupMember): void => {
    addresses.set(member.name, member.url);
    const definitions = Object.hasOwn(known, member.name) ? unpackDefinitions(known[member.name]) : undefined;
    backends.set(member.name, new Backend(member, definitions, { limits, log, now, findRelay, onChange }));
  };
  const update = (members: readonly GroupMember[]): void => {
    if (isClosed) return;
    const names = new Set(members.map((member) => member.name));
    const gone = [...backends.values()].filter((backend) => !names.has(backend.name));
    for (const backend of gone) {
      backends.delete(backend.name);
      backend.close();
    }
    for (const member of members) {
      const backend = backends.get(member.name);
      if (backend === undefined) add(member);
      else {
        if (addresses.get(member.name) !== member.url) relay.endSessionsAt(backend);
        addresses.set(member.name, member.url);
        backend.update(member);
      }
    }
    relay.setBackends([...backends.values()], gone);
  };
  const close = async (): Promise<void> => {
    isClosed = true;
    clearInterval(sweeper);
    await listener.close(() => relay.close());
    for (const backend of backends.values()) backend.close();
    await access?.observer?.close?.();
  };
  const listMembers = (): GroupMemberStatus[] => {
    const counts = relay.countTools();
    return [...backends.values()]
      .map(({ name: server, state, problem }) => {
        const { offered = 0, hidden = 0 } = counts.get(server) ?? {};
        return {
          name: server,
          state,
          ...(problem !== undefined && { reason: problem }),
          tools: offered,
          ...(hidden > 0 && { hiddenTools: hidden }),
        };
      })
      .sort((left, right) => (left.name < right.name ? -1 : 1));
  };

  return {
    port: listener.port,
    get counts() {
      return counts();
    },
    get members() {
      return listMembers();
    },
    get toolNames() {
      return relay.toolNames;
    },
    listTools: () => relay.listTools(),
    get imitated() {
      return relay.imitated;
    },
    chooseTools: (tools) => relay.chooseTools(tools),
    update,
    close,
    [Symbol.asyncDispose]: close,
  };
}
