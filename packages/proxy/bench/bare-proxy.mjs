/** What a proxy on Node's own HTTP costs at least: `bare-proxy PORT PORT-BEHIND`. It reads, checks and counts nothing. */
import { Agent, createServer, request } from "node:http";

const [port, behind] = process.argv.slice(2).map(Number);
const agent = new Agent({ keepAlive: true });

createServer((incoming, response) => {
  const { method, url: path, headers } = incoming;
  const outgoing = request({ host: "127.0.0.1", port: behind, method, path, headers, agent }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  outgoing.on("error", () => response.destroy());
  incoming.pipe(outgoing);
}).listen(port, "127.0.0.1");
