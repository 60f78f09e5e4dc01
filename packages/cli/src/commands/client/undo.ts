/** `thv client undo` */
import { ThvError } from "@toolhive/core/errors";
import type { CommandHandler } from "../../command.ts";
import { connectSupervisor } from "../../supervisor/connect.ts";
import { askSupervisor } from "../../supervisor/control.ts";
import { formatFileChanges } from "../../terminal/file-changes.ts";
import { askYes } from "../../terminal/input.ts";

export const undo: CommandHandler = async (input, context) => {
  const { terminal } = context;
  const [name = ""] = input.positionals;
  const client = await connectSupervisor(context);
  const { file, isOnlyOurs } = await askSupervisor(client, "undo-client", { name, isMeant: false });
  if (!file) {
    terminal.note(`There is nothing to undo: thv has not changed the settings of ${name}, or has put them back.`);
    return;
  }
  const isDry = input.bool("dry-run");
  if (isDry || !isOnlyOurs) terminal.print(formatFileChanges([file], terminal));
  if (isDry) {
    terminal.note("Nothing was done. Leave --dry-run out to do it.");
    return;
  }
  if (!isOnlyOurs && !input.bool("yes")) {
    if (!terminal.canAsk) {
      throw new ThvError("USAGE", `${file.path} was changed by somebody else since; those changes would go too.`, {
        hint: `Say that you mean it: thv client undo ${name} --yes`,
      });
    }
    const question = "Somebody else has changed this file since. Put it back all the same?";
    if (!(await askYes(terminal, question))) throw new ThvError("INTERRUPTED", "Cancelled: nothing was changed.");
  }
  const { keptAt } = await askSupervisor(client, "undo-client", { name, isMeant: true });
  terminal.print(`${file.path} is as it was before thv. ${name} is not registered.`);
  if (keptAt !== undefined) terminal.note(`What was there until now: ${keptAt}`);
};
