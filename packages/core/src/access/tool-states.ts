/** Each tool of a server, and whether its clients see it. */
import type { ToolSelection } from "./tool-selection.ts";

/** `missing`: it was chosen, and no server has it. */
export const TOOL_STATES = ["offered", "hidden", "missing"] as const;

export interface ToolState {
  /** What clients see, or would see. */
  readonly name: string;
  /** The server's own name; of a missing tool the same as `name`. */
  readonly own: string;
  /** Whose it is, in a group; absent of a missing tool. */
  readonly server?: string;
  readonly state: (typeof TOOL_STATES)[number];
  /** Of a hidden tool, where it is known. */
  readonly description?: string | undefined;
}

/**
 * @param offered What clients see now, in their order.
 * @param listed The server's own names, as far as they are known.
 * @returns Offered tools first, then hidden ones, then those that are missing.
 */
export function describeToolStates(
  offered: readonly string[],
  listed: readonly string[],
  { tools, toolOverrides = {} }: ToolSelection,
): ToolState[] {
  const owns = new Map(Object.entries(toolOverrides).map(([own, { name = own }]) => [name, own]));
  const seen = new Set(offered);
  const chosen = tools && new Set(tools);
  const hidden = listed
    .map((own) => ({ own, name: readName(toolOverrides, own) }))
    .filter(({ name }) => !seen.has(name) && chosen?.has(name) === false);
  return [
    ...offered.map((name) => ({ name, own: owns.get(name) ?? name, state: "offered" as const })),
    ...hidden.map(({ name, own }) => ({ name, own, state: "hidden" as const })),
    ...listMissing(tools, seen),
  ];
}

/** @param offered What clients see now, or would see. */
export function listMissing(chosen: readonly string[] = [], offered: ReadonlySet<string>): ToolState[] {
  return chosen.filter((name) => !offered.has(name)).map((name) => ({ name, own: name, state: "missing" as const }));
}

/** Chosen tools that a server does not have. @param listed The server's own names; `undefined` while they are not known. */
export function listMissingTools(
  listed: readonly string[] | undefined,
  { tools, toolOverrides = {} }: ToolSelection,
): string[] {
  if (listed === undefined) return [];
  return listMissing(tools, new Set(listed.map((own) => readName(toolOverrides, own)))).map(({ name }) => name);
}

function readName(overrides: NonNullable<ToolSelection["toolOverrides"]>, own: string): string {
  // The name of a tool may be any word, also one that every object has a member for.
  return (Object.hasOwn(overrides, own) ? overrides[own]?.name : undefined) ?? own;
}
