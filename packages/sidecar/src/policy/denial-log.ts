/** Logs what was refused, with the line that would allow it; each thing once a minute at most. */

import { DENIAL_PREFIX } from "@toolhive/core/sidecar-rules";
import type { EgressPolicy } from "./egress-policy.ts";

const QUIET_MS = 60_000;
/** A server that tries ports at random must not fill the memory. */
const MAX_REMEMBERED = 1_000;

export class DenialLog {
  readonly #policy: EgressPolicy;
  readonly #write: (line: string) => void;
  readonly #now: () => number;
  readonly #logged = new Map<string, number>();

  constructor(policy: EgressPolicy, write: (line: string) => void, now: () => number = Date.now) {
    this.#policy = policy;
    this.#write = write;
    this.#now = now;
  }

  /** @param port `undefined` for a name that was only looked up. @param why An addition to the line. */
  add(host: string, port: number | undefined, why = ""): void {
    const shown = host.replace(/[^\x21-\x7e]/g, "?").slice(0, 253);
    const target = port === undefined ? shown : `${shown}:${port}`;
    const last = this.#logged.get(target);
    const now = this.#now();
    if (last !== undefined && now - last < QUIET_MS) return;
    if (this.#logged.size >= MAX_REMEMBERED) this.#logged.clear();
    this.#logged.set(target, now);
    const reason = why === "" ? "" : ` (${why})`;
    this.#write(`${DENIAL_PREFIX}${target}${reason}. To allow it: ${this.#policy.formatRefusal(shown, port)}`);
  }
}
