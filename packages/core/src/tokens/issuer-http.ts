/**
 * Reads the issuer's two documents: its discovery document and its key set. Bounded in time and size; redirects are not
 * followed, because the one who answers there is not the one who was named.
 */
import { isIP } from "node:net";
import { messageOf, systemCodeOf, ThvError } from "../errors.ts";

/** Bytes. Key sets of large issuers have 10 kB. */
const MAX_DOCUMENT_BYTES = 512 * 1024;
/** Milliseconds for one document. */
export const ISSUER_TIMEOUT_MS = 10_000;

/**
 * @param what Names the address in the message, for example `--oidc-issuer`.
 * @throws {ThvError} `INVALID_ARGUMENT` for anything but https, and http to this machine.
 */
export function parseIssuerUrl(text: string, what: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw new ThvError("INVALID_ARGUMENT", `${what} is "${text}", which is not an address.`);
  if (url.username !== "" || url.password !== "") {
    throw new ThvError("INVALID_ARGUMENT", `${what} holds a user name or a password, which is not allowed.`);
  }
  if (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url))) return url;
  throw new ThvError("INVALID_ARGUMENT", `${what} is "${text}", but has to begin with https://.`, {
    hint: "Without encryption anyone on the way could swap the keys. Plain http is allowed to this machine only.",
  });
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || (isIP(hostname) === 4 && hostname.startsWith("127."));
}

/** @throws {ThvError} `ISSUER_UNAVAILABLE` saying what happened at which address. */
export async function fetchIssuerDocument(url: string, signal?: AbortSignal): Promise<Record<string, unknown>> {
  const timeout = AbortSignal.timeout(ISSUER_TIMEOUT_MS);
  try {
    const response = await fetch(url, {
      headers: { Accept: "application/json" },
      redirect: "manual",
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw issuerUnavailable(url, `the answer has status ${response.status}`);
    }
    return parseObject(await readText(response, url), url);
  } catch (error) {
    if (error instanceof ThvError) throw error;
    throw issuerUnavailable(url, timeout.aborted ? "no complete answer in time" : describe(error), error);
  }
}

export function issuerUnavailable(url: string, reason: string, cause?: unknown): ThvError {
  return new ThvError("ISSUER_UNAVAILABLE", `${url} cannot be used: ${reason}.`, {
    hint: "Check the address of the issuer and the connection to it.",
    cause,
  });
}

async function readText(response: Response, url: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_DOCUMENT_BYTES) throw issuerUnavailable(url, `it is larger than ${MAX_DOCUMENT_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parseObject(text: string, url: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw issuerUnavailable(url, "the answer is not JSON", error);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw issuerUnavailable(url, "the answer is not a JSON object");
}

/** The HTTP client says only "fetch failed"; what happened is in its cause. */
function describe(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  switch (systemCodeOf(cause)) {
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return "its host is not known";
    case "ECONNREFUSED":
      return "nothing answers there";
    default:
      return messageOf(cause) || "the connection broke";
  }
}
