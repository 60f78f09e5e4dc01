/** `thv run`: either the server runs and answers afterwards, or nothing remains of the attempt. */
import type { ApiClient } from "@toolhive/api/client";
import { ThvError } from "@toolhive/core/errors";
import { excerptLines, LEFT_OUT } from "@toolhive/core/log-excerpt";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import { connectSupervisor } from "../../supervisor/connect.ts";
import { reportGroup } from "../group/group-offer.ts";
import { awaitStatus, type WorkloadView } from "../shared/await-status.ts";
import { withEngine } from "../shared/engine-start.ts";
import { describeFailedStart, isStartOver, rollBackStart } from "../shared/failed-start.ts";
import { warnOfSettings } from "../shared/settings/settings-warnings.ts";
import { reportClientFiles } from "../shared/settle.ts";
import { withSuggestion } from "../shared/suggest-server.ts";
import { withUnlocked } from "../shared/unlock.ts";
import { describeDetails, readDetails } from "../workload-details.ts";
import type { RUN, RunInput } from "./definition.ts";
import { assertPossible, refusalInFlags } from "./flag-problems.ts";
import { ForegroundOutput, followOutput } from "./foreground.ts";
import { confirmEntry, reportSource, type StoredSecrets, withRequiredVariables } from "./registry-variables.ts";
import { readSignIn, type SignInChoices, signInForRun, storeSecrets } from "./remote-flags.ts";
import { type RequestBody, requestBody } from "./request-body.ts";

export const run: CommandHandler<typeof RUN> = async (input, context) => {
  const asked = await requestBody(input, context);
  await warnOfSettings(context);
  const inFlags = (error: unknown) => refusalInFlags(error, asked, input);
  if (!input.dryRun) {
    const prepare = (body: RequestBody, client: ApiClient) => storeSecrets(body, input, client, context);
    const { fromConfig: path, yes: isAllowed } = input;
    const source = path === "-" ? "The configuration on standard input" : path;
    const command = `thv run --from-config ${path} --yes`;
    const choices = { rephrase: inFlags, prepare, signIn: readSignIn(input), isAllowed };
    return await runRequest(asked, input, context, { ...choices, ...(source && { file: { source, command } }) });
  }
  await assertPossible(asked, input);
  const client = await connectSupervisor(context);
  const { showPlan } = await import("./dry-run.ts");
  await showPlan(client, asked, input, context).catch(async (error) => {
    throw await inFlags(await withSuggestion(error, asked.image, client));
  });
};

interface RunChoices {
  /** Describes an error of the API in the words in which the request was given. */
  readonly rephrase?: (error: unknown) => Promise<unknown>;
  /** Stores the secret values of the request. */
  readonly prepare?: (body: RequestBody, client: ApiClient) => Promise<StoredSecrets>;
  readonly signIn?: SignInChoices;
  /** The file that the request comes from, and the command that runs it without a question. */
  readonly file?: { readonly source: string; readonly command: string };
  /** Whether the user has allowed, without being asked, what a file or an entry of the registry brings. */
  readonly isAllowed?: boolean;
}

