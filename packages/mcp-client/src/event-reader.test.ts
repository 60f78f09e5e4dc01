/** Streams of events, as the WHATWG defines them and as servers cut them. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EventReader, type ServerEvent } from "./event-reader.ts";
import { AnswerTooLarge } from "./failures.ts";

function read(chunks: readonly (string | Buffer)[], maxBytes = 1_000) {
  const reader = new EventReader(maxBytes);
  const events: ServerEvent[] = chunks.flatMap((chunk) => reader.feed(Buffer.from(chunk as string)));
  return { reader, events: events.map(({ type, data }) => [type, data.toString("utf8")]) };
}

describe("an event", () => {
  test.each([
    [
      "ends at a blank line",
      "data: a\n\ndata: b\n\n",
      [
        ["message", "a"],
        ["message", "b"],
      ],
    ],
    ["may have lines that end with CR LF", "data: a\r\ndata: b\r\n\r\n", [["message", "a\nb"]]],
    ["may have lines that end with CR", "data: a\rdata: b\r\r", [["message", "a\nb"]]],
    ["has a name", "event: endpoint\ndata: /x\n\n", [["endpoint", "/x"]]],
    ["has the name `message` when it has none", "event:\ndata: a\n\n", [["message", "a"]]],
    ["joins its lines of data", "data: a\ndata\ndata: b\n\n", [["message", "a\n\nb"]]],
    ["loses one space before its data, and no more", "data:  a\ndata:b\n\n", [["message", " a\nb"]]],
    ["may follow a byte order mark", "\ufeffdata: a\n\n", [["message", "a"]]],
    ["may follow comments and fields that nobody knows", ": hello\nother: x\nother\ndata: a\n\n", [["message", "a"]]],
    ["without data is none", "event: x\n\nid: 1\n\ndata:\n\n\n\n", []],
    ["that has not ended is dropped", "data: a\n\ndata: b\n", [["message", "a"]]],
  ])("%s", (_title, text, expected) => {
    expect(read([text]).events).toEqual(expected);
  });

  test("is the same however its bytes are cut", () => {
    const lines = ["data: ä€𐍈", "data", "event: other", ": c", "id: 7", "retry: 20", "", "\ufeffdata: x"];
    const ends = ["\n", "\r\n", "\r"];
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...lines), fc.constantFrom(...ends)), { maxLength: 30 }),
        fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 30 }),
        (parts, sizes) => {
          const text = Buffer.from(parts.map(([line, end]) => line + end).join(""));
          const chunks: Buffer[] = [];
          for (let at = 0, turn = 0; at < text.length; turn += 1) {
            const size = sizes[turn % sizes.length] ?? 1;
            chunks.push(text.subarray(at, at + size));
            at += size;
          }
          const whole = read([text]);
          const cut = read(chunks);
          expect(cut.events).toEqual(whole.events);
          expect(cut.reader.lastId).toBe(whole.reader.lastId);
          expect(cut.reader.retryMs).toBe(whole.reader.retryMs);
        },
      ),
    );
  });

  test("keeps the bytes of its data, also those that are no UTF-8, and does not copy them", () => {
    const chunk = Buffer.concat([Buffer.from("data: "), Buffer.from([0xff, 0x00, 0xfe]), Buffer.from("\n\n")]);
    const [event] = new EventReader(100).feed(chunk);

    expect([...(event?.data ?? [])]).toEqual([0xff, 0x00, 0xfe]);
    expect(event?.data.buffer).toBe(chunk.buffer);
  });

  test.each([
    ["in one line", ["data: ", "x".repeat(60), "x".repeat(60)]],
    ["in many lines", Array.from({ length: 20 }, () => "data: xxxxxxxxx\n")],
    ["in many empty lines", Array.from({ length: 200 }, () => "data\n")],
    ["in a field that nobody knows", ["other: ", "x".repeat(120)]],
  ])("of more bytes than the bound ends the stream: %s", (_title, chunks) => {
    expect(() => read(chunks, 100)).toThrow(AnswerTooLarge);
  });

  test("counts against the bound alone, not with those before it", () => {
    expect(
      read(
        Array.from({ length: 50 }, () => "data: xxxxxxxxx\n\n"),
        100,
      ).events,
    ).toHaveLength(50);
  });
});

describe("the id of the last event", () => {
  test.each([
    ["counts once its event is whole", "id: 1\n\nid: 2\n", "1"],
    ["counts without data, as servers prime a stream", "id: 1\ndata:\n\n", "1"],
    ["stays when an event has none", "id: 1\n\ndata: x\n\n", "1"],
    ["is taken back by an empty one", "id: 1\n\nid\n\n", undefined],
    ["is ignored with a zero byte in it", "id: 1\n\nid: a\0b\n\n", "1"],
    ["does not count when no header can hold it", "id: a\u0001b\n\n", undefined],
    ["does not count when it is too long for a header", `id: ${"x".repeat(5_000)}\n\n`, undefined],
  ])("%s", (_title, text, expected) => {
    expect(read([text], 10_000).reader.lastId).toBe(expected);
  });

  test("goes into a header with the bytes that it came with", () => {
    const { lastId = "" } = read(["id: ä\n\n"]).reader;

    expect(Buffer.from(lastId, "latin1").toString("utf8")).toBe("ä");
  });
});

describe("the pause before a stream is continued", () => {
  test.each([
    ["is a number of milliseconds", "retry: 250\n", 250],
    ["counts without an event", "retry: 3\n: nothing else\n", 3],
    ["is ignored when it is no number", "retry: soon\nretry: -1\nretry: 1.5\nretry\n", undefined],
    ["is cut where it has very many digits", `retry: ${"9".repeat(400)}\n`, 999_999_999],
  ])("%s", (_title, text, expected) => {
    expect(read([text]).reader.retryMs).toBe(expected);
  });
});
