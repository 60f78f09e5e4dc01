/** Pinned tools of servers that speak HTTP themselves: whatever a client could take for a list is compared, and all else passes. */
import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { MemoryPinStore, type PinSettings, ToolPins } from "@toolhive/core/testing";
import { afterEach, describe, expect, test } from "vitest";
import { openEndpoint } from "../open-endpoint.ts";
import { SILENT_LOG } from "../options/log.ts";
import { startHttpServer } from "../testing/raw-http-server.ts";

async function loadPins(settings: PinSettings) {
  const store = new MemoryPinStore(new Map());
  const pins = new ToolPins({ name: "echo", store, log: SILENT_LOG, settings });
  await pins.load();
  return pins;
}

describe("a server that speaks HTTP, whose known tools alone are pinned", () => {
  const TOOLS = { jsonrpc: "2.0", id: 1, result: { tools: [{ name: "add" }] } };

  async function openKnown(
    answer: (request: IncomingMessage, body: string) => { type?: string; body: string | Buffer },
  ) {
    const server = await startHttpServer((request, response) => {
      void text(request).then((sent) => {
        const { type, body } = answer(request, sent);
        response.writeHead(200, type === undefined ? {} : { "content-type": type }).end(body);
      });
    });
    const endpoint = await openEndpoint({ name: "echo", host: "127.0.0.1", port: 0, transport: "streamable-http" });
    endpoint.connect({ host: "127.0.0.1", port: server.port });
    const pins = await loadPins({ mode: "known", changedTools: "refuse" });
    endpoint.pinTools(pins);
    const send = async (path: string, init?: RequestInit) => {
      const response = await fetch(`http://127.0.0.1:${endpoint.port}${path}`, init);
      return await response.text();
    };
    const sendRaw = async (path: string) =>
      Buffer.from(await (await fetch(`http://127.0.0.1:${endpoint.port}${path}`)).arrayBuffer());
    const close = async () => {
      await endpoint.close();
      await server[Symbol.asyncDispose]();
    };
    return { pins, send, sendRaw, [Symbol.asyncDispose]: close };
  }

  test("still offers what else it has, which is no list, also while something is held back", async () => {
    await using known = await openKnown((request, sent) => ({
      type: request.url === "/mcp" ? "application/json" : "text/html",
      body: request.url === "/mcp" ? JSON.stringify(TOOLS) : `<p>${request.method} ${request.url} ${sent}</p>`,
    }));
    const form = { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded" }, body: "a=1" };
    const json = { method: "POST", headers: { "content-type": "application/json" }, body: '{"a":1}' };
    for (const isHeld of [false, true]) {
      if (isHeld) {
        await known.send("/mcp", json);
        known.pins.review({ tools: [{ name: "add", definition: { name: "add", title: "x" } }], next: undefined });
        expect(known.pins.mayRefuse).toBe(true);
      }
      expect(await known.send("/docs")).toBe("<p>GET /docs </p>");
      expect(await known.send("/token", form)).toBe("<p>POST /token a=1</p>");
      expect(await known.send("/register", json)).toBe('<p>POST /register {"a":1}</p>');
    }
  });

  test.each([undefined, "text/plain", "text/html"])(
    "has a list of the type %s passed as it is: no client takes it for one",
    async (type) => {
      await using known = await openKnown(() => ({ ...(type && { type }), body: JSON.stringify(TOOLS) }));

      expect(await known.send("/mcp")).toBe(JSON.stringify(TOOLS));
      expect(known.pins.describe().tools).toEqual([]);
    },
  );

  const utf16 = (list: string) => Buffer.from(list, "utf16le");
  const swapped = (list: string) => Buffer.from(utf16(list)).swap16();
  const utf32 = (list: string) => Buffer.from([...list].flatMap((each) => [each.charCodeAt(0), 0, 0, 0]));

  test.each<[string, string, (list: string) => string | Buffer]>([
    ["UTF-16 that the header names", "application/json; charset=utf-16le", utf16],
    ["UTF-16 that nobody names", "application/json", utf16],
    ["UTF-16 of the other order", "application/json", swapped],
    ["UTF-16 with its mark", "application/json", (list) => Buffer.concat([Buffer.from([0xff, 0xfe]), utf16(list)])],
    ["UTF-32", "application/json", utf32],
    ["another encoding, by name", "application/json; charset=utf-7", (list) => list.replaceAll("{", "+AHs-")],
    ["another encoding in a second parameter", "application/json; charset=utf-8; charset=cp037", (list) => list],
    ["another encoding in an extended parameter", "application/json; charset*=utf-8''cp037", (list) => list],
    [
      "another encoding of an event stream",
      "text/event-stream; charset=utf-16le",
      (list) => utf16(`data: ${list}\n\n`),
    ],
    ["bytes that are no UTF-8", "application/json", (list) => Buffer.from(list.replace("add", "add\u00ff"), "latin1")],
    ["a member of another case", "application/json", (list) => list.replace('"tools"', '"Tools"')],
    [
      "a member of another case over the edge of what is searched at once",
      "application/json",
      (list) => {
        const before = list.indexOf('"tools"') + '"x":"",'.length;
        return list.replace('"tools"', `"x":"${"x".repeat(16 * 1024 - 3 - before)}","Tools"`);
      },
    ],
    ["a member with the long s", "application/json", (list) => list.replace('"tools"', '"tool\u017f"')],
    ["a member of another width", "application/json", (list) => list.replace('"tools"', '"\uff54ools"')],
    [
      "a member with a mark that some parsers leave out",
      "application/json",
      (list) => list.replace('"tools"', '"too_ls"'),
    ],
    ["a member that ends with NUL", "application/json", (list) => list.replace('"tools"', '"tools\\u0000x"')],
    ["a result of another case", "application/json", (list) => list.replace('"result"', '"Result"')],
    [
      "a second result of another case",
      "application/json",
      (list) => list.replace('"id":1', '"id":1,"result":{}').replace('"result":{"t', '"RESULT":{"t'),
    ],
    [
      "a result beside an error",
      "application/json",
      (list) =>
        list.replace('"id":1', '"id":1,"error":{"code":1,"message":""}').replace('"result":{"t', '"Result":{"t'),
    ],
    [
      "a result in a request",
      "application/json",
      (list) => list.replace('"id":1', '"id":1,"method":"ping"').replace('"result":{"t', '"Result":{"t'),
    ],
    [
      "a name of another case",
      "application/json",
      (list) => list.replace('"name":"add"', '"name":"addx","Name":"add"'),
    ],
    ["a comment", "application/json", (list) => list.replace("[", "[/**/")],
    ["a comma too many", "application/json", (list) => list.replace("}]}}", "},]}}")],
    [
      "a comment of an event that some clients read as two lines",
      "text/event-stream",
      (list) => `: \u2028data: ${list}\n\n`,
    ],
    [
      "the id of an event that some clients read as two lines",
      "text/event-stream",
      (list) => `id: 1\u0085data: ${list}\ndata: {}\n\n`,
    ],
  ])("does not get a changed tool past in %s", async (_what, type, spell) => {
    const { send, begin } = await openSpelled(type, spell);
    await begin();

    const answer = await send();

    const plain = ["utf8", "utf16le"].map((encoding) => answer.toString(encoding as BufferEncoding)).join("");
    for (const form of [plain, plain.replaceAll("\0", ""), swapped(plain).toString("latin1")])
      expect(form).not.toContain("After");
  });

  test.each<[string, (list: string) => Buffer]>([
    ["application/json; charset=UTF-8", (list) => Buffer.from(list)],
    ['application/json;charset="utf-8"', (list) => Buffer.from(list)],
    ["application/json; charset=ISO-8859-1", (list) => Buffer.from(list)],
    ["application/json", (list) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(list)])],
  ])("has an honest list of the type %s passed and recorded", async (type, spell) => {
    const { known, send } = await openSpelled(type, spell);

    expect(JSON.parse((await send()).toString())).toEqual(TOOLS);
    expect(known.pins.describe().tools).toHaveLength(1);
  });

  const cleanups: AsyncDisposable[] = [];
  afterEach(async () => {
    for (const each of cleanups.splice(0)) await each[Symbol.asyncDispose]();
  });

  /** Its first list is plain, the later ones are changed and spelled. */
  async function openSpelled(type: string, spell: (list: string) => string | Buffer) {
    let title: string | undefined;
    const known = await openKnown(() => {
      const list = title === undefined ? TOOLS : { ...TOOLS, result: { tools: [{ name: "add", title }] } };
      const isFirst = title === "Before";
      return {
        type: isFirst ? "application/json" : type,
        body: isFirst ? JSON.stringify(list) : spell(JSON.stringify(list)),
      };
    });
    cleanups.push(known);
    const send = async () => await known.sendRaw("/mcp");
    const begin = async () => {
      title = "Before";
      expect((await send()).toString()).toContain("Before");
      title = "After";
    };
    return { known, send, begin };
  }

  test.each([
    ["a byte order mark", (list: string) => `\ufeff${list}`],
    ["two results", (list: string) => list.replace('"result"', '"result":{},"result"')],
    ["a name that is spelled with escapes", (list: string) => list.replace('"tools"', '"t\\u006fols"')],
    ["two ids, in a batch", (list: string) => `[${list.replace('"id":1', '"id":1,"id":1')}]`],
  ])("does not get a changed tool past with %s", async (_what, spell) => {
    let title = "Before";
    await using known = await openKnown(() => {
      const list = { ...TOOLS, result: { tools: [{ name: "add", title }] } };
      const body = JSON.stringify(list);
      return { type: "application/json", body: title === "Before" ? body : spell(body) };
    });
    expect(await known.send("/mcp")).toContain("Before");
    title = "After";

    expect(await known.send("/mcp")).not.toContain("After");
  });

  test.each(["application/json", "Application/JSON; charset=utf-8"])(
    "has a list of the type %s compared",
    async (type) => {
      await using known = await openKnown(() => ({ type, body: JSON.stringify(TOOLS) }));

      expect(await known.send("/mcp")).toBe(JSON.stringify(TOOLS));
      expect(known.pins.describe().tools).toHaveLength(1);
    },
  );
});
