/** Our endpoint as a process of its own, so that its memory can be read: `run-endpoint PORT COMMAND ARGS…`. */
import { spawn } from "node:child_process";
import { openMcpEndpoint } from "../src/index.ts";

const [port = "0", command = process.execPath, ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const endpoint = await openMcpEndpoint({ name: "echo", host: "127.0.0.1", port: Number(port) });
endpoint.connect({ stdin: server.stdin, stdout: server.stdout });
process.on("SIGTERM", () => {
  server.kill();
  process.exit();
});
