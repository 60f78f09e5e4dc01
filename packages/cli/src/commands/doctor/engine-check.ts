/** Whether there is a container engine to work with. */
import { stat } from "node:fs/promises";
import { ApiClient } from "@toolhive/api/client";
import type { LimitName } from "@toolhive/core";
import { hasCode } from "@toolhive/core/errors";
import { discoverEngine, findPodman, isUsable, listPlaces, type Place } from "@toolhive/engine";
import { readConfiguredEngine } from "../../supervisor/configured-engine.ts";
import { describeEngine, findIgnored } from "../../supervisor/ignored-variables.ts";
import { askRecord, followSocket, type SupervisorRecord, supervisorFiles } from "../../supervisor/supervisor-files.ts";
import { type Check, describeFailure, type Finding, type Machine } from "./check.ts";

/** The engine of the supervisor that runs; when none runs, the one that the next would find. */
export const checkEngine: Check = async (machine) => {
  const { env } = machine.context;
  const record = await findRecord(env);
  if (record?.engine === undefined) return await checkDiscovery(machine);
  const ignored = findIgnored(env, record);
  return [
    record.engine === null
      ? {
          check: "engine",
          status: "fail",
          message: `the supervisor (pid ${record.pid}) is connected to no container engine`,
          fix: "Start the engine; the supervisor finds it by itself within seconds",
        }
      : { check: "engine", status: "ok", message: `${describeEngine(record.engine)}, which the supervisor uses` },
    ...describeLimits(record.engine?.missingLimits),
    ...(ignored ? [{ check: "variables", status: "warn", ...ignored } as const] : []),
  ];
};

async function findRecord(env: Machine["context"]["env"]): Promise<SupervisorRecord | undefined> {
  try {
    return await askRecord(new ApiClient(followSocket(supervisorFiles(env))));
  } catch {
    // None runs, or it is stuck, which its own check reports.
    return undefined;
  }
}

const checkDiscovery: Check = async ({ context: { env, signal }, home, platform }) => {
  const input = { env, home, platform, configured: await readConfiguredEngine(env) };
  let places: readonly Place[] = [];
  try {
    // Once: some of them are found by a program that is run.
    places = await listPlaces(input);
    const { info } = await discoverEngine({ ...input, places, signal });
    const reason = info.origin === undefined ? "" : `, found by ${info.origin}`;
    return [
      { check: "engine", status: "ok", message: `${describeEngine(info)}${reason}` },
      ...describeLimits(info.missingLimits),
      ...(await describePlaces(places)),
    ];
  } catch (error) {
    if (!hasCode(error, "ENGINE_UNREACHABLE", "ENGINE_PERMISSION")) return [describeFailure("engine", error)];
    // An engine that was named is used or none is.
    const isNamed = places.some((place) => isUsable(place) && place.explicit);
    const installed = !isNamed && (await findPodman(env, platform));
    if (!installed) return [describeFailure("engine", error)];
    // A problem of another engine is worth knowing, and no failure.
    const message = `Podman is installed; its service is started when it is needed. ${error.message}`;
    return [{ check: "engine", status: "ok", message }];
  }
};

/** Places that cannot be used, and a choice that there is between engines. */
async function describePlaces(places: readonly Place[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  const sockets: string[] = [];
  for (const place of places) {
    if (!isUsable(place)) {
      const fix = "Correct it, or choose an engine: thv config set-engine ADDRESS";
      findings.push({ check: "engine", status: "warn", message: `${place.origin}: ${place.problem}`, fix });
    } else if (place.address.kind === "socket" && (await isThere(place.address.path))) {
      sockets.push(`${place.origin}: ${place.address.path}`);
    }
  }
  if (sockets.length > 1) {
    const message = `several engines are here, and the first that answers is used: ${sockets.join(", ")}`;
    const fix = "Choose one: thv config set-engine unix:///path/to/engine.sock";
    findings.push({ check: "engine sockets", status: "warn", message, fix });
  }
  return findings;
}

const LIMITED: Readonly<Record<LimitName, string>> = { memory: "memory", cpus: "processors", pids: "processes" };

/** A rootless engine limits nothing without control groups of version 2 that systemd has delegated to the user. */
function describeLimits(missing: readonly LimitName[] = []): Finding[] {
  if (missing.length === 0) return [];
  const names = missing.map((name) => LIMITED[name]).join(", ");
  const message = `the container engine cannot limit servers in: ${names}`;
  const fix =
    "Boot with control groups of version 2, write [Service] and Delegate=cpu cpuset io memory pids to /etc/systemd/system/user@.service.d/delegate.conf, run systemctl daemon-reload as root, and log in again";
  return [{ check: "limits", status: "warn", message, fix }];
}

async function isThere(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isSocket();
  } catch {
    // Absent, or unreadable: either way the user cannot choose it.
    return false;
  }
}
