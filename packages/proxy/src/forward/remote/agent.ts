/** The connections to one remote server: through the proxies that the environment names, and trusting what the user trusts. */
import { Agent } from "node:http";
import { Agent as SecureAgent } from "node:https";
import { createSecureContext, rootCertificates, type SecureContext } from "node:tls";
import type { RemoteServer } from "@toolhive/core";
import { HttpsProxyAgent } from "https-proxy-agent";
import { getProxyForUrl } from "proxy-from-env";
import { type ConnectThrough, connectThrough } from "./proxy-connect.ts";

/** A server may end an idle connection at any moment, also when the next question is on its way: so each one has its own. */
const ONE_REQUEST = { keepAlive: false } as const;

export interface RemoteRoute {
  /** For what the endpoint itself asks the server: a connection for each request. */
  readonly agent: Agent;
  /** Options of each request. */
  readonly tls: { readonly secureContext?: SecureContext };
  /** Connects through the proxy. Absent without one. */
  readonly connect?: ConnectThrough;
  /** Host of the proxy on the way, for messages. */
  readonly proxy: string | undefined;
}

export function openRemoteRoute({ url, ca }: RemoteServer): RemoteRoute {
  // With `ca`, the agent would join all certificates into the key of a connection, again for each request.
  const tls = ca === undefined ? {} : { secureContext: createSecureContext({ ca: [...rootCertificates, ca] }) };
  const proxy = getProxyForUrl(url.href);
  if (proxy !== "") {
    const agent = new HttpsProxyAgent(proxy, ONE_REQUEST);
    return { agent, tls, connect: connectThrough(agent, tls), proxy: new URL(proxy).host };
  }
  const agent = url.protocol === "https:" ? new SecureAgent(ONE_REQUEST) : new Agent(ONE_REQUEST);
  return { agent, tls, proxy: undefined };
}
