/** The bridge between a client on stdio and endpoints of ours that go away and come back. */
import { PassThrough } from "node:stream";
import { openEndpoint } from "@toolhive/proxy";
import { afterEach, describe, expect, test, vi } from "vitest";
import { StdioBridge } from "./stdio-bridge.ts";

type Message = { id?: unknown; method?: string; result?: Record<string, unknown>; error?: { message: string } };
type Endpoint = Awaited<ReturnType<typeof openEndpoint>>;

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** A server on stdio that answers `echo` with its text, `where` with its own name, and `never` not at all. */
function createServer(name: string) {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const received: Message[] = [];
  const send = (message: object) => stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  let rest = "";
  stdin.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const message = JSON.parse(line) as Message & { params?: { name?: string; arguments?: { text?: string } } };
      received.push(message);
      if (message.id === undefined) continue;
      const tool = message.params?.name;
      if (tool === "never") continue;
      const text = tool === "where" ? name : message.params?.arguments?.text;
      const protocolVersion = "2025-06-18";
      const capabilities = { tools: {}, resources: { subscribe: true }, logging: {} };
      const info = { protocolVersion, capabilities, serverInfo: { name, version: "1" } };
      const result = message.method === "initialize" ? info : { content: [{ type: "text", text }] };
      send({ id: message.id, result });
    }
  });
  return { connection: { stdin, stdout }, received, send };
}

async function openServer(name: string, { port = 0, transport = "streamable-http" as "sse" | "streamable-http" } = {}) {
  const server = createServer(name);
  const endpoint: Endpoint = await openEndpoint({ name, host: "127.0.0.1", port, transport: "stdio" });
  open.push(() => endpoint.close());
  endpoint.connect(server.connection);
  const path = transport === "sse" ? "sse" : "mcp";
  return { ...server, endpoint, url: new URL(`http://127.0.0.1:${endpoint.port}/${path}`) };
}

