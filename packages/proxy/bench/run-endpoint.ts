/**
 * Our endpoint as a process of its own, so that its memory can be read: `run-endpoint PORT COMMAND ARGS…` for a server on
 * stdio, `run-endpoint PORT http://HOST:PORT` for one that speaks streamable HTTP, `run-endpoint PORT remote URL` for one elsewhere.
 * Its tools are pinned and its calls counted, as by default; `BENCH_WITHOUT`, a list, leaves out `pins` or `usage`.
 */
import { spawn } from "node:child_process";
import { NoSignIn, UsageBook } from "@toolhive/core";
import { MemoryPinStore, ToolPins } from "@toolhive/core/testing";
import { openEndpoint } from "../src/index.ts";

const [port = "0", target = process.execPath, ...args] = process.argv.slice(2);
const without = new Set((process.env.BENCH_WITHOUT ?? "").split(","));
const ignore = (): void => undefined;
const log = { error: ignore, warn: ignore, info: ignore, debug: ignore };
const usage = without.has("usage") ? {} : { usage: openUsage() };
const options = { name: "echo", host: "127.0.0.1", port: Number(port), ...usage };
const pins = without.has("pins") ? undefined : await openPins();
if (target === "remote") {
  const url = new URL(args[0] ?? "");
  const endpoint = await openEndpoint({ ...options, transport: "streamable-http", isRemote: true });
  endpoint.pinTools(pins);
  const remote = { url, authorization: new NoSignIn(options.name) };
  endpoint.connect({ host: url.hostname, port: Number(url.port), remote });
} else if (target.startsWith("http:")) {
  const { hostname, port: behind } = new URL(target);
  const endpoint = await openEndpoint({ ...options, transport: "streamable-http" });
  endpoint.pinTools(pins);
  endpoint.connect({ host: hostname, port: Number(behind) });
} else {
  const server = spawn(target, args, { stdio: ["pipe", "pipe", "inherit"] });
  const endpoint = await openEndpoint(options);
  endpoint.pinTools(pins);
  endpoint.connect({ stdin: server.stdin, stdout: server.stdout });
  process.on("SIGTERM", () => {
    server.kill();
    process.exit();
  });
}

async function openPins(): Promise<ToolPins> {
  const settings = { mode: "known", changedTools: "refuse" } as const;
  const opened = new ToolPins({ name: "echo", store: new MemoryPinStore(new Map()), log, settings });
  await opened.load({ image: undefined, isNew: true });
  return opened;
}

function openUsage() {
  const store = {
    read: async () => undefined,
    save: async () => undefined,
    delete: async () => undefined,
    deleteAll: async () => undefined,
  };
  const book = new UsageBook({
    store,
    isWanted: async () => true,
    setWanted: async () => undefined,
    log,
    now: Date.now,
  });
  return book.forServer("echo");
}
