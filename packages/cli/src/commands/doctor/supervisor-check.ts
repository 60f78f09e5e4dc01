/** Versions, the supervisor, and the ports it needs. */
import { readdir, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { ApiClient } from "@toolhive/api/client";
import { hasCode, RunConfigStore, readSystemCode } from "@toolhive/core";
import { isOlder } from "../../installation/older-version.ts";
import { formatKill } from "../../supervisor/format-kill.ts";
import { describePortOwner } from "../../supervisor/port-owner.ts";
import { askRecord, followSocket, type SupervisorFiles, supervisorFiles } from "../../supervisor/supervisor-files.ts";
import { type Check, describeFailure, type Finding } from "./check.ts";

const OLDEST_NODE = [20, 19] as const;

export const checkVersions: Check = async ({ nodeVersion, version }) => {
  const [major = 0, minor = 0] = nodeVersion.replace(/^v/, "").split(".").map(Number);
  const isOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
  const message = `thv ${version} on Node.js ${nodeVersion}`;
  if (!isOld) return [{ check: "version", status: "ok", message }];
  const oldest = OLDEST_NODE.join(".");
  return [{ check: "version", status: "fail", message, fix: `Install Node.js ${oldest} or newer: https://nodejs.org` }];
};

export const checkSupervisor: Check = async ({ context: { env }, platform, version }) => {
  const check = "supervisor";
  const files = supervisorFiles(env);
  try {
    const record = await askRecord(new ApiClient(followSocket(files)));
    const running = `runs as process ${record.pid}, version ${record.version}`;
    if (record.version !== version) {
      const fix = isOlder(record.version, version)
        ? "Any command that needs it replaces it: thv list"
        : `Use the newer thv that started it, or end it: ${formatKill(record.pid)}`;
      return [{ check, status: "warn", message: `${running}; this is thv ${version}`, fix }];
    }
    return [{ check, status: "ok", message: running }, ...(await checkSocket(files, platform))];
  } catch (error) {
    if (hasCode(error, "SUPERVISOR_UNREACHABLE")) {
      return [{ check, status: "ok", message: "does not run; it is started when it is needed" }];
    }
    return [{ ...describeFailure(check, error), fix: `Read its log: ${files.log}` }];
  }
};

async function checkSocket({ socket }: SupervisorFiles, platform: NodeJS.Platform): Promise<Finding[]> {
  if (platform === "win32") return [];
  const { mode } = await stat(socket);
  if ((mode & 0o077) === 0) return [];
  const message = `other users may use ${socket}`;
  return [{ check: "supervisor socket", status: "fail", message, fix: `Close it: chmod 600 ${socket}` }];
}

/** Ports of workloads that should run, while no supervisor holds them, and the API's. */
export const checkPorts: Check = async ({ context: { env }, apiPort }) => {
  const files = supervisorFiles(env);
  const isUp = await askRecord(new ApiClient(followSocket(files))).then(
    () => true,
    () => false,
  );
  const findings: Finding[] = [];
  if (!isUp) {
    for (const { name, host, port } of await workloadsToRun(files)) {
      const owner = await findOwner(port, host);
      if (owner === undefined) continue;
      const message = `${port}, the port of ${name}, is in use by ${owner}`;
      const fix = `End that process, or run ${name} on another port: thv rm ${name}`;
      findings.push({ check: "ports", status: "fail", message, fix });
    }
  }
  const apiOwner = await findOwner(apiPort, "127.0.0.1");
  if (apiOwner !== undefined && !isUp) {
    const message = `${apiPort}, the port of thv serve, is in use by ${apiOwner}`;
    findings.push({
      check: "ports",
      status: "warn",
      message,
      fix: `Serve on another one: thv serve --port ${apiPort + 1}`,
    });
  }
  if (findings.length === 0) findings.push({ check: "ports", status: "ok", message: "those that are needed are free" });
  return findings;
};

async function workloadsToRun({ directories, runConfigs }: SupervisorFiles) {
  const names = (await readdir(runConfigs).catch(() => []))
    .filter((file) => file.endsWith(".json"))
    .map((file) => file.slice(0, -".json".length));
  const store = new RunConfigStore(directories.state);
  // The check of files reports a damaged one.
  const configs = await Promise.all(names.map((name) => store.find(name).catch(() => undefined)));
  return configs.filter((config) => config?.desired_state === "running").filter((config) => config !== undefined);
}

/** @returns The program that listens there; `undefined` when there is none. */
async function findOwner(port: number, host: string): Promise<string | undefined> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, host, resolve);
    });
    return undefined;
  } catch (error) {
    if (readSystemCode(error) !== "EADDRINUSE") return undefined;
    return (await describePortOwner(port)) ?? "another process";
  } finally {
    server.close();
  }
}
