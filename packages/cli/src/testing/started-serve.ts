/** `thv serve` as a program of its own, bundled from the sources, with a home of its own and without a container engine. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { BundledThv } from "./bundle-thv.ts";

const START_TIMEOUT_MS = 30_000;

export interface StartedServe extends AsyncDisposable {
  readonly child: ChildProcess;
  /** Where the API answers, as its record says. */
  readonly api: string;
  /** What it wrote, on both streams. */
  readonly output: () => string;
  /** Presses Ctrl-C. @returns The exit code. */
  end(): Promise<number | null>;
}

interface ServeOptions {
  /** Home, relative to the program. */
  readonly home: string;
  readonly flags?: readonly string[];
  /** Socket of the container engine. Default: one that is not there. */
  readonly engine?: string;
  /** Limit of open files. */
  readonly files?: number;
}

/** @throws when it ends before it has written its record. */
export async function startServe(
  { directory, program }: BundledThv,
  { home, flags = ["--port", "0"], engine = "/nonexistent.sock", files }: ServeOptions,
): Promise<StartedServe> {
  const folder = join(directory, home);
  const limit = files === undefined ? "" : `ulimit -n ${files}; `;
  const child = spawn("bash", ["-c", `${limit}exec "$@"`, "bash", process.execPath, program, "serve", ...flags], {
    env: { PATH: process.env.PATH, HOME: folder, DOCKER_HOST: `unix://${engine}` },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "exit");
  let text = "";
  const gather = (chunk: Buffer): void => {
    text += chunk;
  };
  child.stdout.on("data", gather);
  child.stderr.on("data", gather);
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const deadline = Date.now() + START_TIMEOUT_MS;
  let api: string | undefined;
  while (api === undefined) {
    api = await readApi(join(folder, ".local/state/toolhive/supervisor.json"));
    if (api !== undefined) break;
    if (hasEnded() || Date.now() > deadline) {
      child.kill("SIGKILL");
      throw new Error(`thv serve did not start: ${text}`);
    }
    await delay(20);
  }
  return {
    child,
    api,
    output: () => text,
    async end() {
      child.kill("SIGINT");
      await exited;
      return child.exitCode;
    },
    async [Symbol.asyncDispose]() {
      if (hasEnded()) return;
      child.kill("SIGKILL");
      await exited;
    },
  };
}

async function readApi(record: string): Promise<string | undefined> {
  try {
    return (JSON.parse(await readFile(record, "utf8")) as { api: string }).api;
  } catch {
    // It is written once the API listens.
    return undefined;
  }
}
