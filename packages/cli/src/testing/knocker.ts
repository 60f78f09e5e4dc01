/** This machine on the network of an engine's containers, counting who comes: the witness of what an isolated server reaches. */
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { type TestEngine, waitFor } from "@toolhive/testing";

export interface Door extends AsyncDisposable {
  /** `HOST:PORT`, as containers of the engine reach it. */
  readonly address: string;
  /** Connections so far. */
  readonly knocks: number;
  untilHeard(): Promise<void>;
}

/** @param keeper A container on the engine's default network: an engine gives this machine its address there with the first. */
export async function openDoor(engine: TestEngine, keeper: string): Promise<Door> {
  const { stdout } = await engine.cli(["inspect", "--format", "{{json .NetworkSettings}}", keeper]);
  const settings = JSON.parse(stdout) as { Gateway: string; Networks?: Record<string, { Gateway: string }> };
  const host = settings.Gateway || Object.values(settings.Networks ?? {})[0]?.Gateway;
  if (!host) throw new Error(`${keeper} has no network`);
  let knocks = 0;
  const server = createServer((socket) => {
    knocks += 1;
    // A container may be killed while it knocks.
    socket.on("error", () => undefined).end();
  });
  server.listen(0, host);
  await once(server, "listening");
  return {
    address: `${host}:${(server.address() as AddressInfo).port}`,
    get knocks() {
      return knocks;
    },
    untilHeard: async () => {
      await waitFor(() => knocks > 0, { what: "somebody to knock" });
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
    },
  };
}
