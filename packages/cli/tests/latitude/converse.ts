/** What the official client gets on one way to a server: lists, one call, and the statuses of GET and DELETE. */
import type { PassThrough } from "node:stream";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ReadBuffer, serializeMessage } from "@modelcontextprotocol/sdk/shared/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { StdioConnection } from "@toolhive/core";
import { connectMcp } from "../../src/mcp/connection.ts";

/** Milliseconds for one step: far more than any needs, because the rows that fail are few. */
const STEP_MS = 20_000;

interface ToolPage {
  readonly tools: readonly { readonly name: string }[];
  readonly nextCursor?: string | undefined;
}

interface Conversation {
  getServerCapabilities(): object | undefined;
  listTools(page?: { cursor: string }): Promise<ToolPage>;
  listPrompts(): Promise<{ readonly prompts: readonly { readonly name: string }[] }>;
  listResources(): Promise<{ readonly resources: readonly { readonly uri: string }[] }>;
  callTool(request: { readonly name: string; readonly arguments: Record<string, unknown> }): Promise<object>;
}

/** @param asked Whether GET or DELETE is of interest. */
export async function converseOverHttp(url: URL, asked: "GET" | "DELETE" | undefined): Promise<string> {
  if (url.pathname.endsWith("/sse")) return await converse(new SSEClientTransport(url));
  const transport = new StreamableHTTPClientTransport(url);
  const ask = async (method: string): Promise<string> => {
    const headers = { accept: "text/event-stream", "mcp-session-id": transport.sessionId ?? "" };
    const response = await fetch(url, { method, headers });
    await response.body?.cancel();
    return `${method} ${response.status}`;
  };
  return await converse(transport, asked && (() => ask(asked)));
}

/** With the official client of a later generation, as the commands do it. */
export async function converseAsCommand(url: URL): Promise<string> {
  return await describe(async (parts) => {
    const signal = AbortSignal.timeout(STEP_MS);
    await using connection = await connectMcp(url, signal);
    await askAll(connection.client, parts);
  });
}

export async function converseOnStdio(connection: StdioConnection): Promise<string> {
  return await converse(new StreamTransport(connection));
}

async function converse(transport: Transport, ask?: () => Promise<string>): Promise<string> {
  const client = new Client({ name: "latitude", version: "1" });
  try {
    return await describe(async (parts) => {
      await client.connect(transport, { timeout: STEP_MS });
      await askAll(client as Conversation, parts);
      if (ask !== undefined) parts.push(await ask());
    });
  } finally {
    await client.close();
  }
}

async function askAll(client: Conversation, parts: string[]): Promise<void> {
  const capabilities = client.getServerCapabilities() ?? {};
  if ("tools" in capabilities) {
    parts.push((await listTools(client)).join(" ") || "no tools");
    if (parts[0] !== "no tools") parts.push(readFirstText(await client.callTool({ name: "echo", arguments: {} })));
  }
  if ("prompts" in capabilities) {
    const { prompts } = await client.listPrompts();
    if (prompts.length > 0) parts.push(prompts.map(({ name }) => name).join(" "));
  }
  if ("resources" in capabilities) {
    const { resources } = await client.listResources();
    if (resources.length > 0) parts.push(resources.map(({ uri }) => uri).join(" "));
  }
}

/** Reads all pages as the later generation of the client does: a page that comes twice in a row was the last one. */
async function listTools(client: Conversation): Promise<readonly string[]> {
  const names: string[] = [];
  for (let page = await client.listTools(), last = ""; ; page = await client.listTools({ cursor: page.nextCursor })) {
    const text = JSON.stringify(page);
    if (text === last) return names;
    names.push(...page.tools.map(({ name }) => name));
    if (page.nextCursor === undefined) return names;
    last = text;
  }
}

/** @returns What was found, and the status of the failure that ended it. */
async function describe(work: (parts: string[]) => Promise<void>): Promise<string> {
  const parts: string[] = [];
  try {
    await work(parts);
  } catch (error) {
    parts.push(`fails${readStatus(error)}`);
  }
  return parts.filter((part) => part !== "no tools").join(", ") || "connects";
}

function readStatus(error: unknown): string {
  if (!(error instanceof Error)) return "";
  // The later client has the status beside a code of its own.
  const numbers = ["status" in error && error.status, "code" in error && error.code];
  const found = numbers.find((value) => typeof value === "number");
  return found === undefined ? "" : ` with ${found}`;
}

function readFirstText(result: object): string {
  const content = "content" in result && Array.isArray(result.content) ? (result.content as unknown[]) : [];
  const [first] = content;
  return typeof first === "object" && first !== null && "text" in first ? String(first.text) : "no text";
}

/** The official client's own reading and writing of stdio, without a process. */
class StreamTransport implements Transport {
  onmessage?: Transport["onmessage"];
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly #connection: StdioConnection;
  readonly #buffer = new ReadBuffer();

  constructor(connection: StdioConnection) {
    this.#connection = connection;
  }

  async start(): Promise<void> {
    const output = this.#connection.stdout as PassThrough;
    output.on("data", (chunk: Buffer) => {
      this.#buffer.append(chunk);
      for (let message = this.#buffer.readMessage(); message !== null; message = this.#buffer.readMessage())
        this.onmessage?.(message);
    });
    output.on("end", () => this.onclose?.());
  }

  async send(message: Parameters<Transport["send"]>[0]): Promise<void> {
    this.#connection.stdin.write(serializeMessage(message));
  }

  async close(): Promise<void> {
    this.onclose?.();
  }
}
