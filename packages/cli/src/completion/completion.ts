/** `thv completion`, and what its scripts ask at every key press. */

import { shorten } from "@toolhive/http/values";
import type { CommandHandler } from "../command-line/command.ts";
import { showLine } from "../terminal/shown-text.ts";
import { completeWords } from "./candidates.ts";
import type { COMPLETE, COMPLETION } from "./definition.ts";
import { scriptFor } from "./scripts.ts";
import { askSources } from "./sources.ts";

/** Characters of a description; a shell shows one line. */
const MAX_DESCRIPTION = 80;

export const completion: CommandHandler<typeof COMPLETION> = async (input, { terminal }) => {
  terminal.write(scriptFor(input.positionals[0], { hasDescriptions: !input.noDescriptions }));
};

/**
 * Prints one line for the part that the shell has to complete itself (`:none`, `:file` or `:directory`), then one for each
 * candidate: the word, and after a tab its description.
 */
export const complete: CommandHandler<typeof COMPLETE> = async (input, context) => {
  const words = input.thenEmpty ? [...input.rest, ""] : input.rest;
  const { paths = "none", candidates } = await completeWords(words, context.tree, askSources(context));
  // The shell hands them on to the terminal, whatever a file or a registry has for a name.
  const lines = candidates.map(({ value, description }) =>
    [value, ...(description ? [shorten(description, MAX_DESCRIPTION)] : [])].map(showLine).join("\t"),
  );
  context.terminal.write([`:${paths}`, ...lines, ""].join("\n"));
};
