/** `thv doctor`: checks everything that thv needs, and explains how to fix each problem. Starts and changes nothing. */
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { openSystemKeyring, readSystemCode, ThvError } from "@toolhive/core";
import { resolveHome } from "@toolhive/core/directories";
import type { CommandContext, CommandHandler } from "../../command-line/command.ts";
import { versionInfo } from "../../command-line/version-info.ts";
import { findProgram } from "../../installation/find-installation.ts";
import type { Style } from "../../terminal/terminal.ts";
import { wrap } from "../../terminal/wrap.ts";
import { type Check, type CheckStatus, describeFailure, type Finding, type Machine } from "./check.ts";
import type { DOCTOR } from "./definition.ts";
import { checkEngine } from "./engine-check.ts";
import { checkDisk, checkFiles, checkFolders, checkIsolation } from "./files-check.ts";
import { checkCompletion, checkPath, checkUpdate } from "./installation-check.ts";
import { checkClients, checkRegistry } from "./outside-check.ts";
import { checkSecrets } from "./secrets-check.ts";
import { checkPorts, checkSupervisor, checkVersions } from "./supervisor-check.ts";

const CHECKS: readonly Check[] = [
  checkVersions,
  checkEngine,
  checkSupervisor,
  checkPorts,
  checkUpdate,
  checkPath,
  checkCompletion,
  checkFolders,
  checkFiles,
  checkIsolation,
  checkDisk,
  checkSecrets,
  checkClients,
  checkRegistry,
];

/** Default of `thv serve --port`, whose folder needs this one. */
export const API_PORT = 8080;

const STYLES: Readonly<Record<CheckStatus, Style>> = { ok: "green", warn: "yellow", fail: "red" };
const STATUS_WIDTH = 6;

export const doctor: CommandHandler<typeof DOCTOR> = async (input, context) => {
  if (input.namespace !== undefined && !input.kubernetes) {
    throw new ThvError("USAGE", "--namespace is for --kubernetes.", { hint: "See: thv doctor --help" });
  }
  const findings = input.kubernetes
    ? await (await import("./cluster-check.ts")).examineCluster(input.namespace, context)
    : await examineThisMachine(context);
  const { terminal } = context;
  if (input.format === "json") terminal.printJson(findings);
  else terminal.print(findings.map((finding) => describe(finding, context)).join("\n"));
  const failed = findings.filter(({ status }) => status === "fail");
  if (failed.length === 0) return;
  const names = [...new Set(failed.map(({ check }) => check))].join(", ");
  throw new ThvError("CHECKS_FAILED", `Something needs fixing: ${names}.`, {
    hint: "The line below each one says how to fix it. Run thv doctor again afterwards.",
  });
};

export async function examineThisMachine(context: CommandContext): Promise<Finding[]> {
  return await examine(thisMachine(context));
}

/** @returns What every check found, in their order. A check that breaks off is a finding, too. */
export async function examine(machine: Machine): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const check of CHECKS) {
    try {
      findings.push(...(await check(machine)));
    } catch (error) {
      if (machine.context.signal.aborted) throw new ThvError("INTERRUPTED", "Interrupted: nothing was changed.");
      findings.push(describeFailure(check.name, error));
    }
  }
  return findings;
}

function thisMachine(context: CommandContext): Machine {
  return {
    context,
    home: resolveHome(context.env),
    platform: process.platform,
    nodeVersion: process.version,
    version: versionInfo().version,
    program: findProgram(),
    workDirectory: findWorkDirectory(),
    apiPort: API_PORT,
    openKeyring: openSystemKeyring,
    freeBytes,
  };
}

/** The root where the folder that thv was started in has been removed since. */
function findWorkDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return "/";
  }
}

async function freeBytes(folder: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch (error) {
    if (readSystemCode(error) !== "ENOENT" || dirname(folder) === folder) throw error;
    return await freeBytes(dirname(folder));
  }
}

function describe({ check, status, message, fix }: Finding, { terminal }: CommandContext): string {
  const indent = " ".repeat(STATUS_WIDTH);
  const [first = "", ...more] = wrap(`${check}: ${message}`, terminal.width, indent, indent).split("\n");
  const lines = [terminal.out(STYLES[status], status.padEnd(STATUS_WIDTH)) + first.slice(STATUS_WIDTH), ...more];
  return [...lines, ...(fix === undefined ? [] : [wrap(fix, terminal.width, indent, indent)])].join("\n");
}
