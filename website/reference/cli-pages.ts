/** One page for each command and group of `thv`, from the definitions that parse its arguments and print its help. */
import {
  COMMAND_GROUPS,
  COMMANDS,
  GLOBAL_FLAGS,
  HELP_FLAG,
  isShown,
  listSections,
  listShownFlags,
  usageLine,
} from "@toolhive/cli/commands";
import { JSON_SAMPLES } from "@toolhive/cli/json-samples";
import { ENVIRONMENT_VARIABLES, EXIT_CODES, TOPICS } from "@toolhive/cli/topics";
import { BRAND } from "@toolhive/core/brand";
import { askWhich } from "./ask-questions.ts";
import { argumentTable, flagTable } from "./cli-tables.ts";
import { commandText } from "./command-words.ts";
import { blocks, code, fence, pageHead, table } from "./markdown.ts";

type Command = (typeof COMMANDS)[number];
type Group = (typeof COMMAND_GROUPS)[number];
type Node = Command | Group;

export interface GeneratedPage {
  /** Below `docs/toolhive/reference/`. */
  readonly path: string;
  readonly content: string;
  /** Questions that the page answers, made from its subject; those of `data/page-questions.json` replace them. */
  readonly questions?: readonly string[];
  /** Questions that its sections answer, by the anchors of the sections; those of the data are added. */
  readonly sectionQuestions?: Readonly<Record<string, readonly string[]>>;
}

const NO_RUN = 'norun="Works on servers of your own; the guides run these commands"';
/** Commands that act on the same thing, in the order of a server's life. */
const LIFE = ["run", "list", "logs", "stop", "restart", "rm"];

const nodes: readonly Node[] = [...COMMANDS.filter(isShown), ...COMMAND_GROUPS].sort((left, right) =>
  name(left) < name(right) ? -1 : 1,
);

export function cliPages(): GeneratedPage[] {
  return [rootPage(), ...nodes.map((node) => ("load" in node ? commandPage(node) : groupPage(node)))];
}

function name({ path }: Pick<Node, "path">): string {
  return [BRAND.command, ...path].join(" ");
}

function nameFile({ path }: Pick<Node, "path">): string {
  return `${[BRAND.command, ...path].join("_")}.mdx`;
}

function link(node: Node): string {
  return `[${code(name(node))}](./${nameFile(node)})`;
}

/** One line of a list: what it is called, and what it is for. */
function pointTo(node: Node): string {
  return `- ${link(node)}: ${commandText(node.summary.slice(0, 1).toLowerCase() + node.summary.slice(1))}`;
}

function listChildren({ path }: Pick<Node, "path">): Node[] {
  return nodes.filter(
    (node) => node.path.length === path.length + 1 && path.every((word, index) => node.path[index] === word),
  );
}

function rootPage(): GeneratedPage {
  return {
    path: `cli/${BRAND.command}.mdx`,
    content: blocks(
      pageHead({
        title: `${BRAND.command}: the command reference`,
        sidebarLabel: "Command reference",
        description: `Every command of the ${BRAND.product} CLI, its global options, exit codes and environment variables.`,
        keywords: ["cli", "command", "reference", "options", "exit code", "environment variable"],
      }),
      `${code(BRAND.command)} runs MCP servers in containers and makes them available to MCP clients on this machine.`,
      fence("text", 'title="Usage"', `${BRAND.command} COMMAND [flags]`),
      "## Commands",
      table(
        ["Command", "What it does"],
        nodes.filter((node) => "load" in node).map((node) => [link(node), commandText(node.summary)]),
      ),
      "## Options of every command",
      flagTable([...GLOBAL_FLAGS, HELP_FLAG]),
      "## How arguments are read",
      "Options can be given as `--name value` or `--name=value`, before or after other arguments. Short options can be joined with their value. After `--`, every word is an argument. For `thv run`, these are the server's arguments.",
      "Results go to standard output, everything else to standard error. An error is one line with the reason, a hint if there is one, and a nonzero exit code.",
      "## Topics",
      `The built-in help covers these topics: ${TOPICS.map((topic) => code(`${BRAND.command} help ${topic.name}`)).join(", ")}.`,
      "## Exit codes",
      table(["Code", "Meaning"], Object.entries(EXIT_CODES)),
      "Each error has an entry in the [error catalogue](../errors.mdx).",
      "## Environment variables",
      table(
        ["Variable", "Meaning"],
        ENVIRONMENT_VARIABLES.map((variable) => [code(variable.name), commandText(variable.meaning)]),
      ),
    ),
  };
}

function head(node: Node, what: string, more: readonly string[] = []): string {
  return pageHead({
    title: name(node),
    sidebarLabel: node.path.at(-1) ?? BRAND.command,
    description: `${node.summary}: ${what} of ${name(node)} in the ${BRAND.product} CLI.`.slice(0, 155),
    keywords: [...node.path, "cli", "command", ...more],
  });
}

