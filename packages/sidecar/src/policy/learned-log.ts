/** Writes down what was let out, each target once; the supervisor makes a profile of it. */
import { LEARNED_PREFIX } from "@toolhive/core/sidecar-rules";
import type { EgressPolicy } from "./egress-policy.ts";

/** A server that tries names at random must fill neither the memory nor the log. */
const MAX_TARGETS = 1_000;

export class LearnedLog {
  readonly #policy: EgressPolicy;
  readonly #write: (line: string) => void;
  readonly #seen = new Set<string>();

  constructor(policy: EgressPolicy, write: (line: string) => void) {
    this.#policy = policy;
    this.#write = write;
  }

  add(host: string, port: number): void {
    if (!this.#policy.learns || this.#seen.size >= MAX_TARGETS) return;
    const name = host
      .toLowerCase()
      .replace(/\.$/, "")
      .replace(/[^\x21-\x7e]/g, "?")
      .slice(0, 253);
    const target = `${name}:${port}`;
    if (this.#seen.has(target)) return;
    this.#seen.add(target);
    this.#write(`${LEARNED_PREFIX}${target}`);
  }
}
