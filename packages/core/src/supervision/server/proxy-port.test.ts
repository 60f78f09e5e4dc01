import { describe, expect, test } from "vitest";
import { choosePort } from "./proxy-port.ts";

describe("choosePort", () => {
  test.each([
    [[], 12_345, 12_345],
    [[12_345], 12_345, 12_346],
    [[65_534], 65_534, 10_000],
    [[65_533, 65_534, 10_000], 65_533, 10_001],
    // Browsers do not connect to it.
    [[], 10_080, 10_081],
  ])("with %j taken makes of %i the port %i", (taken, picked, expected) => {
    expect(choosePort(new Set(taken), () => picked)).toBe(expected);
  });

  test("stays within the range of ports that are chosen", () => {
    for (let turn = 0; turn < 1_000; turn += 1) {
      const port = choosePort(new Set());
      expect(port).toBeGreaterThanOrEqual(10_000);
      expect(port).toBeLessThanOrEqual(65_534);
    }
  });
});
