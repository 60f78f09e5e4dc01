/** `thv service install`, `status` and `uninstall`: the supervisor as a service of this user. */
import { readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ApiClient } from "@toolhive/api/client";
import { atomicWrite, readSystemCode, ThvError } from "@toolhive/core";
import { resolveHome } from "@toolhive/core/directories";
import { createWriteError } from "@toolhive/core/file-failure";
import { makeDirectory } from "@toolhive/core/make-directory";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import { describeOwnProgram } from "../../installation/own-program.ts";
import { supervisorVariables } from "../../supervisor/ignored-variables.ts";
import { askRecord, followSocket, type SupervisorRecord, supervisorFiles } from "../../supervisor/supervisor-files.ts";
import { printOutcome } from "../print-outcome.ts";
import { uninterruptible } from "../shared/uninterruptible.ts";
import type { SERVICE_INSTALL, SERVICE_STATUS, SERVICE_UNINSTALL } from "./definition.ts";
import { launchd } from "./launchd.ts";
import { runTool } from "./run-tool.ts";
import { SERVICE_MARK, type ServiceManager, type ServiceProgram } from "./service-manager.ts";
import { systemd } from "./systemd.ts";
import { taskScheduler } from "./task-scheduler.ts";

/** Milliseconds the supervisor has to answer after the service was started. */
const START_TIMEOUT_MS = 30_000;
const POLL_MS = 50;
/** What a supervisor needs of a session beside its own variables: programs, folders, the way to the network. */
const INHERITED = /^(PATH|XDG_(CONFIG|DATA|STATE)_HOME|XDG_RUNTIME_DIR|(https?|no|all)_proxy|NODE_EXTRA_CA_CERTS)$/i;

export const installService: CommandHandler<typeof SERVICE_INSTALL> = async (input, context) => {
  const { terminal } = context;
  const manager = findManager(context);
  const content = manager.describe(describeProgram(input.rest, context));
  if (input.dryRun) {
    const lines = [`# ${manager.file}\n${content}`, ...manager.install.map((call) => `# ${call.join(" ")}`)];
    printOutcome(input, context, { file: manager.file, content, commands: manager.install }, lines.join("\n"));
    return;
  }
  const before = await readOwnFile(manager);
  await assertNoOtherServe(manager, before !== undefined, context);
  if (before !== undefined) for (const call of manager.replace) await runTool(call, context);
  await writeServiceFile(manager.file, content);
  try {
    for (const call of manager.install) await mustRun(call, context);
    await waitForSupervisor(manager, context);
  } catch (error) {
    await rollBack(manager, before, context);
    throw error;
  }
  const line = "The service is installed and runs. It starts with your session, and again when it is killed.";
  printOutcome(input, context, describeService(manager, { installed: true, running: true }), line);
  if (manager.advice) terminal.info(manager.advice);
  if (context.env.TOOLHIVE_SECRETS_PASSWORD) {
    terminal.info("TOOLHIVE_SECRETS_PASSWORD is not written into its file: unlock the secrets with thv secret list.");
  }
};

export const showService: CommandHandler<typeof SERVICE_STATUS> = async (input, context) => {
  const { terminal } = context;
  const manager = findManager(context);
  const content = await readOwnFile(manager);
  const isInstalled = content !== undefined;
  const isRunning = isInstalled && (await askManager(manager, context));
  if (input.format === "json") {
    terminal.printJson(describeService(manager, { installed: isInstalled, running: isRunning }));
  } else if (!isInstalled) {
    terminal.print("The service is not installed. Install it: thv service install");
  } else {
    terminal.print(
      `The service is installed (${manager.title}, ${manager.file}) and ${isRunning ? "runs" : "does not run"}.`,
    );
    if (!isRunning) terminal.info("Start it again: thv service install");
  }
};

export const uninstallService: CommandHandler<typeof SERVICE_UNINSTALL> = async (input, context) => {
  const { terminal } = context;
  const manager = findManager(context);
  const outcome = describeService(manager, { installed: false, running: false });
  if ((await readOwnFile(manager)) === undefined) {
    terminal.info("The service is not installed: there is nothing to do.");
    printOutcome(input, context, outcome);
    return;
  }
  for (const call of manager.uninstall) await runTool(call, context);
  await rm(manager.file, { force: true });
  for (const call of manager.afterRemoval) await runTool(call, context);
  const line = "The service is gone. Servers come back with the next thv command that needs them.";
  printOutcome(input, context, outcome, line);
};

