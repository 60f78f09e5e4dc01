/** A command, a flag or an operation of the API by its name, from what help and reference are made from. */
import { BRAND } from "@toolhive/core/brand";
import { findNearest } from "@toolhive/core/nearest";
import type { CommandFact, FlagFact, OperationFact } from "../pack/docs-content.ts";
import type { DocsLibrary } from "./docs-library.ts";

export type Description =
  | { readonly kind: "command"; readonly command: CommandFact; readonly flags: readonly FlagFact[] }
  /** A flag without a command: every command that has it. */
  | { readonly kind: "flag"; readonly name: string; readonly uses: readonly FlagUse[] }
  /** `fields` are those that were asked for, of its parameters and its body; none for all. */
  | { readonly kind: "operation"; readonly operation: OperationFact; readonly fields: readonly string[] }
  | { readonly kind: "unknown"; readonly nearest: readonly string[] };

export interface FlagUse {
  readonly command: CommandFact;
  readonly flag: FlagFact;
}

const METHOD = /^(GET|HEAD|POST|PUT|PATCH|DELETE)\s+(\S+)/i;
/** Characters of a name; the longest command line of a hint is shorter. */
const MAX_CHARACTERS = 500;

/** @param asked `thv run`, `run --isolate-network`, `--isolate-network`, `POST /api/v1beta/workloads`, that with a field, or a whole command line. */
export function describeCommand({ content }: DocsLibrary, asked: string): Description {
  const text = asked.trim().slice(0, MAX_CHARACTERS);
  const operation = findOperation(content.operations, text);
  if (operation !== undefined) return { kind: "operation", operation, fields: findFields(operation, text) };
  const words = text.split(/\s+/).filter((word) => word !== "");
  const flags = words.filter((word) => /^--?[a-z]/i.test(word)).map((word) => word.split("=")[0] ?? word);
  const names = words.filter((word) => !word.startsWith("-"));
  const command = findCommand(content.commands, names);
  if (command !== undefined) {
    const known = flags.map((flag) => command.flags.find((each) => isCalled(each, flag)));
    const unknown = flags.filter((_flag, index) => known[index] === undefined);
    if (unknown.length === 0) return { kind: "command", command, flags: known.filter((flag) => flag !== undefined) };
    const near = unknown.flatMap(
      (flag) =>
        findNearest(
          bare(flag),
          command.flags.map(({ name }) => name),
        ) ?? [],
    );
    return { kind: "unknown", nearest: near.map((name) => `${command.name} --${name}`) };
  }
  const [flag] = flags;
  if (flag !== undefined && names.length === 0) {
    const uses = content.commands.flatMap((each) => {
      const found = each.flags.find((own) => isCalled(own, flag));
      return found === undefined ? [] : [{ command: each, flag: found }];
    });
    if (uses.length > 0) return { kind: "flag", name: bare(flag), uses };
    const all = [...new Set(content.commands.flatMap((each) => each.flags.map(({ name }) => name)))];
    const near = findNearest(bare(flag), all);
    return { kind: "unknown", nearest: near === undefined ? [] : [`--${near}`] };
  }
  return { kind: "unknown", nearest: findNearestNames(content.commands, content.operations, names.join(" ")) };
}

/** By method and route, with or without values in it, or by its id. */
function findOperation(operations: readonly OperationFact[], text: string): OperationFact | undefined {
  const [, method, route] = METHOD.exec(text) ?? [];
  if (method === undefined || route === undefined) return operations.find(({ id }) => id === text);
  const path = URL.canParse(route) ? new URL(route).pathname : (route.split("?")[0] ?? "");
  return (
    operations.find((each) => each.method === method.toUpperCase() && each.route === decodeBraces(path)) ??
    operations.find((each) => each.method === method.toUpperCase() && isInstance(path, each.route))
  );
}

/** Names of the fields that stand behind the operation, and of the fields in them. */
function findFields({ parameters, body }: OperationFact, text: string): string[] {
  const words = text.split(/\s+/).slice(1);
  return [...parameters, ...body]
    .map(({ name }) => name)
    .filter((name) =>
      words.some((word) => name === word || name.startsWith(`${word}.`) || name.startsWith(`${word}[`)),
    );
}

/** An address's path has its braces encoded. */
function decodeBraces(path: string): string {
  return path.replaceAll("%7B", "{").replaceAll("%7D", "}");
}

/** Whether a path is a template with values in it. */
function isInstance(path: string, route: string): boolean {
  const [parts, templates] = [path.split("/"), route.split("/")];
  return (
    parts.length === templates.length &&
    templates.every((template, index) => template.startsWith("{") || template === parts[index])
  );
}

/** The longest command that the words begin with; the program's own name may be missing. */
function findCommand(commands: readonly CommandFact[], given: readonly string[]): CommandFact | undefined {
  const words = given[0] === BRAND.command ? given : [BRAND.command, ...given];
  for (let length = words.length; length > 1; length--) {
    const name = words.slice(0, length).join(" ");
    const found = commands.find((command) => command.name === name || command.aliases.includes(name));
    if (found !== undefined) return found;
  }
  return words.length === 1 && given.length === 1 ? commands.find(({ name }) => name === BRAND.command) : undefined;
}

function findNearestNames(
  commands: readonly CommandFact[],
  operations: readonly OperationFact[],
  asked: string,
): string[] {
  if (!/[a-z]/i.test(asked)) return [];
  const name = asked.startsWith(`${BRAND.command} `) ? asked : `${BRAND.command} ${asked}`;
  const near = findNearest(
    name,
    commands.map((command) => command.name),
  );
  const last = asked.split(" ").at(-1) ?? "";
  const ending = commands.filter((command) => command.name.endsWith(` ${last}`)).map((command) => command.name);
  const id = findNearest(
    asked,
    operations.map((operation) => operation.id),
  );
  return [...new Set([...(near === undefined ? [] : [near]), ...ending, ...(id === undefined ? [] : [id])])].slice(
    0,
    3,
  );
}

function isCalled({ name, short }: FlagFact, flag: string): boolean {
  return flag === `--${name}` || (short !== undefined && flag === `-${short}`);
}

function bare(flag: string): string {
  return flag.replace(/^--?/, "");
}
