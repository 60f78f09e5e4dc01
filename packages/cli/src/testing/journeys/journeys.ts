/**
 * What people do with a set of servers, with the real `thv` and a real engine, in two homes: taken over from an editor and moved
 * to another machine, changed, shared. Tests run these to the end, and a benchmark times them.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { type RealImageRegistry, runThv, type TestEngine, ThrowawayHome, waitFor } from "@toolhive/testing";
import { withMcpClient } from "../mcp-client.ts";
import { JourneyServer } from "./journey-server.ts";

/** Seals secrets of a test's home. */
const PASSWORD = { TOOLHIVE_SECRETS_PASSWORD: "password-of-a-test" };
const TOKEN = "token-of-the-journey-0123456789";
/** What the header of the editor's file has. */
const HEADER = `Bearer ${TOKEN}`;

/** A home in which `thv` is called, and every call must succeed. */
class Machine implements AsyncDisposable {
  readonly #home: ThrowawayHome;
  readonly #engine: TestEngine;

  private constructor(home: ThrowawayHome, engine: TestEngine) {
    this.#home = home;
    this.#engine = engine;
  }

  /** With a place for secrets. */
  static async create(engine: TestEngine): Promise<Machine> {
    const home = await ThrowawayHome.create();
    const config = join(home.path, "config", "toolhive");
    await mkdir(config, { recursive: true });
    await writeFile(join(config, "config.yaml"), "secrets:\n  provider_type: encrypted\n  setup_completed: true\n");
    return new Machine(home, engine);
  }

