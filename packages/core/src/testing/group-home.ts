/** A home with groups, for tests: managers over one folder, whose endpoints are stand-ins that record the calls they receive. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GroupManager } from "../groups/group-manager.ts";
import { GroupStore } from "../groups/group-store.ts";
import type {
  GroupEndpoint,
  GroupEndpointOptions,
  GroupMember,
  GroupToolNames,
  GroupToolState,
  GroupTools,
} from "../ports/group-endpoint.ts";
import { ThvError } from "../support/errors.ts";
import type { Workload } from "../workload/workload.ts";
import type { WorkloadStatus } from "../workload/workload-status.ts";

interface FakeGroup {
  readonly options: GroupEndpointOptions;
  members: readonly GroupMember[];
  /** The choice of tools that the manager set last. */
  choice: GroupTools | undefined;
  tools: readonly GroupToolState[];
}

export class GroupHome implements AsyncDisposable {
  readonly directory: string;
  workloads: Workload[] = [createMember("fetch"), createMember("memory"), createMember("old", "stopped")];
  /** How often all workloads were listed. */
  lists = 0;
  /** Endpoints that listen, by their port. */
  readonly listening = new Map<number, FakeGroup>();
  /** Ports of other programs. */
  readonly taken = new Set<number>();
  /** Servers that have a tool, by the tool's name. */
  readonly holders = new Map<string, readonly string[]>();

  private constructor(directory: string) {
    this.directory = directory;
  }

  static async create(): Promise<GroupHome> {
    return new GroupHome(await mkdtemp(join(tmpdir(), "groups-")));
  }

  async open(store = new GroupStore(this.directory)): Promise<GroupManager> {
    const quiet = () => undefined;
    const groups = new GroupManager({
      store,
      openEndpoint: this.#openFake,
      listWorkloads: () => {
        this.lists += 1;
        return this.workloads;
      },
      findWorkload: (name) => this.workloads.find((workload) => workload.name === name),
      log: { error: quiet, warn: quiet, info: quiet, debug: quiet },
    });
    await groups.load();
    groups.follow(this.workloads);
    await groups.start();
    return groups;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.directory, { recursive: true });
  }

  /** As the naming rule has it: one that several have is called after its server. */
  readonly toolNames: GroupToolNames = {
    find: (name) => {
      const [, server, own] = /^(.+)__(.+)$/.exec(name) ?? [];
      if (server !== undefined && own !== undefined && this.holders.get(own)?.includes(server))
        return { server, name: own };
      const [only, ...others] = this.holders.get(name) ?? [];
      return only === undefined || others.length > 0 ? undefined : { server: only, name };
    },
    findShown: (server, name) => {
      const all = this.holders.get(name) ?? [];
      if (!all.includes(server)) return undefined;
      return all.length === 1 ? name : `${server}__${name}`;
    },
  };

  readonly #openFake = async (options: GroupEndpointOptions): Promise<GroupEndpoint> => {
    if (this.taken.has(options.port) || this.listening.has(options.port))
      throw new ThvError("PORT_IN_USE", `Port ${options.port}`);
    const fake: FakeGroup = { options, members: [], choice: options.choice, tools: [] };
    this.listening.set(options.port, fake);
    const close = async () => void this.listening.delete(options.port);
    return {
      port: options.port,
      counts: { sessions: 0, streams: 0, pendingRequests: 0 },
      get members() {
        return fake.members.map(
          ({ name, isRunning }) =>
            ({
              name,
              state: isRunning ? "ready" : "stopped",
              ...(fake.choice?.tools?.every(({ server }) => server !== name)
                ? { tools: 0, hiddenTools: 2 }
                : { tools: 2 }),
            }) as const,
        );
      },
      update: (members) => {
        fake.members = members;
      },
      toolNames: this.toolNames,
      listTools: () => fake.tools,
      imitated: [],
      chooseTools: (choice) => {
        fake.choice = choice;
      },
      chooseNaming: () => undefined,
      close,
      [Symbol.asyncDispose]: close,
    };
  };
}

export function createMember(name: string, status: WorkloadStatus = "running"): Workload {
  return {
    name,
    package: "image",
    url: `http://127.0.0.1:1${name.length}000/mcp`,
    port: 10_000 + name.length,
    toolType: "mcp",
    transportType: "stdio",
    status,
    statusContext: "",
    createdAt: new Date(0),
  };
}
