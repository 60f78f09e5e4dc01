/** Where the server lets clients of HTTP with SSE post. A client that posted elsewhere would command another program. */
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { EndpointEventRewriter } from "./endpoint-event.ts";

const BASE = new URL("http://127.0.0.1:9/sse?x=1");
const ELSEWHERE = "http://127.0.0.1:8080/api/v1beta/workloads/other/stop";
const HERE = "http://127.0.0.1:9/api/v1beta/workloads/other/stop";

/** @param cut Bytes of each chunk. */
async function rewrite(stream: string, cut = stream.length): Promise<string> {
  const rewriter = new EndpointEventRewriter({ base: BASE });
  const bytes = Buffer.from(stream, "latin1");
  for (let at = 0; at < bytes.length; at += cut) rewriter.write(bytes.subarray(at, at + cut));
  rewriter.end();
  return await text(rewriter);
}

describe("an endpoint event", () => {
  test.each([
    ["http://0.0.0.0:3001/message?s=1", "http://127.0.0.1:9/message?s=1"],
    ["https://x.example:1/m", "http://127.0.0.1:9/m"],
    ["HTTP://x.example/m", "http://127.0.0.1:9/m"],
    ["/message?s=1", "/message?s=1"],
    ["message?s=1", "http://127.0.0.1:9/message?s=1"],
    ["?s=1", "http://127.0.0.1:9/sse?s=1"],
    ["//127.0.0.1:8080/m", "http://127.0.0.1:9/m"],
    ["/\\127.0.0.1:8080/m", "http://127.0.0.1:9/m"],
    ["\\\\127.0.0.1:8080/m", "http://127.0.0.1:9/m"],
    ["///127.0.0.1:8080/m", "http://127.0.0.1:9/m"],
    ["http:127.0.0.1:8080/m", "http://127.0.0.1:9/127.0.0.1:8080/m"],
    [" http://127.0.0.1:8080/m", "http://127.0.0.1:9/m"],
    ["http://127.0.0.1:9@127.0.0.1:8080/m", "http://127.0.0.1:9/m"],
    ["http://x.example//127.0.0.1:8080/m", "http://127.0.0.1:9/127.0.0.1:8080/m"],
  ])("with %j has %j", async (given, expected) => {
    expect(await rewrite(`event: endpoint\ndata: ${given}\n\n`)).toBe(`event: endpoint\ndata: ${expected}\n\n`);
  });

  test.each(["file:///etc/passwd", "javascript:alert(1)", "ws://127.0.0.1:8080/", "http://[", ""])(
    "with %j names the stream's own address, or is left out",
    async (given) => {
      const passed = await rewrite(`event: endpoint\ndata: ${given}\n\ndata: 1\n\n`);

      expect(["data: 1\n\n", `event: endpoint\ndata: http://127.0.0.1:9/sse?x=1\n\ndata: 1\n\n`]).toContain(passed);
    },
  );

  test("may name itself after its data, however the stream is cut", async () => {
    for (const cut of [1, 2, 3, 7, 100])
      expect(await rewrite("retry: 1\n\ndata: /m\nevent: endpoint\n\ndata: {}\n\n", cut)).toBe(
        "retry: 1\n\nevent: endpoint\ndata: /m\n\ndata: {}\n\n",
      );
  });

  const HOSTILE: [string, string][] = [
    ["after a comment", `: hello\n\nevent: endpoint\ndata: ${ELSEWHERE}\n\n`],
    ["after another event", `data: {}\n\nevent: endpoint\ndata: ${ELSEWHERE}\n\n`],
    ["after the first of its kind", `event: endpoint\ndata: /m\n\nevent: endpoint\ndata: ${ELSEWHERE}\n\n`],
    ["after 20 kB", `: ${"x".repeat(20_000)}\nevent: endpoint\ndata: ${ELSEWHERE}\n\n`],
    ["with its data first", `data: ${ELSEWHERE}\nevent: endpoint\n\n`],
    ["with carriage returns", `event: endpoint\rdata: ${ELSEWHERE}\r\r`],
    ["with both ends of lines", `event: endpoint\r\ndata: ${ELSEWHERE}\r\n\r\n`],
    ["with mixed ends of lines", `data: a\r\n\revent:endpoint\ndata:${ELSEWHERE}\r\r\n`],
    ["with a byte order mark", `\xef\xbb\xbfevent: endpoint\ndata: ${ELSEWHERE}\n\n`],
    ["with an id before it", `id: 1\nevent: endpoint\nretry: 5\ndata: ${ELSEWHERE}\n\n`],
    ["under two names", `event: message\nevent: endpoint\ndata: ${ELSEWHERE}\n\n`],
    ["with data in pieces", `event: endpoint\ndata: http://127.0.0.1:8080\ndata: /api/v1beta/workloads/other/stop\n\n`],
  ];

  test.each(HOSTILE)("%s leads nowhere else, however the stream is cut", async (_how, stream) => {
    for (const cut of [1, 2, 3, 7, stream.length]) {
      const addresses = readAddresses(await rewrite(stream, cut));

      expect(addresses.filter((address) => new URL(address, BASE).origin !== BASE.origin)).toEqual([]);
      expect(addresses.every((address) => address === "/m" || address === HERE)).toBe(true);
    }
  });

  test("is not what only resembles one, and that passes byte for byte", async () => {
    const stream = `data: event\r\nretry: 1\r\n\r\nid: 1\ndata:\n\nevent: message\ndata: ${ELSEWHERE}\n\nevent:  endpoint\ndata: 1\r\n\r\n: event: endpoint\ndata: 2\n\nevent: endpoint\nevent: x\ndata: 3\n\n`;

    for (const cut of [1, 5, stream.length]) expect(await rewrite(stream, cut)).toBe(stream);
  });

  test("that is longer than 16 KiB ends the stream", async () => {
    await expect(rewrite(`event: endpoint\ndata: /${"x".repeat(20_000)}\n\n`)).rejects.toThrow("16384 bytes");
  });
});

/** As a client reads it (HTML, 9.2.6). */
function readAddresses(stream: string): string[] {
  const found: string[] = [];
  let data: string[] = [];
  let event = "";
  for (const line of stream.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/)) {
    if (line === "") {
      if (event === "endpoint" && data.length > 0) found.push(data.join("\n"));
      data = [];
      event = "";
      continue;
    }
    const [, name, value = ""] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
    if (name === "event") event = value;
    if (name === "data") data.push(value);
  }
  return found;
}
