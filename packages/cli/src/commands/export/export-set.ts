/** `thv export --all` and `--group`: what runs as a project file, which `thv up` makes the same of elsewhere. */
import { atomicWrite, describeLeftOut } from "@toolhive/core";
import { ThvError } from "@toolhive/core/errors";
import { quoteWord } from "@toolhive/http/values";
import type { CommandHandler } from "../../command-line/command.ts";
import { connectSupervisor } from "../../supervisor/connect.ts";
import { showLine } from "../../terminal/shown-text.ts";
import { awaitTakeOver } from "../shared/settle.ts";
import type { EXPORT } from "./definition.ts";
import { askBeforeReplacing } from "./export-file.ts";

export const exportSet: CommandHandler<typeof EXPORT> = async (input, context) => {
  const { terminal } = context;
  const { all, group, projectName: name, format } = input;
  const [path, surplus] = input.positionals;
  if (all && group !== undefined) throw new ThvError("USAGE", "thv export takes --all or --group, and not both.");
  if (surplus !== undefined) {
    throw new ThvError("USAGE", `With --all and --group, thv export takes one FILE, and not also "${surplus}".`, {
      hint: "Export one server: thv export WORKLOAD FILE",
    });
  }
  if (format === "k8s") {
    throw new ThvError("USAGE", "--format k8s is for one server.", { hint: "See: thv export --help" });
  }
  const client = await connectSupervisor(context);
  await awaitTakeOver(client, context);
  const query = { ...(group !== undefined && { group }), ...(name !== undefined && { name }) };
  const { file, ...content } = await client.call("exportProject", { query });
  if (path === undefined || path === "-") {
    if (format === "json") terminal.printJson({ file, ...content });
    else terminal.print(file.trimEnd());
  } else {
    if (!input.force) await askBeforeReplacing(path, terminal);
    // Readable for its owner only, because of the variables.
    await atomicWrite(path, file);
    if (format === "json") terminal.printJson({ path, ...content });
    const count = content.servers.length === 1 ? "1 server" : `${content.servers.length} servers`;
    terminal.info(`${path} has ${count}. Start them on another machine: thv up --file ${quoteWord(path)}`);
  }
  for (const each of content.left_out) terminal.info(`Left out: ${showLine(describeLeftOut(each))}.`);
  if (content.secrets.length > 0)
    terminal.info(`Secrets are in it by name. Store them on the other machine: ${content.secrets.join(", ")}`);
};
