/** Answers the kubelet. Other callers that reach the pod only learn that there is a sidecar. */
import { createServer, type Server } from "node:http";
import { PROBE_PATH } from "@toolhive/core/sidecar-rules";

const MAX_CONNECTIONS = 16;
const TIMEOUT_MS = 5_000;

export function createProbeServer(): Server {
  const server = createServer((incoming, answer) => {
    const isAsked = incoming.url === PROBE_PATH;
    answer.writeHead(isAsked ? 200 : 404, { "Content-Type": "text/plain", Connection: "close" });
    answer.end(isAsked ? "ok\n" : "not found\n");
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.requestTimeout = TIMEOUT_MS;
  server.headersTimeout = TIMEOUT_MS;
  server.on("clientError", (_error, socket) => socket.destroy());
  return server;
}
