/** Sessions of one server, servers of a group, and tools of a server. */

import type { McpEndpoint } from "@toolhive/core";
import { MemoryPinStore, ToolPins } from "@toolhive/core/testing";
import { OpenRelays, openGroupEndpoint, openMcpEndpoint } from "@toolhive/proxy";
import type { GrowthCase, Prepared } from "./case.ts";
import { BenchClient } from "./client.ts";
import { CHANGING_TOOL, nameTool, ScriptedServer } from "./scripted-server.ts";

const HOST = "127.0.0.1";
const quiet = () => undefined;
const LOG = { error: quiet, warn: quiet, info: quiet, debug: quiet };
/** All bounds are above the largest size, so that it is the work that is measured. */
const LIMITS = { maxSessions: 2_000, maxStreams: 2_000, maxConnections: 4_000, maxSessionRequests: 64 };

async function openPins(): Promise<ToolPins> {
  const store = new MemoryPinStore(new Map());
  const pins = new ToolPins({ name: "growth", store, log: LOG, settings: { mode: "known", changedTools: "refuse" } });
  await pins.load({ image: undefined, isNew: true });
  return pins;
}

interface Served {
  readonly endpoint: McpEndpoint;
  readonly server: ScriptedServer;
}

async function openServer(tools: number, options: object = {}): Promise<Served> {
  const server = new ScriptedServer(tools);
  const endpoint = await openMcpEndpoint({ name: "growth", host: HOST, port: 0, limits: LIMITS, ...options });
  endpoint.pinTools(await openPins());
  endpoint.connect(server);
  return { endpoint, server };
}

/** An endpoint of one server and a client with open sessions of it. */
async function prepareServer(
  program: string,
  { tools, sessions, ...options }: { tools: number; sessions: number; find_tools?: boolean },
  work: (client: BenchClient, served: Served) => Omit<Prepared, "close"> | Promise<Omit<Prepared, "close">>,
): Promise<Prepared> {
  const served = await openServer(tools, options);
  const client = new BenchClient(program);
  await client.do({ do: "open", port: served.endpoint.port, sessions });
  return {
    ...(await work(client, served)),
    close: async () => {
      await client[Symbol.asyncDispose]();
      await served.endpoint.close();
    },
  };
}

/** What was tried: `BENCH_NODE_FLAGS="--min-semi-space-size=512 --max-semi-space-size=512"`. */
const WHY_CALLS =
  "A call does the same whatever the number, and the rest is garbage collection: where Node.js had 512 MB for new objects, the exponent of a call in each session was 0.98.";

const formatCall = (name: string, args: object = {}) => JSON.stringify({ name, arguments: args });
const SESSIONS = [10, 100, 1_000] as const;

export function listSessionCases(program: string): GrowthCase[] {
  return [
    {
      ...{ of: "sessions", work: "Open each", sizes: SESSIONS },
      prepare: (size) =>
        prepareServer(program, { tools: 10, sessions: 0 }, (client, { endpoint }) => ({
          before: () => client.do({ do: "open", port: endpoint.port, sessions: 0 }),
          run: () => client.do({ do: "open", port: endpoint.port, sessions: size }),
        })),
    },
    {
      ...{ of: "sessions", work: "A call in each", sizes: SESSIONS, reason: WHY_CALLS },
      prepare: (size) =>
        prepareServer(program, { tools: 10, sessions: size }, (client) => ({
          run: () => client.do({ do: "ask", method: "tools/call", tools: [formatCall(nameTool(0))] }),
        })),
    },
    {
      ...{ of: "sessions", work: "A notification to each one's stream", sizes: SESSIONS },
      prepare: (size) =>
        prepareServer(program, { tools: 10, sessions: size }, async (client) => {
          await client.do({ do: "listen" });
          return { run: () => client.do({ do: "change", tool: CHANGING_TOOL }) };
        }),
    },
  ];
}

const TOOLS = [10, 100, 1_000] as const;
const ONE_SESSION = { sessions: 1 } as const;

