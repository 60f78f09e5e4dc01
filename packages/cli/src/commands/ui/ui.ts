/** `thv ui`: the application of the browser, served by the supervisor. */
import type { CommandHandler } from "../../command-line/command.ts";
import { connectSupervisor } from "../../supervisor/connect.ts";
import { printOutcome } from "../print-outcome.ts";
import { openBrowser } from "../shared/open-browser.ts";
import type { UI } from "./definition.ts";

export const openUi: CommandHandler<typeof UI> = async (input, context) => {
  const { terminal, env } = context;
  const client = await connectSupervisor(context);
  const served = await client.call("openApp", { body: { ...(input.port !== undefined && { port: input.port }) } });
  printOutcome(input, context, served, served.url);
  if (served.url !== served.address) {
    terminal.info(
      "This address signs one browser in, once, within five minutes. For another browser, run thv ui again.",
    );
  }
  const isRemote = env.SSH_CONNECTION !== undefined;
  if (isRemote) {
    const { port } = new URL(served.address);
    terminal.info(`On your own machine, run ssh -L ${port}:127.0.0.1:${port} HOST, then open the address there.`);
  }
  if (!input.noBrowser && !isRemote && input.format === "text") openBrowser(served.url, env);
};
