/** `thv client list-registered`, `register`, `remove`, `setup`, `status` */
import type { ApiClient } from "@toolhive/api/client";
import { createUnknownClient } from "@toolhive/core";
import { describeError, type ErrorCode, ThvError } from "@toolhive/core/errors";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import { connectSupervisor } from "../../supervisor/connect.ts";
import { describeFileChanges, formatForScreen } from "../../terminal/file-changes.ts";
import { askSome } from "../../terminal/input.ts";
import { printTable } from "../../terminal/table.ts";
import { type FormatInput, printOutcome } from "../print-outcome.ts";
import { reportClientFiles } from "../shared/settle.ts";
import type {
  CLIENT_LIST_REGISTERED,
  CLIENT_REGISTER,
  CLIENT_REMOVE,
  CLIENT_SETUP,
  CLIENT_STATUS,
} from "./definition.ts";

/** Failures that are one client's own. */
const FILE_CODES: ReadonlySet<ErrorCode> = new Set(["CLIENT_FILE_INVALID", "CLIENT_FILE_FAILED"]);

export const listRegistered: CommandHandler<typeof CLIENT_LIST_REGISTERED> = async (input, context) => {
  const clients = await (await connectSupervisor(context)).call("listClients");
  if (input.format === "json") context.terminal.printJson(clients);
  else if (clients.length === 0) context.terminal.info("No client is registered. Choose some: thv client setup");
  else context.terminal.print(["Registered clients:", ...clients.map(({ name }) => `  - ${name}`)].join("\n"));
};

export const register: CommandHandler<typeof CLIENT_REGISTER> = async (input, context) => {
  const client = await connectSupervisor(context);
  const { group } = input;
  assertNoDryRun(input);
  if (input.dryRun) return await showChanges(client, { register: [...input.positionals] }, input, context);
  const body = { name: input.positionals[0], ...(group !== undefined && { groups: [group] }) };
  const { name } = await client.call("registerClient", { body });
  const found = (await discover(client)).find(({ client_type }) => client_type === name);
  printOutcome(input, context, found, `${name} is registered${group === undefined ? "" : ` for ${group}`}.`);
  await reportClientFiles(client, context, {
    replaced: ({ client: id }) => id === name,
    failed: ({ client: id }) => id === name,
  });
  if (!found?.installed) context.terminal.info(`${name} is not installed here: it gets the servers once it is.`);
};

export const remove: CommandHandler<typeof CLIENT_REMOVE> = async (input, context) => {
  const [name] = input.positionals;
  const client = await connectSupervisor(context);
  const supported = (await discover(client)).map(({ client_type }) => client_type);
  if (!supported.some((known) => known === name)) {
    throw createUnknownClient(name, supported);
  }
  assertNoDryRun(input);
  if (input.dryRun) return await showChanges(client, { unregister: [name] }, input, context);
  const { group } = input;
  if (group === undefined) await client.call("unregisterClient", { params: { name } });
  else await client.call("unregisterClientFromGroup", { params: { name, group } });
  await reportClientFiles(client, context, { failed: ({ client: id }) => id === name });
  const found = (await discover(client)).find(({ client_type }) => client_type === name);
  if (group !== undefined && found?.registered) {
    printOutcome(input, context, found, `${name} is not registered for ${group}, and still for other groups.`);
    return;
  }
  printOutcome(input, context, found, `${name} is not registered.`);
};

/** @throws {ThvError} `USAGE`: what would change for one group is not computed. */
function assertNoDryRun({ dryRun, group }: { readonly dryRun: boolean; readonly group?: string | undefined }): void {
  if (dryRun && group !== undefined) throw new ThvError("USAGE", "--dry-run does not go with --group.");
}

export const setup: CommandHandler<typeof CLIENT_SETUP> = async (input, context) => {
  const { terminal } = context;
  const client = await connectSupervisor(context);
  const here = (await discover(client)).filter(({ installed }) => installed);
  const open = here.filter(({ registered }) => !registered);
  const names = open.map(({ client_type }) => client_type);
  if (names.length === 0) {
    const found =
      here.length === 0
        ? "No client that thv knows is installed"
        : "Every client that is installed is registered already";
    terminal.info(`${found}. See them: thv client status`);
    printOutcome(input, context, input.dryRun ? { files: [] } : []);
    return;
  }
  if (!input.all && !terminal.canAsk) {
    throw new ThvError("USAGE", "thv client setup asks questions, and this is not a terminal.", {
      hint: `Name a client, or register all: thv client register ${names[0]}, thv client setup --all`,
    });
  }
  const choices = names.map((value) => ({ value, label: value }));
  const chosen = input.all ? names : await askSome(terminal, "Which clients should get the servers?", choices);
  if (chosen.length === 0) {
    terminal.info("Nothing was chosen.");
    printOutcome(input, context, input.dryRun ? { files: [] } : []);
    return;
  }
  if (input.dryRun) return await showChanges(client, { register: chosen }, input, context);
  await registerEach(client, chosen, input, context);
};

/** One after the other: a file that cannot be edited is named at the end, and does not keep the others out. */
async function registerEach(
  client: ApiClient,
  names: readonly string[],
  input: FormatInput,
  context: CommandContext,
): Promise<void> {
  const done: string[] = [];
  const failures: { readonly name: string; readonly error: unknown }[] = [];
  for (const name of names) {
    try {
      await client.call("registerClient", { body: { name } });
      done.push(name);
    } catch (error) {
      if (context.signal.aborted || !(error instanceof ThvError) || !FILE_CODES.has(error.code)) throw error;
      failures.push({ name, error });
    }
  }
  const rows = (await discover(client)).filter(({ client_type }) => done.includes(client_type));
  printOutcome(input, context, rows, done.length > 0 ? `Registered: ${done.join(", ")}` : undefined);
  await reportClientFiles(client, context, {
    replaced: ({ client: id }) => done.includes(id),
    failed: ({ client: id }) => done.includes(id),
  });
  const [first] = failures;
  if (!first) return;
  const list = failures.map(({ name, error }) => `${name}: ${describeError(error)}`).join(" ");
  throw new ThvError(
    first.error instanceof ThvError ? first.error.code : "INTERNAL",
    `${failures.length} of ${names.length} clients could not be registered. ${list}`,
    { hint: "Correct the file, then register the others: thv client setup --all", cause: first.error },
  );
}

export const status: CommandHandler<typeof CLIENT_STATUS> = async (input, context) => {
  const clients = await discover(await connectSupervisor(context));
  if (input.format === "json") {
    context.terminal.printJson(clients);
    return;
  }
  const yesNo = (value: boolean) => (value ? "yes" : "no");
  const rows = clients.map((each) => [each.client_type, yesNo(each.installed), yesNo(each.registered)]);
  printTable({ header: ["CLIENT TYPE", "INSTALLED", "REGISTERED"], rows }, context.terminal);
};

interface Wanted {
  readonly register?: string[];
  readonly unregister?: string[];
}

async function showChanges(
  client: ApiClient,
  wanted: Wanted,
  input: FormatInput,
  { terminal }: CommandContext,
): Promise<void> {
  const body = { register: [], unregister: [], ...wanted };
  const { files } = await client.call("planClients", { body });
  if (input.format === "json") terminal.printJson({ files: describeFileChanges(files) });
  else if (files.length > 0) terminal.print(formatForScreen(files, terminal));
  else terminal.info("No file would change.");
  terminal.info("Nothing was done. Leave --dry-run out to do it.");
}

async function discover(client: ApiClient) {
  return (await client.call("discoverClients")).clients;
}
