import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PullProgressMeter } from "./pull-progress.ts";

const layer = (id: string, status: string, current?: number, total?: number) => ({
  id,
  status,
  ...(total !== undefined && { progressDetail: { current, total } }),
});

describe("PullProgressMeter", () => {
  test("sums the layers up while they come", () => {
    const meter = new PullProgressMeter(() => 0);
    const line = (message: unknown) => meter.add(message)?.message;

    expect(line({ status: "Pulling from mcp/echo", id: "1" })).toBeUndefined();
    expect(line(layer("a", "Pulling fs layer"))).toBe("0 of 1 layers");
    expect(line(layer("b", "Waiting"))).toBe("0 of 2 layers");
    expect(line(layer("a", "Downloading", 2_500_000, 10_000_000))).toBe("2.5 of 10.0 MB, 0 of 2 layers");
    expect(line(layer("b", "Downloading", 1_000_000, 2_000_000))).toBe("3.5 of 12.0 MB, 0 of 2 layers");
    expect(line(layer("a", "Download complete"))).toBe("11.0 of 12.0 MB, 1 of 2 layers");
    expect(line(layer("a", "Extracting", 1, 2))).toBeUndefined();
    expect(line(layer("a", "Pull complete"))).toBe("11.0 of 12.0 MB, 1 of 2 layers");
    expect(line(layer("b", "Already exists"))).toBe("12.0 of 12.0 MB, 2 of 2 layers");
    expect(line({ status: "Status: Downloaded newer image for mcp/echo:1" })).toBeUndefined();
  });

  test("reports each layer, in the order in which the engine named them", () => {
    const meter = new PullProgressMeter(() => 0);

    meter.add(layer("a", "Pulling fs layer"));
    meter.add(layer("b", "Pulling fs layer"));
    meter.add(layer("c", "Already exists"));
    meter.add(layer("b", "Downloading", 5, 10));
    const progress = meter.add(layer("a", "Extracting"));

    expect(progress?.layers).toEqual([
      { id: "a", state: "unpacking", currentBytes: 0, totalBytes: 0 },
      { id: "b", state: "downloading", currentBytes: 5, totalBytes: 10 },
      { id: "c", state: "done", currentBytes: 0, totalBytes: 0 },
    ]);
  });

  test("reports the rate over the last three seconds", () => {
    let now = 0;
    const meter = new PullProgressMeter(() => now);
    const rateAt = (at: number, megabytes: number) => {
      now = at;
      return meter.add(layer("a", "Downloading", megabytes * 1e6, 100e6))?.bytesPerSecond;
    };

    expect(rateAt(0, 0)).toBeUndefined();
    expect(rateAt(400, 10)).toBeUndefined();
    expect(rateAt(1_000, 20)).toBe(20_000_000);
    expect(rateAt(2_000, 20)).toBe(10_000_000);
    expect(rateAt(6_000, 20)).toBe(0);
    expect(meter.add(layer("a", "Downloading", 20e6, 100e6))?.message).toBe(
      "20.0 of 100.0 MB at 0.0 MB/s, 0 of 1 layers",
    );
  });

  test.each([
    [null],
    [undefined],
    ["text"],
    [42],
    [[]],
    [{}],
    [{ id: "a" }],
    [{ id: "a", status: 7 }],
    [{ status: "Waiting" }],
  ])("ignores %j", (message) => {
    expect(new PullProgressMeter().add(message)).toBeUndefined();
  });

  test("never shows more done than there is, whatever an engine sends", () => {
    const message = fc.record({
      id: fc.constantFrom("a", "b", "c"),
      status: fc.constantFrom("Pulling fs layer", "Waiting", "Downloading", "Download complete", "Pull complete"),
      progressDetail: fc.oneof(
        fc.constant({}),
        fc
          .nat({ max: 1e9 })
          .chain((total) => fc.record({ current: fc.nat({ max: total }), total: fc.constant(total) })),
      ),
    });
    fc.assert(
      fc.property(fc.array(message), (messages) => {
        const meter = new PullProgressMeter();
        for (const each of messages) {
          const line = meter.add(each)?.message;
          if (line === undefined) continue;
          const [, current, total, done, layers] =
            /^(?:(\S+) of (\S+) MB(?: at \S+ MB\/s)?, )?(\d) of (\d) layers$/.exec(line) ?? [];
          expect(Number(done)).toBeLessThanOrEqual(Number(layers));
          if (current !== undefined) expect(Number(current)).toBeLessThanOrEqual(Number(total));
        }
      }),
    );
  });
});
