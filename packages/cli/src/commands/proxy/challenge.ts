/** Whether a server asks its callers to sign in, and what it says about where: RFC 9728, RFC 6750. */
import { extractWWWAuthenticateParams } from "@modelcontextprotocol/client";
import { messageOf, ThvError } from "@toolhive/core/errors";

/** Milliseconds; cli.md 3.2. */
const TIMEOUT_MS = 10_000;
/** Where servers are asked: the endpoint may be protected when the root is not. */
const PATHS = ["/", "/mcp", "/sse"];

export interface Challenge {
  readonly isAsked: boolean;
  readonly resourceMetadataUrl?: URL;
  /** Scopes that the server asks for, with spaces between them. */
  readonly scope?: string;
  /** An issuer's address in `realm`, as older servers write it. */
  readonly realm?: URL;
}

/** @throws {ThvError} `SERVER_NOT_READY` when nothing answers. */
export async function findChallenge(target: URL, signal: AbortSignal): Promise<Challenge> {
  for (const path of PATHS) {
    const response = await ask(new URL(path, target), signal);
    // The body may be an endless stream.
    await response.body?.cancel();
    if (response.status !== 401) continue;
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
    const realm = realmOf(response.headers.get("www-authenticate") ?? "");
    return {
      isAsked: true,
      ...(resourceMetadataUrl && { resourceMetadataUrl }),
      ...(scope && { scope }),
      ...(realm && { realm }),
    };
  }
  return { isAsked: false };
}

async function ask(url: URL, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, {
      headers: { accept: "application/json, text/event-stream" },
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error && error.cause !== undefined ? messageOf(error.cause) : messageOf(error);
    throw new ThvError("SERVER_NOT_READY", `${url.origin} does not answer: ${reason}`, {
      hint: "Check --target-uri.",
      cause: error,
    });
  }
}

function realmOf(header: string): URL | undefined {
  const text = /^(?:bearer|digest)\b.*\brealm="([^"]+)"/i.exec(header)?.[1] ?? "";
  return /^https?:\/\//.test(text) && URL.canParse(text) ? new URL(text) : undefined;
}
