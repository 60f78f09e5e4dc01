import { describe, expect, test } from "vitest";
import { pullLines } from "./pull-lines.ts";

const layer = (id: string, state: "waiting" | "downloading" | "unpacking" | "done", current = 0, total = 0) => ({
  id,
  state,
  current_bytes: current,
  total_bytes: total,
});

describe("pullLines", () => {
  test("shows what each layer does, and a bar for one that comes", () => {
    const layers = [
      layer("a1b2c3d4e5f6", "downloading", 2_500_000, 10_000_000),
      layer("b", "waiting"),
      layer("c", "unpacking", 5, 5),
      layer("d", "done", 5, 5),
    ];

    expect(pullLines(layers, 54)).toEqual([
      "  a1b2c3d4e5f6 [=====               ] 2.5/10.0 MB",
      "  b            waiting",
      "  c            unpacking",
      "  d            done",
    ]);
  });

  test("leaves the bar out where there is no room for it", () => {
    expect(pullLines([layer("a1b2c3d4e5f6", "downloading", 2_500_000, 1_210_000_000)], 38)).toEqual([
      "  a1b2c3d4e5f6 2.5/1210.0 MB",
    ]);
  });

  test("of many layers shows eight that are not done, and counts the others", () => {
    const layers = [
      ...Array.from({ length: 4 }, (_, index) => layer(`done${index}`, "done")),
      ...Array.from({ length: 9 }, (_, index) => layer(`open${index}`, "waiting")),
    ];

    const lines = pullLines(layers, 80);

    expect(lines.slice(0, 8).every((line) => line.startsWith("  open"))).toBe(true);
    expect(lines[8]).toBe("  and 5 more");
  });
});
