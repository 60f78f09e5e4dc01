/** `thv client undo` */
import type { CommandHandler } from "../../command-line/command.ts";
import { connectSupervisor } from "../../supervisor/connect.ts";
import { describeFileChanges, formatDiff, formatFileChanges, formatForScreen } from "../../terminal/file-changes.ts";
import { printOutcome } from "../print-outcome.ts";
import { confirmLoss } from "../shared/questions/confirm.ts";
import type { CLIENT_UNDO } from "./definition.ts";

export const undo: CommandHandler<typeof CLIENT_UNDO> = async (input, context) => {
  const { terminal } = context;
  const [name] = input.positionals;
  const client = await connectSupervisor(context);
  const params = { name };
  const { file, only_ours: isOnlyOurs } = await client.call("undoClient", { params, body: { apply: false } });
  const isDry = input.dryRun;
  const isJson = input.format === "json";
  if (!file) {
    terminal.info(`There is nothing to undo: thv has not changed the settings of ${name}, or has put them back.`);
    printOutcome(input, context, isDry ? { files: [] } : { client_type: name, undone: false });
    return;
  }
  if (isJson && isDry) terminal.printJson({ files: describeFileChanges([file]) });
  // Standard output then holds nothing but the outcome.
  else if (isJson && !isOnlyOurs) terminal.info(formatDiff(file));
  else if (isDry) terminal.print(formatForScreen([file], terminal));
  // Somebody decides by it, so it is whole.
  else if (!isOnlyOurs) terminal.print(formatFileChanges([file], terminal));
  if (isDry) {
    terminal.info("Nothing was done. Leave --dry-run out to do it.");
    return;
  }
  if (!isOnlyOurs) {
    const loss = {
      what: `${file.path} was changed by another program since; undoing would also discard those changes.`,
      question: "Another program has changed this file since. Restore it anyway?",
      command: `thv client undo ${name} --yes`,
    };
    await confirmLoss(loss, input.yes, context);
  }
  const { kept_at: keptAt } = await client.call("undoClient", { params, body: { apply: true } });
  printOutcome(
    input,
    context,
    { client_type: name, undone: true, path: file.path, ...(keptAt !== undefined && { kept_at: keptAt }) },
    `${file.path} is as it was before thv. ${name} is not registered.`,
  );
  if (keptAt !== undefined) terminal.info(`What was there until now: ${keptAt}`);
};
