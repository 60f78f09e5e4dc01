/** `thv config get-sleep-after`, `set-sleep-after` */
import { formatSeconds, parseDuration } from "@toolhive/core/duration";
import { ThvError } from "@toolhive/core/errors";
import type { CommandHandler } from "../../command-line/command.ts";
import { printOutcome } from "../print-outcome.ts";
import { openConfig } from "../shared/open-registry.ts";
import type { CONFIG_GET_SLEEP_AFTER, CONFIG_SET_SLEEP_AFTER } from "./definition.ts";

const MAX_SECONDS = 31_536_000;

export const getSleepAfter: CommandHandler<typeof CONFIG_GET_SLEEP_AFTER> = async (input, context) => {
  const { sleep_after_seconds: seconds = 0 } = await openConfig(context).load();
  if (input.format === "json") context.terminal.printJson({ sleep_after_seconds: seconds });
  else if (seconds === 0) context.terminal.info("New servers do not sleep, unless --sleep-after says so.");
  else context.terminal.print(formatSeconds(seconds));
};

export const setSleepAfter: CommandHandler<typeof CONFIG_SET_SLEEP_AFTER> = async (input, context) => {
  const [text] = input.positionals;
  const seconds = (parseDuration(text) ?? Number.NaN) / 1_000;
  if (!Number.isInteger(seconds) || seconds < 0 || seconds > MAX_SECONDS) {
    throw new ThvError("USAGE", `DURATION is "${text.slice(0, 60)}", but must be whole seconds, at most a year.`, {
      hint: "For example: thv config set-sleep-after 10m, or 0 for never",
    });
  }
  await openConfig(context).update(({ sleep_after_seconds: _, ...others }) => ({
    ...others,
    ...(seconds > 0 && { sleep_after_seconds: seconds }),
  }));
  const line =
    seconds === 0
      ? "New servers do not sleep, unless --sleep-after says so."
      : `New servers sleep after ${formatSeconds(seconds)} without a call, unless --sleep-after says otherwise.`;
  printOutcome(input, context, { sleep_after_seconds: seconds }, line);
};
