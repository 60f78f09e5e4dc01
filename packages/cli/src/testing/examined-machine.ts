/** A machine for `thv doctor` to examine: a home folder, variables, and an engine that is a socket that answers like one. */
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { type AddressInfo, createServer as createPort } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Finding, Machine } from "../commands/doctor/check.ts";
import { examine } from "../commands/doctor/doctor.ts";
import { supervisorFiles } from "../supervisor/supervisor-files.ts";
import { FakeTerminal } from "./fake-terminal.ts";

const PLENTY = 1e12;

interface Home {
  home: string;
  env: Record<string, string>;
  /** Nobody listens there. The machine's own 8080 may be taken, for example by `npm start`. */
  apiPort: number;
}

/** The machine of the test that runs. */
export const here: Home = { home: "", env: {}, apiPort: 0 };
const servers: Server[] = [];

/** To be called before each test. */
export async function makeMachine(): Promise<void> {
  here.home = await mkdtemp(join(tmpdir(), "thv-doctor-"));
  here.env = {
    HOME: here.home,
    XDG_STATE_HOME: join(here.home, "s"),
    XDG_DATA_HOME: join(here.home, "d"),
    XDG_CONFIG_HOME: join(here.home, "c"),
    DOCKER_HOST: `unix://${join(here.home, "engine.sock")}`,
  };
  const { port, release } = await holdPort(0);
  await release();
  here.apiPort = port;
  await listen(join(here.home, "engine.sock"), { Version: "20.10.24", ApiVersion: "1.41", MinAPIVersion: "1.12" });
}

/** To be called after each test. */
export async function removeMachine(): Promise<void> {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
  await rm(here.home, { recursive: true, force: true });
}

/** Listens at a port of this machine: at any free one for 0. */
export async function holdPort(wanted: number): Promise<{ port: number; release: () => Promise<void> }> {
  const server = createPort();
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(wanted, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { port, release: () => new Promise((resolve) => server.close(() => resolve())) };
}

export async function listen(path: string, answer: unknown): Promise<void> {
  await listenWith(path, () => [200, answer]);
}

export async function listenWith(path: string, answer: (url: string) => readonly [status: number, body: unknown]) {
  await mkdir(dirname(path), { recursive: true });
  const server = createServer((request, response) => {
    const [status, body] = answer(request.url ?? "");
    const type = status === 200 ? "application/json" : "application/problem+json";
    response.writeHead(status, { "Content-Type": type, Connection: "close" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  servers.push(server);
}

export async function write(path: string, text: string, mode = 0o600): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, text, { mode });
}

export function machine(changes: Partial<Machine> = {}): Machine {
  return {
    context: {
      terminal: new FakeTerminal().terminal,
      env: here.env,
      signal: new AbortController().signal,
      tree: { commands: [], groups: [] },
    },
    home: here.home,
    platform: "linux",
    nodeVersion: "v20.19.0",
    version: "v1.0.0",
    program: { path: join(here.home, "toolhive/packages/cli/dist/thv.mjs"), isSingleFile: false },
    workDirectory: here.home,
    apiPort: here.apiPort,
    openKeyring: async () => ({ unavailable: "none on this machine" }),
    freeBytes: async () => PLENTY,
    ...changes,
  };
}

/** A supervisor that runs, with other variables than this command has. */
export async function listenAsSupervisor(engine: unknown): Promise<void> {
  const { socket } = supervisorFiles(here.env);
  await listen(socket, { pid: 4711, version: "v1.0.0", mode: "background", variables: {}, engine });
  await chmod(socket, 0o600);
}

/** What is not fine. */
export async function troubles(changes: Partial<Machine> = {}): Promise<Finding[]> {
  return (await examine(machine(changes))).filter(({ status }) => status !== "ok");
}

export const configPath = () => join(supervisorFiles(here.env).directories.config, "config.yaml");
export const runConfig = (name: string, port: number) =>
  JSON.stringify({
    ...{ name, container_name: name, base_name: name, image: "mcp/echo:1", cmd_args: [], transport: "stdio" },
    ...{ proxy_mode: "sse", host: "127.0.0.1", port, env_vars: {}, desired_state: "running" },
    created_at: "2026-01-01T00:00:00Z",
  });

/** An executable file of the name that a shell searches. */
export async function plantProgram(folder: string, marker?: string): Promise<string> {
  const path = join(here.home, folder, "thv");
  await write(path, "", 0o755);
  if (marker !== undefined) await write(join(here.home, folder, "installation.json"), marker);
  return path;
}
