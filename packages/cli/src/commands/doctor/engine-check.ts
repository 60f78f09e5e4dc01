/** Whether there is a container engine to work with. */

import { stat } from "node:fs/promises";
import { discoverEngine, listEngineCandidates } from "@toolhive/engine";
import { type Check, type Finding, findingOf } from "./check.ts";

export const checkEngine: Check = async ({ context: { env, signal }, home, platform }) => {
  const findings: Finding[] = [];
  try {
    const { info } = await discoverEngine({ env, home, platform, signal });
    const message = `${info.kind === "docker" ? "Docker" : "Podman"} ${info.version} at ${info.address}`;
    findings.push({ check: "engine", status: "ok", message });
  } catch (error) {
    findings.push(findingOf("engine", error));
    return findings;
  }
  const sockets: string[] = [];
  for (const { address, origin } of listEngineCandidates({ env, home, platform })) {
    if (address.kind === "socket" && (await isThere(address.path))) sockets.push(`${origin}: ${address.path}`);
  }
  if (sockets.length > 1) {
    const message = `several engines are here, and the first that answers is used: ${sockets.join(", ")}`;
    const fix = "Choose one: export DOCKER_HOST=unix:///path/to/engine.sock";
    findings.push({ check: "engine sockets", status: "warn", message, fix });
  }
  return findings;
};

async function isThere(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isSocket();
  } catch {
    // Absent, or not to be looked at: either way it is not one to choose from.
    return false;
  }
}
