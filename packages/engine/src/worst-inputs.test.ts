/** What the worst answers of an engine cost, against plain ones of the same size. */
import { once } from "node:events";
import { Readable } from "node:stream";
import { compareCosts } from "@toolhive/core/testing";
import { describe, expect, test } from "vitest";
import { DockerEngine } from "./docker-engine.ts";
import { readJsonLines } from "./json-lines.ts";
import { readLogLines } from "./log-lines.ts";
import { PullProgressMeter } from "./pull-progress.ts";
import { FakeDaemon } from "./testing/fake-daemon.ts";

const KIB = 1024;
const BYTES = Number(process.env.COSTS_BYTES ?? 512 * KIB);

const createStream = (chunks: readonly Buffer[]) => Readable.from(chunks, { objectMode: false });

async function drain(values: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _ of values) count += 1;
  return count;
}

function inPieces(text: string, size: number): Buffer[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

function frames(pieces: readonly Buffer[]): Buffer[] {
  const framed = pieces.map((piece) => {
    const header = Buffer.alloc(8);
    header[0] = 1;
    header.writeUInt32BE(piece.length, 4);
    return Buffer.concat([header, piece]);
  });
  return inPieces(Buffer.concat(framed).toString("latin1"), 64 * KIB);
}

describe("an engine", () => {
  test.each([
    ["one message in small pieces", inPieces(`"${"x".repeat(BYTES)}"\n`, 64)],
    ["messages of one character", inPieces("1\n".repeat(BYTES / 2), 64 * KIB)],
    ["ends of lines", inPieces("\n".repeat(BYTES), 64 * KIB)],
  ])("may send as progress %s", async (input, chunks) => {
    const plain = inPieces(`${JSON.stringify({ status: "x".repeat(200) })}\n`.repeat(BYTES / 215), 64 * KIB);

    const { processor, memory } = await compareCosts({
      entrance: "progress and events of an engine",
      input,
      bytes: BYTES,
      plain: () => drain(readJsonLines(createStream(plain))),
      worst: () => drain(readJsonLines(createStream(chunks))),
      limits: { processor: 120, memory: 4 },
    });

    // Each line is a promise of its own.
    expect(processor).toBeLessThan(120);
    expect(memory).toBeLessThan(4);
  });

  test.each([
    ["a line in single bytes", frames(inPieces("x".repeat(BYTES), 1))],
    ["a line in pieces of 16 bytes", frames(inPieces("x".repeat(BYTES), 16))],
    ["lines of nothing", frames(inPieces("\n".repeat(BYTES), 16 * KIB))],
  ])("may send as a log %s", async (input, chunks) => {
    const plain = frames(inPieces(`${"a plain line ".repeat(16)}\n`.repeat(BYTES / 209), 209));

    const { processor, memory } = await compareCosts({
      entrance: "log of a container",
      input,
      bytes: BYTES,
      plain: () => drain(readLogLines(createStream(plain))),
      worst: () => drain(readLogLines(createStream(chunks))),
      limits: { processor: 500, memory: 4 },
    });

    // Each line and each frame of one byte is a promise of its own; what copies a line again needs a thousand times more.
    expect(processor).toBeLessThan(500);
    expect(memory).toBeLessThan(4);
  });

  test("may report layers without end", async () => {
    const reportLayers = (id: (index: number) => string) => () => {
      const meter = new PullProgressMeter(() => 0);
      for (let index = 0; index < 3_000; index++) {
        meter.add({ id: id(index), status: "Downloading", progressDetail: { current: 1, total: 2 } });
      }
    };

    const { processor } = await compareCosts({
      entrance: "progress of a pull",
      input: "layers without end",
      bytes: 3_000 * 100,
      plain: reportLayers((index) => `layer${index % 127}`),
      worst: reportLayers((index) => `layer${index}`),
    });

    expect(processor).toBeLessThan(20);
  });
});

test("an answer without an end is broken off, and its connection is closed", async () => {
  await using daemon = await FakeDaemon.start();
  const engine = await DockerEngine.connect(daemon.address);
  let closed: Promise<unknown> | undefined;
  const chunk = Buffer.alloc(KIB * KIB, "[");
  daemon.answer("GET /containers/json", (_request, response) => {
    closed = once(response, "close");
    response.writeHead(200);
    const fill = (): void => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on("drain", fill);
    fill();
  });

  await expect(engine.listContainers({ a: "b" })).rejects.toMatchObject({
    code: "ENGINE_FAILED",
    message: expect.stringContaining("larger than 67108864 bytes"),
  });
  await closed;
});
