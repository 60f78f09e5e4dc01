/** `thv tools pin` and `thv tools accept` */
import type { ApiClient, OperationAnswer } from "@toolhive/api/client";
import { formatCanonical, type ToolDefinition, type ToolWarning } from "@toolhive/core";
import { ThvError } from "@toolhive/core/errors";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import { formatFileChanges } from "../../terminal/file-changes.ts";
import { askYes } from "../../terminal/input.ts";
import { showLine, showText } from "../../terminal/shown-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { printOutcome } from "../print-outcome.ts";
import { connectTo } from "../shared/connect-to.ts";
import type { TOOLS_ACCEPT, TOOLS_PIN } from "./definition.ts";
import { refreshTools } from "./offered-tools.ts";
import { printWarnings } from "./tool-warnings.ts";

type Pins = OperationAnswer<"getToolPins">;
type Difference = Pins["differences"][number];

const UNREADABLE = "(The definition cannot be shown: it names something twice, or is too deep or too large.)";
const UNCLEAR = "(Two programs could read this definition differently. These are the server's own words.)";

export const pinTools: CommandHandler<typeof TOOLS_PIN> = async (input, context) => {
  const [name] = input.positionals;
  const { check, known, off, changedTools } = input;
  if ([check, known, off, ...(check || off ? [changedTools !== undefined] : [])].filter(Boolean).length > 1) {
    const choices = "--check, --off, or --known with --changed-tools";
    throw new ThvError("USAGE", `thv tools pin takes one of ${choices}.`, {
      hint: "See: thv tools pin --help",
    });
  }
  const client = await connectTo(name, context);
  if (check) {
    await checkPins(client, input, context);
    return;
  }
  const { pin_tools: mode = "known", ...request } = await client.call("exportWorkload", { params: { name } });
  const rule = request.changed_tools ?? "refuse";
  const isAlone = changedTools !== undefined && !known && !off;
  const wanted = { pin_tools: isAlone ? mode : chooseMode(known, off), changed_tools: changedTools ?? rule };
  // A change to the same value would restart the server.
  if (wanted.pin_tools !== mode || wanted.changed_tools !== rule)
    await client.call("editWorkload", { params: { name }, body: { ...request, ...wanted } });
  if (wanted.pin_tools !== "off") await refreshTools(name, context);
  const pins = await client.call("getToolPins", { params: { name } });
  printOutcome(input, context, pins, describePins(name, pins));
};

export const acceptTools: CommandHandler<typeof TOOLS_ACCEPT> = async (input, context) => {
  const [name, ...given] = input.positionals;
  const asked = given.filter((tool) => tool !== undefined);
  const { terminal } = context;
  const client = await connectTo(name, context);
  const pins = await readPins(client, name, context);
  const { differences } = pins;
  const unknown = asked.find((tool) => !differences.some((difference) => difference.name === tool));
  if (unknown !== undefined) {
    throw new ThvError("INVALID_ARGUMENT", `The tool "${unknown.slice(0, 200)}" of "${name}" is as it was pinned.`, {
      hint: `See what differs: thv tools accept ${name}`,
    });
  }
  const shown = asked.length > 0 ? differences.filter((difference) => asked.includes(difference.name)) : differences;
  const warnings = pins.warnings.filter(({ tool }) => shown.some((difference) => difference.name === tool));
  if (input.format === "text") printDifferences(shown, warnings, terminal);
  const isAccepted = shown.length > 0 && (input.yes || (await isWanted(name, shown, input.format, terminal)));
  const after = isAccepted
    ? await client.call("acceptTools", {
        params: { name },
        body: {
          tools: shown.map(({ name: tool, sha256 }) => ({ name: tool, ...(sha256 !== undefined && { sha256 }) })),
        },
      })
    : { differences };
  const left = new Set(after.differences.map((difference) => difference.name));
  const accepted = isAccepted ? shown.map((difference) => difference.name).filter((tool) => !left.has(tool)) : [];
  const line =
    accepted.length > 0
      ? `Accepted ${count(accepted.length)} of ${name}: ${accepted.map(showLine).join(", ")}.`
      : `No tool of ${name} has changed.`;
  const isLeft = shown.some((difference) => left.has(difference.name));
  const outcome = { accepted, differences: after.differences, warnings };
  printOutcome(input, context, outcome, isLeft && accepted.length === 0 ? undefined : line);
  if (!isLeft) return;
  throw isAccepted
    ? new ThvError("TOOLS_CHANGED", `Definitions of "${name}" that cannot be read were not accepted.`, {
        hint: `Use another version of the server, or pin its tools anew: thv tools pin ${name} --off`,
      })
    : notAccepted(name, shown, { hint: `Accept them: thv tools accept ${name} --yes` });
};

function chooseMode(isKnown: boolean, isOff: boolean): Pins["mode"] {
  if (isOff) return "off";
  return isKnown ? "known" : "all";
}

/** @throws {ThvError} `TOOLS_CHANGED` when something differs. */
async function checkPins(
  client: ApiClient,
  input: { readonly positionals: readonly [string]; readonly format: "text" | "json" },
  context: CommandContext,
): Promise<void> {
  const [name] = input.positionals;
  const { terminal } = context;
  // A check that has not seen the server's list has checked nothing.
  const pins = await readPins(client, name, context, { mustAnswer: true });
  const { differences, warnings } = pins;
  if (input.format === "json") terminal.printJson(pins);
  else if (differences.length > 0) printDifferences(differences, warnings, terminal);
  else terminal.print(describePins(name, pins));
  if (differences.length > 0) throw notAccepted(name, differences, { hint: `Accept them: thv tools accept ${name}` });
  assertComplete(name, pins);
}

