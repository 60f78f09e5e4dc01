import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isPrivateAddress } from "../../net/private-address.ts";
import { startHttpsServer, TEST_CA } from "../testing/https-server.ts";
import { fetchRegistry, MAX_REGISTRY_BYTES } from "./fetch-registry.ts";

const trusted = { allowPrivate: true, ca: TEST_CA };

describe("isPrivateAddress", () => {
  test.each([
    ...["127.0.0.1", "127.255.255.254", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.0.1", "169.254.169.254"],
    ...["0.0.0.0", "100.64.0.1", "255.255.255.255", "224.0.0.1"],
    ...["::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "fdff::1", "ff02::1", "[::1]"],
    ...["::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:a00:1", "64:ff9b::7f00:1", "::ffff:0.0.0.1"],
    ...["", "localhost", "example.com", "127.1"],
  ])("says yes of %j", (address) => {
    expect(isPrivateAddress(address)).toBe(true);
  });

  test.each([
    "1.1.1.1",
    "172.15.255.255",
    "172.32.0.1",
    "192.169.0.1",
    "2606:4700::1111",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
  ])("says no of %j", (address) => {
    expect(isPrivateAddress(address)).toBe(false);
  });

  test("judges an IPv4 address the same when it is written inside IPv6", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(isPrivateAddress(`::ffff:${address}`)).toBe(isPrivateAddress(address));
      }),
    );
  });
});

describe("fetchRegistry", () => {
  test("hands over the text and its entity tag", async () => {
    await using server = await startHttpsServer((_request, response) => {
      response.setHeader("ETag", '"one"').end("the text");
    });

    const fetched = await fetchRegistry(`${server.origin}/r.json`, trusted);

    expect(fetched).toEqual({ kind: "content", text: "the text", etag: '"one"' });
  });

  test("does not get again what has not changed", async () => {
    await using server = await startHttpsServer((request, response) => {
      response.statusCode = request.headers["if-none-match"] === '"one"' ? 304 : 200;
      response.end();
    });

    expect(await fetchRegistry(`${server.origin}/r.json`, { ...trusted, etag: '"one"' })).toEqual({
      kind: "unchanged",
    });
  });

  test("follows redirects", async () => {
    await using server = await startHttpsServer((request, response) => {
      if (request.url === "/new") response.end("moved");
      else response.writeHead(302, { Location: "/new" }).end();
    });

    expect(await fetchRegistry(`${server.origin}/old`, trusted)).toMatchObject({ text: "moved" });
  });

  test.each(["127.0.0.1", "localhost"])(
    "refuses %s where private addresses are not allowed, without asking it",
    async (host) => {
      await using server = await startHttpsServer((_request, response) => {
        response.end("secret");
      });
      const url = server.origin.replace("127.0.0.1", host);

      const fetching = fetchRegistry(url, { ca: TEST_CA, allowPrivate: false });

      await expect(fetching).rejects.toMatchObject({
        code: "REGISTRY_UNAVAILABLE",
        message: expect.stringMatching(/is at the private address (127\.0\.0\.1|::1)/),
        hint: expect.stringContaining("--allow-private-ip"),
      });
      expect(server.requests).toEqual([]);
    },
  );

  test.each([
    ["a plain http address", "http://registry.example/r.json", /only https addresses are allowed/],
    ["a port where nothing listens", "https://127.0.0.1:1/r.json", /nothing answers there/],
  ])("says what is wrong with %s", async (_what, url, reason) => {
    await expect(fetchRegistry(url, trusted)).rejects.toMatchObject({
      code: "REGISTRY_UNAVAILABLE",
      message: expect.stringMatching(reason),
    });
  });

  test.each([
    ["another status", 404, {}, /status 404/],
    ["an endless redirect", 302, { Location: "/again" }, /more than 5 redirects/],
    ["a redirect to http", 302, { Location: "http://127.0.0.1/" }, /only https addresses are allowed/],
  ])("refuses %s", async (_what, status, headers, reason) => {
    await using server = await startHttpsServer((_request, response) => {
      response.writeHead(status, headers).end();
    });

    await expect(fetchRegistry(`${server.origin}/`, trusted)).rejects.toThrow(reason);
  });

  test("refuses an answer without end", async () => {
    await using server = await startHttpsServer((_request, response) => {
      const piece = Buffer.alloc(1024 * 1024);
      const more = () => {
        while (!response.destroyed && response.write(piece));
      };
      response.on("drain", more);
      more();
    });

    await expect(fetchRegistry(`${server.origin}/`, trusted)).rejects.toThrow(
      `larger than ${MAX_REGISTRY_BYTES} bytes`,
    );
  });

  test("gives up on a server that never finishes", async () => {
    await using server = await startHttpsServer((_request, response) => {
      response.write("a");
    });

    const fetching = fetchRegistry(`${server.origin}/`, { ...trusted, timeoutMs: 200 });

    await expect(fetching).rejects.toThrow("no complete answer within 0.2 s");
  });

  test("refuses a certificate that is not trusted", async () => {
    await using server = await startHttpsServer((_request, response) => {
      response.end("text");
    });

    await expect(fetchRegistry(`${server.origin}/`, { allowPrivate: true })).rejects.toThrow(/self.signed certificate/);
  });
});
