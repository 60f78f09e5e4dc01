/**
 * The least that a bridge can be: HTTP in front, one server on stdio behind, ids of its own, and nothing else. No session
 * is checked, nothing is bounded, an answer that never comes is waited for. What it costs is what HTTP and Node cost.
 */
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const [port = "0", command = process.execPath, ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
/** @type {Map<number, { id: unknown, response: import("node:http").ServerResponse }>} */
const pending = new Map();
let nextId = 1;

createInterface({ input: server.stdout }).on("line", (line) => {
  const message = JSON.parse(line);
  const waiting = pending.get(message.id);
  pending.delete(message.id);
  waiting?.response.writeHead(200, { "content-type": "application/json" });
  waiting?.response.end(JSON.stringify({ ...message, id: waiting.id }));
});

createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8").on("data", (/** @type {string} */ chunk) => {
    body += chunk;
  });
  request.on("end", () => {
    const message = body === "" ? {} : JSON.parse(body);
    if (message.id === undefined) {
      response.writeHead(202).end();
      return;
    }
    pending.set(nextId, { id: message.id, response });
    server.stdin.write(`${JSON.stringify({ ...message, id: nextId++ })}\n`);
  });
}).listen(Number(port), "127.0.0.1");
