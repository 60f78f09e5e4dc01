/** Tools that are held back: those that the server offers in place of recorded ones, and new ones. */
import { type Pin, readHeld, recordHeld } from "./pin.ts";
import { MAX_PINNED_CHARACTERS, MAX_PINNED_TOOLS, type PinRecord } from "./pin-record.ts";
import { MAX_TOOL_NAME } from "./pin-set.ts";
import { hashText } from "./tool-definition.ts";

type Recorded = Pick<PinRecord, "held" | "held_hashes">;

export class HeldTools {
  /** `undefined` for a definition that cannot be read or shown. */
  readonly #shown = new Map<string, Pin | undefined>();
  /** Hashes of the names of pinned ones for which there is no room above. */
  readonly #others = new Set<string>();
  #characters = 0;
  #revision = 0;

  /** Another number when something has become different. */
  get revision(): number {
    return this.#revision;
  }

  get size(): number {
    return this.#shown.size + this.#others.size;
  }

  /** Those with a name that can be shown. */
  get names(): IterableIterator<string> {
    return this.#shown.keys();
  }

  has(name: string): boolean {
    return this.#shown.has(name) || (this.#others.size > 0 && this.#others.has(hashText(name)));
  }

  /** What the server offers; `undefined` where it cannot be shown. */
  find(name: string): Pin | undefined {
    return this.#shown.get(name);
  }

  /**
   * Without room it is held back all the same; only the difference cannot be shown.
   *
   * @param isPinned Whether a definition of the name was recorded: one that is new is held back also when it is not kept.
   */
  hold(name: string, offered: Pin | undefined, isPinned: boolean): void {
    const before = this.#shown.get(name);
    if (before && before.sha256 === offered?.sha256) return;
    const isKnown = this.#shown.has(name);
    if (!isKnown && (name.length > MAX_TOOL_NAME || this.#shown.size >= 2 * MAX_PINNED_TOOLS)) {
      const key = hashText(name);
      if (!isPinned || this.#others.has(key)) return;
      this.#others.add(key);
    } else if (isKnown || isPinned || this.#shown.size < MAX_PINNED_TOOLS) {
      const characters = this.#characters - (before?.text.length ?? 0);
      const kept = offered && characters + offered.text.length <= MAX_PINNED_CHARACTERS ? offered : undefined;
      if (isKnown && before === kept) return;
      this.#characters = characters + (kept?.text.length ?? 0);
      this.#shown.set(name, kept);
    } else return;
    this.#revision += 1;
  }

  delete(name: string): void {
    if (!this.has(name)) return;
    this.#characters -= this.#shown.get(name)?.text.length ?? 0;
    this.#shown.delete(name);
    this.#others.delete(hashText(name));
    this.#revision += 1;
  }

  read({ held, held_hashes: hashes = [] }: Recorded): void {
    this.#shown.clear();
    this.#others.clear();
    for (const each of held) this.#shown.set(each.name, readHeld(each));
    for (const hash of hashes) this.#others.add(hash);
    this.#characters = [...this.#shown.values()].reduce((sum, pin) => sum + (pin?.text.length ?? 0), 0);
    this.#revision += 1;
  }

  write(): Recorded {
    return {
      held: [...this.#shown].map(([name, pin]) => recordHeld(name, pin)),
      ...(this.#others.size > 0 && { held_hashes: [...this.#others] }),
    };
  }
}
