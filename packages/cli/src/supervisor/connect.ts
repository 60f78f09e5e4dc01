/** Finds the supervisor, and starts it in the background when it is not there. */
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { access, readdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ApiClient } from "@toolhive/api/client";
import { ERRORS, hasCode, readSystemCode, ThvError } from "@toolhive/core/errors";
import { createWriteError } from "@toolhive/core/file-failure";
import { makeDirectory } from "@toolhive/core/make-directory";
import { startTimeout } from "@toolhive/core/timeout-signal";
import type { CommandContext } from "../command-line/command.ts";
import { versionInfo } from "../command-line/version-info.ts";
import { isOlder } from "../installation/older-version.ts";
import { describeOwnProgram } from "../installation/own-program.ts";
import { Progress } from "../terminal/progress.ts";
import { formatKill } from "./format-kill.ts";
import { findIgnored, supervisorVariables } from "./ignored-variables.ts";
import { readHolder } from "./lock/process-lock.ts";
import { readStartFailure } from "./start-failure.ts";
import {
  askRecord,
  followSocket,
  readRecord,
  type SupervisorFiles,
  type SupervisorRecord,
  supervisorFiles,
} from "./supervisor-files.ts";

/** Milliseconds a supervisor has to answer after it was started. */
const START_TIMEOUT_MS = 20_000;
/** Milliseconds in which a running supervisor has to answer the smallest request. */
const ANSWER_TIMEOUT_MS = 10_000;
/** Milliseconds one of another version has to let go of its servers. */
const HANDOVER_TIMEOUT_MS = 30_000;
const POLL_MS = 25;

export async function connectSupervisor(context: CommandContext): Promise<ApiClient> {
  const files = supervisorFiles(context.env);
  const client = new ApiClient(followSocket(files));
  const version = await findVersion(client);
  if (version !== undefined) {
    await replaceOther(version, { files, client, context });
    await noteIgnored(client, context);
    return client;
  }
  using _progress = new Progress(context.terminal, "Starting the supervisor");
  await startInBackground(files, client, context);
  return client;
}

/** Like `connectSupervisor`, but `undefined` when there is no supervisor and no workload that needs one. */
export async function connectIfNeeded(context: CommandContext): Promise<ApiClient | undefined> {
  const files = supervisorFiles(context.env);
  const isRunning = (await findVersion(new ApiClient(followSocket(files)))) !== undefined;
  return isRunning || (await hasWorkloads(files)) ? await connectSupervisor(context) : undefined;
}

/**
 * Ends a background supervisor of another version after an upgrade or a downgrade; servers keep running, or start again where
 * Podman runs them.
 */
async function replaceOther(
  version: string,
  { files, client, context }: { files: SupervisorFiles; client: ApiClient; context: CommandContext },
): Promise<void> {
  const own = versionInfo().version;
  // Nearly always: it reads no file.
  if (version === own) return;
  const { terminal } = context;
  const record = await readRecord(files.record);
  if (!isOlder(version, own) && !(isOlder(own, version) && (await hasLostProgram(record)))) {
    if (record?.mode === "background" && isOlder(own, version)) noteNewer(version, record, terminal);
    return;
  }
  if (record?.mode !== "background") {
    terminal.info(`The supervisor is ${version}, and this is ${own}. End thv serve where it runs, and start it again.`);
    return;
  }
  terminal.info(`Replacing the supervisor ${version} by ${own}; servers stay.`);
  using _progress = new Progress(terminal, "Replacing the supervisor");
  await handOver(client, record.pid, files);
  await startInBackground(files, client, context);
}

/** Two versions that are installed side by side share one supervisor; a user who meant to downgrade has to end the newer one. */
function noteNewer(version: string, { program, pid }: SupervisorRecord, terminal: CommandContext["terminal"]): void {
  const where = program === undefined ? "" : `, because ${program} is still installed`;
  const own = versionInfo().version;
  terminal.info(
    `The supervisor is ${version}, and this is ${own}: it stays${where}. To use this one: ${formatKill(pid)}`,
  );
}

/**
 * Whether the program that it was started from is no longer there, or is this one by now. A newer supervisor whose program is
 * still there belongs to a second thv: two of them must not replace each other's supervisor at every command.
 */
async function hasLostProgram(record: SupervisorRecord | undefined): Promise<boolean> {
  const program = record?.program;
  if (typeof program !== "string") return false;
  const { resolveProgram } = await import("../installation/find-installation.ts");
  if (program === (await resolveProgram())) return true;
  return await access(program).then(
    () => false,
    (error) => readSystemCode(error) === "ENOENT",
  );
}

