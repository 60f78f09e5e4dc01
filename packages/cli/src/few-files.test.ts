/** A supervisor that may open few files, and callers who use up as many as they can: the real program under a small limit. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type BundledThv, bundleThv } from "./testing/bundle-thv.ts";

const FILES = 120;
const CALLERS = 300;
const TIMEOUT_MS = 90_000;

let bundled: BundledThv;
const children: ChildProcess[] = [];
const sockets: Socket[] = [];

beforeAll(async () => {
  bundled = await bundleThv();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill("SIGKILL");
    await once(child, "exit");
  }
});
afterAll(async () => {
  await bundled[Symbol.asyncDispose]();
});

interface Started {
  readonly child: ChildProcess;
  readonly home: string;
  /** Where the API answers. */
  readonly api: string;
  readonly said: () => string;
}

/** `thv serve` on a free port. @param engine Socket of the container engine. @param limit Of open files. */
async function serve(
  name: string,
  { engine, limit = "unlimited" }: { engine: string; limit?: string },
): Promise<Started> {
  const home = join(bundled.directory, name);
  const env = { PATH: process.env.PATH, HOME: home, DOCKER_HOST: `unix://${engine}` };
  const command = limit === "unlimited" ? "" : `ulimit -n ${limit};`;
  const child = spawn("bash", ["-c", `${command} exec "$0" "$1" serve --port 0`, process.execPath, bundled.program], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      text += chunk;
    });
  }
  const note = join(home, ".local/state/toolhive/supervisor.json");
  let api = "";
  await expect
    .poll(
      async () => {
        try {
          api = (JSON.parse(await readFile(note, "utf8")) as { api: string }).api;
        } catch {
          if (child.exitCode !== null) throw new Error(text);
        }
        return api;
      },
      { timeout: 30_000 },
    )
    .toMatch(/^http/);
  return { child, home, api, said: () => text };
}

async function statusOf(address: string): Promise<number> {
  try {
    return (await fetch(address, { signal: AbortSignal.timeout(10_000) })).status;
  } catch {
    return 0;
  }
}

describe("thv serve", () => {
  test.skipIf(process.platform !== "linux")(
    `with ${FILES} files answers, runs on and ends with 0 while ${CALLERS} connections send nothing (needs Linux)`,
    { timeout: TIMEOUT_MS },
    async () => {
      const { child, api, said } = await serve("few", { engine: "/nonexistent.sock", limit: String(FILES) });
      const closed: Promise<unknown>[] = [];
      for (let at = 0; at < CALLERS; at++) {
        const socket = connect(Number(new URL(api).port), "127.0.0.1");
        socket.on("error", () => undefined).resume();
        sockets.push(socket);
        closed.push(new Promise((resolve) => socket.once("close", resolve)));
      }

      const during = await statusOf(`${api}/api/v1beta/version`);
      // Those that stayed are closed when they have sent no request for 10 s: the lock was looked at twice in that time.
      await Promise.all(closed);
      const after = await statusOf(`${api}/api/v1beta/version`);
      child.kill("SIGINT");
      const [code] = await once(child, "exit");

      expect([during, after, code]).toEqual([200, 200, 0]);
      expect(said()).not.toContain("EMFILE");
    },
  );

  test("answers /health, and the rest of the API, while the engine accepts and says nothing", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const engine = join(bundled.directory, "mute.sock");
    const mute = createServer((socket) => {
      sockets.push(socket);
      socket.on("error", () => undefined);
    });
    mute.listen(engine);
    await once(mute, "listening");
    try {
      const { child, api } = await serve("mute", { engine });
      const health = await statusOf(`${api}/health`);
      const version = await statusOf(`${api}/api/v1beta/version`);
      child.kill("SIGINT");
      const [code] = await once(child, "exit");

      expect([health, version, code]).toEqual([503, 200, 0]);
    } finally {
      mute.close();
    }
  });
});
