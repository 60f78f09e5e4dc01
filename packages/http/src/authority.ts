/** Hosts and ports as Host headers, Origins and URLs have them. */

export interface Authority {
  /** In lower case, IPv6 without brackets. */
  readonly name: string;
  /** Absent for the usual port of the scheme. */
  readonly port: number | undefined;
}

/** @param text `name`, `name:port`, `[v6]` or `[v6]:port`. @returns `undefined` for anything else. */
export function parseAuthority(text: string): Authority | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:\s/@]+))(?::(\d{1,5}))?$/.exec(text);
  if (match === null) return undefined;
  const name = match[1] ?? match[2] ?? "";
  return { name: name.toLowerCase(), port: match[3] === undefined ? undefined : Number(match[3]) };
}

/** A host as programs listen on it: in lower case, an IPv6 address without brackets and in its shortest form. */
export function normalizeHost(host: string): string {
  const bare = (host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host).toLowerCase();
  if (!bare.includes(":")) return bare;
  const url = `http://[${bare}]`;
  // A zone, as in fe80::1%eth0, can be in no URL.
  return URL.canParse(url) ? new URL(url).hostname.slice(1, -1) : bare;
}

/** A host as URLs and Host headers have it: an IPv6 address is in brackets. */
export function formatUrlHost(host: string): string {
  return host.includes(":") ? `[${normalizeHost(host)}]` : host;
}

/** What listens on every address of the machine, by where a client on the machine reaches it. */
const EVERYWHERE: ReadonlyMap<string, string> = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["::", "[::1]"],
]);

/** @param host That a program listens on. @returns Where clients on this machine reach it, `host:port`. */
export function formatLocalAuthority(host: string, port: number | string): string {
  const known = EVERYWHERE.get(normalizeHost(host));
  return `${known ?? formatUrlHost(host)}:${port}`;
}
