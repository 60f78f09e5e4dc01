/** `thv version` */
import { BRAND } from "@toolhive/core/brand";
import type { CommandHandler } from "../../command-line/command.ts";
import { versionInfo } from "../../command-line/version-info.ts";
import { findInstallation } from "../../installation/find-installation.ts";
import type { VERSION } from "./definition.ts";

export const version: CommandHandler<typeof VERSION> = async (input, { terminal }) => {
  const { channel } = await findInstallation();
  const info = { ...versionInfo(), channel };
  if (input.json || input.format === "json") {
    terminal.printJson(info);
    return;
  }
  terminal.print(
    [
      `${BRAND.product} ${info.version}`,
      `Commit: ${info.commit}`,
      `Built: ${info.build_date}`,
      `Node version: ${info.node_version}`,
      `Platform: ${info.platform}`,
      `Channel: ${channel}`,
    ].join("\n"),
  );
};
