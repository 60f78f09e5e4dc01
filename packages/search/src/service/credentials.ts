/** Who asks: application id and key, in the query string or in headers, names in any case. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { WireError } from "../wire/wire-error.ts";

export interface Credentials {
  readonly appId: string | undefined;
  readonly apiKey: string | undefined;
}

export interface ExpectedCredentials {
  /** Any application id is welcome when undefined. */
  readonly appId: string | undefined;
  /** Searching is public when undefined. */
  readonly apiKey: string | undefined;
  /** Writing is off when undefined. */
  readonly adminKey: string | undefined;
}

export function readCredentials(request: IncomingMessage, params: URLSearchParams): Credentials {
  const find = (name: string): string | undefined => {
    const header = request.headers[name];
    if (typeof header === "string") return header;
    for (const [key, value] of params) if (key.toLowerCase() === name) return value;
    return undefined;
  };
  return { appId: find("x-algolia-application-id"), apiKey: find("x-algolia-api-key") };
}

/** Compares in a time that does not reveal how much was right. */
function isEqual(given: string | undefined, expected: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return given !== undefined && timingSafeEqual(digest(given), digest(expected));
}

function refused(): WireError {
  return new WireError(403, "Invalid Application-ID or API key");
}

/** @throws {WireError} 403. */
export function requireSearchAccess(given: Credentials, expected: ExpectedCredentials): void {
  if (expected.adminKey !== undefined && isEqual(given.apiKey, expected.adminKey)) return;
  if (expected.appId !== undefined && given.appId !== expected.appId) throw refused();
  if (expected.apiKey !== undefined && !isEqual(given.apiKey, expected.apiKey)) throw refused();
}

/** @throws {WireError} 403, also when the service has no admin key. */
export function requireAdminAccess(given: Credentials, expected: ExpectedCredentials): void {
  if (expected.adminKey === undefined || !isEqual(given.apiKey, expected.adminKey)) throw refused();
  if (expected.appId !== undefined && given.appId !== expected.appId) throw refused();
}
