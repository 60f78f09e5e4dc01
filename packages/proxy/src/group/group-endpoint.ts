/** Opens the one endpoint of a group, whatever servers are behind it. */
import type { GroupEndpoint, GroupEndpointOptions, Logger, UsedCall } from "@toolhive/core";
import { prepareEndpoint } from "../access/prepare-endpoint.ts";
import type { HealthVersion } from "../http/health.ts";
import { isCounted, saysToolError } from "../observe/usage-meter.ts";
import { GROUP_BOUNDS, type GroupLimits } from "../options/group-limits.ts";
import type { Relay } from "../relay/relay.ts";
import { createRelayParts, openRelayEndpoint } from "../transports/relay-endpoint.ts";
import type { AnsweredRequest } from "./answered-request.ts";
import { GroupMembers } from "./group-members.ts";
import { GroupRelay } from "./group-relay.ts";

export interface GroupOptions extends GroupEndpointOptions {
  readonly log?: Logger;
  /** Shown by `/health`. */
  readonly version?: HealthVersion;
  /** Replaces single bounds. */
  readonly limits?: Partial<GroupLimits>;
  /** The relay of this process behind a server's address. Default: every server is reached over HTTP. */
  readonly findRelay?: (url: URL) => Relay | undefined;
  /** A client of the group has called a server of it. Default: nobody wants to know. */
  readonly onCalled?: ((server: string, client: string, call: Pick<UsedCall, "isFailure" | "ms">) => void) | undefined;
}

/**
 * Serves `/mcp` (streamable HTTP), `/sse` with `/messages` (HTTP with SSE) and `/health`, with no server behind it until
 * `update` names some.
 *
 * @throws {ThvError} `PORT_IN_USE`, `INVALID_ARGUMENT` when the address is not one of this machine or an access rule is
 * wrong, `ISSUER_UNAVAILABLE`.
 */
export async function openGroupEndpoint(options: GroupOptions): Promise<GroupEndpoint> {
  const { name, naming = "auto", choice = {}, version, findRelay = () => undefined, onCalled } = options;
  const prepared = await prepareEndpoint({ ...options, mayWaitForIssuer: true }, "streamable-http", GROUP_BOUNDS);
  const parts = createRelayParts(prepared, {});
  const relay = new GroupRelay({ ...parts, name, naming, choice, onAnswered: onCalled && reportCalls(onCalled) });
  const served = await openRelayEndpoint({
    ...options,
    ...prepared,
    relay,
    rules: parts.rules,
    now: parts.now,
    findServer: (tool) => relay.toolNames.find(tool)?.server,
    // Its servers have their own health; this one is well while it listens.
    server: { isConnected: true, isInitialized: false, probe: async () => 0 },
    version,
    transport: "group",
  });
  const members = new GroupMembers({ ...options, ...parts, relay, findRelay });
  const close = async (): Promise<void> => {
    members.freeze();
    await served.close(() => members.close());
  };

  return {
    port: served.port,
    get counts() {
      return served.counts;
    },
    get members() {
      return members.list();
    },
    get toolNames() {
      return relay.toolNames;
    },
    listTools: () => relay.listTools(),
    get imitated() {
      return relay.imitated;
    },
    chooseTools: (tools) => relay.chooseTools(tools),
    chooseNaming: (next) => relay.chooseNaming(next),
    update: (next) => members.update(next),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Of a call, the server knows the group alone; here its client is known. */
function reportCalls(onCalled: NonNullable<GroupOptions["onCalled"]>): (answered: AnsweredRequest) => void {
  return ({ server, method, client, answer, hasResult, ms }) => {
    if (client === undefined || !isCounted(method)) return;
    onCalled(server, client, { isFailure: !hasResult || saysToolError(answer), ms });
  };
}
