/** An API server over a simulated machine, and raw requests to it. */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type IncomingHttpHeaders, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  ClientManager,
  ConfigFile,
  createClientSettings,
  createSecretSettings,
  type GroupEndpoint,
  type GroupEndpointOptions,
  GroupManager,
  GroupStore,
  type GroupToolState,
  openCatalogue,
  RemoteSignIns,
  SecretManager,
  type TokenVerifier,
  UsageBook,
  UsageFiles,
  type WorkloadSupervisor,
} from "@toolhive/core";
import { World } from "@toolhive/core/testing";
import { AppSessions } from "../app/app-sessions.ts";
import type { Handlers } from "../contract/contract.ts";
import { createHandlers } from "../handlers/handlers.ts";
import type { OpenMcp } from "../live/mcp-access.ts";
import { type AccessLogEntry, ApiServer } from "../server/api-server.ts";

export const VERSION = "v1.2.3";
/** What the supervisor says about itself. */
export const SUPERVISOR = {
  pid: 1,
  version: VERSION,
  socket: "/nowhere/supervisor.sock",
  startedAt: "2026-01-28T12:00:00.000Z",
  mode: "background",
  engine: null,
} as const;
/** What its doctor finds. */
export const FINDINGS = [{ check: "engine", status: "warn", message: "It is slow.", fix: "Wait." }] as const;
export const ALLOWED_ORIGIN = "http://localhost:3000";

const openEmptyMcp: OpenMcp = async () => ({
  list: async () => [],
  call: async () => ({}),
  [Symbol.asyncDispose]: async () => undefined,
});

