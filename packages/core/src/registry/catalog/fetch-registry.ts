/**
 * Fetches a registry over HTTPS. Bounded in time and size; addresses of this machine and of private networks are
 * refused where the connection is made, so neither a name that resolves to one nor a redirect leads there.
 */
import type { IncomingMessage } from "node:http";
import { describeConnectionFailure, readAnswer, sendRequest } from "../../net/outgoing-request.ts";
import { ThvError } from "../../support/errors.ts";
import { startTimeout } from "../../support/timeout-signal.ts";

/** Bytes. The reference's registry of 29 servers has 60 kB. */
export const MAX_REGISTRY_BYTES = 16 * 1024 * 1024;
/** Milliseconds for all of it, redirects included (api-behaviour 9). */
const TOTAL_TIMEOUT_MS = 30_000;
/** Milliseconds without any byte, from the connection's beginning to the answer's end. */
const IDLE_TIMEOUT_MS = 10_000;
const MAX_REDIRECTS = 5;

export interface FetchRegistryOptions {
  readonly allowPrivate: boolean;
  /** Entity tag of the cached copy, so that an unchanged registry is not sent again. */
  readonly etag?: string | undefined;
  /** The same by the date that came with the copy; asked with when there is no entity tag. */
  readonly lastModified?: string | undefined;
  /** Certificates to trust instead of the system's, PEM. */
  readonly ca?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for all of it. Default 30 s. */
  readonly timeoutMs?: number;
}

export type FetchedRegistry =
  | { readonly kind: "unchanged" }
  | {
      readonly kind: "content";
      readonly text: string;
      readonly etag: string | undefined;
      readonly lastModified?: string | undefined;
    };

/** The cause of an error about an answer that is none of the expected ones. */
export class UnexpectedStatus extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`status ${status}`);
    this.status = status;
  }
}

/** @throws {ThvError} `REGISTRY_UNAVAILABLE` saying what happened at which address. */
export async function fetchRegistry(url: string, options: FetchRegistryOptions): Promise<FetchedRegistry> {
  const timeout = startTimeout(options.timeoutMs ?? TOTAL_TIMEOUT_MS);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  try {
    return await follow(new URL(url), { ...options, signal }, MAX_REDIRECTS);
  } catch (error) {
    if (options.signal?.aborted) throw error;
    if (error instanceof ThvError) throw error;
    const seconds = (options.timeoutMs ?? TOTAL_TIMEOUT_MS) / 1000;
    throw createUnavailableError(
      url,
      timeout.aborted ? `no complete answer within ${seconds} s` : describeConnectionFailure(error),
      error,
    );
  }
}

async function follow(url: URL, options: FetchRegistryOptions, redirects: number): Promise<FetchedRegistry> {
  const response = await send(url, options);
  const status = response.statusCode ?? 0;
  const location = response.headers.location;
  if ([301, 302, 303, 307, 308].includes(status) && location !== undefined) {
    response.destroy();
    if (redirects === 0) throw createUnavailableError(url.href, `more than ${MAX_REDIRECTS} redirects`);
    return await follow(new URL(location, url), options, redirects - 1);
  }
  if (status === 304 && (options.etag ?? options.lastModified) !== undefined) {
    response.destroy();
    return { kind: "unchanged" };
  }
  if (status !== 200) {
    response.destroy();
    throw createUnavailableError(url.href, `the answer has status ${status}`, new UnexpectedStatus(status));
  }
  const { etag, "last-modified": lastModified } = response.headers;
  const text = await readRegistryText(response, url);
  return { kind: "content", text, etag, ...(lastModified !== undefined && { lastModified }) };
}

async function send(url: URL, options: FetchRegistryOptions): Promise<IncomingMessage> {
  const { allowPrivate, etag, lastModified, ca, signal } = options;
  if (url.protocol !== "https:") throw createUnavailableError(url.href, "only https addresses are allowed");
  return await sendRequest(url, {
    headers: {
      Accept: "application/json",
      ...(etag !== undefined && { "If-None-Match": etag }),
      ...(etag === undefined && lastModified !== undefined && { "If-Modified-Since": lastModified }),
    },
    idle: {
      ms: IDLE_TIMEOUT_MS,
      createError: () => createUnavailableError(url.href, `no byte for ${IDLE_TIMEOUT_MS / 1000} s`),
    },
    refusePrivate: allowPrivate ? undefined : (address) => createPrivateAddressError(url.href, address),
    ca,
    signal,
  });
}

async function readRegistryText(response: IncomingMessage, url: URL): Promise<string> {
  const body = await readAnswer(response, MAX_REGISTRY_BYTES, () =>
    createUnavailableError(url.href, `it is larger than ${MAX_REGISTRY_BYTES} bytes`),
  );
  return body.toString("utf8");
}

function createPrivateAddressError(url: string, address: string): ThvError {
  return new ThvError("REGISTRY_UNAVAILABLE", `The registry ${url} is at the private address ${address}.`, {
    hint: `If it is yours, allow it: thv config set-registry-url ${url} --allow-private-ip`,
  });
}

export function createUnavailableError(url: string, reason: string, cause?: unknown): ThvError {
  return new ThvError("REGISTRY_UNAVAILABLE", `The registry ${url} cannot be read: ${reason}.`, {
    hint: "Check the address and the connection, or go back to the built-in registry: thv config unset-registry-url",
    cause,
  });
}
