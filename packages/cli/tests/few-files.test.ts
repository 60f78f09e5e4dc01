/** A supervisor that may open few files, and callers who use up as many as they can: the real program under a small limit. */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type BundledThv, bundleThv } from "../src/testing/bundle-thv.ts";
import { startServe } from "../src/testing/started-serve.ts";

const FILES = 120;
const CALLERS = 300;
const TIMEOUT_MS = 90_000;

let bundled: BundledThv;
const sockets: Socket[] = [];

beforeAll(async () => {
  bundled = await bundleThv();
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(async () => {
  await bundled[Symbol.asyncDispose]();
});

async function fetchStatus(address: string): Promise<number> {
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
      await using serve = await startServe(bundled, { home: "few", files: FILES });
      const closed: Promise<unknown>[] = [];
      for (let at = 0; at < CALLERS; at++) {
        const socket = connect(Number(new URL(serve.api).port), "127.0.0.1");
        socket.on("error", () => undefined).resume();
        sockets.push(socket);
        closed.push(new Promise((resolve) => socket.once("close", resolve)));
      }

      const during = await fetchStatus(`${serve.api}/api/v1beta/version`);
      // Those that stayed are closed when they have sent no request for 10 s: the supervisor checked the lock twice in that time.
      await Promise.all(closed);
      const after = await fetchStatus(`${serve.api}/api/v1beta/version`);

      expect([during, after, await serve.end()]).toEqual([200, 200, 0]);
      expect(serve.output()).not.toContain("EMFILE");
    },
  );

  test("answers /health and the rest while the engine accepts and says nothing", { timeout: TIMEOUT_MS }, async () => {
    const engine = join(bundled.directory, "mute.sock");
    const mute = createServer((socket) => sockets.push(socket.on("error", () => undefined)));
    mute.listen(engine);
    await once(mute, "listening");
    try {
      await using serve = await startServe(bundled, { home: "mute", engine });
      const health = await fetchStatus(`${serve.api}/health`);
      const version = await fetchStatus(`${serve.api}/api/v1beta/version`);

      expect([health, version, await serve.end()]).toEqual([503, 200, 0]);
    } finally {
      mute.close();
    }
  });
});