const RANKS: Readonly<Record<string, number>> = { service: -3, edit: -3, run: 0.5 };

/**
 * A reader who searches for installing means the program, not its service; a reader who looks up a flag of several commands wants
 * the one that starts a server, and not `thv edit`, which has the same flags.
 */
function rankForSearch({ path }: Node): string | undefined {
  const rank = RANKS[path[0] ?? ""] ?? 0;
  return rank === 0 ? undefined : `<head>\n  <meta name="docsearch:pageRank" content="${rank}" />\n</head>`;
}

function groupPage(group: Group): GeneratedPage {
  return {
    path: `cli/${nameFile(group)}`,
    questions: askWhich("command", group.summary),
    content: blocks(
      head(group, "the commands, with what each does,"),
      rankForSearch(group),
      `${commandText(group.summary)}.`,
      fence("text", 'title="Usage"', `${name(group)} COMMAND [flags]`),
      group.description === undefined ? undefined : blocks("## Synopsis", commandText(group.description)),
      "## Commands",
      listChildren(group).map(pointTo).join("\n"),
      "## Options",
      flagTable([HELP_FLAG]),
      "## Options of every command",
      flagTable(GLOBAL_FLAGS),
      "## See also",
      parentPointer(group),
    ),
  };
}

/** The sections of its help, each with all of its options. */
function optionTables(command: Command): string[] {
  return listSections(command, [HELP_FLAG])
    .filter(({ flags, rare }) => flags.length + rare.length > 0)
    .flatMap(({ title, flags, rare }) => [
      ...(title === undefined ? [] : [`### ${title}`]),
      flagTable([...flags, ...rare]),
    ]);
}

function commandPage(command: Command): GeneratedPage {
  const flags = listShownFlags(command);
  const hasArguments = command.positionals.length > 0 || command.takesRest === true;
  const sample = JSON_SAMPLES[command.path.join(" ")];
  const children = listChildren(command);
  return {
    path: `cli/${nameFile(command)}`,
    questions: askWhich("command", command.summary),
    content: blocks(
      head(command, "usage, options with defaults, and examples", [
        ...(command.aliases ?? []).map((alias) => name({ path: [...command.path.slice(0, -1), alias] })),
        ...flags.map((flag) => `--${flag.name}`),
      ]),
      rankForSearch(command),
      `${commandText(command.summary)}.`,
      fence("text", 'title="Usage"', usageLine(command)),
      command.description === undefined ? undefined : blocks("## Synopsis", commandText(command.description)),
      hasArguments ? blocks("## Arguments", argumentTable(command)) : undefined,
      children.length > 0 ? blocks("## Commands", children.map(pointTo).join("\n")) : undefined,
      "## Options",
      ...optionTables(command),
      "## Options of every command",
      flagTable(GLOBAL_FLAGS),
      "## Examples",
      ...command.examples.map((example) =>
        blocks(`${commandText(example.summary)}:`, fence("bash", NO_RUN, example.command)),
      ),
      sample === undefined ? undefined : jsonSection(sample),
      "## See also",
      [parentPointer(command), ...relatives(command).map(pointTo)].join("\n"),
    ),
  };
}

function jsonSection({ value, optional = [], dryRun }: (typeof JSON_SAMPLES)[string]): string {
  const written = optional.filter((member) => JSON.stringify(value).includes(`"${member}"`));
  return blocks(
    "## JSON output",
    "With `--format json`, the output has these fields. New fields can be added, but none are removed.",
    fence("json", "", JSON.stringify(value, null, 2)),
    written.length === 0 ? undefined : `Optional fields: ${written.map(code).join(", ")}.`,
    dryRun === undefined
      ? undefined
      : blocks("With `--dry-run` as well, it has these fields:", fence("json", "", JSON.stringify(dryRun, null, 2))),
  );
}

function parentPointer({ path }: Node): string {
  const parent = nodes.find((node) => name(node) === name({ path: path.slice(0, -1) }));
  return parent ? pointTo(parent) : `- [${code(BRAND.command)}](./${BRAND.command}.mdx): exit codes and variables`;
}

/** Commands beside it: in the order of a server's life, or in the same group. */
function relatives(command: Command): Node[] {
  const position = LIFE.indexOf(command.path[0] ?? "");
  if (command.path.length === 1 && position !== -1) {
    return [LIFE[position - 1], LIFE[position + 1]].flatMap((word) =>
      nodes.filter((node) => name(node) === `${BRAND.command} ${word}`),
    );
  }
  if (command.path.length === 1) return [];
  return listChildren({ path: command.path.slice(0, -1) }).filter((node) => node !== command);
}
