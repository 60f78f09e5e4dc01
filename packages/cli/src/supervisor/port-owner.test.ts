import { createServer, type Server } from "node:net";
import { describe, expect, test } from "vitest";
import { describePortOwner } from "./port-owner.ts";

async function listen(host: string): Promise<{ server: Server; port: number }> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, host, resolve);
  });
  return { server, port: (server.address() as { port: number }).port };
}

describe.skipIf(process.platform !== "linux")("describePortOwner (Linux only)", () => {
  test("names the process that listens, and nobody once it has stopped", async () => {
    const { server, port } = await listen("127.0.0.1");

    expect(await describePortOwner(port)).toMatch(new RegExp(`\\(pid ${process.pid}\\)$`));

    await new Promise((resolve) => server.close(resolve));
    expect(await describePortOwner(port)).toBeUndefined();
  });

  test("knows a port that is listened on on every address", async () => {
    const { server, port } = await listen("0.0.0.0");

    expect(await describePortOwner(port)).toContain(`(pid ${process.pid})`);

    await new Promise((resolve) => server.close(resolve));
  });
});
