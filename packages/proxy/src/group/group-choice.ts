/** Which tools of its servers a group offers, and by which names. */
import { type GroupToolNames, type GroupTools, resolveGroupTools, type ToolSelection } from "@toolhive/core";
import { ToolChoice } from "../authz/tool-choice.ts";
import type { HiddenOffer } from "./catalog/catalog.ts";

export class GroupChoice {
  #chosen: GroupTools;
  /** The same by the names of the catalog. */
  #applied = new ToolChoice({});
  #selectionText = "{}";
  /** Names that tools were given in place of the catalog's. */
  #givenNames: ReadonlySet<string | undefined> = new Set();

  constructor(chosen: GroupTools) {
    this.#chosen = chosen;
  }

  /** From the next {@link apply} on. */
  replace(chosen: GroupTools): void {
    this.#chosen = chosen;
  }

  /** Whether clients see a tool of the catalog. */
  offers(shown: string): boolean {
    return this.#applied.offers(shown);
  }

  /** @returns By which name clients see a tool of the catalog. */
  rename(shown: string): string {
    return this.#applied.rename(shown);
  }

  /** Whether a tool was given this name, which may read like the full name of another. */
  isGiven(name: string): boolean {
    return this.#givenNames.has(name);
  }

  /** A tool that was not chosen is not named either. */
  mayName({ server, list, name }: HiddenOffer): boolean {
    const { tools } = this.#chosen;
    return (
      list !== "tools" || tools === undefined || tools.some((tool) => tool.server === server && tool.name === name)
    );
  }

  /**
   * Applies the choice to a catalog.
   *
   * @returns What is offered by the catalog's names, and whether that is other than before.
   */
  apply(names: GroupToolNames): {
    readonly selection: ToolSelection;
    readonly isOther: boolean;
  } {
    const selection = resolveGroupTools(this.#chosen, names);
    const { tools, toolOverrides: overrides } = selection;
    const text = JSON.stringify(selection);
    const isOther = text !== this.#selectionText;
    this.#selectionText = text;
    this.#applied = new ToolChoice({ tools, overrides });
    this.#givenNames = new Set(Object.values(overrides ?? {}).map(({ name }) => name));
    return { selection, isOther };
  }
}
