/** An MCP server in another namespace, which stands for one that runs elsewhere. It asks for a token. */
import type { TestNamespace } from "@toolhive/testing";
import { ECHO_IMAGE } from "./test-operator.ts";

/** Tokens that it takes. */
export const TOKENS = ["token-one", "token-two"] as const;

const TOOLS = ["echo", "erase"].map((name) => ({ name, inputSchema: { type: "object" } }));
const SCRIPT = `
const tools = ${JSON.stringify(TOOLS)};
const accepted = ${JSON.stringify(TOKENS.map((token) => `Bearer ${token}`))};
let last = {};
require("http").createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => { body += chunk; });
  request.on("end", () => {
    const { method, url, headers } = request;
    if (url === "/seen") return response.end(JSON.stringify(last));
    if (!accepted.includes(headers.authorization)) return response.writeHead(401, { "www-authenticate": "Bearer" }).end();
    if (method !== "POST") return response.writeHead(405, { "content-type": "application/json" }).end("{}");
    last = headers;
    const { id, method: asked, params = {} } = JSON.parse(body);
    if (id === undefined) return response.writeHead(202).end();
    const serverInfo = { name: "elsewhere", version: "1" };
    const result = {
      initialize: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo },
      "tools/list": { tools },
      "tools/call": { content: [{ type: "text", text: String(params.arguments?.text) }] },
    }[asked] ?? {};
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });
}).listen(8080);
process.on("SIGTERM", () => process.exit());
`;

/** @returns Its address in the cluster. */
export async function startElsewhere(space: TestNamespace): Promise<URL> {
  const labels = { app: "elsewhere" };
  await space.apply({
    apiVersion: "v1",
    kind: "List",
    items: [
      {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "elsewhere" },
        spec: {
          replicas: 1,
          selector: { matchLabels: labels },
          template: {
            metadata: { labels },
            spec: {
              terminationGracePeriodSeconds: 1,
              containers: [
                {
                  name: "server",
                  image: ECHO_IMAGE,
                  imagePullPolicy: "IfNotPresent",
                  command: ["node", "-e", SCRIPT],
                  readinessProbe: { httpGet: { path: "/seen", port: 8080 }, periodSeconds: 1 },
                },
              ],
            },
          },
        },
      },
      {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "elsewhere" },
        spec: { selector: labels, ports: [{ port: 80, targetPort: 8080 }] },
      },
    ],
  });
  await space.kubectl("rollout", "status", "deployment/elsewhere", "--timeout=90s");
  return new URL(`http://elsewhere.${space.name}.svc/mcp`);
}
