/** The site's server as a process of one test: with its own environment, and to be stopped or killed. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

export interface OwnServer {
  readonly origin: string;
  /** Asks it to end. @returns What it wrote to stderr over its whole life. */
  stop(): Promise<string>;
  /** Ends it as a crash does. */
  kill(): Promise<void>;
}

const running = new Set<ChildProcessByStdio<null, Readable, Readable>>();

/** For `afterEach`: no server outlives a test that failed. */
export function endOwnServers(): void {
  for (const child of running) child.kill("SIGKILL");
}

/** @param env Added to the test's environment; without `PORT` the system chooses one. */
export async function startServer(env: Readonly<Record<string, string>> = {}): Promise<OwnServer> {
  const child = spawn(process.execPath, ["dist/server.mjs"], {
    cwd: path.join(__dirname, "../.."),
    env: { ...process.env, PORT: "0", HOST: "127.0.0.1", ACCESS_LOG: "off", SEARCH_EVENTS_FILE: "off", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  const ended = once(child, "close").then(() => running.delete(child));
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const origin = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const address = /http:\S+/.exec(line)?.[0];
      if (address !== undefined) resolve(address);
    });
    child.once("close", () => reject(new Error(`The site's server ended before it listened: ${stderr}`)));
  });
  return {
    origin,
    async stop() {
      child.kill("SIGTERM");
      await ended;
      return stderr;
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
