/**
 * A registry's host that redirects into the private network. Where the first request goes has to be public; no server of ours
 * is, so names count as public here, and addresses are judged as ever.
 */
import { lookup } from "node:dns";
import { expect, test, vi } from "vitest";
import { startHttpsServer, TEST_CA } from "../testing/https-server.ts";
import { fetchRegistry } from "./fetch-registry.ts";

vi.mock("../../net/private-address.ts", async (importOriginal) => ({
  ...(await importOriginal<typeof import("../../net/private-address.ts")>()),
  lookupPublic: () => lookup,
}));

test.each([301, 302, 303, 307, 308])(
  "with status %i to an address of this machine is refused, without asking it",
  async (status) => {
    await using inside = await startHttpsServer((_request, response) => response.end("secret"));
    await using outside = await startHttpsServer((_request, response) => {
      response.writeHead(status, { location: `${inside.origin}/secret` }).end();
    });
    const url = outside.origin.replace("127.0.0.1", "localhost");

    await expect(fetchRegistry(url, { ca: TEST_CA, allowPrivate: false })).rejects.toMatchObject({
      code: "REGISTRY_UNAVAILABLE",
      message: expect.stringContaining("is at the private address 127.0.0.1"),
    });
    expect([outside.requests.length, inside.requests.length]).toEqual([1, 0]);
  },
);
