import { once } from "node:events";
import { createServer } from "node:http";
import type { Server } from "node:net";
import { afterEach, describe, expect, test, vi } from "vitest";
import { isOpenToBrowsers, listen } from "./listen.ts";

const open: Server[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) {
    server.close();
    await once(server, "close");
  }
});

function answering(): Server {
  const server = createServer((_request, response) => response.end("here"));
  open.push(server);
  return server;
}

describe("listen", () => {
  test("takes a port that a browser connects to", async () => {
    const port = await listen(answering());

    expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe("here");
  });

  test("asks the system for another port when it gives one that browsers refuse", async () => {
    const server = answering();
    vi.spyOn(server, "address").mockReturnValueOnce({ address: "127.0.0.1", family: "IPv4", port: 6000 });

    const port = await listen(server);

    expect(isOpenToBrowsers(port)).toBe(true);
    expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe("here");
  });

  test("takes the requested port, and fails with its number when another program has it", async () => {
    const port = await listen(answering());
    const second = createServer();

    await expect(listen(second, { port })).rejects.toMatchObject({ code: "EADDRINUSE" });
  });
});

test.each([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080,
])("what is said of port %i and its neighbours is what fetch does", async (blocked) => {
  for (const port of [blocked - 1, blocked, blocked + 1]) {
    const failure = await fetch(`http://127.0.0.1:${port}`, { method: "HEAD" }).then(
      () => undefined,
      (error: Error) => error.cause,
    );

    expect([port, isOpenToBrowsers(port)]).toEqual([port, (failure as Error | undefined)?.message !== "bad port"]);
  }
});
