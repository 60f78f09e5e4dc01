/** The rules of an endpoint while it is open: its policies stay, its choice of tools and its pins may change. */
import type { PinnedTools, ToolSelection } from "@toolhive/core";
import type { Caller } from "../messages/caller.ts";
import type { ClientMessage } from "../messages/client-message.ts";
import { type CallRules, combineRules, type Refusal } from "./call-rules.ts";
import { ListedTools, ToolChoice } from "./tool-choice.ts";

/** Pinned definitions of the tools. */
export interface PinLayer {
  readonly pins: PinnedTools;
  /** The rules with the pins behind them. */
  addTo(rules: CallRules | undefined): CallRules;
}

export class LiveRules {
  readonly #policies: CallRules | undefined;
  #selection: ToolSelection = {};
  #pinned: PinLayer | undefined;
  #others: CallRules | undefined;
  #current: CallRules | undefined;
  /** The choice and the pins, without the policies. */
  #forEverybody: CallRules | undefined;
  readonly #listed = new ListedTools();

  constructor(selection: ToolSelection, policies: CallRules | undefined) {
    this.#policies = policies;
    this.choose(selection);
  }

  /** `undefined` when everything is permitted, and no list is compared. */
  get current(): CallRules | undefined {
    return this.#current;
  }

  /** @returns Why a message does not pass; `undefined` when it does. */
  findRefusal(caller: Caller, message: ClientMessage): Refusal | undefined {
    const denied = this.#policies?.findRefusal(caller, message);
    if (denied !== undefined) return { reason: denied, status: 403 };
    const reason = this.#forEverybody?.findRefusal(caller, message);
    return reason === undefined ? undefined : { reason, status: 200 };
  }

  /** True with policies, a choice of tools or pins for all tools: messages that cannot be judged are then refused. */
  get areStrict(): boolean {
    return this.#others !== undefined || this.#pinned?.pins.holdsNew === true;
  }

  /** Whether a message of a client may be refused or changed at this moment. */
  get mayRefuse(): boolean {
    return this.areStrict || this.#pinned?.pins.mayRefuse === true;
  }

  /** Whether clients find tools instead of listing them. */
  get isFinding(): boolean {
    return this.#selection.findTools === true;
  }

  /** The server's own names of its tools; see `McpEndpoint`. */
  get listedTools(): readonly string[] | undefined {
    return this.#listed.names;
  }

  /** From now on these tools are offered, and no others. */
  choose(selection: ToolSelection): void {
    this.#selection = selection;
    this.#combine();
  }

  /** From now on tools have to match their pins. @returns Whether that may change what clients see. */
  pin(layer: PinLayer | undefined): boolean {
    const before = this.#pinned?.pins;
    const pins = layer?.pins;
    this.#pinned = layer;
    this.#combine();
    // Without a list, no client can have seen another definition.
    return pins === before ? pins?.holdsNew === true || pins?.hasList === true : true;
  }

  #combine(): void {
    const { tools, toolOverrides: overrides } = this.#selection;
    const isChosen = tools !== undefined || overrides !== undefined;
    if (!isChosen) this.#listed.forget();
    // What policies hide from a caller, and pins from everybody, is not named.
    const mayGuess = () => this.#policies === undefined && this.#pinned?.pins.holdsNew !== true;
    const choice = isChosen ? [new ToolChoice({ tools, overrides, listed: this.#listed, mayGuess })] : [];
    this.#others = combineRules([...choice, ...(this.#policies ? [this.#policies] : [])]);
    const addPins = (rules: CallRules | undefined) => (this.#pinned ? this.#pinned.addTo(rules) : rules);
    this.#current = addPins(this.#others);
    this.#forEverybody = addPins(combineRules(choice));
  }
}
