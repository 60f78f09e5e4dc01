/**
 * Keeps web pages away from an API on loopback. A page can resolve its own name to 127.0.0.1 (DNS rebinding), so the Host
 * header must name this server; and it can send requests across origins, so the Origin header must be on the list.
 */
import type { IncomingMessage } from "node:http";
import { isLoopback, normalizeHost, parseAuthority } from "@toolhive/http";

export interface HostGuard {
  /** Names, without port and as `normalizeHost` writes them, that the server answers to besides loopback. */
  readonly hosts: readonly string[];
  /** Origins of pages that may call the API, in lower case, for example `http://localhost:3000`; `null` is that of a file. */
  readonly origins: readonly string[];
}

/** @returns Why the request is refused, or `undefined` when it may pass. */
export function explainRefusal(request: IncomingMessage, guard: HostGuard): string | undefined {
  const host = request.headers.host ?? "";
  const name = parseAuthority(host)?.name;
  if (name === undefined || !(isLoopback(name) || guard.hosts.includes(normalizeHost(name))))
    return `Host "${host.slice(0, 100)}" is not this server`;
  const { origin } = request.headers;
  if (origin === undefined) return comesFromElsewhere(request) ? "Pages elsewhere may not use this API" : undefined;
  // The page that this server serves itself.
  if (origin.toLowerCase() === `http://${host.toLowerCase()}`) return undefined;
  if (guard.origins.includes(origin.toLowerCase())) return undefined;
  return `Origin "${origin.slice(0, 100)}" may not use this API`;
}

/**
 * Whether a browser says that another site makes the request, for example for a picture: it would not see the answer, and has
 * no reason to ask. That somebody follows a link to here is another matter.
 */
function comesFromElsewhere({ headers, method }: IncomingMessage): boolean {
  const site = headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin" || site === "none") return false;
  // A service worker of ours passes such a request on as `empty`; no script can send one with this mode.
  const isPage = ["document", "empty"].includes(String(headers["sec-fetch-dest"]));
  return !(method === "GET" && headers["sec-fetch-mode"] === "navigate" && isPage);
}

/**
 * An origin as somebody wrote it, as a browser sends it.
 *
 * @returns `undefined` for what no browser sends: an address with a path, or a pattern.
 */
export function readOrigin(text: string): string | undefined {
  const origin = text.trim().toLowerCase().replace(/\/$/, "");
  // Pages from files: browsers send `null`, Electron with access to everything `file://`.
  if (origin === "null") return origin;
  if (origin === "file:" || origin === "file:/") return "file://";
  return /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9.[\]:-]+$/.test(origin) ? withoutUsualPort(origin) : undefined;
}

function withoutUsualPort(origin: string): string {
  return origin.replace(/^(http:\/\/.*):80$/, "$1").replace(/^(https:\/\/.*):443$/, "$1");
}
