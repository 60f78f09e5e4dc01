/** Connections to a remote server through a proxy, for the client that clients' requests are sent with. */
import { EventEmitter } from "node:events";
import type { ClientRequest } from "node:http";
import type { Socket } from "node:net";
import { type SecureContext, TLSSocket } from "node:tls";
import type { HttpsProxyAgent } from "https-proxy-agent";
import type { buildConnector } from "undici";

export type ConnectThrough = buildConnector.connector;

/** The proxy has answered in the server's place. */
export class ProxyRefusal extends Error {
  override readonly name = "ProxyRefusal";
  readonly statusCode: number;

  constructor(statusCode: number) {
    super(`the proxy answers with status ${statusCode}`);
    this.statusCode = statusCode;
  }
}

export function connectThrough(
  agent: HttpsProxyAgent<string>,
  tls: { readonly secureContext?: SecureContext },
): ConnectThrough {
  return (options, callback) => {
    open(agent, tls, options).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    );
  };
}

async function open(
  agent: HttpsProxyAgent<string>,
  tls: { readonly secureContext?: SecureContext },
  { hostname, protocol, port, servername }: buildConnector.Options,
): Promise<Socket | TLSSocket> {
  const isSecure = protocol === "https:";
  const host = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  const at = { host, port: port === "" || port === undefined ? (isSecure ? 443 : 80) : Number(port) };
  // In the place of the request that the agent reports to.
  const reports = new EventEmitter() as ClientRequest;
  let statusCode = 0;
  reports.once("proxyConnect", (answer: { readonly statusCode: number }) => {
    statusCode = answer.statusCode;
  });
  const secure = { ...tls, ...(servername && { servername }), ALPNProtocols: ["http/1.1"] };
  const socket = await agent.connect(
    reports,
    isSecure ? { ...at, ...secure, secureEndpoint: true } : { ...at, secureEndpoint: false },
  );
  if (statusCode !== 200) {
    socket.destroy();
    throw new ProxyRefusal(statusCode);
  }
  reports.emit("socket", socket);
  socket.setNoDelay(true);
  if (!(socket instanceof TLSSocket)) return socket;
  await new Promise((resolve, reject) => {
    socket.once("secureConnect", resolve).once("error", reject);
  });
  return socket;
}
