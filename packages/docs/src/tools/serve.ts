/** The MCP server on each of its transports. The SDK's own types stay in here. */
import type { Readable, Writable } from "node:stream";
import { createMcpHandler, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
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
  return (request, parsedBody) => fetch(request, parsedBody === undefined ? {} : { parsedBody });
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
