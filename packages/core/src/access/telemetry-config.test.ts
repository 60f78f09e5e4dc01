import { describe, expect, test } from "vitest";
import { compareCosts } from "../testing/index.ts";
import { resolveTelemetry } from "./telemetry-config.ts";

describe("the telemetry endpoint", () => {
  test.each([
    ["collector:4318", "https://collector:4318"],
    ["http://collector:4318///", "http://collector:4318"],
    ["https://collector/a//b/", "https://collector/a//b"],
  ])("%s is %s", (endpoint, expected) => {
    expect(resolveTelemetry({ endpoint }, undefined)?.Endpoint).toBe(expected);
  });

  test("is not longer than 2,048 characters", () => {
    expect(() => resolveTelemetry({ endpoint: `https://a/${"x".repeat(2_039)}` }, undefined)).toThrow(
      "the telemetry endpoint is longer than 2048 characters",
    );
  });

  test("of many slashes costs what another one costs", async () => {
    const bytes = 1024 * 1024;
    const resolve = (endpoint: string) => () => {
      expect(() => resolveTelemetry({ endpoint }, undefined)).toThrow();
    };

    const { processor } = await compareCosts({
      entrance: "telemetry endpoint of a create request",
      input: "slashes",
      bytes,
      plain: resolve(`https://a?${"x".repeat(bytes)}`),
      worst: resolve(`https://a${"/".repeat(bytes)}x`),
    });

    expect(processor).toBeLessThan(20);
  });
});
