import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  buildFixtureIndex,
  createTestFolder,
  modalRequest,
  startTestServer,
  type TestFolder,
  type TestServer,
} from "../testing/search-server.ts";

let folder: TestFolder;
let indexFile: string;
let server: TestServer;

beforeAll(async () => {
  folder = await createTestFolder();
  indexFile = await buildFixtureIndex(folder.path);
  server = await startTestServer({ indexFile });
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

describe("transport", () => {
  function raw(
    headers: Record<string, string>,
  ): Promise<{ encoding: string | undefined; bytes: Buffer; vary: string | undefined }> {
    return new Promise((resolve, reject) => {
      const request = httpRequest(`${server.origin}/1/indexes/*/queries`, { method: "POST", headers }, (response) => {
        const chunks: Buffer[] = [];
        response
          .on("data", (chunk: Buffer) => chunks.push(chunk))
          .on("end", () =>
            resolve({
              encoding: response.headers["content-encoding"],
              bytes: Buffer.concat(chunks),
              vary: response.headers.vary,
            }),
          );
      });
      request.on("error", reject).end(JSON.stringify({ requests: [modalRequest("server")] }));
    });
  }

  test("answers are compressed as the client accepts it", async () => {
    const plain = await raw({});
    const brotli = await raw({ "accept-encoding": "gzip, deflate, br, zstd" });
    const gzip = await raw({ "accept-encoding": "gzip, br;q=0" });

    expect([plain.encoding, brotli.encoding, gzip.encoding]).toEqual([undefined, "br", "gzip"]);
    expect(brotliDecompressSync(brotli.bytes).equals(plain.bytes)).toBe(true);
    expect(gunzipSync(gzip.bytes).equals(plain.bytes)).toBe(true);
    expect(brotli.bytes.length).toBeLessThan(plain.bytes.length / 3);
    expect(plain.vary).toBe("accept-encoding");
  });

  test("preflights are answered", async () => {
    const response = await fetch(`${server.origin}/1/events`, { method: "OPTIONS" });

    expect(response.status).toBe(204);
    expect(response.headers.get("access-control-allow-methods")).toContain("POST");
    expect(response.headers.get("access-control-allow-headers")).toBe("*");
    expect(response.headers.get("access-control-max-age")).toBe("86400");
  });

  test("a body that does not arrive in time is 408 and the connection ends", async () => {
    await using slow = await startTestServer({ indexFile, bodyTimeoutMs: 50 });
    const socket = connect(Number(slow.host.split(":")[1]), "127.0.0.1");
    let received = "";
    socket.on("data", (chunk: Buffer) => {
      received += chunk.toString();
    });
    const closed = once(socket, "close");
    socket.write("POST /1/indexes/*/queries HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\n{");
    await closed;

    expect(received).toMatch(/^HTTP\/1\.1 408 /);
  });

  test("a client that goes away in the middle leaves the service working", async () => {
    const socket = connect(Number(server.host.split(":")[1]), "127.0.0.1");
    await once(socket, "connect");
    socket.write('POST /1/indexes/*/queries HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\n{"requ');
    socket.destroy();
    await once(socket, "close");

    expect((await server.search([modalRequest("secrets")])).status).toBe(200);
  });

  test("too many searches from one address are 429 with the time to wait, and pass again later", async () => {
    let clock = 0;
    await using limited = await startTestServer({ indexFile, rateLimit: { burst: 5, perSecond: 1 }, now: () => clock });
    const five = await limited.search(Array.from({ length: 5 }, () => modalRequest("secrets")));
    const refused = await limited.post("/1/indexes/*/queries", JSON.stringify({ requests: [modalRequest("secrets")] }));
    clock += 1_000;
    const later = await limited.search([modalRequest("secrets")]);

    expect([five.status, refused.status, later.status]).toEqual([200, 429, 200]);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await refused.json()).toEqual({ message: "Too many requests", status: 429 });
  });
});