  place(name: string): string {
    return join(this.#home.workDirectory, name);
  }

  /** @throws {Error} With what the command wrote. */
  async call(args: readonly string[], input?: string): Promise<{ readonly stdout: string; readonly stderr: string }> {
    const ended = await runThv(args, { home: this.#home, engine: this.#engine, env: PASSWORD, input });
    if (ended.code !== 0) throw new Error(`thv ${args.join(" ")} ended with ${ended.code}: ${ended.stderr}`);
    return ended;
  }

  async thv(...args: readonly string[]): Promise<string> {
    return (await this.call(args)).stdout;
  }

  /** @returns The URL of a server or a group. */
  async findUrl(...show: readonly string[]): Promise<string> {
    return (JSON.parse(await this.thv(...show, "--format", "json")) as { readonly url: string }).url;
  }

  /** Its addresses are free afterwards. */
  async leave(): Promise<void> {
    await this.#home.stopSupervisor();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#home[Symbol.asyncDispose]();
  }
}

async function time<Value>(work: () => Promise<Value>): Promise<{ readonly value: Value; readonly ms: number }> {
  const begin = performance.now();
  const value = await work();
  return { value, ms: performance.now() - begin };
}

async function callText(client: Client, name: string, args: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const { content } = await client.callTool({ name, arguments: { ...args } });
  return (content as { readonly text?: string }[])[0]?.text ?? "";
}

const CONTAINERS = {
  everything: { command: "docker", args: ["run", "-i", "--rm", "-e", "UNITS=metric", "mcp/everything:test"] },
  second: { command: "docker", args: ["run", "-i", "--rm", "mcp/everything:test"] },
  echo: { command: "docker", args: ["run", "-i", "--rm", "toolhive-test/echo:test"] },
  web: {
    command: "docker",
    args: ["run", "-i", "--rm", "-e", "PORT=3001", "mcp/everything:test", "streamableHttp"],
  },
};
const ELSEWHERE = ["calendar", "tickets", "wiki", "maps", "mail", "builds", "metrics"] as const;

/** Servers that run on no machine of the journey. */
class Elsewhere implements AsyncDisposable {
  readonly servers: readonly JourneyServer[];

  private constructor(servers: readonly JourneyServer[]) {
    this.servers = servers;
  }

  static async start(): Promise<Elsewhere> {
    const start = async (name: string) => await JourneyServer.start(name, name === "calendar" ? TOKEN : undefined);
    return new Elsewhere(await Promise.all(ELSEWHERE.map(start)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.servers.map((server) => server[Symbol.asyncDispose]()));
  }
}

export interface MovedSet {
  /** Of the file that was moved. */
  readonly servers: readonly string[];
  /** Names that the group offers on the second machine. */
  readonly tools: readonly string[];
  /** Of a server elsewhere that needs the token, of a container on stdio, and of one that speaks HTTP. */
  readonly answers: readonly string[];
  /** The exported file. */
  readonly text: string;
  readonly token: string;
  /** From the editor's file to a group that runs here. */
  readonly takenOverMs: number;
  /** From the exported file to the same group on the second machine. */
  readonly movedMs: number;
}

/** Eleven servers of an editor's settings run as a group, here and then on a second machine. */
export async function moveElevenServers(engine: TestEngine): Promise<MovedSet> {
  await using elsewhere = await Elsewhere.start();
  await using first = await Machine.create(engine);
  await using second = await Machine.create(engine);
  await writeFile(first.place("mcp.json"), formatSettings());
  const { ms: takenOverMs } = await time(async () => await takeOver(first, elsewhere.servers));
  const text = await readFile(first.place("set.yaml"), "utf8");
  // Both machines are this one, and servers keep their ports and names.
  await first.thv("down");
  await first.leave();
  await writeFile(second.place("thv.yaml"), text);
  const { value: secrets, ms: movedMs } = await time(async () => {
    const names = [...text.matchAll(/Authorization: (\S+)|bearer_token:\s+name: (\S+)/g)].map(
      ([, a, b]) => a ?? b ?? "",
    );
    for (const name of names) await second.call(["secret", "set", name], HEADER);
    await second.thv("up", "--yes");
    return names;
  });
  if (secrets.length !== 1) throw new Error(`The file names ${secrets.length} secrets:\n${text}`);
  const url = await second.findUrl("group", "show", "work");
  const tools = await awaitTools(url, second);
  const answers = await withMcpClient(url, async (client) => [
    await callText(client, "ask_calendar"),
    await callText(client, "second__echo", { message: "over stdio" }),
    await callText(client, "web__echo", { message: "over HTTP" }),
  ]);
  const listed = JSON.parse(await second.thv("list", "--format", "json")) as { readonly name: string }[];
  return { servers: listed.map(({ name }) => name).sort(), tools, answers, text, token: TOKEN, takenOverMs, movedMs };
}

/** An import takes no server at an address of this machine, where `thv` may serve it already. */
function formatAddress(name: string): string {
  return `https://${name}.example.com/mcp`;
}

function formatSettings(): string {
  const elsewhere = ELSEWHERE.map((name) => {
    const headers = name === "calendar" ? { headers: { Authorization: HEADER } } : {};
    return [name, { type: "http", url: formatAddress(name), ...headers }] as const;
  });
  return JSON.stringify({ mcpServers: { ...CONTAINERS, ...Object.fromEntries(elsewhere) } });
}

/** Import, the two lines that no editor's file has and the addresses of the test, secrets, start, group, export. */
async function takeOver(machine: Machine, elsewhere: readonly JourneyServer[]): Promise<void> {
  const imported = JSON.parse(await machine.thv("import", "mcp.json", "--format", "json")) as {
    readonly file: string;
    readonly servers: readonly string[];
    readonly secrets: readonly { readonly name: string }[];
  };
  const text = await readFile(imported.file, "utf8");
  const web = text.replace("      - streamableHttp\n", "$&    transport: streamable-http\n    target_port: 3001\n");
  const whole = elsewhere.reduce((before, { name, url }) => before.replace(formatAddress(name), url), web);
  await writeFile(imported.file, whole);
  for (const { name } of imported.secrets) await machine.call(["secret", "set", name], HEADER);
  await machine.thv("up", "--yes");
  await machine.thv("group", "create", "work");
  await machine.thv("group", "add", "work", ...imported.servers);
  await machine.thv("export", "--group", "work", "set.yaml");
}

/** @returns The tools of the group once each server has listed its own. @throws {Error} With the state of its servers. */
async function awaitTools(url: string, machine: Machine): Promise<readonly string[]> {
  const expected = [...ELSEWHERE.map((name) => `ask_${name}`), "everything__echo", "second__echo", "web__echo"];
  let tools: readonly string[] = [];
  const list = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);
  const hasAll = async () => {
    tools = await withMcpClient(url, list);
    return expected.every((name) => tools.includes(name));
  };
  try {
    await waitFor(hasAll, { what: "the tools of every server", deadlineMs: 90_000, intervalMs: 1_000 });
  } catch (error) {
    const state = `${await machine.thv("list")}\n${await machine.thv("group", "show", "work")}`;
    throw new Error(`The group has ${tools.join(", ")} only.\n${state}`, { cause: error });
  }
  return tools;
}

export interface ChangedVariable {
  /** What the server says of the variable. */
  readonly before: string;
  readonly after: string;
  readonly undone: string;
  /** Whether the URL is the same. */
  readonly isSameUrl: boolean;
  readonly changedMs: number;
}

/** One variable of one server is changed in place, and the change is taken back. */
export async function changeOneVariable(engine: TestEngine): Promise<ChangedVariable> {
  await using machine = await Machine.create(engine);
  await machine.thv("run", "--name", "everything", "--env", "UNITS=metric", "mcp/everything:test");
  const readUrl = async () =>
    (JSON.parse(await machine.thv("list", "--format", "json")) as { readonly url: string }[])[0]?.url ?? "";
  const url = await readUrl();
  const readUnits = async () => {
    const text = await withMcpClient(url, async (client) => await callText(client, "get-env"));
    return /"UNITS": "(\w*)"/.exec(text)?.[1] ?? text.slice(0, 200);
  };
  const before = await readUnits();
  const { ms: changedMs } = await time(
    async () => await machine.thv("edit", "everything", "--env", "UNITS=imperial", "--yes"),
  );
  const after = await readUnits();
  const isSameUrl = (await readUrl()) === url;
  await machine.thv("edit", "everything", "--undo", "--yes");
  return { before, after, undone: await readUnits(), isSameUrl, changedMs };
}

export interface SharedSet {
  readonly servers: readonly string[];
  readonly answer: string;
  readonly pushedMs: number;
  readonly startedMs: number;
}

const SHARED = `servers:
  everything: { run: "mcp/everything:test", groups: [work] }
  echo: { run: "toolhive-test/echo:test", groups: [work] }
groups:
  work: { naming: always }
`;

/** One person pushes a set to an image registry, another one runs it from there. */
export async function shareSet(engine: TestEngine, registry: RealImageRegistry): Promise<SharedSet> {
  await using maker = await Machine.create(engine);
  await using user = await Machine.create(engine);
  const name = `oci://${registry.host}/acme/journey:1.0`;
  await writeFile(maker.place("thv.yaml"), SHARED);
  const { ms: pushedMs } = await time(async () => await maker.thv("push", name));
  const { ms: startedMs } = await time(async () => await user.thv("up", name, "--yes"));
  const listed = JSON.parse(await user.thv("list", "--format", "json")) as { readonly name: string }[];
  const url = await user.findUrl("group", "show", "work");
  const answer = await withMcpClient(
    url,
    async (client) => await callText(client, "everything__echo", { message: "shared" }),
  );
  await user.thv("down", name);
  return { servers: listed.map((each) => each.name).sort(), answer, pushedMs, startedMs };
}
