/** An MCP client of a server's tools, for tests. */
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const CALL_MS = 60_000;

export class McpCaller implements AsyncDisposable {
  readonly #client: Client;

  private constructor(client: Client) {
    this.#client = client;
  }

  /**
   * @param url Ends with `/sse` for HTTP with SSE.
   * @param token Shown with every request.
   * @param timeout Milliseconds for the first answer.
   */
  static async open(url: URL, token?: string, timeout = CALL_MS): Promise<McpCaller> {
    const client = new Client({ name: "test", version: "0" });
    const isSse = url.pathname.endsWith("/sse");
    const options = token === undefined ? {} : { requestInit: { headers: { authorization: `Bearer ${token}` } } };
    const transport = isSse ? new SSEClientTransport(url, options) : new StreamableHTTPClientTransport(url, options);
    await client.connect(transport, { timeout });
    return new McpCaller(client);
  }

  /** @returns Names of the tools. */
  async listTools(): Promise<string[]> {
    return (await this.#client.listTools()).tools.map(({ name }) => name);
  }

  /**
   * @param timeout Milliseconds for the answer. @returns Its first text.
   * @throws {Error} When the call fails, or the tool says so.
   */
  async call(name: string, values: Record<string, unknown>, timeout = CALL_MS): Promise<string> {
    const { content, isError } = await this.#client.callTool({ name, arguments: values }, { timeout });
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
