/**
 * The tools of one server as they were when they were seen first. What changes later is held back until somebody accepts it:
 * clients see the definition that was recorded. With `all`, a tool that is new after the first list is held back, too: clients
 * neither see nor call it.
 */
import { quote } from "@toolhive/http/values";
import type { PinSettings } from "../access/tool-selection.ts";
import { KeptWrite } from "../files/kept-write.ts";
import type { Logger } from "../ports/log.ts";
import type { OfferedTool, PinnedTools, ShownTool, ToolPage } from "../ports/mcp-endpoint.ts";
import { ThvError } from "../support/errors.ts";
import { comparePin } from "./compare-pin.ts";
import { HeldTools } from "./held-tools.ts";
import { createTextPin, type KnownPin, type Pin, readOffered } from "./pin.ts";
import type { PinRecord, PinStore } from "./pin-record.ts";
import {
  type AcceptedTool,
  compareToolNames,
  describeDifference,
  listPinWarnings,
  type PinReport,
  type ToolDifference,
} from "./pin-report.ts";
import { isWhole, MAX_TOOL_NAME, PinSet } from "./pin-set.ts";
import { MAX_PAGES, SeenPages } from "./seen-pages.ts";

export interface ToolPinsOptions {
  /** Of the workload. */
  readonly name: string;
  readonly store: PinStore;
  readonly log: Logger;
  readonly settings: PinSettings;
  /** Called when other tools are held back than before, and when the record is saved or not any more. */
  readonly onChange?: (() => void) | undefined;
}

/** The process of the server that sends the next lists. */
export interface ServerStart {
  /** Identifier of its image; `undefined` where it is unknown. */
  readonly image: string | undefined;
  /** Whether it has started just now. False: an earlier supervisor has started it, and may have seen its lists. */
  readonly isNew: boolean;
}

/** How long after its first page a list may take to its last one, where tools that are new after the list are held back. */
const FIRST_LIST_MS = 600_000;

export class ToolPins implements PinnedTools {
  readonly #options: ToolPinsOptions;
  readonly #file: KeptWrite;
  #settings: PinSettings;
  #pinnedAt: string | undefined;
  readonly #pinned = new PinSet();
  readonly #held = new HeldTools();
  #removed: ReadonlySet<string> = new Set();
  readonly #pages = new SeenPages();
  /** When the first list ends, in milliseconds. */
  #firstListUntil = 0;
  /** Digests of pages that pass as they are, while what is pinned and held stays the same. */
  readonly #settled = new Set<string>();
  #image: string | undefined;
  #isFullKnown = false;
  /** The number of differences in the last announcement. */
  #announced = 0;
  /** Settles when the record of an earlier process is read. */
  #loading: Promise<void> | undefined;

