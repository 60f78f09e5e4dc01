/** `thv logs` */
import type { ApiClient } from "@toolhive/api/client";
import { hasCode, ThvError } from "@toolhive/core/errors";
import { parseLogQuery } from "@toolhive/core/log-query";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import type { Input } from "../../command-line/input.ts";
import { connectSupervisor } from "../../supervisor/connect.ts";
import { findGroup } from "../shared/group-name.ts";
import type { LOGS } from "./definition.ts";
import { followLogsOfGroup, printLogsOfGroup } from "./group-logs.ts";

export const logs: CommandHandler<typeof LOGS> = async (input, context) => {
  const [name] = input.positionals;
  const query = readQuery(input);
  const client = await connectSupervisor(context);
  const id = input.proxy ? "getProxyLogs" : "getWorkloadLogs";
  const group = await findGroup(client, name, context);
  if (group) {
    const names = group.workloads.map((member) => member.name);
    const asked = { id, names, query, showsTimes: input.timestamps } as const;
    return await (input.follow ? followLogsOfGroup(client, asked, context) : printLogsOfGroup(client, asked, context));
  }
  if (input.follow) await follow(client, { id, name, query }, context);
  else context.terminal.write(await client.call(id, { params: { name }, query }));
};

interface Asked {
  readonly id: "getProxyLogs" | "getWorkloadLogs";
  readonly name: string;
  readonly query: ReturnType<typeof readQuery>;
}

/** @throws {ThvError} `USAGE`, before anybody is asked. */
function readQuery(input: Input<typeof LOGS>) {
  const { tail, since } = input;
  try {
    const selection = parseLogQuery({ tail, since }, { defaultTail: 0 });
    return {
      tail,
      // As a moment: the supervisor may have another time zone.
      since: selection.since === undefined ? undefined : new Date(selection.since).toISOString(),
      timestamps: input.timestamps ? "true" : undefined,
    };
  } catch (error) {
    if (!(error instanceof ThvError)) throw error;
    throw new ThvError("USAGE", `--${error.message}.`, { hint: "See the accepted values: thv logs --help" });
  }
}

async function follow(client: ApiClient, { id, name, query }: Asked, context: CommandContext): Promise<void> {
  const { terminal, signal } = context;
  try {
    const call = { params: { name }, query: { ...query, follow: "true" }, signal };
    const answer = await client.open(id, call);
    answer.setEncoding("utf8");
    for await (const text of answer) terminal.write(String(text));
  } catch (error) {
    // Ctrl-C is how a reader ends this, not a failure.
    if (signal.aborted) return;
    if (error instanceof ThvError) throw error;
    throw new ThvError("SUPERVISOR_UNREACHABLE", `The supervisor has ended, and the log of "${name}" with it.`, {
      hint: `Follow it again: thv logs --follow ${name}`,
      cause: error,
    });
  }
  if (!signal.aborted) terminal.info(await describeEnd(client, name));
}

/** Why no more lines follow. */
async function describeEnd(client: ApiClient, name: string): Promise<string> {
  try {
    const { status, status_context: reason } = await client.call("getWorkload", { params: { name } });
    if (status === "stopped") return `${name} is stopped. Start it again: thv restart ${name}`;
    if (status === "error") return `${name} has failed${reason ? `: ${reason}` : "."}`;
    if (status === "removing") return `${name} is being removed.`;
    return `The log of ${name} has ended; it is ${status}.`;
  } catch (error) {
    if (hasCode(error, "WORKLOAD_NOT_FOUND")) return `${name} was removed.`;
    throw error;
  }
}
