/** `thv proxy stdio`: a server for clients that only speak stdio. */
import { hasCode } from "@toolhive/core/errors";
import type { CommandHandler } from "../../command-line/command.ts";
import { StdioBridge } from "../../mcp/stdio-bridge.ts";
import { findServerAddress } from "../mcp/server-address.ts";
import type { PROXY_STDIO } from "./definition.ts";

/** What is wrong for good; everything else may pass while a client is already connected. */
const LASTING = ["WORKLOAD_NOT_FOUND", "USAGE"] as const;

export const proxyStdio: CommandHandler<typeof PROXY_STDIO> = async (input, context) => {
  const [server] = input.positionals;
  const { terminal } = context;
  const findAddress = () => findServerAddress(server, "SERVER", context);
  await findAddress().catch((error) => {
    if (hasCode(error, ...LASTING)) throw error;
  });
  const lost = new AbortController();
  terminal.onOutputLost(() => lost.abort());
  const bridge = new StdioBridge({
    stdin: terminal.stdin,
    write: (line) => terminal.writeSlowly(line),
    findAddress,
    report: (text) => terminal.info(`${server}: ${text}`),
    signal: AbortSignal.any([context.signal, lost.signal]),
  });
  await bridge.run();
};
