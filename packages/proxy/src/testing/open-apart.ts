/**
 * An endpoint that tells callers apart by their tokens, with one scripted server on stdio behind it.
 */
import type { AccessConfig } from "@toolhive/core";
import { TestIssuer } from "@toolhive/core/testing";
import type { Limits } from "../options/limits.ts";
import { openMcpEndpoint } from "../transports/stdio-endpoint.ts";
import { FakeServer, type FakeServerOptions } from "./fake-server.ts";
import { ENDPOINT_AUDIENCE } from "./open-guarded.ts";
import type { Pair } from "./open-pair.ts";
import { buildUrl, EventReader, initializeBody, post, type RawSession } from "./raw-client.ts";

export interface Apart extends Pair {
  readonly issuer: TestIssuer;
  /** The header of a request in somebody's name. */
  as(subject: string): Promise<{ authorization: string }>;
  /** A session of somebody's, initialized. */
  open(subject: string, options?: { revision?: string; capabilities?: object }): Promise<RawSession>;
}

export interface ApartOptions {
  readonly limits?: Partial<Limits>;
  readonly server?: FakeServerOptions;
  readonly access?: AccessConfig;
  /** Of the tokens; default: one of its own. */
  readonly issuer?: TestIssuer;
  /** Whether the process was served by another supervisor before. */
  readonly isTakenOver?: boolean;
}

export async function openApart({
  limits = {},
  server = {},
  access = {},
  isTakenOver = false,
  issuer: given,
}: ApartOptions = {}): Promise<Apart> {
  const issuer = given ?? (await TestIssuer.start());
  const oidc_config = { Issuer: issuer.url, Audience: ENDPOINT_AUDIENCE, AllowPrivateIP: true };
  const fake = new FakeServer(server);
  const endpoint = await openMcpEndpoint({
    name: "fake",
    host: "127.0.0.1",
    port: 0,
    limits,
    access: { oidc_config, ...access },
  });
  endpoint.connect(fake.connection, { resume: isTakenOver });
  const as = async (subject: string) => ({
    authorization: `Bearer ${await issuer.sign({ claims: { aud: ENDPOINT_AUDIENCE, sub: subject } })}`,
  });
  return {
    endpoint,
    server: fake,
    issuer,
    as,
    open: async (subject, { revision = "2025-06-18", capabilities = {} } = {}) => {
      const token = await as(subject);
      const response = await post(endpoint, initializeBody(revision, capabilities), token);
      const text = await response.text();
      const id = response.headers.get("mcp-session-id");
      if (response.status !== 200 || id === null) throw new Error(`initialize failed: ${response.status} ${text}`);
      const headers = { ...token, "mcp-session-id": id, "mcp-protocol-version": revision };
      return {
        id,
        headers,
        post: (body, signal) => post(endpoint, body, headers, signal),
        listen: async (more = {}) => {
          const abort = new AbortController();
          const stream = await fetch(buildUrl(endpoint), {
            headers: { accept: "text/event-stream", ...headers, ...more },
            signal: abort.signal,
          });
          return new EventReader(stream, abort);
        },
      };
    },
    [Symbol.asyncDispose]: async () => {
      await endpoint.close();
      if (given === undefined) await issuer[Symbol.asyncDispose]();
    },
  };
}
