/** `thv edit`: other settings for a server that exists, shown first, with the server running on where they do not work. */
import type { ApiClient, OperationAnswer } from "@toolhive/api/client";
import { PROJECT_LABEL } from "@toolhive/core";
import { ThvError } from "@toolhive/core/errors";
import { nameSetting } from "@toolhive/core/setting-changes";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import { askYes } from "../../terminal/input.ts";
import { Progress } from "../../terminal/progress.ts";
import { showLine } from "../../terminal/shown-text.ts";
import { printOutcome } from "../print-outcome.ts";
import { findProjectFile } from "../project/project-approval.ts";
import { refusalInFlags } from "../run/flag-problems.ts";
import { storeSecrets } from "../run/remote-flags.ts";
import type { RequestBody } from "../run/request-body.ts";
import { connectTo } from "../shared/connect-to.ts";
import { withEngine } from "../shared/engine-start.ts";
import { formatSettingChanges, type SettingChange } from "../shared/setting-changes.ts";
import { awaitTakeOver, reportClientFiles } from "../shared/settle.ts";
import { withUnlocked } from "../shared/unlock.ts";
import { reportTools } from "../tools/report-tools.ts";
import type { EDIT, EditInput } from "./definition.ts";
import { applyChanges, readChanges, toRunInput } from "./edited-request.ts";

type Plan = OperationAnswer<"planWorkload">;

export const edit: CommandHandler<typeof EDIT> = async (input, context) => {
  const [name] = input.positionals;
  const asked = await readChanges(input, context);
  const secrets = listGivenSecrets(input);
  if (Object.keys(asked.changes).length + asked.removed.length + secrets.length === 0) {
    throw new ThvError("USAGE", "thv edit needs a setting to change.", {
      hint: `For example: thv edit ${name} --env KEY=VALUE. All of them: thv edit --help`,
    });
  }
  const client = await connectTo(name, context);
  await awaitTakeOver(client, context);
  const present = await client.call("exportWorkload", { params: { name } });
  const wanted = applyChanges(name, present, asked);
  const inFlags = async (error: unknown) =>
    await refusalInFlags(error, { ...asked.changes, image: wanted.image }, toRunInput(input), "thv edit");
  if (input.dryRun) {
    const planned = await plan(client, name, wanted, context).catch(async (error: unknown) => {
      throw await inFlags(error);
    });
    showDryRun(name, planned, secrets, input, context);
    return;
  }
  const stored = await storeSecrets({ ...wanted, name }, toRunInput(input), client, context);
  try {
    const body = stored.body;
    const planned = await plan(client, name, body, context).catch(async (error: unknown) => {
      throw await inFlags(error);
    });
    await changeServer(name, { body, present, planned }, input, client, context);
  } catch (error) {
    await stored.forget();
    throw error;
  }
  stored.announce();
};

/** Settings whose value goes into the secret store: until it is there, no request names it. */
function listGivenSecrets(input: EditInput): SettingChange[] {
  const isGiven = (...values: readonly unknown[]) => values.some((value) => value !== undefined);
  return [
    ...(isGiven(input.remoteAuthBearerToken, input.remoteAuthBearerTokenFile) ? ["oauth_config.bearer_token"] : []),
    ...(isGiven(input.remoteAuthClientSecret, input.remoteAuthClientSecretFile) ? ["oauth_config.client_secret"] : []),
  ].map((member) => ({ member, kind: "changed" }));
}

async function plan(client: ApiClient, name: string, body: RequestBody, context: CommandContext): Promise<Plan> {
  const ask = () => client.call("planWorkload", { body, query: { replace: name } });
  return await withUnlocked(client, context, () => withEngine(client, context, ask));
}

function showDryRun(
  name: string,
  { plan: next, changes: planned = [], restarts = false }: Plan,
  secrets: readonly SettingChange[],
  input: EditInput,
  context: CommandContext,
): void {
  const { terminal } = context;
  const changes = [...planned, ...secrets];
  const lines =
    changes.length === 0
      ? `${name} already has these settings.`
      : [`${name} would change:`, ...formatSettingChanges(changes)].join("\n");
  printOutcome(input, context, { name, changes, restarts, warnings: next.warnings }, lines);
  for (const warning of next.warnings) terminal.info(`Warning: ${showLine(warning)}`);
  const consequence = restarts ? ", and restart the server" : "";
  terminal.info(`Nothing was done. Leave --dry-run out to change it${consequence}.`);
}

interface Edit {
  readonly body: RequestBody;
  readonly present: RequestBody;
  readonly planned: Plan;
}

async function changeServer(
  name: string,
  { body, present, planned }: Edit,
  input: Pick<EditInput, "format" | "yes">,
  client: ApiClient,
  context: CommandContext,
): Promise<void> {
  const { terminal } = context;
  const { changes = [], restarts = false } = planned;
  if (changes.length === 0) {
    printOutcome(input, context, { name, changes, restarted: false }, `${name} already has these settings.`);
    return;
  }
  terminal.info(`${name} changes:`);
  for (const line of formatSettingChanges(changes)) terminal.info(line);
  for (const warning of planned.plan.warnings) terminal.info(`Warning: ${name}: ${showLine(warning)}`);
  await confirmChange(name, restarts, input.yes, context);
  {
    using _progress = new Progress(terminal, `Changing ${name}`);
    await client.call("editWorkload", { params: { name }, body });
  }
  let workload = await client.call("getWorkload", { params: { name } });
  if (changes.some(({ member }) => member === "tools") && workload.status === "running")
    workload = await reportTools(client, workload, context);
  await reportClientFiles(client, context, { replaced: (entry) => entry.workload === name });
  await reportProject(name, present, context);
  const { url, status } = workload;
  const members = changes.map(({ member }) => showLine(nameSetting(member.slice(0, 200)))).join(", ");
  const waits = status === "unauthenticated" ? `; it waits for a sign-in: thv auth login ${name}` : "";
  const where = status === "stopped" ? "; it is stopped" : `: ${url}${waits}`;
  printOutcome(
    input,
    context,
    { name, changes, restarted: restarts, status, url },
    `${name} is changed (${members})${where}`,
  );
}

/** @throws {ThvError} `INTERRUPTED` after a no. Without a terminal, the flags are the answer. */
async function confirmChange(
  name: string,
  restarts: boolean,
  isConfirmed: boolean,
  { terminal }: CommandContext,
): Promise<void> {
  if (isConfirmed || !terminal.canAsk) return;
  const question = restarts ? `Change ${name}, and restart it?` : `Change ${name}?`;
  if (await askYes(terminal, question, { isDefault: true })) return;
  throw new ThvError("INTERRUPTED", "Cancelled: nothing was changed.");
}

/** The next `thv up` of its project file changes it back. */
async function reportProject(name: string, { labels = {} }: RequestBody, context: CommandContext): Promise<void> {
  const label = labels[PROJECT_LABEL];
  if (label === undefined) return;
  const { path } = await findProjectFile(label, context.env);
  const file = path ?? "a project file";
  context.terminal.info(`${name} belongs to ${file}, and thv up changes it back. Change it there, too.`);
}
