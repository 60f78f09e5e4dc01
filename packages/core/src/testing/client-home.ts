/** A home with MCP clients in it, for tests: their files, and the managers that change these. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ClientManager, type ClientManagerOptions } from "../clients/client-manager.ts";
import { createClientSettings } from "../clients/client-settings.ts";
import { findClient, findDefaultFile } from "../clients/client-types.ts";
import { resolvePlace } from "../clients/resolve-place.ts";
import { ConfigFile } from "../config/config-file.ts";
import type { Workload } from "../workload/workload.ts";

/** Where the servers of `createWorkload` listen. */
export const SERVER_URL = "http://127.0.0.1:28113/mcp";

export class ClientHome implements AsyncDisposable {
  readonly path: string;
  /** What managers have warned of. */
  readonly warnings: string[] = [];

  private constructor(path: string) {
    this.path = path;
  }

  static async create(): Promise<ClientHome> {
    return new ClientHome(await mkdtemp(join(tmpdir(), "clients-")));
  }

  get config(): ConfigFile {
    return new ConfigFile(join(this.path, "own"));
  }

  openManager(options: Pick<ClientManagerOptions, "selectFor"> = {}): ClientManager {
    const ignore = () => undefined;
    const warn = (fields: object) => void this.warnings.push(JSON.stringify(fields));
    return new ClientManager({
      settings: createClientSettings(this.config),
      program: ["/usr/bin/thv"],
      places: { home: this.path, platform: "linux" },
      stateDirectory: join(this.path, "state"),
      log: { error: ignore, warn, info: ignore, debug: ignore },
      ...options,
    });
  }

  /** Makes the client's folder, and its file where it has content. @returns The file's path. */
  async install(id: string, content?: string): Promise<string> {
    const client = findClient(id);
    const file = client && findDefaultFile(client);
    if (!file) throw new Error(`no client ${id}`);
    const path = resolvePlace(file.path, { home: this.path, platform: "linux" });
    await mkdir(dirname(path), { recursive: true });
    if (content !== undefined) await writeFile(path, content);
    return path;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true });
  }
}

/** @returns Names of the entries in a file that has them in `mcpServers`, sorted. */
export async function listEntryNames(path: string): Promise<string[]> {
  return Object.keys(JSON.parse(await readFile(path, "utf8")).mcpServers ?? {}).sort();
}

export function createWorkload(name: string, status: Workload["status"] = "running", url = SERVER_URL): Workload {
  return {
    name,
    package: "image",
    url,
    port: 28113,
    toolType: "mcp",
    transportType: "stdio",
    status,
    statusContext: "",
    createdAt: new Date(0),
  };
}
