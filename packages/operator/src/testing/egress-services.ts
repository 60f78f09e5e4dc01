/** What a server in a pod may try to reach, on addresses that are made for it in the network that the cluster is connected to. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer } from "node:net";
import { runCommand } from "@toolhive/testing";

/** Below those that systems give out by themselves. */
export const EGRESS_PORTS = { http: 20_080, other: 20_081, raw: 20_082, udp: 20_083 } as const;

/** The answers name the host that was asked for. */
const answer: RequestListener = ({ headers, url }, response) => {
  const [host, port] = (headers.host ?? "").split(":");
  if (url === "/redirect") response.writeHead(302, { Location: `http://other.test:${port}/` }).end();
  else response.end(`http ${host}`);
};

/** The same services for `node -e`, in a pod. */
export const EGRESS_SCRIPT = `require("http").createServer((q,r)=>r.end("http "+q.headers.host.split(":")[0])).listen(${EGRESS_PORTS.http},"0.0.0.0")`;

/**
 * @param addresses Become this network's own until the services are closed, except those that it has already.
 * @param metadata Where a cloud's metadata service would be; it answers on port 80 only.
 */
export async function openEgressServices(addresses: readonly string[], metadata: string): Promise<AsyncDisposable> {
  const closing: (() => unknown)[] = [];
  const end = async () => {
    for (const close of closing.reverse()) await close();
  };
  const ip = async (...args: string[]) => await runCommand("ip", args);
  try {
    for (const address of [...addresses, metadata]) {
      const { code } = await ip("address", "add", `${address}/32`, "dev", "lo");
      if (code === 0) closing.push(() => ip("address", "del", `${address}/32`, "dev", "lo"));
    }
    const listen = async (port: number, address: string, server = createHttpServer(answer)) => {
      await once(server.listen(port, address), "listening");
      closing.push(() => {
        server.closeAllConnections?.();
        return new Promise((resolve) => server.close(resolve));
      });
    };
    await listen(80, metadata);
    for (const address of addresses) {
      await listen(EGRESS_PORTS.http, address);
      await listen(EGRESS_PORTS.other, address);
      const raw = createServer((socket) => socket.on("error", () => undefined).end("raw"));
      await once(raw.listen(EGRESS_PORTS.raw, address), "listening");
      closing.push(() => raw.close());
      const udp = createSocket("udp4");
      udp.on("message", (_message, from) => udp.send("udp", from.port, from.address));
      udp.bind(EGRESS_PORTS.udp, address);
      await once(udp, "listening");
      closing.push(() => udp.close());
    }
    return { [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw error;
  }
}
