/**
 * The metadata of a protected resource (RFC 9728) and the challenge that points to it (§5.1): MCP clients discover
 * the issuer with them.
 */
import type { IncomingMessage } from "node:http";
import { readHeader } from "../http/http-exchange.ts";

const WELL_KNOWN = "/.well-known/oauth-protected-resource";

/** The address under which the client reached the endpoint. The Host header was checked before. */
export function deriveOrigin(request: IncomingMessage): string {
  const scheme = readHeader(request, "x-forwarded-proto") === "https" ? "https" : "http";
  return `${scheme}://${readHeader(request, "host") ?? "localhost"}`;
}

/** @returns The path of the resource that a metadata address is about, or `undefined` for any other address. */
export function parseMetadataPath(path: string): string | undefined {
  if (path === WELL_KNOWN) return "";
  const rest = path.startsWith(`${WELL_KNOWN}/`) ? path.slice(WELL_KNOWN.length) : undefined;
  return rest !== undefined && /^(?:\/[\w.~-]+)+$/.test(rest) ? rest : undefined;
}

export function buildResourceMetadata(
  request: IncomingMessage,
  resource: string,
  { issuer, scopes = [] }: { readonly issuer: string; readonly scopes?: readonly string[] | undefined },
): Buffer {
  return Buffer.from(
    JSON.stringify({
      resource: `${deriveOrigin(request)}${resource}`,
      authorization_servers: [issuer],
      bearer_methods_supported: ["header"],
      ...(scopes.length > 0 && { scopes_supported: scopes }),
    }),
  );
}

/** @param challenge The token verifier's challenge. */
export function formatChallenge(request: IncomingMessage, challenge: string, issuer: string | undefined): string {
  if (issuer === undefined) return challenge;
  const path = (request.url ?? "/").split("?", 1)[0] ?? "/";
  const resource = parseMetadataPath(`${WELL_KNOWN}${path}`) ?? "";
  return `${challenge}, resource_metadata="${deriveOrigin(request)}${WELL_KNOWN}${resource}"`;
}
