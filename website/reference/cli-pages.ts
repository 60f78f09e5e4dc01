/** One page per command of `thv`, from the definitions that parse its arguments and print its help. */
import { COMMANDS, isShown } from "@toolhive/cli/commands";
import { ENVIRONMENT_VARIABLES, EXIT_CODES } from "@toolhive/cli/topics";
import { BRAND } from "@toolhive/core/brand";
import { blocks, code, fence, pageHead, table, text } from "./markdown.ts";

type Command = (typeof COMMANDS)[number];
type Flag = Command["flags"][number];

export interface GeneratedPage {
  /** Below `docs/toolhive/reference/`. */
  readonly path: string;
  readonly content: string;
}

const NO_RUN = 'norun="Works on servers of your own; the guides run these commands"';
const HELP: Flag = { name: "help", short: "h", kind: "bool", summary: "Show the command's help" };
const DEBUG: Flag = { name: "debug", kind: "bool", summary: "Show causes and stacks of errors, and log in detail" };

export function cliPages(): GeneratedPage[] {
  const commands = COMMANDS.filter(isShown).sort((left, right) => (name(left) < name(right) ? -1 : 1));
  return [rootPage(commands), ...commands.map((command) => commandPage(command, commands))];
}

const name = (command: Command) => [BRAND.command, ...command.path].join(" ");
const slug = (command: Command) => [BRAND.command, ...command.path].join("_");
const link = (command: Command) => `[${code(name(command))}](./${slug(command)}.mdx)`;

function rootPage(commands: readonly Command[]): GeneratedPage {
  return {
    path: `cli/${BRAND.command}.mdx`,
    content: blocks(
      pageHead({
        title: `${BRAND.command}: the command reference`,
        sidebarLabel: BRAND.command,
        description: `Every command of the ${BRAND.product} CLI, its global options, exit codes and environment variables.`,
        keywords: ["cli", "command", "reference", "options", "exit code", "environment variable"],
      }),
      `${code(BRAND.command)} runs MCP servers in containers and offers them to MCP clients on this machine.`,
      fence("text", 'title="Usage"', `${BRAND.command} COMMAND [flags]`),
      "## Commands",
      table(
        ["Command", "What it does"],
        commands.map((command) => [link(command), text(command.summary)]),
      ),
      "## Options of every command",
      flagTable([DEBUG, HELP]),
      "## How arguments are read",
      "Options can be given as `--name value` or `--name=value`, before or after other arguments. Short options can be joined with their value. After `--`, every word is an argument for the server.",
      "Results go to standard output, everything else to standard error. A failure is one line with the reason, a hint where there is one, and an exit code that is not 0.",
      "## Exit codes",
      table(["Code", "Meaning"], Object.entries(EXIT_CODES)),
      "Each error has an entry in the [error catalogue](../errors.mdx).",
      "## Environment variables",
      table(
        ["Variable", "Meaning"],
        ENVIRONMENT_VARIABLES.map(({ name, meaning }) => [code(name), text(meaning)]),
      ),
    ),
  };
}

function commandPage(command: Command, commands: readonly Command[]): GeneratedPage {
  const flags = command.flags.filter(({ hidden }) => !hidden);
  const neighbors = commands.filter((other) => other !== command).slice(0, 100);
  return {
    path: `cli/${slug(command)}.mdx`,
    content: blocks(
      pageHead({
        title: name(command),
        description:
          `${command.summary}: usage, options with defaults, and examples of ${name(command)} in the ${BRAND.product} CLI.`.slice(
            0,
            155,
          ),
        keywords: [...command.path, "cli", "command", ...flags.map((flag) => `--${flag.name}`)],
      }),
      `${text(command.summary)}.`,
      fence("text", 'title="Usage"', usage(command)),
      command.description === undefined ? undefined : text(command.description),
      command.positionals.length + (command.takesRest ? 1 : 0) === 0 ? undefined : "## Arguments",
      command.positionals.length + (command.takesRest ? 1 : 0) === 0 ? undefined : argumentTable(command),
      "## Options",
      flagTable([...flags, DEBUG, HELP]),
      "## Examples",
      ...command.examples.map((example) => blocks(`${text(example.summary)}:`, fence("bash", NO_RUN, example.command))),
      "## See also",
      [
        `- [${code(BRAND.command)}](./${BRAND.command}.mdx), for exit codes and environment variables`,
        ...related(command, neighbors),
      ].join("\n"),
    ),
  };
}

/** Commands that act on the same thing, in the order of a server's life. */
const LIFE = ["run", "list", "logs", "stop", "restart", "rm"];

function related(command: Command, commands: readonly Command[]): string[] {
  const position = LIFE.indexOf(command.path[0] ?? "");
  if (position === -1) return [];
  return [LIFE[position - 1], LIFE[position + 1]].flatMap((word) => {
    const other = commands.find((candidate) => candidate.path.length === 1 && candidate.path[0] === word);
    return other === undefined ? [] : [`- ${link(other)}: ${text(lowerFirst(other.summary))}`];
  });
}

function lowerFirst(value: string): string {
  return value.slice(0, 1).toLowerCase() + value.slice(1);
}

function usage(command: Command): string {
  const words = command.positionals.map((positional) =>
    positional.isOptional ? `[${positional.name}]` : positional.name,
  );
  return [name(command), "[flags]", ...words, ...(command.takesRest ? ["[-- ARGS...]"] : [])].join(" ");
}

const ARGUMENTS: Readonly<Record<string, string>> = {
  WORKLOAD: "Name of the server, as the list shows it",
  IMAGE: "Reference of the container image",
};

function argumentTable(command: Command): string {
  const rows = command.positionals.map((positional) => [
    code(positional.name),
    positional.isOptional ? "No" : "Yes",
    ARGUMENTS[positional.name] ?? "",
  ]);
  if (command.takesRest) rows.push([code("ARGS"), "No", "Arguments for the server, in place of the image's own"]);
  return table(["Argument", "Required", "Meaning"], rows);
}

const FLAG_KINDS: Readonly<Record<Flag["kind"], string>> = {
  bool: "switch",
  string: "text",
  int: "number",
  float: "number",
  duration: "duration",
  stringArray: "text, repeatable",
  strings: "texts, repeatable or with commas",
};

function flagTable(flags: readonly Flag[]): string {
  return table(
    ["Option", "Short", "Type", "Default", "Meaning"],
    flags.map((flag) => [
      `<span id="option-${flag.name}">${code(`--${flag.name}`)}</span>`,
      flag.short === undefined ? "" : code(`-${flag.short}`),
      FLAG_KINDS[flag.kind],
      flag.default === undefined ? "" : code(String(flag.default)),
      text(flag.summary) + (flag.values === undefined ? "" : `. One of: ${flag.values.map(code).join(", ")}`),
    ]),
  );
}