/** What `--format json` prints of it, whichever command asked. */
function describeService(
  { title, file }: ServiceManager,
  state: { readonly installed: boolean; readonly running: boolean },
): object {
  return { ...state, manager: title, file };
}

function findManager({ env }: CommandContext): ServiceManager {
  const places = { home: resolveHome(env), env, uid: process.getuid?.() ?? 0 };
  if (process.platform === "linux") return systemd(places);
  if (process.platform === "darwin") return launchd(places);
  if (process.platform === "win32") return taskScheduler(places);
  throw new ThvError("NOT_SUPPORTED", `thv cannot install services on ${process.platform}.`, {
    hint: "Start thv serve with your system's own service manager.",
  });
}

/** Absolute, because a service has the system's PATH, in which Node of nvm or Homebrew is not. */
function describeProgram(args: readonly string[], { env }: CommandContext): ServiceProgram {
  const inherited = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && INHERITED.test(name) ? [[name, value]] : [],
  );
  const own = describeOwnProgram(env);
  return {
    command: [...own.command, "serve", ...args],
    env: { ...Object.fromEntries(inherited), ...supervisorVariables(env), ...own.env },
  };
}

/** @returns `undefined` when there is none. @throws {ThvError} `FILE_FAILED` when somebody else wrote it. */
async function readOwnFile({ file }: ServiceManager): Promise<string | undefined> {
  let content: string;
  try {
    content = await readFile(file, "utf8");
  } catch (error) {
    if (readSystemCode(error) === "ENOENT") return undefined;
    throw error;
  }
  if (content.slice(0, 200).includes(SERVICE_MARK)) return content;
  throw new ThvError("FILE_FAILED", `${file} was not written by thv service, so it was not changed.`, {
    hint: "Stop that service and move its file away, then try again.",
  });
}

/** A second one in the foreground would end at once, again and again. */
async function assertNoOtherServe(
  manager: ServiceManager,
  isInstalled: boolean,
  context: CommandContext,
): Promise<void> {
  const record = await findRecord(context);
  if (record?.mode !== "foreground" || (isInstalled && (await askManager(manager, context)))) return;
  throw new ThvError("SUPERVISOR_RUNNING", `thv serve is already running (pid ${record.pid}).`, {
    hint: "Stop it, then install the service.",
  });
}

async function findRecord({ env }: CommandContext): Promise<SupervisorRecord | undefined> {
  try {
    return await askRecord(new ApiClient(followSocket(supervisorFiles(env))));
  } catch {
    return undefined; // none runs, or it does not answer: the service takes over or says why not
  }
}

async function writeServiceFile(file: string, content: string): Promise<void> {
  try {
    await makeDirectory(dirname(file), 0o755);
    await atomicWrite(file, content);
  } catch (error) {
    throw createWriteError(error, file);
  }
}

async function mustRun(call: Parameters<typeof runTool>[0], context: CommandContext): Promise<void> {
  const { isOk, output } = await runTool(call, context);
  if (isOk) return;
  const reason = output.split("\n")[0] || "no reason";
  throw new ThvError("SERVICE_FAILED", `${call.join(" ")} failed: ${reason}`, {
    hint: "Nothing was installed. Where your session has no service manager, start thv serve in a terminal.",
    detail: output,
  });
}

async function waitForSupervisor(manager: ServiceManager, context: CommandContext): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while ((await findRecord(context))?.mode !== "foreground") {
    if (Date.now() > deadline) {
      const seconds = START_TIMEOUT_MS / 1000;
      throw new ThvError("SERVICE_FAILED", `The service was started and has not answered within ${seconds} s.`, {
        hint: `Nothing was installed. Run its command by hand: thv serve. ${manager.title} has its output.`,
      });
    }
    await delay(POLL_MS, undefined, { signal: context.signal });
  }
}

/** Best effort: the failure that led here is the one to report. */
async function rollBack(manager: ServiceManager, before: string | undefined, context: CommandContext): Promise<void> {
  const finishing = uninterruptible(context);
  const attempt = async (work: () => Promise<unknown>) => await work().catch(() => undefined);
  for (const call of manager.uninstall) await attempt(() => runTool(call, finishing));
  await attempt(() => (before === undefined ? rm(manager.file, { force: true }) : atomicWrite(manager.file, before)));
  for (const call of before === undefined ? manager.afterRemoval : manager.install)
    await attempt(() => runTool(call, finishing));
}

async function askManager(manager: ServiceManager, context: CommandContext): Promise<boolean> {
  const { output } = await runTool(manager.ask, context);
  return manager.isRunning(output);
}
