/**
 * An HTTP server on a port of the system, for tests of what is forwarded.
 */
import { createServer, type RequestListener, type Server } from "node:http";
import { listen } from "@toolhive/http";

export interface RawHttpServer extends AsyncDisposable {
  readonly port: number;
  readonly server: Server;
}

export async function startHttpServer(handler: RequestListener, port = 0): Promise<RawHttpServer> {
  const server = createServer(handler);
  const actualPort = await listen(server, { port });
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  return { port: actualPort, server, [Symbol.asyncDispose]: close };
}
