/** `thv inspector`: the MCP Inspector as a child of this command, and its address with the server filled in. */
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { readSystemCode, ThvError } from "@toolhive/core/errors";
import { startTimeout } from "@toolhive/core/timeout-signal";
import { waitForAbort } from "@toolhive/core/until-aborted";
import { createNotRunning } from "@toolhive/core/workload-status";
import type { CommandHandler } from "../../command-line/command.ts";
import { connectSupervisor } from "../../supervisor/connect.ts";
import { describePortOwner } from "../../supervisor/port-owner.ts";
import { Progress } from "../../terminal/progress.ts";
import { awaitTakeOver } from "../shared/settle.ts";
import type { INSPECTOR } from "./definition.ts";
import { InspectorProcess } from "./inspector-process.ts";

/** Milliseconds until the page has to answer; the first time, the package is fetched. */
const START_TIMEOUT_MS = 180_000;
const POLL_MS = 100;

export const inspector: CommandHandler<typeof INSPECTOR> = async (input, context) => {
  const [name] = input.positionals;
  const ports = { ui: input.uiPort, proxy: input.mcpProxyPort };
  const client = await connectSupervisor(context);
  await awaitTakeOver(client, context);
  const { status, url } = await client.call("getWorkload", { params: { name } });
  if (status !== "running" && status !== "unhealthy") throw createNotRunning(name, status);
  await assertFree(ports.ui, "ui-port");
  await assertFree(ports.proxy, "mcp-proxy-port");
  await using running = InspectorProcess.start(ports, context.env);
  {
    using _progress = new Progress(context.terminal, "Starting the MCP Inspector");
    await untilReady(running, ports.ui, context.signal);
  }
  context.terminal.print(pageAddress(ports, url, running.token));
  context.terminal.info("Press Ctrl-C to stop.");
  await Promise.race([running.ended, waitForAbort(context.signal)]);
  if (!context.signal.aborted) throw running.failure("has ended");
};

async function untilReady(running: InspectorProcess, port: number, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (running.token === undefined || !(await answers(port))) {
    signal.throwIfAborted();
    if (running.hasEnded) throw running.failure("could not be started");
    if (Date.now() > deadline) throw running.failure(`did not answer within ${START_TIMEOUT_MS / 1000} s`);
    await delay(POLL_MS, undefined, { signal });
  }
}

async function answers(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/`, { signal: startTimeout(1_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    // Not there yet.
    return false;
  }
}

function pageAddress(ports: { ui: number; proxy: number }, server: string, token: string | undefined): string {
  const page = new URL(`http://localhost:${ports.ui}/`);
  const serverUrl = new URL(server);
  page.searchParams.set("transport", serverUrl.pathname === "/sse" ? "sse" : "streamable-http");
  serverUrl.hash = "";
  page.searchParams.set("serverUrl", serverUrl.href);
  if (ports.proxy !== 6277) page.searchParams.set("MCP_PROXY_FULL_ADDRESS", `http://localhost:${ports.proxy}`);
  if (token !== undefined) page.searchParams.set("MCP_PROXY_AUTH_TOKEN", token);
  return page.href;
}

async function assertFree(port: number, flag: string): Promise<void> {
  const server = createServer();
  server.listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    if (readSystemCode(error) !== "EADDRINUSE") throw error;
    const owner = await describePortOwner(port);
    throw new ThvError("PORT_IN_USE", `Port ${port} is in use${owner ? ` by ${owner}` : ""}.`, {
      hint: `Choose another: --${flag}`,
      cause: error,
    });
  }
  server.close();
  await once(server, "close");
}
