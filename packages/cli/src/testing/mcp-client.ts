/** The official MCP client over the transport that an address stands for, opened for one test. */
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

export async function withMcpClient<T>(address: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ name: "thv-tests", version: "1.0.0" });
  const url = new URL(address);
  await client.connect(url.pathname === "/sse" ? new SSEClientTransport(url) : new StreamableHTTPClientTransport(url));
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

/** Calls the tool `echo` of `server-everything`. @returns The text of its answer. */
export async function callEcho(url: string, message: string): Promise<string> {
  return await withMcpClient(url, async (client) => {
    const { content } = await client.callTool({ name: "echo", arguments: { message } });
    const [first] = content as { type: string; text: string }[];
    return first?.text ?? "";
  });
}
