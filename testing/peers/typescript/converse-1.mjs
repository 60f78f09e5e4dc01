/** A client on a 1.x of the SDK. */
import { converse, endSession, tap } from "./converse.mjs";

/** @param target A command, or an address; one that ends in `/sse` is HTTP with SSE. */
export async function converseWith(target, sdk) {
  const { Client } = await import(`${sdk}/client/index.js`);
  const { LATEST_PROTOCOL_VERSION } = await import(`${sdk}/types.js`);
  const createTransport = await chooseTransport(target, sdk);
  return await converse(async () => {
    const client = new Client({ name: "peer", version: "1.0.0" }, { capabilities: {} });
    const transport = createTransport();
    let protocol = LATEST_PROTOCOL_VERSION;
    const peer = {
      client,
      hasPing: true,
      onMessage: () => {},
      describe: () => ({
        protocol,
        server: client.getServerVersion().name,
        capabilities: Object.keys(client.getServerCapabilities()).sort(),
      }),
      callTool: async (request, options) => await client.callTool(request, undefined, options),
      close: async () => await endSession(client, transport, target.url),
    };
    tap(transport, (message) => {
      protocol = message.result?.protocolVersion ?? protocol;
      peer.onMessage(message);
    });
    await client.connect(transport);
    return peer;
  });
}

async function chooseTransport({ url, command }, sdk) {
  if (command !== undefined) {
    const { StdioClientTransport } = await import(`${sdk}/client/stdio.js`);
    const [program, ...args] = command;
    return () => new StdioClientTransport({ command: program, args, stderr: "ignore" });
  }
  const address = new URL(url);
  if (address.pathname.endsWith("/sse")) {
    // The earliest versions take it from the browser.
    globalThis.EventSource ??= (await import("eventsource")).EventSource;
    const { SSEClientTransport } = await import(`${sdk}/client/sse.js`);
    return () => new SSEClientTransport(address);
  }
  const { StreamableHTTPClientTransport } = await import(`${sdk}/client/streamableHttp.js`);
  return () => new StreamableHTTPClientTransport(address);
}
