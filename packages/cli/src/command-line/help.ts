/** Help texts, made from the command data and wrapped to the width of the terminal. */
import { BRAND } from "@toolhive/core/brand";
import { termRows, wrap } from "../terminal/wrap.ts";
import {
  type Command,
  type CommandGroup,
  type CommandTree,
  isSamePath,
  listChildren,
  type TopicName,
} from "./command.ts";
import { GLOBAL_FLAGS, HELP_FLAG, listSections, type NamedFlag, VALUE_NAMES } from "./flag.ts";

/**
 * Help for what is at the path; for the root when it is empty.
 *
 * @param width Columns; lines break at spaces.
 * @param options `isWhole`: whether rare flags are shown, too.
 */
export function helpFor(
  path: readonly string[],
  tree: CommandTree,
  width: number,
  { isWhole = false }: { readonly isWhole?: boolean } = {},
): string {
  const command = tree.commands.find((candidate) => isSamePath(candidate.path, path));
  if (command) return commandHelp(command, { width, isWhole }, listChildren(path, tree));
  const group = tree.groups.find((candidate) => isSamePath(candidate.path, path));
  return group ? groupHelp(group, listChildren(path, tree), width) : rootHelp(tree, width);
}

function rootHelp(tree: CommandTree, width: number): string {
  return [
    wrap(`${BRAND.command} runs MCP servers in containers and offers them to your MCP clients.`, width),
    "",
    "Usage:",
    `  ${BRAND.command} COMMAND [flags]`,
    ...childRows(listChildren([], tree), width),
    ...topicRows(tree.topics ?? [], width),
    "",
    "Flags:",
    ...flagRows([...GLOBAL_FLAGS, HELP_FLAG], width),
    "",
    wrap(`Start with: ${BRAND.command} run --name everything mcp/everything`, width),
    "",
  ].join("\n");
}

function groupHelp(group: CommandGroup, children: readonly (Command | CommandGroup)[], width: number): string {
  const words = [BRAND.command, ...group.path].join(" ");
  return [
    wrap(group.description ?? group.summary, width),
    "",
    "Usage:",
    `  ${words} COMMAND [flags]`,
    ...childRows(children, width),
    "",
    "Flags:",
    ...flagRows([...GLOBAL_FLAGS, HELP_FLAG], width),
    "",
    wrap(`Read about one: ${words} COMMAND --help`, width),
    "",
  ].join("\n");
}

function childRows(children: readonly (Command | CommandGroup)[], width: number): string[] {
  if (children.length === 0) return [];
  const rows = children.map(({ path, summary }) => [path.at(-1) ?? "", summary] as const);
  const sorted = rows.sort(([left], [right]) => (left < right ? -1 : 1));
  return ["", "Commands:", ...termRows(sorted, width)];
}

function topicRows(topics: readonly TopicName[], width: number): string[] {
  if (topics.length === 0) return [];
  const rows = topics.map(({ name, summary }) => [name, summary] as const);
  return ["", "Topics, for thv help TOPIC (or an error code):", ...termRows(rows, width)];
}

interface Shape {
  readonly width: number;
  readonly isWhole: boolean;
}

function commandHelp(
  command: Command,
  { width, isWhole }: Shape,
  children: readonly (Command | CommandGroup)[],
): string {
  const examples = command.examples.flatMap(({ summary, command: line }) => [
    wrap(summary, width, "  # ", "  # "),
    `  ${line}`,
  ]);
  return [
    wrap(command.description ?? command.summary, width),
    ...(command.replacedBy ? ["", wrap(`Use instead: ${BRAND.command} ${command.replacedBy.join(" ")}`, width)] : []),
    "",
    "Usage:",
    `  ${usageLine(command)}`,
    ...argumentRows(command, width),
    ...(examples.length > 0 ? ["", "Examples:", ...examples] : []),
    ...childRows(children, width),
    ...sectionRows(command, { width, isWhole }),
    "",
  ].join("\n");
}

function sectionRows(command: Command, { width, isWhole }: Shape): string[] {
  const sections = listSections(command, [...GLOBAL_FLAGS, HELP_FLAG]);
  const hidden = isWhole ? 0 : sections.reduce((count, { rare }) => count + rare.length, 0);
  const rows = sections.flatMap(({ title, flags, rare }) => {
    const shown = isWhole ? [...flags, ...rare] : flags;
    return shown.length === 0 ? [] : ["", wrap(`${title ?? "Flags"}:`, width), ...flagRows(shown, width)];
  });
  if (hidden === 0) return rows;
  const words = [BRAND.command, ...command.path].join(" ");
  return [...rows, "", wrap(`${hidden} more flags are seldom needed. Show them, too: ${words} --help all`, width)];
}

function argumentRows({ positionals, takesRest, restSummary = "" }: Command, width: number): string[] {
  const rows = positionals.map(({ name, summary, values }) => {
    const choices = values ? `: ${values.join(" or ")}` : "";
    return [name, `${summary}${choices}`] as const;
  });
  if (takesRest) rows.push(["ARGS", restSummary]);
  return rows.length === 0 ? [] : ["", "Arguments:", ...termRows(rows, width)];
}

export function usageLine({ path, positionals, takesRest }: Command): string {
  const words = positionals.map(({ name, isOptional, isRepeated }) => {
    const word = `${name}${isRepeated ? "..." : ""}`;
    return isOptional ? `[${word}]` : word;
  });
  return [BRAND.command, ...path, "[flags]", ...words, ...(takesRest ? ["[-- ARGS...]"] : [])].join(" ");
}

function flagRows(flags: readonly NamedFlag[], width: number): string[] {
  const sorted = [...flags].sort((left, right) => (left.name < right.name ? -1 : 1));
  const rows = sorted.map((flag) => {
    const short = flag.short ? `-${flag.short}, ` : "    ";
    const value = flag.kind === "bool" ? "" : ` ${VALUE_NAMES[flag.kind]}`;
    const values = flag.values && flag.values.length > 1 ? `: ${flag.values.join(" or ")}` : "";
    const facts = [
      flag.isRequired ? "required" : undefined,
      flag.default === undefined ? undefined : `default ${flag.default}`,
      flag.env === undefined ? undefined : `environment ${flag.env}`,
    ].filter((fact) => fact !== undefined);
    const suffix = facts.length === 0 ? "" : ` (${facts.join(", ")})`;
    return [`${short}--${flag.name}${value}`, `${flag.summary}${values}${suffix}`] as const;
  });
  return termRows(rows, width);
}
