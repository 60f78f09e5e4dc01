/** `thv runner` */
import { runRunner } from "@toolhive/operator/runner";
import type { CommandHandler } from "../../command-line/command.ts";
import { versionInfo } from "../../command-line/version-info.ts";
import { openMcp } from "../../mcp/open-mcp.ts";
import { createJsonLog } from "../../supervisor/log.ts";
import type { RUNNER } from "./definition.ts";

export const run: CommandHandler<typeof RUNNER> = async ({ config }, { signal }) => {
  // Standard output belongs to the audit log.
  const log = createJsonLog();
  const listTools = async (url: URL, look: AbortSignal) => {
    await using session = await openMcp(url, { signal: look });
    return await session.list("tools");
  };
  await runRunner({ file: config, log, version: versionInfo(), listTools }, signal);
};