/** A value without effect must not appear to have one. */
async function noteIgnored(client: ApiClient, { env, terminal }: CommandContext): Promise<void> {
  if (Object.keys(supervisorVariables(env)).length === 0) return;
  try {
    const ignored = findIgnored(env, await askRecord(client));
    if (ignored) terminal.info(`${ignored.message} ${ignored.fix}`);
  } catch {
    // It has just ended, or serves the API only: the command's next request reports which.
  }
}

async function handOver(client: ApiClient, pid: number, { lock, log }: SupervisorFiles): Promise<void> {
  try {
    await client.call("handOver");
  } catch (error) {
    // Another command has just asked for the same.
    if (!hasCode(error, "SUPERVISOR_UNREACHABLE")) throw error;
  }
  const deadline = Date.now() + HANDOVER_TIMEOUT_MS;
  while ((await readHolder(lock))?.pid === pid) {
    if (Date.now() > deadline) {
      throw new ThvError("SUPERVISOR_RUNNING", `The supervisor of another version (pid ${pid}) does not exit.`, {
        hint: `End it, then try again: ${formatKill(pid)}. Its log: ${log}`,
      });
    }
    await delay(POLL_MS);
  }
}

async function hasWorkloads({ runConfigs }: SupervisorFiles): Promise<boolean> {
  try {
    return (await readdir(runConfigs)).some((file) => file.endsWith(".json"));
  } catch {
    // No directory yet: nothing was ever created.
    return false;
  }
}

/** @returns `undefined` when there is no supervisor. @throws {ThvError} `SUPERVISOR_UNREACHABLE` when one is stuck. */
async function findVersion(client: ApiClient): Promise<string | undefined> {
  const signal = startTimeout(ANSWER_TIMEOUT_MS);
  try {
    return (await client.call("getVersion", { signal })).version;
  } catch (error) {
    if (signal.aborted) {
      const seconds = ANSWER_TIMEOUT_MS / 1000;
      throw new ThvError("SUPERVISOR_UNREACHABLE", `The supervisor has not answered within ${seconds} s.`, {
        hint: "Find the cause: thv doctor",
        cause: error,
      });
    }
    if (hasCode(error, "SUPERVISOR_UNREACHABLE")) return undefined;
    throw error;
  }
}

async function startInBackground(files: SupervisorFiles, client: ApiClient, context: CommandContext): Promise<void> {
  const log = await openLog(files.log);
  const own = describeOwnProgram(context.env);
  const [program, ...args] = own.command;
  // Loaded here, because most commands find a supervisor that runs.
  const { spawn } = await import("node:child_process");
  const child = spawn(program, [...args, "serve", "--background"], {
    detached: true,
    // On Windows it would open a console of its own.
    windowsHide: true,
    // Over the channel it says why it ends, for which the log may have no room.
    stdio: ["ignore", log, log, "ipc"],
    env: { ...context.env, ...own.env },
  });
  closeSync(log);
  child.unref();
  let failure: unknown;
  child.once("message", (message) => {
    failure = message;
  });
  child.channel?.unref();
  let exitCode: number | null | undefined;
  child.once("exit", (code) => {
    exitCode = code;
  });
  using _channel = { [Symbol.dispose]: () => child.connected && child.disconnect() };
  const deadline = Date.now() + START_TIMEOUT_MS;
  while ((await findVersion(client)) === undefined) {
    if (context.signal.aborted) {
      throw new ThvError("INTERRUPTED", "Interrupted while the supervisor started: no request was sent to it.", {
        hint: "It keeps running in the background, and exits after a minute without work.",
      });
    }
    // When two are started at once, the second one exits, and the first one will answer.
    const hasFailed = exitCode !== undefined && exitCode !== ERRORS.SUPERVISOR_RUNNING.exit;
    if (hasFailed && child.connected) await once(child, "disconnect");
    if (hasFailed || Date.now() > deadline) throw readStartFailure(failure) ?? (await startFailure(files, exitCode));
    await delay(POLL_MS);
  }
}

/** @throws {ThvError} `FILE_FAILED`. */
async function openLog(path: string): Promise<number> {
  await makeDirectory(dirname(path));
  try {
    return openSync(path, "a", 0o600);
  } catch (error) {
    throw createWriteError(error, path);
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
