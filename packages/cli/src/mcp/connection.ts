/** One connection to an MCP endpoint, over whatever transport and in whatever protocol era it speaks. */
import {
  Client,
  type CreateMessageResult,
  type ElicitResult,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import type { OpenMcpOptions } from "@toolhive/api/mcp-access";
import { describeError, readSystemCode, ThvError } from "@toolhive/core/errors";
import { untilAborted } from "@toolhive/core/until-aborted";
import { versionInfo } from "../command-line/version-info.ts";
import { describeUnusableAnswer } from "./unusable-answer.ts";

/** cli.md 3.3: what the client calls itself. */
const CLIENT_NAME = "toolhive-cli";

type Hooks = Pick<OpenMcpOptions, "onMessage" | "onQuestion">;

export interface McpConnection extends AsyncDisposable {
  readonly client: Client;
}

/**
 * An address that ends in `/sse` is HTTP with SSE. Any other is tried as streamable HTTP first; what refuses that with a status
 * of a request it does not know is an older server, as the specification's section on backwards compatibility says.
 *
 * @throws {ThvError} `SERVER_NOT_READY`, `UNAUTHENTICATED`.
 */
export async function connectMcp(url: URL, signal: AbortSignal, hooks: Hooks = {}): Promise<McpConnection> {
  if (url.pathname.endsWith("/sse")) return await connect(url, new SSEClientTransport(url), { signal, ...hooks });
  try {
    return await connect(url, new StreamableHTTPClientTransport(url), { signal, ...hooks });
  } catch (error) {
    const status = error instanceof ThvError ? readStatus(error.cause) : undefined;
    if (status === undefined || ![400, 404, 405].includes(status)) throw error;
    try {
      return await connect(url, new SSEClientTransport(url), { signal, ...hooks });
    } catch {
      // The first error is the better one: the second transport was a guess.
      throw error;
    }
  }
}

async function connect(
  url: URL,
  transport: Transport,
  { signal, onMessage, onQuestion }: Hooks & { readonly signal: AbortSignal },
): Promise<McpConnection> {
  const client = new Client(
    { name: CLIENT_NAME, version: versionInfo().version },
    {
      ...(transport instanceof SSEClientTransport ? {} : { versionNegotiation: { mode: "auto" } }),
      ...(onQuestion && { capabilities: { sampling: {}, elicitation: { form: {}, url: {} } } }),
    },
  );
  if (onMessage) observe(transport, onMessage);
  if (onQuestion) {
    client.setRequestHandler("sampling/createMessage", async ({ params }, { mcpReq }) => {
      return (await onQuestion("sampling/createMessage", params, mcpReq.signal)) as CreateMessageResult;
    });
    client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) => {
      return (await onQuestion("elicitation/create", params, mcpReq.signal)) as ElicitResult;
    });
  }
  const close = async () => {
    await client.close();
    await transport.close();
  };
  try {
    // Some steps of connecting ignore the signal.
    await untilAborted(client.connect(transport, { signal }), signal);
  } catch (error) {
    // What has failed may have nothing to close any more.
    await close().catch(() => undefined);
    throw connectFailure(url, error, signal);
  }
  return { client, [Symbol.asyncDispose]: close };
}

/** Observes the protocol's messages in both directions, without the client's knowledge. */
function observe(transport: Transport, onMessage: NonNullable<Hooks["onMessage"]>): void {
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    onMessage("out", message);
    await send(message, options);
  };
  let receive = transport.onmessage;
  Object.defineProperty(transport, "onmessage", {
    get: () => receive,
    set: (next: Transport["onmessage"]) => {
      receive =
        next &&
        ((message, extra) => {
          onMessage("in", message);
          next(message, extra);
        });
    },
  });
}

/** Of anything that went wrong between us and the server. */
export function connectFailure(url: URL, error: unknown, signal: AbortSignal): ThvError {
  if (error instanceof ThvError) return error;
  const address = `${url.origin}${url.pathname}`;
  if (error instanceof UnauthorizedError || readStatus(error) === 401) {
    return new ThvError("UNAUTHENTICATED", `${address} asks for a token.`, {
      hint: `Sign in through a proxy, and ask that: thv proxy --target-uri ${url.origin} --remote-auth NAME`,
      cause: error,
    });
  }
  const isTimeout = signal.aborted || (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout);
  if (isTimeout) {
    return new ThvError("SERVER_NOT_READY", `${address} did not answer in time.`, {
      hint: "Wait longer, for example: --timeout 2m",
      cause: error,
    });
  }
  const unusable = describeUnusableAnswer(error);
  if (unusable !== undefined) {
    return new ThvError("SERVER_NOT_READY", `${address} gives an answer that cannot be used: ${unusable}.`, {
      hint: "Report it to whoever makes the server.",
      cause: error,
    });
  }
  return new ThvError("SERVER_NOT_READY", `${address} does not answer as an MCP server: ${describeReason(error)}`, {
    hint: "Give the whole address, for example http://127.0.0.1:8000/mcp",
    cause: error,
  });
}

function readStatus(error: unknown): number | undefined {
  if (error instanceof SdkHttpError) return error.status;
  // The SSE transport has an error of its own.
  return error instanceof Error && "code" in error && typeof error.code === "number" ? error.code : undefined;
}

function describeReason(error: unknown): string {
  return (findCauseCode(error) ?? describeError(error)).replace(/\s+/g, " ").slice(0, 300);
}

/** The system's own word (`ECONNREFUSED`), which is below several layers of the client's. */
function findCauseCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return readSystemCode(error.cause) ?? findCauseCode(error.cause);
}
