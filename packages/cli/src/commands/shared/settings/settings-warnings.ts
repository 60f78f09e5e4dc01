import { existsSync } from "node:fs";
import { join } from "node:path";
import { CONFIG_FILE, resolveDirectories } from "@toolhive/core/directories";
import type { CommandContext } from "../../../command-line/command.ts";

/** For a command whose supervisor reads the settings: what is ignored of them is a warning here, too. */
export async function warnOfSettings(context: CommandContext): Promise<void> {
  // Most users have no settings, and what reads them takes half of the time in which `thv run` starts.
  if (!existsSync(join(resolveDirectories({ env: context.env }).config, CONFIG_FILE))) return;
  const { openConfig } = await import("../open-registry.ts");
  // Settings that cannot be used at all are the supervisor's to refuse.
  await openConfig(context)
    .load()
    .catch(() => undefined);
}
