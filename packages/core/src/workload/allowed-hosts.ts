/** Names by which clients may call a proxy, besides those of this machine. */
import { isIP } from "node:net";

/** Names of one proxy. */
const MAX_ALLOWED_HOSTS = 50;
/** Characters of a name (RFC 1035 2.3.4). */
const MAX_LENGTH = 253;
const SHOWN_LENGTH = 60;
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** @returns In lower case, without doubles. Each mistake is added to `problems` as a sentence without its full stop. */
export function readAllowedHosts(given: readonly string[] = [], problems: string[]): string[] {
  if (given.length > MAX_ALLOWED_HOSTS) {
    problems.push(`${given.length} allowed hosts are too many: there may be ${MAX_ALLOWED_HOSTS}`);
    return [];
  }
  const names = given.map((name) => name.toLowerCase());
  for (const [index, name] of names.entries()) {
    if (isHostName(name)) continue;
    const shown = given[index]?.slice(0, SHOWN_LENGTH);
    problems.push(
      `allowed host "${shown}" is not a host name without scheme, port and path, such as tools.example.com`,
    );
  }
  return [...new Set(names)];
}

function isHostName(name: string): boolean {
  if (isIP(name) !== 0) return true;
  return name.length <= MAX_LENGTH && name.split(".").every((label) => LABEL.test(label));
}
