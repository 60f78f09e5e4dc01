/** Which tools of a server clients see, and under which names: the members of its settings, and what changes them. */
import type { OperationAnswer } from "../../api/client.ts";
import { compareNames } from "../../store/natural-order.ts";
import type { CreateRequest } from "../pasted/source.ts";

type ToolState = OperationAnswer<"listGroupTools">["states"][number];

export type ChosenTools = Pick<CreateRequest, "tools" | "tools_override">;

/** A tool as the list of choices has it. */
export interface ChoiceRow {
  /** What clients see, or would see. */
  readonly name: string;
  /** `absent`: chosen, and the server does not have it. */
  readonly state: "offered" | "hidden" | "absent";
  /** Of a group: the server that offers it. */
  readonly server?: string;
}

/** @returns Whether only some tools are offered. An empty list is none. */
export function isNarrowed({ tools = [] }: ChosenTools): boolean {
  return tools.length > 0;
}

/** Every tool, as the API lists them: those that clients see, then those that no server has, then hidden ones. */
export function listChoices(states: readonly ToolState[]): ChoiceRow[] {
  const pick = (wanted: ToolState["state"], state: ChoiceRow["state"]) =>
    states.flatMap(({ name, server, state: each }) =>
      each === wanted ? [{ name, state, ...(server !== undefined && { server }) }] : [],
    );
  return [
    ...pick("offered", "offered"),
    ...pick("missing", "absent"),
    ...pick("hidden", "hidden").sort((left, right) => compareNames(left.name, right.name)),
  ];
}

/** @returns How many tools there are, and how many of them clients see. A name that no server has is no tool. */
export function countChoices(rows: readonly ChoiceRow[]): { readonly count: number; readonly total: number } {
  return {
    count: rows.filter(({ state }) => state === "offered").length,
    total: rows.filter(({ state }) => state !== "absent").length,
  };
}

/** @returns The server's own name of a tool that clients see. */
export function findOwnName(name: string, { tools_override: overrides = {} }: ChosenTools): string {
  return Object.entries(overrides).find(([own, override]) => (override.name ?? own) === name)?.[0] ?? name;
}

/** @returns The choice with one tool more. */
export function allowTool(chosen: ChosenTools, name: string): ChosenTools {
  return isNarrowed(chosen) ? { ...chosen, tools: [...new Set([...(chosen.tools ?? []), name])] } : chosen;
}

export function allowAllTools({ tools: _tools, ...others }: ChosenTools): ChosenTools {
  return others;
}

/** @returns The choice without a tool; `undefined` when none would remain, because an empty choice means all. */
export function denyTool(chosen: ChosenTools, listed: readonly string[], name: string): ChosenTools | undefined {
  // Without a list, the remaining one has to name everything else.
  const tools = (isNarrowed(chosen) ? (chosen.tools ?? []) : listed).filter((each) => each !== name);
  return tools.length === 0 ? undefined : { ...chosen, tools };
}

/** @returns What was given to a tool in place of the server's own; empty where nothing was. */
export function describeRename(
  chosen: ChosenTools,
  name: string,
): { readonly name: string; readonly description: string } {
  const override = readOverride(chosen.tools_override ?? {}, findOwnName(name, chosen));
  return { name: override?.name ?? "", description: override?.description ?? "" };
}

/** @param shown What clients see from now on; empty members mean the server's own. */
export function renameTool(
  chosen: ChosenTools,
  name: string,
  shown: { readonly name: string; readonly description: string },
): ChosenTools {
  const own = findOwnName(name, chosen);
  const next = shown.name === "" ? own : shown.name;
  const override = {
    ...(next !== own && { name: next }),
    ...(shown.description !== "" && { description: shown.description }),
  };
  const others = Object.entries(chosen.tools_override ?? {}).filter(([each]) => each !== own);
  return {
    ...(chosen.tools && { tools: chosen.tools.map((each) => (each === name ? next : each)) }),
    tools_override: Object.fromEntries(Object.keys(override).length > 0 ? [...others, [own, override]] : others),
  };
}

/** @returns The request with another choice; everything else stays. */
export function withTools(request: CreateRequest, { tools = [], tools_override = {} }: ChosenTools): CreateRequest {
  return { ...request, tools, tools_override };
}

export function isSameChoice(one: ChosenTools, other: ChosenTools): boolean {
  const text = ({ tools = [], tools_override = {} }: ChosenTools) => JSON.stringify([tools, tools_override]);
  return text(one) === text(other);
}

function readOverride(overrides: NonNullable<ChosenTools["tools_override"]>, own: string) {
  // The name of a tool may be any word, also one that every object has a member for.
  return Object.hasOwn(overrides, own) ? overrides[own] : undefined;
}