function startBridge(findAddress: () => Promise<URL>, patienceMs = 20_000) {
  const stdin = new PassThrough();
  const lines: Message[] = [];
  const told: string[] = [];
  const stop = new AbortController();
  const bridge = new StdioBridge({
    stdin,
    findAddress,
    patienceMs,
    write: async (line) => {
      expect(line.indexOf("\n")).toBe(line.length - 1);
      lines.push(JSON.parse(line));
    },
    report: (text) => told.push(text),
    signal: stop.signal,
  });
  const done = bridge.run();
  open.push(async () => {
    stop.abort();
    await done;
  });
  const write = (message: object | string) =>
    stdin.write(`${typeof message === "string" ? message : JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const answerTo = async (id: unknown) =>
    await vi.waitFor(
      () => {
        const found = lines.find((line) => line.id === id && line.method === undefined);
        if (!found) throw new Error(`no answer to ${id}: ${JSON.stringify(lines).slice(0, 500)}`);
        return found;
      },
      { timeout: 20_000 },
    );
  let next = 100;
  const call = async (name: string, args: object = {}) => {
    const id = next++;
    write({ id, method: "tools/call", params: { name, arguments: args } });
    return await answerTo(id);
  };
  const shakeHands = async () => {
    const clientInfo = { name: "test", version: "1" };
    write({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } });
    write({ method: "notifications/initialized" });
    return await answerTo(1);
  };
  return { stdin, write, lines, told, call, shakeHands, answerTo, done, stop };
}

const readResultText = ({ result }: Message) => (result?.content as { text: string }[] | undefined)?.[0]?.text;

describe.each(["streamable-http", "sse"] as const)("a bridge to %s", (transport) => {
  test("passes on calls, answers, and what the server says by itself", async () => {
    const server = await openServer("one", { transport });
    const { shakeHands, call, lines, stdin, done } = startBridge(async () => server.url);

    expect(await shakeHands()).toMatchObject({ result: { serverInfo: { name: "one" } } });
    expect(readResultText(await call("echo", { text: "hällo\n" }))).toBe("hällo\n");
    await vi.waitFor(() => {
      server.send({ method: "notifications/tools/list_changed" });
      expect(lines.map(({ method }) => method)).toContain("notifications/tools/list_changed");
    });
    stdin.end();
    await done;
  });

  test("carries messages of megabytes in both directions", async () => {
    const server = await openServer("one", { transport });
    const { shakeHands, call } = startBridge(async () => server.url);
    const text = "x".repeat(8 * 1024 * 1024);

    await shakeHands();
    expect(readResultText(await call("echo", { text })) === text).toBe(true);
  });

  test("finds a server that comes back at another port, and repeats the handshake", async () => {
    let server = await openServer("one", { transport });
    const { shakeHands, call, told } = startBridge(async () => server.url);
    await shakeHands();
    expect(readResultText(await call("where"))).toBe("one");

    await server.endpoint.close();
    const waiting = call("where");
    await vi.waitFor(() => expect(told).toContainEqual(expect.stringContaining("waiting for it")));
    server = await openServer("two", { transport });

    expect(readResultText(await waiting)).toBe("two");
    expect(told.at(-1)).toBe("The server is back.");
    expect(server.received.map(({ method }) => method)).toContain("notifications/initialized");
    expect(readResultText(await call("where"))).toBe("two");
  });

  test("answers what was on its way when the server was lost with an error, once", async () => {
    const server = await openServer("one", { transport });
    const { shakeHands, write, answerTo, lines } = startBridge(async () => server.url);
    await shakeHands();
    write({ id: "lost", method: "tools/call", params: { name: "never" } });
    await vi.waitFor(() => expect(server.received.at(-1)?.method).toBe("tools/call"));

    await server.endpoint.close();

    expect((await answerTo("lost")).error?.message).toMatch(/./);
    expect(lines.filter(({ id }) => id === "lost")).toHaveLength(1);
  });
});

describe("a bridge", () => {
  test("is not ended by a server process that restarts behind its endpoint", async () => {
    const server = await openServer("one");
    const { shakeHands, call } = startBridge(async () => server.url);
    await shakeHands();

    server.endpoint.disconnect("restart");
    const again = createServer("two");
    server.endpoint.connect(again.connection);

    expect(readResultText(await call("where"))).toBe("two");
  });

  test("answers with the reason when the server does not come back in time, and goes on", async () => {
    let server = await openServer("one");
    await server.endpoint.close();
    const { write, answerTo, shakeHands } = startBridge(async () => server.url, 0);
    write({ id: 7, method: "tools/list" });

    expect((await answerTo(7)).error?.message).toMatch(/ECONNREFUSED/);
    server = await openServer("one");
    expect(await shakeHands()).toMatchObject({ result: { serverInfo: { name: "one" } } });
  });

  test("refuses lines that are no messages and goes on", async () => {
    const server = await openServer("one");
    const { write, lines, shakeHands } = startBridge(async () => server.url);
    for (const line of ["nothing", "[]", "7", '"x"']) write(line);
    await shakeHands();

    expect(lines.filter(({ error }) => error).map(({ id }) => id)).toEqual([null, null, null, null]);
  });

  test("answers everything that was asked before its input ended", async () => {
    const server = await openServer("one");
    const { shakeHands, write, stdin, done, lines } = startBridge(async () => server.url);
    await shakeHands();
    for (let id = 10; id < 60; id += 1)
      write({ id, method: "tools/call", params: { name: "echo", arguments: { text: String(id) } } });
    stdin.end();
    await done;

    const answered = lines.filter(({ id }) => typeof id === "number" && id >= 10);
    expect(answered.map((line) => [line.id, readResultText(line)]).sort()).toEqual(
      Array.from({ length: 50 }, (_, index) => [index + 10, String(index + 10)]),
    );
    await vi.waitFor(() => expect(server.endpoint.counts.sessions).toBe(0));
  });

  test("ends when its output is closed, whatever is open", async () => {
    const server = await openServer("one");
    const { shakeHands, write, stop, done } = startBridge(async () => server.url);
    await shakeHands();
    write({ id: 5, method: "tools/call", params: { name: "never" } });
    await vi.waitFor(() => expect(server.received.at(-1)?.method).toBe("tools/call"));
    stop.abort();
    await done;
  });
});
