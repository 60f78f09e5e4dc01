/** The rules of an endpoint while it is open: its policies stay, its choice of tools and its pins may change. */
import type { ToolSelection } from "@toolhive/core";
import { type CallRules, combineRules } from "./call-rules.ts";
import { ToolChoice } from "./tool-choice.ts";

/** Rules with the pinned definitions of the tools behind them. */
type AddPins = (rules: CallRules | undefined) => CallRules;

export class LiveRules {
  readonly #policies: CallRules | undefined;
  #selection: ToolSelection = {};
  /** What puts pinned definitions behind the other rules; `undefined` while nothing is pinned. */
  #pin: AddPins | undefined;
  #current: CallRules | undefined;

  constructor(selection: ToolSelection, policies: CallRules | undefined) {
    this.#policies = policies;
    this.choose(selection);
  }

  /** `undefined` when everything is permitted. */
  get current(): CallRules | undefined {
    return this.#current;
  }

  /** Whether clients find tools instead of listing them. */
  get isFinding(): boolean {
    return this.#selection.findTools === true;
  }

  /** From now on these tools are offered, and no others. */
  choose(selection: ToolSelection): void {
    this.#selection = selection;
    this.#combine();
  }

  /** From now on tools are held to what was pinned. @returns Whether that may change what clients see. */
  pin(pin: AddPins | undefined): boolean {
    const mayMatter = (pin ?? this.#pin) !== undefined;
    this.#pin = pin;
    this.#combine();
    return mayMatter;
  }

  #combine(): void {
    const { tools, toolOverrides: overrides } = this.#selection;
    const isChosen = tools !== undefined || overrides !== undefined;
    const choice = isChosen ? [new ToolChoice({ tools, overrides })] : [];
    const rules = combineRules([...choice, ...(this.#policies ? [this.#policies] : [])]);
    this.#current = this.#pin ? this.#pin(rules) : rules;
  }
}
