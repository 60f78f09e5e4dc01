/** Asks a server for its lists and one call with the official client, over stdio or streamable HTTP. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import type { Answers, ListName, Server } from "./tried-server.ts";

/** Milliseconds for one request of an initialized session. */
const REQUEST_MS = 60_000;
const OPTIONS = { timeout: REQUEST_MS };

/** Pages of one list that are read; a server with more is cut off, in both ways alike. */
const MAX_PAGES = 50;

/** Characters of a process's stderr that its failure quotes. */
const STDERR_LENGTH = 4000;

type Page = { entries: readonly Record<string, unknown>[]; nextCursor?: string | undefined };
type ReadPage = (cursor: { cursor?: string }) => Promise<Page>;

/**
 * @param where An endpoint, or a process and the milliseconds until it must have answered `initialize`, its download
 *   included.
 * @throws {Error} When it does not start or does not answer; the message ends with what a process wrote to stderr.
 */
export async function askServer(
  where: { url: string } | { command: string; args: string[]; env: NodeJS.ProcessEnv; timeout: number },
  { call }: Pick<Server, "call">,
): Promise<Answers> {
  const client = new Client({ name: "toolhive-servers-tried", version: "1" });
  let written = "";
  try {
    if ("url" in where) {
      // The SDK's class has `sessionId: string | undefined`, its interface an optional string.
      await client.connect(new StreamableHTTPClientTransport(new URL(where.url)) as Transport, OPTIONS);
    } else {
      const transport = new StdioClientTransport({ ...where, env: defined(where.env), stderr: "pipe" });
      transport.stderr?.on("data", (chunk: Buffer) => {
        written = `${written}${chunk}`.slice(-STDERR_LENGTH);
      });
      await client.connect(transport, { timeout: where.timeout });
    }
    const version = client.getServerVersion()?.version;
    return {
      ...(version === undefined ? {} : { version }),
      tools: await listAll(client, "tools", async (page) => {
        const { tools: entries, nextCursor } = await client.listTools(page, OPTIONS);
        return { entries, nextCursor };
      }),
      prompts: await listAll(client, "prompts", async (page) => {
        const { prompts: entries, nextCursor } = await client.listPrompts(page, OPTIONS);
        return { entries, nextCursor };
      }),
      resources: await listAll(client, "resources", async (page) => {
        const { resources: entries, nextCursor } = await client.listResources(page, OPTIONS);
        return { entries, nextCursor };
      }),
      ...(call === undefined ? {} : { call: await callTool(client, call) }),
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error([reason, written.trim()].filter(Boolean).join("\n"), { cause: error });
  } finally {
    await client.close().catch(() => {});
  }
}

/** An error is an entry of its own, so that an error and an empty list differ: lists may need a service that is not there. */
async function listAll(client: Client, name: ListName, read: ReadPage): Promise<Record<string, unknown>[]> {
  if (client.getServerCapabilities()?.[name] === undefined) return [];
  const all: Record<string, unknown>[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    try {
      const { entries, nextCursor } = await read(cursor === undefined ? {} : { cursor });
      all.push(...entries);
      cursor = nextCursor;
    } catch (error) {
      if (!(error instanceof McpError) || error.code === ErrorCode.ConnectionClosed) throw error;
      all.push({ error: error.code });
      break;
    }
    if (cursor === undefined) break;
  }
  return all;
}

async function callTool(client: Client, { tool, arguments: given }: NonNullable<Server["call"]>): Promise<string> {
  try {
    const { isError } = await client.callTool({ name: tool, arguments: given }, undefined, OPTIONS);
    return isError === true ? "error" : "result";
  } catch {
    return "error";
  }
}

function defined(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