export async function runRequest(
  asked: RequestBody,
  input: Pick<RunInput, "format" | "foreground">,
  context: CommandContext,
  {
    rephrase = async (error) => error,
    prepare = async (body) => ({ body, announce: () => undefined, forget: async () => undefined }),
    signIn = {},
    file,
    isAllowed = false,
  }: RunChoices = {},
): Promise<void> {
  const client = await connectSupervisor(context);
  const refuse = async (error: unknown): Promise<never> => {
    await forget();
    throw await rephrase(await withSuggestion(error, asked.image, client));
  };
  if (file) await confirmFile(asked, { ...file, isAllowed }, client, context);
  else {
    await reportSource(asked, client, context);
    await confirmEntry(asked, isAllowed, client, context);
  }
  const answered = await withRequiredVariables(asked, client, context);
  const prepared = await prepare(answered.body, client).catch(async (error: unknown) => {
    await answered.forget();
    throw error;
  });
  const { body } = prepared;
  const forget = async () => {
    await prepared.forget();
    await answered.forget();
  };
  // Ctrl-C does not end it: without its answer, the command could not know what to undo. It arrives within seconds.
  const create = () => client.call("createWorkload", { body });
  const { name } = await withUnlocked(client, context, () => withEngine(client, context, create)).catch(refuse);
  using output = input.foreground ? new ForegroundOutput(client, name, context) : undefined;
  let workload: WorkloadView | undefined;
  try {
    workload = await awaitStatus({
      client,
      name,
      doing: `Starting ${name}`,
      until: isStartOver,
      output,
      context,
    });
  } catch (error) {
    await rollBackStart(client, name, context);
    await forget();
    if (!context.signal.aborted) throw error;
    throw new ThvError("INTERRUPTED", `Interrupted: "${name}" was not started, and nothing of it is left.`, {
      cause: error,
    });
  }
  if (!workload) throw new ThvError("WORKLOAD_NOT_FOUND", `"${name}" was removed while it was being started.`);
  if (workload.status !== "running" && workload.status !== "unauthenticated") {
    const isShown = (await output?.finish()) ?? false;
    if (!workload.remote && !isShown) await showLogs(client, workload, context, { isWhole: input.foreground });
    await rollBackStart(client, name, context, { keepsLog: !workload.remote });
    await forget();
    throw await withSuggestion(describeFailedStart(workload), body.image, client);
  }
  answered.announce();
  prepared.announce();
  if (workload.status === "unauthenticated") workload = await signInForRun(client, workload, signIn, context);
  if ((body.tools?.length ?? 0) > 0) {
    const { reportTools } = await import("../tools/report-tools.ts");
    workload = await reportTools(client, workload, context);
  }
  if (body.group !== undefined) await reportGroup(client, body.group, name, context);
  await reportClientFiles(client, context, { replaced: ({ workload }) => workload === name });
  // What could not be proven of its image, for example.
  if (workload.status_context) context.terminal.info(`${name}: ${workload.status_context}`);
  for (const warning of workload.warnings ?? []) context.terminal.info(`Warning: ${name}: ${warning}`);
  if (input.format === "json") context.terminal.printJson(describeDetails(await readDetails(client, name)));
  else context.terminal.print(`${name} ${describeStart(workload)} at ${workload.url}`);
  if (output) await followOutput(client, name, output, context);
}

/** @throws {ThvError} `NOT_CONFIRMED`, `INTERRUPTED`; or why it cannot be run. */
async function confirmFile(
  body: RequestBody,
  asking: { readonly source: string; readonly command: string; readonly isAllowed: boolean },
  client: ApiClient,
  context: CommandContext,
): Promise<void> {
  const ask = () => client.call("planWorkload", { body });
  const { plan } = await withUnlocked(client, context, () => withEngine(client, context, ask));
  const { confirmPlan } = await import("../shared/questions/confirm-grants.ts");
  await confirmPlan(plan, asking, context.terminal);
}

/** Somebody has to sign in, and the workload waits for that. */
function describeStart({ status }: WorkloadView): string {
  return status === "unauthenticated" ? "waits for a sign-in" : "is running";
}

/** Codes of failures before the server runs. */
const OF_BUILD: ReadonlySet<string> = new Set(["BUILD_FAILED", "PACKAGE_NOT_FOUND", "PACKAGE_REGISTRY_UNREACHABLE"]);

/** @param isWhole Whether all of it is shown, and not only what is likely to say why. */
async function showLogs(
  client: ApiClient,
  { name, error }: WorkloadView,
  { terminal }: CommandContext,
  { isWhole }: { readonly isWhole: boolean },
): Promise<void> {
  const text = await client.call("getWorkloadLogs", { params: { name }, query: { tail: "all" } }).catch(() => "");
  const written = text.split("\n");
  const lines = isWhole ? written.filter((line) => line.trim() !== "") : excerptLines(written);
  if (lines.length === 0) return;
  terminal.info(error && OF_BUILD.has(error.code) ? "The output of the build:" : "The server's output:");
  for (const line of lines) terminal.info(terminal.err("dim", `  | ${line.trim()}`));
  if (lines.some((line) => LEFT_OUT.test(line)))
    terminal.info(`All of it is kept for a while: thv logs ${name} --tail all`);
}
