/**
 * Real servers as child processes on stdio: the official `server-everything`, and one of the newest revision only.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { StdioConnection } from "@toolhive/core";

const require = createRequire(import.meta.url);

export interface ChildServer extends AsyncDisposable {
  readonly connection: StdioConnection;
  /** Ends it the hard way and waits until it is gone. */
  kill(): Promise<void>;
}

export function startEverythingServer(): ChildServer {
  const folder = dirname(require.resolve("@modelcontextprotocol/server-everything/package.json"));
  return start([join(folder, "dist/index.js"), "stdio"]);
}

export function startModernServer(): ChildServer {
  return start([fileURLToPath(new URL("modern-server.mjs", import.meta.url))]);
}

function start(args: readonly string[]): ChildServer {
  return startProgram(process.execPath, args);
}

export function startProgram(command: string, args: readonly string[]): ChildServer {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] });
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  return { connection: { stdin: child.stdin, stdout: child.stdout }, kill, [Symbol.asyncDispose]: kill };
}
