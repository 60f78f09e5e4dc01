/** The pins of one workload, while it has any: at its endpoint, and on disk. */
import { isDeepStrictEqual } from "node:util";
import type { PinSettings } from "../access/tool-selection.ts";
import type { McpEndpoint } from "../ports/mcp-endpoint.ts";
import { ThvError } from "../support/errors.ts";
import type { AcceptedTool, PinReport } from "./pin-report.ts";
import { type ServerStart, ToolPins, type ToolPinsOptions } from "./tool-pins.ts";

export class WorkloadPins {
  readonly #options: ToolPinsOptions;
  #settings: PinSettings;
  #pins: ToolPins | undefined;
  /** The process that is connected, for pins that begin while it runs. */
  #start: ServerStart | undefined;

  constructor(options: ToolPinsOptions) {
    this.#options = options;
    this.#settings = options.settings;
    this.#pins = options.settings.mode === "off" ? undefined : new ToolPins(options);
  }

  /** How many tools differ from their pins. */
  get differenceCount(): number {
    return this.#pins?.differenceCount ?? 0;
  }

  /** What to know about them, each a sentence; empty when they hold. */
  get warnings(): readonly string[] {
    return this.#pins?.warnings ?? [];
  }

  /** The endpoint keeps to them from now on. */
  apply(endpoint: Pick<McpEndpoint, "pinTools"> | undefined): void {
    endpoint?.pinTools(this.#pins);
  }

  /**
   * @param start Called before its server is connected, so that no list passes unread.
   * @throws {ThvError} `STATE_CORRUPT`, `STATE_TOO_NEW`.
   */
  async load(start?: ServerStart): Promise<void> {
    if (start) this.#start = { ...start, isNew: false };
    if (this.#pins) await this.#pins.load(start);
    // Also for pins of earlier: what somebody turned off for a while counts no more.
    else await this.delete();
  }

  /**
   * Holds tools back by these settings from now on. What was pinned stays, until pins are turned off.
   *
   * @returns Whether they were others. @throws {ThvError} `FILE_FAILED`; `STATE_CORRUPT`, `STATE_TOO_NEW`.
   */
  async turn(settings: PinSettings): Promise<boolean> {
    if (isDeepStrictEqual(settings, this.#settings)) return false;
    if (settings.mode !== "off" && this.#pins) await this.#pins.change(settings);
    else {
      await this.delete();
      this.#pins = settings.mode === "off" ? undefined : new ToolPins({ ...this.#options, settings });
      await this.#pins?.load(this.#start);
    }
    this.#settings = settings;
    return true;
  }

  /** @throws {ThvError} As `load`. */
  async describe(): Promise<PinReport | undefined> {
    await this.#pins?.load();
    return this.#pins?.describe();
  }

  /** @throws {ThvError} As `ToolPins`; `INVALID_ARGUMENT` when its tools are not pinned. */
  async accept(asked: readonly AcceptedTool[] | undefined): Promise<PinReport> {
    await this.load();
    if (this.#pins) return await this.#pins.accept(asked);
    const { name } = this.#options;
    throw new ThvError("INVALID_ARGUMENT", `The tools of "${name}" are not pinned.`, {
      hint: `Pin them: thv tools pin ${name}`,
    });
  }

  /** Removes what is on disk. @throws {ThvError} `FILE_FAILED`. */
  async delete(): Promise<void> {
    await (this.#pins ?? new ToolPins(this.#options)).discard();
  }
}
