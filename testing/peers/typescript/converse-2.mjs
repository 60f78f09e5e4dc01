/** A client on a 2.x of the SDK. */
import {
  Client,
  LOG_LEVEL_META_KEY,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { converse, endSession, tap } from "./converse.mjs";

/** Kinds of clients and servers with which the later generation of the protocol is tried first, which is not the default. */
const LATER_FIRST = ["auto", "stdio", "node-both", "node-modern"];

/** @param target A command, or an address; one that ends in `/sse` is HTTP with SSE. */
export async function converseWith({ url, command, kind }) {
  return await converse(async () => {
    const options = LATER_FIRST.includes(kind) ? { versionNegotiation: { mode: "auto" } } : {};
    const client = new Client({ name: "peer", version: "1.0.0" }, options);
    const transport = createTransport(url, command);
    const peer = {
      client,
      onMessage: () => {},
      describe: () => ({
        protocol: client.getNegotiatedProtocolVersion(),
        server: client.getServerVersion()?.name,
        capabilities: Object.keys(client.getServerCapabilities() ?? {}).sort(),
      }),
      callTool: async (request, more) => await client.callTool(request, more),
      close: async () => await endSession(client, transport, url),
    };
    tap(transport, (message) => peer.onMessage(message));
    await client.connect(transport);
    const isModern = client.getProtocolEra() === "modern";
    peer.hasPing = !isModern;
    if (isModern) {
      // Since 2026-07-28 each request says whether it wants log messages.
      peer.meta = { [LOG_LEVEL_META_KEY]: "info" };
      peer.listen = async () => {
        await client.listen({ toolsListChanged: true });
        return "acknowledged";
      };
    }
    return peer;
  });
}

function createTransport(url, command) {
  if (command !== undefined) {
    const [program, ...args] = command;
    return new StdioClientTransport({ command: program, args, stderr: "ignore" });
  }
  const address = new URL(url);
  return address.pathname.endsWith("/sse")
    ? new SSEClientTransport(address)
    : new StreamableHTTPClientTransport(address);
}
