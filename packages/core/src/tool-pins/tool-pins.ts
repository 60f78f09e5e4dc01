/**
 * The tools of one server as they were when they were pinned. What the server offers later is held back until somebody accepts
 * it: clients see the pinned definition of a tool that has changed, a new one not at all, and can call neither.
 */
import type { Logger } from "../ports/log.ts";
import type { OfferedTool, PinnedTools, ShownTool, ToolDefinition, ToolPage } from "../ports/mcp-endpoint.ts";
import { messageOf, ThvError } from "../support/errors.ts";
import { MAX_PINNED_CHARACTERS, MAX_PINNED_TOOLS, type PinRecord, type PinStore } from "./pin-record.ts";
import { hashDefinition, pickDefinition } from "./tool-definition.ts";

export type ToolDifferenceKind = "changed" | "new" | "removed";

/** How what a server offers differs from what was pinned. */
export interface ToolDifference {
  readonly name: string;
  readonly kind: ToolDifferenceKind;
  /** Of what the server offers; absent for a tool that is removed, and for a definition that cannot be read. */
  readonly sha256?: string | undefined;
  /** What was pinned. */
  readonly before?: ToolDefinition | undefined;
  /** What the server offers. */
  readonly after?: ToolDefinition | undefined;
}

export interface PinReport {
  /** When the first list was recorded, or something was accepted last; absent until there was a list. */
  readonly pinnedAt?: string | undefined;
  /** Sorted by name. */
  readonly tools: readonly { readonly name: string; readonly sha256: string }[];
  /** Sorted by name. */
  readonly differences: readonly ToolDifference[];
}

/** A difference as somebody has seen it: with the hash that it had then. */
export interface AcceptedTool {
  readonly name: string;
  readonly sha256?: string | undefined;
}

export interface ToolPinsOptions {
  /** Of the workload. */
  readonly name: string;
  readonly store: PinStore;
  readonly log: Logger;
}

interface Pin {
  readonly sha256: string;
  readonly definition: ToolDefinition;
  /** Of the definition as JSON. */
  readonly length: number;
}

/** Pages of a list that are remembered; a server with more of them has other cursors each time. */
const MAX_PAGES = 100;

export class ToolPins implements PinnedTools {
  readonly #options: ToolPinsOptions;
  #pinnedAt: string | undefined;
  readonly #pinned = new Map<string, Pin>();
  /** `undefined` for a definition that cannot be read. */
  readonly #held = new Map<string, Pin | undefined>();
  #removed: ReadonlySet<string> = new Set();
  /** Names on each page of the list, by the cursor of the page behind it; the last page by "". */
  readonly #pages = new Map<string, ReadonlySet<string>>();
  #isLoaded = false;
  #isDiscarded = false;
  /** The newest write. Never rejects. */
  #saving: Promise<void> = Promise.resolve();

  constructor(options: ToolPinsOptions) {
    this.#options = options;
  }

