/** The MCP client that the API calls servers with. It is loaded with the first call. */
import { type Client, ProtocolError, SdkHttpError } from "@modelcontextprotocol/client";
import { type McpKind, type McpSession, type OpenMcpOptions, RpcFailure } from "@toolhive/api/mcp-access";
import { BRAND } from "@toolhive/core/brand";
import { connectFailure, connectMcp } from "./connection.ts";
import { describeUnusableAnswer } from "./unusable-answer.ts";

/** Milliseconds that a call may take at most; callers have a shorter bound of their own. */
const CALL_MS = 15 * 60_000;

export async function openMcp(url: URL, options: OpenMcpOptions): Promise<McpSession> {
  const { signal } = options;
  const connection = await connectMcp(url, signal, options);
  const { client } = connection;
  const request = { signal, timeout: CALL_MS };
  const attempt = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      // The library's own verdict on an answer is no error of the server.
      if (describeUnusableAnswer(error) !== undefined) throw connectFailure(url, error, signal);
      if (error instanceof ProtocolError) throw new RpcFailure(error.message, error.code, error.data);
      const refusal = readRefusal(error);
      if (refusal !== undefined) throw refusal;
      throw connectFailure(url, error, signal);
    }
  };
  return {
    list: (kind) => attempt(listAll(client, kind, request)),
    call: (method, params) => {
      switch (method) {
        case "tools/call":
          return attempt(client.callTool(params as Parameters<Client["callTool"]>[0], request));
        case "prompts/get":
          return attempt(client.getPrompt(params as Parameters<Client["getPrompt"]>[0], request));
        case "resources/read":
          return attempt(client.readResource(params as Parameters<Client["readResource"]>[0], request));
      }
    },
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}

/** A proxy with policies refuses a call with 403 and an error of the protocol, which the client takes for no answer at all. */
function readRefusal(error: unknown): RpcFailure | undefined {
  if (!(error instanceof SdkHttpError) || error.status !== 403) return undefined;
  try {
    const { code, message, data } = JSON.parse(String(error.data.text)).error;
    return typeof message === "string" ? new RpcFailure(message, Number(code), data) : undefined;
  } catch {
    return undefined;
  }
}

/** Asking for what a server does not have is an error in the protocol; to us it has none of it. */
async function listAll(client: Client, kind: McpKind, options: { readonly signal: AbortSignal }): Promise<McpItem[]> {
  const capability = kind === "resourceTemplates" ? "resources" : kind;
  if (client.getServerCapabilities()?.[capability] === undefined) return [];
  switch (kind) {
    case "tools":
      // People see all of them, also where clients find tools instead of listing them.
      return (await client.listTools({ _meta: { [BRAND.allToolsMeta]: true } }, options)).tools;
    case "prompts":
      return (await client.listPrompts(undefined, options)).prompts;
    case "resources":
      return (await client.listResources(undefined, options)).resources;
    case "resourceTemplates":
      return (await client.listResourceTemplates(undefined, options)).resourceTemplates;
  }
}

type McpItem = Record<string, unknown>;
