/**
 * A group's endpoint as a process of its own, with its servers in the same process as in the supervisor: `run-group PORT
 * SERVERS [FIRST]`, with SERVERS a file of JSON, `{"NAME": ["COMMAND", "ARG"…]}`. FIRST: the port of the first server's
 * own endpoint, with the others after it; default: any.
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { OpenRelays, openEndpoint, openGroupEndpoint } from "../../src/index.ts";

const [port = "0", file = "", first = "0"] = process.argv.slice(2);
const servers = JSON.parse(readFileSync(file, "utf8")) as Record<string, string[]>;
const host = "127.0.0.1";
const relays = new OpenRelays();
const findRelay = (url: URL) => relays.find(url);
const group = await openGroupEndpoint({ name: "bench", host, port: Number(port), findRelay });
const members = await Promise.all(
  Object.entries(servers).map(async ([name, [command = "", ...args]], index) => {
    const endpoint = await openEndpoint({ name, host, relays, port: first === "0" ? 0 : Number(first) + index });
    const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] });
    endpoint.connect({ stdin: child.stdin, stdout: child.stdout });
    child.on("exit", () => endpoint.disconnect("the server has ended"));
    return { name, url: `http://${host}:${endpoint.port}/mcp`, isRunning: true, run: "1" };
  }),
);
group.update(members);
