/** `thv stop`, `thv restart`, `thv rm`: ask the supervisor, then wait for the new status. */
import { ThvError } from "@toolhive/core/errors";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import { Progress } from "../../terminal/progress.ts";
import { awaitStatus, awaitStopped, explainFailure, type WorkloadView } from "../shared/await-status.ts";
import { prepareEngine } from "../shared/engine-start.ts";
import { confirmLoss, describeServers } from "../shared/questions/confirm.ts";
import { withUnlocked } from "../shared/unlock.ts";
import type { RESTART, RM, STOP } from "./definition.ts";
import { type ActOnOne, forEachWorkload, orAbsent, orGroup, type SeveralInput } from "./several.ts";

export const stop: CommandHandler<typeof STOP> = async (input, context) => {
  const timeout = String(input.timeout);
  const stopOne: ActOnOne = async (client, name, isQuiet) => {
    await client.call("stopWorkload", { params: { name }, query: { timeout } });
    const workload = await awaitStopped({ client, name, isQuiet, context });
    if (workload && workload.status !== "stopped") throw postponed("stopped", workload) ?? explainFailure(workload);
    if (workload?.status_context) context.terminal.info(`${name}: ${workload.status_context}`);
    return { line: `${name} is stopped.`, result: { name, status: "stopped" } };
  };
  await forEachWorkload(input, context, {
    verb: "stop",
    doing: "Stopping",
    includeStopped: false,
    act: orAbsent(stopOne, "stopped", context),
  });
};

export const restart: CommandHandler<typeof RESTART> = async (input, context) => {
  const { pull, proxyPort } = input;
  if (proxyPort !== undefined && (input.all || input.positionals.length > 1)) {
    throw new ThvError("USAGE", "--proxy-port is for one server.");
  }
  const query = { ...(pull && { pull: "true" }), ...(proxyPort !== undefined && { proxy_port: String(proxyPort) }) };
  const isOne = !input.all && input.group === undefined && input.positionals.length === 1;
  const restartOne: ActOnOne = async (client, name, isQuiet) => {
    const call = async () => {
      using _progress = pull && !isQuiet ? new Progress(context.terminal, `Pulling the image of ${name}`) : undefined;
      await client.call("restartWorkload", { params: { name }, query });
    };
    // Of several at a time, none could ask.
    await (isOne ? withUnlocked(client, context, call) : call());
    const workload = await awaitStatus({
      client,
      name,
      doing: `Restarting ${name}`,
      until: (current) =>
        !current || ["running", "unhealthy", "unauthenticated", "error", "unknown"].includes(current.status),
      isQuiet,
      context,
    });
    if (!workload) throw new ThvError("WORKLOAD_NOT_FOUND", `"${name}" was removed while it was being restarted.`);
    if (workload.status !== "running") throw postponed("restarted", workload) ?? explainFailure(workload);
    const { status, url } = workload;
    return { line: `${name} is running at ${url}`, result: { name, status, url } };
  };
  await forEachWorkload(input, context, {
    verb: "restart",
    doing: "Restarting",
    includeStopped: true,
    prepare: (client) => prepareEngine(client, context),
    act: orGroup(restartOne, "restart"),
  });
};

export const remove: CommandHandler<typeof RM> = async (input, context) => await removeWorkloads(input, context);

interface RemovalInput extends SeveralInput {
  readonly timeout: number;
  readonly force: boolean;
  /** Whether workloads that `--all` and `--group` find are stopped or removed without a question. */
  readonly yes: boolean;
}

/** As `thv rm` does it, with what it prints. */
export async function removeWorkloads(input: RemovalInput, context: CommandContext): Promise<void> {
  const query = { timeout: String(input.timeout), ...(input.force && { force: "true" }) };
  const removeOne: ActOnOne = async (client, name, isQuiet) => {
    await client.call("deleteWorkload", { params: { name }, query });
    const workload = await awaitStatus({
      client,
      name,
      doing: `Removing ${name}`,
      until: (current) => current?.status !== "removing",
      isQuiet,
      context,
    });
    if (workload) throw postponed("removed", workload) ?? explainFailure(workload);
    return { line: `${name} is removed.`, result: { name, status: "removed" } };
  };
  await forEachWorkload(input, context, {
    verb: "rm",
    doing: "Removing",
    includeStopped: true,
    // A user who names a server has said which one is meant.
    confirm: async (names) => {
      const servers = describeServers(names);
      const which = input.group === undefined ? "--all" : `--group ${input.group}`;
      const loss = {
        what: `This would remove ${servers}.`,
        question: `Remove ${servers}?`,
        command: `thv rm ${which} --yes`,
      };
      await confirmLoss(loss, input.yes, context);
    },
    act: orAbsent(removeOne, "removed", context),
  });
}

/** @returns The error of what is not done while the engine is away, and done later: the supervisor has written it down. */
function postponed(participle: string, { name, ...workload }: WorkloadView): ThvError | undefined {
  const { status, status_context: reason = "", error } = workload;
  if (status !== "unknown" && error?.code !== "ENGINE_UNREACHABLE") return undefined;
  const why = error?.message ?? reason;
  return new ThvError("ENGINE_UNREACHABLE", `${why} "${name}" will be ${participle} once it is back.`.trim(), {
    hint: "Start the container engine, then check the result: thv list --all",
  });
}
