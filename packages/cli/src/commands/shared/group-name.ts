/** Commands that take a server's name take that of a group, too. A server goes before a group of the same name. */
import type { ApiClient, OperationAnswer } from "@toolhive/api/client";
import { hasCode } from "@toolhive/core/errors";
import type { CommandContext } from "../../command-line/command.ts";

type GroupView = OperationAnswer<"getGroup">;

/**
 * @returns The group of this name; `undefined` where there is none, and where a server has the name: then a line says that the
 * command is about the server.
 */
export async function findGroup(
  client: ApiClient,
  name: string,
  { terminal }: CommandContext,
): Promise<GroupView | undefined> {
  const group = await client.call("getGroup", { params: { name } }).catch((error: unknown) => {
    // Whatever else is wrong with the name, the command itself reports it of the server.
    if (hasCode(error, "GROUP_NOT_FOUND", "INVALID_ARGUMENT", "INVALID_WORKLOAD_NAME")) return undefined;
    throw error;
  });
  if (!group) return undefined;
  const isServer = await client.call("getWorkload", { params: { name } }).then(
    () => true,
    (error: unknown) => {
      if (hasCode(error, "WORKLOAD_NOT_FOUND")) return false;
      throw error;
    },
  );
  if (!isServer) return group;
  terminal.info(`"${name}" is a server and a group; this is about the server. The group: thv group show ${name}`);
  return undefined;
}
