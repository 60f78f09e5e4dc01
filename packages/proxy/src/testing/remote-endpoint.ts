/** An endpoint of a server that runs elsewhere, for tests: a server on loopback plays that server. */
import type { GrantDescription, RemoteAuthorization, RemoteRefusal, RemoteServer } from "@toolhive/core";
import { ThvError } from "@toolhive/core/errors";
import { startTimeout } from "@toolhive/core/timeout-signal";
import { expect } from "vitest";
import { HttpEndpoint, type HttpEndpointOptions } from "../forward/http-endpoint.ts";
import type { RawHttpServer } from "./raw-http-server.ts";

export const TOOLS = '{"tools":[{"name":"add","inputSchema":{"type":"object"}}]}';

export const INITIALIZED =
  '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}';

export const CALL = {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: '{"jsonrpc":"2.0","id":7,"method":"ping"}',
};

/** A person's grant, as a test decides it. */
export class FakeAuthorization implements RemoteAuthorization {
  readonly refusals: RemoteRefusal[] = [];
  readonly accepted: string[] = [];
  token: string | undefined;
  /** The token that a refusal brings. */
  next: string | undefined;
  error: ThvError | undefined;

  constructor(token?: string) {
    this.token = token;
  }

  async authorize(): Promise<string | undefined> {
    if (this.error) throw this.error;
    return this.token && `Bearer ${this.token}`;
  }

  async onRefused(refusal: RemoteRefusal): Promise<boolean> {
    this.refusals.push(refusal);
    this.token = this.next;
    return this.next !== undefined;
  }

  onAccepted(usedAuthorization: string): void {
    this.accepted.push(usedAuthorization);
  }

  describe(): GrantDescription {
    return { state: "valid", kind: "bearer", scopes: [], isRenewable: false };
  }

  onChange(): () => void {
    return () => undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Nothing is held.
  }
}

const OPTIONS = { name: "web", host: "127.0.0.1", port: 0, transport: "streamable-http", isRemote: true } as const;

export async function openRemote(
  url: string,
  { authorization = new FakeAuthorization(), ...remote }: Partial<RemoteServer> = {},
  options: Partial<HttpEndpointOptions> = {},
): Promise<HttpEndpoint> {
  const endpoint = await HttpEndpoint.open({ ...OPTIONS, ...options });
  const address = new URL(url);
  const port = Number(address.port);
  endpoint.connect({ host: address.hostname, port, remote: { url: address, authorization, ...remote } });
  return endpoint;
}

export const formatMcpUrl = ({ port }: HttpEndpoint) => `http://127.0.0.1:${port}/mcp`;

export const formatUrl = ({ port }: RawHttpServer, path = "/mcp") => `http://127.0.0.1:${port}${path}`;

export async function findProblem(endpoint: HttpEndpoint, signal = startTimeout(20_000)): Promise<ThvError> {
  const error = await endpoint.probe(signal).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ThvError);
  return error as ThvError;
}
