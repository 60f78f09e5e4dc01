/** `thv group create`, `list`, `rm`, `add`, `remove` */
import type { ApiClient } from "@toolhive/api/client";
import { ThvError } from "@toolhive/core/errors";
import type { CommandHandler } from "../../command-line/command.ts";
import { connectSupervisor } from "../../supervisor/connect.ts";
import { nameSome } from "../../terminal/name-some.ts";
import { showLine } from "../../terminal/shown-text.ts";
import { printTable } from "../../terminal/table.ts";
import { printOutcome } from "../print-outcome.ts";
import { confirmLoss, describeServers } from "../shared/questions/confirm.ts";
import { reportClientFiles } from "../shared/settle.ts";
import { readTools } from "../tools/tool-flags.ts";
import type { GROUP_ADD, GROUP_CREATE, GROUP_LIST, GROUP_REMOVE, GROUP_RM } from "./definition.ts";
import { awaitOffer, type GroupView, readGroup, reportSleeper, reportWarnings } from "./group-offer.ts";

/** Where there is nothing to show. */
const NONE = "-";
/** Servers whose names are in the table. */
const MAX_NAMED = 4;
/** Clients whose names are in the table. */
const MAX_CLIENTS = 2;

export const create: CommandHandler<typeof GROUP_CREATE> = async (input, context) => {
  const [name] = input.positionals;
  const { naming, port } = input;
  const problems: string[] = [];
  const tools = await readTools(input, problems);
  if (problems.length > 0)
    throw new ThvError("USAGE", `${problems.join("; ")}.`, { hint: "See: thv group create --help" });
  const client = await connectSupervisor(context);
  const body = {
    name,
    naming,
    ...(port !== undefined && { port }),
    ...tools,
    ...(input.findTools && { find_tools: true }),
  };
  const group = await client.call("createGroup", { body });
  await reportClientFiles(client, context);
  printOutcome(input, context, group, `${group.name} is created. Its URL: ${group.url}`);
  context.terminal.info(`It has no servers yet. Add one: thv group add ${group.name} SERVER`);
};

export const list: CommandHandler<typeof GROUP_LIST> = async (input, context) => {
  const { terminal } = context;
  const { groups } = await (await connectSupervisor(context)).call("listGroups");
  if (input.format === "json") {
    terminal.printJson(groups);
    return;
  }
  const rows = groups.map(({ name, url = NONE, workloads, registered_clients: clients, ...group }) => [
    name,
    url,
    isLong(workloads) ? String(workloads.length) : workloads.map((workload) => workload.name).join(", ") || NONE,
    url === NONE ? NONE : describeOffer({ ...group, workloads }),
    clients.length > MAX_CLIENTS ? String(clients.length) : clients.join(", ") || NONE,
  ]);
  printTable(
    {
      header: ["NAME", "URL", "SERVERS", "TOOLS", "CLIENTS"],
      rows,
      cut: ["SERVERS", "NAME"],
      spare: ["CLIENTS", "TOOLS"],
    },
    terminal,
  );
  for (const { name, workloads } of groups.filter((group) => isLong(group.workloads)))
    terminal.infoProse(`Servers of ${name}: ${workloads.map((workload) => workload.name).join(", ")}`);
  for (const group of groups) for (const line of listTroubles(group)) terminal.info(line);
  if (groups.every(({ url }) => url === undefined))
    terminal.info("No group has a URL yet. Create one: thv group create work");
};

/** Longer lists have only their number in the table, and their names below it. */
function isLong(workloads: GroupView["workloads"]): boolean {
  return workloads.length > MAX_NAMED;
}

/** How many tools clients see, and whether these were chosen. */
function describeOffer({ tools, workloads }: Pick<GroupView, "tools" | "workloads">): string {
  const count = workloads.reduce((sum, workload) => sum + (workload.tools ?? 0), 0);
  return tools === undefined ? String(count) : `${count} chosen`;
}

