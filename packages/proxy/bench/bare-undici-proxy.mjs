/** The bare proxy with the dispatcher of `undici` as its client: `bare-undici-proxy PORT PORT-BEHIND`. */
import { createServer } from "node:http";
import Agent from "undici/lib/dispatcher/agent.js";

const [port, behind] = process.argv.slice(2).map(Number);
const agent = new Agent({ pipelining: 1 });
const origin = `http://127.0.0.1:${behind}`;

createServer((incoming, response) => {
  const { url: path = "/", headers } = incoming;
  const method = /** @type {import("undici").Dispatcher.HttpMethod} */ (incoming.method);
  delete headers.connection;
  agent.dispatch(
    { origin, method, path, headers, body: method === "POST" ? incoming : null },
    {
      onConnect: () => undefined,
      onHeaders: (status, answer, resume) => {
        response.writeHead(status, answer.map(String));
        response.on("drain", resume);
        return true;
      },
      onData: (chunk) => response.write(chunk),
      onComplete: () => void response.end(),
      onError: () => void response.destroy(),
    },
  );
}).listen(port, "127.0.0.1");
