/** `thv stop`, `thv restart`, `thv rm`: ask the supervisor, then wait until it is so. */
import type { ApiClient } from "@toolhive/api/client";
import { messageOf, ThvError } from "@toolhive/core/errors";
import type { CommandContext, CommandHandler } from "../command.ts";
import type { ParsedInput } from "../parse.ts";
import { connectIfNeeded, connectSupervisor } from "../supervisor/connect.ts";
import { Progress } from "../terminal/progress.ts";
import { awaitStatus, failureOf, type WorkloadView } from "./await-status.ts";
import { awaitClientFiles, awaitTakeOver } from "./settle.ts";

/** Workloads that are asked for at a time; engines do not get faster beyond. */
const AT_A_TIME = 8;

export const stop: CommandHandler = async (input, context) => {
  const timeout = readTimeout(input);
  const stopOne = async (client: ApiClient, name: string, isQuiet = false): Promise<string> => {
    await client.call("stopWorkload", { params: { name }, query: { timeout } });
    const workload = await awaitStatus({
      client,
      name,
      doing: `Stopping ${name}`,
      until: (current) => !current || ["stopped", "error", "unknown"].includes(current.status),
      isQuiet,
      context,
    });
    if (workload && workload.status !== "stopped") throw postponed("stopped", workload) ?? failureOf(workload);
    await awaitClientFiles(client);
    if (workload?.status_context) context.terminal.note(`${name}: ${workload.status_context}`);
    return `${name} is stopped.`;
  };
  const name = oneOrAll("stop", input);
  if (name === undefined)
    await forAll(context, { verb: "stop", doing: "Stopping", includeStopped: false, act: stopOne });
  else context.terminal.print(await stopOne(await connectSupervisor(context), name));
};

export const restart: CommandHandler = async (input, context) => {
  const pull = input.bool("pull");
  const proxyPort = readProxyPort(input);
  const query = { ...(pull && { pull: "true" }), ...(proxyPort !== undefined && { proxy_port: String(proxyPort) }) };
  const restartOne = async (client: ApiClient, name: string, isQuiet = false): Promise<string> => {
    {
      using _progress = pull && !isQuiet ? new Progress(context.terminal, `Pulling the image of ${name}`) : undefined;
      await client.call("restartWorkload", { params: { name }, query });
    }
    const workload = await awaitStatus({
      client,
      name,
      doing: `Restarting ${name}`,
      until: (current) => !current || ["running", "unhealthy", "error", "unknown"].includes(current.status),
      isQuiet,
      context,
    });
    if (!workload) throw new ThvError("WORKLOAD_NOT_FOUND", `"${name}" was removed while it was being restarted.`);
    if (workload.status !== "running") throw postponed("restarted", workload) ?? failureOf(workload);
    await awaitClientFiles(client);
    return `${name} is running at ${workload.url}`;
  };
  const name = oneOrAll("restart", input);
  if (name === undefined)
    await forAll(context, { verb: "restart", doing: "Restarting", includeStopped: true, act: restartOne });
  else context.terminal.print(await restartOne(await connectSupervisor(context), name));
};

export const remove: CommandHandler = async (input, context) => {
  const [name = ""] = input.positionals;
  const query = { timeout: readTimeout(input), ...(input.bool("force") && { force: "true" }) };
  const client = await connectSupervisor(context);
  await client.call("deleteWorkload", { params: { name }, query });
  const workload = await awaitStatus({
    client,
    name,
    doing: `Removing ${name}`,
    until: (current) => current?.status !== "removing",
    context,
  });
  if (workload) throw postponed("removed", workload) ?? failureOf(workload);
  await awaitClientFiles(client);
  context.terminal.print(`${name} is removed.`);
};

/** @returns The error of what is not done while the engine is away, and done later: the supervisor has written it down. */
function postponed(participle: string, { name, ...workload }: WorkloadView): ThvError | undefined {
  const { status, status_context: reason = "", error } = workload;
  if (status !== "unknown" && error?.code !== "ENGINE_UNREACHABLE") return undefined;
  const why = error?.message ?? reason.replace(/^cannot \w+: /, "");
  return new ThvError("ENGINE_UNREACHABLE", `${why} "${name}" will be ${participle} once it is back.`.trim(), {
    hint: "Start the container engine, then see how it went: thv list --all",
  });
}

/** @throws {ThvError} `USAGE`. */
function readProxyPort(input: ParsedInput): number | undefined {
  const port = input.int("proxy-port");
  if (port === undefined) return undefined;
  if (port < 1 || port > 65_535) {
    throw new ThvError("USAGE", `--proxy-port is "${port}", but has to be between 1 and 65535.`);
  }
  if (input.bool("all")) throw new ThvError("USAGE", "--proxy-port is for one server, and not for --all.");
  return port;
}

/** @returns Seconds, as the API reads them. @throws {ThvError} `USAGE`. */
function readTimeout(input: ParsedInput): string {
  const timeout = input.int("timeout") ?? 30;
  if (timeout >= 0 && timeout <= 3_600) return String(timeout);
  throw new ThvError("USAGE", `--timeout is "${timeout}", but has to be between 0 and 3600 seconds.`);
}

/** @returns The name, or `undefined` for all. @throws {ThvError} `USAGE` when it is neither or both. */
function oneOrAll(verb: string, input: ParsedInput): string | undefined {
  const [name] = input.positionals;
  if (input.bool("all")) {
    if (name === undefined) return undefined;
    throw new ThvError("USAGE", `thv ${verb} takes "${name}" or --all, and not both.`);
  }
  if (name !== undefined) return name;
  throw new ThvError("USAGE", `thv ${verb} needs WORKLOAD or --all.`, { hint: `See: thv ${verb} --help` });
}

interface ForAll {
  readonly verb: string;
  /** For the progress line. */
  readonly doing: string;
  readonly includeStopped: boolean;
  /** @returns The line that says that it is done. */
  readonly act: (client: ApiClient, name: string, isQuiet: boolean) => Promise<string>;
}

/** Acts on all workloads; those that failed are named together at the end, and do not hold up the others. */
async function forAll(context: CommandContext, { verb, doing, includeStopped, act }: ForAll): Promise<void> {
  const client = await connectIfNeeded(context);
  const query = includeStopped ? { all: "true" } : {};
  if (client) await awaitTakeOver(client, context);
  const names = client ? (await client.call("listWorkloads", { query })).workloads.map(({ name }) => name) : [];
  if (!client || names.length === 0) {
    context.terminal.note(includeStopped ? "There are no workloads." : "Nothing is running.");
    return;
  }
  const failures: { name: string; error: unknown }[] = [];
  const results: string[] = [];
  const waiting = [...names];
  const work = async (progress: Progress) => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      try {
        results.push(await act(client, name, true));
      } catch (error) {
        if (context.signal.aborted) throw error;
        failures.push({ name, error });
      }
      progress.update(progressText());
    }
  };
  const progressText = () => `${doing} ${names.length} workloads: ${results.length + failures.length} done`;
  {
    using progress = new Progress(context.terminal, progressText());
    await Promise.all(Array.from({ length: AT_A_TIME }, () => work(progress)));
  }
  for (const line of results.sort()) context.terminal.print(line);
  const [first] = failures;
  if (!first) return;
  const list = failures
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .map(({ name, error }) => `${name}: ${messageOf(error)}`)
    .join(" ");
  throw new ThvError(
    first.error instanceof ThvError ? first.error.code : "INTERNAL",
    `${failures.length} of ${names.length} workloads did not ${verb}. ${list}`,
    { hint: "See how they are: thv list --all", cause: first.error },
  );
}
