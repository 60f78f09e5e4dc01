/** A group's endpoint with scripted servers behind it, each at an endpoint of its own. */
import type { GroupEndpoint, GroupMember } from "@toolhive/core";
import { waitFor } from "@toolhive/testing/wait-for";
import { type GroupOptions, openGroupEndpoint } from "../group/group-endpoint.ts";
import { openEndpoint } from "../open-endpoint.ts";
import type { EndpointOptions } from "../transports/stdio-endpoint.ts";
import type { FakeServerOptions } from "./fake-server.ts";
import { startMcpHttpServer } from "./mcp-http-server.ts";
import type { ServerKind } from "./open-guarded.ts";
import { openPair, type Pair, TEST_RELAYS } from "./open-pair.ts";

/** A server that can be put into a group. */
export interface TestMember extends AsyncDisposable {
  readonly member: GroupMember;
}

export interface StdioMember extends TestMember {
  readonly pair: Pair;
}

/** A server on stdio. @param options Of its own endpoint. */
export async function openStdioMember(
  name: string,
  server: FakeServerOptions,
  options: Partial<EndpointOptions> = {},
): Promise<StdioMember> {
  const pair = await openPair({ capabilities: ALL_CAPABILITIES, ...server }, { name, ...options });
  return {
    pair,
    member: { name, url: `http://127.0.0.1:${pair.endpoint.port}/mcp`, isRunning: true, run: "1" },
    [Symbol.asyncDispose]: () => pair[Symbol.asyncDispose](),
  };
}

/** A server of any kind that answers requests by their method. */
export async function openMember(
  name: string,
  kind: ServerKind,
  onRequest: (method: string, params: Readonly<Record<string, unknown>>) => string | undefined,
  options: Partial<EndpointOptions> = {},
): Promise<TestMember> {
  if (kind === "stdio") {
    return await openStdioMember(
      name,
      { onRequest: ({ method = "", params }) => onRequest(method, params) ?? "{}" },
      options,
    );
  }
  const server = await startMcpHttpServer(kind, onRequest, ALL_CAPABILITIES);
  const endpoint = await openEndpoint({ name, host: "127.0.0.1", port: 0, transport: kind, ...options });
  endpoint.connect({ host: "127.0.0.1", port: server.port });
  const path = kind === "sse" ? `/sse#${name}` : "/mcp";
  return {
    member: { name, url: `http://127.0.0.1:${endpoint.port}${path}`, isRunning: true, run: "1" },
    [Symbol.asyncDispose]: async () => {
      await endpoint.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

const ALL_CAPABILITIES =
  '{"tools":{"listChanged":true},"prompts":{},"resources":{"subscribe":true},"completions":{},"logging":{}}';

export async function openGroup(
  members: readonly TestMember[],
  options: Partial<GroupOptions> = {},
): Promise<GroupEndpoint> {
  const group = await openGroupEndpoint({
    ...{ name: "test", host: "127.0.0.1", port: 0 },
    findRelay: (url) => TEST_RELAYS.find(url),
    ...options,
  });
  group.update(members.map(({ member }) => member));
  return group;
}

/** Waits until a server has listed what it offers, or has another state. */
export async function untilMember(group: GroupEndpoint, name: string, state = "ready"): Promise<void> {
  const find = () => group.members.find((member) => member.name === name)?.state;
  await waitFor(() => find() === state, { what: `${name} to be ${state}, which is ${find()}` });
}
