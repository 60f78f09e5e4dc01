/**
 * The tools of one server as they were when they were seen first. What changes later is held back until somebody accepts it:
 * clients see the definition that was recorded. With `all`, a tool that is new after the first list is held back, too: clients
 * neither see nor call it.
 */
import type { PinSettings } from "../access/tool-selection.ts";
import type { Logger } from "../ports/log.ts";
import type { OfferedTool, PinnedTools, ShownTool, ToolDefinition, ToolPage } from "../ports/mcp-endpoint.ts";
import { messageOf, ThvError } from "../support/errors.ts";
import { MAX_PINNED_CHARACTERS, MAX_PINNED_TOOLS, type PinRecord, type PinStore } from "./pin-record.ts";
import { hashDefinition, hashText, pickDefinition } from "./tool-definition.ts";

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
  /** The server's own words (JSON), in the place of a definition that two readers could take for different ones. */
  readonly beforeText?: string | undefined;
  readonly afterText?: string | undefined;
}

export interface PinReport {
  readonly settings: PinSettings;
  /** When the first list was recorded, or something was accepted last; absent until there was a list. */
  readonly pinnedAt?: string | undefined;
  /** Sorted by name. */
  readonly tools: readonly { readonly name: string; readonly sha256: string }[];
  /** Sorted by name. */
  readonly differences: readonly ToolDifference[];
  /** Whether there was no room for a tool that was seen: its changes are not held back. */
  readonly isFull: boolean;
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
  readonly settings: PinSettings;
  /** Called when other tools are held back than before. */
  readonly onChange?: (() => void) | undefined;
}

interface Pin {
  readonly sha256: string;
  /** Absent for one that two readers could take for different ones: then it is held to its text, byte for byte. */
  readonly definition?: ToolDefinition | undefined;
  /** JSON, as clients see it. */
  readonly text: string;
}

/** Pages of a list that are remembered; a server with more of them has other cursors each time. */
const MAX_PAGES = 100;

export class ToolPins implements PinnedTools {
  readonly #options: ToolPinsOptions;
  #settings: PinSettings;
  #pinnedAt: string | undefined;
  readonly #pinned = new Map<string, Pin>();
  /** `undefined` for a definition that cannot be read. */
  readonly #held = new Map<string, Pin | undefined>();
  #removed: ReadonlySet<string> = new Set();
  /** Names on each page of the list, by the cursor of the page behind it; the last page by "". */
  readonly #pages = new Map<string, ReadonlySet<string>>();
  /** Digests of pages that pass as they are, while what is pinned and held stays the same. */
  readonly #settled = new Set<string>();
  #isFull = false;
  /** The differences that were told last. */
  #announced = 0;
  #isLoaded = false;
  #isDiscarded = false;
  /** The newest write. Never rejects. */
  #saving: Promise<void> = Promise.resolve();

  constructor(options: ToolPinsOptions) {
    this.#options = options;
    this.#settings = options.settings;
  }

  get holdsNew(): boolean {
    return this.#settings.mode === "all";
  }

