/** `thv edit`: shows a change of a server's settings and applies it; if the new settings do not work, the server goes on with the old. */
import type { ApiClient } from "@toolhive/api/client";
import { PROJECT_LABEL } from "@toolhive/core";
import { ThvError } from "@toolhive/core/errors";
import { nameSetting } from "@toolhive/core/setting-changes";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import { askYes } from "../../terminal/input.ts";
import { Progress } from "../../terminal/progress.ts";
import { showLine } from "../../terminal/shown-text.ts";
import { printOutcome } from "../print-outcome.ts";
import { findProjectFile } from "../project/records/project-approval.ts";
import { refusalInFlags } from "../run/flag-problems.ts";
import { storeSecrets } from "../run/remote-flags.ts";
import type { RequestBody } from "../run/request-body.ts";
import type { WorkloadView } from "../shared/await-status.ts";
import { connectTo } from "../shared/connect-to.ts";
import { withEngine } from "../shared/engine-start.ts";
import { formatSettingChanges, type SettingChange } from "../shared/settings/setting-changes.ts";
import { awaitTakeOver, reportClientFiles } from "../shared/settle.ts";
import { withUnlocked } from "../shared/unlock.ts";
import { reportTools } from "../tools/report-tools.ts";
import type { EDIT, EditInput } from "./definition.ts";
import { applyChanges, type FlagChanges, readChanges, toRunInput } from "./edited-request.ts";

export const edit: CommandHandler<typeof EDIT> = async (input, context) => {
  const [name] = input.positionals;
  const asked = await readChanges(input, context);
  const secrets = listGivenSecrets(input);
  const count = Object.keys(asked.changes).length + asked.removed.length + secrets.length;
  if (count > 0 && input.undo) {
    throw new ThvError("USAGE", "--undo takes the last change back, and changes no other setting.", {
      hint: `First the undo: thv edit ${name} --undo`,
    });
  }
  // An editor without a person would stay open for ever.
  if (count === 0 && !input.undo && !context.terminal.canAsk) {
    throw new ThvError("USAGE", "thv edit needs a setting to change, or a terminal for your editor.", {
      hint: `For example: thv edit ${name} --env KEY=VALUE. All of them: thv edit --help`,
    });
  }
  const client = await connectTo(name, context);
  await awaitTakeOver(client, context);
  if (input.undo) await undoChange(name, input, client, context);
  else if (count === 0) await editInEditor(name, input, client, context);
  else await editByFlags(name, asked, input, client, context);
};

async function editByFlags(
  name: string,
  asked: FlagChanges,
  input: EditInput,
  client: ApiClient,
  context: CommandContext,
): Promise<void> {
  const present = await client.call("exportWorkload", { params: { name } });
  const wanted = applyChanges(name, present, asked);
  const planFlags = async (body: RequestBody): Promise<PlannedChange> => {
    try {
      return await planChange(name, body, client, context);
    } catch (error) {
      throw await refusalInFlags(error, { ...asked.changes, image: wanted.image }, toRunInput(input), "thv edit");
    }
  };
  if (input.dryRun) {
    const planned = await planFlags(wanted);
    showDryRun(name, { ...planned, changes: [...planned.changes, ...listGivenSecrets(input)] }, input, context);
    return;
  }
  const stored = await storeSecrets({ ...wanted, name }, toRunInput(input), client, context);
  const { body } = stored;
  try {
    const act = async () => {
      await client.call("editWorkload", { params: { name }, body });
    };
    await changeServer(name, { ...(await planFlags(body)), act }, input, client, context);
  } catch (error) {
    await stored.forget();
    throw error;
  }
  stored.announce();
}

/** The settings of the server in the user's editor. */
async function editInEditor(name: string, input: EditInput, client: ApiClient, context: CommandContext): Promise<void> {
  const present = await client.call("exportWorkload", { params: { name } });
  const { editText } = await import("./edit-text.ts");
  await editText(
    { ...present, name },
    async (body) => {
      const planned = await planChange(name, body, client, context);
      if (input.dryRun) return showDryRun(name, planned, input, context);
      const act = async () => {
        await client.call("editWorkload", { params: { name }, body });
      };
      await changeServer(name, { ...planned, act }, input, client, context);
    },
    context,
  );
}

