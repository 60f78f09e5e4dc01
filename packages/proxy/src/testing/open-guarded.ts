/**
 * Endpoints behind the same scripted server, one of each kind, with access rules: what holds for one has to hold for all.
 */
import type { AccessConfig, McpEndpoint, ToolOverrides } from "@toolhive/core";
import { NoSignIn, TestIssuer } from "@toolhive/core/testing";
import { openEndpoint } from "../open-endpoint.ts";
import type { EndpointOptions } from "../transports/stdio-endpoint.ts";
import { startMcpHttpServer } from "./mcp-http-server.ts";
import { openPair } from "./open-pair.ts";

export const ENDPOINT_AUDIENCE = "weather";

export interface Guarded extends AsyncDisposable {
  readonly endpoint: McpEndpoint;
  readonly issuer: TestIssuer;
  /** The header of a request in somebody's name. */
  as(subject: string, claims?: Readonly<Record<string, unknown>>): Promise<{ authorization: string }>;
}

/** How a server can stand behind an endpoint. */
export const SERVER_KINDS = ["stdio", "streamable-http", "sse"] as const;
export type ServerKind = (typeof SERVER_KINDS)[number];

export interface GuardedOptions {
  readonly kind?: ServerKind;
  readonly access?: AccessConfig;
  readonly tools?: readonly string[];
  readonly toolOverrides?: ToolOverrides;
  /** Whether the server runs elsewhere, which one on stdio cannot. Default false. */
  readonly isRemote?: boolean;
  readonly findTools?: boolean;
  /** Whether callers need a token. Default true. */
  readonly needsToken?: boolean;
  /** Answers requests; returns raw JSON of the result. */
  readonly onRequest?: (method: string, params: Readonly<Record<string, unknown>>) => string | undefined;
}

export async function openGuarded({
  kind = "stdio",
  access,
  tools,
  toolOverrides,
  isRemote = false,
  findTools,
  needsToken = true,
  onRequest,
}: GuardedOptions = {}): Promise<Guarded> {
  const issuer = await TestIssuer.start();
  const config: AccessConfig = {
    ...(needsToken && {
      oidc_config: { Issuer: issuer.url, Audience: ENDPOINT_AUDIENCE, AllowPrivateIP: true },
    }),
    ...access,
  };
  const opened = await openServer(kind, { access: config, tools, toolOverrides, isRemote, findTools }, onRequest);
  return {
    endpoint: opened.endpoint,
    issuer,
    as: async (subject, claims) => ({
      authorization: `Bearer ${await issuer.sign({ claims: { aud: ENDPOINT_AUDIENCE, sub: subject, ...claims } })}`,
    }),
    [Symbol.asyncDispose]: async () => {
      await opened[Symbol.asyncDispose]();
      await issuer[Symbol.asyncDispose]();
    },
  };
}

async function openServer(
  kind: ServerKind,
  rules: Pick<EndpointOptions, "access" | "tools" | "toolOverrides" | "isRemote" | "findTools">,
  onRequest: GuardedOptions["onRequest"],
): Promise<AsyncDisposable & { readonly endpoint: McpEndpoint }> {
  if (kind === "stdio") {
    return await openPair({ onRequest: ({ method = "", params }) => onRequest?.(method, params) ?? "{}" }, rules);
  }
  const server = await startMcpHttpServer(kind, onRequest);
  const endpoint = await openEndpoint({ name: "fake", host: "127.0.0.1", port: 0, transport: kind, ...rules });
  const address = { host: "127.0.0.1", port: server.port };
  const url = new URL(`http://127.0.0.1:${server.port}/${kind === "sse" ? "sse" : "mcp"}`);
  const remote = { url, authorization: new NoSignIn("fake") };
  endpoint.connect(rules.isRemote ? { ...address, remote } : address);
  const close = async () => {
    await endpoint.close();
    await server[Symbol.asyncDispose]();
  };
  return { endpoint, [Symbol.asyncDispose]: close };
}
