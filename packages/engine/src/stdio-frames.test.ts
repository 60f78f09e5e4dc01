import { PassThrough } from "node:stream";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { FrameParser, splitStdio } from "./stdio-frames.ts";
import { cut, frame } from "./testing/frames.ts";

const WAIT = { timeout: 20_000, interval: 10 };

const anyFrames = fc.array(
  fc.record({
    stream: fc.constantFrom("stdout" as const, "stderr" as const),
    payload: fc.uint8Array({ maxLength: 40 }),
  }),
  { maxLength: 12 },
);
const anyCuts = fc.array(fc.nat({ max: 600 }), { maxLength: 40 });

function joined(frames: Iterable<{ stream: string; payload: Uint8Array }>, stream: string): string {
  return Buffer.concat([...frames].filter((each) => each.stream === stream).map(({ payload }) => payload)).toString(
    "hex",
  );
}

describe("FrameParser", () => {
  test("gives back every byte of each stream, wherever the chunks are cut", () => {
    fc.assert(
      fc.property(anyFrames, anyCuts, (frames, cuts) => {
        const parser = new FrameParser();
        const bytes = Buffer.concat(frames.map(({ stream, payload }) => frame(stream, payload)));

        const parsed = cut(bytes, cuts).flatMap((chunk) => [...parser.push(chunk)]);

        for (const stream of ["stdout", "stderr"]) expect(joined(parsed, stream)).toBe(joined(frames, stream));
      }),
    );
  });

  test("hands on the parts of a long frame as they come", () => {
    const parser = new FrameParser();
    const bytes = frame("stdout", Buffer.from("abcdef"));

    expect([...parser.push(bytes.subarray(0, 10))].map(({ payload }) => String(payload))).toEqual(["ab"]);
    expect([...parser.push(bytes.subarray(10))].map(({ payload }) => String(payload))).toEqual(["cdef"]);
  });
});

describe("splitStdio", () => {
  test("gives each stream its bytes, in order, and ends both with the source", async () => {
    await fc.assert(
      fc.asyncProperty(anyFrames, anyCuts, async (frames, cuts) => {
        const source = new PassThrough();
        const { stdout, stderr } = splitStdio(source);
        const reading = Promise.all([collect(stdout), collect(stderr)]);

        for (const chunk of cut(Buffer.concat(frames.map((each) => frame(each.stream, each.payload))), cuts)) {
          source.write(chunk);
        }
        source.end();

        expect(await reading).toEqual([joined(frames, "stdout"), joined(frames, "stderr")]);
      }),
      { numRuns: 50 },
    );
  });

  test("holds the source back while a stream is not read, and goes on when it is", async () => {
    const source = new PassThrough();
    const { stdout, stderr } = splitStdio(source);
    stderr.resume();
    const chunk = frame("stdout", Buffer.alloc(64 * 1024, "x"));

    for (let written = 0; written < 20; written += 1) source.write(chunk);
    await vi.waitFor(() => expect(source.isPaused()).toBe(true), WAIT);
    expect(stdout.readableLength).toBeLessThan(5 * 64 * 1024);
    source.end();

    expect((await collect(stdout)).length / 2).toBe(20 * 64 * 1024);
  });

  test("a connection that breaks ends both streams without an error", async () => {
    const source = new PassThrough();
    const { stdout, stderr } = splitStdio(source);
    const reading = Promise.all([collect(stdout), collect(stderr)]);

    source.write(frame("stdout", Buffer.from("last")));
    await vi.waitFor(() => expect(source.readableLength).toBe(0), WAIT);
    source.destroy(new Error("connection reset"));

    expect(await reading).toEqual([Buffer.from("last").toString("hex"), ""]);
  });
});

async function collect(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString("hex");
}