/** A server of `default` is no more than itself, and thv list says how it is. */
function listTroubles({ name, url, problem, workloads, warnings = [] }: GroupView): string[] {
  if (url === undefined) return [];
  const troubled = workloads.filter(({ reason }) => reason !== undefined);
  return [
    ...(problem === undefined ? [] : [`${name}: its URL does not answer: ${problem}`]),
    ...troubled.map((workload) => `${name}: ${describeTrouble(workload)}`),
    ...warnings.map((warning) => `Warning: ${name}: ${showLine(warning)}`),
  ];
}

function describeTrouble({ name, state, reason = "" }: GroupView["workloads"][number]): string {
  return reason === "" || reason === `it is ${state}` ? `${name} is ${state}` : `${name} is ${state}: ${reason}`;
}

export const removeGroup: CommandHandler<typeof GROUP_RM> = async (input, context) => {
  const [name] = input.positionals;
  const client = await connectSupervisor(context);
  const lost = input.withWorkloads ? await listOwnMembers(client, name) : [];
  if (lost.length > 0) {
    const servers = describeServers(lost);
    const loss = {
      what: `This would remove the group ${name} and ${servers}.`,
      question: `Remove the group ${name} and ${servers}?`,
      command: `thv group rm ${name} --with-workloads --yes`,
    };
    await confirmLoss(loss, input.yes, context);
  }
  const query = input.withWorkloads ? { "with-workloads": "true" } : {};
  await client.call("deleteGroup", { params: { name }, query });
  await reportClientFiles(client, context);
  printOutcome(input, context, { name, status: "removed" }, `${name} is removed.`);
};

/** @returns Those that are in no other group. */
async function listOwnMembers(client: ApiClient, name: string): Promise<string[]> {
  const { groups } = await client.call("listGroups");
  const listNames = ({ workloads }: GroupView) => workloads.map((workload) => workload.name);
  const elsewhere = new Set(groups.filter((group) => group.name !== name).flatMap(listNames));
  return groups
    .filter((group) => group.name === name)
    .flatMap(listNames)
    .filter((member) => !elsewhere.has(member));
}

export const add: CommandHandler<typeof GROUP_ADD> = async (input, context) => {
  const client = await connectSupervisor(context);
  const [name, ...names] = input.positionals;
  const before = await readGroup(client, name);
  for (const workload of new Set(names)) await client.call("addGroupWorkload", { params: { name, workload } });
  const group = await awaitOffer(client, name, names, context);
  await reportClientFiles(client, context);
  const { inside, outside } = splitMembers(names, before);
  const line = outside.length > 0 ? `Added to ${name}: ${nameSome(outside)}` : undefined;
  printOutcome(input, context, group, line);
  if (inside.length > 0) context.terminal.info(`Already in ${name}: ${nameSome(inside)}`);
  for (const workload of new Set(names)) await reportSleeper(client, name, workload, context);
  reportWarnings(group, context);
};

/** @returns The named servers that were in the group, and those that were not, each once. */
function splitMembers(names: readonly string[], { workloads }: GroupView) {
  const members = new Set(workloads.map((workload) => workload.name));
  const all = [...new Set(names)];
  return { inside: all.filter((each) => members.has(each)), outside: all.filter((each) => !members.has(each)) };
}

export const removeMembers: CommandHandler<typeof GROUP_REMOVE> = async (input, context) => {
  const client = await connectSupervisor(context);
  const [name, ...names] = input.positionals;
  const before = await readGroup(client, name);
  for (const workload of new Set(names)) await client.call("removeGroupWorkload", { params: { name, workload } });
  const group = await readGroup(client, name);
  await reportClientFiles(client, context);
  const { inside, outside } = splitMembers(names, before);
  const line = inside.length > 0 ? `Removed from ${name}: ${nameSome(inside)}` : undefined;
  printOutcome(input, context, group, line);
  if (outside.length > 0) context.terminal.info(`Not in ${name}: ${nameSome(outside)}`);
  reportWarnings(group, context);
};
