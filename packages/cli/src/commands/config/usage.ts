/** `thv config get-usage`, `set-usage` */
import { resolveDirectories, UsageFiles } from "@toolhive/core";
import type { CommandHandler } from "../../command-line/command.ts";
import { connectIfNeeded } from "../../supervisor/connect.ts";
import { printOutcome } from "../print-outcome.ts";
import { openConfig } from "../shared/open-registry.ts";
import type { CONFIG_GET_USAGE, CONFIG_SET_USAGE } from "./definition.ts";

const ON = "Calls of servers are counted.";
const OFF = "Calls of servers are not counted, and nothing that was counted is kept.";

export const getUsage: CommandHandler<typeof CONFIG_GET_USAGE> = async (input, context) => {
  const { record_usage: isOn = true } = await openConfig(context).load();
  if (input.format === "json") context.terminal.printJson({ record_usage: isOn });
  else context.terminal.print(isOn ? "on" : "off");
};

export const setUsage: CommandHandler<typeof CONFIG_SET_USAGE> = async (input, context) => {
  const isOn = input.positionals[0] === "on";
  await openConfig(context).update((current) => ({ ...current, record_usage: isOn }));
  const client = await connectIfNeeded(context);
  // The supervisor counts, and has what is not in files yet.
  if (client) await client.call("setUsageRecording", { body: { is_recorded: isOn } });
  else if (!isOn) await new UsageFiles(resolveDirectories(context.env).state).deleteAll();
  printOutcome(input, context, { record_usage: isOn }, isOn ? ON : OFF);
};
