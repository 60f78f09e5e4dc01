/**
 * The pinned tools of one server, within bounds: whole definitions of the first ones, hashes of the others, and no room for
 * names beyond both. A server cannot make room for a tool that is not pinned.
 */
import { type KnownPin, type Pin, readRecorded, recordPin } from "./pin.ts";
import { MAX_HASHED_TOOLS, MAX_PINNED_CHARACTERS, MAX_PINNED_TOOLS, type PinRecord } from "./pin-record.ts";
import { hashText } from "./tool-definition.ts";

/** A tool of which only hashes are kept. */
interface HashedPin {
  readonly sha256: string;
}

/** Characters of a name; no client calls a tool with a longer one. */
export const MAX_TOOL_NAME = 1_000;

type Recorded = Pick<PinRecord, "pinned" | "hashed">;

export class PinSet {
  readonly #whole = new Map<string, KnownPin>();
  /** By the hash of the name. */
  readonly #hashed = new Map<string, HashedPin>();
  #characters = 0;
  #revision = 0;

  /** Another number when something has become different. */
  get revision(): number {
    return this.#revision;
  }

  /** Those of which the whole definition is kept. */
  get whole(): ReadonlyMap<string, KnownPin> {
    return this.#whole;
  }

  get hashedCount(): number {
    return this.#hashed.size;
  }

  /** Whether no other name can be recorded. */
  get isFull(): boolean {
    return this.#hashed.size >= MAX_HASHED_TOOLS;
  }

  has(name: string): boolean {
    return this.find(name) !== undefined;
  }

  /** @returns The whole pin, or the hash alone. */
  find(name: string): KnownPin | HashedPin | undefined {
    const whole = this.#whole.get(name);
    if (whole || this.#hashed.size === 0) return whole;
    return this.#hashed.get(hashText(name));
  }

  /** @returns Whether it is recorded. False: there is no room for another name. */
  set(name: string, pin: KnownPin): boolean {
    const before = this.#whole.get(name);
    if (before === undefined && this.#setHash(name, pin)) return true;
    const characters = this.#characters - (before?.text.length ?? 0) + pin.text.length;
    const count = this.#whole.size + (before ? 0 : 1);
    if (count > MAX_PINNED_TOOLS || characters > MAX_PINNED_CHARACTERS) {
      if (name.length > MAX_TOOL_NAME || this.isFull) return false;
      this.delete(name);
      this.#hashed.set(hashText(name), { sha256: pin.sha256 });
    } else {
      this.#characters = characters;
      this.#whole.set(name, pin);
    }
    this.#revision += 1;
    return true;
  }

  /** What else is known of a whole pin. */
  note(name: string, known: KnownPin): void {
    this.#whole.set(name, known);
    this.#revision += 1;
  }

  delete(name: string): void {
    const before = this.#whole.get(name);
    this.#characters -= before?.text.length ?? 0;
    this.#whole.delete(name);
    this.#hashed.delete(hashText(name));
    this.#revision += 1;
  }

  /** The server was restarted: the new process has not answered yet. @returns Whether the one before had. */
  forgetSaid(): boolean {
    const before = this.#revision;
    for (const [name, { said, ...pin }] of this.#whole) if (said !== undefined) this.note(name, pin);
    return this.#revision !== before;
  }

  /** Takes over what is in a record. */
  read({ pinned, hashed = [] }: Recorded, pinnedAt: string): void {
    this.#whole.clear();
    this.#hashed.clear();
    this.#characters = 0;
    for (const recorded of pinned) {
      const pin = readRecorded(recorded, pinnedAt);
      this.#whole.set(recorded.name, pin);
      this.#characters += pin.text.length;
    }
    for (const { name, sha256 } of hashed) this.#hashed.set(name, { sha256 });
    this.#revision += 1;
  }

  write(): Recorded {
    return {
      pinned: [...this.#whole].map(([name, pin]) => recordPin(name, pin)),
      ...(this.#hashed.size > 0 && { hashed: [...this.#hashed].map(([name, { sha256 }]) => ({ name, sha256 })) }),
    };
  }

  /** Of a tool whose hash alone is kept, until there is room for more. */
  #setHash(name: string, { sha256, text }: Pin): boolean {
    if (this.#hashed.size === 0) return false;
    const key = hashText(name);
    const hasRoom = this.#whole.size < MAX_PINNED_TOOLS && this.#characters + text.length <= MAX_PINNED_CHARACTERS;
    if (!this.#hashed.has(key)) return false;
    if (hasRoom) {
      this.#hashed.delete(key);
      return false;
    }
    this.#hashed.set(key, { sha256 });
    this.#revision += 1;
    return true;
  }
}

/** Whether the whole definition is known, and not its hash alone. */
export function isWhole(pin: KnownPin | HashedPin): pin is KnownPin {
  return "text" in pin;
}
