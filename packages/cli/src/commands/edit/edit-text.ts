/** `thv edit NAME` without flags: the settings as a text in the user's editor, until it can be applied or is given up. */

import { join } from "node:path";
import { formatServerText, readServerText } from "@toolhive/core";
import { describeError, ThvError } from "@toolhive/core/errors";
import type { CommandContext } from "../../command-line/command.ts";
import { askYes } from "../../terminal/input.ts";
import { showText } from "../../terminal/shown-text.ts";
import type { RequestBody } from "../run/request-body.ts";
import { EditedText } from "./editor.ts";

const INTRO = (name: string) =>
  [
    `# Settings of ${name}, as a project file has them. Save and close to change the server.`,
    "# Its URL, groups and clients stay. Secrets are here by name; store one with: thv secret set NAME",
    "# Each member: thv docs project file",
    "",
  ].join("\n");

/**
 * Opens the editor until `apply` accepts what was saved, or the user gives up. A text that is not applied stays in its file.
 *
 * @param apply Changes the server. Whatever it throws, the server is as before.
 */
export async function editText(
  present: RequestBody,
  apply: (body: RequestBody) => Promise<void>,
  context: CommandContext,
): Promise<void> {
  const { name = "" } = present;
  const { terminal } = context;
  const original = `${INTRO(name)}${formatServerText(present)}`;
  await using file = await EditedText.create(name, original, context);
  for (;;) {
    const text = await file.open();
    if (text === original) {
      terminal.info("Nothing was changed.");
      return;
    }
    try {
      const body = readServerText(text, present, join(process.cwd(), "thv.yaml"));
      await apply(body);
      return;
    } catch (error) {
      file.isKept = true;
      terminal.info(`${terminal.err("red", "Error:")} ${showText(describeError(error))}`);
      if (error instanceof ThvError && error.hint !== undefined) terminal.info(`Hint: ${showText(error.hint)}`);
      if (context.signal.aborted || !(await askAgain(error, context))) {
        throw new ThvError("INTERRUPTED", "Cancelled: nothing was changed.", {
          hint: `Your text is kept in ${file.path}`,
          cause: error,
        });
      }
      file.isKept = false;
    }
  }
}

/** Ctrl-C at the question is a no, and the text stays. */
async function askAgain(error: unknown, { terminal }: CommandContext): Promise<boolean> {
  // Who said no to the differences wants the text as it is.
  const isDeclined = error instanceof ThvError && error.code === "INTERRUPTED";
  return await askYes(terminal, "Open the editor again?", { isDefault: !isDeclined }).catch(() => false);
}
