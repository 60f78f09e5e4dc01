/** A listener of this machine on the containers' network that counts connections: it shows whether a server can reach it. */
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { type TestEngine, waitFor } from "@toolhive/testing";

export interface HostListener extends AsyncDisposable {
  /** `HOST:PORT`, as containers of the engine reach it. */
  readonly address: string;
  /** So far. */
  readonly connections: number;
  untilConnected(): Promise<void>;
}

/** @param keeper A container on the engine's default network: an engine gives this machine its address there with the first. */
export async function listenOnHost(engine: TestEngine, keeper: string): Promise<HostListener> {
  const { stdout } = await engine.cli(["inspect", "--format", "{{json .NetworkSettings}}", keeper]);
  const settings = JSON.parse(stdout) as { Gateway: string; Networks?: Record<string, { Gateway: string }> };
  const host = settings.Gateway || Object.values(settings.Networks ?? {})[0]?.Gateway;
  if (!host) throw new Error(`${keeper} has no network`);
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    // A container may be killed while it connects.
    socket.on("error", () => undefined).end();
  });
  server.listen(0, host);
  await once(server, "listening");
  return {
    address: `${host}:${(server.address() as AddressInfo).port}`,
    get connections() {
      return connections;
    },
    untilConnected: async () => {
      await waitFor(() => connections > 0, { what: "a connection" });
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
    },
  };
}
