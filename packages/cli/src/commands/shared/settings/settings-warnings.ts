import { existsSync } from "node:fs";
import { join } from "node:path";
import { CONFIG_FILE, resolveDirectories } from "@toolhive/core/directories";
import type { CommandContext } from "../../../command-line/command.ts";

/** For a command whose supervisor reads the settings: prints a warning for each setting that is ignored. */
export async function warnOfSettings(context: CommandContext): Promise<void> {
  // Most users have no settings file, and loading the code that reads it takes half of the time in which `thv run` starts.
  if (!existsSync(join(resolveDirectories({ env: context.env }).config, CONFIG_FILE))) return;
  const { openConfig } = await import("../open-registry.ts");
  // The supervisor refuses settings that cannot be used at all.
  await openConfig(context)
    .load()
    .catch(() => undefined);
}
