/** The MCP server on each of its transports. The SDK's own types stay in here. */
import type { Readable, Writable } from "node:stream";
import {
  createMcpHandler,
  isLegacyRequest,
  type McpServer,
  SUPPORTED_PROTOCOL_VERSIONS,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { DocsLibrary } from "../library/docs-library.ts";
import { createDocsServer, type DocsServerOptions } from "./docs-server.ts";

/** Of a request or a message: a question is far below one, a pasted log below a hundredth. */
export const MAX_MESSAGE_BYTES = 2 ** 20;
/** Without sessions; the SDK serves it beside those that it lists. */
const MODERN_REVISION = "2026-07-28";

/** What a server card says, newest first. */
export const PROTOCOL_REVISIONS: readonly string[] = [...new Set([MODERN_REVISION, ...SUPPORTED_PROTOCOL_VERSIONS])];

export interface ServeOptions extends DocsServerOptions {
  /** Of failures; nothing that is answered depends on it. */
  readonly onError: (error: unknown) => void;
}

/** Answers a request of the web by itself: no sessions, no state. What was parsed of its body is not read from it again. */
export type AnswerRequest = (request: Request, parsedBody?: unknown) => Promise<Response>;

/** Streamable HTTP, in both eras of the protocol. */
export function createHttpAnswerer(library: DocsLibrary, { onError, ...options }: ServeOptions): AnswerRequest {
  const createServer = () => {
    try {
      return createDocsServer(library, options);
    } catch (error) {
      onError(error);
      throw error;
    }
  };
  // The SDK also reports every mistake of a caller, who could fill a log with them; each is answered.
  // A subscription costs nothing: no list changes, so the SDK grants an empty selection and ends the stream at once.
  const { fetch } = createMcpHandler(createServer, { maxRequestBodySize: MAX_MESSAGE_BYTES });
  return async (request, parsedBody) => {
    if (parsedBody === undefined) return await fetch(request);
    if (request.method === "POST" && (await isLegacyRequest(request, parsedBody))) {
      return await answerAtOnce(createServer(), request, parsedBody);
    }
    return await fetch(request, { parsedBody });
  };
}

/** Nobody reads an answer after its caller has left. */
const CALLER_LEFT = 499;

/**
 * Answers messages of the revisions that have sessions, without one, as a piece of JSON: no tool reports progress, and to the SDK a
 * stream of events for a single answer is as much work as a search.
 */
async function answerAtOnce(server: McpServer, request: Request, parsedBody: unknown): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  const { signal } = request;
  const leave = () => void server.close();
  try {
    return await new Promise<Response>((resolve, reject) => {
      // A caller may cancel its request, which then gets no answer, and disconnect.
      server.server.onclose = () => resolve(new Response(null, { status: CALLER_LEFT }));
      signal.addEventListener("abort", leave, { once: true });
      if (signal.aborted) leave();
      else transport.handleRequest(request, { parsedBody }).then(resolve, reject);
    });
  } finally {
    signal.removeEventListener("abort", leave);
    await server.close();
  }
}

export interface StdioStreams {
  readonly input: Readable;
  readonly output: Writable;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** Serves one client until it closes its end, or the signal fires. */
export async function serveOnStreams(
  library: DocsLibrary,
  { input, output, signal }: StdioStreams,
  { onError, ...options }: ServeOptions,
): Promise<void> {
  if (signal.aborted) return;
  const transport = new StdioServerTransport(input, output, { maxBufferSize: MAX_MESSAGE_BYTES });
  const closed = new Promise<void>((resolve) => {
    input.once("end", resolve);
    input.once("close", resolve);
    output.once("error", () => resolve());
    output.once("close", resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  const served = serveStdio(() => createDocsServer(library, options), {
    transport,
    onerror: onError,
  });
  await closed;
  await served.close();
}