/** An endpoint of a group that nobody calls. */
function openSilentGroup({ port }: GroupEndpointOptions, tools: readonly GroupToolState[]): GroupEndpoint {
  const close = async () => undefined;
  let names: readonly string[] = [];
  const count = (server: string, isOffered: boolean) =>
    tools.filter((tool) => tool.server === server && tool.isOffered === isOffered).length;
  return {
    port,
    counts: { sessions: 0, streams: 0, pendingRequests: 0 },
    get members() {
      return names.map((name) => {
        const hiddenTools = count(name, false);
        const offered = tools.length === 0 ? 1 : count(name, true);
        return { name, state: "ready" as const, tools: offered, ...(hiddenTools > 0 && { hiddenTools }) };
      });
    },
    toolNames: { find: () => undefined, findShown: () => undefined },
    listTools: () => tools,
    imitated: [],
    chooseTools: () => undefined,
    chooseNaming: () => undefined,
    update: (all) => {
      names = all.map(({ name }) => name);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface RawRequest {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | undefined;
}

export class ServedWorld implements AsyncDisposable {
  readonly world: World;
  readonly supervisor: WorkloadSupervisor;
  readonly server: ApiServer;
  readonly clients: ClientManager;
  readonly groups: GroupManager;
  readonly secrets: SecretManager;
  readonly handlers: Handlers;
  /** Browsers that are signed in to the application. */
  readonly sessions: AppSessions;
  /** What clients have done, as tests count it. */
  readonly usage: UsageBook;
  readonly port: number;
  /** Settings and secrets; removed at the end. */
  readonly home: string;
  /** The MCP client of calls. Default: every server has nothing and answers with nothing. */
  readonly mcp: { open: OpenMcp };
  /** What servers offer in every group; where nothing is here, each has one tool without a name. */
  readonly groupTools: GroupToolState[];
  /** Errors that the server called bugs. */
  readonly bugs: unknown[];
  /** What the access log got. */
  readonly requests: AccessLogEntry[];

  private constructor(parts: Omit<ServedWorld, "send" | "sendForLine" | typeof Symbol.asyncDispose>) {
    ({ world: this.world, supervisor: this.supervisor, server: this.server, port: this.port, bugs: this.bugs } = parts);
    ({ home: this.home, clients: this.clients, groups: this.groups } = parts);
    ({ secrets: this.secrets, requests: this.requests } = parts);
    this.handlers = parts.handlers;
    this.mcp = parts.mcp;
    this.groupTools = parts.groupTools;
    this.sessions = parts.sessions;
    this.usage = parts.usage;
  }

  /**
   * @param env Environment of the supervisor.
   * @param tokens Checks the callers of the port. Default: nobody does.
   */
  static async start(env: Readonly<Record<string, string>> = {}, tokens?: TokenVerifier): Promise<ServedWorld> {
    const world = new World();
    const bugs: unknown[] = [];
    const requests: AccessLogEntry[] = [];
    const home = await mkdtemp(join(tmpdir(), "served-world-"));
    const quiet = () => undefined;
    const config = new ConfigFile(home);
    const log = { error: quiet, warn: quiet, info: quiet, debug: quiet };
    const { registry, icons } = openCatalogue(config, { stateDirectory: home, log });
    const secrets = new SecretManager({
      settings: createSecretSettings(config),
      dataDirectory: home,
      env,
      log,
      openKeyring: async () => ({ unavailable: "this machine is simulated" }),
      cost: { log2N: 1, r: 1, p: 1 },
    });
    const signIns = new RemoteSignIns({
      reserved: secrets.reserved,
      readSecret: (name) => secrets.read(name),
      stateDirectory: home,
      log,
      pollMs: 50,
    });
    world.signIns = signIns;
    const { supervisor } = await world.boot();
    const groupTools: GroupToolState[] = [];
    const listWorkloads = () => supervisor.list();
    const groups: GroupManager = new GroupManager({
      store: new GroupStore(home),
      openEndpoint: async (options) => openSilentGroup(options, groupTools),
      listWorkloads,
      findWorkload: (name) => supervisor.find(name),
      onChange: () => void clients.follow(listWorkloads),
      log,
    });
    await groups.load();
    const clients = new ClientManager({
      selectFor: (of, all) => groups.selectFor(of, all),
      settings: createClientSettings(config),
      program: ["/usr/bin/thv"],
      places: { home, platform: "linux" },
      stateDirectory: home,
      log,
    });
    world.onChange = (change) => {
      groups.followOne(change);
      void clients.follow(listWorkloads);
    };
    const usage = new UsageBook({
      store: new UsageFiles(home),
      isWanted: async () => (await config.load()).record_usage !== false,
      setWanted: async (isOn) => void (await config.update((old) => ({ ...old, record_usage: isOn }))),
      log,
      now: () => Date.now(),
    });
    const sessions = new AppSessions(join(home, "app.json"));
    const mcp: { open: OpenMcp } = { open: openEmptyMcp };
    const handlers = createHandlers({
      workloads: supervisor,
      registry,
      icons,
      // The real one belongs to a package that is not known here.
      findEntries: (entries, query) => entries.filter(({ entry }) => entry.name.includes(query)),
      imageAccess: { env: { HOME: home } },
      clients,
      groups,
      secrets,
      signIns,
      proxyLogs: world.proxyLogs,
      usage,
      openMcp: (url, options) => mcp.open(url, options),
      supervisor: {
        describe: () => SUPERVISOR,
        handOver: () => undefined,
        examine: async () => [...FINDINGS],
        channel: "source",
      },
      app: {
        sessions,
        open: async (wanted = 8484) => ({ address: `http://127.0.0.1:${wanted}/`, port: wanted, isOpenToAll: false }),
      },
      version: VERSION,
    });
    const server = new ApiServer({
      handlers,
      onBug: (error) => bugs.push(error),
      onRequest: (entry) => requests.push(entry),
    });
    const guard = { hosts: ["thv.test"], origins: [ALLOWED_ORIGIN] };
    const port = await server.listenOnPort("127.0.0.1", 0, guard, tokens);
    return new ServedWorld({
      mcp,
      groupTools,
      world,
      supervisor,
      server,
      handlers,
      sessions,
      usage,
      clients,
      groups,
      secrets,
      port,
      home,
      bugs,
      requests,
    });
  }

  /** Sends a request as it is: the path is not tidied up, no header is added but Host and, to a body, its type. */
  async send(method: string, path: string, { headers = {}, body }: RawRequest = {}): Promise<RawAnswer> {
    const sent = request({ host: "127.0.0.1", port: this.port, method, path, headers, agent: false });
    if (body !== undefined && !sent.hasHeader("content-type")) sent.setHeader("content-type", "application/json");
    sent.end(body);
    const [response] = await once(sent, "response");
    let text = "";
    for await (const chunk of response.setEncoding("utf8")) text += chunk;
    return { status: response.statusCode, headers: response.headers, body: text };
  }

  /** Like `send`, of a stream: reads its first line, without the newline, and leaves. A refusal is read whole. */
  async sendForLine(method: string, path: string, { headers = {}, body }: RawRequest = {}): Promise<RawAnswer> {
    const sent = request({ host: "127.0.0.1", port: this.port, method, path, headers, agent: false });
    if (body !== undefined && !sent.hasHeader("content-type")) sent.setHeader("content-type", "application/json");
    sent.end(body);
    const [response] = await once(sent, "response");
    let text = "";
    for await (const chunk of response.setEncoding("utf8")) {
      text += chunk;
      if (response.statusCode < 300 && text.includes("\n")) break;
    }
    response.destroy();
    const line = response.statusCode < 300 ? (text.split("\n")[0] ?? "") : text;
    return { status: response.statusCode, headers: response.headers, body: line };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.close();
    await this.supervisor.close({ keepContainers: false });
    // The end of the servers is written into the groups and into clients' files, too.
    await this.groups.close();
    await this.clients.settle();
    await rm(this.home, { recursive: true });
  }
}
