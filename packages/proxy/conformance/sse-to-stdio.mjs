/**
 * `sse-to-stdio URL`: a server on stdio that is a server on HTTP with SSE. The suite speaks streamable HTTP only; with this
 * behind an endpoint of ours it reaches servers of the older transport too, with and without a proxy before them.
 */
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new SSEClientTransport(new URL(process.argv[2] ?? ""));
const client = new StdioServerTransport();
/** Messages go one after the other: two posts at a time may overtake each other. */
let sent = Promise.resolve();

client.onmessage = (message) => {
  sent = sent.then(() => server.send(message));
};
server.onmessage = (message) => client.send(message);
server.onclose = () => process.exit();
client.onclose = () => process.exit();
await server.start();
await client.start();
