/**
 * What the worst messages cost an endpoint that reads everything, against plain messages of the same size. A row that
 * fails here is a way to stop every server of the machine with one message.
 */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compareCosts } from "@toolhive/core/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openClient, type RouteClient } from "../src/testing/client-routes.ts";
import { type Guarded, openGuarded } from "../src/testing/open-guarded.ts";
import { openPair } from "../src/testing/open-pair.ts";
import { rawRequest } from "../src/testing/raw-client.ts";

/** Of each message. */
const BYTES = Number(process.env.COSTS_BYTES ?? 1024 * 1024);
/** The ways of the endpoints differ; none may cost so many times more for what it gets than for plain text. */
const MAX_PROCESSOR_RATIO = 40;
const MAX_MEMORY_RATIO = 4;
/** Each line is a message of its own. */
const MAX_LINES_RATIO = 400;

const repeat = (piece: string, bytes = BYTES) => piece.repeat(Math.floor(bytes / piece.length));
const list = (item: string) => `[${repeat(`${item},`)}${item}]`;
const nested = (open: string, close: string) => {
  const times = Math.floor(BYTES / (open.length + close.length));
  return `${open.repeat(times)}1${close.repeat(times)}`;
};
const members = (name: (index: number) => string, value: string) => {
  const count = Math.floor(BYTES / (name(1e6).length + value.length + 4));
  return `{${Array.from({ length: count }, (_, index) => `"${name(index)}":${value}`).join(",")}}`;
};
const call = (args: string) => message(`{"name":"weather","arguments":${args}}`);
const message = (params: string, method = "tools/call") =>
  `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;

/** JSON values that cost more than their text somewhere. */
const VALUES: readonly (readonly [string, () => string])[] = [
  ["tokens that begin anew", () => `{"x":"${repeat("eyJ-")}"}`],
  ["beginnings of keys", () => `{"x":"${repeat("-----BEGIN PRIVATE KEY-----")}"}`],
  ["many members", () => members((index) => `a${index}`, "1")],
  ["many members that policies name", () => members((index) => `amount${index}`, "1")],
  ["decimals", () => members((index) => `a${index}`, "1.5")],
  ["empty objects", () => `{"x":${list("{}")}}`],
  ["empty lists", () => `{"x":${list("[]")}}`],
  ["digits", () => `{"x":${list("1")}}`],
  ["one number", () => `{"x":${repeat("1")}}`],
  ["objects in each other", () => nested('{"a":', "}")],
  ["lists in each other", () => `{"x":${nested("[", "]")}}`],
  ["32 levels around a long text", () => `${'{"a":'.repeat(30)}"${repeat("x")}"${"}".repeat(30)}`],
  ["escaped quotes", () => `{"x":"${repeat('\\"')}"}`],
  ["backslashes", () => `{"x":"${repeat("\\\\")}"}`],
  ["escaped letters", () => `{"x":"${repeat("\\u0061")}"}`],
  ["control characters", () => `{"x":"${repeat("\\u0001")}"}`],
  ["escaped names", () => members((index) => `\\u0061${index}`, "1")],
  ["a long name", () => `{"${repeat("a")}":1}`],
  ["letters of three bytes", () => `{"x":"${"字".repeat(BYTES / 3)}"}`],
  ["blanks", () => `{"x":1${repeat(" ")}}`],
  ["line ends", () => `{"x":1${repeat("\r\n")}}`],
];

const BODIES: readonly (readonly [string, () => string])[] = [
  ...VALUES.map(([name, value]) => [name, () => call(value())] as const),
  ["a long tool name", () => message(`{"name":"${repeat("a")}"}`)],
  ["a long method", () => message("{}", repeat("a"))],
  ["a long id", () => `{"jsonrpc":"2.0","id":"${repeat("1")}","method":"ping"}`],
  ["a long number as id", () => `{"jsonrpc":"2.0","id":${repeat("1")},"method":"ping"}`],
  ["a batch of notifications", () => list('{"jsonrpc":"2.0","method":"x"}')],
  ["a batch of nothing", () => list("{}")],
  ["a batch that is never closed", () => `[${repeat("1,")}`],
  ["open lists", () => repeat("[")],
  [
    "many subscriptions",
    () => message(`{"notifications":{"resourceSubscriptions":${list('"a"')}}}`, "subscriptions/listen"),
  ],
  ["members of the envelope", () => `{"jsonrpc":"2.0","method":"x",${members((index) => `id${index}`, "1").slice(1)}`],
  ["no JSON", () => repeat('"')],
  ["bytes that are no text", () => repeat("\u00ff")],
];

