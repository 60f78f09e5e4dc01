/** Which tools of a server clients see, and under which names: the members of its settings, and what changes them. */
import type { CreateRequest } from "../add/source.ts";

export type ChosenTools = Pick<CreateRequest, "tools" | "tools_override">;

/** A tool as the list of choices has it. */
export interface ChoiceRow {
  /** What clients see, or would see. */
  readonly name: string;
  /** `absent`: chosen, and the server does not have it. */
  readonly state: "offered" | "hidden" | "absent";
}

/** @returns Whether only some tools are offered. An empty list is none. */
export function isNarrowed({ tools = [] }: ChosenTools): boolean {
  return tools.length > 0;
}

/**
 * @param listed What clients are told now. @param known Names that were seen before, or that the registry knows.
 * @returns In the order of the list, then what was chosen and is missing, then what is hidden.
 */
export function listChoices(listed: readonly string[], known: Iterable<string>, chosen: ChosenTools): ChoiceRow[] {
  const offered = new Set(listed);
  const absent = (chosen.tools ?? []).filter((name) => !offered.has(name));
  // Where everything is offered, what is not listed is not there.
  const hidden = isNarrowed(chosen)
    ? [...new Set([...known].map((own) => showName(own, chosen)))].filter(
        (name) => !offered.has(name) && !absent.includes(name),
      )
    : [];
  return [
    ...[...offered].map((name) => ({ name, state: "offered" as const })),
    ...absent.map((name) => ({ name, state: "absent" as const })),
    ...hidden.sort().map((name) => ({ name, state: "hidden" as const })),
  ];
}

/** @returns The name that clients see of a tool, by the server's own. */
export function showName(own: string, { tools_override: overrides = {} }: ChosenTools): string {
  return readOverride(overrides, own)?.name ?? own;
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

/** @returns The choice without a tool; `undefined` when none would be left, because an empty choice stands for all. */
export function denyTool(chosen: ChosenTools, listed: readonly string[], name: string): ChosenTools | undefined {
  // Without a list, the one that is left has to name everything else.
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

/** @param shown What clients see from now on; empty members stand for the server's own. */
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

interface KnownServer {
  readonly image?: string;
  readonly url?: string;
  readonly tools: readonly string[];
}

/** @returns The tools that the registry knows of a server, by its image, whatever the tag, or by its address. */
export function findRegistryTools(entries: readonly KnownServer[], source: string): readonly string[] {
  const wanted = withoutTag(source);
  return (
    entries.find(({ image, url }) => url === source || (image !== undefined && withoutTag(image) === wanted))?.tools ??
    []
  );
}

function withoutTag(image: string): string {
  const [name = ""] = image.split("@", 1);
  const colon = name.lastIndexOf(":");
  // A colon before the last slash is that of a port.
  return colon > name.lastIndexOf("/") ? name.slice(0, colon) : name;
}

function readOverride(overrides: NonNullable<ChosenTools["tools_override"]>, own: string) {
  // The name of a tool may be any word, also one that every object has a member for.
  return Object.hasOwn(overrides, own) ? overrides[own] : undefined;
}
