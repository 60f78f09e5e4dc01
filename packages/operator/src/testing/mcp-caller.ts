/** An MCP client of a server's tools, for tests. */
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

export class McpCaller implements AsyncDisposable {
  readonly #client: Client;

  private constructor(client: Client) {
    this.#client = client;
  }

  /**
   * @param url Ends with `/sse` for HTTP with SSE.
   * @param token Shown with every request.
   */
  static async open(url: URL, token?: string): Promise<McpCaller> {
    const client = new Client({ name: "test", version: "0" });
    const isSse = url.pathname.endsWith("/sse");
    const options = token === undefined ? {} : { requestInit: { headers: { authorization: `Bearer ${token}` } } };
    const transport = isSse ? new SSEClientTransport(url, options) : new StreamableHTTPClientTransport(url, options);
    await client.connect(transport);
    return new McpCaller(client);
  }

  /** @returns Names of the tools. */
  async listTools(): Promise<string[]> {
    return (await this.#client.listTools()).tools.map(({ name }) => name);
  }

  /** @returns The first text of the answer. @throws {Error} When the call fails, or the tool says so. */
  async call(name: string, values: Record<string, unknown>): Promise<string> {
    const { content, isError } = await this.#client.callTool({ name, arguments: values }, { timeout: 60_000 });
    const [first] = content as { readonly text?: string }[];
    if (isError) throw new Error(first?.text ?? "the tool failed");
    return first?.text ?? "";
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close();
  }
}

export async function callTool(
  url: URL,
  name: string,
  values: Record<string, unknown>,
  token?: string,
): Promise<string> {
  await using caller = await McpCaller.open(url, token);
  return await caller.call(name, values);
}