const ANSWERS: readonly (readonly [string, () => string])[] = [
  ...VALUES,
  ["many tools", () => `{"tools":${list('{"name":"a"}')}}`],
  ["tools without names", () => `{"tools":${list("{}")}}`],
  ["tools of many members", () => `{"tools":[${members((index) => `a${index}`, "1")}]}`],
];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "costs-"));
});
afterAll(() => rm(folder, { recursive: true }));

const PLAIN = repeat("plain text. ");

describe.each(["stdio", "streamable-http"] as const)("a %s server with policies and an audit log", (kind) => {
  let guarded: Guarded;
  let client: RouteClient;
  let result = "{}";

  beforeEach(async () => {
    guarded = await openGuarded({
      kind,
      needsToken: false,
      access: {
        audit_config: {
          log_file: join(folder, `${kind}.log`),
          include_request_data: true,
          include_response_data: true,
        },
        authz_config: {
          version: "1.0",
          type: "cedarv1",
          cedar: {
            policies: [
              "permit(principal, action, resource);",
              "forbid(principal, action, resource) when { context has arg_amount && context.arg_amount > 100 };",
            ],
          },
        },
      },
      onRequest: () => result,
    });
    client = await openClient(guarded.endpoint, "session", {});
  });
  afterEach(() => guarded[Symbol.asyncDispose]());

  const send = (body: string) => async () => {
    const response = await client.send(body);
    await response.arrayBuffer();
    return response.status;
  };

  test.each(BODIES)("a request with %s", async (input, makeBody) => {
    const ratios = await compareCosts({
      entrance: `request to a ${kind} server, with policies and audit`,
      input,
      bytes: BYTES,
      plain: send(call(`{"x":"${PLAIN}"}`)),
      worst: send(makeBody()),
      limits: { processor: MAX_PROCESSOR_RATIO, memory: MAX_MEMORY_RATIO },
    });

    expect(ratios.processor).toBeLessThan(MAX_PROCESSOR_RATIO);
    expect(ratios.memory).toBeLessThan(MAX_MEMORY_RATIO);
  });

  test.each(ANSWERS.filter(([name]) => kind !== "stdio" || name !== "line ends"))(
    "an answer with %s",
    async (input, makeResult) => {
      const answer = (text: string) => async () => {
        result = text;
        return await send(message('{"name":"weather"}'))();
      };

      const ratios = await compareCosts({
        entrance: `answer of a ${kind} server, with policies and audit`,
        input,
        bytes: BYTES,
        plain: answer(`{"x":"${PLAIN}"}`),
        worst: answer(makeResult()),
        limits: { processor: MAX_PROCESSOR_RATIO, memory: MAX_MEMORY_RATIO },
      });

      expect(ratios.processor).toBeLessThan(MAX_PROCESSOR_RATIO);
      expect(ratios.memory).toBeLessThan(MAX_MEMORY_RATIO);
    },
  );

  test("answers the next request after the worst ones", async () => {
    for (const [, makeBody] of BODIES.slice(0, 4)) await send(makeBody())();
    result = '{"isWell":true}';

    expect((await client.request("tools/call", { name: "weather" })).message).toMatchObject({
      result: { isWell: true },
    });
  });
});

test.each(BODIES)("a message over HTTP with SSE with %s", async (input, makeBody) => {
  await using guarded = await openGuarded({ kind: "stdio", needsToken: false });
  await using traveller = await openClient(guarded.endpoint, "sse", {});
  const send = (body: string) => async () => await (await traveller.send(body)).arrayBuffer();

  const ratios = await compareCosts({
    entrance: "message over HTTP with SSE",
    input,
    bytes: BYTES,
    plain: send(call(`{"x":"${PLAIN}"}`)),
    worst: send(makeBody()),
    runs: 2,
    limits: { processor: MAX_PROCESSOR_RATIO, memory: MAX_MEMORY_RATIO },
  });

  expect(ratios.processor).toBeLessThan(MAX_PROCESSOR_RATIO);
  expect(ratios.memory).toBeLessThan(MAX_MEMORY_RATIO);
});

