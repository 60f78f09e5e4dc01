/**
 * Podman's default connection: `podman-connections.json`, which Podman 5 writes, or `containers.conf` of older ones; and the
 * address of its virtual machine, which `podman machine inspect` prints.
 * https://docs.podman.io/en/latest/markdown/podman-system-connection.1.html
 */
import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describeError, ThvError } from "@toolhive/core";
import { describeReadFailure, readTextIfPresent } from "@toolhive/core/bounded-file";
import { toRecord } from "@toolhive/http/values";
import { parse as parseToml } from "smol-toml";
import { parseEngineAddress } from "../connection/engine-address.ts";
import type { DiscoveryInput, Place } from "./candidate.ts";
import { readMember } from "./read-member.ts";

/** Milliseconds that `podman` has to print an address. */
const INSPECT_MS = 5_000;

interface Connection {
  readonly name: string;
  readonly uri: string;
  readonly identity?: string;
  /** A virtual machine on this machine, which also has a socket here. */
  readonly isMachine: boolean;
}

/** @throws {ThvError} `INVALID_ARGUMENT` when `CONTAINER_CONNECTION` names one that cannot be used. */
export async function findPodmanConnection(input: DiscoveryInput): Promise<Place[]> {
  const { env, home } = input;
  const named = env.CONTAINER_CONNECTION;
  const origin = named ? `CONTAINER_CONNECTION=${named}` : "Podman connection";
  try {
    const connection = await readConnection(join(env.XDG_CONFIG_HOME || join(home, ".config"), "containers"), named);
    if (connection === undefined) return [];
    if (connection.isMachine) return [await findMachineSocket(connection.name, input)];
    const address = parseEngineAddress(connection.uri, { origin, program: "podman" });
    const { identity } = connection;
    const whole = address.kind === "ssh" && identity !== undefined ? { ...address, identity } : address;
    return [{ address: whole, origin: `Podman connection "${connection.name}"`, explicit: Boolean(named) }];
  } catch (error) {
    const problem = describeError(error).replace(/\.$/, "");
    if (!named) return [{ origin, problem }];
    throw new ThvError("INVALID_ARGUMENT", `CONTAINER_CONNECTION is "${named}", and it cannot be used: ${problem}.`, {
      hint: "See which there are: podman system connection list. Or unset CONTAINER_CONNECTION.",
      cause: error,
    });
  }
}

async function readConnection(directory: string, named: string | undefined): Promise<Connection | undefined> {
  const connections = (await readPodman5(directory)) ?? (await readPodman4(directory));
  const name = named || connections?.fallback;
  if (name === undefined || name === "") return undefined;
  const found = connections?.all[name];
  const uri = readMember(found, "URI") ?? readMember(found, "uri");
  if (typeof uri !== "string") throw new Error(`${directory} has no connection "${name}"`);
  const identity = readMember(found, "Identity") ?? readMember(found, "identity");
  const isMachine = (readMember(found, "IsMachine") ?? readMember(found, "is_machine")) === true;
  return { name, uri, isMachine, ...(typeof identity === "string" && identity !== "" && { identity }) };
}

interface Connections {
  readonly fallback: string | undefined;
  readonly all: Readonly<Record<string, unknown>>;
}

async function readPodman5(directory: string): Promise<Connections | undefined> {
  const text = await readIfThere(join(directory, "podman-connections.json"));
  const connection = text === undefined ? undefined : readMember(JSON.parse(text), "Connection");
  return connection === undefined ? undefined : asConnections(connection, "Default", "Connections");
}

async function readPodman4(directory: string): Promise<Connections | undefined> {
  const text = await readIfThere(join(directory, "containers.conf"));
  const engine = text === undefined ? undefined : readMember(parseToml(text), "engine");
  return engine === undefined ? undefined : asConnections(engine, "active_service", "service_destinations");
}

function asConnections(value: unknown, fallbackName: string, allName: string): Connections {
  const fallback = readMember(value, fallbackName);
  const all = readMember(value, allName);
  return {
    fallback: typeof fallback === "string" ? fallback : undefined,
    all: toRecord(all),
  };
}

async function readIfThere(path: string): Promise<string | undefined> {
  return await readTextIfPresent(path).catch((error: unknown) => {
    throw new Error(`${path}: ${describeReadFailure(error)}`);
  });
}

/** Asks `podman` itself: the path depends on its version and on the system's folder for temporary files. */
async function findMachineSocket(name: string, { env }: DiscoveryInput): Promise<Place> {
  // The connection of the machine's root user has this suffix.
  const machine = name.replace(/-root$/, "");
  const origin = `Podman machine "${machine}"`;
  try {
    const format = "{{.ConnectionInfo.PodmanSocket.Path}}";
    const { stdout } = await promisify(execFile)("podman", ["machine", "inspect", "--format", format, machine], {
      env: env as NodeJS.ProcessEnv,
      timeout: INSPECT_MS,
      maxBuffer: 64 * 1024,
      windowsHide: true, // the supervisor has no console, and Windows would open one
    });
    const path = stdout.trim();
    if (path === "" || !(await stat(path)).isSocket()) return { origin, problem: `its socket ${path} is not there` };
    return { address: { kind: "socket", path }, origin, explicit: false };
  } catch (error) {
    const last = describeError(error).trim().split("\n").at(-1);
    return { origin, problem: `podman machine inspect failed: ${last}` };
  }
}
