/** `thv ui`: the application of the browser, served by the supervisor. */
import { pathToFileURL } from "node:url";
import type { CommandHandler } from "../../command-line/command.ts";
import { connectSupervisor } from "../../supervisor/connect.ts";
import { printOutcome } from "../print-outcome.ts";
import { openBrowser } from "../shared/browser/open-browser.ts";
import { chooseRedirectPath } from "../shared/browser/redirect-path.ts";
import type { UI } from "./definition.ts";

export const openUi: CommandHandler<typeof UI> = async (input, context) => {
  const { terminal, env } = context;
  const isRemote = env.SSH_CONNECTION !== undefined;
  const opensBrowser = !input.noBrowser && !isRemote && input.format === "text";
  const client = await connectSupervisor(context);
  const page = opensBrowser ? await chooseRedirectPath(env) : undefined;
  const served = await client.call("openApp", {
    body: { ...(input.port !== undefined && { port: input.port }), ...(page !== undefined && { redirect_page: page }) },
  });
  printOutcome(input, context, served, served.url);
  if (served.url !== served.address) {
    terminal.info(
      "This address signs one browser in, once, within five minutes. For another browser, run thv ui again.",
    );
  }
  if (isRemote) {
    const { port } = new URL(served.address);
    terminal.info(`On your own machine, run ssh -L ${port}:127.0.0.1:${port} HOST, then open the address there.`);
  }
  if (!opensBrowser) return;
  // Other users may read the arguments of the program that opens the browser, but not the page that leads it on.
  const hasToken = served.url !== served.address;
  openBrowser(hasToken && page !== undefined ? pathToFileURL(page).href : served.url, env);
};
