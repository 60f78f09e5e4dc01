/** The rules of an endpoint while it is open: its policies stay, and its choice of tools may change. */
import type { ToolSelection } from "@toolhive/core";
import { type CallRules, combineRules } from "./call-rules.ts";
import { ToolChoice } from "./tool-choice.ts";

export class LiveRules {
  readonly #policies: CallRules | undefined;
  #current: CallRules | undefined;

  constructor(selection: ToolSelection, policies: CallRules | undefined) {
    this.#policies = policies;
    this.choose(selection);
  }

  /** `undefined` when everything is permitted. */
  get current(): CallRules | undefined {
    return this.#current;
  }

  /** From now on these tools are offered, and no others. */
  choose({ tools, toolOverrides: overrides }: ToolSelection): void {
    const isChosen = tools !== undefined || overrides !== undefined;
    const choice = isChosen ? [new ToolChoice({ tools, overrides })] : [];
    this.#current = combineRules([...choice, ...(this.#policies ? [this.#policies] : [])]);
  }
}
