import { compareCosts } from "@toolhive/core/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EventFilter } from "./event-filter.ts";

const MiB = 1024 * 1024;

interface Filtered {
  /** What the clients get. */
  readonly text: string;
  readonly messages: readonly string[];
}

function filter(chunks: readonly Buffer[], change?: string): Promise<Filtered> {
  const messages: string[] = [];
  return new Promise((resolve, reject) => {
    const stream = new EventFilter((message) => {
      messages.push(message.toString("latin1"));
      return change === undefined ? message : Buffer.from(change);
    }, 64 * MiB);
    const out: Buffer[] = [];
    stream.on("data", (part: Buffer) => out.push(part));
    stream.on("end", () => resolve({ text: Buffer.concat(out).toString("latin1"), messages }));
    stream.on("error", reject);
    for (const chunk of chunks) stream.write(chunk);
    stream.end();
  });
}

function cut(text: string, sizes: readonly number[]): Buffer[] {
  const bytes = Buffer.from(text, "latin1");
  let from = 0;
  const chunks = sizes.map((size) => {
    from += size;
    return bytes.subarray(from - size, from);
  });
  return [...chunks, bytes.subarray(from)];
}

describe("EventFilter", () => {
  test.each(["\n", "\r\n", "\r"])("reads the messages of events with %j at the ends of lines", async (end) => {
    const text = `event: message\ndata: {"a":1}\n\n: comment\n\ndata:{"b":\ndata:2}\nid: 7\n\n`.replaceAll("\n", end);

    const { messages, text: shown } = await filter([Buffer.from(text), Buffer.from(": next")]);

    expect(messages).toEqual(['{"a":1}', '{"b":\n2}']);
    expect(shown).toBe(text);
  });

  test.each(["\r\r\n", "\n\r\n", "\r\n\n", "\r\n\r", "\n\r"])("ends an event at %j, as clients do", async (end) => {
    const { messages } = await filter([Buffer.from(`data: 1${end}data: 2\n\n`)]);

    expect(messages).toEqual(["1", "2"]);
  });

  test("finds the same events however the bytes are cut into chunks", async () => {
    const line = fc.constantFrom("data: x", "data", "data:", "id: 1", ": c", "");
    const ends = fc.constantFrom("\n", "\r\n", "\r");
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(line, ends)),
        fc.array(fc.integer({ min: 1, max: 9 })),
        async (lines, sizes) => {
          const text = `${lines.map((parts) => parts.join("")).join("")}data: last\n\n: open`;

          expect(await filter(cut(text, sizes))).toEqual(await filter([Buffer.from(text)]));
        },
      ),
      { numRuns: 500 },
    );
  });

  test("puts a changed message on one line and keeps the event's other lines", async () => {
    const { text } = await filter(
      [Buffer.from("\u{feff}id: 1\r\ndata: {}\r\ndata: {}\r\nevent: message\r\n\r\n")],
      "{\n}",
    );

    expect(text).toBe("id: 1\nevent: message\ndata: { }\n\n");
  });

  test.each([
    ["an event in small chunks", Array<string>(4 * 1024).fill("x".repeat(1024)), 4],
    ["an event in single bytes", Array<string>(MiB / 4).fill("x"), 1 / 4],
    ["events of nothing", Array<string>(16).fill("\n".repeat(64 * 1024)), 1],
    ["events of one byte", Array<string>(16).fill("data:1\n\n".repeat(8_192)), 1],
    ["lines of nothing", Array<string>(16).fill("data:\n".repeat(10_922)), 1],
    ["ends that are none", Array<string>(16).fill("\r\n:".repeat(21_845)), 1],
  ])("costs what plain events cost for %s", async (input, parts, size) => {
    const plain = Array<Buffer>(size * 16).fill(Buffer.from(`data: ${"x".repeat(65_528)}\n\n`));
    const worst = [Buffer.from("data: "), ...parts.map((part) => Buffer.from(part)), Buffer.from("\n\n")];

    const ratios = await compareCosts({
      entrance: "event stream of a server, looked at",
      input,
      bytes: size * MiB,
      plain: () => filter(plain),
      worst: () => filter(worst),
    });

    // A stream has a price for each chunk, however small; the reading of so many sockets costs far more.
    expect(ratios.processor).toBeLessThan(input.includes("single bytes") ? 500 : 60);
    expect(ratios.memory).toBeLessThan(4);
  });
});