async function planChange(
  name: string,
  body: RequestBody,
  client: ApiClient,
  context: CommandContext,
): Promise<PlannedChange> {
  const ask = () => client.call("planWorkload", { body, query: { replace: name } });
  const {
    plan,
    changes = [],
    restarts = false,
  } = await withUnlocked(client, context, () => withEngine(client, context, ask));
  return { changes, restarts, warnings: plan.warnings };
}

async function undoChange(name: string, input: EditInput, client: ApiClient, context: CommandContext): Promise<void> {
  const { undo } = await client.call("getWorkloadDetails", { params: { name } });
  const act = async () => {
    await withUnlocked(client, context, () => client.call("undoWorkloadEdit", { params: { name } }));
  };
  // The supervisor says why there is no undo.
  if (undo === undefined || undo.not_kept.length > 0) return await act();
  const planned = { changes: undo.changes, restarts: undo.restarts, warnings: [] };
  if (input.dryRun) showDryRun(name, planned, input, context);
  else await changeServer(name, { ...planned, act }, input, client, context);
}

/** Settings whose value goes into the secret store: until it is there, no request names it. */
function listGivenSecrets(input: EditInput): SettingChange[] {
  const isGiven = (...values: readonly unknown[]) => values.some((value) => value !== undefined);
  return [
    ...(isGiven(input.remoteAuthBearerToken, input.remoteAuthBearerTokenFile) ? ["oauth_config.bearer_token"] : []),
    ...(isGiven(input.remoteAuthClientSecret, input.remoteAuthClientSecretFile) ? ["oauth_config.client_secret"] : []),
  ].map((member) => ({ member, kind: "changed" }));
}

interface PlannedChange {
  readonly changes: readonly SettingChange[];
  readonly restarts: boolean;
  readonly warnings: readonly string[];
}

function showDryRun(
  name: string,
  { changes, restarts, warnings }: PlannedChange,
  input: EditInput,
  context: CommandContext,
): void {
  const { terminal } = context;
  const lines =
    changes.length === 0
      ? describeUnchanged(name)
      : [`${name} would change:`, ...formatSettingChanges(changes)].join("\n");
  printOutcome(input, context, { name, changes, restarts, warnings }, lines);
  for (const warning of warnings) terminal.info(`Warning: ${showLine(warning)}`);
  if (changes.length === 0) return;
  const consequence = restarts ? ", and restart the server" : "";
  terminal.info(`Nothing was done. Leave --dry-run out to change it${consequence}.`);
}

function describeUnchanged(name: string): string {
  return `${name} already has these settings.`;
}

async function changeServer(
  name: string,
  { changes, restarts, warnings, act }: PlannedChange & { readonly act: () => Promise<void> },
  input: Pick<EditInput, "format" | "yes">,
  client: ApiClient,
  context: CommandContext,
): Promise<void> {
  const { terminal } = context;
  if (changes.length === 0) {
    printOutcome(input, context, { name, changes, restarted: false }, describeUnchanged(name));
    return;
  }
  terminal.info(`${name} changes:`);
  for (const line of formatSettingChanges(changes)) terminal.info(line);
  for (const warning of warnings) terminal.info(`Warning: ${name}: ${showLine(warning)}`);
  await confirmChange(name, restarts, input.yes, context);
  {
    using _progress = new Progress(terminal, `Changing ${name}`);
    await act();
  }
  let workload = await client.call("getWorkload", { params: { name } });
  if (changes.some(({ member }) => member === "tools") && workload.status === "running")
    workload = await reportTools(client, workload, context);
  await reportClientFiles(client, context, { replaced: (entry) => entry.workload === name });
  await reportProject(workload, context);
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

/** @throws {ThvError} `INTERRUPTED` when the user declines. Without a terminal nobody is asked, and the flags count as consent. */
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
async function reportProject({ name, labels = {} }: WorkloadView, context: CommandContext): Promise<void> {
  const label = labels[PROJECT_LABEL];
  if (label === undefined) return;
  const { path } = await findProjectFile(label, context.env);
  const file = path ?? "a project file";
  context.terminal.info(`${name} belongs to ${file}, and thv up changes it back. Change it there, too.`);
}
