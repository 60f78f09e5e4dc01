/** `thv logs` */
import type { CommandHandler } from "../command.ts";
import { connectSupervisor } from "../supervisor/connect.ts";

export const logs: CommandHandler = async (input, context) => {
  const [name = ""] = input.positionals;
  const client = await connectSupervisor(context);
  if (!input.bool("follow")) {
    context.terminal.write(await client.call("getWorkloadLogs", { params: { name } }));
    return;
  }
  try {
    const answer = await client.open("getWorkloadLogs", {
      params: { name },
      query: { follow: "true" },
      signal: context.signal,
    });
    answer.setEncoding("utf8");
    for await (const text of answer) context.terminal.write(String(text));
  } catch (error) {
    // Ctrl-C is how a reader ends this, not a failure.
    if (!context.signal.aborted) throw error;
  }
};
