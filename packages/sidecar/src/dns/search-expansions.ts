/**
 * Questions that a resolver asks by itself: with many search domains, as in a pod, `api.example.com` is asked for below each of them
 * before it is asked for as it is. Only the last question is the server's own, so only that one is reported when it is refused.
 */
import { readFileSync } from "node:fs";

const MAX_REMEMBERED = 200;
/** Of a resolver's configuration (resolv.conf(5)), characters. */
const MAX_FILE = 10_000;

/** @returns In their order; none when there is no such file. */
export function readSearchDomains(path = "/etc/resolv.conf"): string[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8").slice(0, MAX_FILE);
  } catch {
    return [];
  }
  // The last line counts.
  const line = text.split("\n").findLast((each) => each.startsWith("search ")) ?? "";
  const domains = line.split(/\s+/).slice(1);
  return domains.map((domain) => domain.toLowerCase().replace(/\.$/, "")).filter((domain) => domain !== "");
}

export class SearchExpansions {
  readonly #domains: readonly string[];
  /** Names that were asked for below the first domain, the oldest first. */
  readonly #begun = new Set<string>();

  constructor(domains: readonly string[]) {
    this.#domains = domains;
  }

  /** @returns Whether a question for this name is one of a series that ends with the name without its search domain. */
  isExpansion(question: string): boolean {
    const name = question.toLowerCase().replace(/\.$/, "");
    // The end of its own series.
    if (this.#begun.has(name)) return false;
    const [first] = this.#domains;
    for (const domain of this.#domains) {
      if (!name.endsWith(`.${domain}`)) continue;
      const wish = name.slice(0, -domain.length - 1);
      if (domain === first) this.#remember(wish);
      if (this.#begun.has(wish)) return true;
    }
    return false;
  }

  #remember(wish: string): void {
    this.#begun.delete(wish);
    this.#begun.add(wish);
    const [oldest] = this.#begun;
    if (this.#begun.size > MAX_REMEMBERED && oldest !== undefined) this.#begun.delete(oldest);
  }
}
