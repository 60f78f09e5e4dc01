/** Finds the supervisor, and starts it in the background when it is not there. */
import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ApiClient } from "@toolhive/api/client";
import { ERRORS, ThvError } from "@toolhive/core/errors";
import type { CommandContext } from "../command.ts";
import { Progress } from "../terminal/progress.ts";
import { type SupervisorFiles, supervisorFiles } from "./supervisor-files.ts";

/** Milliseconds a supervisor has to answer after it was started. */
const START_TIMEOUT_MS = 20_000;
const POLL_MS = 25;

export async function connectSupervisor(context: CommandContext): Promise<ApiClient> {
  const files = supervisorFiles(context.env);
  const client = new ApiClient({ socketPath: files.socket });
  if (await answers(client)) return client;
  using _progress = new Progress(context.terminal, "Starting the supervisor");
  await startInBackground(files, client, context);
  return client;
}

/** Like `connectSupervisor`, but `undefined` when there is no supervisor and no workload for one to look after. */
export async function connectIfNeeded(context: CommandContext): Promise<ApiClient | undefined> {
  const files = supervisorFiles(context.env);
  const client = new ApiClient({ socketPath: files.socket });
  if (await answers(client)) return client;
  return (await hasWorkloads(files)) ? await connectSupervisor(context) : undefined;
}

async function hasWorkloads({ runConfigs }: SupervisorFiles): Promise<boolean> {
  try {
    return (await readdir(runConfigs)).some((file) => file.endsWith(".json"));
  } catch {
    // No directory yet: nothing was ever created.
    return false;
  }
}

async function answers(client: ApiClient): Promise<boolean> {
  try {
    await client.call("getVersion");
    return true;
  } catch (error) {
    if (error instanceof ThvError && error.code === "SUPERVISOR_UNREACHABLE") return false;
    throw error;
  }
}

async function startInBackground(files: SupervisorFiles, client: ApiClient, context: CommandContext): Promise<void> {
  mkdirSync(dirname(files.log), { recursive: true, mode: 0o700 });
  const log = openSync(files.log, "a", 0o600);
  const program = process.argv[1] ?? "";
  const child = spawn(process.execPath, [program, "serve", "--background"], {
    detached: true,
    stdio: ["ignore", log, log],
    env: { ...context.env },
  });
  closeSync(log);
  child.unref();
  let exitCode: number | null | undefined;
  child.once("exit", (code) => {
    exitCode = code;
  });
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await answers(client))) {
    if (context.signal.aborted) {
      throw new ThvError("INTERRUPTED", "Interrupted while the supervisor started: nothing was asked of it.", {
        hint: "It goes on in the background, and ends when it has nothing to do for a minute.",
      });
    }
    // When two are started at once, the one that came second leaves; the first one will answer.
    const hasFailed = exitCode !== undefined && exitCode !== ERRORS.SUPERVISOR_RUNNING.exit;
    if (hasFailed || Date.now() > deadline) throw await startFailure(files, exitCode);
    await delay(POLL_MS);
  }
}

async function startFailure(files: SupervisorFiles, exitCode: number | null | undefined): Promise<ThvError> {
  const lastLine = (await readFile(files.log, "utf8")).trim().split("\n").at(-1) ?? "";
  const what =
    exitCode === undefined ? `did not answer within ${START_TIMEOUT_MS / 1000} s` : `ended with code ${exitCode}`;
  return new ThvError("SUPERVISOR_UNREACHABLE", `The supervisor was started and ${what}: ${lastLine.slice(0, 300)}`, {
    hint: `Read its log: ${files.log}`,
  });
}
