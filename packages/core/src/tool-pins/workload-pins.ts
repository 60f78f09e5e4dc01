/** The pins of one workload, while it has any: at its endpoint, and on disk. */
import type { McpEndpoint } from "../ports/mcp-endpoint.ts";
import { ThvError } from "../support/errors.ts";
import { type AcceptedTool, type PinReport, ToolPins, type ToolPinsOptions } from "./tool-pins.ts";

export interface WorkloadPinsOptions extends ToolPinsOptions {
  /** Whether its tools are pinned from the beginning. */
  readonly isOn: boolean;
}

export class WorkloadPins {
  readonly #options: ToolPinsOptions;
  #pins: ToolPins | undefined;

  constructor({ isOn, ...options }: WorkloadPinsOptions) {
    this.#options = options;
    this.#pins = isOn ? new ToolPins(options) : undefined;
  }

  /** The endpoint keeps to them from now on. */
  apply(endpoint: Pick<McpEndpoint, "pinTools"> | undefined): void {
    endpoint?.pinTools(this.#pins);
  }

  /** Before its server is connected, so that no list passes unseen. @throws {ThvError} `STATE_CORRUPT`, `STATE_TOO_NEW`. */
  async load(): Promise<void> {
    await this.#pins?.load();
  }

  /** Pins anew with the next list, or forgets what was pinned. @returns Whether it was otherwise. @throws {ThvError} `FILE_FAILED`. */
  async turn(isOn: boolean): Promise<boolean> {
    if (isOn === (this.#pins !== undefined)) return false;
    // Also for pins of earlier: what somebody turned off for a while counts no more.
    await (this.#pins ?? new ToolPins(this.#options)).discard();
    this.#pins = isOn ? new ToolPins(this.#options) : undefined;
    await this.#pins?.load();
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
