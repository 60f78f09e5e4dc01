/**
 * The outside of egress tests: hosts under made-up names that are this very process, on the addresses that two networks of
 * the engine give to this machine. One network is the servers' own: its address is a service of the host.
 */
import { randomBytes } from "node:crypto";
import { createSocket, type Socket as DatagramSocket } from "node:dgram";
import { once } from "node:events";
import { createServer as createHttpServer, type Server as HttpServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import type { TestEngine } from "@toolhive/testing";

interface Listeners {
  readonly httpPort: number;
  readonly otherPort: number;
  readonly tcpPort: number;
  readonly udpPort: number;
}

export interface Outside extends AsyncDisposable, Listeners {
  /** Where the made-up hosts are. */
  readonly address: string;
  /** This machine on the servers' own network. */
  readonly hostAddress: string;
  readonly sibling: { readonly address: string };
}

const SIBLING_SCRIPT = "require('http').createServer((q,r)=>r.end('sibling')).listen(8080,'0.0.0.0')";
/** Port of the sibling's server. */
export const SIBLING_PORT = 8080;

export async function openOutside(engine: TestEngine): Promise<Outside> {
  const run = randomBytes(3).toString("hex");
  const [network, keeper, sibling] = [`outside-${run}`, `keeper-${run}`, `sibling-${run}`];
  const close: (() => Promise<unknown>)[] = [];
  const [must, end] = [
    async (args: readonly string[]) => {
      const { code, stdout, stderr } = await engine.cli(args);
      if (code !== 0) throw new Error(`${args.join(" ")}: ${stderr}`);
      return stdout.trim();
    },
    async () => {
      for (const each of close.reverse()) await each();
    },
  ];
  try {
    await must(["network", "create", network]);
    close.push(() => engine.cli(["network", "rm", network]));
    // An engine gives this machine its address on a network with the first container there.
    for (const [name, where] of [
      [keeper, ["--network", network]],
      [sibling, []],
    ] as const) {
      await must([
        "run",
        "--detach",
        "--name",
        name,
        ...where,
        "--entrypoint",
        "node",
        "mcp/everything:test",
        "-e",
        SIBLING_SCRIPT,
      ]);
      close.push(() => engine.cli(["rm", "--force", name]));
    }
    const [address, hostAddress] = [(await networkOf(keeper, must)).gateway, (await networkOf(sibling, must)).gateway];
    const listeners = await listen([address, hostAddress], close);
    const siblingAddress = (await networkOf(sibling, must)).address;
    return { address, hostAddress, sibling: { address: siblingAddress }, ...listeners, [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw error;
  }
}

async function networkOf(container: string, must: (args: readonly string[]) => Promise<string>) {
  const [inspected] = JSON.parse(await must(["inspect", container])) as {
    NetworkSettings: { Networks?: Record<string, { Gateway: string; IPAddress: string }> };
  }[];
  const [network] = Object.values(inspected?.NetworkSettings.Networks ?? {});
  if (!network) throw new Error(`${container} has no network`);
  return { gateway: network.Gateway, address: network.IPAddress };
}

/** The same ports on each address. */
async function listen(addresses: readonly string[], close: (() => Promise<unknown>)[]): Promise<Listeners> {
  const free = { http: 0, other: 0, tcp: 0, udp: 0 };
  for (const address of addresses) {
    const http = (port: number) => bind(createHttpServer(answer), port, address, close);
    free.http = await http(free.http);
    free.other = await http(free.other);
    free.tcp = await bind(
      createServer((socket) => void socket.on("error", () => undefined).write("raw")),
      free.tcp,
      address,
      close,
    );
    free.udp = await bindUdp(free.udp, address, close);
  }
  return { httpPort: free.http, otherPort: free.other, tcpPort: free.tcp, udpPort: free.udp };
}

const answer: Parameters<typeof createHttpServer>[1] = (incoming, response) => {
  const [host = "", port = ""] = (incoming.headers.host ?? "").split(":");
  if (incoming.url === "/redirect") response.writeHead(302, { Location: `http://other.test:${port}/` }).end();
  else response.end(`http ${host}`);
};

async function bind(server: Server | HttpServer, port: number, address: string, close: (() => Promise<unknown>)[]) {
  server.listen(port, address);
  await once(server, "listening");
  close.push(async () => {
    if ("closeAllConnections" in server) server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function bindUdp(port: number, address: string, close: (() => Promise<unknown>)[]): Promise<number> {
  const socket: DatagramSocket = createSocket("udp4");
  socket.on("message", (_message, from) => socket.send("udp", from.port, from.address));
  socket.bind(port, address);
  await once(socket, "listening");
  close.push(async () => socket.close());
  return socket.address().port;
}