  /** To be called before each new process of the server. @throws {ThvError} `STATE_CORRUPT`, `STATE_TOO_NEW`. */
  async load(): Promise<void> {
    this.#pages.clear();
    if (this.#isLoaded) return;
    const record = await this.#options.store.read(this.#options.name);
    this.#isLoaded = true;
    if (record === undefined) return;
    this.#pinnedAt = record.pinned_at;
    for (const { definition } of record.pinned) this.#pinned.set(definition.name, readPin(definition.name, definition));
    for (const { name, definition } of record.held) this.#held.set(name, definition && readPin(name, definition));
    this.#removed = new Set(record.removed);
  }

  review({ tools, next }: ToolPage): readonly ShownTool[] {
    const before = this.#describeState();
    if (!this.#pages.has(next ?? "") && this.#pages.size >= MAX_PAGES) this.#pages.clear();
    this.#pages.set(next ?? "", new Set(tools.map(({ name }) => name)));
    const shown = tools.map((tool) => (this.#pinnedAt === undefined ? this.#learn(tool) : this.#compare(tool)));
    if (next === undefined) this.#conclude();
    if (this.#pinnedAt !== undefined && this.#describeState() !== before) void this.#save();
    return shown;
  }

  findRefusal(tool: string): string | undefined {
    if (this.#pinnedAt === undefined) return undefined;
    const { name } = this.#options;
    const shown = JSON.stringify(tool.slice(0, 200));
    const remedy = `See the difference and accept it: thv tools accept ${name}`;
    if (!this.#pinned.has(tool))
      return `The tool ${shown} is not among the pinned tools of "${name}". If the server has it, it is new. ${remedy}`;
    return this.#held.has(tool)
      ? `The definition of the tool ${shown} of "${name}" has changed since it was pinned. ${remedy}`
      : undefined;
  }

  describe(): PinReport {
    const names = new Set([...this.#held.keys(), ...this.#removed]);
    return {
      ...(this.#pinnedAt !== undefined && { pinnedAt: this.#pinnedAt }),
      tools: [...this.#pinned].map(([name, { sha256 }]) => ({ name, sha256 })).sort(compareNames),
      differences: [...names].map((name) => this.#describeDifference(name)).sort(compareNames),
    };
  }

  /**
   * Pins what the server offers now in the place of what was pinned. What cannot be read stays held back.
   *
   * @param asked Differences as they were shown. Default: all.
   * @throws {ThvError} `TOOLS_CHANGED` when one is not as it was shown, and `FILE_FAILED`; then nothing has changed.
   */
  async accept(asked?: readonly AcceptedTool[]): Promise<PinReport> {
    const { differences } = this.describe();
    const accepted = asked === undefined ? differences : asked.map((tool) => this.#findDifference(tool, differences));
    const before = { pinned: new Map(this.#pinned), held: new Map(this.#held), removed: this.#removed };
    const at = this.#pinnedAt;
    const gone = new Set<string>();
    for (const { name, kind } of accepted) {
      const offered = this.#held.get(name);
      if (kind === "removed") {
        this.#pinned.delete(name);
        gone.add(name);
      } else if (offered) {
        this.#pinned.set(name, offered);
        this.#held.delete(name);
      }
    }
    this.#removed = new Set([...this.#removed].filter((name) => !gone.has(name)));
    this.#pinnedAt = at === undefined ? undefined : new Date().toISOString();
    try {
      await this.#save({ isReported: true });
    } catch (error) {
      replaceEntries(this.#pinned, before.pinned);
      replaceEntries(this.#held, before.held);
      this.#removed = before.removed;
      this.#pinnedAt = at;
      throw error;
    }
    return this.describe();
  }

  /** Forgets everything, also on disk. @throws {ThvError} `FILE_FAILED`. */
  async discard(): Promise<void> {
    this.#isDiscarded = true;
    await this.#saving;
    await this.#options.store.delete(this.#options.name);
  }

  #learn(tool: OfferedTool): ShownTool {
    const { name } = tool;
    const pin = readOffered(tool);
    const known = this.#pinned.get(name);
    // Of two with one name, a client could take either.
    if (!pin || (known && known.sha256 !== pin.sha256)) return "hidden";
    if (!known && !hasRoom(this.#pinned, pin)) return "hidden";
    this.#pinned.set(name, pin);
    return "unchanged";
  }

  #compare(tool: OfferedTool): ShownTool {
    const { name } = tool;
    const offered = readOffered(tool);
    const known = this.#pinned.get(name);
    if (known && offered?.sha256 === known.sha256) {
      this.#held.delete(name);
      return "unchanged";
    }
    this.#held.delete(name);
    // Without room it is held back all the same; only the difference cannot be shown.
    if (known || this.#held.size < MAX_PINNED_TOOLS)
      this.#held.set(name, offered && hasRoom(this.#held, offered) ? offered : undefined);
    return known ? { definition: JSON.stringify(known.definition) } : "hidden";
  }

  /** The last page was seen: what is on none of them is no longer offered. */
  #conclude(): void {
    this.#pinnedAt ??= new Date().toISOString();
    const offered = new Set([...this.#pages.values()].flatMap((names) => [...names]));
    this.#removed = new Set([...this.#pinned.keys()].filter((name) => !offered.has(name)));
    for (const name of [...this.#held.keys()]) if (!offered.has(name)) this.#held.delete(name);
  }

  #findDifference({ name, sha256 }: AcceptedTool, differences: readonly ToolDifference[]): ToolDifference {
    const found = differences.find((difference) => difference.name === name);
    if (found && found.sha256 === sha256) return found;
    const shown = JSON.stringify(name.slice(0, 200));
    const workload = this.#options.name;
    const message = found
      ? `The tool ${shown} of "${workload}" has changed again since its difference was shown.`
      : `The tool ${shown} of "${workload}" does not differ from what was pinned.`;
    throw new ThvError("TOOLS_CHANGED", message, { hint: `See how it is now: thv tools accept ${workload}` });
  }

  #describeDifference(name: string): ToolDifference {
    const before = this.#pinned.get(name)?.definition;
    if (!this.#held.has(name)) return { name, kind: "removed", before };
    const offered = this.#held.get(name);
    return {
      name,
      kind: before ? "changed" : "new",
      ...(offered && { sha256: offered.sha256 }),
      ...(before && { before }),
      ...(offered && { after: offered.definition }),
    };
  }

  /** Differs when there is something to save. */
  #describeState(): string {
    const held = [...this.#held].map(([name, pin]) => [name, pin?.sha256]).sort();
    return JSON.stringify([this.#pinnedAt, held, [...this.#removed].sort()]);
  }

  /** One write after the other. A failure is told to the log, unless the caller reports it. */
  #save({ isReported = false }: { readonly isReported?: boolean } = {}): Promise<void> {
    const record = this.#buildRecord();
    const { name, store, log } = this.#options;
    const saved = this.#saving.then(async () => {
      if (record && !this.#isDiscarded) await store.save(name, record);
    });
    this.#saving = saved.catch((error: unknown) => {
      // What is held back in this process stays held back; the next one compares with what it finds.
      if (!isReported) log.warn({ workload: name, reason: messageOf(error) }, "pinned tools could not be saved");
    });
    return isReported ? saved : this.#saving;
  }

  #buildRecord(): PinRecord | undefined {
    if (this.#pinnedAt === undefined) return undefined;
    return {
      pinned_at: this.#pinnedAt,
      pinned: [...this.#pinned.values()].map(({ sha256, definition }) => ({ sha256, definition })),
      held: [...this.#held].map(([name, pin]) => ({
        name,
        ...(pin && { sha256: pin.sha256, definition: pin.definition }),
      })),
      removed: [...this.#removed],
    };
  }
}

/** @throws {RangeError} For a definition that is too deep. */
function readPin(name: string, offered: ToolDefinition): Pin {
  const definition = pickDefinition({ ...offered, name });
  return { sha256: hashDefinition(definition), definition, length: JSON.stringify(definition).length };
}

/** @returns `undefined` for a definition that cannot be read. */
function readOffered({ name, definition }: OfferedTool): Pin | undefined {
  try {
    return definition && readPin(name, definition);
  } catch {
    return undefined;
  }
}

function hasRoom(pins: ReadonlyMap<string, Pin | undefined>, { length }: Pin): boolean {
  let characters = length;
  for (const pin of pins.values()) characters += pin?.length ?? 0;
  return pins.size < MAX_PINNED_TOOLS && characters <= MAX_PINNED_CHARACTERS;
}

function replaceEntries<K, V>(map: Map<K, V>, entries: ReadonlyMap<K, V>): void {
  map.clear();
  for (const [key, value] of entries) map.set(key, value);
}

function compareNames(left: { readonly name: string }, right: { readonly name: string }): number {
  return left.name < right.name ? -1 : 1;
}
