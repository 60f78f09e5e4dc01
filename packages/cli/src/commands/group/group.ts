/** `thv group create`, `list`, `rm`, `add`, `remove` */
import type { ApiClient, OperationAnswer } from "@toolhive/api/client";
import { ThvError } from "@toolhive/core/errors";
import type { CommandHandler } from "../../command-line/command.ts";
import { connectSupervisor } from "../../supervisor/connect.ts";
import { printTable } from "../../terminal/table.ts";
import { printOutcome } from "../print-outcome.ts";
import { confirmLoss, describeServers } from "../shared/confirm.ts";
import { readTools } from "../tools/tool-flags.ts";
import type { GROUP_ADD, GROUP_CREATE, GROUP_LIST, GROUP_REMOVE, GROUP_RM } from "./definition.ts";

type GroupView = OperationAnswer<"getGroup">;

/** Where there is nothing to show. */
const NONE = "-";

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
  printOutcome(input, context, group, `${group.name} is created. Its address: ${group.url}`);
};

export const list: CommandHandler<typeof GROUP_LIST> = async (input, context) => {
  const { terminal } = context;
  const { groups } = await (await connectSupervisor(context)).call("listGroups");
  if (input.format === "json") {
    terminal.printJson(groups);
    return;
  }
  const rows = groups.map(({ name, url = NONE, workloads, registered_clients: clients }) => [
    name,
    url,
    workloads.map((workload) => workload.name).join(", ") || NONE,
    clients.join(", ") || NONE,
  ]);
  printTable({ header: ["NAME", "URL", "SERVERS", "CLIENTS"], rows, spare: ["CLIENTS", "SERVERS"] }, terminal);
  for (const group of groups) for (const line of listTroubles(group)) terminal.info(line);
};

/** A server of `default` is no more than itself, and thv list says how it is. */
function listTroubles({ name, url, problem, workloads }: GroupView): string[] {
  if (url === undefined) return [];
  const troubled = workloads.filter(({ reason }) => reason !== undefined);
  return [
    ...(problem === undefined ? [] : [`${name}: its address does not answer: ${problem}`]),
    ...troubled.map((workload) => `${name}: ${workload.name} is ${workload.state}: ${workload.reason}`),
  ];
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
  printOutcome(input, context, { name, status: "removed" }, `${name} is removed.`);
};

/** @returns Those that are in no other group. */
async function listOwnMembers(client: ApiClient, name: string): Promise<string[]> {
  const { groups } = await client.call("listGroups");
  const namesOf = ({ workloads }: GroupView) => workloads.map((workload) => workload.name);
  const elsewhere = new Set(groups.filter((group) => group.name !== name).flatMap(namesOf));
  return groups
    .filter((group) => group.name === name)
    .flatMap(namesOf)
    .filter((member) => !elsewhere.has(member));
}

export const add: CommandHandler<typeof GROUP_ADD> = async (input, context) => {
  const client = await connectSupervisor(context);
  const [name, ...names] = input.positionals;
  for (const workload of new Set(names)) await client.call("addGroupWorkload", { params: { name, workload } });
  printOutcome(input, context, await read(client, name), `In ${name}: ${names.join(", ")}`);
};

export const removeMembers: CommandHandler<typeof GROUP_REMOVE> = async (input, context) => {
  const client = await connectSupervisor(context);
  const [name, ...names] = input.positionals;
  for (const workload of new Set(names)) await client.call("removeGroupWorkload", { params: { name, workload } });
  printOutcome(input, context, await read(client, name), `Not in ${name}: ${names.join(", ")}`);
};

async function read(client: ApiClient, name: string): Promise<GroupView> {
  return await client.call("getGroup", { params: { name } });
}
