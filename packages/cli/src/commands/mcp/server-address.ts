/** The address of an MCP server that a command names. */
import { hasCode, ThvError } from "@toolhive/core/errors";
import { createNotRunning } from "@toolhive/core/workload-status";
import type { CommandContext } from "../../command-line/command.ts";
import { connectIfNeeded } from "../../supervisor/connect.ts";
import { awaitTakeOver } from "../shared/settle.ts";

/**
 * @param server Name of a workload or a group, or an address.
 * @param word How the command line calls it, for messages: `--server`.
 * @throws {ThvError} `WORKLOAD_NOT_FOUND`, `SERVER_NOT_READY` when it does not run, `USAGE`.
 */
export async function findServerAddress(server: string, word: string, context: CommandContext): Promise<URL> {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(server)) {
    const url = URL.canParse(server) ? new URL(server) : undefined;
    if (url && ["http:", "https:"].includes(url.protocol)) return url;
    throw new ThvError("USAGE", `${word} is "${server}", but an address must begin with http:// or https://.`);
  }
  const client = await connectIfNeeded(context);
  if (!client) {
    throw new ThvError("WORKLOAD_NOT_FOUND", `There is no server "${server}".`, {
      hint: `Start one with thv run, or give an address: ${word === "--server" ? "--server " : ""}http://127.0.0.1:8000/mcp`,
    });
  }
  await awaitTakeOver(client, context);
  const found = await client.call("getWorkload", { params: { name: server } }).catch(async (error) => {
    if (!hasCode(error, "WORKLOAD_NOT_FOUND")) throw error;
    const group = await client.call("getGroup", { params: { name: server } }).catch(() => undefined);
    if (group?.url === undefined) throw error;
    return { status: "running" as const, url: group.url };
  });
  const { status, url } = found;
  if (status === "running" || status === "unhealthy") return new URL(url);
  throw createNotRunning(server, status);
}
