/** A receiver of OTLP over HTTP, as JSON, on an address that pods reach. */
import { createServer } from "node:http";
import { closeGracefully, listen } from "@toolhive/http";

export interface Collector extends AsyncDisposable {
  readonly endpoint: string;
  /** Names of all metrics so far. */
  listMetrics(): readonly string[];
}

export async function startCollector(host: string): Promise<Collector> {
  const received = new Map<string, string[]>();
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    const path = request.url ?? "";
    received.set(path, [...(received.get(path) ?? []), text]);
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  const port = await listen(server, { host });
  // biome-ignore lint/suspicious/noExplicitAny: OTLP as it comes.
  const read = (path: string): any[] => (received.get(path) ?? []).map((text) => JSON.parse(text));
  return {
    endpoint: `http://${host}:${port}`,
    listMetrics: () =>
      read("/v1/metrics").flatMap(({ resourceMetrics }) =>
        resourceMetrics.flatMap(({ scopeMetrics }: { scopeMetrics: { metrics: { name: string }[] }[] }) =>
          scopeMetrics.flatMap(({ metrics }) => metrics.map(({ name }) => name)),
        ),
      ),
    [Symbol.asyncDispose]: async () => await closeGracefully(server, 0),
  };
}
