/** `thv stop`, `thv restart`, `thv rm`: ask the supervisor, then wait until it is so. */
import { ThvError } from "@toolhive/core/errors";
import type { CommandHandler } from "../command.ts";
import { connectSupervisor } from "../supervisor/connect.ts";
import { awaitStatus, failureOf } from "./await-status.ts";

export const stop: CommandHandler = async (input, context) => {
  const [name = ""] = input.positionals;
  const client = await connectSupervisor(context);
  await client.call("stopWorkload", { params: { name } });
  const workload = await awaitStatus({
    client,
    name,
    doing: `Stopping ${name}`,
    until: (current) =>
      !current || current.status === "stopped" || current.status === "error" || current.status === "unknown",
    context,
  });
  if (workload && workload.status !== "stopped") throw failureOf(workload);
  context.terminal.print(`${name} is stopped.`);
};

export const restart: CommandHandler = async (input, context) => {
  const [name = ""] = input.positionals;
  const client = await connectSupervisor(context);
  await client.call("restartWorkload", { params: { name } });
  const workload = await awaitStatus({
    client,
    name,
    doing: `Restarting ${name}`,
    until: (current) => !current || ["running", "unhealthy", "error", "unknown"].includes(current.status),
    context,
  });
  if (!workload) throw new ThvError("WORKLOAD_NOT_FOUND", `"${name}" was removed while it was being restarted.`);
  if (workload.status !== "running") throw failureOf(workload);
  context.terminal.print(`${name} is running at ${workload.url}`);
};

export const remove: CommandHandler = async (input, context) => {
  const [name = ""] = input.positionals;
  const client = await connectSupervisor(context);
  await client.call("deleteWorkload", { params: { name } });
  const workload = await awaitStatus({
    client,
    name,
    doing: `Removing ${name}`,
    until: (current) => current?.status !== "removing",
    context,
  });
  if (workload) throw failureOf(workload);
  context.terminal.print(`${name} is removed.`);
};
