/**
 * The official `server-everything` as a child process on stdio.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { StdioConnection } from "@toolhive/core";

const require = createRequire(import.meta.url);

export interface EverythingServer extends AsyncDisposable {
  readonly connection: StdioConnection;
  readonly process: ChildProcess;
  /** Ends it the hard way and waits until it is gone. */
  kill(): Promise<void>;
}

export function startEverythingServer(): EverythingServer {
  const folder = dirname(require.resolve("@modelcontextprotocol/server-everything/package.json"));
  const child = spawn(process.execPath, [join(folder, "dist/index.js"), "stdio"], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  return {
    connection: { stdin: child.stdin, stdout: child.stdout },
    process: child,
    kill,
    [Symbol.asyncDispose]: kill,
  };
}
