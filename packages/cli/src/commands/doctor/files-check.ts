/** Folders, saved files, and the remaining space for them. */
import { access, constants, readdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import {
  ConfigFile,
  describeError,
  listMountWarnings,
  listNetworkWarnings,
  RunConfigStore,
  readSystemCode,
} from "@toolhive/core";
import { suggestLookingAt } from "@toolhive/core/file-failure";
import { listSentences } from "@toolhive/core/located-problem";
import { supervisorFiles } from "../../supervisor/supervisor-files.ts";
import { type Check, describeFailure, type Finding } from "./check.ts";

const LOW_BYTES = 500e6;
/** Fewer do not hold the state of a few workloads and a log. */
const FULL_BYTES = 20e6;

export const checkFolders: Check = async ({ context: { env }, platform }) => {
  const { config, data, state } = supervisorFiles(env).directories;
  const findings: Finding[] = [];
  for (const folder of new Set([config, data, state])) {
    const problem = await problemWithFolder(folder, platform);
    // Folders that are not there yet share the one above them, which is named once.
    if (problem && findings.every(({ message }) => message !== problem.message)) {
      findings.push({ check: "folders", status: "fail", ...problem });
    }
  }
  if (findings.length > 0) return findings;
  // Windows has access lists in place of modes, and this check does not read them.
  const whose = platform === "win32" ? "" : ", by you alone";
  return [{ check: "folders", status: "ok", message: `settings, data and state can be written${whose}` }];
};

async function problemWithFolder(
  folder: string,
  platform: NodeJS.Platform,
): Promise<Pick<Finding, "message" | "fix"> | undefined> {
  try {
    const { mode } = await stat(folder);
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    if (platform === "win32" || (mode & 0o022) === 0) return undefined;
    return { message: `other users may change ${folder}`, fix: `Close it: chmod go-w ${folder}` };
  } catch (error) {
    // It is made when it is needed, if that is possible.
    if (readSystemCode(error) === "ENOENT" && dirname(folder) !== folder)
      return await problemWithFolder(dirname(folder), platform);
    return {
      message: `${folder} cannot be used: ${describeError(error)}`,
      fix: suggestLookingAt(folder, platform),
    };
  }
}

export const checkFiles: Check = async ({ context: { env } }) => {
  const { directories, runConfigs } = supervisorFiles(env);
  const findings: Finding[] = [];
  const config = new ConfigFile(directories.config);
  const reading = await config.read();
  if (!reading.ok && reading.tooNew) findings.push(describeFailure("settings", reading.tooNew));
  else if (!reading.ok) {
    const message = `${config.path} cannot be used: ${listSentences(reading.problems).join("; ")}`;
    findings.push({ check: "settings", status: "fail", message, fix: `Correct the file: ${config.path}` });
  } else if (reading.warnings.length > 0) {
    const message = `${config.path}, ${reading.warnings.join("; ")}`;
    findings.push({ check: "settings", status: "warn", message, fix: `Correct or remove it in ${config.path}` });
  } else findings.push({ check: "settings", status: "ok", message: config.path });
  const files = (await readdir(runConfigs).catch(() => [])).filter((file) => file.endsWith(".json"));
  const store = new RunConfigStore(directories.state);
  const damaged: Finding[] = [];
  for (const file of files) {
    await store
      .find(file.slice(0, -".json".length))
      .catch((error) => damaged.push(describeFailure("workloads", error)));
  }
  if (damaged.length > 0) return [...findings, ...damaged];
  const count = `${files.length} ${files.length === 1 ? "server" : "servers"}`;
  return [...findings, { check: "workloads", status: "ok", message: `${count}, every configuration can be read` }];
};

/** Workloads that can do more than their configuration makes one believe. */
export const checkIsolation: Check = async ({ context: { env } }) => {
  const { directories, runConfigs } = supervisorFiles(env);
  const store = new RunConfigStore(directories.state);
  const findings: Finding[] = [];
  for (const file of await readdir(runConfigs).catch(() => [])) {
    if (!file.endsWith(".json")) continue;
    // The check of files reports a damaged one.
    const config = await store.find(file.slice(0, -".json".length)).catch(() => undefined);
    if (config === undefined) continue;
    const { name } = config;
    const add = (warnings: readonly string[], fix: string) => {
      for (const warning of warnings)
        findings.push({ check: "isolation", status: "warn", message: `${name}: ${warning}`, fix });
    };
    add(listNetworkWarnings(config), `Let only the hosts of its profile through: thv edit ${name} --isolate-network`);
    add(listMountWarnings(config), `Mount less: thv edit ${name}`);
  }
  return findings;
};

export const checkDisk: Check = async ({ context: { env }, freeBytes }) => {
  const { state } = supervisorFiles(env).directories;
  const free = await freeBytes(state);
  const message = `${formatSize(free)} are left for ${state}`;
  if (free >= LOW_BYTES) return [{ check: "disk", status: "ok", message }];
  // Logs are bounded, and images are what takes room.
  const fix = "Make room: remove servers and images that nobody uses: thv rm, docker image prune";
  return [{ check: "disk", status: free < FULL_BYTES ? "fail" : "warn", message, fix }];
};

function formatSize(bytes: number): string {
  return bytes >= 10e9 ? `${Math.floor(bytes / 1e9)} GB` : `${Math.floor(bytes / 1e6)} MB`;
}