const LINES: readonly (readonly [string, () => string])[] = [
  ["nothing", () => repeat("\n")],
  ["blanks", () => repeat(" \n")],
  ["one letter", () => repeat("x\n")],
  ["carriage returns", () => repeat("\r\n")],
  ["empty objects", () => repeat("{}\n")],
  ["empty lists", () => repeat("[]\n")],
  ["text before the message", () => `${repeat("x")}{"jsonrpc":"2.0","method":"x"}\n`],
  ["open lists", () => `${repeat("[")}\n`],
  ["answers that nobody waits for", () => repeat('{"jsonrpc":"2.0","id":9,"result":{}}\n')],
  ["notifications", () => repeat('{"jsonrpc":"2.0","method":"notifications/x"}\n')],
  ["requests", () => repeat('{"jsonrpc":"2.0","id":"9","method":"x"}\n')],
  ["bytes that are no text", () => `${repeat("\u00ff")}\n`],
];

test.each(LINES)("lines of a server on stdio with %s", async (input, makeLines) => {
  let before = "";
  const pair = await openPair({
    onRequest: () => {
      pair.server.write(before);
      return "{}";
    },
  });
  await using _ = pair;
  await using traveller = await openClient(pair.endpoint, "session", {});
  const ask = (lines: string) => async () => {
    before = lines;
    await traveller.request("tools/call", { name: "weather" });
  };

  const ratios = await compareCosts({
    entrance: "line of a server on stdio",
    input,
    bytes: BYTES,
    plain: ask(repeat(`${"plain text. ".repeat(16)}\n`)),
    worst: ask(makeLines()),
    runs: 2,
    limits: { processor: MAX_LINES_RATIO, memory: MAX_MEMORY_RATIO },
  });

  expect(ratios.processor).toBeLessThan(MAX_LINES_RATIO);
  expect(ratios.memory).toBeLessThan(MAX_MEMORY_RATIO);
});

test("a body in single bytes needs little more memory than one in large pieces", async () => {
  await using guarded = await openGuarded({ kind: "stdio", needsToken: false });
  const bytes = 1024 * 1024;
  const send = (size: number) => {
    const pieces = Array.from({ length: bytes / size }, () => `${size.toString(16)}\r\n${"[".repeat(size)}\r\n`);
    const host = `Host: 127.0.0.1:${guarded.endpoint.port}`;
    const head = `POST /mcp HTTP/1.1\r\n${host}\r\nTransfer-Encoding: chunked\r\n`;
    const headers = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\r\n";
    const request = Buffer.from(`${head}${headers}${pieces.join("")}0\r\n\r\n`);
    return async () => {
      const socket = connect(guarded.endpoint.port, "127.0.0.1");
      socket.write(request);
      const [answer] = (await once(socket, "data")) as [Buffer];
      expect(String(answer)).toContain("HTTP/1.1 400");
      socket.destroy();
    };
  };

  const ratios = await compareCosts({
    entrance: "body in pieces",
    input: "single bytes",
    bytes,
    plain: send(64 * 1024),
    worst: send(1),
    runs: 1,
  });

  expect(ratios.memory).toBeLessThan(MAX_MEMORY_RATIO);
});

const HEADERS: readonly (readonly [string, (text: string) => Record<string, string>, string])[] = [
  ["blanks", (text) => ({ accept: `a${text}x` }), " "],
  ["commas", (text) => ({ accept: text }), ","],
  ["blanks", (text) => ({ connection: `a${text}x` }), " "],
  ["semicolons", (text) => ({ "content-type": `application/json${text}` }), ";"],
  ["dots", (text) => ({ "mcp-protocol-version": text }), "."],
  ["dashes", (text) => ({ "last-event-id": text }), "1-"],
  ["commas", (text) => ({ origin: `http://localhost${text}` }), ","],
  ["blanks", (text) => ({ authorization: `Bearer${text}x` }), " "],
  ["lists", (text) => ({ "x-forwarded-for": text }), "::1,"],
  ["escapes", (text) => ({ "mcp-name": `=?base64?${text}?=` }), "=?"],
];

test.each(HEADERS)("a header of 15 kB of %s costs what a plain one costs", async (input, headers, piece) => {
  const bytes = 15 * 1024;
  await using guarded = await openGuarded({ kind: "streamable-http", needsToken: false });
  const ask = (more: Record<string, string>) => async () => {
    const own = { "content-type": "application/json", ...more };
    // One of them is over before the clock has moved.
    for (let time = 0; time < 10; time++) await rawRequest(guarded.endpoint, { headers: own, body: "{}" });
  };
  const text = repeat(piece, bytes);

  const ratios = await compareCosts({
    entrance: `header ${Object.keys(headers(text))[0]}`,
    input,
    bytes,
    plain: ask({ "x-plain": "a".repeat(bytes) }),
    worst: ask(headers(text)),
    limits: { processor: 10 },
  });

  expect(ratios.processor).toBeLessThan(10);
});
