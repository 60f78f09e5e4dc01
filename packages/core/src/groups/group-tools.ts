/**
 * The tools that the user chose for a group. The user writes and reads them by the names that clients see, but such a name
 * depends on what the other servers of the group offer. The store therefore keeps the server of each tool: a choice stays valid
 * when a name changes, and a server that joins later does not become visible by having a tool of the same name.
 */
import type { ToolMembers, ToolSelection } from "../access/tool-selection.ts";
import type { GroupTool, GroupToolNames, GroupToolOverride, GroupTools } from "../ports/group-endpoint.ts";
import type { GroupRecord } from "./group-store.ts";

/** Where nothing is known of what the servers offer. */
export const NO_TOOL_NAMES: GroupToolNames = { find: () => undefined, findShown: () => undefined };

/** Binds choices of tools that no server had as soon as a server has them. */
export function bindAgain(kept: GroupTools, names: GroupToolNames): GroupTools {
  return bindGroupTools(showGroupTools(kept, names), kept, names);
}

/**
 * @param kept What was chosen before: what servers have said of their tools may be missing now, and stays known by it.
 * @returns Whose the tools are, as far as that can be known.
 */
export function bindGroupTools(
  { tools = [], tools_override = {}, find_tools }: ToolMembers,
  kept: GroupTools,
  names: GroupToolNames,
): GroupTools {
  const before = [...(kept.tools ?? []), ...(kept.overrides ?? []).map(({ server, name }) => pickTool(server, name))];
  const lost = new Map(before.filter((tool) => isLost(tool, names)).map((tool) => [formatLostName(tool), tool]));
  const bind = (name: string): GroupTool => lost.get(name) ?? names.find(name) ?? { name };
  const overrides = Object.entries(tools_override).map(([name, override]) => ({ ...bind(name), override }));
  const renamed = new Map(overrides.map((each) => [each.override.name, each]));
  const bindChosen = (name: string): GroupTool => {
    const source = renamed.get(name);
    if (source !== undefined) return source.server === undefined ? { name } : pickTool(source.server, source.name);
    const bound = bind(name);
    // The original name of a renamed tool is free, and belongs to no server.
    return findOverride(bound, overrides)?.name === undefined ? bound : { name };
  };
  return {
    ...(tools.length > 0 && { tools: listOnce(tools.map(bindChosen)) }),
    ...(overrides.length > 0 && { overrides }),
    ...(find_tools && { isFinding: true }),
  };
}

/** The selection that the rules of the endpoint receive, without tools that no server offers now. */
export function resolveGroupTools(
  { tools, overrides = [], isFinding }: GroupTools,
  names: GroupToolNames,
): ToolSelection {
  const selection = overrides.flatMap((each) => {
    const shown = findName(each, names);
    return shown === undefined ? [] : [[shown, each.override] as const];
  });
  return {
    ...(tools && { tools: tools.flatMap((tool) => findChosenName(tool, overrides, names) ?? []) }),
    ...(selection.length > 0 && { toolOverrides: Object.fromEntries(selection) }),
    ...(isFinding && { findTools: true }),
  };
}

/** The choice, by the names that clients see now; a tool that no server offers now has its full name. */
export function showGroupTools({ tools, overrides = [], isFinding }: GroupTools, names: GroupToolNames): ToolMembers {
  const show = (tool: GroupTool): string => findName(tool, names) ?? formatLostName(tool);
  return {
    ...(tools && { tools: tools.map((tool) => findOverride(tool, overrides)?.name ?? show(tool)) }),
    ...(overrides.length > 0 && {
      tools_override: Object.fromEntries(overrides.map((each) => [show(each), each.override])),
    }),
    ...(isFinding && { find_tools: true }),
  };
}

/**
 * Servers have left the group: removes the choices of their tools. A choice that names only their tools stays: without any name,
 * it would mean all tools.
 */
export function dropServers(kept: GroupTools, gone: ReadonlySet<string>): GroupTools {
  const isLeft = ({ server }: GroupTool): boolean => server === undefined || !gone.has(server);
  const { tools, overrides = [], ...others } = kept;
  const left = tools?.filter(isLeft) ?? [];
  const leftOverrides = overrides.filter(isLeft);
  return {
    ...others,
    ...(tools && { tools: left.length === 0 ? tools : left }),
    ...(leftOverrides.length > 0 && { overrides: leftOverrides }),
  };
}

/** What was chosen of the tools of a group. */
export function readChoice({ tools, tool_overrides: overrides, find_tools: isFinding }: GroupRecord): GroupTools {
  return { ...(tools && { tools }), ...(overrides && { overrides }), ...(isFinding && { isFinding }) };
}

/** The group with another choice of tools. */
export function withChoice(record: GroupRecord, { tools, overrides, isFinding }: GroupTools): GroupRecord {
  const { tools: _tools, tool_overrides: _overrides, find_tools: _finds, ...others } = record;
  return {
    ...others,
    ...(tools && { tools: [...tools] }),
    ...(overrides && { tool_overrides: [...overrides] }),
    ...(isFinding && { find_tools: true }),
  };
}

/** The group without choices of tools whose servers have left it. */
export function dropChoice(record: GroupRecord, gone: ReadonlySet<string>): GroupRecord {
  return withChoice(record, dropServers(readChoice(record), gone));
}

function findChosenName(
  tool: GroupTool,
  overrides: readonly GroupToolOverride[],
  names: GroupToolNames,
): string | undefined {
  if (tool.server === undefined && overrides.some(({ override }) => override.name === tool.name)) return tool.name;
  const shown = findName(tool, names);
  return shown === undefined ? undefined : (findOverride(tool, overrides)?.name ?? shown);
}

/** The name that clients see where it has no other one; `undefined` when no server offers it. */
function findName({ server, name }: GroupTool, names: GroupToolNames): string | undefined {
  if (server !== undefined) return names.findShown(server, name);
  const target = names.find(name);
  return target && names.findShown(target.server, target.name);
}

function findOverride(
  { server, name }: GroupTool,
  overrides: readonly GroupToolOverride[],
): GroupToolOverride["override"] | undefined {
  return server === undefined
    ? undefined
    : overrides.find((each) => each.server === server && each.name === name)?.override;
}

function isLost({ server, name }: GroupTool, names: GroupToolNames): boolean {
  return server !== undefined && names.findShown(server, name) === undefined;
}

/** A tool may have been named twice: by the name that clients see, and by its full one. */
function listOnce(tools: readonly GroupTool[]): GroupTool[] {
  // No server's name has a slash.
  return [...new Map(tools.map((tool) => [`${tool.server ?? ""}/${tool.name}`, tool])).values()];
}

function pickTool(server: string | undefined, name: string): GroupTool {
  return { ...(server !== undefined && { server }), name };
}

function formatLostName({ server, name }: GroupTool): string {
  return server === undefined ? name : formatFullName(server, name);
}

/** Between a server's name and what it offers: two, because names have single ones. */
const SEPARATOR = "__";

/** How a group can call what a server offers, whatever the others do. Also accepted where clients see the name alone. */
export function formatFullName(server: string, own: string): string {
  return `${server}${SEPARATOR}${own}`;
}
