import { expect, test } from "vitest";
import type { Measurement } from "./measure.ts";
import { plotCurve } from "./plot.ts";

const row = (engine: Measurement["engine"], records: number, p50Ms: number, p99Ms: number): Measurement => ({
  engine,
  records,
  p50Ms,
  p99Ms,
  buildMs: 1,
  loadMs: undefined,
  fileBytes: undefined,
  memoryBytes: 1,
  answered: 1,
});

test("the plot says its values in words and keeps every point inside the picture", () => {
  const svg = plotCurve([
    row("own", 1_500, 0.1, 0.9),
    row("own", 1_000_000, 20, 300),
    row("minisearch", 1_500, 0.5, 5),
  ]);
  const points = [...svg.matchAll(/points="([^"]+)"/g)].flatMap(([, list = ""]) =>
    list.split(" ").map((pair) => pair.split(",").map(Number)),
  );

  expect(svg).toContain("ours, p50: 0.10 ms at 1.5k, 20.00 ms at 1M");
  expect(points).toHaveLength(6);
  for (const [x = -1, y = -1] of points) {
    expect(x).toBeGreaterThanOrEqual(76);
    expect(x).toBeLessThanOrEqual(570);
    expect(y).toBeGreaterThanOrEqual(28);
    expect(y).toBeLessThanOrEqual(344);
  }
});
