/** An engine that is installed and does not run, and the one command that starts it. */
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { DiscoveryInput } from "./candidate.ts";

export interface StoppedEngine {
  readonly name: string;
  /** A line for a shell: a program and its arguments, none of which needs quotes. */
  readonly command: string;
}

interface Known extends StoppedEngine {
  readonly platforms: readonly NodeJS.Platform[];
  /** Programs on the PATH, or absolute paths, of which one shows that it is installed. */
  readonly signs: readonly string[];
}

/** In the order of the search. */
const KNOWN: readonly Known[] = [
  { name: "OrbStack", platforms: ["darwin"], signs: ["/Applications/OrbStack.app"], command: "open -a OrbStack" },
  { name: "Docker Desktop", platforms: ["darwin"], signs: ["/Applications/Docker.app"], command: "open -a Docker" },
  { name: "Colima", platforms: ["darwin", "linux"], signs: ["colima"], command: "colima start" },
  {
    name: "Rancher Desktop",
    platforms: ["darwin", "linux", "win32"],
    signs: ["rdctl", "rdctl.exe"],
    command: "rdctl start",
  },
  {
    name: "Docker Desktop",
    platforms: ["linux"],
    signs: ["/opt/docker-desktop/bin/docker-desktop"],
    command: "systemctl --user start docker-desktop",
  },
  { name: "Docker Desktop", platforms: ["win32"], signs: ["docker.exe"], command: "docker desktop start" },
  {
    name: "Docker",
    platforms: ["linux"],
    signs: ["dockerd", "/usr/sbin/dockerd"],
    command: "sudo systemctl start docker",
  },
  {
    name: "Podman's machine",
    platforms: ["darwin", "win32"],
    signs: ["podman", "podman.exe"],
    command: "podman machine start",
  },
];

/** @returns Whether there is a Podman whose service can be started: on other systems than Linux it runs in a machine. */
export async function findPodman(env: DiscoveryInput["env"], platform: NodeJS.Platform): Promise<boolean> {
  return platform === "linux" && (await isInstalled(["podman"], env));
}

/** @returns `undefined` when none is installed. */
export async function findStoppedEngine({
  env,
  platform,
}: Pick<DiscoveryInput, "env" | "platform">): Promise<StoppedEngine | undefined> {
  for (const { name, command, platforms, signs } of KNOWN) {
    if (platforms.includes(platform) && (await isInstalled(signs, env))) return { name, command };
  }
  return undefined;
}

/** The next step in an error; a program that gets it and finds the same engine may offer to run the command. */
export function describeStart({ name, command }: StoppedEngine): string {
  return `${name} is installed and does not answer. Start it: ${command}`;
}

async function isInstalled(signs: readonly string[], env: DiscoveryInput["env"]): Promise<boolean> {
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const paths = signs.flatMap((sign) => (sign.startsWith("/") ? [sign] : folders.map((folder) => join(folder, sign))));
  return (await Promise.all(paths.map(isExecutable))).includes(true);
}

async function isExecutable(path: string): Promise<boolean> {
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
