/** `thv upgrade`: what the registry lists now, in place of what a server runs from. */
import type { ApiClient, OperationAnswer } from "@toolhive/api/client";
import { ThvError } from "@toolhive/core/errors";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import { connectSupervisor } from "../../supervisor/connect.ts";
import { Progress } from "../../terminal/progress.ts";
import { showLine } from "../../terminal/shown-text.ts";
import { printTable } from "../../terminal/table.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { readVariables } from "../run/env-flags.ts";
import { readSecretReference } from "../run/request-body.ts";
import { prepareEngine } from "../shared/engine-start.ts";
import { awaitTakeOver, reportClientFiles } from "../shared/settle.ts";
import { refreshTools } from "../tools/offered-tools.ts";
import type { UPGRADE_APPLY, UPGRADE_CHECK } from "./definition.ts";

/** Tools that a message names. */
const MAX_NAMED = 10;

type Check = OperationAnswer<"checkUpgrades">["workloads"][number];

export const check: CommandHandler<typeof UPGRADE_CHECK> = async (input, context) => {
  const { terminal } = context;
  const [name] = input.positionals;
  const client = await connectSupervisor(context);
  await awaitTakeOver(client, context);
  const checks = name === undefined ? (await client.call("checkUpgrades")).workloads : [await checkOne(client, name)];
  if (input.format === "json") terminal.printJson(checks);
  else if (name !== undefined) for (const each of checks) printCheck(each, terminal);
  else printAvailable(checks, terminal);
};

/** Without the member that repeats it for clients of the reference. */
async function checkOne(client: ApiClient, name: string): Promise<Check> {
  const { result: _same, ...found } = await client.call("checkUpgrade", { params: { name } });
  return found;
}

export const apply: CommandHandler<typeof UPGRADE_APPLY> = async (input, context) => {
  const { terminal, env } = context;
  const [name] = input.positionals;
  const problems: string[] = [];
  const variables = await readVariables({ env: input.env, envFrom: [], envFile: [] }, env, problems);
  const secrets = input.secret.flatMap((text) => readSecretReference(text, problems));
  if (problems.length > 0) throw new ThvError("USAGE", problems.join("; "));

  const client = await connectSupervisor(context);
  await awaitTakeOver(client, context);
  await prepareEngine(client, context);
  const { image: before } = await client.call("checkUpgrade", { params: { name } });
  const body = { ...(variables.length > 0 && { env: variables }), ...(secrets.length > 0 && { secrets }) };
  let upgraded: OperationAnswer<"upgradeWorkload">;
  {
    using _progress = new Progress(terminal, `Upgrading ${name}`);
    upgraded = await client.call("upgradeWorkload", { params: { name }, body });
  }
  await reportClientFiles(client, context);
  const { image } = upgraded;
  const differences = image === before ? [] : await findDifferences(client, name, context);
  if (input.format === "json") terminal.printJson({ name, image, before, tools: differences });
  else if (image === before) terminal.print(`${name} already runs from ${image}.`);
  else terminal.print(`${name} runs from ${image} instead of ${before}.`);
  if (differences.length === 0) return;
  const tools = differences.slice(0, MAX_NAMED).map((each) => `${showLine(each.name.slice(0, 100))} (${each.kind})`);
  const more = differences.length > MAX_NAMED ? `, and ${differences.length - MAX_NAMED} more` : "";
  terminal.info(`Tools that differ from before are held back: ${tools.join(", ")}${more}.`);
  terminal.info(`See how, and accept them: thv tools accept ${name}`);
};

/** How the tools of the new image differ from those of before. */
async function findDifferences(client: ApiClient, name: string, context: CommandContext) {
  const { mode } = await client.call("getToolPins", { params: { name } });
  if (mode === "off") return [];
  await refreshTools(name, context);
  const { differences } = await client.call("getToolPins", { params: { name } });
  return differences.map(({ name: tool, kind }) => ({ name: tool, kind }));
}

function printAvailable(checks: readonly Check[], terminal: Terminal): void {
  const available = checks.filter((each) => each.available);
  if (available.length === 0) {
    terminal.info("The registry has no other image for any server.");
    return;
  }
  const rows = available.map(({ name, image, new_image: next = "", new_variables: variables }) => [
    name,
    image,
    next,
    variables.map((each) => (each.required ? `${each.name} (required)` : each.name)).join(", "),
  ]);
  printTable({ header: ["NAME", "IMAGE", "UPGRADE", "NEW VARIABLES"], rows, spare: ["NEW VARIABLES"] }, terminal);
  terminal.info(`Upgrade one: thv upgrade apply ${available[0]?.name}`);
}

function printCheck({ name, available, new_image: next, reason, new_variables: variables }: Check, terminal: Terminal) {
  if (!available) {
    terminal.print(`There is no upgrade for ${name}: ${reason}.`);
    return;
  }
  terminal.print(`${name} can be upgraded to ${next}.`);
  for (const { name: variable, description, required } of variables)
    terminal.print(`  ${variable}${required ? " (required)" : ""}: ${description}`);
  const options = variables.filter(({ required }) => required).map((each) => ` --env ${each.name}=…`);
  terminal.info(`Upgrade it: thv upgrade apply ${name}${options.join("")}`);
}
