/** `thv tools pin` and `thv tools accept` */
import type { ApiClient, OperationAnswer } from "@toolhive/api/client";
import { formatCanonical, scanTools, type ToolDefinition, type ToolWarning } from "@toolhive/core";
import { hasCode, ThvError } from "@toolhive/core/errors";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import { formatFileChanges } from "../../terminal/file-changes.ts";
import { askYes } from "../../terminal/input.ts";
import { showLine, showText } from "../../terminal/shown-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { findServerAddress } from "../mcp/server-address.ts";
import { printOutcome } from "../print-outcome.ts";
import { connectTo } from "../shared/connect-to.ts";
import type { TOOLS_ACCEPT, TOOLS_PIN } from "./definition.ts";
import { askForTools } from "./offered-tools.ts";
import { printWarnings } from "./tool-warnings.ts";

type Pins = OperationAnswer<"getToolPins">;
type Difference = Pins["differences"][number];

const UNREADABLE = "(The definition cannot be read: it names something twice, or is too deep or too large.)";

export const pinTools: CommandHandler<typeof TOOLS_PIN> = async (input, context) => {
  const [name] = input.positionals;
  if (input.check && input.off) {
    throw new ThvError("USAGE", "thv tools pin takes --check or --off, not both.", {
      hint: "See: thv tools pin --help",
    });
  }
  const client = await connectTo(name, context);
  if (input.check) {
    await checkPins(client, input, context);
    return;
  }
  const { pin_tools: isPinned = false, ...request } = await client.call("exportWorkload", { params: { name } });
  // Saying the same again would start the server anew.
  if (isPinned === input.off)
    await client.call("editWorkload", { params: { name }, body: { ...request, pin_tools: !input.off } });
  if (!input.off) await refresh(name, context);
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
  const warnings = listWarningsOf(shown, pins);
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
      : `The tools of ${name} are as they were pinned.`;
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
  const { differences } = pins;
  const warnings = listWarningsOf(differences, pins);
  if (input.format === "json") terminal.printJson(pins);
  else if (differences.length > 0) printDifferences(differences, warnings, terminal);
  else terminal.print(describePins(name, pins));
  if (differences.length > 0) throw notAccepted(name, differences, { hint: `Accept them: thv tools accept ${name}` });
}

/** The pins, after the server was asked for its list. @throws {ThvError} `INVALID_ARGUMENT` when nothing is pinned. */
async function readPins(
  client: ApiClient,
  name: string,
  context: CommandContext,
  { mustAnswer = false } = {},
): Promise<Pins> {
  const before = await client.call("getToolPins", { params: { name } });
  if (!before.pinned) {
    throw new ThvError("INVALID_ARGUMENT", `The tools of "${name}" are not pinned.`, {
      hint: `Pin them: thv tools pin ${name}`,
    });
  }
  await refresh(name, context, { mustAnswer });
  return await client.call("getToolPins", { params: { name } });
}

/** Has the list pass the proxy, which compares it with the pins. */
async function refresh(name: string, context: CommandContext, { mustAnswer = false } = {}): Promise<void> {
  try {
    await askForTools(await findServerAddress(name, "NAME", context), context);
  } catch (error) {
    if (mustAnswer || !hasCode(error, "SERVER_NOT_READY", "UNAUTHENTICATED")) throw error;
    context.terminal.info(`The server was not asked for its tools: ${error.message}`);
  }
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

function describePins(name: string, { pinned, pinned_at, tools, differences }: Pins): string {
  if (!pinned) return `The tools of ${name} are not pinned any more.`;
  if (pinned_at === undefined) return `The tools of ${name} will be pinned when they are listed first.`;
  const pins = `${count(tools.length)} of ${name} ${tools.length === 1 ? "is" : "are"} pinned`;
  return differences.length === 0 ? `${pins}.` : `${pins}, ${differences.length} differ: thv tools accept ${name}`;
}

function count(tools: number): string {
  return `${tools} ${tools === 1 ? "tool" : "tools"}`;
}

/** About what the server offers instead; its names are also compared with those that are pinned. */
function listWarningsOf(differences: readonly Difference[], { tools }: Pick<Pins, "tools">): ToolWarning[] {
  const offered = new Map(differences.flatMap(({ name, after }) => (after ? [[name, after] as const] : [])));
  const others = tools.filter(({ name }) => !offered.has(name)).map(({ name }) => ({ name }));
  return scanTools([...offered.values(), ...others]).filter(({ tool }) => offered.has(tool));
}

function printDifferences(
  differences: readonly Difference[],
  warnings: readonly ToolWarning[],
  terminal: Terminal,
): void {
  const changes = differences.map(({ name, kind, before, after }) => ({
    path: `${showLine(name.slice(0, 200))} (${kind})`,
    before: before && formatDefinition(before),
    after: after ? formatDefinition(after) : kind === "removed" ? undefined : `${UNREADABLE}\n`,
  }));
  if (changes.length > 0) terminal.print(formatFileChanges(changes, terminal));
  printWarnings(warnings, terminal);
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
