/** The newest events, bounded in number and size, so that a reader may reconnect or be slow without a queue of its own. */
import type { EventBody } from "../contract/events.ts";

const MAX_EVENTS = 1_000;
/** Characters of all kept events as JSON. */
const MAX_CHARACTERS = 1024 * 1024;

type Kept = { readonly event: EventBody; readonly characters: number };
/** An event without what the ring adds. */
export type News = EventBody extends infer Each
  ? Each extends EventBody
    ? Pick<Each, "type" | "data">
    : never
  : never;

export class EventRing {
  /** Distinguishes ids of this ring from those of an earlier one. */
  readonly #epoch: string;
  #kept: Kept[] = [];
  #characters = 0;
  /** Number of the newest event; they count from 1. */
  #newest = 0;

  constructor(epoch: string) {
    this.#epoch = epoch;
  }

  get newest(): number {
    return this.#newest;
  }

  add(news: News, at: Date): void {
    this.#newest += 1;
    const event = { id: this.formatId(this.#newest), at: at.toISOString(), ...news } as EventBody;
    const characters = JSON.stringify(event).length;
    this.#kept.push({ event, characters });
    this.#characters += characters;
    while (this.#kept.length > MAX_EVENTS || (this.#characters > MAX_CHARACTERS && this.#kept.length > 1)) {
      this.#characters -= this.#kept.shift()?.characters ?? 0;
    }
  }

  formatId(number: number): string {
    return `${this.#epoch}-${number}`;
  }

  /** @returns The number behind an id, or `undefined` for one whose followers are not all kept. */
  findNumber(id: string): number | undefined {
    const number = id.startsWith(`${this.#epoch}-`) ? Number(id.slice(this.#epoch.length + 1)) : Number.NaN;
    return Number.isInteger(number) && number <= this.#newest && this.hasAllSince(number) ? number : undefined;
  }

  hasAllSince(number: number): boolean {
    return number >= this.#newest - this.#kept.length && number >= 0;
  }

  /** The event of a number that `hasAllSince` of the one before. */
  at(number: number): EventBody | undefined {
    return this.#kept[this.#kept.length - 1 - (this.#newest - number)]?.event;
  }
}