/** @throws {ThvError} `FILE_FAILED`, `TOOLS_CHANGED` when the record is not on disk, or does not hold all tools. */
function assertComplete(name: string, { full, unsaved }: Pins): void {
  if (unsaved !== undefined)
    throw new ThvError("FILE_FAILED", `The recorded tools of "${name}" are not saved: ${unsaved}`, {
      hint: `Fix the cause, such as a full disk: thv tries again each second. Then check again: thv tools pin ${name} --check`,
    });
  if (full)
    throw new ThvError(
      "TOOLS_CHANGED",
      `"${name}" offers more tools than the record can hold; ToolHive holds back the others.`,
      {
        hint: `Review its tools, then record them again: thv tools pin ${name} --off, then thv tools pin ${name} --known`,
      },
    );
}

/** The pins, after the server was asked for its list. @throws {ThvError} `INVALID_ARGUMENT` when nothing is pinned. */
async function readPins(
  client: ApiClient,
  name: string,
  context: CommandContext,
  { mustAnswer = false } = {},
): Promise<Pins> {
  const before = await client.call("getToolPins", { params: { name } });
  if (before.mode === "off") {
    throw new ThvError("INVALID_ARGUMENT", `The tools of "${name}" are not pinned.`, {
      hint: `Hold back what changes: thv tools pin ${name} --known`,
    });
  }
  await refreshTools(name, context, { mustAnswer });
  return await client.call("getToolPins", { params: { name } });
}

/** @throws {ThvError} `INTERRUPTED` when the answer is no. */
async function isWanted(
  name: string,
  differences: readonly Difference[],
  format: "text" | "json",
  terminal: Terminal,
): Promise<boolean> {
  if (format === "json" || !terminal.canAsk) return false;
  if (await askYes(terminal, `Accept ${count(differences.length)} of ${name} as shown?`)) return true;
  throw new ThvError("INTERRUPTED", "Cancelled: nothing was changed.");
}

function notAccepted(name: string, differences: readonly Difference[], { hint }: { readonly hint: string }): ThvError {
  const verb = differences.length === 1 ? "differs" : "differ";
  return new ThvError(
    "TOOLS_CHANGED",
    `${count(differences.length)} of "${name}" ${verb} from what was pinned: ${differences
      .slice(0, 10)
      .map((difference) => `${showLine(difference.name.slice(0, 100))} (${difference.kind})`)
      .join(", ")}${differences.length > 10 ? ", …" : ""}.`,
    { hint },
  );
}

function describePins(name: string, pins: Pins): string {
  const { mode, changed_tools: rule, pinned_at, tools, hashed, differences } = pins;
  if (mode === "off") return `The tools of ${name} are no longer pinned.`;
  if (pinned_at === undefined) return `ToolHive pins the tools of ${name} when the server first lists them.`;
  const held = mode === "all" ? "changed and new tools" : "changed tools";
  const total = tools.length + hashed;
  const sentences = [
    `${count(total)} of ${name} ${total === 1 ? "is" : "are"} pinned. ToolHive holds back ${held}.`,
    ...(rule === "allow" ? ["Clients can still call changed tools."] : []),
    ...describeLimits(pins),
    ...(differences.length > 0
      ? [`${differences.length} ${differences.length === 1 ? "differs" : "differ"}: thv tools accept ${name}`]
      : []),
  ];
  return sentences.join(" ");
}

/** Describes limits of the protection: what it covers only in part, and what counts as unchanged although it differs. */
function describeLimits({ hashed, reordered, full, unsaved }: Pins): string[] {
  const names = reordered.slice(0, 10).map((tool) => showLine(tool.slice(0, 100)));
  const others = reordered.length > names.length ? ", …" : "";
  return [
    ...(hashed > 0
      ? [`For ${hashed} of them, the record has hashes only: ToolHive holds back their changes, and cannot show them.`]
      : []),
    ...(full ? ["The record is full: ToolHive holds back other tools."] : []),
    ...(unsaved === undefined ? [] : [`The record is not saved; ToolHive tries again each second: ${unsaved}`]),
    ...(names.length === 0
      ? []
      : [
          `${count(reordered.length)} ${names.length === 1 ? "is" : "are"} described in a different word order since the last start, which is not a change: ${names.join(", ")}${others}.`,
        ]),
  ];
}

function count(tools: number): string {
  return `${tools} ${tools === 1 ? "tool" : "tools"}`;
}

function printDifferences(
  differences: readonly Difference[],
  warnings: readonly ToolWarning[],
  terminal: Terminal,
): void {
  const changes = differences.map(({ name, kind, before, after, before_text, after_text }) => ({
    path: `${showLine(name.slice(0, 200))} (${kind})`,
    before: formatSide(before, before_text),
    after: formatSide(after, after_text) ?? (kind === "removed" ? undefined : `${UNREADABLE}\n`),
  }));
  if (changes.length > 0) terminal.print(formatFileChanges(changes, terminal));
  printWarnings(warnings, terminal);
}

function formatSide(definition: ToolDefinition | undefined, text: string | undefined): string | undefined {
  if (definition) return formatDefinition(definition);
  return text === undefined ? undefined : `${UNCLEAR}\n${showText(text)}\n`;
}

/** One line for each line of a text, so that a difference shows the line that is another one. */
function formatDefinition(definition: ToolDefinition): string {
  const members = Object.entries(definition).map(([member, value]) => {
    if (typeof value === "string") return `${member}: ${value.split("\n").join("\n  ")}`;
    const json = JSON.stringify(JSON.parse(formatCanonical(value)), null, 2);
    return `${member}: ${json}`;
  });
  return `${showText(members.join("\n"))}\n`;
}
