/**
 * Our endpoint as a process of its own, so that its memory can be read: `run-endpoint PORT COMMAND ARGS…` for a server on
 * stdio, `run-endpoint PORT http://HOST:PORT` for one that speaks streamable HTTP, `run-endpoint PORT remote URL` for one elsewhere.
 */
import { spawn } from "node:child_process";
import { NoSignIn } from "@toolhive/core";
import { openEndpoint } from "../src/index.ts";

const [port = "0", target = process.execPath, ...args] = process.argv.slice(2);
const options = { name: "echo", host: "127.0.0.1", port: Number(port) };
if (target === "remote") {
  const url = new URL(args[0] ?? "");
  const endpoint = await openEndpoint({ ...options, transport: "streamable-http", isRemote: true });
  const remote = { url, authorization: new NoSignIn(options.name) };
  endpoint.connect({ host: url.hostname, port: Number(url.port), remote });
} else if (target.startsWith("http:")) {
  const { hostname, port: behind } = new URL(target);
  const endpoint = await openEndpoint({ ...options, transport: "streamable-http" });
  endpoint.connect({ host: hostname, port: Number(behind) });
} else {
  const server = spawn(target, args, { stdio: ["pipe", "pipe", "inherit"] });
  const endpoint = await openEndpoint(options);
  endpoint.connect({ stdin: server.stdin, stdout: server.stdout });
  process.on("SIGTERM", () => {
    server.kill();
    process.exit();
  });
}
