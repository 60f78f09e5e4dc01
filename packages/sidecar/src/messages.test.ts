import { once } from "node:events";
import { createServer } from "node:net";
import { connect as connectTls } from "node:tls";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatAnswer, parseQuestion, RCODE, TYPE_A } from "./dns/dns-message.ts";
import { readFirstBytes } from "./first-bytes.ts";
import { findGateway, findLinks } from "./packets/gateway.ts";
import { findDestination } from "./redirected.ts";

/** What Node's own TLS sends first for a server name. */
async function helloFor(servername: string): Promise<Buffer> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const client = connectTls({ host: "127.0.0.1", port, servername });
  client.on("error", () => undefined);
  const [socket] = await once(server, "connection");
  const [bytes] = await once(socket, "data");
  client.destroy();
  socket.destroy();
  server.close();
  return bytes as Buffer;
}

describe("the first bytes of a connection", () => {
  test("name the server of a TLS connection, once all of them are there", async () => {
    const hello = await helloFor("allowed.test");

    expect(readFirstBytes(hello)).toEqual({ kind: "tls", name: "allowed.test" });
    for (const length of [0, 1, 5, 40, hello.length - 1]) {
      expect(readFirstBytes(hello.subarray(0, length))).toEqual({ kind: "incomplete" });
    }
  });

  test("name it also when the message comes in several records", async () => {
    const hello = await helloFor("allowed.test");
    const body = hello.subarray(5);
    const record = (part: Buffer) =>
      Buffer.concat([Buffer.from([0x16, 3, 1, part.length >> 8, part.length & 255]), part]);

    expect(readFirstBytes(Buffer.concat([record(body.subarray(0, 30)), record(body.subarray(30))]))).toEqual({
      kind: "tls",
      name: "allowed.test",
    });
  });

  test.each([
    ["GET / HTTP/1.1\r\n", "http"],
    ["OPTIONS * HTTP/1.1", "http"],
    ["GE", "incomplete"],
    ["SSH-2.0-x", "other"],
    ["\0\0\0\b", "other"],
    ["get / http", "other"],
    ["ABCDEFGHIJKLMNOPQRSTUVW", "other"],
  ])("%j are %s", (text, kind) => {
    expect(readFirstBytes(Buffer.from(text, "latin1")).kind).toBe(kind);
  });

  test("that were made to confuse are never a name that is not in them", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (noise) => {
        const result = readFirstBytes(Buffer.concat([Buffer.from([0x16, 3, 1]), noise]));

        if (result.kind === "tls") expect(Buffer.from(noise).toString("latin1")).toContain(result.name);
      }),
    );
  });
});

describe("a DNS message", () => {
  const question = (name: string, type = TYPE_A) =>
    Buffer.concat([
      Buffer.from([0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
      ...name.split(".").map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
      Buffer.from([0, 0, type, 0, 1]),
    ]);

  test("with one question is read", () => {
    expect(parseQuestion(question("Allowed.test"))).toMatchObject({ name: "allowed.test", type: 1, id: 0x1234 });
  });

  test("is answered with the addresses, under the question's number", () => {
    const parsed = parseQuestion(question("allowed.test"));
    if (!parsed) throw new Error("no question");

    const answer = formatAnswer(parsed, { code: RCODE.ok, addresses: ["192.0.2.7"], ttlSeconds: 30 });

    expect(answer.readUInt16BE(0)).toBe(0x1234);
    expect(answer.readUInt16BE(6)).toBe(1);
    expect([...answer.subarray(-4)]).toEqual([192, 0, 2, 7]);
  });

  test("that is cut off, an answer, or of several questions is none", () => {
    const whole = question("allowed.test");
    const response = Buffer.from(whole);
    response[2] = 0x81;

    for (let length = 0; length < whole.length; length += 1)
      expect(parseQuestion(whole.subarray(0, length))).toBeUndefined();
    expect(parseQuestion(response)).toBeUndefined();
    expect(
      parseQuestion(Buffer.concat([whole.subarray(0, 4), Buffer.from([0, 2]), whole.subarray(6)])),
    ).toBeUndefined();
  });
});

describe("the kernel's tables", () => {
  const SOCKETS = [
    "  sl  local_address rem_address   st tx_queue rx_queue",
    "   0: 0100007F:F154 0200BE0A:A0B0 01 00000000:00000000",
    "   1: 0200BE0A:A0B0 FEA9FEA9:0050 01 00000000:00000000",
  ].join("\n");

  test("contain where a redirected connection was meant to go", () => {
    expect(findDestination(SOCKETS, { remoteAddress: "10.190.0.2", remotePort: 0xa0b0 })).toEqual({
      address: "169.254.169.254",
      port: 80,
    });
    expect(findDestination(SOCKETS, { remoteAddress: "10.190.0.2", remotePort: 1 })).toBeUndefined();
  });

  test("contain the gateway", () => {
    const routes =
      "Iface\tDestination\tGateway \tFlags\neth0\t00000000\t0100BE0A\t0003\neth0\t0000BE0A\t00000000\t0001";

    expect(findGateway(routes)).toBe("10.190.0.1");
    expect(findGateway("Iface\tDestination\tGateway\neth0\t0000BE0A\t00000000")).toBeUndefined();
  });

  test("contain the networks that the container is connected to, and not those behind a gateway", () => {
    const head = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT";
    const lines = [
      "eth0\t00000000\t0100BE0A\t0003\t0\t0\t0\t00000000\t0\t0\t0",
      "eth0\t0000BE0A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0",
      "eth1\t0000FF0A\t00000000\t0001\t0\t0\t0\t0000FCFF\t0\t0\t0",
      "eth0\t0000A8C0\t0100BE0A\t0003\t0\t0\t0\t0000FFFF\t0\t0\t0",
    ];
    expect(findLinks([head, ...lines].join("\n"))).toEqual(["10.190.0.0/24", "10.255.0.0/14"]);
    expect(findLinks(head)).toEqual([]);
  });
});
