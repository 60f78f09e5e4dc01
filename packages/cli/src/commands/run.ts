/** `thv run`: either the server runs and answers afterwards, or nothing is left of the attempt. */
import { resolve } from "node:path";
import type { ApiClient } from "@toolhive/api/client";
import { ThvError } from "@toolhive/core/errors";
import type { CommandContext, CommandHandler } from "../command.ts";
import type { ParsedInput } from "../parse.ts";
import { connectSupervisor } from "../supervisor/connect.ts";
import { awaitStatus, failureOf, type WorkloadView } from "./await-status.ts";
import { parseLabels } from "./label-flag.ts";
import { withUnlocked } from "./secret/unlock.ts";

/** Lines of a failed server's output that are shown. */
const SHOWN_LOG_LINES = 10;

export const run: CommandHandler = async (input, context) => {
  const body = createBody(input);
  const client = await connectSupervisor(context);
  // Not given up on Ctrl-C: without its answer nobody knows what would have to be taken back. It comes within seconds.
  const { name } = await withUnlocked(client, context, () => client.call("createWorkload", { body }));
  let workload: WorkloadView | undefined;
  try {
    workload = await awaitStatus({
      client,
      name,
      doing: `Starting ${name}`,
      until: (current) => !current || ["running", "unhealthy", "error", "unknown"].includes(current.status),
      context,
    });
  } catch (error) {
    await discard(client, name, context);
    if (!context.signal.aborted) throw error;
    throw new ThvError("INTERRUPTED", `Interrupted: "${name}" was not started, and nothing of it is left.`, {
      cause: error,
    });
  }
  if (!workload) throw new ThvError("WORKLOAD_NOT_FOUND", `"${name}" was removed while it was being started.`);
  if (workload.status === "error" || workload.status === "unknown") {
    await showLogs(client, name, context);
    await discard(client, name, context);
    throw failureOf(workload);
  }
  if (workload.status === "unhealthy") {
    context.terminal.note(
      `${name}: ${workload.status_context ?? "the server does not answer"}. Read its output: thv logs ${name}`,
    );
  }
  context.terminal.print(`${name} is running at ${workload.url}`);
};

function createBody(input: ParsedInput) {
  const proxyPort = input.int("proxy-port");
  if (proxyPort !== undefined && (proxyPort < 1 || proxyPort > 65535)) {
    throw new ThvError("USAGE", `--proxy-port is "${proxyPort}", but has to be between 1 and 65535.`);
  }
  const name = input.string("name");
  const targetPort = input.int("target-port");
  const transport = input.string("transport");
  const labels = parseLabels(input.strings("label"));
  return {
    image: wholePath(input.positionals[0] ?? ""),
    ...(name !== undefined && { name }),
    host: input.string("host") ?? "127.0.0.1",
    ...(proxyPort !== undefined && { proxy_port: proxyPort }),
    ...(targetPort !== undefined && { target_port: targetPort }),
    ...(transport !== undefined && { transport }),
    proxy_mode: input.string("proxy-mode") ?? "streamable-http",
    cmd_arguments: [...input.rest],
    env_vars: [...input.strings("env")],
    secrets: input.strings("secret").map(secretOf),
    ...(labels.length > 0 && { labels: Object.fromEntries(labels) }),
  };
}

function secretOf(text: string): { name: string; target: string } {
  const [, name, target] = /^([^,]+),target=(.+)$/s.exec(text) ?? [];
  if (name !== undefined && target !== undefined) return { name, target };
  throw new ThvError("USAGE", `--secret is "${text}", but has to be NAME,target=VARIABLE.`, {
    hint: "For example: --secret github-token,target=GITHUB_PERSONAL_ACCESS_TOKEN",
  });
}

/** A folder is given relative to here; the supervisor is somewhere else. */
function wholePath(image: string): string {
  const folder = /^go:\/\/(\.{1,2}(?:\/.*)?)$/s.exec(image)?.[1];
  return folder === undefined ? image : `go://${resolve(folder)}`;
}

async function showLogs(client: ApiClient, name: string, { terminal }: CommandContext): Promise<void> {
  const text = await client.call("getWorkloadLogs", { params: { name } }).catch(() => "");
  const lines = text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(-SHOWN_LOG_LINES);
  if (lines.length === 0) return;
  terminal.note(`The server's last output:`);
  // A server may write what moves the cursor; here it is quoted, not obeyed.
  for (const line of lines) terminal.note(terminal.err("dim", `  | ${line.replace(/\p{Cc}+/gu, " ").trim()}`));
}

/** Takes back what was created; not interrupted by a second Ctrl-C of the same signal. */
async function discard(client: ApiClient, name: string, context: CommandContext): Promise<void> {
  const calm = { ...context, signal: new AbortController().signal };
  try {
    await client.call("deleteWorkload", { params: { name } });
  } catch (error) {
    if (error instanceof ThvError && error.code === "WORKLOAD_NOT_FOUND") return;
    throw error;
  }
  await awaitStatus({
    client,
    name,
    doing: `Removing what was left of ${name}`,
    until: (current) => current?.status !== "removing",
    context: calm,
  });
}
