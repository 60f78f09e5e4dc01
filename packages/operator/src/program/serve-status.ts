/** What the kubelet and Prometheus ask the operator: probes and metrics, each on an address of its own. */
import { createServer, type RequestListener } from "node:http";
import { readSystemCode, ThvError } from "@toolhive/core/errors";
import { boundConnections, closeGracefully, listen, PROMPT_TIMEOUTS } from "@toolhive/http";
import type { BindAddress } from "./bind-address.ts";

const MAX_CONNECTIONS = 32;
/** Milliseconds for a request to arrive, and for its answer to be read. */
const PATIENCE_MS = 10_000;
const CLOSE_GRACE_MS = 500;

export interface StatusListener extends AsyncDisposable {
  readonly port: number;
}

/** @returns The text of a page, and its status: 200 unless given. */
export type Page = () => { readonly text: string; readonly status?: number; readonly type?: string };

/**
 * @param pages By their path. Everything else is not found.
 * @throws {ThvError} `PORT_IN_USE`, `INVALID_ARGUMENT`.
 */
export async function serveStatus(
  { host, port }: BindAddress,
  pages: Readonly<Record<string, Page>>,
): Promise<StatusListener> {
  const answer: RequestListener = (request, response) => {
    const isRead = request.method === "GET" || request.method === "HEAD";
    const [path = "/"] = (request.url ?? "/").split("?", 1);
    const page = isRead && Object.hasOwn(pages, path) ? pages[path] : undefined;
    const { text, status = 200, type = "text/plain; charset=utf-8" } = page?.() ?? { text: "not found\n", status: 404 };
    response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(text) });
    response.end(request.method === "HEAD" ? undefined : text);
    request.resume();
  };
  const timeouts = { requestTimeout: PATIENCE_MS, headersTimeout: PATIENCE_MS };
  const server = createServer({ ...timeouts, ...PROMPT_TIMEOUTS }, answer);
  boundConnections(server, { max: MAX_CONNECTIONS, slowReaderMs: PATIENCE_MS });
  const actual = await listenAnywhere(server, { host, port });
  return { port: actual, [Symbol.asyncDispose]: async () => await closeGracefully(server, CLOSE_GRACE_MS) };
}

async function listenAnywhere(server: Parameters<typeof listen>[0], address: BindAddress): Promise<number> {
  try {
    return await listen(server, address);
  } catch (error) {
    const code = readSystemCode(error);
    // A node without IPv6.
    if (code === "EAFNOSUPPORT" && address.host === "::")
      return await listenAnywhere(server, { ...address, host: "0.0.0.0" });
    if (code === "EADDRINUSE") {
      throw new ThvError("PORT_IN_USE", `Port ${address.port} is in use already.`, {
        hint: "Choose another one with --metrics-bind-address or --health-probe-bind-address, or 0 for none.",
      });
    }
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
      throw new ThvError("INVALID_ARGUMENT", `${address.host} is not an address of this machine.`);
    }
    throw error;
  }
}
