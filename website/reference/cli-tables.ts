/** The tables of a command's page: its arguments, its options. */
import type { COMMANDS, HELP_FLAG } from "@toolhive/cli/commands";
import { commandText } from "./command-words.ts";
import { code, table } from "./markdown.ts";

type Command = (typeof COMMANDS)[number];
type Flag = typeof HELP_FLAG;

const FLAG_KINDS: Readonly<Record<Flag["kind"], string>> = {
  bool: "switch",
  string: "text",
  int: "number",
  port: "port",
  float: "number",
  duration: "duration",
  memory: "size",
  path: "path",
  stringArray: "text, repeatable",
  pathArray: "path, repeatable",
  strings: "texts, repeatable or with commas",
};

export function argumentTable({ positionals, takesRest, restSummary = "" }: Command): string {
  const rows = positionals.map(({ name, isOptional, summary, values }) => [
    code(name),
    commandText(summary) + choices(values),
    isOptional ? "No" : "Yes",
  ]);
  if (takesRest) rows.push([code("ARGS"), restSummary, "No"]);
  // The meaning is beside the name, as it is for options.
  return table(["Argument", "Meaning", "Required"], rows);
}

export function flagTable(flags: readonly Flag[]): string {
  const sorted = [...flags].sort((left, right) => (left.name < right.name ? -1 : 1));
  // The meaning of an option is beside its name: a phone shows two columns.
  return table(
    ["Option", "Meaning", "Type", "Default"],
    sorted.map((flag) => [
      `<span id="option-${flag.name}">${code(`--${flag.name}`)}</span>` +
        (flag.short === undefined ? "" : `, ${code(`-${flag.short}`)}`),
      [
        commandText(flag.summary) + choices(flag.values),
        ...(flag.env === undefined ? [] : [`The variable ${code(flag.env)} is read when it is absent`]),
      ].join(". "),
      FLAG_KINDS[flag.kind],
      flag.isRequired ? "required" : flag.default === undefined ? "" : code(String(flag.default)),
    ]),
  );
}

function choices(values: readonly string[] | undefined): string {
  return values === undefined ? "" : `. One of: ${values.map(code).join(", ")}`;
}
