/** An engine's socket as a TCP port of loopback: programs of Windows know no sockets of Linux. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export class EngineForwarder implements AsyncDisposable {
  /** As `DOCKER_HOST` wants it. */
  readonly host: string;
  readonly #close: () => Promise<void>;

  private constructor(host: string, close: () => Promise<void>) {
    this.host = host;
    this.#close = close;
  }

  /** @param socketPath The engine's. */
  static async start(socketPath: string): Promise<EngineForwarder> {
    const open = new Set<Socket>();
    // Whoever attaches to a container ends its input and goes on reading.
    const server = createServer({ allowHalfOpen: true }, (client) => {
      const engine = connect({ path: socketPath, allowHalfOpen: true });
      for (const socket of [client, engine]) {
        open.add(socket);
        socket.once("close", () => open.delete(socket));
      }
      client.pipe(engine).pipe(client);
      client.on("error", () => engine.destroy()).on("close", () => engine.destroy());
      engine.on("error", () => client.destroy()).on("close", () => client.destroy());
    });
    server.listen({ host: "127.0.0.1", port: 0 });
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    return new EngineForwarder(`tcp://127.0.0.1:${port}`, async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }
}
