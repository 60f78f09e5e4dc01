/** Whose tools are chosen: those of one server, or those of a group. */
import type { OperationAnswer, OperationInput } from "@toolhive/api/client";
import { ThvError } from "@toolhive/core/errors";
import type { CommandContext } from "../../command-line/command.ts";
import { findServerAddress } from "../mcp/server-address.ts";
import { connectOr, connectTo } from "../shared/connect-to.ts";
import { findGroup } from "../shared/group-name.ts";

export type Members = Pick<OperationInput<"chooseGroupTools">["body"], "tools" | "tools_override" | "find_tools">;

export interface ToolOwner {
  readonly name: string;
  readonly isGroup: boolean;
  /** How a command line names it: `NAME`, or `--group NAME`. */
  readonly argument: string;
  /** The next step when the user wants no tool at all. */
  readonly hintForNone: string;
  /** As it was chosen. @throws {ThvError} `WORKLOAD_NOT_FOUND`, `GROUP_NOT_FOUND`. */
  read(): Promise<Members>;
  /** Changes the choice. @param edit Receives the present choice. @returns The new choice. */
  change(edit: (members: Members) => Members | Promise<Members>): Promise<Required<Members>>;
  /** Where its clients find its tools. @throws {ThvError} `SERVER_NOT_READY`. */
  findAddress(): Promise<URL>;
  /** Every tool, and whether clients see it. @throws {ThvError} `SERVER_NOT_READY`. */
  listTools(): Promise<ListedTools>;
}

export type ListedTools = OperationAnswer<"listGroupTools">;

interface OwnerInput {
  readonly group?: string | undefined;
  readonly positionals: readonly (string | undefined)[];
}

/** @returns The owner, and the remaining words. @throws {ThvError} `USAGE`. */
export async function readToolOwner(
  command: string,
  { group, positionals }: OwnerInput,
  context: CommandContext,
): Promise<{ readonly owner: ToolOwner; readonly words: readonly string[] }> {
  const words = positionals.filter((word) => word !== undefined);
  if (group !== undefined) return { owner: createGroupOwner(group, context), words };
  const [name, ...others] = words;
  if (name === undefined) throw createUsage(command, "needs the NAME of a server, or --group");
  const client = await connectTo(name, context);
  const found = await findGroup(client, name, context);
  return { owner: found ? createGroupOwner(name, context) : createServerOwner(name, context), words: others };
}

export function createUsage(command: string, problem: string): ThvError {
  return new ThvError("USAGE", `${command} ${problem}.`, { hint: `See: ${command} --help` });
}

function createServerOwner(name: string, context: CommandContext): ToolOwner {
  const connect = () => connectTo(name, context);
  const load = async () => await (await connect()).call("exportWorkload", { params: { name } });
  return {
    name,
    isGroup: false,
    argument: name,
    hintForNone: `Stop it instead: thv stop ${name}`,
    read: async () => pickMembers(await load()),
    change: async (edit) => {
      const client = await connect();
      const request = await load();
      const { before, after } = await editMembers(request, edit);
      // A change to the same value would restart the server.
      if (JSON.stringify(after) !== JSON.stringify(before))
        await client.call("editWorkload", { params: { name }, body: { ...request, ...after } });
      return after;
    },
    findAddress: () => findServerAddress(name, "NAME", context),
    listTools: async () => await (await connect()).call("listWorkloadTools", { params: { name } }),
  };
}

function createGroupOwner(name: string, context: CommandContext): ToolOwner {
  const missing = new ThvError("GROUP_NOT_FOUND", `There is no group "${name.slice(0, 100)}".`, {
    hint: `Create it: thv group create ${name.slice(0, 100)}`,
  });
  const connect = () => connectOr(missing, context);
  const load = async () => await (await connect()).call("getGroup", { params: { name } });
  return {
    name,
    isGroup: true,
    argument: `--group ${name}`,
    hintForNone: `Take its servers out instead: thv group remove ${name} SERVER`,
    read: async () => pickMembers(await load()),
    change: async (edit) => {
      const client = await connect();
      const { after } = await editMembers(await load(), edit);
      return fillMembers(await client.call("chooseGroupTools", { params: { name }, body: after }));
    },
    listTools: async () => await (await connect()).call("listGroupTools", { params: { name } }),
    findAddress: async () => {
      const { url, problem } = await load();
      if (url !== undefined && problem === undefined) return new URL(url);
      if (url !== undefined)
        throw new ThvError("SERVER_NOT_READY", `The address of "${name}" does not answer: ${problem}`);
      throw new ThvError("INVALID_ARGUMENT", `The group "${name}" has no address, and offers no tools.`, {
        hint: "See the tools of one server: thv tools list SERVER",
      });
    },
  };
}

async function editMembers(
  given: Members,
  edit: (members: Members) => Members | Promise<Members>,
): Promise<{ readonly before: Required<Members>; readonly after: Required<Members> }> {
  return { before: fillMembers(given), after: fillMembers(await edit(pickMembers(given))) };
}

function fillMembers({ tools = [], tools_override = {}, find_tools = false }: Members): Required<Members> {
  return { tools, tools_override, find_tools };
}

/** Without empty members. */
function pickMembers({ tools, tools_override, find_tools }: Members): Members {
  return { ...(tools && { tools }), ...(tools_override && { tools_override }), ...(find_tools && { find_tools }) };
}