  constructor(options: ToolPinsOptions) {
    this.#options = options;
    this.#settings = options.settings;
    const { name, store, log, onChange } = options;
    this.#file = new KeptWrite({
      write: async () => {
        const record = this.#buildRecord();
        if (record) await store.save(name, record);
      },
      onFailed: (reason) => log.warn({ workload: name, reason }, "pinned tools could not be saved"),
      onChange,
    });
  }

  get holdsNew(): boolean {
    return this.#settings.mode === "all";
  }

  get mayRefuse(): boolean {
    if (this.holdsNew || this.#pinned.isFull) return true;
    return this.#settings.changedTools === "refuse" && this.#held.size > 0;
  }

  get hasList(): boolean {
    return this.#pinnedAt !== undefined;
  }

  /** How many tools differ from their pins. */
  get differenceCount(): number {
    return this.#held.size + [...this.#removed].filter((name) => !this.#held.has(name)).length;
  }

  /** What to know about the pins, each a sentence; empty when they hold. */
  get warnings(): readonly string[] {
    return listPinWarnings({ isFull: this.#isFull, unsavedReason: this.#file.unsavedReason });
  }

  /**
   * @param start Called before each new process of the server is connected.
   * @throws {ThvError} `STATE_CORRUPT`, `STATE_TOO_NEW`.
   */
  async load(start?: ServerStart): Promise<void> {
    this.#loading ??= this.#readStore();
    try {
      await this.#loading;
    } catch (error) {
      // Somebody may repair the file, so the next call reads it again.
      this.#loading = undefined;
      throw error;
    }
    if (start) this.#begin(start);
  }

  /** From now on these settings decide which tools are held back; pins stay. */
  async change(settings: PinSettings): Promise<void> {
    await this.load();
    this.#settings = settings;
    this.#firstListUntil = 0;
    this.#adopt();
    if (this.#pinnedAt !== undefined) await this.#file.save();
  }

  isSettled(digest: string): boolean {
    // A record that is not on disk is tried again with each list.
    if (this.#file.unsavedReason !== undefined) this.#file.retry();
    return this.#settled.has(digest);
  }

  review({ tools, next, digest }: ToolPage): readonly ShownTool[] {
    const before = this.#describeState();
    this.#beginRecord();
    const shown = this.#compare(tools);
    if (this.holdsNew) this.#recordPage(tools, next);
    if (this.#describeState() !== before) {
      this.#settled.clear();
      void this.#file.save();
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
    const shown = quote(tool, 200);
    const remedy = `See the difference and accept it: thv tools accept ${name}`;
    if (!this.#pinned.has(tool)) {
      if (this.holdsNew)
        return this.#isFirstList()
          ? undefined
          : `The tool ${shown} is not among the pinned tools of "${name}". If the server has it, it is new. ${remedy}`;
      return this.#pinned.isFull
        ? `The tool ${shown} of "${name}" is not recorded: the server has offered more tools than can be. Record them anew: thv tools pin ${name} --off, then thv tools pin ${name} --known`
        : undefined;
    }
    return this.#held.has(tool) && this.#settings.changedTools === "refuse"
      ? `The definition of the tool ${shown} of "${name}" has changed since it was pinned. ${remedy}`
      : undefined;
  }

  describe(): PinReport {
    const whole = [...this.#pinned.whole];
    const { unsavedReason } = this.#file;
    return {
      settings: this.#settings,
      ...(this.#pinnedAt !== undefined && { pinnedAt: this.#pinnedAt }),
      tools: whole.map(([name, { sha256 }]) => ({ name, sha256 })).sort(compareToolNames),
      hashedCount: this.#pinned.hashedCount,
      reordered: whole
        .filter(([name, { said, sha256 }]) => said !== undefined && said !== sha256 && !this.#held.has(name))
        .map(([name]) => name)
        .sort(),
      differences: this.#listDifferences(),
      isFull: this.#isFull,
      ...(unsavedReason !== undefined && { unsavedReason }),
    };
  }

  /**
   * Replaces pins by the server's present definitions. A tool that cannot be read stays held back.
   *
   * @param asked Differences as they were shown. Default: all.
   * @throws {ThvError} `TOOLS_CHANGED` when one differs from what was shown, and `FILE_FAILED`; then nothing has changed.
   */
  async accept(asked?: readonly AcceptedTool[]): Promise<PinReport> {
    const differences = this.#listDifferences();
    const accepted = asked === undefined ? differences : asked.map((tool) => this.#findDifference(tool, differences));
    const before = this.#buildRecord();
    const gone = new Set<string>();
    for (const { name, kind } of accepted) {
      const offered = this.#held.find(name);
      // A changed tool that is removed counts as changed until the next list.
      gone.add(name);
      if (kind === "removed") this.#pinned.delete(name);
      else if (offered && this.#pinned.set(name, this.#recordNow(offered))) this.#held.delete(name);
    }
    this.#removed = new Set([...this.#removed].filter((name) => !gone.has(name)));
    if (this.#pinnedAt !== undefined) this.#pinnedAt = new Date().toISOString();
    try {
      await this.#file.saveNow();
    } catch (error) {
      // The disk may contain the accepted definitions: writes the earlier record in their place.
      if (before) this.#readRecord(before);
      throw error;
    } finally {
      this.#settled.clear();
    }
    this.#announce();
    return this.describe();
  }

  /** Forgets everything, also on disk. @throws {ThvError} `FILE_FAILED`. */
  async discard(): Promise<void> {
    await this.#file.close();
    await this.#options.store.delete(this.#options.name);
  }

  async #readStore(): Promise<void> {
    const record = await this.#options.store.read(this.#options.name);
    if (record !== undefined) this.#readRecord(record);
  }

  #readRecord(record: PinRecord): void {
    this.#pinnedAt = record.pinned_at;
    this.#pinned.read(record, record.pinned_at);
    this.#held.read(record);
    this.#removed = new Set(record.removed);
    this.#adopt();
  }

  get #isFull(): boolean {
    return this.#pinned.isFull || this.#isFullKnown;
  }

  #begin({ image, isNew }: ServerStart): void {
    this.#image = image;
    this.#pages.clear();
    this.#firstListUntil = 0;
    // Pages that passed before are now read again for what this process offers.
    this.#settled.clear();
    if (isNew && this.#pinned.forgetSaid()) void this.#file.save();
  }

  /** With the first page: a list may never end. */
  #beginRecord(): void {
    if (this.#pinnedAt !== undefined) return;
    this.#pinnedAt = new Date().toISOString();
    if (this.holdsNew) this.#firstListUntil = Date.now() + FIRST_LIST_MS;
  }

  #isFirstList(): boolean {
    return Date.now() < this.#firstListUntil;
  }

  /** Adopts records from other settings: new or removed tools are no difference where these are not held back. */
  #adopt(): void {
    this.#settled.clear();
    this.#pages.clear();
    if (this.holdsNew) return;
    this.#removed = new Set();
    for (const name of [...this.#held.names]) if (!this.#pinned.has(name)) this.#held.delete(name);
  }

  #recordNow(pin: Pin): KnownPin {
    const image = this.#image;
    return { ...pin, at: new Date().toISOString(), ...(image !== undefined && { image }), said: pin.sha256 };
  }

  /**
   * Records tools that have no pin, and compares the others with theirs. Where tools that are new after the first list are not held
   * back, all are recorded as they arrive: they may depend on the caller, or on what the server does.
   */
  #compare(tools: readonly OfferedTool[]): ShownTool[] {
    // Of two with one name a client could take either, so that one which differs counts.
    const differing = new Map<string, Pin | undefined>();
    const shown = tools.map((tool): ShownTool => {
      const { name } = tool;
      const clear = readOffered(tool);
      const offered = clear ?? (tool.text === undefined ? undefined : createTextPin(tool.text));
      // Where new tools are held back, what two readers take for different things is never recorded.
      const recordable = this.holdsNew ? clear : offered;
      const isPinned = this.#pinned.has(name);
      const isRecorded = !this.holdsNew || (clear !== undefined && this.#isFirstList());
      if (!isPinned && isRecorded) return this.#record(name, recordable);
      const seen = this.#judge(name, isPinned ? offered : recordable);
      if (seen.isHeld) differing.set(name, recordable);
      return seen.shown;
    });
    for (const { name } of tools) if (!differing.has(name)) this.#held.delete(name);
    for (const [name, pin] of differing) this.#held.hold(name, pin, this.#pinned.has(name));
    return shown;
  }

  /** One that cannot be recorded could be another one later. */
  #record(name: string, offered: Pin | undefined): ShownTool {
    if (offered && name.length <= MAX_TOOL_NAME && this.#pinned.set(name, this.#recordNow(offered))) return "unchanged";
    if (!this.#isFullKnown) {
      const { name: workload, log } = this.#options;
      log.warn({ workload }, "there is no room for more tools: they are held back");
    }
    this.#isFullKnown = true;
    return "hidden";
  }

  /** Compares an offered tool with the record of its name. */
  #judge(name: string, offered: Pin | undefined): { readonly shown: ShownTool; readonly isHeld: boolean } {
    const known = this.#pinned.find(name);
    if (!known) return { shown: "hidden", isHeld: true };
    if (!isWhole(known))
      return known.sha256 === offered?.sha256
        ? { shown: "unchanged", isHeld: false }
        : { shown: "hidden", isHeld: true };
    const recorded: ShownTool = { definition: known.text };
    if (!offered) return { shown: recorded, isHeld: true };
    const found = comparePin(known, offered, this.#image);
    if (found === "more") this.#pinned.set(name, this.#recordNow(offered));
    // A definition with another date is not noted as the first one of the process: a date may change at any time.
    else if (found !== "date") this.#noteSaid(name, known, offered);
    const isHeld = found === "other";
    return { shown: isHeld || found === "order" ? recorded : "unchanged", isHeld };
  }

  #noteSaid(name: string, known: KnownPin, { sha256 }: Pin): void {
    const image = known.sha256 === sha256 ? this.#image : known.image;
    if (known.said !== undefined && known.image === image) return;
    this.#pinned.note(name, { ...known, said: known.said ?? sha256, ...(image !== undefined && { image }) });
  }

  /** With the last page: what is on none of them is no longer offered. */
  #recordPage(tools: readonly OfferedTool[], next: string | undefined): void {
    this.#pages.add(
      next,
      tools.map(({ name }) => name),
    );
    if (next !== undefined) return;
    this.#firstListUntil = 0;
    const offered = this.#pages.conclude();
    if (offered === undefined) return;
    this.#removed = new Set([...this.#pinned.whole.keys()].filter((name) => !offered.has(name)));
    // A changed tool that a list omits still differs from the one that clients know.
    for (const name of [...this.#held.names])
      if (!offered.has(name) && !this.#pinned.has(name)) this.#held.delete(name);
  }

  #announce(): void {
    const { name, log, onChange } = this.#options;
    const count = this.differenceCount;
    if (count === this.#announced) return;
    this.#announced = count;
    if (count > 0) {
      const tools = [...new Set([...this.#held.names, ...this.#removed])].slice(0, 10);
      log.warn({ workload: name, tools }, "tools have changed");
    }
    onChange?.();
  }

  #listDifferences(): ToolDifference[] {
    const names = new Set([...this.#held.names, ...this.#removed]);
    return [...names].map((name) => this.#describeDifference(name)).sort(compareToolNames);
  }

  #describeDifference(name: string): ToolDifference {
    const pin = this.#pinned.find(name);
    const known = pin && isWhole(pin) ? { known: pin } : {};
    if (!this.#held.has(name)) return describeDifference(name, { kind: "removed", ...known });
    const offered = this.#held.find(name);
    return describeDifference(name, { kind: pin ? "changed" : "new", ...known, ...(offered && { offered }) });
  }

  #findDifference({ name, sha256 }: AcceptedTool, differences: readonly ToolDifference[]): ToolDifference {
    const found = differences.find((difference) => difference.name === name);
    if (found && found.sha256 === sha256) return found;
    const shown = quote(name, 200);
    const workload = this.#options.name;
    const message = found
      ? `The tool ${shown} of "${workload}" has changed again since its difference was shown.`
      : `The tool ${shown} of "${workload}" does not differ from what was pinned.`;
    throw new ThvError("TOOLS_CHANGED", message, { hint: `See how it is now: thv tools accept ${workload}` });
  }

  /** Differs when there is something to save. */
  #describeState(): string {
    const revisions = [this.#pinned.revision, this.#held.revision];
    return JSON.stringify([this.#pinnedAt, ...revisions, this.#isFullKnown, [...this.#removed].sort()]);
  }

  #buildRecord(): PinRecord | undefined {
    if (this.#pinnedAt === undefined) return undefined;
    return {
      pinned_at: this.#pinnedAt,
      ...this.#pinned.write(),
      ...this.#held.write(),
      removed: [...this.#removed],
    };
  }
}