  get mayRefuse(): boolean {
    return this.holdsNew || (this.#settings.changedTools === "refuse" && this.#held.size > 0);
  }

  get hasList(): boolean {
    return this.#pinnedAt !== undefined;
  }

  /** How many tools differ from what was pinned. */
  get differenceCount(): number {
    return this.#listDifferent().size;
  }

  /** To be called before each new process of the server. @throws {ThvError} `STATE_CORRUPT`, `STATE_TOO_NEW`. */
  async load(): Promise<void> {
    this.#pages.clear();
    if (this.#isLoaded) return;
    const record = await this.#options.store.read(this.#options.name);
    this.#isLoaded = true;
    if (record === undefined) return;
    this.#pinnedAt = record.pinned_at;
    for (const { name, ...pin } of record.pinned) this.#pinned.set(name, readRecorded(name, pin) ?? readText(""));
    for (const { name, ...pin } of record.held) this.#held.set(name, readRecorded(name, pin));
    this.#removed = new Set(record.removed);
    this.#adopt();
  }

  /** From now on tools are held back by these; what was pinned stays pinned. */
  async change(settings: PinSettings): Promise<void> {
    await this.load();
    this.#settings = settings;
    this.#adopt();
    if (this.#pinnedAt !== undefined) await this.#save();
  }

  isSettled(digest: string): boolean {
    return this.#settled.has(digest);
  }

  review({ tools, next, digest }: ToolPage): readonly ShownTool[] {
    const before = this.#describeState();
    const shown = this.holdsNew ? this.#reviewAll(tools, next) : this.#reviewKnown(tools);
    if (next === undefined) this.#pinnedAt ??= new Date().toISOString();
    const after = this.#describeState();
    if (after !== before) {
      this.#settled.clear();
      if (this.#pinnedAt !== undefined) void this.#save();
      this.#announce();
    }
    const passes = !this.holdsNew && shown.every((each) => each === "unchanged");
    if (digest !== undefined && passes) {
      if (this.#settled.size >= MAX_PAGES) this.#settled.clear();
      this.#settled.add(digest);
    }
    return shown;
  }

  findRefusal(tool: string): string | undefined {
    if (this.#pinnedAt === undefined || !this.mayRefuse) return undefined;
    const { name } = this.#options;
    const shown = JSON.stringify(tool.slice(0, 200));
    const remedy = `See the difference and accept it: thv tools accept ${name}`;
    if (!this.#pinned.has(tool)) {
      if (!this.holdsNew) return undefined;
      return `The tool ${shown} is not among the pinned tools of "${name}". If the server has it, it is new. ${remedy}`;
    }
    return this.#held.has(tool) && this.#settings.changedTools === "refuse"
      ? `The definition of the tool ${shown} of "${name}" has changed since it was pinned. ${remedy}`
      : undefined;
  }

  describe(): PinReport {
    return {
      settings: this.#settings,
      ...(this.#pinnedAt !== undefined && { pinnedAt: this.#pinnedAt }),
      tools: [...this.#pinned].map(([name, { sha256 }]) => ({ name, sha256 })).sort(compareNames),
      differences: [...this.#listDifferent()].map((name) => this.#describeDifference(name)).sort(compareNames),
      isFull: this.#isFull,
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
    } finally {
      this.#settled.clear();
    }
    this.#announce();
    return this.describe();
  }

  /** Forgets everything, also on disk. @throws {ThvError} `FILE_FAILED`. */
  async discard(): Promise<void> {
    this.#isDiscarded = true;
    await this.#saving;
    await this.#options.store.delete(this.#options.name);
  }

  /** What was recorded with other settings: tools that are new or gone are no difference where these are not held back. */
  #adopt(): void {
    this.#settled.clear();
    this.#pages.clear();
    if (this.holdsNew) return;
    this.#removed = new Set();
    for (const name of [...this.#held.keys()]) if (!this.#pinned.has(name)) this.#held.delete(name);
  }

  /** Tools that come later are recorded as they come: they may depend on who asks, or on what the server does. */
  #reviewKnown(tools: readonly OfferedTool[]): ShownTool[] {
    // Of two with one name a client could take either, so that one which differs counts.
    const differing = new Map<string, Pin | undefined>();
    const shown = tools.map((tool): ShownTool => {
      const { name } = tool;
      const offered = readOffered(tool);
      const pin = offered ?? (tool.text === undefined ? undefined : readText(tool.text));
      const known = this.#pinned.get(name);
      if (known && pin?.sha256 === known.sha256) return "unchanged";
      if (known) {
        differing.set(name, pin);
        return { definition: known.text };
      }
      if (pin && hasRoom(this.#pinned, pin)) this.#pinned.set(name, pin);
      else this.#noteFull();
      return "unchanged";
    });
    for (const { name } of tools) this.#held.delete(name);
    for (const [name, offered] of differing) this.#hold(name, offered);
    return shown;
  }

  #noteFull(): void {
    if (!this.#isFull) {
      const { name, log } = this.#options;
      log.warn({ workload: name }, "there is no room for the definitions of more tools: they are not pinned");
    }
    this.#isFull = true;
  }

  #reviewAll(tools: readonly OfferedTool[], next: string | undefined): ShownTool[] {
    if (!this.#pages.has(next ?? "") && this.#pages.size >= MAX_PAGES) this.#pages.clear();
    this.#pages.set(next ?? "", new Set(tools.map(({ name }) => name)));
    const shown = tools.map((tool) => (this.#pinnedAt === undefined ? this.#learn(tool) : this.#compare(tool)));
    if (next === undefined) this.#conclude();
    return shown;
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
    const { name, text } = tool;
    const offered = readOffered(tool);
    const known = this.#pinned.get(name);
    this.#held.delete(name);
    const sha256 = offered?.sha256 ?? (text === undefined ? undefined : readText(text).sha256);
    if (known && sha256 === known.sha256) return "unchanged";
    this.#hold(name, offered);
    return known ? { definition: known.text } : "hidden";
  }

  /** Without room it is held back all the same; only the difference cannot be shown. */
  #hold(name: string, offered: Pin | undefined): void {
    if (this.#pinned.has(name) || this.#held.size < MAX_PINNED_TOOLS)
      this.#held.set(name, offered && hasRoom(this.#held, offered) ? offered : undefined);
  }

  /** The last page was seen: what is on none of them is no longer offered. */
  #conclude(): void {
    const offered = new Set([...this.#pages.values()].flatMap((names) => [...names]));
    this.#removed = new Set([...this.#pinned.keys()].filter((name) => !offered.has(name)));
    for (const name of [...this.#held.keys()]) if (!offered.has(name)) this.#held.delete(name);
  }

  #listDifferent(): Set<string> {
    return new Set([...this.#held.keys(), ...this.#removed]);
  }

  #announce(): void {
    const { name, log, onChange } = this.#options;
    const count = this.differenceCount;
    if (count === this.#announced) return;
    this.#announced = count;
    if (count > 0) log.warn({ workload: name, tools: [...this.#listDifferent()].slice(0, 10) }, "tools have changed");
    onChange?.();
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
    const known = this.#pinned.get(name);
    const before = known && {
      ...(known.definition ? { before: known.definition } : { beforeText: known.text }),
    };
    if (!this.#held.has(name)) return { name, kind: "removed", ...before };
    const offered = this.#held.get(name);
    return {
      name,
      kind: known ? "changed" : "new",
      ...(offered && { sha256: offered.sha256 }),
      ...before,
      ...(offered && (offered.definition ? { after: offered.definition } : { afterText: offered.text })),
    };
  }

  /** Differs when there is something to save. */
  #describeState(): string {
    const held = [...this.#held].map(([name, pin]) => [name, pin?.sha256]).sort();
    return JSON.stringify([this.#pinnedAt, this.#pinned.size, held, [...this.#removed].sort()]);
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
      pinned: [...this.#pinned].map(([name, pin]) => ({ name, ...recordPin(pin) })),
      held: [...this.#held].map(([name, pin]) => ({ name, ...(pin && recordPin(pin)) })),
      removed: [...this.#removed],
    };
  }
}

/** @throws {RangeError} For a definition that is too deep. */
function readPin(name: string, offered: ToolDefinition): Pin {
  const definition = pickDefinition({ ...offered, name });
  return { sha256: hashDefinition(definition), definition, text: JSON.stringify(definition) };
}

function readText(text: string): Pin {
  return { sha256: hashText(text), text };
}

type RecordedPin = Pick<PinRecord["held"][number], "definition" | "text">;

function recordPin({ sha256, definition, text }: Pin): RecordedPin & { readonly sha256: string } {
  return { sha256, ...(definition ? { definition } : { text }) };
}

function readRecorded(name: string, { definition, text }: RecordedPin): Pin | undefined {
  if (definition) return readPin(name, definition);
  return text === undefined ? undefined : readText(text);
}

/** @returns `undefined` for a definition that cannot be read. */
function readOffered({ name, definition }: OfferedTool): Pin | undefined {
  try {
    return definition && readPin(name, definition);
  } catch {
    return undefined;
  }
}

function hasRoom(pins: ReadonlyMap<string, Pin | undefined>, { text }: Pin): boolean {
  if (pins.size >= MAX_PINNED_TOOLS) return false;
  let characters = text.length;
  for (const pin of pins.values()) characters += pin?.text.length ?? 0;
  return characters <= MAX_PINNED_CHARACTERS;
}

function replaceEntries<K, V>(map: Map<K, V>, entries: ReadonlyMap<K, V>): void {
  map.clear();
  for (const [key, value] of entries) map.set(key, value);
}

function compareNames(left: { readonly name: string }, right: { readonly name: string }): number {
  return left.name < right.name ? -1 : 1;
}
