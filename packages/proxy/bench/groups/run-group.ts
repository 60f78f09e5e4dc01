/**
 * A group's endpoint as a process of its own, with its servers in the same process as in the supervisor: `run-group PORT
 * SERVERS`, with SERVERS a file of JSON, `{"NAME": ["COMMAND", "ARG"…]}`.
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { openEndpoint, openGroupEndpoint } from "../../src/index.ts";

const [port = "0", file = ""] = process.argv.slice(2);
const servers = JSON.parse(readFileSync(file, "utf8")) as Record<string, string[]>;
const host = "127.0.0.1";
const group = await openGroupEndpoint({ name: "bench", host, port: Number(port) });
const members = await Promise.all(
  Object.entries(servers).map(async ([name, [command = "", ...args]]) => {
    const endpoint = await openEndpoint({ name, host, port: 0 });
    const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] });
    endpoint.connect({ stdin: child.stdin, stdout: child.stdout });
    child.on("exit", () => endpoint.disconnect("the server has ended"));
    return { name, url: `http://${host}:${endpoint.port}/mcp`, isRunning: true, run: "1" };
  }),
);
group.update(members);