export function listToolCases(program: string): GrowthCase[] {
  return [
    {
      ...{ of: "tools", work: "The list of a server, pinned before", sizes: TOOLS },
      prepare: (size) =>
        prepareServer(program, { tools: size, ...ONE_SESSION }, (client) => ({
          run: () => client.do({ do: "ask", method: "tools/list", times: 5 }),
        })),
    },
    {
      ...{ of: "tools", work: "The first list of a server, which pins them", sizes: TOOLS },
      prepare: (size) =>
        prepareServer(program, { tools: size, ...ONE_SESSION }, (client, { endpoint }) => ({
          before: async () => endpoint.pinTools(await openPins()),
          run: () => client.do({ do: "ask", method: "tools/list" }),
        })),
    },
    {
      ...{ of: "tools", work: "A call of each", sizes: TOOLS, reason: WHY_CALLS },
      prepare: (size) =>
        prepareServer(program, { tools: size, ...ONE_SESSION }, (client) => ({
          run: () => {
            const tools = Array.from({ length: size }, (_, index) => formatCall(nameTool(index)));
            return client.do({ do: "ask", method: "tools/call", tools });
          },
        })),
    },
    {
      ...{ of: "tools", work: "A question to find_tool", sizes: TOOLS },
      prepare: (size) =>
        prepareServer(program, { tools: size, ...ONE_SESSION, find_tools: true }, (client) => ({
          run: () =>
            client.do({
              ...{ do: "ask", method: "tools/call", times: 5 },
              tools: ["create an issue", "search the notes", "export invoice of project 7"].map((query) =>
                formatCall("find_tool", { query }),
              ),
            }),
        })),
    },
  ];
}

/** A group of so many servers with ten tools each, and a client of it. */
async function prepareGroup(
  program: string,
  size: number,
  work: (client: BenchClient, servers: readonly ScriptedServer[]) => Omit<Prepared, "close">,
): Promise<Prepared> {
  const members = await openMembers(size);
  const group = await members.openGroup();
  const client = new BenchClient(program);
  await client.do({ do: "open", port: group.port, sessions: 1 });
  await client.do({ do: "ask", method: "tools/list" });
  return {
    ...work(client, members.servers),
    close: async () => {
      await client[Symbol.asyncDispose]();
      await group.close();
      await members.close();
    },
  };
}

const MEMBER_TOOLS = 10;

async function openMembers(size: number) {
  const relays = new OpenRelays();
  const names = Array.from({ length: size }, (_, index) => `server-${index}`);
  const all = await Promise.all(names.map((name) => openServer(MEMBER_TOOLS, { name, relays })));
  const listed = all.map(({ endpoint }, index) => ({
    name: names[index] ?? "",
    url: `http://${HOST}:${endpoint.port}/mcp`,
    isRunning: true,
    run: "1",
  }));
  return {
    servers: all.map(({ server }) => server),
    /** Its first list is that of all servers. */
    openGroup: async () => {
      const group = await openGroupEndpoint({
        ...{ name: "growth", host: HOST, port: 0, limits: { firstListMs: 60_000 } },
        findRelay: (url) => relays.find(url),
      });
      group.update(listed);
      return group;
    },
    close: async () => {
      for (const { endpoint } of all) await endpoint.close();
    },
  };
}

const MEMBERS = [1, 10, 100] as const;

export function listMemberCases(program: string): GrowthCase[] {
  return [
    {
      ...{ of: "members of a group", work: "Open the group, until a client has the list of all", sizes: MEMBERS },
      prepare: async (size) => {
        const members = await openMembers(size);
        const client = new BenchClient(program);
        let close = async (): Promise<void> => undefined;
        return {
          before: () => close(),
          run: async () => {
            const group = await members.openGroup();
            close = async () => {
              await client.do({ do: "open", port: group.port, sessions: 0 });
              await group.close();
            };
            await client.do({ do: "open", port: group.port, sessions: 1 });
            await client.do({ do: "ask", method: "tools/list" });
          },
          close: async () => {
            await close();
            await client[Symbol.asyncDispose]();
            await members.close();
          },
        };
      },
    },
    {
      ...{ of: "members of a group", work: "The list of their tools", sizes: MEMBERS },
      prepare: (size) =>
        prepareGroup(program, size, (client) => ({
          run: () => client.do({ do: "ask", method: "tools/list", times: 5 }),
        })),
    },
    {
      ...{ of: "members of a group", work: "A call of each", sizes: MEMBERS, reason: WHY_CALLS },
      prepare: (size) =>
        prepareGroup(program, size, (client) => ({
          run: () => {
            const tools = Array.from({ length: size }, (_, index) => formatCall(`server-${index}__${nameTool(0)}`));
            return client.do({ do: "ask", method: "tools/call", tools });
          },
        })),
    },
    {
      ...{ of: "members of a group", work: "One has changed its list, and a client lists again", sizes: MEMBERS },
      prepare: (size) =>
        prepareGroup(program, size, (client, [server]) => ({
          run: async () => {
            server?.announceChange();
            await client.do({ do: "ask", method: "tools/list" });
          },
        })),
    },
  ];
}
