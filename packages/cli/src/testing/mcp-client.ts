/** The official MCP client over streamable HTTP, opened for one test. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

export async function withMcpClient<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ name: "thv-tests", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
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
