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
    const meter = new PullProgressMeter();

    expect(meter.add({ status: "Pulling from mcp/echo", id: "1" })).toBeUndefined();
    expect(meter.add(layer("a", "Pulling fs layer"))).toBe("0 of 1 layers");
    expect(meter.add(layer("b", "Waiting"))).toBe("0 of 2 layers");
    expect(meter.add(layer("a", "Downloading", 2_500_000, 10_000_000))).toBe("2.5 of 10.0 MB, 0 of 2 layers");
    expect(meter.add(layer("b", "Downloading", 1_000_000, 2_000_000))).toBe("3.5 of 12.0 MB, 0 of 2 layers");
    expect(meter.add(layer("a", "Download complete"))).toBe("11.0 of 12.0 MB, 1 of 2 layers");
    expect(meter.add(layer("a", "Extracting", 1, 2))).toBeUndefined();
    expect(meter.add(layer("a", "Pull complete"))).toBe("11.0 of 12.0 MB, 1 of 2 layers");
    expect(meter.add(layer("b", "Already exists"))).toBe("12.0 of 12.0 MB, 2 of 2 layers");
    expect(meter.add({ status: "Status: Downloaded newer image for mcp/echo:1" })).toBeUndefined();
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
          const line = meter.add(each);
          if (line === undefined) continue;
          const [, current, total, done, layers] = /^(?:(\S+) of (\S+) MB, )?(\d) of (\d) layers$/.exec(line) ?? [];
          expect(Number(done)).toBeLessThanOrEqual(Number(layers));
          if (current !== undefined) expect(Number(current)).toBeLessThanOrEqual(Number(total));
        }
      }),
    );
  });
});
