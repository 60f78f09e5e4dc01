/**
 * Names that begin with the name of a server, as `github__search` does, or that a reader or a model would take for such a
 * name: other letters that look the same, capitals, wide letters, hidden characters, another separator.
 */
import { formatSkeleton } from "../tool-pins/look-alikes.ts";

/** Characters of a name that are compared; the name of a server has at most 100. */
const MAX_COMPARED = 256;
/** Parts of a name that are compared with the names of servers. */
const MAX_PARTS = 16;
const UNSEEN = /[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
/** Two lines, or one of anything else that is no letter and no digit: single lines occur between words everywhere. */
const SEPARATOR =
  /[\p{Pc}\p{Pd}\u02cd\u07fa\u2581]{2,}|[^\p{L}\p{N}\p{Pc}\p{Pd}\u02cd\u07fa\u2581]|[\p{Pc}\p{Pd}\u02cd\u07fa\u2581](?=[^\p{L}\p{N}])/gu;
/** Most names are like this one, and name no server. */
const PLAIN = /^[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*$/;

export class ServerPrefixes {
  /** Names of servers by their appearance. */
  readonly #servers = new Map<string, string[]>();
  readonly #maxParts: number;

  constructor(servers: readonly string[]) {
    let parts = 1;
    for (const server of servers) {
      const skeleton = formatLetters(server);
      this.#servers.set(skeleton, [...(this.#servers.get(skeleton) ?? []), server]);
      parts = Math.max(parts, 1 + [...server.matchAll(SEPARATOR)].length);
    }
    this.#maxParts = Math.min(parts, MAX_PARTS);
  }

  /** @returns The other server that a name of this one seems to belong to. */
  findOther(server: string, name: string): string | undefined {
    if (PLAIN.test(name)) return undefined;
    const seen = name
      .normalize("NFKD")
      .replace(UNSEEN, "")
      .replace(/^[^\p{L}\p{N}]+/u, "")
      .slice(0, MAX_COMPARED);
    let parts = 0;
    for (const { index } of seen.matchAll(SEPARATOR)) {
      const other = this.#servers.get(formatLetters(seen.slice(0, index)))?.find((each) => each !== server);
      if (other !== undefined) return other;
      parts += 1;
      if (parts >= this.#maxParts) return undefined;
    }
    return undefined;
  }
}

function formatLetters(text: string): string {
  return formatSkeleton(text).replace(/[^\p{L}\p{N}]/gu, "");
}
