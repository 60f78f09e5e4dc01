/**
 * Whether a server asks its callers to sign in, and what it says about where: RFC 9728, RFC 6750. It is asked by the sign-in's own
 * `fetch`, since only the head of a refusal counts: the client of MCP reads messages, and gets its authorization from here.
 */
import { describeError, ThvError } from "../../support/errors.ts";
import { parseSchemes, type SchemeChallenge } from "./auth-header.ts";
import { createBoundedFetch, type Fetch } from "./bounded-fetch.ts";

/** Milliseconds; cli.md 3.2. */
const ASK_TIMEOUT_MS = 10_000;
/** Characters of a header that are read. */
const MAX_HEADER_LENGTH = 8 * 1024;
const MAX_SCOPES = 100;
/** Addresses of metadata that are asked, one after the other. */
const MAX_ADDRESSES = 4;
/** Schemes of OAuth, the usual one first. */
const SCHEMES = ["bearer", "dpop"];

export interface Challenge {
  /** Where the server's metadata is, in the order in which the addresses are tried; never empty. */
  readonly resourceMetadataUrls?: readonly URL[];
  /** Scopes that the server asks for. */
  readonly scopes?: readonly string[];
  /** An issuer's address in `realm`, as older servers write it. */
  readonly realm?: URL;
  /** `insufficient_scope` when the token is good and lacks scopes. */
  readonly error?: string;
}

/** @param header Of `WWW-Authenticate`; several such headers joined by commas. */
export function parseChallenge(header: string): Challenge {
  const all = parseSchemes(header.slice(0, MAX_HEADER_LENGTH));
  const ours = SCHEMES.flatMap((scheme) => all.filter((each) => each.scheme === scheme));
  const urls = listValues(ours, "resource_metadata").flatMap((text) => parseAddress(text) ?? []);
  const unique = [...new Map(urls.map((url) => [url.href, url])).values()].slice(0, MAX_ADDRESSES);
  const realms = listValues([...ours, ...all.filter(({ scheme }) => scheme === "digest")], "realm");
  const realm = realms.flatMap((text) => parseAddress(text) ?? [])[0];
  const scopes = parseScopes(listValues(ours, "scope")[0]);
  const error = listValues(ours, "error")[0];
  return {
    ...(unique.length > 0 && { resourceMetadataUrls: unique }),
    ...(scopes.length > 0 && { scopes }),
    ...(realm && { realm }),
    ...(error && { error }),
  };
}

function listValues(challenges: readonly SchemeChallenge[], wanted: string): readonly string[] {
  return challenges.flatMap(({ parameters }) =>
    parameters.flatMap(([name, value]) => (name === wanted ? [value] : [])),
  );
}

/** @param text Perhaps in single quotes, which are part of the value for RFC 9110 and of no address. */
function parseAddress(text: string): URL | undefined {
  const address = /^'(.*)'$/.exec(text)?.[1] ?? text;
  return /^https?:\/\//i.test(address) && URL.canParse(address) ? new URL(address) : undefined;
}

/** @param text Scopes with blanks between them, as others wrote it. */
export function parseScopes(text: string | undefined): readonly string[] {
  const scopes = (text ?? "").split(/\s+/).filter((scope) => /^[\x21\x23-\x5B\x5D-\x7E]{1,256}$/.test(scope));
  return [...new Set(scopes)].slice(0, MAX_SCOPES);
}

export interface AskOptions {
  readonly signal: AbortSignal;
  readonly send?: Fetch | undefined;
  /** What to check when nothing answers. */
  readonly hint: string;
  /** Whether a message is sent, too, for servers that check tokens only then. */
  readonly sendsMessage?: boolean;
}

/**
 * @param urls Where the server is asked, one after the other: the endpoint may be protected when the root is not.
 * @returns Nothing when no answer asks to sign in.
 * @throws {ThvError} `SERVER_NOT_READY` when nothing answers.
 */
export async function askForChallenge(urls: readonly URL[], options: AskOptions): Promise<Challenge | undefined> {
  for (const url of urls) {
    for (const method of options.sendsMessage ? (["GET", "POST"] as const) : (["GET"] as const)) {
      const response = await ask(url, method, options);
      if (response.status === 401) return parseChallenge(response.headers.get("www-authenticate") ?? "");
    }
  }
  return undefined;
}

async function ask(url: URL, method: "GET" | "POST", { signal, send, hint }: AskOptions): Promise<Response> {
  const isPost = method === "POST";
  const fetchHead = createBoundedFetch({ signal, send, timeoutMs: ASK_TIMEOUT_MS, readsBody: false });
  try {
    return await fetchHead(url, {
      method,
      headers: {
        accept: "application/json, text/event-stream",
        ...(isPost && { "content-type": "application/json" }),
      },
      ...(isPost && { body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }) }),
      redirect: "manual",
    });
  } catch (error) {
    signal.throwIfAborted();
    const reason =
      error instanceof Error && error.cause !== undefined ? describeError(error.cause) : describeError(error);
    throw new ThvError("SERVER_NOT_READY", `${url.origin} does not answer: ${reason}`, { hint, cause: error });
  }
}
