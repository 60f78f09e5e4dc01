/**
 * An HTTP server on a port of the system, for tests of what is forwarded.
 */
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface RawHttpServer extends AsyncDisposable {
  readonly port: number;
  readonly server: Server;
}

export async function startHttpServer(handler: RequestListener, port = 0): Promise<RawHttpServer> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen({ host: "127.0.0.1", port }, () => resolve()));
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  return { port: (server.address() as AddressInfo).port, server, [Symbol.asyncDispose]: close };
}
